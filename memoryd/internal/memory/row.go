package memory

import (
	"maps"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// live is the condition for current memories: neither archived nor replaced.
const live = `archived_at IS NULL AND superseded_by IS NULL`

const columns = `m.id, m.uid, m.ref, m.project_id, p.uid, p.name, m.type, m.key, m.title, m.content, m.summary, m.context, m.thread,
	m.importance, m.confidence, m.version, m.used_at, m.used_count, m.expires_at, m.archived_at, m.archived_why,
	m.source_session, s.ref, a.name, n.ref, m.redactions, m.created_at, m.updated_at`

const tables = ` FROM memories m JOIN projects p ON p.id = m.project_id LEFT JOIN sessions s ON s.id = m.source_session
	LEFT JOIN agents a ON a.id = m.source_agent LEFT JOIN memories n ON n.id = m.superseded_by `

func scan(row registry.Scanner) (m Memory, err error) {
	var session, agent, next registry.Null[string]
	var sessionID registry.Null[int64]
	err = row.Scan(&m.RowID, &m.UID, &m.ID, &m.ProjectID, &m.Project, &m.ProjectName, &m.Type, &m.Key, &m.Title, &m.Content, &m.Summary, &m.Context, &m.Thread,
		&m.Importance, &m.Confidence, &m.Version, &m.LastAccessed, &m.AccessCount, &m.ExpiresAt, &m.ArchivedAt, &m.ArchivedWhy,
		&sessionID, &session, &agent, &next, &m.Redactions, &m.CreatedAt, &m.UpdatedAt)
	if err != nil {
		return m, err
	}
	m.SessionID, m.Session, m.Agent, m.Superseded = sessionID.V, session.V, agent.V, next.V
	if m.Session != "" && m.Thread == m.Session || isUnnamed(m.Thread) {
		m.Thread = "" // said already, or no one's word
	}
	return m, nil
}

func storedTime(t *timestamp.Time) registry.Null[string] {
	if t == nil {
		return registry.Null[string]{}
	}
	return registry.Null[string]{V: registry.FormatTime(t.Time), Valid: true}
}

// orNone returns an error, nil when it only means that there is no row.
func orNone(err error) error {
	if registry.NoRows(err) {
		return nil
	}
	return err
}

// ByRow returns the memory with a surrogate id that its caller read from a row.
func ByRow(tx *registry.Tx, id int64) (Memory, error) {
	m, err := scan(tx.QueryRow(`SELECT `+columns+tables+`WHERE m.id = ?`, id))
	if err != nil {
		return m, err
	}
	return m, m.complete(tx)
}

// fresh is ByRow for a memory that was just stored, whose citations cannot have been checked yet. bare means that it has no tags, items or
// citations.
func fresh(tx *registry.Tx, id int64, bare bool) (Memory, error) {
	m, err := scan(tx.QueryRow(`SELECT `+columns+tables+`WHERE m.id = ?`, id))
	if err != nil || bare {
		m.Tags, m.Items, m.Citations = []string{}, []string{}, []Citation{}
		return m, err
	}
	list := []Memory{m}
	_, err = related(tx, list)
	return list[0], err
}

// ByRows returns the memories with these surrogate ids by id, in two statements, or three when some have citations.
func ByRows(tx *registry.Tx, ids []int64) (map[int64]Memory, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := many(ids)
	var list []Memory
	parts := mapped(ids, func(id int64) Memory { return Memory{RowID: id} })
	err := tx.Together(
		func() (err error) {
			list, err = registry.Collect(tx, scan, `SELECT `+columns+tables+`WHERE m.id IN `+marks, args...)
			return err
		},
		func() error { return complete(tx, parts) },
	)
	if err != nil {
		return nil, err
	}
	of := make(map[int64]Memory, len(parts))
	for _, p := range parts {
		of[p.RowID] = p
	}
	all := make(map[int64]Memory, len(list))
	for _, m := range list {
		p := of[m.RowID]
		m.Tags, m.Items, m.Citations = p.Tags, p.Items, p.Citations
		all[m.RowID] = m
	}
	return all, nil
}

// complete reads what stands in other tables.
func (m *Memory) complete(tx *registry.Tx) error {
	list := []Memory{*m}
	err := complete(tx, list)
	*m = list[0]
	return err
}

// complete reads the parts of memories in other tables.
func complete(tx *registry.Tx, list []Memory) error {
	cited, err := related(tx, list)
	if err != nil || len(cited) == 0 {
		return err
	}
	return verdicts(tx, cited)
}

// related reads the tags, items and citations of memories, and returns the memories with citations.
func related(tx *registry.Tx, list []Memory) (cited map[int64]*Memory, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	cited = map[int64]*Memory{}
	at := make(map[int64]*Memory, len(list))
	ids := make([]int64, len(list))
	for i := range list {
		m := &list[i]
		at[m.RowID], ids[i] = m, m.RowID
		m.Tags, m.Items, m.Citations = []string{}, []string{}, []Citation{}
	}
	marks, args := many(ids)
	_, err = registry.Collect(tx, func(row registry.Scanner) (none struct{}, err error) {
		var id int64
		var what, name, sorted string
		var c Citation
		var position int
		if err := row.Scan(&id, &what, &name, &sorted, &position, &c.Line, &c.Snippet, &c.Commit); err != nil {
			return none, err
		}
		switch m := at[id]; what {
		case "tag":
			m.Tags = append(m.Tags, name)
		case "item":
			m.Items = append(m.Items, name)
		default:
			c.Path, cited[id] = name, m
			m.Citations = append(m.Citations, c)
		}
		return none, nil
	}, `SELECT memory_id, 'tag', tag, tag, 0, 0, '', '' FROM memory_tags WHERE memory_id IN `+marks+`
		UNION ALL SELECT memory_id, 'item', ref, ref_key, 0, 0, '', '' FROM memory_items WHERE memory_id IN `+marks+`
		UNION ALL SELECT memory_id, 'citation', path, '', position, line, snippet, oid FROM memory_citations WHERE memory_id IN `+marks+`
		ORDER BY 5, 4`, slices.Concat(args, args, args)...)
	return cited, err
}

// verdicts adds the last verdicts on the citations of memories.
func verdicts(tx *registry.Tx, at map[int64]*Memory) error {
	marks, args := many(slices.Sorted(maps.Keys(at)))
	_, err := registry.Collect(tx, func(row registry.Scanner) (none struct{}, err error) {
		var id int64
		var v Citation
		var path registry.Null[string]
		var line registry.Null[int64]
		if err := row.Scan(&id, &v.Path, &v.Line, &v.Verdict, &path, &line, &v.CheckedAt); err != nil {
			return none, err
		}
		for i := range at[id].Citations {
			if c := &at[id].Citations[i]; c.Path == v.Path && c.Line == v.Line {
				c.Verdict, c.FoundPath, c.FoundLine, c.CheckedAt = v.Verdict, path.V, int(line.V), v.CheckedAt
			}
		}
		return none, nil
	}, `SELECT m.id, v.path, v.line, v.verdict, v.found_path, v.found_line, v.at FROM memories m CROSS JOIN citation_verdicts v
		WHERE m.id IN `+marks+` AND v.project_id = m.project_id AND v.memory_uid = m.uid`, args...)
	return err
}

// Brief returns the memory as lists show it.
func (m Memory) Brief() Brief {
	return Brief{RowID: m.RowID, ID: m.ID, Type: m.Type, Key: m.Key, Title: m.headline(), Importance: m.Importance,
		Confidence: m.Confidence, UpdatedAt: m.UpdatedAt}
}

// many returns the marks and values of a list for `IN (…)`. Values are repeated up to a power of two, so that lists of similar length share
// one statement.
func many[T any](values []T) (marks string, args []any) {
	n := 4
	for n < len(values) {
		n *= 2
	}
	args = make([]any, n)
	for i := range args {
		if len(values) > 0 {
			args[i] = values[min(i, len(values)-1)]
		} // else NULL, which equals nothing
	}
	return `(?` + strings.Repeat(`, ?`, n-1) + `)`, args
}

// mapped returns what becomes of each element of a list.
func mapped[T, R any](list []T, of func(T) R) []R {
	out := make([]R, len(list))
	for i, one := range list {
		out[i] = of(one)
	}
	return out
}

// rowsAtOnce is how many rows one statement inserts.
const rowsAtOnce = 256

// insertRows inserts the rows that do not exist yet, all of one length; `INSERT … VALUES` precedes their values. Rows are repeated up to a
// power of two, so that lists of similar length share one statement.
func insertRows(tx *registry.Tx, into string, rows [][]any) error {
	for len(rows) > 0 {
		some := slices.Clone(rows[:min(len(rows), rowsAtOnce)])
		rows = rows[len(some):]
		n := 1
		for n < len(some) {
			n *= 2
		}
		for len(some) < n {
			some = append(some, some[0])
		}
		row := ` (?` + strings.Repeat(`, ?`, len(some[0])-1) + `)`
		if err := tx.Do(into+row+strings.Repeat(`,`+row, n-1)+` ON CONFLICT DO NOTHING`, slices.Concat(some...)...); err != nil {
			return err
		}
	}
	return nil
}

// insertEach is insertRows with a row for each element of a list.
func insertEach[T any](tx *registry.Tx, into string, list []T, row func(one T) []any) error {
	return insertRows(tx, into, mapped(list, row))
}

// folded returns names in the form in which they are compared.
func folded(names []string) []string {
	return mapped(names, func(name string) string { return text.Key(strings.TrimSpace(name)) })
}
