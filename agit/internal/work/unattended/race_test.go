package unattended

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/land/tries"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/registry"
)

// races lets clients try one task in a repository of its own.
type races struct {
	*worktreetest.Fixture
	*Store
	options Options
	notes   []string // of the last race
	events  []Event
}

func newRaces(t *testing.T, gate ...string) *races {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip(err)
	}
	f := worktreetest.New(t)
	tasks := &task.Store{DB: f.DB}
	f.Reopen(tasks)
	f.Set.Gate = gate
	_, err := tasks.Create(t.Context(), []task.New{{ID: "T-1", Repo: "app", Text: "New"}})
	worktreetest.Must(t, err)
	return &races{f, storeOf(f, tasks), Options{Repo: f.Repo, Agents: []string{"ann"}, Task: "T-1", Tasks: 1, UntilEmpty: true, Attempts: 1,
		Land: worktree.LandGate, Pause: time.Nanosecond}, nil, nil}
}

// run returns the events of a race of these clients. The race is stopped at the first event of one kind, "" for none.
func (r *races) run(stopAt string, clients ...worker.Client) (Tally, error) {
	ctx, stop := context.WithCancel(r.T.Context())
	defer stop()
	r.options.Clients, r.options.Tries, r.notes = clients, clients, nil
	return r.Crew(r.options, make(chan struct{}), func(e Event) {
		if e.What == stopAt {
			stop()
		}
		r.events = append(r.events, e)
		if e.What != EventWaits {
			r.notes = append(r.notes, e.What+": "+e.Why)
		}
	}).Run(ctx)
}

// list returns the tries of the task, and the task's status.
func (r *races) list() (list []tries.Try, status string) {
	d, err := r.Tasks.Get(r.T.Context(), "T-1")
	worktreetest.Must(r.T, err)
	worktreetest.Must(r.T, r.Fixture.DB.Read(r.T.Context(), func(tx *registry.Tx) error {
		item, err := registry.One[int64](tx.QueryRow(`SELECT id FROM items WHERE ref = 'T-1'`))
		if err == nil {
			list, err = tries.Of(tx, item)
		}
		return err
	}))
	return list, d.Status
}

// told writes down what people see of a race, agent by agent, since the tries run side by side.
func (r *races) told() string {
	var s strings.Builder
	slices.SortStableFunc(r.events, func(a, b Event) int { return strings.Compare(a.Agent, b.Agent) })
	for _, e := range r.events {
		fmt.Fprintf(&s, "%s %s %s %s %q: %s\n", e.Agent, e.What, e.TaskID, e.Worktree, e.Task, e.Why)
	}
	list, status := r.list()
	fmt.Fprintf(&s, "== task T-1 is %s\n", status)
	for _, t := range list {
		fmt.Fprintf(&s, "try %d of %s %s, gate %q: %s\n", t.Number, t.Client, t.State, t.Gate, t.Why)
	}
	worktreetest.Must(r.T, r.Fixture.DB.Read(r.T.Context(), func(tx *registry.Tx) error {
		all, err := History(tx, list[0].ItemID)
		slices.SortStableFunc(all, func(a, b Attempt) int { return strings.Compare(a.Agent, b.Agent) })
		for _, a := range all {
			fmt.Fprintf(&s, "== attempt in %s\n%s %s %s: %s, %s: %s\nsays: %s\n", a.Worktree, a.Agent, a.Cause, a.Client, a.State, a.Ending, a.Why, a.Summary)
			text, err := os.ReadFile(a.Log)
			if err != nil {
				return err
			}
			s.Write(text)
		}
		return err
	}))
	return clitest.NewMasks(r.T, r.Repo.Path, "<repo>", r.Home, "<home>").Apply(took.ReplaceAllString(s.String(), "after <took>"))
}

