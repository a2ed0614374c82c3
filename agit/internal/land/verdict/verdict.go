// Package verdict runs gates, and keeps what they said of a tree so that none runs on the same tree twice. Landings and trials share
// it: a tree that one of them found green is green for the other.
//
// gate.go runs the commands of a gate and names what its answer depends on; this file keeps the answers and alone writes
// `gate_verdicts`. A Store is safe for concurrent use by any number of processes.
package verdict

import (
	"context"
	"encoding/json"
	"time"

	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Lasts is how long a verdict counts: a gate also depends on what no tree holds, such as servers and the date.
const Lasts = 24 * time.Hour

// Verdict is a gate's verdict on a tree.
type Verdict struct {
	Tree    string         `json:"tree"`
	Key     string         `json:"-"` // of the gate, see Gate.Key
	Green   bool           `json:"green"`
	Command string         `json:"command,omitempty"` // that failed
	How     string         `json:"how,omitempty"`     // it ended, such as "exit status 1"
	Lines   []string       `json:"lines,omitempty"`   // the last lines that it printed
	Log     string         `json:"log,omitempty"`     // file with all of its output
	Took    time.Duration  `json:"-"`
	At      timestamp.Time `json:"tested_at"`
}

// Store keeps the verdicts of one registry.
type Store struct{ DB *registry.DB }

// Find returns a gate's verdict on a tree of a repository within the last day, nil for none.
func (s *Store) Find(ctx context.Context, repoID int64, tree, key string) (*Verdict, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (*Verdict, error) {
		return registry.OrNil(scan(tx.QueryRow(selection+`WHERE repo_id = ? AND tree = ? AND gate_key = ? AND tested_at > ?`,
			repoID, tree, key, registry.FormatTime(tx.Now().Add(-Lasts)))))
	})
}

// Took returns how long a gate of a repository took when it was last green, 0 where that is not known.
func (s *Store) Took(ctx context.Context, repoID int64) (time.Duration, error) {
	ms, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) (int64, error) {
		return registry.OrZero(registry.One[int64](tx.QueryRow(`SELECT CASE WHEN took_ms < 1 THEN 1 ELSE took_ms END FROM gate_verdicts
			WHERE repo_id = ? AND result = 'passed' ORDER BY tested_at DESC, id DESC LIMIT 1`, repoID)))
	})
	return time.Duration(ms) * time.Millisecond, err
}

const selection = `SELECT tree, gate_key, result, command, how, lines, log, took_ms, tested_at FROM gate_verdicts `

func scan(row registry.Scanner) (v Verdict, err error) {
	var result, lines string
	var took int64
	if err := row.Scan(&v.Tree, &v.Key, &result, &v.Command, &v.How, &lines, &v.Log, &took, &v.At); err != nil {
		return v, err
	}
	v.Green, v.Took = result == passed, time.Duration(took)*time.Millisecond
	if lines != "" {
		err = json.Unmarshal([]byte(lines), &v.Lines)
	}
	return v, err
}

const passed, failed = "passed", "failed"

// Keep stores a verdict in place of an earlier one of the same tree and gate, and deletes those that no longer count.
func (s *Store) Keep(ctx context.Context, project, repoID int64, v Verdict) error {
	lines, err := json.Marshal(v.Lines)
	if err != nil {
		return err
	}
	result := failed
	if v.Green {
		result = passed
	}
	const most = 500 // characters of a command or an ending
	return s.DB.Write(context.WithoutCancel(ctx), registry.Scope{Project: project}, func(tx *registry.Tx) error {
		if err := tx.Do(`DELETE FROM gate_verdicts WHERE repo_id = ? AND tested_at <= ?`, repoID, registry.FormatTime(tx.Now().Add(-Lasts))); err != nil {
			return err
		}
		return tx.Do(`INSERT INTO gate_verdicts (project_id, repo_id, tree, gate_key, result, command, how, lines, log, took_ms, tested_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (repo_id, tree, gate_key) DO UPDATE SET result = excluded.result, command = excluded.command, how = excluded.how,
				lines = excluded.lines, log = excluded.log, took_ms = excluded.took_ms, tested_at = excluded.tested_at`,
			project, repoID, v.Tree, v.Key, result, text.Cut(redact.Clean(v.Command), most), text.Cut(redact.Clean(v.How), most), string(lines), v.Log, v.Took.Milliseconds(), tx.Stamp())
	})
}
