package history

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Event is one entry of a document's history: a verification or a vote.
type Event struct {
	At        timestamp.Time `json:"at"`
	Path      string         `json:"path,omitempty"`
	Line      int            `json:"line,omitempty"`
	Verdict   string         `json:"verdict,omitempty"`
	FoundPath string         `json:"found_path,omitempty"`
	FoundLine int            `json:"found_line,omitempty"`
	Score     float64        `json:"score,omitempty"`
	Commit    string         `json:"commit,omitempty"`
	Vote      string         `json:"vote,omitempty"`
	Agent     string         `json:"agent,omitempty"`
	Note      string         `json:"note,omitempty"`

	kind int   // votes after verifications of the same time
	id   int64 // order within the kind
}

// Events returns a document's history, newest first, at most limit entries (0: all).
func (s *Store) Events(ctx context.Context, k Key, limit int) (events []Event, err error) {
	events = []Event{}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		p, err := project.At(tx, s.Identity)
		if registry.NoRows(err) {
			return nil
		} else if err != nil {
			return err
		}
		if err := verifications(tx, p.ID, k, &events); err != nil {
			return err
		}
		return votes(tx, p.ID, k, &events)
	})
	slices.SortStableFunc(events, func(a, b Event) int {
		if c := b.At.Compare(a.At.Time); c != 0 {
			return c
		}
		if a.kind != b.kind {
			return b.kind - a.kind
		}
		return int(b.id - a.id)
	})
	if limit > 0 && len(events) > limit {
		events = events[:limit]
	}
	return events, err
}

func verifications(tx *registry.Tx, projectID int64, k Key, events *[]Event) error {
	found, err := registry.Collect(tx, func(r registry.Scanner) (e Event, err error) {
		var path registry.Null[string]
		var line registry.Null[int]
		var score registry.Null[float64]
		if err := r.Scan(&e.id, &e.At, &e.Path, &e.Line, &e.Verdict, &path, &line, &score, &e.Commit); err != nil {
			return e, err
		}
		e.FoundPath, e.FoundLine, e.Score = path.V, line.V, score.V
		return e, nil
	}, `SELECT v.id, v.at, c.path, c.line, v.verdict, v.found_path, v.found_line, v.score, v.at_oid
		FROM cited_docs d JOIN citations c ON c.doc_id = d.id JOIN verifications v ON v.citation_id = c.id
		WHERE d.project_id = ? AND d.source = ? AND d.doc_key = ? ORDER BY v.id`, projectID, k.Source, k.Doc)
	*events = append(*events, found...)
	return err
}

func votes(tx *registry.Tx, projectID int64, k Key, events *[]Event) error {
	found, err := registry.Collect(tx, func(r registry.Scanner) (e Event, err error) {
		e.kind = 1
		err = r.Scan(&e.id, &e.At, &e.Vote, &e.Note, &e.Agent)
		return e, err
	}, `SELECT o.id, o.at, o.vote, o.note, COALESCE(a.name, '')
		FROM cited_docs d JOIN votes o ON o.doc_id = d.id LEFT JOIN agents a ON a.id = o.agent_id
		WHERE d.project_id = ? AND d.source = ? AND d.doc_key = ? ORDER BY o.id`, projectID, k.Source, k.Doc)
	*events = append(*events, found...)
	return err
}