// Each client of a race works in a worktree of its own. Its work waits for a person, or is handed back once, or the try has failed.
func TestRace(t *testing.T) {
	t.Parallel()
	type end struct {
		State tries.State
		Gate  string
		Why   string // a part of it
	}
	const commits = `echo a > new.go && git add new.go && git commit -q -m New`
	for name, c := range map[string]struct {
		scripts []string
		gate    []string
		leave   bool
		tally   Tally
		status  string
		ends    []end
		last    string // event, its beginning
	}{
		"both made something": {
			scripts: []string{commits, `echo b > other.go`}, tally: Tally{InReview: 1}, status: task.InProgress,
			ends: []end{{tries.Shown, "", "in review"}, {tries.Shown, "", "in review"}}, last: "in review: 2 of 2 tries",
		},
		"one made nothing": {
			scripts: []string{`true`, commits}, tally: Tally{InReview: 1}, status: task.InProgress,
			ends: []end{{tries.Failed, "", "nothing done: it ended with exit status 0"}, {tries.Shown, "", "in review"}}, last: "in review: 1 of 2 tries",
		},
		"none made anything": {
			scripts: []string{`true`, `exit 3`}, tally: Tally{Failed: 1}, status: task.Failed,
			ends: []end{{tries.Failed, "", "nothing done: it ended with exit status 0"}, {tries.Failed, "", "crash: it ended with exit status 3"}},
			last: "failed: no try made anything to accept: try 1 (first): nothing done",
		},
		"files are left, which is a failure": {
			scripts: []string{`echo a > new.go`, commits}, leave: true, tally: Tally{InReview: 1}, status: task.InProgress,
			ends: []end{{tries.Failed, "", "it ended with exit status 0, but committed nothing; it left changes in new.go"}, {tries.Shown, "", "in review"}}, last: "in review: 1 of 2 tries",
		},
		"a red gate is handed back once": {
			scripts: []string{`if test -e new.go; then echo t > new_test.go; else echo a > new.go; fi`, `date +%N >> new.go`}, gate: []string{`test -e new_test.go`},
			tally: Tally{InReview: 1}, status: task.InProgress,
			ends: []end{{tries.Shown, land.GatePassed, "in review"}, {tries.Failed, land.GateFailed, "the gate"}}, last: "in review: 1 of 2 tries",
		},
		"handed back, and nothing more was done": {
			scripts: []string{`if test -e bad.go; then exit 4; else echo a > bad.go; fi`, commits}, gate: []string{`test ! -e bad.go`},
			tally: Tally{InReview: 1}, status: task.InProgress,
			ends: []end{{tries.Failed, land.GateFailed, "handed back: crash: it ended with exit status 4"}, {tries.Shown, land.GatePassed, "in review"}}, last: "in review: 1 of 2 tries",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRaces(t, c.gate...)
			r.options.Leave = c.leave
			tally, err := r.run("", shell("first", c.scripts[0]), shell("second", c.scripts[1]))
			worktreetest.Must(t, err)
			list, status := r.list()
			if diff := cmp.Diff(c.tally, tally); diff != "" || status != c.status {
				t.Errorf("the task is %s, want %s %s", status, c.status, diff)
			}
			if begun := r.notes[0]; begun != "begun: 2 tries: first, second" {
				t.Error(begun)
			}
			if last := r.notes[len(r.notes)-1]; !strings.HasPrefix(last, c.last) {
				t.Errorf("%q, want %q", last, c.last)
			}
			trees := map[int64]bool{}
			for i, one := range list {
				trees[one.WorktreeID] = true
				if want := c.ends[i]; one.State != want.State || one.Gate != want.Gate || !strings.Contains(one.Why, want.Why) {
					t.Errorf("try %d is %s, gate %q: %s; want %+v", one.Number, one.State, one.Gate, one.Why, want)
				}
			}
			if len(trees) != 2 || trees[0] {
				t.Errorf("the tries are in the worktrees %v", trees)
			}
			clitest.Golden(t, filepath.Join("testdata", "races", strings.ReplaceAll(name, " ", "-")+".txt"), r.told())
		})
	}
}

// The brief of a try names its own worktree, and leaves those of the others as they are.
func TestBriefOfTry(t *testing.T) {
	t.Parallel()
	shared := brief.Brief{Worktree: &brief.Worktree{ID: "w-1", Path: "/one", Branch: "ann/new", Port: 1, Into: "main", Found: "kept"}, Notes: make([]string, 0, 4)}
	first := briefOfTry(shared, worktree.Worktree{Ref: "w-1", Path: "/one", Branch: "ann/new", Port: 1}, 1)
	second := briefOfTry(shared, worktree.Worktree{Ref: "w-2", Path: "/two", Branch: "ann/new-try2", Port: 2}, 2)
	first.Notes, second.Notes = append(first.Notes, "a"), append(second.Notes, "b")
	if diff := cmp.Diff([]brief.Worktree{
		{ID: "w-1", Path: "/one", Branch: "ann/new", Port: 1, Into: "main", Found: "kept"},
		{ID: "w-1", Path: "/one", Branch: "ann/new", Port: 1, Into: "main", Found: "kept"},
		{ID: "w-2", Path: "/two", Branch: "ann/new-try2", Port: 2, Into: "main"},
	}, []brief.Worktree{*shared.Worktree, *first.Worktree, *second.Worktree}); diff != "" {
		t.Error(diff)
	}
	if first.Notes[0] != "a" || second.Notes[0] != "b" {
		t.Errorf("the notes are %q and %q", first.Notes, second.Notes)
	}
}

