package record

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Grading is the judgement of an agent and its user on a commit. Its tags are those of the parameters of agent_record_grade.
type Grading struct {
	By         By     `json:"-"`
	Commit     string `json:"commit_hash" also:"commit" is:"name"` // a hash, or the beginning of a known one
	AgentGrade Grade  `json:"agent_grade" desc:"bad -1, neutral 1, good 2, excellence 5"`
	UserGrade  Grade  `json:"user_grade"`
	Task       string `json:"task,omitempty"` // the commit's subject when empty
	AgentNote  string `json:"agent_note,omitempty"`
	UserNote   string `json:"user_note,omitempty"`

	// Subject and Body are the commit's message, when the caller has a repository to read it from.
	Subject string `json:"-"`
	Body    string `json:"-"`

	firstWord bool // the commit was unknown, so it counts
	warnings  []string
	secrets   redacted
}

// Graded is the result of a grading.
type Graded struct {
	Commit string `json:"commit"`
	Task   string `json:"task,omitempty"`
	// ScoreBefore and ScoreAfter are communication scores.
	ScoreBefore int64   `json:"score_before"`
	ScoreAfter  int64   `json:"score_after"`
	LevelUp     bool    `json:"level_up"`
	Status      Status  `json:"status"`
	BookedOn    Booking `json:"booked_on"`
	// Warnings name a commit that the caller's repository does not have.
	Warnings []string `json:"warnings,omitempty" wire:"-"`
	// Redacted are the kinds of the secrets that were removed before storing.
	Redacted string `json:"redacted,omitempty" wire:"-"`
}

func (g *Grading) check() (err error) {
	if g.Commit, err = storedOID(g.Commit); err != nil {
		return err
	}
	if err := checkGrade("agent_grade", g.AgentGrade); err != nil {
		return err
	}
	if err := checkGrade("user_grade", g.UserGrade); err != nil {
		return err
	}
	if err := g.secrets.texts(map[string]*string{"task": &g.Task, "agent_note": &g.AgentNote, "user_note": &g.UserNote}); err != nil {
		return err
	}
	made := Commit{Subject: g.Subject, Body: g.Body}
	made.clean()
	g.Subject, g.Body = made.Subject, made.Body
	return needPlace(g.By)
}

// Grade adds both grades of a commit to the agent's communication score, adds one XP, and stores a retrospective of the commit. A commit
// for which the agent was already graded is a Conflict fault.
func (s *Store) Grade(ctx context.Context, g Grading) (out Graded, err error) {
	if err := g.check(); err != nil {
		return out, err
	}
	err = s.write(ctx, g.By, func(tx *registry.Tx, to booked) error {
		if g.Commit, err = knownOID(tx, to.project.ID, g.Commit); err != nil {
			return err
		}
		if err := g.refuseTwice(tx, to); err != nil {
			return err
		}
		before, err := load(tx, to.agent)
		if err != nil {
			return err
		}
		if out, err = g.apply(tx, to); err != nil {
			return err
		}
		out.LevelUp = out.Status.SP > before.SP
		return nil
	})
	return out, err
}

