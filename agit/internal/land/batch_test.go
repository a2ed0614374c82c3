package land_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
)

// crowd is worktrees that ask to land at the same time, under a gate that counts its runs.
type crowd struct {
	*worktreetest.Fixture
	runs  string
	trees []worktree.Worktree
}

// newCrowd makes n worktrees, each with a file of its own. The gate fails where the shell command fails is true.
func newCrowd(t *testing.T, n int, fails string) *crowd {
	t.Helper()
	c := &crowd{Fixture: worktreetest.New(t), runs: filepath.Join(t.TempDir(), "runs")}
	c.Set.Gate = []string{"echo run >> '" + c.runs + "'; if " + fails + "; then echo broken; exit 3; fi"}
	for i := range n {
		w := c.Spawn(spawn.Request{Task: fmt.Sprint("task ", i)})
		c.Tree(w).Commit(fmt.Sprint("work ", i), fmt.Sprint("file", i), fmt.Sprintln(i))
		c.trees = append(c.trees, w)
	}
	return c
}

func (c *crowd) counted() int {
	data, err := os.ReadFile(c.runs)
	if err != nil && !os.IsNotExist(err) {
		c.T.Fatal(err)
	}
	return strings.Count(string(data), "run")
}

// land makes all ask in their order: the first keeps its gate waiting until all others wait behind it. It returns the result of each.
func (c *crowd) land(change func(i int, r *land.Request)) (outs []land.Merged, errs []error) {
	c.T.Helper()
	n := len(c.trees)
	outs, errs = make([]land.Merged, n), make([]error, n)
	all := make(chan struct{})
	asked := make(chan struct{}, n)
	first := true
	step := c.Step
	c.Step = func(now string) error {
		if now == "merge:asked" && first {
			first = false
			asked <- struct{}{}
			<-all
		}
		if step != nil {
			return step(now)
		}
		return nil
	}
	var group sync.WaitGroup
	for i, w := range c.trees {
		waits := sync.OnceFunc(func() { asked <- struct{}{} })
		request := land.Request{Repo: "app", Worktree: w.Ref, Waiting: func([]land.Landing) { waits() }}
		if change != nil {
			change(i, &request)
		}
		group.Add(1)
		go func() {
			defer group.Done()
			outs[i], errs[i] = c.Landings.Land(context.Background(), request)
		}()
		<-asked
	}
	close(all)
	group.Wait()
	return outs, errs
}

// subjects are the subjects of main's commits since its first one, the oldest first.
func (c *crowd) subjects() []string {
	out := c.Main.Git("log", "--first-parent", "--reverse", "--skip=0", "--format=%s")
	return strings.Split(out, "\n")[1:]
}

func TestTenLandingsTakeTwoGates(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 10, "false")
	outs, errs := c.land(nil)
	for i, err := range errs {
		if err != nil || !outs[i].Removed || outs[i].FilesChanged != 1 || outs[i].Worktree.Ref != c.trees[i].Ref || outs[i].RestoreUntil == nil {
			t.Errorf("%d: %+v %v", i, outs[i], err)
		}
		if l := lastOf(c.Fixture, c.trees[i].Ref); l.State != land.Landed || l.GateResult != land.GatePassed || l.Commit != outs[i].Commit || l.TestedTree == "" {
			t.Errorf("%d: %+v", i, l)
		}
	}
	if c.counted() != 2 {
		t.Errorf("the gate ran %d times", c.counted())
	}
	var want []string
	for _, w := range c.trees {
		want = append(want, fmt.Sprintf("Merge branch '%s'", w.Branch))
	}
	if got := c.subjects(); !slices.Equal(got, want) {
		t.Errorf("main has %q, want %q", got, want)
	}
	c.Sound()
	c.Clean()
}

func TestBatchOfOneTestsEachAlone(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 3, "false")
	c.Set.Batch = 1
	if _, errs := c.land(nil); errors.Join(errs...) != nil || c.counted() != 3 {
		t.Errorf("%v after %d runs", errs, c.counted())
	}
}

func TestOneBadAmongEight(t *testing.T) {
	t.Parallel()
	for _, bad := range []int{0, 3, 7} {
		t.Run(fmt.Sprint(bad), func(t *testing.T) {
			t.Parallel()
			c := newCrowd(t, 8, fmt.Sprint("test -f file", bad))
			_, errs := c.land(nil)
			for i, err := range errs {
				var red *land.GateFailure
				if i == bad {
					if !errors.As(err, &red) || red.Worktree != c.trees[i].Ref || red.Exit != 3 || !slices.Contains(red.Lines, "broken") || !strings.Contains(red.Log, c.trees[i].Ref) {
						t.Errorf("%d: %+v", i, err)
					}
					if l := lastOf(c.Fixture, c.trees[i].Ref); l.State != land.Returned || l.GateResult != land.GateFailed || l.Log != red.Log || c.Get(c.trees[i]).Status != worktree.Active {
						t.Errorf("%d: %+v", i, l)
					}
				} else if err != nil {
					t.Errorf("%d: %v", i, err)
				}
			}
			if c.counted() > 1+2*3 {
				t.Errorf("the gate ran %d times", c.counted())
			}
			if got := c.subjects(); len(got) != 7 {
				t.Errorf("main has %q", got)
			}
			c.Sound()
			c.Clean()
		})
	}
}