// A stopped race continues with the tries that had not ended, in their worktrees, and only with its first clients.
func TestRaceGoesOn(t *testing.T) {
	t.Parallel()
	r := newRaces(t)
	tally, err := r.run(EventBegun, shell("first", `echo a > a.go`), shell("second", `echo b > b.go`))
	worktreetest.Must(t, err)
	before, status := r.list()
	if tally != (Tally{Stopped: 1}) || status != task.InProgress || len(before) != 2 || before[0].State != tries.Running {
		t.Fatalf("%+v, %s, %+v", tally, status, before)
	}
	if last := r.notes[len(r.notes)-1]; !strings.Contains(last, "its tries can be resumed") {
		t.Error(last)
	}
	_, err = r.run("", shell("first", `true`), shell("third", `true`))
	if err == nil || !strings.Contains(err.Error(), "try 2 of task \"T-1\" is of the client second, which was not given") {
		t.Errorf("with another client: %v", err)
	}
	tally, err = r.run("", shell("first", `echo a > a.go`), shell("second", `echo b > b.go`))
	worktreetest.Must(t, err)
	after, _ := r.list()
	if tally != (Tally{InReview: 1}) || after[1].State != tries.Shown || before[0].WorktreeID != after[0].WorktreeID {
		t.Errorf("%+v, %+v", tally, after)
	}
	if _, err = r.run("", shell("first", `true`), shell("second", `true`)); err == nil || !strings.Contains(err.Error(), "its work waits for a review") {
		t.Errorf("a race that has ended was begun again: %v", err)
	}
}

// The tries of a race that were all returned run again, each with the words for it, in its worktree and by its agent. So do those of a race
// in which the only work was returned while another try ran.
func TestRaceReturned(t *testing.T) {
	t.Parallel()
	r := newRaces(t)
	dir := t.TempDir()
	script := `f=` + dir + `/$AGIT_AGENT; if test -e $f.idle; then rm $f.idle; exit 3; fi; cat >$f; echo x >>new.go; git add new.go; git commit -qm New`
	again := func(words ...string) {
		t.Helper()
		tally, err := r.run("", shell("first", script), shell("second", script))
		worktreetest.Must(t, err)
		if list, status := r.list(); tally != (Tally{InReview: 1}) || status != task.InProgress || list[0].State != tries.Shown || list[1].State != tries.Shown {
			t.Fatalf("%+v, %s, %+v", tally, status, list)
		}
		for i, agent := range []string{"ann", "ann-try2"} {
			text, err := os.ReadFile(filepath.Join(dir, agent))
			worktreetest.Must(t, err)
			worktreetest.Must(t, os.Remove(filepath.Join(dir, agent)))
			for k, w := range words {
				if strings.Contains(string(text), w) != (i == k) {
					t.Errorf("%q in the brief of %s:\n%s", w, agent, text)
				}
			}
			if returned := "Your work on task T-1 was reviewed and returned."; strings.HasPrefix(string(text), returned) != (len(words) > 0) {
				t.Errorf("the brief of %s:\n%s", agent, text)
			}
		}
	}
	back := func(order ...int) {
		t.Helper()
		list, _ := r.list()
		for _, i := range order {
			w := r.tree(list[i].WorktreeID)
			_, err := r.Assign.Reviews.Return(t.Context(), review.Decision{Worktree: w.Ref, Why: fmt.Sprintf("words %d", i+1)}, time.Hour)
			worktreetest.Must(t, err)
		}
	}
	again()
	before, _ := r.list()
	for _, order := range [][]int{{1, 0}, {0, 1}} {
		back(order...)
		again("words 1", "words 2")
	}
	after, _ := r.list()
	if before[0].WorktreeID != after[0].WorktreeID || before[1].WorktreeID != after[1].WorktreeID || r.tree(after[1].WorktreeID).Agent != "ann-try2" {
		t.Errorf("before %+v, after %+v, the second of %s", before, after, r.tree(after[1].WorktreeID).Agent)
	}
	back(0, 1)
	r.Exec(`UPDATE tries SET state = 'running' WHERE number = 2`)
	worktreetest.Must(t, os.WriteFile(filepath.Join(dir, "ann-try2.idle"), nil, 0o600))
	again("words 1", "words 2")
}

// tree returns a worktree as it is by now.
func (r *races) tree(id int64) (w worktree.Worktree) {
	r.T.Helper()
	worktreetest.Must(r.T, r.Fixture.DB.Read(r.T.Context(), func(tx *registry.Tx) (err error) {
		w, err = worktree.ByID(tx, id)
		return err
	}))
	return w
}

