package forge

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// bare is a pull request without what differs between runs.
func bare(p PullRequest) PullRequest {
	p.ID, p.WorktreeID, p.Name, p.OpenedAt, p.SeenAt = 0, 0, "", timestamp.Time{}, timestamp.Time{}
	if p.EndedAt != nil {
		p.EndedAt = &timestamp.Time{}
	}
	return p
}

// A pull request holds what its worktree's task says: its description, what it takes to be done, its commits, its issues and who did it.
func TestBodies(t *testing.T) {
	t.Parallel()
	commits := func(n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprint("commit ", i+1))
		}
		return all
	}
	to := remote{Into: "github.com/acme/app"}
	for name, c := range map[string]struct {
		about   subject
		w       worktree.Worktree
		commits []string
		want    string
	}{
		"a commit":             {subject{}, worktree.Worktree{}, commits(1), "Commits:\n\n- commit 1\n"},
		"the title only":       {subject{description: " Log in \n"}, worktree.Worktree{Agent: "ann"}, commits(1), "Commits:\n\n- commit 1\n\n(agent ann)\n"},
		"a task":               {subject{description: "With a form.\n"}, worktree.Worktree{TaskID: "T-1"}, commits(2), "With a form.\n\nCommits:\n\n- commit 1\n- commit 2\n\n(task T-1)\n"},
		"criteria":             {subject{criteria: []task.Criterion{{Text: "it\n works", Status: "verified"}, {Text: "it is fast", Status: "pending"}}}, worktree.Worktree{TaskID: "T-1", Agent: "ann"}, commits(1), "Done means:\n\n- [x] it works\n- [ ] it is fast\n\nCommits:\n\n- commit 1\n\n(task T-1, agent ann)\n"},
		"issues":               {subject{issues: []string{"https://github.com/acme/app/issues/1", "https://x.example/2", "https://github.com/o/r/issues/3"}}, worktree.Worktree{}, commits(1), "Commits:\n\n- commit 1\n\nCloses #1\n\nCloses o/r#3\n"},
		"as many as are shown": {subject{}, worktree.Worktree{}, commits(50), "Commits:\n\n- commit " + strings.Join(numbers(50), "\n- commit ") + "\n"},
		"more":                 {subject{}, worktree.Worktree{}, commits(53), "Commits:\n\n- commit " + strings.Join(numbers(50), "\n- commit ") + "\n- and 3 more\n"},
	} {
		if diff := cmp.Diff(c.want, c.about.body(c.w, "Log in", to, c.commits)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for _, address := range []string{"https://github.com/acme/app/issues/0", "https://github.com/acme/app/issues/-1", "https://github.com/acme/issues/1", "%", "https://github.com/acme/app/pulls/1"} {
		if name := issueName(address, to.Into); name != "" {
			t.Errorf("%s: %q", address, name)
		}
	}
}

func numbers(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint(i+1))
	}
	return all
}

// A pull request has the title that was given, else the task's, else that of the last commit, without secrets.
func TestTitles(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	commits := []string{"Begin", "Finish"}
	task, none := f.w, worktree.Worktree{}
	task.Task = "Log in"
	for name, c := range map[string]struct {
		w     worktree.Worktree
		o     Request
		title string
		body  string // its end
	}{
		"given":     {task, Request{Title: " Mine\npassword=hunter2secret ", Body: "Look: password=hunter2secret"}, "Mine password=[redacted password]", "Look: password=[redacted password]"},
		"the task":  {task, Request{}, "Log in", "- Finish\n\n(task T-1, agent ann)\n"},
		"a commit":  {none, Request{}, "Finish", "Commits:\n\n- Begin\n- Finish\n"},
		"long ones": {none, Request{Title: strings.Repeat("x", 300), Body: strings.Repeat("y", maxBody+10)}, strings.Repeat("x", maxTitle-3) + "...", strings.Repeat("y", maxBody)},
	} {
		title, body, err := f.store.words(t.Context(), c.w, c.o, remote{}, commits)
		if err != nil || strings.ReplaceAll(title, "…", "...") != c.title || !strings.HasSuffix(body, c.body) || len(body) > maxBody {
			t.Errorf("%s: %q, %.100q, %d, %v", name, title, body, len(body), err)
		}
	}
	if _, _, err := f.store.words(t.Context(), none, Request{Title: "\x1b"}, remote{}, commits); !fault.Is(err, fault.KindValidation) {
		t.Errorf("an empty title: %v", err)
	}
}

