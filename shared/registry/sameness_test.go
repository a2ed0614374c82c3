package registry_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// machine is a registry with a project that several machines share.
type machine struct {
	*testing.T
	db      *registry.DB
	project int64
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{T: t, db: registrytest.Open(t)}
	m.project = m.insert(`INSERT INTO projects (uid, name, remote, created_at, updated_at) VALUES ('p', 'p', 'example.com/p', '2026-11-25T10:00:00.000Z', '2026-11-25T10:00:00.000Z') RETURNING id`)
	return m
}

func (m *machine) insert(query string, args ...any) (id int64) {
	m.Helper()
	err := m.db.Write(m.Context(), registry.Everything, func(tx *registry.Tx) (err error) {
		id, err = tx.Insert(query, args...)
		return err
	})
	if err != nil {
		m.Fatalf("%s: %v", query, err)
	}
	return id
}

// memory stores a text under a key, with its earlier text, and a tag and a citation that have its uid as their names.
func (m *machine) memory(uid, key, content string, before ...string) int64 {
	m.Helper()
	id := m.insert(`INSERT INTO memories (uid, ref, project_id, type, key, key_key, content, content_hash, used_at, created_at, updated_at)
		VALUES (?, ?, ?, 'pattern', ?, ?, ?, ?, '2026-11-25T10:00:00.000Z', '2026-11-25T10:00:00.000Z', '2026-11-25T10:00:00.000Z') RETURNING id`, uid, "m-"+uid, m.project, key, key, content, content)
	for i, text := range before {
		m.insert(`INSERT INTO memory_history (memory_id, version, title, content, importance, confidence, changed_at) VALUES (?, ?, '', ?, 2, 1, '2026-11-25T10:00:00.000Z') RETURNING id`, id, i+1, text)
	}
	m.insert(`INSERT INTO memory_tags (memory_id, tag) VALUES (?, ?) RETURNING memory_id`, id, uid)
	m.insert(`INSERT INTO memory_citations (memory_id, position, path) VALUES (?, (SELECT LENGTH(?)), ?) RETURNING memory_id`, id, uid, uid+".go")
	return id
}

func (m *machine) item(uid, kind, ref, title, status string) int64 {
	m.Helper()
	id := m.insert(`INSERT INTO items (uid, project_id, kind, ref, ref_key, title, status, state, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, 'open', '2026-11-25T10:00:00.000Z', '2026-11-25T10:00:00.000Z') RETURNING id`, uid, m.project, kind, ref, ref, title, status)
	m.insert(`INSERT INTO item_history (item_id, at, field, new) VALUES (?, '2026-11-25T10:00:00.000Z', 'status', ?) RETURNING id`, id, status)
	return id
}

// ticket is an item with a ticket in a tracker and one criterion.
func (m *machine) ticket(uid, ref, remote, criterion string) {
	m.Helper()
	id := m.item(uid, "ticket", ref, "of "+uid, "todo")
	m.insert(`INSERT INTO tickets (item_id, project_id, provider, remote_id, status_category) VALUES (?, ?, 'linear', ?, 'todo') RETURNING item_id`, id, m.project, remote)
	m.insert(`INSERT INTO criteria (uid, ref, item_id, position, text, changed_at, created_at) VALUES (?, ?, ?, 1, ?, '2026-11-25T10:00:00.000Z', '2026-11-25T10:00:00.000Z') RETURNING id`, "c-"+uid, "AC-"+uid, id, criterion)
}

// merge merges another machine's registry twice, and returns the named rows.
func (m *machine) merge(from *machine) []string {
	m.Helper()
	file := from.db.Path()
	if registrytest.OnServer() { // whose rows move into a file
		file = filepath.Join(m.TempDir(), "moved.db")
		if _, err := registry.Move(m.Context(), from.db, registry.Options{Path: file}, func() error { return nil }); err != nil {
			m.Fatal(err)
		}
	}
	first, err := m.db.Merge(m.Context(), file)
	if err != nil {
		m.Fatal(err)
	}
	again, err := m.db.Merge(m.Context(), file)
	if err != nil {
		m.Fatal(err)
	}
	for i, c := range again {
		if c.Added != 0 || !cmp.Equal(c.Conflicts, first[i].Conflicts) || c.LeftOut != first[i].LeftOut {
			m.Errorf("the second merge: %+v after %+v", c, first[i])
		}
	}
	if report, err := m.db.Check(m.Context()); err != nil || len(report.Problems) > 0 {
		m.Errorf("after the merge: %v %v", report.Problems, err)
	}
	return registry.ConflictNames(first)
}

func (m *machine) rows(query string) (rows []string) {
	m.Helper()
	err := m.db.Read(m.Context(), func(tx *registry.Tx) (err error) {
		rows, err = registry.Collect(tx, registry.One[string], query)
		return err
	})
	if err != nil {
		m.Fatal(err)
	}
	return rows
}

