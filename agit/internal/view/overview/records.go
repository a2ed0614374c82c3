package overview

import (
	"context"
	"strconv"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Record is an agent's score.
type Record struct {
	Agent   string          `json:"agent"`
	SP      int64           `json:"sp"` // score points
	XP      float64         `json:"xp"` // experience, one decimal
	CS      int64           `json:"cs"` // commit score
	Commits int64           `json:"commits"`
	Bugs    int64           `json:"bugs"` // found in its work
	Halted  bool            `json:"halted"`
	Updated *timestamp.Time `json:"updated,omitempty"` // nil when the agent has no score yet
}

// RecordDetail is an agent's record with its last events.
type RecordDetail struct {
	Record
	Events []RecordEvent `json:"events"` // newest first
}

// RecordEvent is an event that changed a score.
type RecordEvent struct {
	Kind   string         `json:"kind"`
	Times  int            `json:"times"`
	SP     int64          `json:"sp"`
	XP     float64        `json:"xp"`
	CS     int64          `json:"cs"`
	Note   string         `json:"note,omitempty"`
	Commit string         `json:"commit,omitempty"` // short
	At     timestamp.Time `json:"at"`
}

// Records returns the records of all agents by name; a score does not belong to a project.
func (p *Pages) Records(ctx context.Context) ([]Record, error) {
	return registry.Read(ctx, p.DB, func(tx *registry.Tx) ([]Record, error) {
		agents, err := agent.List(tx)
		if err != nil {
			return nil, err
		}
		scores := map[string]Record{}
		found, err := registry.Collect(tx, scanRecord, `SELECT name, sp, xp_tenths, cs, commits, bugs, halted, updated_at FROM agent_records`)
		for _, r := range found {
			scores[r.Agent] = r
		}
		all := make([]Record, len(agents))
		for i, a := range agents {
			all[i] = scores[a.Name]
			all[i].Agent = a.Name
		}
		return all, err
	})
}

func scanRecord(row registry.Scanner) (r Record, err error) {
	var tenths int64
	var at timestamp.Time
	err = row.Scan(&r.Agent, &r.SP, &tenths, &r.CS, &r.Commits, &r.Bugs, &r.Halted, &at)
	r.XP, r.Updated = float64(tenths)/10, &at
	return r, err
}

// eventsShown is how many events of an agent are shown.
const eventsShown = 100

// Record returns one agent's record; an unknown name is a NotFoundError.
func (p *Pages) Record(ctx context.Context, name string) (d RecordDetail, err error) {
	err = p.DB.Read(ctx, func(tx *registry.Tx) error {
		a, err := agent.Get(tx, name)
		if err != nil {
			return err
		}
		d.Record, err = scanRecord(tx.QueryRow(`SELECT name, sp, xp_tenths, cs, commits, bugs, halted, updated_at FROM agent_records WHERE agent_id = ?`, a.ID))
		if registry.NoRows(err) {
			d.Record, err = Record{Agent: a.Name}, nil
		}
		if err != nil {
			return err
		}
		d.Events, err = registry.Collect(tx, func(row registry.Scanner) (e RecordEvent, err error) {
			var tenths int64
			err = row.Scan(&e.Kind, &e.Times, &e.SP, &tenths, &e.CS, &e.Note, &e.Commit, &e.At)
			e.XP, e.Note, e.Commit = float64(tenths)/10, clip(e.Note), e.Commit[:min(7, len(e.Commit))]
			return e, err
		}, `SELECT kind, times, d_sp, d_xp_tenths, d_cs, note, oid, at FROM record_events WHERE agent_id = ? ORDER BY id DESC LIMIT `+strconv.Itoa(eventsShown), a.ID)
		return err
	})
	return d, err
}
