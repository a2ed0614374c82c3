package worktree_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// remoteCrash is a repository whose work lands on main of a remote, and another clone that pushes to it too.
type remoteCrash struct {
	*worktreetest.Fixture
	bare, other *gittest.Repo
	victim      func(operation, point string, more ...string) *exec.Cmd
}

func setUpRemoteCrash(t *testing.T) remoteCrash {
	t.Helper()
	f, victim := setUpCrash(t)
	bare := gittest.NewBare(t)
	f.Main.Git("remote", "add", "origin", bare.Dir)
	f.Main.Git("push", "--quiet", "origin", "main")
	other := f.Main.At(filepath.Join(gittest.TempDir(t), "other"))
	f.Main.Git("clone", "--quiet", bare.Dir, other.Dir)
	f.Set.Remote, f.Set.RemoteWait = "origin", time.Minute
	return remoteCrash{f, bare, other, victim}
}

// elsewhere pushes a commit of the other clone.
func (c remoteCrash) elsewhere(name string) {
	c.T.Helper()
	c.other.Git("pull", "--quiet", "--ff-only")
	c.other.Commit("elsewhere", name, name+"\n")
	c.other.Git("push", "--quiet", "origin", "main")
}

func (c remoteCrash) last(w worktree.Worktree) land.Landing {
	c.T.Helper()
	l, err := c.LastOf(c.T.Context(), "app", w.Ref)
	worktreetest.Must(c.T, err)
	return *l
}

// has reports whether main of the remote has a file.
func (c remoteCrash) has(path string) bool {
	_, err := c.bare.TryGit("cat-file", "-e", "main:"+path)
	return err == nil
}

// A landing at a remote whose process is killed is at the remote wholly or not at all, and it lands once. The next run finds out which,
// whatever others pushed meanwhile.
func TestKilledPush(t *testing.T) {
	for _, point := range []string{"merge:prepared", "push:noted", "push:done", "merge:swapped", "merge:files", "remove:planned", "remove:moved"} {
		ways := []string{"doctor", "next command", "others pushed"}
		if point[:4] != "push" {
			ways = ways[:1]
		}
		for _, way := range ways {
			t.Run(point+", "+way, func(t *testing.T) {
				c := setUpRemoteCrash(t)
				w := c.Worked("x")
				c.Main.Write("b.txt", "local\n")
				killed(t, c.victim("merge "+w.Ref, point, "WORKTREE_TEST_REMOTE=origin", "WORKTREE_TEST_GATE=true"))
				pushed := c.has("new/x")
				if want := point != "push:noted"; pushed != want {
					t.Fatalf("the remote has it: %v", pushed)
				}
				if way == "others pushed" {
					c.elsewhere("theirs")
				}
				if way == "next command" {
					c.Spawn(spawn.Request{Task: "next"})
				} else {
					c.FixAll()
				}
				now, l := c.Get(w), c.last(w)
				switch {
				case pushed && (l.State != land.Landed || l.GateResult != land.GatePassed || now.Status != worktree.Completed || c.Main.Read("new/x") != "x\n"):
					t.Errorf("it is at the remote, and here %s: %+v", now.Status, l)
				case !pushed && (l.State != land.Returned || l.Commit != "" || now.Status != worktree.Active):
					t.Errorf("it is not at the remote, and here %s: %+v", now.Status, l)
				}
				if c.Main.Read("b.txt") != "local\n" {
					t.Error("local changes are lost")
				}
				c.Sound()
				if now.Status == worktree.Active {
					c.Merge(w)
					c.Sound()
				}
				if got := c.bare.Git("log", "--format=%s", "main", "--", "new/x"); got != "work on x" {
					t.Errorf("the remote has the commits %q", got)
				}
				if way == "others pushed" && !c.has("theirs") {
					t.Error("the commit of others is gone")
				}
			})
		}
	}
}

// Where the remote cannot be reached, nothing is decided: the worktree is left alone until it answers.
func TestKilledPushOfARemoteThatIsAway(t *testing.T) {
	for point, landed := range map[string]bool{"push:noted": false, "push:done": true} {
		t.Run(point, func(t *testing.T) {
			c := setUpRemoteCrash(t)
			w := c.Worked("x")
			killed(t, c.victim("merge "+w.Ref, point, "WORKTREE_TEST_REMOTE=origin"))
			worktreetest.Must(t, os.Rename(c.bare.Dir, c.bare.Dir+".away"))
			if _, err := c.Landings.Land(t.Context(), land.Request{Worktree: w.Ref}); err == nil {
				t.Error("it landed without the remote")
			}
			if now := c.Get(w); now.Status == worktree.Completed || abandoned(c.Fixture) != 1 {
				t.Errorf("it is decided: %s", now.Status)
			}
			if c.Tree(w).Read("new/x") != "x\n" {
				t.Error("the work is gone")
			}
			worktreetest.Must(t, os.Rename(c.bare.Dir+".away", c.bare.Dir))
			c.FixAll()
			now, l := c.Get(w), c.last(w)
			if (now.Status == worktree.Completed) != landed || (l.State == land.Landed) != landed {
				t.Errorf("it is %s: %+v", now.Status, l)
			}
			if !landed {
				c.Merge(w)
			}
			if !c.has("new/x") {
				t.Error("it did not land")
			}
			c.Sound()
		})
	}
}
