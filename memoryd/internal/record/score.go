package record

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Tenths is an amount of XP in tenths of a point, so that sums of tenths are
// exact. In JSON it is the number of points.
type Tenths int64

// The values of scored events.
const (
	StartSP          = 1
	UseXP     Tenths = 1  // of a tool use or a command
	GradeXP   Tenths = 10 // of a graded commit
	levelCost Tenths = 100
)

// String is the amount in points with one decimal.
func (t Tenths) String() string {
	sign, n := "", int64(t)
	if n < 0 {
		sign, n = "-", -n
	}
	return sign + strconv.FormatInt(n/10, 10) + "." + strconv.FormatInt(n%10, 10)
}

// MarshalJSON returns the number of points.
func (t Tenths) MarshalJSON() ([]byte, error) {
	return []byte(strings.TrimSuffix(t.String(), ".0")), nil
}

// UnmarshalJSON reads a number of points.
func (t *Tenths) UnmarshalJSON(data []byte) error {
	var points float64
	if err := json.Unmarshal(data, &points); err != nil {
		return err
	}
	*t = Tenths(points*10 + 0.5)
	return nil
}

// Scores are an agent's scores.
type Scores struct {
	SP      int64  `json:"sp"`
	XP      Tenths `json:"xp"`
	CS      int64  `json:"cs"`
	Commits int64  `json:"commits"`
	Bugs    int64  `json:"bugs"`
	Halted  bool   `json:"halted"`
}

// Start returns the scores of a new agent.
func Start() Scores { return Scores{SP: StartSP} }

// NextSP returns the XP that buys the next score point: 10 × max(SP, 1).
func (s Scores) NextSP() Tenths { return levelCost * Tenths(max(s.SP, 1)) }

// Progress returns the collected share of NextSP in whole per cent, at most 100.
func (s Scores) Progress() int { return int(min(max(s.XP*100/s.NextSP(), 0), 100)) }

// Gain adds XP and buys as many score points as it pays for; the rest is kept. A halted agent keeps its XP and buys nothing, since points
// would hide the halt.
func (s *Scores) Gain(xp Tenths) (bought int64) {
	s.XP += xp
	for !s.Halted && s.XP >= s.NextSP() {
		s.XP -= s.NextSP()
		s.SP++
		bought++
	}
	return bought
}

// Graded adds the grades of a commit.
func (s *Scores) Graded(byAgent, byUser Grade) (bought int64) {
	s.CS += int64(byAgent) + int64(byUser)
	return s.Gain(GradeXP)
}

// Bug takes a score point, and halts the agent when none is left.
func (s *Scores) Bug() (halts bool) {
	s.SP--
	s.Bugs++
	halts = s.SP <= 0 && !s.Halted
	s.Halted = s.Halted || s.SP <= 0
	return halts
}

// Resume lets a halted agent continue with one score point; it takes none away.
func (s *Scores) Resume() {
	if s.Halted {
		s.Halted, s.SP = false, max(s.SP, StartSP)
	}
}

// Tier returns how far the agent is trusted.
func (s Scores) Tier() string { return Tier(s.SP) }

// Tiers are the least score points of each tier, highest first; below the last
// one is TierProbation.
var Tiers = [...]struct {
	SP   int64
	Name string
}{{10, "EXPERT"}, {7, "SENIOR"}, {4, "ESTABLISHED"}, {2, "JUNIOR"}}

// TierProbation is the tier below all others.
const TierProbation = "PROBATION"

// TierSP returns the range of score points of sp's tier, such as "SP 2 to 3".
func TierSP(sp int64) string {
	for i, tier := range Tiers {
		switch {
		case sp < tier.SP:
		case i == 0:
			return fmt.Sprintf("SP %d and more", tier.SP)
		default:
			return fmt.Sprintf("SP %d to %d", tier.SP, Tiers[i-1].SP-1)
		}
	}
	return fmt.Sprintf("below SP %d", Tiers[len(Tiers)-1].SP)
}

// Tier returns the tier for a number of score points.
func Tier(sp int64) string {
	for _, tier := range Tiers {
		if sp >= tier.SP {
			return tier.Name
		}
	}
	return TierProbation
}
