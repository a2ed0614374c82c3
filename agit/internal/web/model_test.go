package web

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// used is a model over the registry of a repository in which agents work.
type used struct {
	t     *testing.T
	s     *stores.Stores
	m     *model
	repo  *gittest.Repo
	trees map[string]worktree.Worktree // by agent
	masks *clitest.Masks
}

func (u *used) must(err error) {
	u.t.Helper()
	if err != nil {
		u.t.Fatal(err)
	}
}

func inUse(t *testing.T) *used {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the pages show paths of Unix")
	}
	gittest.Isolate()
	home := gittest.TempDir(t)
	u := &used{t: t, repo: gittest.New(t), trees: map[string]worktree.Worktree{}}
	streams, _, _, _ := term.Test()
	env := &cli.Env{Name: "agit-web", Streams: streams, Dir: home, UserHome: home, Environ: []string{"HOME=" + home}}
	t.Cleanup(func() {
		if db := env.OpenedRegistry(); db != nil {
			_ = db.Close()
		}
	})
	s, err := stores.Open(t.Context(), env, io.Discard)
	u.must(err)
	u.s, u.m = s, NewModel(s, land.Asker{}).(*model)
	u.masks = clitest.NewMasks(t, u.repo.Dir, "<repo>", home, "<home>")
	u.repo.Commit("first", "login.go", "1\n2\n3\n4\n5\n")
	_, err = s.AddRepo(t.Context(), repo.New{Path: u.repo.Dir, Name: "app"})
	u.must(err)
	_, err = s.Tasks.Create(t.Context(), []task.New{
		{Repo: "app", ID: "T-1", Text: "Log in", Priority: work.PriorityHigh}, {Repo: "app", ID: "T-2", Text: "Log out", DependsOn: []string{"T-1"}},
		{Repo: "app", ID: "T-3", Text: "Menu"}, {Repo: "app", ID: "T-4", Text: "Upload"}, {Repo: "app", ID: "T-5", Text: "Pay"}, {Repo: "app", ID: "T-6", Text: "Print"},
	})
	u.must(err)
	u.spawn("ann", "T-1")
	u.spawn("bob", "T-3")
	u.repo.At(u.trees["ann"].Path).Commit("Log in", "login.go", "one\n2\n3\n4\n5\n")
	u.repo.At(u.trees["bob"].Path).Write("login.go", "eins\n2\n3\n4\n5\n")
	u.repo.At(u.trees["bob"].Path).Write("new.txt", "new\n")
	_, err = s.Tasks.Claim(t.Context(), "T-4", "cyd")
	u.must(err)
	_, err = s.Tasks.Report(t.Context(), task.Report{Caller: task.Caller{Agent: "cyd"}, ID: "T-4", Status: task.Failed, Result: "no bucket\nat line 3"})
	u.must(err)
	_, err = s.Graph.ReportBug(t.Context(), graph.BugReport{ID: "BUG-1", Title: "Payment fails", Severity: "high", FoundBy: "cyd", FoundIn: "T-4", Blocks: []string{"T-5"}})
	u.must(err)
	u.fill()
	return u
}

func (u *used) spawn(name, id string) {
	u.t.Helper()
	w, err := u.s.Spawns.Spawn(u.t.Context(), spawn.Request{Repo: "app", Task: id, Agent: name})
	u.must(err)
	u.trees[name] = w
}

// ask puts ann's work up for review.
func (u *used) ask() review.Review {
	u.t.Helper()
	w, err := u.s.Worktrees.Get(u.t.Context(), "", u.trees["ann"].Ref)
	u.must(err)
	v, err := u.s.Reviews.Ask(u.t.Context(), review.Asked{Worktree: w, Tip: u.repo.At(w.Path).Head(), Onto: u.repo.Head(), Summary: "it logs in", Files: 1, Insertions: 1, Deletions: 1})
	u.must(err)
	return v
}

