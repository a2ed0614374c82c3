package memory

import (
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/registry"
)

// live is the condition of memories that stand: neither archived nor replaced.
const live = `archived_at IS NULL AND superseded_by IS NULL`

const columns = `m.id, m.uid, m.ref, m.project_id, p.uid, m.type, m.key, m.title, m.content, m.summary, m.context, m.thread,
	m.importance, m.confidence, m.version, m.used_at, m.used_count, m.expires_at, m.archived_at, m.archived_why,
	m.source_session, s.ref, a.name, n.ref, m.redactions, m.created_at, m.updated_at`

const tables = ` FROM memories m JOIN projects p ON p.id = m.project_id LEFT JOIN sessions s ON s.id = m.source_session
	LEFT JOIN agents a ON a.id = m.source_agent LEFT JOIN memories n ON n.id = m.superseded_by `

func scan(row registry.Scanner) (m Memory, err error) {
	var used, created, updated string
	var expires, archived, session, agent, next registry.Null[string]
	var sessionID registry.Null[int64]
	err = row.Scan(&m.RowID, &m.UID, &m.ID, &m.ProjectID, &m.Project, &m.Type, &m.Key, &m.Title, &m.Content, &m.Summary, &m.Context, &m.Thread,
		&m.Importance, &m.Confidence, &m.Version, &used, &m.AccessCount, &expires, &archived, &m.ArchivedWhy,
		&sessionID, &session, &agent, &next, &m.Redactions, &created, &updated)
	if err != nil {
		return m, err
	}
	m.SessionID, m.Session, m.Agent, m.Superseded = sessionID.V, session.V, agent.V, next.V
	if m.Session != "" && m.Thread == m.Session || strings.HasPrefix(m.Thread, episode) {
		m.Thread = "" // said already, or nobody's word
	}
	for _, t := range []struct {
		stored string
		into   *time.Time
	}{{used, &m.LastAccessed}, {created, &m.CreatedAt}, {updated, &m.UpdatedAt}} {
		if *t.into, err = registry.ParseTime(t.stored); err != nil {
			return m, err
		}
	}
	if m.ExpiresAt, err = optionalTime(expires); err != nil {
		return m, err
	}
	m.ArchivedAt, err = optionalTime(archived)
	return m, err
}

func optionalTime(s registry.Null[string]) (*time.Time, error) {
	if !s.Valid {
		return nil, nil
	}
	t, err := registry.ParseTime(s.V)
	return &t, err
}

func storedTime(t *time.Time) registry.Null[string] {
	if t == nil {
		return registry.Null[string]{}
	}
	return registry.Null[string]{V: registry.FormatTime(*t), Valid: true}
}

// ByRow gives the memory with this surrogate id, which its caller got from a row.
func ByRow(tx *registry.Tx, id int64) (Memory, error) {
	m, err := scan(tx.QueryRow(`SELECT `+columns+tables+`WHERE m.id = ?`, id))
	if err != nil {
		return m, err
	}
	return m, m.complete(tx)
}

// complete reads what stands in other tables.
func (m *Memory) complete(tx *registry.Tx) (err error) {
	if m.Tags, err = registry.Collect(tx, registry.One[string], `SELECT tag FROM memory_tags WHERE memory_id = ? ORDER BY tag`, m.RowID); err != nil {
		return err
	}
	if m.Items, err = registry.Collect(tx, registry.One[string],
		`SELECT ref FROM memory_items WHERE memory_id = ? ORDER BY ref_key`, m.RowID); err != nil {
		return err
	}
	m.Citations, err = citations(tx, m.RowID)
	if err != nil || len(m.Citations) == 0 {
		return err
	}
	return m.verdicts(tx)
}

// verdicts adds what was last found where the citations point.
func (m *Memory) verdicts(tx *registry.Tx) error {
	type place struct {
		path string
		line int
	}
	found := map[place]Citation{}
	_, err := registry.Collect(tx, func(row registry.Scanner) (struct{}, error) {
		var c Citation
		var path registry.Null[string]
		var line registry.Null[int64]
		err := row.Scan(&c.Path, &c.Line, &c.Verdict, &path, &line, &c.CheckedAt)
		c.FoundPath, c.FoundLine = path.V, int(line.V)
		found[place{c.Path, c.Line}] = c
		return struct{}{}, err
	}, `SELECT path, line, verdict, found_path, found_line, at FROM citation_verdicts WHERE project_id = ? AND memory_uid = ?`, m.ProjectID, m.UID)
	if err != nil {
		return err
	}
	for i := range m.Citations {
		c := &m.Citations[i]
		if v, ok := found[place{c.Path, c.Line}]; ok {
			c.Verdict, c.FoundPath, c.FoundLine, c.CheckedAt = v.Verdict, v.FoundPath, v.FoundLine, v.CheckedAt
		}
	}
	return nil
}

func citations(tx *registry.Tx, id int64) ([]Citation, error) {
	return registry.Collect(tx, func(row registry.Scanner) (c Citation, err error) {
		return c, row.Scan(&c.Path, &c.Line, &c.Snippet, &c.Commit)
	}, `SELECT path, line, snippet, oid FROM memory_citations WHERE memory_id = ? ORDER BY position`, id)
}

// Brief is the memory as lists show it.
func (m Memory) Brief() Brief {
	return Brief{RowID: m.RowID, ID: m.ID, Type: m.Type, Key: m.Key, Title: m.headline(), Importance: m.Importance,
		Confidence: m.Confidence, UpdatedAt: m.UpdatedAt}
}
