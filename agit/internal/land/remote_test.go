package land_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// shared is a repository whose work lands on main of a bare repository, its remote "origin", which another clone pushes to as well.
type shared struct {
	*worktreetest.Fixture
	bare, other *gittest.Repo
	notices     []string
}

// newShared makes one; address returns the remote's address for git. When it is nil, the address is the bare repository's own folder.
func newShared(t *testing.T, address func(folder string) string) *shared {
	t.Helper()
	s := &shared{bare: gittest.NewBare(t)}
	source := gittest.New(t)
	source.Commit("first", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", ".gitignore", "*.log\n")
	source.Git("push", "--quiet", s.bare.Dir, "main")
	url := "file://" + filepath.ToSlash(s.bare.Dir)
	if address != nil {
		url = address(filepath.Dir(s.bare.Dir)) + filepath.Base(s.bare.Dir)
	}
	s.other = source.At(filepath.Join(gittest.TempDir(t), "other"))
	source.Git("clone", "--quiet", s.bare.Dir, s.other.Dir)
	clone := source.At(filepath.Join(gittest.TempDir(t), "clone"))
	source.Git("clone", "--quiet", url, clone.Dir)
	s.Fixture = worktreetest.Of(t, clone, registrytest.Open(t))
	s.Set.Remote, s.Set.RemoteWait = "origin", time.Minute
	s.Worktrees.Options.Notice = func(sentence string) { s.notices = append(s.notices, sentence) }
	return s
}

// elsewhere lands a file on the remote's main from another clone, and returns the commit.
func (s *shared) elsewhere(name string) string {
	s.T.Helper()
	s.other.Git("pull", "--quiet", "--ff-only")
	s.other.Commit("elsewhere "+name, name, name+"\n")
	s.other.Git("push", "--quiet", "origin", "main")
	return s.other.Head()
}

func (s *shared) landed() string { return s.bare.Git("rev-parse", "main") }

func (s *shared) told(words ...string) {
	s.T.Helper()
	for _, w := range words {
		if !strings.Contains(strings.Join(s.notices, "\n"), w) {
			s.T.Errorf("%q is not told: %q", w, s.notices)
		}
	}
}

// ways are the remotes that tests land through.
func ways(t *testing.T, test func(t *testing.T, s *shared)) {
	for name, address := range map[string]func(t *testing.T) func(folder string) string{
		"file": func(*testing.T) func(string) string { return nil },
		"http": func(t *testing.T) func(string) string {
			return func(folder string) string { return gittest.Serve(t, folder, nil) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newShared(t, address(t)))
		})
	}
}

func TestLandsAtTheRemote(t *testing.T) {
	t.Parallel()
	ways(t, func(t *testing.T, s *shared) {
		behind := s.Main.Head()
		tip := s.elsewhere("theirs")
		w := s.Worked("x")
		if w.Base != tip {
			t.Errorf("work begins at %s, the remote's main is %s", w.Base, tip)
		}
		if s.Main.Head() != behind {
			t.Error("a fetch moved the branch here")
		}
		work := s.Tree(w).Head()
		tip = s.elsewhere("more") // after the work began
		s.Set.Gate = []string{"test -f more && test -f new/x"}
		out := s.Merge(w)
		if got := s.bare.Git("log", "-1", "--format=%H %P", "main"); got != out.Commit+" "+tip+" "+work {
			t.Errorf("the remote has %s", got)
		}
		if s.Main.Head() != out.Commit || s.Main.Git("rev-parse", "origin/main") != out.Commit || s.Main.Read("new/x") != "x\n" || s.Main.Read("more") != "more\n" {
			t.Error("the branch here did not follow")
		}
		if !out.Removed || out.FilesChanged != 2 || s.Get(w).Status != worktree.Completed {
			t.Errorf("%+v", out)
		}
		if l := lastOf(s.Fixture, w.Ref); l.State != land.Landed || l.Commit != out.Commit || l.GateResult != land.GatePassed || l.TargetCommit != tip {
			t.Errorf("%+v", l)
		}
		s.Clean()
		s.Sound()
	})
}

func TestRemoteMovesWhileAGateRuns(t *testing.T) {
	t.Parallel()
	for _, way := range []land.Strategy{land.MergeCommit, land.Squash, land.Rebase} {
		t.Run(string(way), func(t *testing.T) {
			t.Parallel()
			s := newShared(t, nil)
			w := s.Worked("x")
			runs := filepath.Join(t.TempDir(), "runs")
			var tip string
			moved := false
			s.At("merge:gate", func() {
				if !moved {
					moved, tip = true, s.elsewhere("theirs")
				}
			})
			s.Set.Gate = []string{"echo run >> '" + runs + "'"}
			out, err := s.Landings.Land(context.Background(), land.Request{Worktree: w.Ref, Strategy: way})
			if err != nil {
				t.Fatal(err)
			}
			if got := s.bare.Git("log", "-1", "--format=%P", out.Commit); strings.Fields(got)[0] != tip || s.landed() != out.Commit {
				t.Errorf("it is built on %s, and %s is what others pushed", got, tip)
			}
			if l := lastOf(s.Fixture, w.Ref); l.Rounds != 2 {
				t.Errorf("built %d times", l.Rounds)
			}
			s.Clean()
			s.Sound()
		})
	}
}

