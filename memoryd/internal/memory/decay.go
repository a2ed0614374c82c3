package memory

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/agit-suite/agit/shared/decay"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// DefaultThreshold is the decay score beyond which a memory is due.
const DefaultThreshold = 30

func (m Memory) decayScore(now time.Time) float64 {
	return decay.Score(now.Sub(m.LastAccessed.Time), m.Importance, m.AccessCount)
}

// sortByDecay puts those closest to decay first.
func sortByDecay(all []Memory, now time.Time) {
	slices.SortStableFunc(all, func(a, b Memory) int {
		return cmp.Or(cmp.Compare(b.decayScore(now), a.decayScore(now)), cmp.Compare(a.RowID, b.RowID))
	})
}

// Decay selects the memories to fade.
type Decay struct {
	ProjectID  int64   // 0 means every project
	Threshold  float64 // DefaultThreshold when 0
	MinimumAge int     // days after storing or changing within which a memory stays
	DryRun     bool    // only report what would be archived
}

// DecayReport lists the memories that a decay archived, or would archive.
type DecayReport struct {
	DryRun    bool      `json:"dry_run"`
	Threshold float64   `json:"threshold"`
	Checked   int       `json:"checked"`  // memories that were looked at
	Archived  int       `json:"archived"` // how many were, or would be
	Expired   int       `json:"expired"`  // those of them that had expired
	Hidden    int       `json:"hidden"`   // archived and replaced memories that can be restored, including the new ones unless dry
	Memories  []Decayed `json:"memories"`
}

// Decayed is a memory that is due.
type Decayed struct {
	Brief
	Project     string         `json:"project_id"`
	Score       float64        `json:"decay_score"`
	LastUsed    timestamp.Time `json:"last_accessed"`
	AccessCount int            `json:"access_count"`
	Reason      string         `json:"reason"` // "decayed" or "expired"
}

// RunDecay archives the memories that are due. Those of importance 5 are never due; expired ones always are.
func RunDecay(tx *registry.Tx, d Decay) (DecayReport, error) {
	d.Threshold = cmp.Or(d.Threshold, DefaultThreshold)
	r := DecayReport{DryRun: d.DryRun, Threshold: d.Threshold, Memories: []Decayed{}}
	all, err := registry.Collect(tx, scan, `SELECT `+columns+tables+`WHERE (? = 0 OR m.project_id = ?)
		AND m.archived_at IS NULL AND m.superseded_by IS NULL ORDER BY m.id`, d.ProjectID, d.ProjectID)
	if err != nil {
		return r, err
	}
	r.Checked = len(all)
	sortByDecay(all, tx.Now())
	for _, m := range all {
		reason := d.due(m, tx.Now())
		if reason == "" {
			continue
		}
		if reason == whyExpired {
			r.Expired++
		}
		r.Archived++
		r.Memories = append(r.Memories, Decayed{Brief: m.Brief(), Project: m.Project, Score: rounded(m.decayScore(tx.Now())),
			LastUsed: m.LastAccessed, AccessCount: m.AccessCount, Reason: reason})
		if d.DryRun {
			continue
		}
		if err := archive(tx, m, reason); err != nil {
			return r, err
		}
	}
	r.Hidden, err = registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM memories WHERE (? = 0 OR project_id = ?) AND NOT (`+live+`)`, d.ProjectID, d.ProjectID))
	return r, err
}

// due returns why a memory is to be archived, or "".
func (d Decay) due(m Memory, now time.Time) string {
	if m.expired(now) {
		return whyExpired
	}
	young := now.Sub(m.UpdatedAt.Time) < time.Duration(d.MinimumAge)*24*time.Hour
	if m.Importance >= MaxImportance || young || m.decayScore(now) <= d.Threshold {
		return ""
	}
	return whyDecayed
}

// Decay archives what is due in one transaction.
func (s *Store) Decay(ctx context.Context, d Decay) (r DecayReport, err error) {
	run := s.DB.Read
	if !d.DryRun {
		scope := registry.Scope{Project: d.ProjectID}
		if d.ProjectID == 0 {
			scope = registry.Everything
		}
		run = func(ctx context.Context, fn func(*registry.Tx) error) error { return s.DB.Write(ctx, scope, fn) }
	}
	err = run(ctx, func(tx *registry.Tx) error {
		r, err = RunDecay(tx, d)
		return err
	})
	return r, err
}

// rounded keeps three decimals: more would only look precise.
func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }
