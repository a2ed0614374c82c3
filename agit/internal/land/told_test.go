package land_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// told writes down what landings return, what their rows hold, and what becomes of the branch.
type told struct {
	*worktreetest.Fixture
	out   strings.Builder
	tasks *task.Store
	masks *clitest.Masks
	watch *registrytest.Watch // of the rows that landings change; nil on a server
	rows  strings.Builder
}

func newTold(t *testing.T) *told {
	s := &told{Fixture: worktreetest.New(t)}
	s.tasks = &task.Store{DB: s.DB}
	s.Reopen(s.tasks)
	s.masks = clitest.NewMasks(t, s.Repo.Path, "<repo>", s.Worktrees.Options.Home, "<home>", os.TempDir(), "<tmp>")
	if !registrytest.OnServer() {
		s.watch = registrytest.NewWatch(t, s.DB, []string{"changes", "landings", "worktrees", "tasks", "items", "item_history"}, "changes.at", "changes.seq", "landings.host", "landings.pid", "landings.process", "landings.log", "landings.gate_key",
			"landings.identity", "worktrees.path", "worktrees.branch", "worktrees.host", "worktrees.intent_host", "worktrees.intent_pid", "worktrees.intent_boot", "worktrees.intent_journal", "worktrees.port", "items.version")
	}
	return s
}

// work makes a worktree of ann's with commits, each of a file and its text.
func (s *told) work(name string, commits ...string) worktree.Worktree {
	w := s.Spawn(spawn.Request{Task: name, Agent: "ann"})
	for i := 0; i < len(commits); i += 2 {
		s.Tree(w).Commit("write "+commits[i], commits[i], commits[i+1])
	}
	return w
}

func (s *told) show(title string, result any, err error) {
	if s.watch != nil {
		if changed := s.watch.Changes(); changed != "" {
			fmt.Fprintf(&s.rows, "%s\n%s", title, changed)
		}
	}
	fmt.Fprintf(&s.out, "== %s\n", title)
	if err != nil {
		f := fault.From(err)
		fmt.Fprintf(&s.out, "! %s (%s, retry %v): %s\n", f.Message, f.Kind, f.Retryable, f.Hint)
	}
	if result != nil {
		text, err := json.MarshalIndent(result, "", " ")
		worktreetest.Must(s.T, err)
		fmt.Fprintf(&s.out, "%s\n", text)
	}
}

// tried shows a trial without its commit, which two trials within a second share.
func (s *told) tried(title string, t land.Trial, err error) {
	if t.Commit == "" {
		s.T.Errorf("%s: no commit", title)
	}
	t.Commit = ""
	s.show(title, t, err)
}

// asks previews and lands a worktree, and shows its row.
func (s *told) asks(title string, w worktree.Worktree, change func(*land.Request)) {
	s.T.Helper()
	o := land.Request{Repo: "app", Worktree: w.Ref}
	if change != nil {
		change(&o)
	}
	p, err := s.Landings.Preview(s.T.Context(), o)
	s.show(title+": preview", p, err)
	out, err := s.Landings.Land(s.T.Context(), o)
	s.show(title, out, err)
	if l, err := s.LastOf(s.T.Context(), "app", w.Ref); l != nil {
		l.PID = 0
		s.show(title+": row", l, err)
	}
}

// In one repository: landings of each strategy, what is refused, and what is left in the registry and on the branch.
func TestLandingsAreTold(t *testing.T) {
	t.Parallel()
	s := newTold(t)
	_, err := s.tasks.Create(t.Context(), []task.New{{ID: "T-1", Repo: "app", Text: "Log in"}})
	worktreetest.Must(t, err)
	s.asks("nothing done", s.work("idle"), nil)
	s.asks("a task", s.work("T-1", "login.txt", "1\n"), nil)
	s.asks("a task that stays", s.work("stays", "stays.txt", "1\n"), func(o *land.Request) { o.KeepTask, o.Message, o.By = true, "  In my words\n\nand more \n", "bob" })
	two := s.work("two", "b.txt", "2\n", "new.txt", "n\n")
	clash := s.work("clash", "b.txt", "mine\n")
	later := s.work("later", "later.txt", "1\n", "b.txt", "later\n")
	s.asks("squashed", two, func(o *land.Request) { o.Strategy = land.Squash })
	s.asks("a conflict", clash, nil)
	s.asks("a conflict in a rebase", later, func(o *land.Request) { o.Strategy = land.Rebase })
	s.asks("rebased", s.work("rebased", "r1.txt", "1\n", "r2.txt", "2\n"), func(o *land.Request) { o.Strategy = land.Rebase })
	changed := s.work("changed", "a.txt", "1\n")
	s.Main.Write("a.txt", "edited\n")
	s.asks("what is edited", changed, nil)
	s.Main.Git("checkout", "--", "a.txt")
	s.asks("an unknown way", changed, func(o *land.Request) { o.Strategy = "cherry" })
	s.asks("a tip that is none", changed, func(o *land.Request) { o.Tip = "nothing" })
	s.asks("a tip that is elsewhere", changed, func(o *land.Request) { o.Tip = "main" })
	s.asks("into a branch that does not exist", changed, func(o *land.Request) { o.Into = "release" })
	s.asks("into its own branch", changed, func(o *land.Request) { o.Into = changed.Branch })
	s.Main.Git("branch", "release")
	s.asks("into another branch", changed, func(o *land.Request) { o.Into = "refs/heads/release" })
	s.asks("no such worktree", worktree.Worktree{Ref: "w-none"}, nil)
	s.asks("a message that is not text", s.work("odd", "odd.txt", "1\n"), func(o *land.Request) { o.Message = "a\x00b" })
	fmt.Fprintf(&s.out, "== main\n%s\n", s.Main.Git("log", "--first-parent", "--format=%s | %an | %b", "main"))
	queue, err := s.Landings.Queue(t.Context(), "app")
	for i := range queue {
		queue[i].PID = 0
	}
	s.show("queue", queue, err)
	landed, err := s.Landings.Landed(t.Context(), "app", 3)
	for i := range landed {
		landed[i].PID = 0
	}
	s.show("landed", landed, err)
	s.compare("landings")
	s.Clean()
	s.Sound()
}

// In one repository with a gate and hooks: what is green, red, left out and not trusted, and who may ask.
func TestGatesAreTold(t *testing.T) {
	t.Parallel()
	s := newTold(t)
	s.Set.Gate = []string{"test ! -e bad.txt || { echo it is bad; exit 3; }", "true"}
	s.asks("green", s.work("green", "g.txt", "1\n"), nil)
	bad := s.work("bad", "bad.txt", "1\n")
	s.asks("red", bad, nil)
	s.asks("red, and left out by an agent", bad, func(o *land.Request) { o.Gate, o.Asker = []string{}, land.Asker{Agent: "ann"} })
	s.asks("another gate", bad, func(o *land.Request) { o.Gate = []string{"exit 5"} })
	s.asks("left out", bad, func(o *land.Request) { o.Gate = []string{} })
	s.Main.Git("rm", "-q", "bad.txt")
	s.Main.Git("commit", "-qm", "Not bad")
	s.Set.PreMerge = []string{"test ! -e worse.txt"}
	worse := s.work("worse", "worse.txt", "1\n")
	s.asks("a hook refuses", worse, nil)
	s.Set.PreMerge = nil
	s.Set.Unjudged = config.Unjudged{Waiting: []string{"gate"}}
	s.asks("not trusted", worse, nil)
	try, err := s.Landings.Try(t.Context(), land.Request{Repo: "app", Worktree: worse.Ref}, nil)
	s.tried("not trusted, tried", try, err)
	s.Set.Unjudged = config.Unjudged{}
	try, err = s.Landings.Try(t.Context(), land.Request{Repo: "app", Worktree: worse.Ref, By: "ann"}, nil)
	s.tried("tried", try, err)
	_, err = s.Landings.Try(t.Context(), land.Request{Repo: "app", Worktree: worse.Ref, Gate: []string{"false"}}, nil)
	s.show("tried, red", nil, err)
	s.Set.Land, s.Set.LandSet = worktree.LandReview, true
	s.asks("by an agent, where a person lands", worse, func(o *land.Request) { o.Asker = land.Asker{Agent: "ann"} })
	s.asks("over MCP, where a person lands", worse, func(o *land.Request) { o.Asker = land.Asker{Tool: true} })
	s.Set.Land = worktree.LandPR
	s.asks("where a forge lands", worse, nil)
	s.asks("known to pass, and here", worse, func(o *land.Request) { o.Here = true })
	s.Set.Land, s.Set.GateTimeout = worktree.LandGate, 20*time.Millisecond
	s.asks("too slow", s.work("slow", "slow.txt", "1\n"), func(o *land.Request) { o.Gate = []string{"sleep 60"} })
	fmt.Fprintf(&s.out, "== main\n%s\n", s.Main.Git("log", "--first-parent", "--format=%s", "main"))
	worktreetest.Must(t, s.DB.Read(t.Context(), func(tx *registry.Tx) error {
		for _, since := range []time.Duration{time.Hour, -time.Hour} {
			recent, err := land.Recent(tx, s.Repo.ID, time.Now().Add(-since))
			if err != nil {
				return err
			}
			fmt.Fprintf(&s.out, "== landed since %s ago: %d\n", since, len(recent))
		}
		last, err := land.LandedIn(tx, s.Repo.ID, 1)
		if err == nil && (len(last) != 1 || last[0].State != land.Landed) {
			t.Errorf("%+v", last)
		}
		return err
	}))
	s.compare("gates")
	s.Clean()
	s.Sound()
}