func TestRemoteMovesRightBeforeThePush(t *testing.T) {
	t.Parallel()
	ways(t, func(t *testing.T, s *shared) {
		w := s.Worked("x")
		var tips []string
		s.At("push:noted", func() {
			if len(tips) < 3 {
				tips = append(tips, s.elsewhere("theirs"+strings.Repeat("+", len(tips))))
			}
		})
		out := s.Merge(w)
		if got := s.bare.Git("log", "-1", "--format=%P", "main"); !strings.HasPrefix(got, tips[2]) || s.landed() != out.Commit || len(tips) != 3 {
			t.Errorf("it is built on %s after %q", got, tips)
		}
		s.Sound()
	})
}

func TestRemoteRefuses(t *testing.T) {
	t.Parallel()
	ways(t, func(t *testing.T, s *shared) {
		s.bare.Hook("pre-receive", "echo main is protected: ask ann; echo token=ghp_0123456789012345678901234567890123456; exit 1")
		w, before := s.Worked("x"), s.landed()
		_, err := s.Landings.Land(context.Background(), land.Request{Worktree: w.Ref})
		worktreetest.Contains(t, err, "refused the push", "origin", "branch main", "main is protected: ask ann", "pre-receive hook declined", w.Ref)
		if _, blocked := errors.AsType[*land.Blocked](err); blocked || !fault.Is(err, fault.KindConflict) || strings.Contains(err.Error(), "ghp_") {
			t.Errorf("%+v", err)
		}
		if l := lastOf(s.Fixture, w.Ref); l.State != land.Returned || !strings.Contains(l.Reason, "main is protected: ask ann") || l.Commit != "" {
			t.Errorf("%+v", l)
		}
		if s.landed() != before || s.Main.Head() != before || s.Get(w).Status != worktree.Active {
			t.Error("something moved")
		}
		s.Sound()
		s.bare.Hook("pre-receive", "echo GitLab: You are not allowed to push code to protected branches on this project.; exit 1")
		_, err = s.Landings.Land(context.Background(), land.Request{Worktree: w.Ref})
		if _, blocked := errors.AsType[*land.Blocked](err); !blocked || !fault.Is(err, fault.KindConflict) {
			t.Errorf("a branch that takes no push: %v", err)
		}
		s.bare.Hook("pre-receive", "exit 0")
		if out := s.Merge(w); s.landed() != out.Commit {
			t.Error("it did not land afterwards")
		}
	})
}

func TestRemoteRefusesTheLogin(t *testing.T) {
	t.Parallel()
	var shut atomic.Bool
	s := newShared(t, func(folder string) string {
		return gittest.Serve(t, folder, func(w http.ResponseWriter, r *http.Request) bool {
			if shut.Load() && strings.Contains(r.URL.String(), "receive-pack") {
				http.Error(w, "only maintainers push", http.StatusForbidden)
				return false
			}
			return true
		})
	})
	w, before := s.Worked("x"), s.landed()
	shut.Store(true)
	_, err := s.Landings.Land(context.Background(), land.Request{Worktree: w.Ref})
	worktreetest.Contains(t, err, "was not merged", "origin", "403")
	if !fault.Is(err, fault.KindProvider) || s.landed() != before || s.Get(w).Operation() != "" || lastOf(s.Fixture, w.Ref).State != land.Returned {
		t.Errorf("%+v", err)
	}
	s.Sound()
}

func TestRemoteIsAway(t *testing.T) {
	t.Parallel()
	s := newShared(t, nil)
	tip := s.elsewhere("theirs")
	first := s.Worked("x") // saw it
	s.Main.Git("remote", "set-url", "origin", filepath.Join(t.TempDir(), "gone"))
	w := s.Spawn(spawn.Request{Task: "y"})
	if w.Base != tip {
		t.Error("work does not begin at the commit that was seen last")
	}
	s.told("origin", "going on with branch main as it was seen last")
	_, err := s.Landings.Land(context.Background(), land.Request{Worktree: first.Ref})
	worktreetest.Contains(t, err, first.Ref, "was not merged", "origin", "cannot be used")
	if !fault.Is(err, fault.KindProvider) || s.Get(first).Status != worktree.Active || s.landed() != tip {
		t.Errorf("%+v", err)
	}
	s.Sound()
}

func TestRemoteHangs(t *testing.T) {
	t.Parallel()
	var hangs atomic.Bool
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	s := newShared(t, func(folder string) string {
		return gittest.Serve(t, folder, func(_ http.ResponseWriter, r *http.Request) bool {
			if !hangs.Load() || !strings.Contains(r.URL.String(), "upload-pack") {
				return true
			}
			select {
			case <-over:
			case <-r.Context().Done():
			}
			return false
		})
	})
	w, before := s.Worked("x"), s.landed()
	hangs.Store(true)
	s.Set.RemoteWait = 100 * time.Millisecond
	s.Spawn(spawn.Request{Task: "y"})
	s.told("did not answer within 100ms", "going on with branch main")
	_, err := s.Landings.Land(context.Background(), land.Request{Worktree: w.Ref})
	worktreetest.Contains(t, err, "was not merged", "origin", "did not answer within 100ms")
	if !fault.Is(err, fault.KindProvider) || s.landed() != before || s.Get(w).Operation() != "" {
		t.Errorf("%+v", err)
	}
	s.Sound()
}