// Two that fail only together: the later one is returned.
func TestTogetherRed(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 4, "test -f file0 && test -f file2")
	_, errs := c.land(nil)
	for i, err := range errs {
		if (err != nil) != (i == 2) {
			t.Errorf("%d: %v", i, err)
		}
	}
	c.Sound()
}

// A member that conflicts with one before it in the batch is refused with that, and the others land.
func TestConflictInABatch(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 3, "false")
	c.Tree(c.trees[1]).Commit("same file", "file0", "else\n")
	_, errs := c.land(nil)
	var conflict *land.MergeConflict
	if errs[0] != nil || errs[2] != nil || !errors.As(errs[1], &conflict) || !slices.Equal(conflict.Files, []string{"file0"}) {
		t.Errorf("%v", errs)
	}
	c.Sound()
}

// An obstacle to one landing does not stop the others.
func TestLocalChangeInABatch(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 3, "false")
	c.Main.Write("file1", "a person's\n")
	_, errs := c.land(nil)
	if errs[0] != nil || errs[1] == nil || errs[2] != nil || c.Main.Read("file1") != "a person's\n" {
		t.Errorf("%v", errs)
	}
	c.Sound()
}

// Each lands with its own strategy, and another gate ends the batch.
func TestWaysInABatch(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 4, "false")
	outs, errs := c.land(func(i int, r *land.Request) {
		switch i {
		case 1:
			r.Strategy = land.Squash
		case 2:
			r.Strategy, r.Message = land.MergeCommit, "In my own words"
		case 3:
			r.Gate = []string{"echo run >> '" + c.runs + "'; true"}
		}
	})
	if errors.Join(errs...) != nil || c.counted() != 2 {
		t.Fatalf("%v after %d runs", errs, c.counted())
	}
	got := c.subjects()
	if got[1] != "work 1" || got[2] != "In my own words" || c.Main.Git("rev-list", "--parents", "-1", outs[1].Commit) != outs[1].Commit+" "+outs[0].Commit {
		t.Errorf("%q", got)
	}
}

// A member that changes the project's settings ends the batch: later landings are judged by them.
func TestSettingsEndABatch(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 3, "false")
	c.Tree(c.trees[0]).Commit("settings", ".worktreeinclude", ".env\n")
	if _, errs := c.land(nil); errors.Join(errs...) != nil || c.counted() != 2 {
		t.Errorf("%v after %d runs", errs, c.counted())
	}
}

// A landing of a batch whose branch moved meanwhile is built and tested again.
func TestBatchIsOvertaken(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 2, "false")
	once := sync.OnceFunc(func() { c.Main.Commit("by a person", "mine", "mine\n") })
	c.At("merge:gate", once)
	if _, errs := c.land(nil); errors.Join(errs...) != nil || c.counted() != 2 {
		t.Errorf("%v after %d runs", errs, c.counted())
	}
	if got := c.subjects(); len(got) != 3 || got[0] != "by a person" {
		t.Errorf("%q", got)
	}
	c.Sound()
}

// When a landing is taken off the queue while it is tested, it does not land, and the others do.
func TestCancelledInABatch(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 3, "false")
	once := sync.OnceFunc(func() {
		c.Exec(`UPDATE landings SET state = 'cancelled', finished_at = ? WHERE worktree_id = ?`, worktreetest.Stamp(0), c.trees[1].ID)
	})
	c.At("merge:gate", once)
	_, errs := c.land(nil)
	if errs[0] != nil || errs[1] == nil || errs[2] != nil {
		t.Errorf("%v", errs)
	}
	if got := c.subjects(); len(got) != 2 {
		t.Errorf("%q", got)
	}
	c.Sound()
}

// A tree that the gate passed within a day is not tested again, unless that is switched off, or the gate is another.
func TestKnownTree(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(c *crowd)
		runs   int
	}{
		"known":           {func(*crowd) {}, 1},
		"not wanted":      {func(c *crowd) { c.Set.GateCache = false }, 2},
		"another gate":    {func(c *crowd) { c.Set.Gate = append(c.Set.Gate, "true") }, 2},
		"another tree":    {func(c *crowd) { c.Main.Commit("meanwhile", "mine", "mine\n") }, 2},
		"a day later":     {func(c *crowd) { c.Exec(`UPDATE gate_verdicts SET tested_at = ?`, worktreetest.Stamp(-25*60*60*1e9)) }, 2},
		"it failed then":  {func(c *crowd) { c.Exec(`UPDATE gate_verdicts SET result = 'failed'`) }, 2},
		"of another repo": {func(c *crowd) { c.Exec(`UPDATE gate_verdicts SET tree = 'x'`) }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCrowd(t, 1, "false")
			tried, err := c.Landings.Try(t.Context(), land.Request{Repo: "app", Worktree: c.trees[0].Ref}, nil)
			worktreetest.Must(t, err)
			tt.change(c)
			out := c.Merge(c.trees[0])
			l := lastOf(c.Fixture, c.trees[0].Ref)
			if c.counted() != tt.runs || l.GateResult != land.GatePassed || l.TestedTree != c.Main.Git("rev-parse", out.Commit+"^{tree}") || l.Log == "" {
				t.Errorf("%d runs, %+v", c.counted(), l)
			}
			if tt.runs == 1 && l.Log != tried.Log {
				t.Errorf("its log is %s, want that of the run that counts", l.Log)
			}
		})
	}
}
