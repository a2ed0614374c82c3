package overview_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

func (f *fixture) pages() *overview.Pages {
	return &overview.Pages{DB: f.DB, Tasks: f.tasks, Graph: &graph.Store{DB: f.DB, Tasks: f.tasks, StaleAfter: 5 * time.Minute},
		Worktrees: f.Worktrees, Home: f.t.TempDir(), DecayThreshold: 30}
}

// exec writes rows of other binaries' tables, for which agit has no package.
func (f *fixture) exec(statements ...string) {
	f.t.Helper()
	worktreetest.Must(f.t, f.DB.Write(f.t.Context(), registry.Everything, func(tx *registry.Tx) error {
		for _, s := range statements {
			if _, err := tx.Exec(s); err != nil {
				return err
			}
		}
		return nil
	}))
}

func TestPlan(t *testing.T) {
	f := setUp(t)
	p := f.pages()
	first := f.task("Log in")
	projects, err := p.Projects(t.Context())
	worktreetest.Must(t, err)
	alone, err := p.Plan(t.Context(), projects[0].ID, overview.Filter{})
	worktreetest.Must(t, err)
	if len(alone.Nodes)+len(alone.Critical) > 0 {
		t.Errorf("one task that waits for nothing is drawn: %+v", alone)
	}
	second := f.task("Log out", first.ID)
	done := f.task("Upload")
	_, err = f.tasks.Claim(t.Context(), done.ID, "cyd")
	worktreetest.Must(t, err)
	_, err = f.tasks.Report(t.Context(), task.Report{Caller: task.Caller{Agent: "cyd"}, ID: done.ID, Status: task.Completed})
	worktreetest.Must(t, err)
	for _, project := range []string{"", projects[0].ID} {
		plan, err := p.Plan(t.Context(), project, overview.Filter{})
		worktreetest.Must(t, err)
		critical := project != ""
		if diff := cmp.Diff([]overview.PlanNode{
			{ID: first.ID, Kind: "task", Name: "Log in", State: "ready", Critical: critical}, {ID: second.ID, Kind: "task", Name: "Log out", State: "waits", Critical: critical},
		}, plan.Nodes); diff != "" { // the third task stands alone
			t.Error(diff)
		}
		if diff := cmp.Diff([][2]string{{first.ID, second.ID}}, plan.Edges); diff != "" {
			t.Error(diff)
		}
		steps := []overview.PlanStep{{ID: first.ID, Name: "Log in", State: "ready"}, {ID: second.ID, Name: "Log out", State: "waits"}}
		if diff := cmp.Diff(steps, plan.Critical); critical && diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]overview.PlanWait{{PlanStep: steps[1], On: []string{first.ID}}}, plan.Waiting); diff != "" {
			t.Error(diff)
		}
	}
	detail, err := p.Task(t.Context(), second.ID)
	worktreetest.Must(t, err)
	if detail.Why.Ready || len(detail.Why.Reasons) != 1 || detail.ClaimToken != 0 {
		t.Errorf("%+v", detail)
	}
	_, err = f.tasks.Claim(t.Context(), first.ID, "cyd")
	worktreetest.Must(t, err)
	_, err = f.tasks.Report(t.Context(), task.Report{Caller: task.Caller{Agent: "cyd"}, ID: first.ID, Status: task.Completed})
	worktreetest.Must(t, err)
	for _, done := range []bool{false, true} {
		plan, err := p.Plan(t.Context(), projects[0].ID, overview.Filter{Done: done})
		worktreetest.Must(t, err)
		nodes, folded := 1, 1
		if done {
			nodes, folded = 2, 0
		}
		if len(plan.Nodes) != nodes || plan.Folded != folded || len(plan.Edges) != nodes-1 || len(plan.Waiting) != 0 {
			t.Errorf("with what is done, %t, it is %+v", done, plan)
		}
	}
}

func TestDifference(t *testing.T) {
	f := setUp(t)
	w := f.spawn("ann", "Log in")
	f.Tree(w).Commit("Log in", "login.go", "one\ntwo\n")
	f.Tree(w).Write("login.go", "one\n2\nthree\n")
	f.Tree(w).Write("new file.txt", "fresh\n")
	f.Tree(w).Write("bin", "a\x00b")
	worktreetest.Must(t, os.Symlink("/etc/passwd", filepath.Join(w.Path, "link")))
	d, err := f.pages().Worktree(t.Context(), w.Ref)
	worktreetest.Must(t, err)
	if d.Problem != "" {
		t.Fatal(d.Problem)
	}
	changes := map[string]string{}
	for _, file := range d.Difference.Files {
		changes[file.Path] = file.Change
		if file.Path == "link" && len(file.Hunks) > 0 {
			t.Errorf("a link was followed: %v", file.Hunks)
		}
		if file.Path == "login.go" && (file.Added != 3 || file.Removed != 0) {
			t.Errorf("%+v", file)
		}
	}
	if diff := cmp.Diff(map[string]string{"login.go": "added", "new file.txt": "untracked", "bin": "untracked", "link": "untracked"}, changes); diff != "" {
		t.Error(diff)
	}
	worktreetest.Must(t, os.RemoveAll(w.Path))
	if d, err := f.pages().Worktree(t.Context(), w.Ref); err != nil || !strings.Contains(d.Problem, "agit doctor") || d.Difference.Files == nil {
		t.Errorf("a worktree without its folder: %v, %+v", err, d)
	}
}