func TestBranchHereStays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(s *shared)
		told string // "" for a branch that has all of it
	}{
		"changed file": {func(s *shared) { s.Main.Write("a.txt", "mine\n") }, "not committed: a.txt"},
		"own commits":  {func(s *shared) { s.Main.Commit("mine", "mine", "mine\n") }, "has commits that branch main of remote"},
		"rebase":       {func(s *shared) { s.Main.Write(".git/rebase-merge/head-name", "refs/heads/main\n") }, "in progress"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShared(t, nil)
			w := s.Worked("x")
			c.do(s)
			head, status := s.Main.Git("rev-parse", "main"), s.Main.Git("status", "--porcelain")
			out := s.Merge(w)
			if s.landed() != out.Commit || !out.Removed {
				t.Errorf("%+v", out)
			}
			if s.Main.Git("rev-parse", "main") != head || s.Main.Git("status", "--porcelain") != status {
				t.Error("the branch here was touched")
			}
			s.told(w.Ref+" landed on branch main of remote", "stays where it was", c.told)
		})
	}
}

func TestBranchHereFollowsWithChanges(t *testing.T) {
	t.Parallel()
	s := newShared(t, nil)
	w := s.Worked("x")
	s.Main.Write("other.txt", "mine\n")
	out := s.Merge(w)
	if s.Main.Head() != out.Commit || s.Main.Git("status", "--porcelain") != "?? other.txt" || len(s.notices) > 0 {
		t.Errorf("%q", s.notices)
	}
}

func TestOtherBranchesLandHere(t *testing.T) {
	t.Parallel()
	s := newShared(t, nil)
	s.Main.Branch("release")
	w, before := s.Worked("x"), s.landed()
	out, err := s.Landings.Land(context.Background(), land.Request{Worktree: w.Ref, Into: "release"})
	if err != nil || s.Main.Git("rev-parse", "release") != out.Commit || s.landed() != before {
		t.Errorf("%+v %v", out, err)
	}
	if got := s.bare.Git("for-each-ref", "--format=%(refname)"); got != "refs/heads/main" {
		t.Errorf("the remote has %s", got)
	}
}

func TestRemoteLacksTheBranch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(s *shared)
		want []string
	}{
		"branch":  {func(s *shared) { s.bare.Git("update-ref", "-d", "refs/heads/main") }, []string{`remote "origin" has no branch "main" to land on`, "`git push origin main`"}},
		"renamed": {func(s *shared) { s.bare.Git("branch", "-m", "main", "trunk") }, []string{`has no branch "main" to land on, and its default branch is "trunk"`, "remote set-head origin -a"}},
		"remote":  {func(s *shared) { s.Set.Remote = "upstream" }, []string{`no remote "upstream"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShared(t, nil)
			w := s.Worked("x")
			c.do(s)
			_, err := s.Landings.Land(context.Background(), land.Request{Worktree: w.Ref})
			worktreetest.Contains(t, err, c.want...)
			if !fault.Is(err, fault.KindValidation) {
				t.Errorf("%+v", err)
			}
		})
	}
}

func TestBatchIsPushedOnce(t *testing.T) {
	t.Parallel()
	s := newShared(t, nil)
	pushes := filepath.Join(t.TempDir(), "pushes")
	s.bare.Hook("post-receive", "cat >> '"+pushes+"'")
	c := &crowd{Fixture: s.Fixture, runs: filepath.Join(t.TempDir(), "runs")}
	s.Set.Gate = []string{"echo run >> '" + c.runs + "'"}
	for _, name := range []string{"a", "b", "c", "d"} {
		w := s.Spawn(spawn.Request{Task: name})
		s.Tree(w).Commit(name, "new/"+name, name)
		c.trees = append(c.trees, w)
	}
	s.elsewhere("theirs")
	outs, errs := c.land(nil)
	for i, err := range errs {
		if err != nil || !outs[i].Removed {
			t.Errorf("%d: %+v %v", i, outs[i], err)
		}
	}
	if n := len(strings.Split(strings.TrimSpace(s.Main.Read(pushes)), "\n")); n != 1 || c.counted() != 1 {
		t.Errorf("%d pushes and %d gates for the first and the three behind it", n, c.counted())
	}
	var want []string
	for _, w := range c.trees {
		want = append(want, "Merge branch '"+w.Branch+"'")
	}
	got := strings.Split(s.bare.Git("log", "--first-parent", "--reverse", "--format=%s", "main"), "\n")
	if !slices.Equal(got[2:], want) {
		t.Errorf("the remote has %q", got)
	}
	if s.Main.Head() != s.landed() {
		t.Error("the branch here did not follow")
	}
	s.Clean()
	s.Sound()
}
