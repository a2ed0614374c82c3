package memory

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Find returns the current memory with an id, uid or key, ignoring case. kind is a type that narrows the search, or "". A key that several
// types have is a Validation fault that lists them. An id or uid is found in any project when projectID is 0.
func Find(tx *registry.Tx, projectID int64, idOrKey, kind string) (Memory, error) {
	found, err := matches(tx, projectID, idOrKey, kind, "m.archived_at IS NULL AND m.superseded_by IS NULL")
	if err != nil {
		return Memory{}, err
	}
	return one(tx, projectID, idOrKey, found)
}

// FindHidden is Find among archived or replaced memories, the latest hidden first.
func FindHidden(tx *registry.Tx, projectID int64, idOrKey, kind string) (Memory, error) {
	found, err := matches(tx, projectID, idOrKey, kind, "(m.archived_at IS NOT NULL OR m.superseded_by IS NOT NULL)")
	if err != nil {
		return Memory{}, err
	}
	for i, m := range found { // the same key may have been archived several times
		if i > 0 && m.Type != found[0].Type {
			return one(tx, projectID, idOrKey, found)
		}
	}
	return one(tx, projectID, idOrKey, found[:min(len(found), 1)])
}

func matches(tx *registry.Tx, projectID int64, idOrKey, kind, state string) ([]Memory, error) {
	idOrKey = strings.TrimSpace(idOrKey)
	if idOrKey == "" {
		return nil, fault.Validation("key", "no memory is named").WithHint("give its id or key")
	}
	if kind != "" {
		var err error
		if kind, err = checkType("memory_type", kind); err != nil {
			return nil, err
		}
	}
	var found []Memory
	for _, q := range []struct {
		where string
		args  []any
	}{
		{`m.ref = ?`, []any{text.Key(idOrKey)}},
		{`m.uid = ?`, []any{text.Key(idOrKey)}},
		{`m.key_key = ? AND m.project_id = ?`, []any{text.Key(idOrKey), projectID}},
	} {
		if kind != "" {
			q.where, q.args = q.where+` AND m.type = ?`, append(q.args, kind)
		}
		if projectID != 0 {
			q.where, q.args = q.where+` AND m.project_id = ?`, append(q.args, projectID)
		}
		some, err := registry.Collect(tx, scan, `SELECT `+columns+tables+`WHERE `+q.where+` AND `+state+` ORDER BY COALESCE(m.archived_at, '') DESC, m.id DESC LIMIT 20`, q.args...)
		if err != nil {
			return nil, err
		}
		if found = append(found, some...); len(found) > 0 {
			return found, nil
		}
	}
	return found, nil
}

func one(tx *registry.Tx, projectID int64, idOrKey string, found []Memory) (Memory, error) {
	switch len(found) {
	case 1:
		return found[0], found[0].complete(tx)
	case 0:
		return Memory{}, missing(tx, projectID, idOrKey)
	}
	names := mapped(found, func(m Memory) string { return fmt.Sprintf("%s (%s)", m.Type, m.ID) })
	return Memory{}, fault.Validation("memory_type", "the key %q names %d memories: %s", idOrKey, len(found), strings.Join(names, ", ")).
		WithHint("give the memory type or an id")
}

// missing returns the fault for an unknown name, with what comes close: a key, or a hidden memory.
func missing(tx *registry.Tx, projectID int64, idOrKey string) error {
	f := fault.NotFound("memory", idOrKey)
	hidden, err := registry.Collect(tx, registry.One[string],
		`SELECT ref FROM memories WHERE (key_key = ? OR ref = ?) AND (? = 0 OR project_id = ?) AND NOT (`+live+`) ORDER BY id DESC LIMIT 1`,
		text.Key(idOrKey), text.Key(idOrKey), projectID, projectID)
	if err != nil {
		return err
	}
	if len(hidden) == 1 {
		return f.WithHint("it was archived or replaced: memoryd restore %s brings it back", hidden[0])
	}
	keys, err := registry.Collect(tx, registry.One[string],
		`SELECT key FROM memories WHERE project_id = ? AND `+live+` ORDER BY importance DESC, updated_at DESC, id DESC LIMIT 1000`, projectID)
	if err != nil {
		return err
	}
	if near := text.Nearest(idOrKey, keys); near != "" {
		return f.WithHint("did you mean %q?", near)
	}
	return f.WithHint("`memoryd recall` finds it by what it says")
}

// Target is one memory of a project, with the agent who asks.
type Target struct {
	ProjectID int64
	Key       string // id, uid or key
	Type      string // narrows a key; "" any
	Agent     string // name or id of the agent; "" when no one is named
}

// by registers the agent of a write.
func (t Target) by(tx *registry.Tx) (int64, error) {
	if t.Agent == "" {
		return 0, nil
	}
	a, err := agent.Caller(tx, t.Agent)
	return a.ID, err
}

// Get returns a memory with its body, which counts as an access, and on request its former versions. An id also finds archived and replaced
// memories, and those of other projects.
func (s *Store) Get(ctx context.Context, by Reader, idOrKey, kind string, history bool) (m Memory, before []Version, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		projectID := int64(0)
		if by.Place != nil {
			if projectID, err = by.find(tx); err != nil {
				return err
			}
			projectID = max(projectID, 0)
		}
		m, err = Target{ProjectID: projectID, Key: idOrKey, Type: kind}.find(tx, strings.HasPrefix(text.Key(idOrKey), "m-"))
		if err != nil || !history {
			return err
		}
		before, err = History(tx, m.RowID)
		return err
	})
	if err != nil {
		return m, before, err
	}
	if err := s.accessed(ctx, by.Agent, []int64{m.RowID}, []int64{m.ProjectID}); err != nil {
		return m, before, err
	}
	m.AccessCount++ // this access
	m.Expired = m.expired(time.Now())
	return m, before, nil
}

// Look returns a memory without counting an access; hidden also finds an archived
// one.
func (s *Store) Look(ctx context.Context, t Target, hidden bool) (Memory, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (Memory, error) { return t.find(tx, hidden) })
}

func (t Target) find(tx *registry.Tx, hidden bool) (Memory, error) {
	m, err := Find(tx, t.ProjectID, t.Key, t.Type)
	if hidden && fault.Is(err, fault.KindNotFound) {
		if found, errHidden := FindHidden(tx, t.ProjectID, t.Key, t.Type); errHidden == nil {
			return found, nil
		}
	}
	return m, err
}

// Access counts uses of memories: shown with their body, fetched by key, confirmed or cited.
func Access(tx *registry.Tx, ids []int64) error {
	times := map[int64]int{}
	for _, id := range ids {
		times[id]++
	}
	alike := map[int][]int64{} // most are used once
	for id, n := range times {
		alike[n] = append(alike[n], id)
	}
	for n, ids := range alike {
		marks, args := many(ids)
		if err := tx.Do(`UPDATE memories SET used_count = used_count + ?, used_at = ? WHERE id IN `+marks,
			append([]any{n, tx.Stamp()}, args...)...); err != nil {
			return err
		}
	}
	return nil
}

// accessed counts accesses to memories of the given projects, and notes that the reading agent is alive.
func (s *Store) accessed(ctx context.Context, by string, ids, projects []int64) error {
	if s.Used != nil && len(ids) > 0 {
		s.Used(ids)
		ids = nil
	}
	if len(ids) == 0 && by == "" {
		return nil
	}
	return s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		for _, id := range projects {
			if err := tx.In(id); err != nil {
				return err
			}
		}
		if by != "" {
			if _, err := agent.Caller(tx, by); err != nil {
				return err
			}
		}
		return Access(tx, ids)
	})
}
