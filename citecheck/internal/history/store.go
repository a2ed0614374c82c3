package history

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// The sources of documents.
const (
	File     = "file"     // a memory file, by its path from the project's root
	Registry = "registry" // a memory of the registry, by its uid
)

// Key names a document within a project.
type Key struct{ Source, Doc string }

// Place is a cited line; line 0 is the whole file.
type Place struct {
	Path string
	Line int
}

// Store is the history of one project's memories.
type Store struct {
	DB       *registry.DB
	Identity project.Identity
}

// Open returns the history of the project that root belongs to.
func Open(db *registry.DB, root string) (*Store, error) {
	id, err := project.Identify(root)
	if err != nil {
		return nil, err
	}
	return &Store{DB: db, Identity: id}, nil
}

// Known is the stored knowledge about one document.
type Known struct {
	Right     map[Place]Right // where each citation was last seen right
	Checks    int             // verifications that counted
	Found     int             // those that found the citation true
	CheckedAt time.Time       // zero when it was never checked
	Votes     []Vote
}

// Right is the record of a citation that was right.
type Right struct {
	Commit       string // "" when not known
	Surroundings string // what stood around it, see textfile.Surroundings; "" when not kept
}

// Vote is an agent's vote on a memory.
type Vote struct {
	Agent     string         `json:"agent,omitempty"`
	Vote      string         `json:"vote"`
	Note      string         `json:"note,omitempty"`
	Statement string         `json:"-"` // hash of the memory's statement then
	At        timestamp.Time `json:"at"`
}

// The votes.
const (
	Confirm = "confirm"
	Dispute = "dispute"
)

// Known returns the stored knowledge about documents; unknown ones are left out.
func (s *Store) Known(ctx context.Context, keys []Key) (known map[Key]*Known, err error) {
	known = map[Key]*Known{}
	wanted := make(map[Key]bool, len(keys))
	for _, k := range keys {
		wanted[k] = true
	}
	err = s.read(ctx, func(tx *registry.Tx, project int64) error {
		docs := map[int64]*Known{}
		if err := readDocs(tx, project, wanted, known, docs); err != nil || len(docs) == 0 {
			return err
		}
		if err := readCitations(tx, project, docs); err != nil {
			return err
		}
		return readVotes(tx, project, docs)
	})
	return known, err
}

// read runs a transaction over the rows of the project, unless the registry does not have it.
func (s *Store) read(ctx context.Context, do func(tx *registry.Tx, project int64) error) error {
	return s.DB.Read(ctx, func(tx *registry.Tx) error {
		p, err := project.At(tx, s.Identity)
		if registry.NoRows(err) {
			return nil
		}
		if err != nil {
			return err
		}
		return do(tx, p.ID)
	})
}

func readDocs(tx *registry.Tx, projectID int64, wanted map[Key]bool, known map[Key]*Known, docs map[int64]*Known) error {
	for row, err := range tx.Rows(`SELECT id, source, doc_key, checked_at FROM cited_docs WHERE project_id = ?`, projectID) {
		if err != nil {
			return err
		}
		var id int64
		var key Key
		var checked registry.Null[timestamp.Time]
		if err := row.Scan(&id, &key.Source, &key.Doc, &checked); err != nil {
			return err
		}
		if wanted[key] {
			known[key] = &Known{Right: map[Place]Right{}, CheckedAt: checked.V.Time}
			docs[id] = known[key]
		}
	}
	return nil
}

func readCitations(tx *registry.Tx, projectID int64, docs map[int64]*Known) error {
	for row, err := range tx.Rows(`SELECT c.doc_id, c.path, c.line, c.oid, MAX(c.surroundings), COUNT(v.id),
		COALESCE(SUM(CASE WHEN v.verdict IN ('valid', 'moved', 'renamed') THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN v.verdict = 'unverifiable' THEN 1 ELSE 0 END), 0)
		FROM cited_docs d JOIN citations c ON c.doc_id = d.id LEFT JOIN verifications v ON v.citation_id = c.id
		WHERE d.project_id = ? GROUP BY c.id, c.doc_id, c.path, c.line, c.oid`, projectID) {
		if err != nil {
			return err
		}
		var doc int64
		var at Place
		var known Right
		var all, right, unverifiable int
		if err := row.Scan(&doc, &at.Path, &at.Line, &known.Commit, &known.Surroundings, &all, &right, &unverifiable); err != nil {
			return err
		}
		k := docs[doc]
		if k == nil {
			continue
		}
		if known != (Right{}) {
			k.Right[at] = known
		}
		k.Checks += all - unverifiable
		k.Found += right
	}
	return nil
}

func readVotes(tx *registry.Tx, projectID int64, docs map[int64]*Known) error {
	for row, err := range tx.Rows(`SELECT o.doc_id, o.vote, o.note, o.content_hash, o.at, COALESCE(a.name, '')
		FROM cited_docs d JOIN votes o ON o.doc_id = d.id LEFT JOIN agents a ON a.id = o.agent_id
		WHERE d.project_id = ? ORDER BY o.id`, projectID) {
		if err != nil {
			return err
		}
		var doc int64
		var v Vote
		if err := row.Scan(&doc, &v.Vote, &v.Note, &v.Statement, &v.At, &v.Agent); err != nil {
			return err
		}
		if k := docs[doc]; k != nil {
			k.Votes = append(k.Votes, v)
		}
	}
	return nil
}