// A worktree of another machine is looked for neither in the repository of the same name here nor in its folder.
func TestWorktreeElsewhere(t *testing.T) {
	f := setUp(t)
	now := "'" + timestamp.Format(time.Now()) + "'"
	f.exec(
		`INSERT INTO repos (id, uid, project_id, name, name_key, host, path, common_dir, default_branch, created_at, updated_at)
			SELECT 9, 'r9', project_id, name, name_key, 'laptop', '/far', '/far/.git', 'main', `+now+`, `+now+` FROM repos WHERE name = 'app'`,
		`INSERT INTO worktrees (id, uid, ref, repo_id, host, path, branch, status, created_at, updated_at) VALUES (9, 'w9', 'w-9', 9, 'laptop', '/far/w', 'b', 'active', `+now+`, `+now+`)`,
	)
	d, err := f.pages().Worktree(t.Context(), "w-9")
	if err != nil || !strings.Contains(d.Problem, `is on machine "laptop"`) || d.Difference.Files == nil {
		t.Errorf("%v, %+v", err, d)
	}
}

func TestWhatOthersKeep(t *testing.T) {
	f := setUp(t)
	f.task("Log in")
	f.spawn("ann", "x")
	now := "'" + timestamp.Format(time.Now()) + "'" // a timeline shows the last month
	f.exec(
		`INSERT INTO sessions (id, uid, ref, project_id, agent_id, lane, status, started_at, last_event_at, ended_at, summary, outcome)
			SELECT 1, 's1', 's-1', p.id, a.id, 'ann', 'completed', `+now+`, `+now+`, `+now+`, 'did it', 'success' FROM projects p, agents a WHERE a.name = 'ann'`,
		`INSERT INTO memories (id, uid, ref, project_id, type, key, key_key, title, content, content_hash, importance, used_at, created_at, updated_at)
			SELECT 1, 'm1', 'm-1', id, 'decision', 'utc', 'utc', 'Dates are UTC', 'all of them', 'h', 3, `+now+`, `+now+`, `+now+` FROM projects`,
		`INSERT INTO memory_citations (memory_id, position, path, line) VALUES (1, 0, 'time.go', 12), (1, 1, 'zone.go', 1)`,
		`INSERT INTO cited_docs (id, uid, project_id, source, doc_key, content_hash, confidence, state) SELECT 1, 'd1', id, 'registry', 'm1', 'h', 0.5, 'stale' FROM projects`,
		`INSERT INTO citations (id, doc_id, path, line) VALUES (1, 1, 'time.go', 12)`,
		`INSERT INTO verifications (citation_id, verdict, found_path, found_line, at) VALUES (1, 'moved', 'clock.go', 3, `+now+`)`,
		`INSERT INTO sprints (id, uid, project_id, provider, remote_id, name, name_key, status, goal, created_at, updated_at)
			SELECT 1, 'sp1', id, 'local', 'sp1', 'Week 47', 'week 47', 'active', 'ship', `+now+`, `+now+` FROM projects`,
		`INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, status, state, created_at, updated_at)
			SELECT 900, 'i900', id, 'ticket', 'APP-7', 'app-7', 'Links expire', 'Doing', 'active', `+now+`, `+now+` FROM projects`,
		`INSERT INTO tickets (item_id, project_id, provider, remote_id, status_category, sprint_id, url) SELECT 900, id, 'local', 'r7', 'in_progress', 1, 'https://x.example/7' FROM projects`,
		`INSERT INTO criteria (uid, ref, item_id, position, text, status, changed_at, created_at) VALUES ('c1', 'ac-1', 900, 1, 'after a day', 'verified', `+now+`, `+now+`)`,
		`INSERT INTO agent_scores (agent_id, sp, xp_tenths, cs, commits, bugs, halted, updated_at) SELECT id, 3, 25, 2, 4, 1, 1, `+now+` FROM agents WHERE name = 'ann'`,
		`INSERT INTO score_events (uid, agent_id, kind, d_sp, oid, at) SELECT 'e1', id, 'commit', 1, '0123456789', `+now+` FROM agents WHERE name = 'ann'`,
	)
	p := f.pages()
	projects, err := p.Projects(t.Context())
	worktreetest.Must(t, err)
	for _, project := range []string{"", projects[0].ID} {
		sessions, err := p.Sessions(t.Context(), project, overview.Filter{Span: "month"})
		worktreetest.Must(t, err)
		if sessions.Count != 1 || len(sessions.Sessions) != 1 || sessions.Sessions[0].Agent != "ann" || sessions.Sessions[0].EndedAt == nil {
			t.Errorf("sessions: %+v", sessions)
		}
		shelf, err := p.Memories(t.Context(), project, overview.Filter{})
		worktreetest.Must(t, err)
		if len(shelf.Memories) != 1 || shelf.Memories[0].State != "stale" || shelf.Memories[0].Citations != 2 || shelf.Memories[0].Broken != 1 {
			t.Errorf("memories: %+v", shelf)
		}
		if diff := cmp.Diff(map[string]int{"moved": 1, "unchecked": 1}, shelf.Verdicts); diff != "" {
			t.Error(diff)
		}
		backlog, err := p.Sprint(t.Context(), project, overview.Filter{})
		worktreetest.Must(t, err)
		if len(backlog.Sprints) != 1 || len(backlog.Tickets) != 1 || backlog.Tickets[0].Sprint != 1 || len(backlog.Tickets[0].Criteria) != 1 {
			t.Errorf("sprint: %+v", backlog)
		}
	}
	m, err := p.Memory(t.Context(), "m-1")
	worktreetest.Must(t, err)
	if len(m.Cited) != 2 || m.Cited[0].Found != "clock.go:3" || m.Cited[1].Verdict != "unchecked" || m.Broken != 1 {
		t.Errorf("memory: %+v", m)
	}
	r, err := p.Record(t.Context(), "ann")
	worktreetest.Must(t, err)
	if !r.Halted || r.XP != 2.5 || len(r.Events) != 1 || r.Events[0].Commit != "0123456" {
		t.Errorf("record: %+v", r)
	}
	if all, err := p.Records(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("records: %v %v", all, err)
	}
	for _, missing := range []func() error{
		func() error { _, err := p.Memory(t.Context(), "m-0"); return err },
		func() error { _, err := p.Record(t.Context(), "zoe"); return err },
		func() error { _, err := p.Plan(t.Context(), "nowhere", overview.Filter{}); return err },
	} {
		if missing() == nil {
			t.Error("what is not there was found")
		}
	}
}