// fill adds what the suite's other programs keep.
func (u *used) fill() {
	u.t.Helper()
	at := func(age time.Duration) string { return "'" + timestamp.Format(time.Now().Add(-age)) + "'" }
	now, old := at(0), at(50*time.Hour)
	u.must(u.s.DB.Write(u.t.Context(), registry.Everything, func(tx *registry.Tx) error {
		for _, statement := range []string{
			`INSERT INTO sessions (id, uid, ref, project_id, agent_id, lane, status, started_at, last_event_at, ended_at, summary, outcome)
				SELECT 1, 's1', 's-1', p.id, a.id, 'ann', 'completed', ` + old + `, ` + old + `, ` + old + `, 'did it', 'success' FROM projects p, agents a WHERE a.name = 'ann'`,
			`INSERT INTO sessions (id, uid, ref, project_id, agent_id, lane, status, started_at, last_event_at, summary)
				SELECT 2, 's2', 's-2', p.id, a.id, 'bob', 'active', ` + at(time.Hour) + `, ` + now + `, '' FROM projects p, agents a WHERE a.name = 'bob'`,
			`INSERT INTO memories (id, uid, ref, project_id, type, key, key_key, title, content, content_hash, importance, used_at, created_at, updated_at)
				SELECT 1, 'm1', 'm-1', id, 'decision', 'utc', 'utc', 'Dates are UTC', 'all of them', 'h', 3, ` + now + `, ` + now + `, ` + now + ` FROM projects`,
			`INSERT INTO memory_citations (memory_id, position, path, line) VALUES (1, 0, 'time.go', 12)`,
			`INSERT INTO cited_docs (id, uid, project_id, source, doc_key, content_hash, confidence, state) SELECT 1, 'd1', id, 'registry', 'm1', 'h', 0.5, 'stale' FROM projects`,
			`INSERT INTO citations (id, doc_id, path, line) VALUES (1, 1, 'time.go', 12)`,
			`INSERT INTO verifications (citation_id, verdict, found_path, found_line, at) VALUES (1, 'moved', 'clock.go', 3, ` + now + `)`,
			`INSERT INTO sprints (id, uid, project_id, provider, remote_id, name, name_key, status, goal, created_at, updated_at)
				SELECT 1, 'sp1', id, 'local', 'sp1', 'Week 47', 'week 47', 'active', 'ship', ` + now + `, ` + now + ` FROM projects`,
			`INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, status, state, created_at, updated_at)
				SELECT 900, 'i900', id, 'ticket', 'APP-7', 'app-7', 'Links expire', 'Doing', 'active', ` + now + `, ` + now + ` FROM projects`,
			`INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, status, state, created_at, updated_at)
				SELECT 901, 'i901', id, 'ticket', 'APP-8', 'app-8', 'Links live', 'Done', 'done', ` + old + `, ` + old + ` FROM projects`,
			`INSERT INTO tickets (item_id, project_id, provider, remote_id, status_category, sprint_id, url) SELECT 900, id, 'local', 'r7', 'in_progress', 1, '' FROM projects`,
			`INSERT INTO tickets (item_id, project_id, provider, remote_id, status_category, url) SELECT 901, id, 'local', 'r8', 'done', '' FROM projects`,
			`INSERT INTO agent_scores (agent_id, sp, xp_tenths, cs, commits, bugs, halted, updated_at) SELECT id, 3, 25, 2, 4, 1, 1, ` + now + ` FROM agents WHERE name = 'ann'`,
		} {
			if _, err := tx.Exec(statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	}))
}

// Every view of a repository in use without scripts, as its tables.
func TestPaintedViews(t *testing.T) {
	t.Parallel()
	u := inUse(t)
	u.ask()
	var all strings.Builder
	for _, v := range views {
		p, err := u.m.Paint(t.Context(), v.Path, "")
		u.must(err)
		fmt.Fprintf(&all, "== %s: %s, unknown %t\n", v.Path, p.Headline, p.Unknown)
		for _, s := range p.Sections {
			fmt.Fprintf(&all, "-- %s %s | %s | %s\n", s.ID, s.Title, s.Note, strings.Join(s.Columns, " | "))
			for _, row := range s.Rows {
				all.WriteString(strings.Join(row, " | ") + "\n")
			}
		}
	}
	p, err := u.m.Paint(t.Context(), "/", "nothing")
	if !fault.Is(err, fault.KindNotFound) || p.Headline != "agit" || p.At == "" || len(p.Sections) > 0 {
		t.Errorf("a project that does not exist: %+v, %v", p, err)
	}
	clitest.Golden(t, filepath.Join("testdata", "views.txt"), u.masks.Apply(all.String()))
}

// Every document has its own type, and an unknown name has none.
func TestDocumentsByName(t *testing.T) {
	t.Parallel()
	u := inUse(t)
	got := map[string]string{}
	for view, id := range map[string]string{"state": "", "projects": "", "board": "", "plan": "", "timeline": "", "memories": "", "sprint": "", "records": "", "task": "T-1", "bug": "BUG-1",
		"worktree": u.trees["ann"].Ref, "logs": "ann", "memory": "m-1", "record": "ann"} {
		document, err := u.m.Document(t.Context(), Question{View: view, ID: id, Filter: overview.Filter{Words: "log"}})
		if err != nil {
			t.Errorf("%s: %v", view, err)
		}
		got[view] = reflect.TypeOf(document).String()
		text, err := json.Marshal(document)
		u.must(err)
		if one := map[string]string{"board": "Log in", "task": "Log in", "bug": "Payment fails", "memory": "Dates are UTC", "worktree": "login.go"}[view]; !strings.Contains(string(text), one) {
			t.Errorf("%s does not hold %q: %s", view, one, text)
		}
		if view == "board" && strings.Contains(string(text), "Menu") {
			t.Error("the filter is not for the board")
		}
	}
	if _, err := u.m.Document(t.Context(), Question{View: "nothing"}); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("nothing: %v", err)
	}
	seen := map[string]bool{}
	for _, kind := range got {
		seen[kind] = true
	}
	if len(seen) != len(got) {
		t.Errorf("two documents have one type: %v", got)
	}
	version, err := u.m.Since(t.Context(), "", "")
	if err != nil || version == "" {
		t.Errorf("since: %q, %v", version, err)
	}
	u.m.Rest()
	if _, err := u.m.Document(t.Context(), Question{View: "state"}); err != nil {
		t.Errorf("after a rest: %v", err)
	}
}

// The actions of the page, by their names, each with its answer or refusal and its effect.
func TestActionsChangeThings(t *testing.T) {
	t.Parallel()
	u := inUse(t)
	ctx := t.Context()
	var all strings.Builder
	act := func(a Action) {
		t.Helper()
		asked, err := json.Marshal(a)
		u.must(err)
		fmt.Fprintf(&all, "== %s\n", asked)
		done, err := u.m.Act(ctx, a)
		if err != nil {
			f := fault.From(err)
			fmt.Fprintf(&all, "%s: %s; %s\n", f.Kind, f.Message, f.Hint)
			return
		}
		answer, err := json.Marshal(done)
		u.must(err)
		fmt.Fprintf(&all, "%s\n", answer)
	}
	task := func(id string) {
		t.Helper()
		d, err := u.s.Tasks.Get(ctx, id)
		u.must(err)
		last := d.History[len(d.History)-1]
		fmt.Fprintf(&all, "-- %s %q is %s, %s, of %q: %+v\n", id, d.Name, d.Status, d.Priority, d.Agent, last)
	}
	shown := func(id string) overview.Task {
		t.Helper()
		s, err := u.m.state.State(ctx, "")
		u.must(err)
		at := slices.IndexFunc(s.Tasks.List, func(one overview.Task) bool { return one.ID == id })
		return s.Tasks.List[at]
	}
	ann, bob := u.trees["ann"], u.trees["bob"]

	act(Action{Do: "nothing"})
	act(Action{Do: "accept", Worktree: ann.Ref})
	v := u.ask()
	act(Action{Do: "accept", Worktree: ann.Ref, Commit: u.repo.Head()})
	act(Action{Do: "return", Worktree: ann.Ref, Commit: v.Tip})
	act(Action{Do: "return", Worktree: ann.Ref, Commit: v.Tip, Why: "a test is missing"})
	task("T-1")
	u.repo.At(ann.Path).Commit("Test it", "login_test.go", "1\n")
	v = u.ask()
	act(Action{Do: "accept", Repo: "app", Worktree: ann.Ref, Commit: v.Tip})
	task("T-1")
	fmt.Fprintf(&all, "-- main: %s\n", u.repo.Git("log", "-1", "--format=%s%n%b"))

	act(Action{Do: "merge", Repo: "app", Worktree: bob.Ref})
	act(Action{Do: "cleanup", Worktree: bob.Ref})
	act(Action{Do: "cleanup", Repo: "app", Worktree: bob.Ref, Confirmed: true})
	u.spawn("dan", "T-6")
	act(Action{Do: "cleanup", Repo: "app", Worktree: u.trees["dan"].Ref, Confirmed: true})
	held := shown("T-3")
	act(Action{Do: "release", Task: "T-3", Holder: "cyd", Stood: *held.Stood})
	act(Action{Do: "release", Task: "T-3", Holder: "bob", Stood: timestamp.Of(held.Stood.Add(-time.Hour))})
	act(Action{Do: "release", Task: "T-3", Holder: "bob", Stood: *held.Stood})
	task("T-3")
	act(Action{Do: "reopen", Task: "T-2"})
	act(Action{Do: "reopen", Task: "T-4", Stood: *shown("T-4").Stood})
	task("T-4")
	act(Action{Do: "edit", Task: "T-2"})
	act(Action{Do: "edit", Task: "T-2", Priority: "most"})
	act(Action{Do: "edit", Task: "T-2", Text: "Log out soon", Was: "Log off"})
	act(Action{Do: "edit", Task: "T-2", Text: "Log out soon\nand well", Was: "Log out", Priority: "low"})
	task("T-2")
	act(Action{Do: "edit", Task: "T-2", Priority: "high"})
	task("T-2")

	for _, do := range []string{"allow", "deny", "always"} {
		id := u.question("T-3", "bob")
		act(Action{Do: do, Question: id, Why: "because"})
		q, err := u.s.Asks.Get(ctx, id)
		u.must(err)
		fmt.Fprintf(&all, "-- %s, always %t, %s\n", q.State, q.Always, q.Why)
		act(Action{Do: do, Question: id})
	}
	act(Action{Do: "tell", Agent: "bob", Why: "leave the parser alone"})
	act(Action{Do: "interrupt", Agent: "bob", Why: "stop it"})
	act(Action{Do: "tell", Agent: "nothing", Why: "stop it"})
	act(Action{Do: "tell", Agent: "bob"})
	told, err := u.s.Messages.List(ctx)
	u.must(err)
	for _, m := range told {
		fmt.Fprintf(&all, "-- to %s at once %t: %s\n", m.Agent, m.AtOnce, m.Text)
	}

	u.m.asker = land.Asker{Agent: "ann"} // the page of an agent
	act(Action{Do: "tell", Agent: "bob", Why: "stop it"})
	act(Action{Do: "allow", Question: u.question("T-3", "bob")})
	act(Action{Do: "edit", Task: "T-5", Priority: "low"})
	task("T-5")
	clitest.Golden(t, filepath.Join("testdata", "actions.txt"), u.masks.Apply(all.String()))
}

// question lets an agent ask for a permission, and returns the id of the question.
func (u *used) question(id, name string) (ref string) {
	u.t.Helper()
	var n question.New
	u.must(u.s.DB.Read(u.t.Context(), func(tx *registry.Tx) error {
		item, err := work.Find(tx, work.KindTask, id)
		if err != nil {
			return err
		}
		a, err := agent.Get(tx, name)
		n = question.New{Project: item.ProjectID, Item: item.ID, Agent: a.ID, Call: "shell: make", Rules: []string{"shell(make)"}, Until: time.Now().Add(time.Hour)}
		return err
	}))
	ref, err := u.s.Asks.Ask(u.t.Context(), n)
	u.must(err)
	return ref
}