// Open returns the forge's answer, together with the facts that are known here.
func TestOpened(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.work("login.go")
	f.Tree(f.w).Write("draft.go", "package x\n")
	got, err := f.store.Open(t.Context(), Request{Worktree: f.w.Ref, DryRun: true, Draft: true, Base: "main"})
	worktreetest.Must(t, err)
	body := "With a form, password=[redacted password]."
	if !strings.Contains(got.Body, body) {
		t.Errorf("%q", got.Body)
	}
	here := PullRequest{Worktree: f.w.Ref, Repo: "app", Branch: f.w.Branch, Agent: "ann", Forge: GitHub, Target: "main", State: Open}
	want := Opened{Pushed: "origin (https://github.com/acme/app.git)", Commits: 1, Uncommitted: 1, Title: "Log in", Body: got.Body, PullRequest: here}
	want.Draft = true
	if got.Name == "" || !strings.HasSuffix(f.w.Path, got.Name) {
		t.Errorf("%q", got.Name)
	}
	got.PullRequest = bare(got.PullRequest)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	head := f.Tree(f.w).Head()
	got, err = f.store.Open(t.Context(), Request{Worktree: f.w.Ref, Tip: head})
	worktreetest.Must(t, err)
	want.New, want.Draft = true, false
	want.Number, want.URL, want.Head = 7, "https://github.com/acme/app/pull/7", head
	got.PullRequest = bare(got.PullRequest)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if want := []string{"pushing branch " + f.w.Branch + " (1 commit) to origin (https://github.com/acme/app.git)"}; !cmp.Equal(want, f.said) {
		t.Errorf("%q", f.said)
	}

	// The commit given is pushed, not the newest; checks and the merge of an earlier one do not count for it.
	f.work("logout.go")
	f.work("more.go")
	tip := f.Tree(f.w).Git("rev-parse", "HEAD~1")
	f.hub.PullRequest = PullRequest{Number: 7, URL: "u", State: Open, Target: "next", Head: head, Checks: ChecksPassed, Review: ReviewApproved, Mergeable: MergeReady, Changed: "now"}
	got, err = f.store.Open(t.Context(), Request{Worktree: f.w.Ref, Tip: tip})
	worktreetest.Must(t, err)
	if f.pushed() != tip {
		t.Errorf("the remote has %s, not %s", f.pushed(), tip)
	}
	want = Opened{Pushed: want.Pushed, Commits: 3, PullRequest: here}
	want.Number, want.URL, want.Target, want.Head, want.Review, want.Changed = 7, "u", "next", tip, ReviewApproved, "now"
	got.PullRequest = bare(got.PullRequest)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	f.hub.PullRequest.Head, f.hub.PullRequest.Checks = tip, ChecksFailed
	if got, err = f.store.Open(t.Context(), Request{Worktree: f.w.Ref, Tip: tip}); err != nil || got.Checks != ChecksFailed || got.Head != tip {
		t.Errorf("%+v, %v", got, err)
	}
}

