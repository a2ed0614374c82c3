package overview_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/view/distance"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// inUse fills a repository as agents, trackers and memoryd leave it.
func inUse(t *testing.T) *fixture {
	f := setUp(t)
	f.store = overview.New(overview.Options{DB: f.DB, Conflicts: &conflict.Store{DB: f.DB, CacheDir: t.TempDir()}, Meter: distance.Meter{Dir: t.TempDir()},
		StaleAfter: 5 * time.Minute, ReleaseAfter: 2 * time.Hour})
	create := func(n task.New) {
		n.Repo = f.Repo.Name
		_, err := f.tasks.Create(t.Context(), []task.New{n})
		worktreetest.Must(t, err)
	}
	create(task.New{ID: "T-1", Text: "Log in", Priority: work.PriorityHigh})
	create(task.New{ID: "T-2", Text: "Log out", DependsOn: []string{"T-1"}})
	create(task.New{ID: "T-3", Text: "Upload"})
	create(task.New{ID: "T-4", Text: "Download"})
	create(task.New{ID: "T-5", Text: "Delete"})
	for _, end := range [][2]string{{"T-3", task.Failed}, {"T-4", task.Completed}} {
		_, err := f.tasks.Claim(t.Context(), end[0], "cyd")
		worktreetest.Must(t, err)
		_, err = f.tasks.Report(t.Context(), task.Report{Caller: task.Caller{Agent: "cyd"}, ID: end[0], Status: end[1], Result: "no such bucket\nat line 3"})
		worktreetest.Must(t, err)
	}
	ann, bob, gone := f.spawn("ann", "T-1"), f.Spawn(spawn.Request{Repo: f.Repo.Name, Branch: "sso", Agent: "bob"}), f.Spawn(spawn.Request{Repo: f.Repo.Name, Branch: "gone", Agent: "dan"})
	f.Tree(ann).Commit("Log in", "login.go", "ann\n")
	f.Tree(ann).Write("notes.txt", "one\n")
	f.Tree(bob).Write("login.go", "bob\n")
	f.Tree(bob).Write("a.txt", "1\n2\n3\n4\nfive\n")
	f.Main.Commit("Main's", "main.go", "main\n")
	worktreetest.Must(t, os.RemoveAll(gone.Path))
	at := func(age time.Duration) string { return "'" + timestamp.Format(time.Now().Add(-age)) + "'" }
	now, old := at(0), at(50*time.Hour)
	f.exec(
		`UPDATE agents SET last_seen_at = '2001-01-01T00:00:00.000Z' WHERE name = 'cyd'`,
		`INSERT INTO sessions (id, uid, ref, project_id, agent_id, lane, status, started_at, last_event_at, ended_at, summary, outcome)
			SELECT 1, 's1', 's-1', p.id, a.id, 'ann', 'completed', `+old+`, `+old+`, `+old+`, 'did it', 'success' FROM projects p, agents a WHERE a.name = 'ann'`,
		`INSERT INTO sessions (id, uid, ref, project_id, agent_id, lane, status, started_at, last_event_at, summary)
			SELECT 2, 's2', 's-2', p.id, a.id, 'bob', 'active', `+at(time.Hour)+`, `+now+`, '' FROM projects p, agents a WHERE a.name = 'bob'`,
		`INSERT INTO memories (id, uid, ref, project_id, type, key, key_key, title, content, content_hash, importance, used_at, created_at, updated_at)
			SELECT 1, 'm1', 'm-1', id, 'decision', 'utc', 'utc', 'Dates are UTC', 'all of them', 'h', 3, `+now+`, `+now+`, `+now+` FROM projects`,
		`INSERT INTO memories (id, uid, ref, project_id, type, key, key_key, title, content, content_hash, importance, used_at, created_at, updated_at)
			SELECT 2, 'm2', 'm-2', id, 'warning', 'jitter', 'jitter', 'Retries need jitter', 'always', 'h2', 5, `+old+`, `+old+`, `+old+` FROM projects`,
		`INSERT INTO memory_citations (memory_id, position, path, line) VALUES (1, 0, 'time.go', 12), (1, 1, 'zone.go', 1), (2, 0, 'retry.go', 7)`,
		`INSERT INTO cited_docs (id, uid, project_id, source, doc_key, content_hash, confidence, state) SELECT 1, 'd1', id, 'registry', 'm1', 'h', 0.5, 'stale' FROM projects`,
		`INSERT INTO cited_docs (id, uid, project_id, source, doc_key, content_hash, confidence, state) SELECT 2, 'd2', id, 'registry', 'm2', 'h2', 1, 'valid' FROM projects`,
		`INSERT INTO citations (id, doc_id, path, line) VALUES (1, 1, 'time.go', 12), (2, 2, 'retry.go', 7)`,
		`INSERT INTO verifications (citation_id, verdict, found_path, found_line, at) VALUES (1, 'moved', 'clock.go', 3, `+now+`), (2, 'valid', 'retry.go', 7, `+now+`)`,
		`INSERT INTO sprints (id, uid, project_id, provider, remote_id, name, name_key, status, goal, created_at, updated_at)
			SELECT 1, 'sp1', id, 'local', 'sp1', 'Week 47', 'week 47', 'active', 'ship', `+now+`, `+now+` FROM projects`,
		`INSERT INTO sprints (id, uid, project_id, provider, remote_id, name, name_key, status, goal, created_at, updated_at)
			SELECT 2, 'sp2', id, 'local', 'sp2', 'Week 46', 'week 46', 'completed', '', `+old+`, `+old+` FROM projects`,
		`INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, status, state, created_at, updated_at)
			SELECT 900, 'i900', id, 'ticket', 'APP-7', 'app-7', 'Links expire', 'Doing', 'active', `+now+`, `+now+` FROM projects`,
		`INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, status, state, created_at, updated_at)
			SELECT 901, 'i901', id, 'ticket', 'APP-8', 'app-8', 'Links live', 'Done', 'done', `+old+`, `+old+` FROM projects`,
		`INSERT INTO tickets (item_id, project_id, provider, remote_id, status_category, sprint_id, url) SELECT 900, id, 'local', 'r7', 'in_progress', 1, 'https://x.example/7' FROM projects`,
		`INSERT INTO tickets (item_id, project_id, provider, remote_id, status_category, sprint_id, url) SELECT 901, id, 'local', 'r8', 'done', 2, '' FROM projects`,
		`INSERT INTO criteria (uid, ref, item_id, position, text, status, changed_at, created_at) VALUES ('c1', 'ac-1', 900, 1, 'after a day', 'verified', `+now+`, `+now+`), ('c2', 'ac-2', 900, 2, 'with a word', 'failed', `+now+`, `+now+`)`,
		`INSERT INTO agent_scores (agent_id, sp, xp_tenths, cs, commits, bugs, halted, updated_at) SELECT id, 3, 25, 2, 4, 1, 1, `+now+` FROM agents WHERE name = 'ann'`,
		`INSERT INTO agent_scores (agent_id, sp, xp_tenths, cs, commits, bugs, halted, updated_at) SELECT id, 5, 105, 0, 1, 0, 0, `+now+` FROM agents WHERE name = 'bob'`,
		`INSERT INTO score_events (uid, agent_id, kind, d_sp, oid, at) SELECT 'e1', id, 'commit', 1, '0123456789', `+now+` FROM agents WHERE name = 'ann'`,
	)
	return f
}

