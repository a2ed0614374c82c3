package forge

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}

// hub is a forge that keeps one pull request.
type hub struct {
	PullRequest
	open  *draft
	known bool // find returns it
	of    source
	err   error

	ran     results
	logs    map[string][]byte
	logErr  error
	words   []Comment
	merging string
}

func (h *hub) find(context.Context, string) (*PullRequest, error) {
	if h.err != nil || !h.known {
		return nil, h.err
	}
	return &h.PullRequest, nil
}

func (h *hub) create(_ context.Context, d draft) (PullRequest, error) {
	h.open, h.known = &d, true
	h.PullRequest = PullRequest{Number: 7, URL: "https://github.com/acme/app/pull/7", State: Open, Draft: d.Draft}
	return h.PullRequest, h.err
}

func (h *hub) view(context.Context, int64) (PullRequest, error) { return h.PullRequest, h.err }

func (h *hub) source(context.Context, int64) (PullRequest, source, error) {
	return h.PullRequest, h.of, h.err
}

// fixture is a repository whose remote origin is a folder that stands for github.com/acme/app, and a worktree of ann's for T-1.
type fixture struct {
	*worktreetest.Fixture
	t     *testing.T
	hub   *hub
	store *Store
	tasks *task.Store
	far   *gittest.Repo // what the remote has
	w     worktree.Worktree
	said  []string
}

func setUp(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{Fixture: worktreetest.New(t), t: t, hub: &hub{}}
	far := t.TempDir()
	f.Main.Git("init", "-q", "--bare", far)
	f.far = f.Main.At(far)
	f.Main.Git("remote", "add", "origin", "https://github.com/acme/app.git")
	f.Main.Git("config", "url."+far+".insteadOf", "https://github.com/acme/app.git")
	f.Main.Git("push", "-q", "origin", "main")
	f.tasks = &task.Store{DB: f.DB}
	f.Reopen(f.tasks)
	_, err := f.tasks.Create(t.Context(), []task.New{{ID: "T-1", Repo: "app", Text: "Log in\n\nWith a form, password=hunter2secret."}})
	worktreetest.Must(t, err)
	f.w = f.Spawn(spawn.Request{Task: "T-1", Agent: "ann"})
	f.store = &Store{Trees: f.Worktrees, Notice: func(s string) { f.said = append(f.said, s) }, instead: func(kind Kind, r remote) program {
		if kind != GitHub || r.Into != "github.com/acme/app" {
			t.Errorf("asked is %s for %s", kind, r.Into)
		}
		return f.hub
	}}
	return f
}

func (f *fixture) work(name string) { f.Tree(f.w).Commit("Add "+name, name, "package x\n") }

func (f *fixture) pushed() string {
	out, _ := f.far.TryGit("rev-parse", "--verify", "--quiet", "refs/heads/"+f.w.Branch)
	return out
}

// Open pushes the branch and proposes its commits and its task, without secrets; a second call brings the new commits.
func TestOpen(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	open := func(change func(*Request)) (Opened, error) {
		o := Request{Worktree: f.w.Ref}
		if change != nil {
			change(&o)
		}
		return f.store.Open(t.Context(), o)
	}
	if _, err := open(nil); !fault.Is(err, fault.KindConflict) || f.pushed() != "" {
		t.Fatalf("without commits: %v", err)
	}
	f.work("login.go")
	f.Tree(f.w).Write("draft.go", "package x\n")
	plan, err := open(func(o *Request) { o.DryRun = true })
	worktreetest.Must(t, err)
	if f.pushed() != "" || f.hub.open != nil || plan.Commits != 1 || plan.Uncommitted != 1 || plan.Title != "Log in" || strings.Contains(plan.Body, "hunter2secret") ||
		!strings.Contains(plan.Body, "- Add login.go\n") || !strings.Contains(plan.Body, "task T-1, agent ann") || !strings.Contains(plan.Body, "With a form") {
		t.Errorf("%+v", plan)
	}
	out, err := open(func(o *Request) { o.Draft = true })
	worktreetest.Must(t, err)
	if !out.New || out.Number != 7 || out.Target != "main" || !out.Draft || f.pushed() != f.Tree(f.w).Head() || len(f.said) != 1 {
		t.Errorf("%+v, told %q", out, f.said)
	}
	f.work("logout.go")
	again, err := open(nil)
	worktreetest.Must(t, err)
	if again.New || again.Commits != 2 || again.Body != "" || f.pushed() != f.Tree(f.w).Head() || again.ID != out.ID || again.OpenedAt != out.OpenedAt {
		t.Errorf("%+v", again)
	}
}

