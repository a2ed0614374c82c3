package history

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Memory is one memory of the registry that is neither archived nor superseded, with its citations.
type Memory struct {
	UID, Ref  string
	Name      string // its key, "" when it has none
	Title     string // else the beginning of its text
	Hash      string
	Citations []Cited
}

// Cited is a citation as memoryd stored it, with the commit of that time and the surroundings of the line.
type Cited struct {
	Place
	Snippet      string
	Commit       string
	Surroundings string
}

// Memories returns the project's memories of the registry, with citations or without.
func (s *Store) Memories(ctx context.Context) (memories []Memory, err error) {
	err = s.read(ctx, func(tx *registry.Tx, project int64) error {
		at := map[int64]int{}
		memories = nil
		for row, err := range tx.Rows(`SELECT t.id, t.uid, t.ref, COALESCE(t.key, ''), COALESCE(t.title, ''), SUBSTR(t.content, 1, 200), t.content_hash,
				s.path, COALESCE(s.line, 0), COALESCE(s.snippet, ''), COALESCE(s.oid, ''), COALESCE(s.surroundings, '')
			FROM memory_texts t LEFT JOIN memory_sources s ON s.memory_id = t.id WHERE t.project_id = ? ORDER BY t.id, s.position`, project) {
			if err != nil {
				return err
			}
			var id int64
			var m Memory
			var c Cited
			var begin string
			var path registry.Null[string]
			if err := row.Scan(&id, &m.UID, &m.Ref, &m.Name, &m.Title, &begin, &m.Hash, &path, &c.Line, &c.Snippet, &c.Commit, &c.Surroundings); err != nil {
				return err
			}
			if c.Path = path.V; m.Title == "" {
				first, _, _ := strings.Cut(strings.TrimSpace(begin), "\n")
				m.Title = text.Cut(first, maxTitle)
			}
			i, seen := at[id]
			if !seen {
				i = len(memories)
				at[id] = i
				memories = append(memories, m)
			}
			if path.Valid {
				memories[i].Citations = append(memories[i].Citations, c)
			}
		}
		return nil
	})
	return memories, err
}

// maxTitle bounds a title made of a text, in bytes.
const maxTitle = 80

// Texts returns the texts of memories of the registry by their uid, only one with a uid. Archived and superseded memories are left out.
func (s *Store) Texts(ctx context.Context, uid string) (texts map[string]string, err error) {
	err = s.read(ctx, func(tx *registry.Tx, project int64) error {
		texts = map[string]string{}
		query, args := `SELECT uid, content FROM memory_texts WHERE project_id = ?`, []any{project}
		if uid != "" {
			query, args = query+` AND uid = ?`, append(args, uid)
		}
		for row, err := range tx.Rows(query, args...) {
			if err != nil {
				return err
			}
			var uid, content string
			if err := row.Scan(&uid, &content); err != nil {
				return err
			}
			texts[uid] = content
		}
		return nil
	})
	return texts, err
}
