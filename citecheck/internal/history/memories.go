package history

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/project"
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
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		p, err := project.At(tx, s.Identity)
		if registry.NoRows(err) {
			return nil
		} else if err != nil {
			return err
		}
		at := map[int64]int{}
		memories = nil
		for row, err := range tx.Rows(`SELECT t.id, t.uid, t.ref, COALESCE(t.key, ''), COALESCE(t.title, ''), SUBSTR(t.content, 1, 200), t.content_hash,
				s.path, COALESCE(s.line, 0), COALESCE(s.snippet, ''), COALESCE(s.oid, ''), COALESCE(s.surroundings, '')
			FROM memory_texts t LEFT JOIN memory_sources s ON s.memory_id = t.id WHERE t.project_id = ? ORDER BY t.id, s.position`, p.ID) {
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
				m.Title = titleOf(begin)
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

// titleOf returns the title of a memory without one: its first line.
func titleOf(content string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(content), "\n")
	return text.Cut(line, maxTitle)
}