// used returns what the attempts of a client used, all together.
func (r *races) used(client string) (sum Used) {
	r.T.Helper()
	worktreetest.Must(r.T, r.Fixture.DB.Read(r.T.Context(), func(tx *registry.Tx) error {
		return tx.QueryRow(`SELECT SUM(cost), SUM(turns) FROM attempts WHERE client = ?`, client).Scan(&sum.Micros, &sum.Turns)
	}))
	return sum
}

// The work of a try that was cut off while its gate judged it is finished at the next start, and its client is not run again. An attempt of
// a try whose process was killed is lost, and the try continues.
func TestRaceFinishesWhatWasCutOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bell, again := filepath.Join(dir, "bell"), filepath.Join(dir, "again")
	if out, err := exec.Command("mkfifo", bell).CombinedOutput(); err != nil {
		t.Skipf("%v %s", err, out)
	}
	r := newRaces(t, "test -e "+again+" || { echo > "+bell+"; exec sleep 100; }")
	first := shell("first", "test -e "+again+" && exit 9; echo a > a.go; git add a.go; git commit -qm New")
	second := shell("second", "test -e "+again+" || exec sleep 100; echo b > b.go")
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		if _, err := os.ReadFile(bell); err == nil {
			stop()
		}
	}()
	r.options.Clients, r.options.Tries = []worker.Client{first, second}, []worker.Client{first, second}
	tally, err := r.Crew(r.options, make(chan struct{}), func(Event) {}).Run(ctx)
	worktreetest.Must(t, err)
	if tally != (Tally{Stopped: 1}) {
		t.Fatalf("%+v", tally)
	}
	attempts := func(client string) (lines []string) {
		worktreetest.Must(t, r.Fixture.DB.Read(t.Context(), func(tx *registry.Tx) error {
			list, _ := r.list()
			all, err := History(tx, list[0].ItemID)
			for _, a := range all {
				if a.Client == client {
					lines = append(lines, fmt.Sprintf("%s by %s: %s, %s", a.Cause, a.Agent, a.State, a.Why))
				}
			}
			return err
		}))
		return lines
	}
	if diff := cmp.Diff([]string{"begun by ann: stopped, " + cutInFinish}, attempts("first")); diff != "" {
		t.Error(diff)
	}
	worktreetest.Must(t, os.WriteFile(again, nil, 0o600))
	r.Exec(`UPDATE attempts SET cost = 2500000, currency = 'USD', turns = 3 WHERE client = 'first'`)
	r.options.Budgets = budgets(t, "9usd/day")
	tally, err = r.Crew(r.options, make(chan struct{}), func(e Event) {
		if strings.HasPrefix(e.Why, "budget: ") { // after the start has looked for killed ones
			r.Exec(`UPDATE attempts SET state = 'running', ended_at = NULL, pid = 1, mark = 'before', why = '' WHERE client = 'second'`)
		}
	}).Run(t.Context())
	worktreetest.Must(t, err)
	list, status := r.list()
	if tally != (Tally{InReview: 1}) || status != task.InProgress || list[0].State != tries.Shown || list[1].State != tries.Shown {
		t.Errorf("%+v, %s, %+v", tally, status, list)
	}
	if diff := cmp.Diff([]string{"begun by ann: stopped, " + cutInFinish, "resumed by ann: done, in review"}, attempts("first")); diff != "" {
		t.Error(diff)
	}
	if used := r.used("first"); used.Micros != 2_500_000 || used.Turns != 3 {
		t.Errorf("the use of the attempt that was cut off is counted again: %+v", used)
	}
	if diff := cmp.Diff([]string{"begun by ann-try2: lost, its `agit work` was killed", "resumed by ann-try2: done, in review"}, attempts("second")); diff != "" {
		t.Error(diff)
	}
}

func TestSummed(t *testing.T) {
	t.Parallel()
	shown, running, returned, why := summed([]tries.Try{
		{Number: 1, Client: "claude", State: tries.Shown, Why: "in_review"},
		{Number: 2, Client: "codex", State: tries.Failed, Why: "it made no commit"},
		{Number: 3, Client: "gemini", State: tries.Running},
		{Number: 4, Client: "qwen", State: tries.Failed, Why: "the gate failed"},
		{Number: 5, Client: "kimi", State: tries.Shown},
		{Number: 6, Client: "amp", State: tries.Returned, Why: "it needs a test"},
	})
	if want := []string{"try 2 (codex): it made no commit", "try 4 (qwen): the gate failed"}; shown != 2 || running != 1 || returned != 1 || !slices.Equal(why, want) {
		t.Errorf("%d shown, %d running, %d returned, %q", shown, running, returned, why)
	}
	if name := tryAgent("ann", 2); name != "ann-try2" {
		t.Errorf("the second agent is called %q", name)
	}
}