// Nothing at the remote is overwritten, unless the branch was rewritten here and the remote still is as it was last seen.
func TestPushIsRefused(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.work("login.go")
	_, err := f.store.Open(t.Context(), Request{Worktree: f.w.Ref})
	worktreetest.Must(t, err)
	tree := f.Tree(f.w)
	tree.Git("commit", "-q", "--amend", "-m", "Rewritten")
	seen := f.pushed()
	if _, err := f.store.Open(t.Context(), Request{Worktree: f.w.Ref}); !fault.Is(err, fault.KindConflict) || f.pushed() != seen {
		t.Fatalf("a branch that was rewritten: %v", err)
	}
	_, err = f.store.Open(t.Context(), Request{Worktree: f.w.Ref, Rewritten: true})
	worktreetest.Must(t, err)
	if f.pushed() != tree.Head() {
		t.Errorf("the remote has %s", f.pushed())
	}
	f.far.Git("update-ref", "refs/heads/"+f.w.Branch, "refs/heads/main") // another's push
	tree.Git("commit", "-q", "--amend", "-m", "Once more")
	if _, err := f.store.Open(t.Context(), Request{Worktree: f.w.Ref, Rewritten: true}); !fault.Is(err, fault.KindConflict) {
		t.Errorf("over what another pushed: %v", err)
	}
}

// The forge's answer is kept. A merge completes the task, unless the branch has commits that were not merged.
func TestRefresh(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		said   PullRequest
		more   bool // the branch has commits after those that were merged
		status string
		state  State
		open   bool // the task stays, with the reason
	}{
		"open":                  {said: PullRequest{State: Open, Checks: ChecksRunning, Review: ReviewRequired}, status: task.InProgress, state: Open},
		"closed":                {said: PullRequest{State: Closed}, status: task.InProgress, state: Closed},
		"merged":                {said: PullRequest{State: Merged, Commit: "abc"}, status: task.Completed, state: Merged},
		"merged, and more here": {said: PullRequest{State: Merged}, more: true, status: task.InProgress, state: Merged, open: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setUp(t)
			f.work("login.go")
			_, err := f.store.Open(t.Context(), Request{Worktree: f.w.Ref})
			worktreetest.Must(t, err)
			_, err = f.tasks.Report(t.Context(), task.Report{Caller: task.Caller{Agent: "ann"}, ID: "T-1", Status: task.InProgress})
			worktreetest.Must(t, err)
			c.said.Number, c.said.Head = 7, f.Tree(f.w).Head()
			f.hub.PullRequest = c.said
			if c.more {
				f.work("late.go")
			}
			p, err := f.store.Refresh(t.Context(), "", f.w.Ref, "")
			worktreetest.Must(t, err)
			d, err := f.tasks.Get(t.Context(), "T-1")
			worktreetest.Must(t, err)
			if p.State != c.state || d.Status != c.status || (p.TaskOpen != "") != c.open || (p.EndedAt == nil) != (c.state == Open) || p.Checks != c.said.Checks {
				t.Errorf("%+v, the task is %s", p, d.Status)
			}
			list, err := f.store.List(t.Context(), "app", "")
			if err != nil || len(list) != 1 || list[0].State != c.state {
				t.Errorf("%+v, %v", list, err)
			}
		})
	}
}

// A forge that does not answer is reported beside the last known state, and a pull request that was opened by hand is found.
func TestAskingTheForge(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	if _, err := f.store.Refresh(t.Context(), "", f.w.Ref, ""); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("without one: %v", err)
	}
	f.hub.PullRequest, f.hub.known = PullRequest{Number: 3, State: Open}, true
	p, err := f.store.Refresh(t.Context(), "", f.w.Ref, "")
	if err != nil || p.Number != 3 || p.Target != "main" {
		t.Errorf("by hand: %+v, %v", p, err)
	}
	f.hub.err = fault.Provider(nil, "gh is not logged in")
	list, err := f.store.List(t.Context(), "app", "")
	if err != nil || len(list) != 1 || list[0].Problem != "gh is not logged in" || list[0].Number != 3 {
		t.Errorf("%+v, %v", list, err)
	}
}

// The branch is pushed to a remote; a fork's pull request is for its upstream.
func TestRemoteOf(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.Main.Git("remote", "add", "upstream", "git@github.com:big/app.git")
	f.Main.Git("remote", "add", "folder", "/srv/app.git")
	f.Main.Git("config", "remote.origin.pushurl", "https://me:hunter2x9@github.com/me/app.git")
	got, err := remoteOf(f.Main.Repo(), "origin")
	worktreetest.Must(t, err)
	if got.Into != "github.com/big/app" || got.owner() != "me" || strings.Contains(got.URL, "hunter2x9") {
		t.Errorf("%+v", got)
	}
	for name, kind := range map[string]fault.Kind{"nowhere": fault.KindNotFound, "folder": fault.KindValidation} {
		if _, err := remoteOf(f.Main.Repo(), name); !fault.Is(err, kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func (h *hub) checks(context.Context, int64) (results, error) { return h.ran, h.err }

func (h *hub) log(_ context.Context, job string) ([]byte, error) {
	if h.logErr != nil {
		return nil, h.logErr
	}
	return h.logs[job], nil
}

func (h *hub) comments(context.Context, int64) ([]Comment, error) { return h.words, h.err }

func (h *hub) merges(_ context.Context, _ int64, head string) error {
	h.merging = head
	return h.err
}