// The documents that screens show of a repository in use: its state, its status, and each page by each of its filters.
func TestDocuments(t *testing.T) {
	t.Parallel()
	f := inUse(t)
	p, ctx := f.pages(), t.Context()
	var all strings.Builder
	add := func(name string, document any, err error) {
		t.Helper()
		worktreetest.Must(t, err)
		text, err := json.MarshalIndent(document, "", " ")
		worktreetest.Must(t, err)
		all.WriteString("== " + name + "\n" + string(text) + "\n")
	}
	before, err := f.store.State(ctx, "")
	before.Version = "" // differs between processes
	add("state before a scan", before, err)
	state, err := f.store.Scanned(ctx, "")
	state.Version = ""
	add("state", state, err)
	status, err := f.store.Statuses(ctx, "", true)
	add("statuses", status, err)
	projects, err := p.Projects(ctx)
	add("projects", projects, err)
	for _, ref := range []string{state.Worktrees[0].Ref, state.Worktrees[1].Ref, state.Worktrees[2].Ref} {
		w, err := p.Worktree(ctx, ref)
		add("worktree "+ref, w, err)
	}
	for _, id := range []string{"T-1", "T-2", "T-3"} {
		d, err := p.Task(ctx, id)
		add("task "+id, d, err)
	}
	plan, err := p.Plan(ctx, projects[0].ID, overview.Filter{})
	add("plan", plan, err)
	for _, filter := range []overview.Filter{{}, {Done: true}, {Words: "log"}, {State: overview.TaskFailed}, {Most: 1}, {Epic: overview.NoEpic}, {Assignee: "ann"}, {Type: "warning"}, {Order: "used"}, {Order: "importance"},
		{Order: "decay"}, {State: "stale"}, {Span: "week"}, {Sprint: "1"}, {Sprint: overview.NoSprint}} {
		name, err := json.Marshal(filter)
		worktreetest.Must(t, err)
		board, err := p.Board(ctx, "", filter)
		add("board "+string(name), board, err)
		shelf, err := p.Memories(ctx, "", filter)
		add("memories "+string(name), shelf, err)
		line, err := p.Sessions(ctx, "", filter)
		add("sessions "+string(name), line, err)
		backlog, err := p.Sprint(ctx, "", filter)
		add("sprint "+string(name), backlog, err)
	}
	for _, id := range []string{"m-1", "m-2"} {
		m, err := p.Memory(ctx, id)
		add("memory "+id, m, err)
	}
	records, err := p.Records(ctx)
	add("records", records, err)
	for _, name := range []string{"ann", "bob"} {
		r, err := p.Record(ctx, name)
		add("record "+name, r, err)
	}
	masks := clitest.NewMasks(t, f.Repo.Path, "<repo>")
	clitest.Golden(t, filepath.Join("testdata", "documents.txt"), masks.Apply(all.String()))
}