// In one repository: updates of worktrees, and what is refused.
func TestUpdatesAreTold(t *testing.T) {
	t.Parallel()
	s := newTold(t)
	behind := s.work("behind")
	ahead := s.work("ahead", "ahead.txt", "1\n")
	again := s.work("again", "again.txt", "1\n")
	clash := s.work("clash", "b.txt", "mine\n")
	there := s.work("there", "there.txt", "1\n")
	asks := func(title string, w worktree.Worktree, rebase bool, by string) {
		out, err := s.Landings.Update(t.Context(), land.UpdateRequest{Repo: "app", Worktree: w.Ref, Rebase: rebase, By: by})
		s.show(title, out, err)
	}
	asks("nothing new", ahead, false, "")
	s.Main.Commit("theirs", "b.txt", "theirs\n", "there.txt", "1\n")
	asks("without commits", behind, false, "ann")
	asks("merged", ahead, false, "")
	asks("rebased", again, true, "")
	asks("rebased, of what is there", there, true, "")
	asks("a conflict", clash, false, "")
	asks("a conflict in a rebase", clash, true, "")
	asks("by an agent that does not exist", clash, true, "no such agent!")
	s.Tree(clash).Write("b.txt", "edited\n")
	asks("with an edit", clash, false, "")
	asks("no such worktree", worktree.Worktree{Ref: "w-none"}, false, "")
	for _, w := range []worktree.Worktree{behind, ahead, again, there} {
		now := s.Get(w)
		fmt.Fprintf(&s.out, "== %s: %s, base is main's: %v\n%s\n", w.Task, now.Status, now.Base == s.Main.Head(), s.Tree(w).Git("log", "--first-parent", "--format=%s", "-3"))
	}
	s.compare("updates")
	s.Sound()
}

func (s *told) compare(name string) {
	s.T.Helper()
	clitest.Golden(s.T.(*testing.T), filepath.Join("testdata", "told", name+".txt"), s.masks.Apply(logTime.ReplaceAllString(s.out.String(), "/<time>-")))
	if s.watch != nil {
		clitest.Golden(s.T.(*testing.T), filepath.Join("testdata", "told", name+"-rows.txt"), s.masks.Apply(s.rows.String()))
	}
}

// logTime finds the time in the name of a log.
var logTime = regexp.MustCompile(`/\d{8}T\d{6}\.\d{6}Z-`)