func (m *machine) want(what, query string, want ...string) {
	m.Helper()
	if diff := cmp.Diff(append([]string{}, want...), m.rows(query)); diff != "" {
		m.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

const memories = `SELECT m.key || ': ' || m.content || ' before ' || COALESCE((SELECT string_agg(h.content, ',' ORDER BY h.content) FROM memory_history h WHERE h.memory_id = m.id), '-')
	|| ' tags ' || COALESCE((SELECT string_agg(t.tag, ',' ORDER BY t.tag) FROM memory_tags t WHERE t.memory_id = m.id), '-')
	|| ' cites ' || COALESCE((SELECT string_agg(c.path, ',' ORDER BY c.path) FROM memory_citations c WHERE c.memory_id = m.id), '-')
	FROM memories m ORDER BY m.key, m.content`

// Two machines know one key with different texts. Each keeps its own earlier text, tags and citations, and the text that is left out is
// named.
func TestMergeMixesNoMemories(t *testing.T) {
	t.Parallel()
	here, there := newMachine(t), newMachine(t)
	here.memory("one", "port", "Port is 9000")
	there.memory("three", "port", "Port is 8444", "Port is 8443")
	there.memory("other", "queue", "The queue is kafka")
	if diff := cmp.Diff([]string{`memories "port" (m-one here, m-three there)`}, here.merge(there)); diff != "" {
		t.Errorf("named (-want +got):\n%s", diff)
	}
	here.want("memories", memories,
		"port: Port is 9000 before - tags one cites one.go",
		"queue: The queue is kafka before - tags other cites other.go")
}

// Equal texts under one key are one memory. Its history on another machine is not merged.
func TestMergeJoinsMemoriesThatSayTheSame(t *testing.T) {
	t.Parallel()
	here, there := newMachine(t), newMachine(t)
	here.memory("one", "port", "Port is 9000")
	there.memory("three", "port", "Port is 9000", "Port is 8443")
	if got := here.merge(there); len(got) != 0 {
		t.Errorf("named: %v", got)
	}
	here.want("memories", memories, "port: Port is 9000 before - tags one,three cites one.go,three.go")
}

// A memory that was changed on both machines is a conflict. It is not reported when the other machine has an earlier version of ours,
// or ours is unchanged.
func TestMergeOfAMemoryChangedSince(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		here, there []string // the last is the present text
		named       int
		want        string
	}{
		"on both":      {[]string{"old", "ours"}, []string{"old", "theirs"}, 1, "k: ours before old tags one cites one.go"},
		"here":         {[]string{"old", "ours"}, []string{"old"}, 0, "k: ours before old tags one cites one.go"},
		"there":        {[]string{"old"}, []string{"older", "old", "theirs"}, 1, "k: old before - tags one cites one.go"},
		"there, alike": {[]string{"old"}, []string{"older", "old"}, 0, "k: old before older tags more,one cites one.go"},
	} {
		here, there := newMachine(t), newMachine(t)
		for m, texts := range map[*machine][]string{here: c.here, there: c.there} {
			last := len(texts) - 1
			m.memory("one", "k", texts[last], texts[:last]...)
		}
		there.insert(`INSERT INTO memory_tags (memory_id, tag) SELECT id, 'more' FROM memories RETURNING memory_id`)
		if got := here.merge(there); len(got) != c.named {
			t.Errorf("%s: named %v", name, got)
		}
		here.want(name, memories, c.want)
	}
}

// A memory whose successor is left out does not become valid again.
func TestMergeRevivesNoMemory(t *testing.T) {
	t.Parallel()
	here, there := newMachine(t), newMachine(t)
	here.memory("one", "port", "Port is 9000")
	now := there.memory("two", "port", "Port is 8444")
	there.insert(`UPDATE memories SET superseded_by = ? WHERE id = ? RETURNING id`, now, there.memory("was", "gate", "The gate is 1"))
	here.merge(there)
	here.want("memories", `SELECT content FROM memories ORDER BY content`, "Port is 9000")
}

// A task whose id another task has here is left out with its history and its claim. A task with equal content is the same, and its
// history here stays.
func TestMergeMixesNoTasks(t *testing.T) {
	t.Parallel()
	here, there := newMachine(t), newMachine(t)
	here.item("a", "task", "UAT-001", "Check the login", "pending")
	there.item("b", "task", "UAT-001", "Check the invoices", "completed")
	here.item("c", "task", "UAT-002", "Check the mails", "pending")
	alike := there.item("d", "task", "UAT-002", "Check the mails", "completed")
	agent := there.insert(`INSERT INTO agents (uid, name, name_key, registered_at, last_seen_at) VALUES ('ann', 'ann', 'ann', '2026-11-25T10:00:00.000Z', '2026-11-25T10:00:00.000Z') RETURNING id`)
	there.insert(`INSERT INTO leases (item_id, agent_id, epoch) VALUES (?, ?, 1) RETURNING item_id`, alike, agent)
	there.insert(`INSERT INTO items (uid, project_id, kind, ref, ref_key, title, status, state, parent_id, created_at, updated_at)
		SELECT 'e', project_id, 'task', 'UAT-003', 'uat-003', 'Below it', 'pending', 'open', id, '2026-11-25T10:00:00.000Z', '2026-11-25T10:00:00.000Z' FROM items WHERE uid = 'b' RETURNING id`)
	if diff := cmp.Diff([]string{`items "UAT-001" (UAT-001 here, UAT-001 there)`}, here.merge(there)); diff != "" {
		t.Errorf("named (-want +got):\n%s", diff)
	}
	here.want("items", `SELECT i.ref || ' ' || i.title || ' under ' || COALESCE(p.ref, '-') || ' was ' || COALESCE((SELECT string_agg(h.new, ',' ORDER BY h.new) FROM item_history h WHERE h.item_id = i.id), '-')
		FROM items i LEFT JOIN items p ON p.id = i.parent_id ORDER BY i.ref`,
		"UAT-001 Check the login under - was pending", "UAT-002 Check the mails under - was pending", "UAT-003 Below it under - was -")
	here.want("claims", `SELECT agent_id FROM leases`)
}

// A tracker's ticket is one ticket, whichever machine pulled it and whatever its key is now; so are its criteria. Another ticket with
// the same key is a different one.
func TestMergeKnowsTickets(t *testing.T) {
	t.Parallel()
	here, there := newMachine(t), newMachine(t)
	here.ticket("a", "SEM-1", "r1", "logs in")
	here.ticket("b", "SEM-2", "r2", "logs out")
	there.ticket("c", "SEM-1", "r1", "logs in")
	there.ticket("d", "TEAM-2", "r2", "logs out")
	there.insert(`INSERT INTO criteria (uid, ref, item_id, position, text, changed_at, created_at)
		SELECT 'more', 'AC-more', id, 2, 'logs in twice', '2026-11-25T10:00:00.000Z', '2026-11-25T10:00:00.000Z' FROM items WHERE uid = 'c' RETURNING id`)
	if got := here.merge(there); len(got) != 0 {
		t.Errorf("named: %v", got)
	}
	here.want("tickets", `SELECT i.ref || ' ' || (SELECT string_agg(c.text, ',' ORDER BY c.text) FROM criteria c WHERE c.item_id = i.id) FROM items i ORDER BY i.ref`,
		"SEM-1 logs in,logs in twice", "SEM-2 logs out")
	here.want("of trackers", `SELECT remote_id FROM tickets ORDER BY remote_id`, "r1", "r2")

	stranger := newMachine(t)
	stranger.ticket("x", "SEM-1", "another", "is blue")
	if got := here.merge(stranger); len(got) != 1 {
		t.Errorf("another ticket of that key: named %v", got)
	}
}

// Two sessions of one agent on two machines are different. The one that is open on the other machine is left out with its events, and a
// memory of it is kept without it.
func TestMergeMixesNoSessions(t *testing.T) {
	t.Parallel()
	here, there := newMachine(t), newMachine(t)
	for m, uid := range map[*machine]string{here: "ours", there: "theirs"} {
		session := m.insert(`INSERT INTO sessions (uid, ref, project_id, lane, status, started_at, last_event_at) VALUES (?, ?, ?, 'agent:ann', 'active', '2026-11-25T10:00:00.000Z', '2026-11-25T10:00:00.000Z') RETURNING id`, uid, "s-"+uid, m.project)
		m.insert(`INSERT INTO session_events (uid, session_id, type, content, created_at) VALUES (?, ?, 'decision', ?, '2026-11-25T10:00:00.000Z') RETURNING id`, "e-"+uid, session, "noted by "+uid)
		m.insert(`UPDATE memories SET source_session = ? WHERE id = ? RETURNING id`, session, m.memory(uid, uid, "learnt by "+uid))
	}
	if got := here.merge(there); len(got) != 1 {
		t.Errorf("named: %v", got)
	}
	here.want("events", `SELECT s.ref || ' ' || e.content FROM session_events e JOIN sessions s ON s.id = e.session_id`, "s-ours noted by ours")
	here.want("memories", `SELECT m.content || ' in ' || COALESCE(s.ref, '-') FROM memories m LEFT JOIN sessions s ON s.id = m.source_session ORDER BY m.content`,
		"learnt by ours in s-ours", "learnt by theirs in -")
}
