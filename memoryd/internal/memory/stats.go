package memory

import (
	"context"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Stats counts the contents of memoryd for a project, or for all.
type Stats struct {
	Memories       Counts `json:"memories"`
	Sessions       int    `json:"sessions"`
	Events         int    `json:"events"`
	Retrospectives int    `json:"retrospectives"`
	Activities     int    `json:"activities"`
	Commits        int    `json:"commits"`
	Grades         int    `json:"grades"`
}

// Counts counts memories; all fields but Archived and Superseded count current ones.
type Counts struct {
	Total        int            `json:"total"`
	ByType       map[string]int `json:"by_type"`
	ByImportance map[string]int `json:"by_importance"`
	Archived     int            `json:"archived"`
	Superseded   int            `json:"superseded"`
	Expired      int            `json:"expired"` // still to be archived by a decay
	Cited        int            `json:"with_citations"`
	Unused       int            `json:"never_used"`
	Redacted     int            `json:"redacted"`
	Versions     int            `json:"earlier_versions"`
}

// Stats counts; projectID 0 is every project.
func (s *Store) Stats(ctx context.Context, projectID int64) (Stats, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (Stats, error) { return stats(tx, projectID) })
}

func stats(tx *registry.Tx, projectID int64) (s Stats, err error) {
	s.Memories.ByType, s.Memories.ByImportance = map[string]int{}, map[string]int{}
	for _, kind := range Types() {
		s.Memories.ByType[kind] = 0
	}
	of := func(column string) string { return ` WHERE (? = 0 OR ` + column + ` = ?) ` }
	for _, by := range []struct {
		column string
		into   map[string]int
	}{{"type", s.Memories.ByType}, {"CAST(importance AS TEXT)", s.Memories.ByImportance}} {
		_, err := registry.Collect(tx, func(row registry.Scanner) (struct{}, error) {
			var name string
			var n int
			err := row.Scan(&name, &n)
			by.into[name] = n
			return struct{}{}, err
		}, `SELECT `+by.column+`, COUNT(*) FROM memories`+of("project_id")+`AND `+live+` GROUP BY 1`, projectID, projectID)
		if err != nil {
			return s, err
		}
	}
	const standing = ` AND m.archived_at IS NULL AND m.superseded_by IS NULL`
	memories := `SELECT COUNT(*) FROM memories m` + of("m.project_id")
	for _, c := range []struct {
		into  *int
		query string
		more  []any
	}{
		{&s.Memories.Total, memories + standing, nil},
		{&s.Memories.Archived, memories + `AND m.archived_at IS NOT NULL`, nil},
		{&s.Memories.Superseded, memories + `AND m.archived_at IS NULL AND m.superseded_by IS NOT NULL`, nil},
		{&s.Memories.Expired, memories + standing + ` AND m.expires_at <= ?`, []any{tx.Stamp()}},
		{&s.Memories.Unused, memories + standing + ` AND m.used_count = 0`, nil},
		{&s.Memories.Redacted, memories + standing + ` AND m.redactions > 0`, nil},
		{&s.Memories.Cited, memories + standing + ` AND EXISTS (SELECT 1 FROM memory_citations c WHERE c.memory_id = m.id)`, nil},
		{&s.Memories.Versions, `SELECT COUNT(*) FROM memory_history h JOIN memories m ON m.id = h.memory_id` + of("m.project_id"), nil},
		{&s.Sessions, `SELECT COUNT(*) FROM sessions` + of("project_id"), nil},
		{&s.Events, `SELECT COUNT(*) FROM session_events e JOIN sessions s ON s.id = e.session_id` + of("s.project_id"), nil},
		{&s.Retrospectives, `SELECT COUNT(*) FROM retrospectives` + of("project_id"), nil},
		{&s.Activities, `SELECT COUNT(*) FROM activities` + of("project_id"), nil},
		{&s.Commits, `SELECT COUNT(*) FROM commits` + of("project_id"), nil},
		{&s.Grades, `SELECT COUNT(*) FROM grades` + of("project_id"), nil},
	} {
		if *c.into, err = registry.One[int](tx.QueryRow(c.query, append([]any{projectID, projectID}, c.more...)...)); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Hidden is a memory that was archived or replaced, or has expired.
type Hidden struct {
	Brief
	At     timestamp.Time `json:"archived_at"`
	Reason string         `json:"archived_why"`
}

// archivedLimit bounds the list of memories that can be restored.
const archivedLimit = 1000

// Archived lists the memories that can be restored, the latest first; kind "" is every type.
func (s *Store) Archived(ctx context.Context, projectID int64, kind string) (found []Hidden, err error) {
	if kind != "" {
		if kind, err = checkType("memory_type", kind); err != nil {
			return nil, err
		}
	}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		all, err := registry.Collect(tx, scan, `SELECT `+columns+tables+`WHERE m.project_id = ? AND (? = '' OR m.type = ?)
			AND (m.archived_at IS NOT NULL OR m.superseded_by IS NOT NULL OR m.expires_at <= ?)
			ORDER BY COALESCE(m.archived_at, CASE WHEN m.superseded_by IS NULL THEN m.expires_at ELSE m.updated_at END) DESC, m.id DESC LIMIT ?`, projectID, kind, kind, tx.Stamp(), archivedLimit)
		if err != nil {
			return err
		}
		found = make([]Hidden, len(all))
		for i, m := range all {
			found[i] = Hidden{Brief: m.Brief(), At: m.UpdatedAt, Reason: m.ArchivedWhy}
			switch {
			case m.ArchivedAt != nil:
				found[i].At = *m.ArchivedAt
			case m.Superseded == "":
				found[i].At, found[i].Reason = *m.ExpiresAt, whyExpired
			}
			if m.Superseded != "" {
				found[i].Reason = "replaced by " + m.Superseded
			}
		}
		return nil
	})
	return found, err
}

// Keys lists the keys of a place's project, the most important first.
func (s *Store) Keys(ctx context.Context, place project.Place) ([]string, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) ([]string, error) {
		p, err := place.Find(tx)
		if err != nil {
			return nil, err
		}
		return registry.Collect(tx, registry.One[string],
			`SELECT key FROM memories WHERE project_id = ? AND `+live+` ORDER BY importance DESC, updated_at DESC, id DESC LIMIT 500`, p.ID)
	})
}