// A refusal comes before anything is pushed.
func TestNotOpened(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.work("login.go")
	refused := func(name string, change func(*Request), kind fault.Kind, parts ...string) {
		t.Helper()
		o := Request{Worktree: f.w.Ref}
		change(&o)
		_, err := f.store.Open(t.Context(), o)
		if !fault.Is(err, kind) || f.pushed() != "" || f.hub.open != nil {
			t.Errorf("%s: %v", name, err)
		}
		worktreetest.Contains(t, err, parts...)
	}
	refused("no such worktree", func(o *Request) { o.Worktree = "w-none" }, fault.KindNotFound, "w-none")
	refused("no such base", func(o *Request) { o.Base = "next" }, fault.KindNotFound, "next", "--base")
	refused("no such remote", func(o *Request) { o.Remote = "mirror" }, fault.KindNotFound, "mirror")
	refused("no title", func(o *Request) { o.Title = "\x1b" }, fault.KindValidation, "the title is empty")
	f.hub.err = fault.Provider(nil, "gh is not logged in")
	refused("no login", func(o *Request) {}, fault.KindProvider, "gh is not logged in")
	f.hub.err = nil
	f.Main.Git("remote", "add", "odd", "https://git.example.com/acme/app.git")
	refused("another kind of forge", func(o *Request) { o.Remote = "odd" }, fault.KindValidation, "the kind of forge at git.example.com is not known", "forge.kind")
	f.Main.Git("remote", "set-url", "--push", "origin", "https://github.com/acme/app.git")
	f.Main.Git("config", "--unset-all", "url."+f.far.Dir+".insteadOf")
	f.Main.Git("config", "url."+f.far.Dir+"-gone.insteadOf", "https://github.com/acme/app.git")
	refused("a remote that is away", func(o *Request) {}, fault.KindProvider, "push branch "+f.w.Branch+" to origin", "git push --dry-run origin")
	f.Main.Git("config", "--remove-section", "remote.origin")
	f.Main.Git("config", "--remove-section", "remote.odd")
	refused("no remote", func(o *Request) {}, fault.KindValidation, "no remote to push to")
}

// Only what was fetched before counts as the base; a base of this repository counts where the remote has none.
func TestCommitsOf(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.work("login.go")
	first := f.Tree(f.w).Head()
	f.work("logout.go")
	g, to := f.Main.Repo(), remote{Name: "origin"}
	list := func(base string) string {
		t.Helper()
		subjects, err := commitsOf(t.Context(), g, to, f.w, base)
		worktreetest.Must(t, err)
		return strings.Join(subjects, ", ")
	}
	if got := list("main"); got != "Add login.go, Add logout.go" {
		t.Error(got)
	}
	f.Main.Git("branch", "local", first)
	if got := list("local"); got != "Add logout.go" {
		t.Error(got)
	}
	f.Main.Git("update-ref", "refs/remotes/origin/local", "main")
	if got := list("local"); got != "Add login.go, Add logout.go" {
		t.Error(got)
	}
	if _, err := commitsOf(t.Context(), g, to, f.w, "nowhere"); !fault.Is(err, fault.KindNotFound) {
		t.Error(err)
	}
	if _, err := commitsOf(t.Context(), g, to, worktree.Worktree{Branch: "nowhere"}, "main"); err == nil {
		t.Error("a branch that does not exist has commits")
	}
}

