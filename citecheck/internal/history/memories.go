package history

import (
	"context"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// Memory is one memory of the registry that stands, with its citations.
type Memory struct {
	UID, Ref, Title, Content string
	Hash                     string
	Citations                []Cited
}

// Cited is a citation as memoryd stored it, with the commit of that time.
type Cited struct {
	Place
	Snippet string
	Commit  string
}

// Memories gives the project's memories of the registry that carry citations.
func (s *Store) Memories(ctx context.Context) (memories []Memory, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		p, err := project.At(tx, s.Identity)
		if registry.NoRows(err) {
			return nil
		} else if err != nil {
			return err
		}
		at := map[int64]int{}
		rows, err := tx.Query(`SELECT t.id, t.uid, t.ref, t.title, t.content, t.content_hash, s.path, s.line, s.snippet, s.oid
			FROM memory_sources s JOIN memory_texts t ON t.id = s.memory_id WHERE s.project_id = ? ORDER BY t.id, s.position`, p.ID)
		if err != nil {
			return err
		}
		defer rows.Close()
		memories = nil
		for rows.Next() {
			var id int64
			var m Memory
			var c Cited
			if err := rows.Scan(&id, &m.UID, &m.Ref, &m.Title, &m.Content, &m.Hash, &c.Path, &c.Line, &c.Snippet, &c.Commit); err != nil {
				return err
			}
			i, seen := at[id]
			if !seen {
				i = len(memories)
				at[id] = i
				memories = append(memories, m)
			}
			memories[i].Citations = append(memories[i].Citations, c)
		}
		return rows.Err()
	})
	return memories, err
}