// Rows that do not fit are counted, also by sprint, and a filter searches all of them.
func TestLongTimelineAndBacklog(t *testing.T) {
	f := setUp(t)
	f.spawn("ann", "x")
	at := func(age time.Duration) string { return "'" + timestamp.Format(time.Now().Add(-age)) + "'" }
	f.exec(`INSERT INTO sprints (id, uid, project_id, provider, remote_id, name, name_key, status, created_at, updated_at)
		SELECT 1, 'sp1', id, 'local', 'sp1', 'Week 47', 'week 47', 'active', ` + at(0) + `, ` + at(0) + ` FROM projects`)
	for i, age := range []time.Duration{0, time.Hour, 2 * time.Hour, 50 * time.Hour} {
		n := strconv.Itoa(i)
		f.exec(`INSERT INTO sessions (uid, ref, project_id, agent_id, lane, status, started_at, last_event_at, ended_at, summary)
				SELECT 's`+n+`', 's-`+n+`', p.id, a.id, 'ann', 'completed', `+at(age)+`, `+at(age)+`, `+at(age)+`, 'part `+n+`' FROM projects p, agents a WHERE a.name = 'ann'`,
			`INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, status, state, created_at, updated_at)
				SELECT 90`+n+`, 'i`+n+`', id, 'ticket', 'APP-`+n+`', 'app-`+n+`', 'Part `+n+`', 'Doing', 'active', `+at(age)+`, `+at(age)+` FROM projects`,
			`INSERT INTO tickets (item_id, project_id, provider, remote_id, status_category, sprint_id) SELECT 90`+n+`, id, 'local', 'r`+n+`', 'in_progress', 1 FROM projects`)
	}
	p := f.pages()
	for _, tc := range []struct {
		f                            overview.Filter
		sessions, listed             int
		tickets, listedTickets, done int
	}{
		{overview.Filter{}, 3, 3, 4, 4, 4},
		{overview.Filter{Most: 2}, 3, 2, 4, 2, 4},
		{overview.Filter{Most: 1, Span: "week"}, 4, 1, 4, 1, 4},
		{overview.Filter{Most: 1, Words: "part 2"}, 1, 1, 1, 1, 4},
		{overview.Filter{Sprint: overview.NoSprint}, 3, 3, 0, 0, 4},
	} {
		line, err := p.Sessions(t.Context(), "", tc.f)
		worktreetest.Must(t, err)
		if line.Count != tc.sessions || len(line.Sessions) != tc.listed || line.Last == nil {
			t.Errorf("%+v: %d of %d sessions, want %d of %d", tc.f, len(line.Sessions), line.Count, tc.listed, tc.sessions)
		}
		backlog, err := p.Sprint(t.Context(), "", tc.f)
		worktreetest.Must(t, err)
		if counts := backlog.Sprints[0].Counts; backlog.Count != tc.tickets || len(backlog.Tickets) != tc.listedTickets || counts["in_progress"] != tc.done {
			t.Errorf("%+v: %d of %d tickets, want %d of %d; the sprint has %v", tc.f, len(backlog.Tickets), backlog.Count, tc.listedTickets, tc.tickets, counts)
		}
	}
}