// The base and the branch of a pull request are fetched from the remote, and named as seen there.
func TestFetchAndBase(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.work("login.go")
	_, err := f.store.Open(t.Context(), Request{Worktree: f.w.Ref})
	worktreetest.Must(t, err)
	p := PullRequest{Repo: "app", Target: "main", Branch: f.w.Branch}
	base, own, err := f.store.Base(t.Context(), p)
	if err != nil || base != "origin/main" || own != "origin/"+f.w.Branch {
		t.Errorf("%s, %s, %v", base, own, err)
	}
	f.Main.Commit("elsewhere", "b.txt", "c\n")
	moved := f.Main.Head()
	f.Main.Git("push", "-q", "origin", "main", "main:refs/heads/"+f.w.Branch+"-other")
	f.far.Git("update-ref", "refs/heads/"+f.w.Branch, moved)
	for _, ref := range []string{"main", f.w.Branch} {
		f.Main.Git("update-ref", "refs/remotes/origin/"+ref, f.Main.Git("rev-parse", "main~1"))
	}
	worktreetest.Must(t, f.store.Fetch(t.Context(), p))
	for _, ref := range []string{base, own} {
		if got := f.Main.Git("rev-parse", "refs/remotes/"+ref); got != moved {
			t.Errorf("%s is at %s", ref, got)
		}
	}
	p.Target = "nowhere"
	if err := f.store.Fetch(t.Context(), p); !fault.Is(err, fault.KindProvider) {
		t.Errorf("a base that does not exist: %v", err)
	}
	p.Repo = "another"
	if err := f.store.Fetch(t.Context(), p); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("another repository: %v", err)
	}
	if _, _, err := f.store.Base(t.Context(), p); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("another repository: %v", err)
	}
	f.Main.Git("remote", "remove", "origin")
	p.Repo = "app"
	if err := f.store.Fetch(t.Context(), p); !fault.Is(err, fault.KindValidation) {
		t.Errorf("no remote: %v", err)
	}
	if _, _, err := f.store.Base(t.Context(), p); !fault.Is(err, fault.KindValidation) {
		t.Errorf("no remote: %v", err)
	}
}

// The open pull request of a branch is what the forge says of it; nothing is stored.
func TestOfBranch(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	if p, err := f.store.OfBranch(t.Context(), f.Repo, "", "log-in"); p != nil || err != nil {
		t.Errorf("%+v, %v", p, err)
	}
	f.hub.known = true
	f.hub.PullRequest = PullRequest{Number: 3, URL: "u", Target: "next", State: Open, Draft: true, Checks: ChecksRunning, Review: ReviewRequired, Mergeable: MergeBlocked, Head: "h", Commit: "c"}
	p, err := f.store.OfBranch(t.Context(), f.Repo, "origin", "log-in")
	worktreetest.Must(t, err)
	if p.SeenAt.IsZero() || time.Since(p.SeenAt.Time) > time.Hour {
		t.Error(p.SeenAt)
	}
	want := PullRequest{Repo: "app", Branch: "log-in", Forge: GitHub, Number: 3, URL: "u", Target: "next", State: Open, Draft: true, Checks: ChecksRunning, Review: ReviewRequired, Mergeable: MergeBlocked, Head: "h", Commit: "c"}
	if diff := cmp.Diff(want, bare(*p)); diff != "" {
		t.Error(diff)
	}
	if list, err := f.store.List(t.Context(), "app", ""); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	f.hub.err = fault.Provider(nil, "away")
	for _, name := range []string{"", "nowhere"} {
		if p, err := f.store.OfBranch(t.Context(), f.Repo, name, "log-in"); p != nil || err == nil {
			t.Errorf("%q: %+v, %v", name, p, err)
		}
	}
}

