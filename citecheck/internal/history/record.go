package history

import (
	"cmp"
	"context"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Check is the result of a check of one document.
type Check struct {
	Key        Key
	Statement  string   // hash of its statement
	Confidence *float64 // nil when nothing could be checked
	State      string
	Found      []Found
}

// Found is the result of a check of one citation.
type Found struct {
	Place
	Snippet   string
	Verdict   string
	FoundPath string
	FoundLine int
	Score     float64
	At        string // the commit that was checked, or that the checked state is based on
	Commit    string // where the citation is known to be right; "" leaves what is known
	// Surroundings are the lines around it there; "" keeps the known ones.
	Surroundings string
}

// Record appends the results of a check. A verification with the same result and commit as the last one of its citation is not appended
// again.
func (s *Store) Record(ctx context.Context, checks []Check) error {
	if len(checks) == 0 {
		return nil
	}
	return s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		p, err := project.Ensure(tx, s.Identity)
		if err != nil {
			return err
		}
		for _, c := range checks {
			doc, err := upsertDoc(tx, p.ID, c.Key, c.Statement)
			if err != nil {
				return err
			}
			if err := tx.Do(`UPDATE cited_docs SET content_hash = ?, confidence = ?, state = ?, checked_at = ? WHERE id = ?`,
				c.Statement, null(c.Confidence), c.State, tx.Stamp(), doc); err != nil {
				return err
			}
			for _, f := range c.Found {
				if err := record(tx, doc, f); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func null(v *float64) registry.Null[float64] {
	if v == nil {
		return registry.Null[float64]{}
	}
	return registry.Null[float64]{V: *v, Valid: true}
}

func upsertDoc(tx *registry.Tx, projectID int64, k Key, statement string) (int64, error) {
	id, err := registry.One[int64](tx.QueryRow(`SELECT id FROM cited_docs WHERE project_id = ? AND source = ? AND doc_key = ?`, projectID, k.Source, k.Doc))
	if !registry.NoRows(err) {
		return id, err
	}
	return tx.Insert(`INSERT INTO cited_docs (uid, project_id, source, doc_key, content_hash) VALUES (?, ?, ?, ?, ?) RETURNING id`,
		registry.NewUID(), projectID, k.Source, k.Doc, statement)
}

func record(tx *registry.Tx, doc int64, f Found) error {
	f.Snippet = redact.Lines(f.Snippet)
	var id int64
	var was Found
	err := tx.QueryRow(`SELECT id, oid, snippet, surroundings FROM citations WHERE doc_id = ? AND path = ? AND line = ?`, doc, f.Path, f.Line).Scan(&id, &was.Commit, &was.Snippet, &was.Surroundings)
	switch {
	case registry.NoRows(err):
		id, err = tx.Insert(`INSERT INTO citations (doc_id, path, line, snippet, oid, surroundings) VALUES (?, ?, ?, ?, ?, ?) RETURNING id`,
			doc, f.Path, f.Line, f.Snippet, f.Commit, f.Surroundings)
	case err == nil:
		if f.Snippet == was.Snippet { // previously another text was right there
			f.Commit, f.Surroundings = cmp.Or(f.Commit, was.Commit), cmp.Or(f.Surroundings, was.Surroundings)
		}
		if f.Commit != was.Commit || f.Surroundings != was.Surroundings || f.Snippet != was.Snippet {
			err = tx.Do(`UPDATE citations SET oid = ?, snippet = ?, surroundings = ? WHERE id = ?`, f.Commit, f.Snippet, f.Surroundings, id)
		}
	}
	if err != nil {
		return err
	}
	var last Found
	var path registry.Null[string]
	var line registry.Null[int]
	err = tx.QueryRow(`SELECT verdict, found_path, found_line, at_oid FROM verifications WHERE citation_id = ? ORDER BY id DESC LIMIT 1`, id).
		Scan(&last.Verdict, &path, &line, &last.At)
	if err == nil && last.Verdict == f.Verdict && path.V == f.FoundPath && line.V == f.FoundLine && last.At == f.At {
		return nil
	}
	if err != nil && !registry.NoRows(err) {
		return err
	}
	return tx.Do(`INSERT INTO verifications (citation_id, verdict, found_path, found_line, score, at_oid, at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		id, f.Verdict, registry.NullIfZero(f.FoundPath), registry.NullIfZero(f.FoundLine), registry.NullIfZero(f.Score), f.At, tx.Stamp())
}

// Say appends an agent's vote on a document. An empty agent is a person.
func (s *Store) Say(ctx context.Context, k Key, who, vote, note, statement string) (v Vote, projectUID string, err error) {
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		p, err := project.Ensure(tx, s.Identity)
		if err != nil {
			return err
		}
		projectUID = p.UID
		doc, err := upsertDoc(tx, p.ID, k, statement)
		if err != nil {
			return err
		}
		note = redact.Stored(note)
		v = Vote{Vote: vote, Note: note, Statement: statement, At: timestamp.Of(tx.Now())}
		var by registry.Null[int64]
		if who != "" {
			a, err := agent.Caller(tx, who)
			if err != nil {
				return err
			}
			by, v.Agent = registry.Null[int64]{V: a.ID, Valid: true}, a.Name
		}
		return tx.Do(`INSERT INTO votes (doc_id, agent_id, vote, note, content_hash, at) VALUES (?, ?, ?, ?, ?, ?)`,
			doc, by, vote, note, statement, tx.Stamp())
	})
	return v, projectUID, err
}
