package history

import (
	"context"

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
}

// Events returns a document's history, newest first, at most limit entries (0: all).
func (s *Store) Events(ctx context.Context, k Key, limit int) (events []Event, err error) {
	events = []Event{}
	query := `SELECT v.at AS at, 0 AS kind, v.id AS id, c.path, c.line, v.verdict, COALESCE(v.found_path, ''), COALESCE(v.found_line, 0), COALESCE(v.score, 0), v.at_oid,
			'', '', ''
		FROM cited_docs d JOIN citations c ON c.doc_id = d.id JOIN verifications v ON v.citation_id = c.id
		WHERE d.project_id = ? AND d.source = ? AND d.doc_key = ?
		UNION ALL SELECT o.at, 1, o.id, '', 0, '', '', 0, 0, '', o.vote, COALESCE(a.name, ''), o.note
		FROM cited_docs d JOIN votes o ON o.doc_id = d.id LEFT JOIN agents a ON a.id = o.agent_id
		WHERE d.project_id = ? AND d.source = ? AND d.doc_key = ?
		ORDER BY at DESC, kind DESC, id DESC`
	var most []any
	if limit > 0 {
		query, most = query+` LIMIT ?`, []any{limit}
	}
	err = s.read(ctx, func(tx *registry.Tx, project int64) error {
		events, err = registry.Collect(tx, func(r registry.Scanner) (e Event, err error) {
			var kind, id int64 // a vote is newer than a verification of the same time
			err = r.Scan(&e.At, &kind, &id, &e.Path, &e.Line, &e.Verdict, &e.FoundPath, &e.FoundLine, &e.Score, &e.Commit, &e.Vote, &e.Agent, &e.Note)
			return e, err
		}, query, append([]any{project, k.Source, k.Doc, project, k.Source, k.Doc}, most...)...)
		return err
	})
	return events, err
}