// A merge at the forge ends a review, and completes the task in the agent's name; commits beside it keep the task open, unless the base has
// their changes.
func TestMergedAtTheForge(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.work("login.go")
	opened, err := f.store.Open(t.Context(), Request{Worktree: f.w.Ref})
	worktreetest.Must(t, err)
	var accepted []string
	f.store.Accepted = func(_ *registry.Tx, w worktree.Worktree, commit string) error {
		accepted = append(accepted, w.Ref+" "+commit)
		return nil
	}
	head := f.Tree(f.w).Head()
	f.work("late.go")
	f.hub.PullRequest = PullRequest{Number: 7, URL: "u", State: Merged, Head: head, Commit: "c"}
	p, err := f.store.Refresh(t.Context(), "app", f.w.Ref, "bob")
	worktreetest.Must(t, err)
	if p.TaskOpen != "branch "+f.w.Branch+" has commits that were not merged" || len(accepted) != 0 {
		t.Errorf("%+v, %q", p, accepted)
	}
	f.Main.Git("merge", "-q", "--squash", f.w.Branch)
	f.Main.Git("commit", "-qm", "Log in (#7)")
	f.Main.Git("push", "-q", "origin", "main")
	f.Main.Git("update-ref", "refs/remotes/origin/main", "main~1") // it is fetched
	p, err = f.store.Refresh(t.Context(), "app", f.w.Ref, "bob")
	worktreetest.Must(t, err)
	want := PullRequest{Worktree: f.w.Ref, Repo: "app", Branch: f.w.Branch, Agent: "ann", Forge: GitHub, Number: 7, URL: "u", Target: "main", State: Merged, Head: head, Commit: "c", EndedAt: &timestamp.Time{}}
	if p.ID != opened.ID || p.Name != opened.Name || p.OpenedAt != opened.OpenedAt {
		t.Errorf("%+v", p)
	}
	if diff := cmp.Diff(want, bare(p)); diff != "" {
		t.Error(diff)
	}
	d, err := f.tasks.Get(t.Context(), "T-1")
	worktreetest.Must(t, err)
	if !cmp.Equal([]string{f.w.Ref + " c"}, accepted) || d.Status != task.Completed {
		t.Errorf("%q, the task is %s", accepted, d.Status)
	}
	ended := *p.EndedAt
	if p, err = f.store.Refresh(t.Context(), "app", f.w.Ref, ""); err != nil || *p.EndedAt != ended {
		t.Errorf("it ended twice: %+v, %v", p, err)
	}
	f.hub.PullRequest.State = Open // reopened
	if p, err = f.store.Refresh(t.Context(), "app", f.w.Ref, ""); err != nil || p.EndedAt != nil || p.State != Open {
		t.Errorf("%+v, %v", p, err)
	}
}

// The last pull request of each worktree is what is known of it, also without the forge.
func TestLastOnes(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	other := f.Spawn(spawn.Request{})
	keep := func(w worktree.Worktree, number int64) {
		_, err := f.store.keep(t.Context(), w, PullRequest{Forge: GitHub, Number: number, State: Closed, URL: "u", Target: "main"}, nil)
		worktreetest.Must(t, err)
	}
	keep(f.w, 9)
	keep(f.w, 3)
	err := f.DB.Read(t.Context(), func(tx *registry.Tx) error {
		for id, want := range map[int64]int{0: 1, f.Repo.ID: 1, f.Repo.ID + 1: 0} {
			known, err := Of(tx, id)
			if err != nil || len(known) != want || want == 1 && known[f.w.ID].Number != 3 {
				t.Errorf("%d: %+v, %v", id, known, err)
			}
		}
		p, ok, err := LastIn(tx, f.w)
		if !ok || err != nil || p.Number != 3 || p.WorktreeID != f.w.ID {
			t.Errorf("%+v, %v, %v", p, ok, err)
		}
		if p, ok, err := LastIn(tx, other); ok || err != nil || p.Number != 0 {
			t.Errorf("%+v, %v, %v", p, ok, err)
		}
		return nil
	})
	worktreetest.Must(t, err)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if list, err := f.store.List(over, "app", ""); err == nil {
		t.Errorf("%+v", list)
	}
}

// A remote's forge is known by its address, and by the configuration.
func TestKinds(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]Kind{"auto": "", "github": GitHub, "gitlab": GitLab} {
		if got := KindFrom(word); got != want {
			t.Errorf("%s: %q", word, got)
		}
	}
	for address, want := range map[string]Kind{"git@gitlab.com:a/b.git": GitLab, "https://git.example.com/a/b": "", "/srv/x.git": "", "https://dev.azure.com/o/p/_git/x": Azure} {
		if got := KindAt(address); got != want {
			t.Errorf("%s: %q", address, got)
		}
	}
	for host, want := range map[string]Kind{"github.com": GitHub, "github.example.com": GitHub, "mygithub.com": "", "x.ghe.com": GitHub, "gitlab.x": GitLab, "mygitlab.com": "", "dev.azure.com": Azure, "ssh.dev.azure.com": Azure,
		"o.visualstudio.com": Azure, "azure.com": ""} {
		if got, err := kindOf(host, ""); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", host, got, err)
		}
	}
}