// refuseTwice refuses a second grade of one commit.
func (g Grading) refuseTwice(tx *registry.Tx, to booked) error {
	var byAgent, byUser Grade
	err := tx.QueryRow(`SELECT agent_grade, user_grade FROM grades WHERE agent_id = ? AND project_id = ? AND oid = ?`,
		to.agent.ID, to.project.ID, g.Commit).Scan(&byAgent, &byUser)
	if registry.NoRows(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return gradedAlready(to, g.Commit, byAgent, byUser)
}

func gradedAlready(to booked, oid string, byAgent, byUser Grade) error {
	return fault.Conflict("grade", oid, "%q was graded for commit %q already: %d by itself, %d by the user", to.agent.Name, oid, byAgent, byUser).
		WithHint("a commit is graded once; add what is left to say to its retrospective")
}

// graded is the part of the result that the scores do not change.
func (g Grading) graded(to booked) Graded {
	return Graded{Commit: g.Commit, Task: g.Task, BookedOn: to.booking(), Warnings: g.warnings, Redacted: g.secrets.said()}
}

// apply stores a grading that is the commit's first.
func (g Grading) apply(tx *registry.Tx, to booked) (out Graded, err error) {
	n, err := tx.Exec(`INSERT INTO grades (agent_id, project_id, oid, agent_grade, user_grade, at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		to.agent.ID, to.project.ID, g.Commit, int(g.AgentGrade), int(g.UserGrade), tx.Stamp())
	if err != nil {
		return out, err
	}
	if n == 0 {
		return out, g.refuseTwice(tx, to)
	}
	if _, err := (Commit{OID: g.Commit, Subject: g.Subject, Body: g.Body}).apply(tx, to); err != nil {
		return out, err
	}
	if g.Task == "" {
		g.Task, err = registry.One[string](tx.QueryRow(`SELECT subject FROM commits WHERE project_id = ? AND oid = ?`, to.project.ID, g.Commit))
		if err != nil {
			return out, err
		}
	}
	sum := int64(g.AgentGrade) + int64(g.UserGrade)
	if err := to.tell(tx, event{kind: "grade", dXP: GradeXP, dCS: sum, oid: g.Commit, note: text.FirstLine(g.Task, maxSubject)}); err != nil {
		return out, err
	}
	after, err := to.add(tx, delta{xp: GradeXP, cs: sum})
	if err != nil {
		return out, err
	}
	out = g.graded(to)
	out.ScoreBefore, out.ScoreAfter = after.CS-sum, after.CS
	r := Retrospective{Commit: g.Commit, Task: g.Task, AgentGrade: g.AgentGrade, UserGrade: g.UserGrade,
		ScoreBefore: &out.ScoreBefore, ScoreAfter: &out.ScoreAfter, AgentNote: g.AgentNote, UserNote: g.UserNote}
	if err := r.apply(tx, to); err != nil {
		return out, err
	}
	out.Status, err = load(tx, to.agent)
	return out, err
}

// Grade is the value of a commit to its agent or the user; 0 means no grade.
type Grade int

// The grades. There are no others.
const (
	Bad        Grade = -1
	Neutral    Grade = 1
	Good       Grade = 2
	Excellence Grade = 5
)

var words = map[Grade]string{Bad: "bad", Neutral: "neutral", Good: "good", Excellence: "excellence"}

// Grades lists all grades, worst first.
var Grades = [...]Grade{Bad, Neutral, Good, Excellence}

// String is the grade's word, "" for none.
func (g Grade) String() string { return words[g] }

// ParseGrade reads a grade as its number or its word. field is the parameter named in the error.
func ParseGrade(field, s string) (Grade, error) {
	for _, g := range Grades {
		if s == strconv.Itoa(int(g)) || strings.EqualFold(s, g.String()) {
			return g, nil
		}
	}
	return 0, unknownGrade(field, s)
}

func unknownGrade(field, s string) error {
	return fault.Validation(field, "%q is not a grade", s).WithHint("use -1 (bad), 1 (neutral), 2 (good) or 5 (excellence)")
}

// checkGrade refuses a number that is not a grade.
func checkGrade(field string, g Grade) error {
	if g.String() == "" {
		return unknownGrade(field, strconv.Itoa(int(g)))
	}
	return nil
}

// MCPSchema returns the schema of a number. Descriptions explain each grade's word, since some models' tools accept enums only of texts.
func (Grade) MCPSchema() json.RawMessage { return json.RawMessage(`{"type":"integer"}`) }

// UnmarshalJSON reads a number, or a word. The caller knows the parameter's name.
func (g *Grade) UnmarshalJSON(data []byte) (err error) {
	s := string(data)
	if len(s) > 1 && s[0] == '"' {
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
	}
	*g, err = ParseGrade("", s)
	return err
}
