package obstacle_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// Everything that may stand in the way of removing a worktree, each in a worktree of its own, with what the proof holds besides.
func TestObstacles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the transcript shows paths of Unix")
	}
	f := worktreetest.New(t)
	var whole strings.Builder
	commit := regexp.MustCompile(`\b[0-9a-f]{7}\b`)
	short := map[string]string{} // of commits
	name := func(oid string) string {
		if oid == "" {
			return "none"
		}
		if short[oid] == "" {
			short[oid] = fmt.Sprintf("<c%d>", len(short)+1)
		}
		return short[oid]
	}
	prove := func(title string, w worktree.Worktree) {
		t.Helper()
		p, err := obstacle.ProveRemovable(t.Context(), f.Worktrees, obstacle.Subject{Git: f.Main.Repo(), Repo: f.Repo, Worktree: w}, "")
		worktreetest.Must(t, err)
		var all strings.Builder
		fmt.Fprintf(&all, "== %s: entry %q, tree %t, head %s %s, branch %s, %d changes, precious %q, vanished %t\n",
			title, p.Entry, p.Tree != nil, p.Head.Ref, name(p.Head.OID), name(p.BranchOID), len(p.Changes), p.Precious, p.Vanished)
		for _, o := range p.Obstacles {
			fmt.Fprintf(&all, "%s, absolute %t: %s %q\n", o.Kind, o.Kind.Absolute(), o.Text, o.Paths)
		}
		if err := obstacle.Present(t.Context(), f.Worktrees, obstacle.Subject{Git: f.Main.Repo(), Repo: f.Repo, Worktree: w}, "used"); err != nil {
			fmt.Fprintf(&all, "not present: %v\n", err)
		}
		whole.WriteString(strings.NewReplacer(`"`+filepath.Base(w.Path)+`"`, `"<folder>"`, "worktrees/"+filepath.Base(w.Path), "worktrees/<folder>", w.Ref, "<id>", f.Main.Dir, "<repo>").Replace(commit.ReplaceAllString(all.String(), "<commit>")))
	}
	on := func(title string, change func(w *worktree.Worktree, g *gittest.Repo)) {
		t.Helper()
		branch := strings.ReplaceAll(title, " ", "-")
		w := f.Spawn(spawn.Request{Branch: branch})
		change(&w, f.Tree(w))
		prove(title, w)
	}
	nothing := func(*worktree.Worktree, *gittest.Repo) {}

	on("as it was made", nothing)
	on("changed", func(_ *worktree.Worktree, g *gittest.Repo) {
		g.Write("a.txt", "changed\n")
		g.Write("new.txt", "new\n")
		g.Write("staged.txt", "staged\n")
		g.Git("add", "staged.txt")
		g.Write(".env", "password\n")
		g.Write("x.log", "rebuilt\n")
		g.Write("node_modules/x/x.js", "rebuilt\n")
		g.Write("secret/key", "key\n")
	})
	on("one change", func(_ *worktree.Worktree, g *gittest.Repo) { g.Write("a.txt", "changed\n") })
	on("changes behind flags", func(_ *worktree.Worktree, g *gittest.Repo) {
		g.Git("update-index", "--skip-worktree", "a.txt")
		g.Write("a.txt", "changed\n")
	})
	on("two new files", func(_ *worktree.Worktree, g *gittest.Repo) {
		g.Write("new.txt", "new\n")
		g.Write("newer.txt", "newer\n")
	})
	on("committed", func(_ *worktree.Worktree, g *gittest.Repo) {
		for i := range 7 {
			g.Commit(fmt.Sprintf("commit %d", i), "work.txt", fmt.Sprint(i))
		}
	})
	on("merged", func(_ *worktree.Worktree, g *gittest.Repo) {
		g.Commit("one merged", "merged.txt", "1")
		f.Main.Git("merge", "--quiet", "merged")
	})
	on("squashed", func(_ *worktree.Worktree, g *gittest.Repo) {
		g.Commit("one squashed", "squashed.txt", "1")
		g.Commit("two squashed", "squashed.txt", "2")
		f.Main.Commit("squashed", "squashed.txt", "2")
	})
	on("committed on no branch", func(_ *worktree.Worktree, g *gittest.Repo) {
		g.Git("switch", "--quiet", "--detach")
		g.Commit("on no branch", "lost.txt", "1")
	})
	on("on another branch", func(_ *worktree.Worktree, g *gittest.Repo) {
		g.Commit("on its own", "own.txt", "1")
		g.Git("switch", "--quiet", "--create", "another")
		g.Commit("on another", "another.txt", "1")
	})
	on("on the default branch", func(_ *worktree.Worktree, g *gittest.Repo) {
		g.Git("switch", "--quiet", "--ignore-other-worktrees", "main")
	})
	on("twice", func(_ *worktree.Worktree, g *gittest.Repo) {
		f.Main.Git("worktree", "add", "--quiet", "--force", filepath.Join(f.Main.Dir, ".worktrees", "second"), "twice")
	})
	on("without its branch", func(_ *worktree.Worktree, g *gittest.Repo) {
		g.Git("switch", "--quiet", "--detach")
		g.Git("branch", "--quiet", "-D", "without-its-branch")
	})
	on("locked", func(_ *worktree.Worktree, g *gittest.Repo) { f.Main.Git("worktree", "lock", g.Dir) })
	on("locked for a reason", func(_ *worktree.Worktree, g *gittest.Repo) {
		f.Main.Git("worktree", "lock", "--reason", "on a stick", g.Dir)
	})
	on("in a merge", func(w *worktree.Worktree, g *gittest.Repo) {
		g.Git("update-ref", "MERGE_HEAD", "HEAD")
	})
	on("with a git command", func(w *worktree.Worktree, g *gittest.Repo) {
		worktreetest.Must(t, os.WriteFile(filepath.Join(g.Git("rev-parse", "--absolute-git-dir"), "index.lock"), nil, 0o600))
	})
	on("with refs of its own", func(w *worktree.Worktree, g *gittest.Repo) { g.Git("update-ref", "refs/worktree/x", "HEAD") })
	on("with submodules", func(w *worktree.Worktree, g *gittest.Repo) {
		modules := filepath.Join(g.Git("rev-parse", "--absolute-git-dir"), "modules")
		for _, module := range []string{"new", "libs/pushed", "libs/unpushed"} {
			f.Main.Git("clone", "--quiet", "--bare", f.Main.Dir, filepath.Join(modules, module))
		}
		pushed := f.Main.At(filepath.Join(modules, "libs", "pushed"))
		for _, branch := range strings.Fields(pushed.Git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")) {
			pushed.Git("update-ref", "refs/remotes/origin/"+branch, "refs/heads/"+branch)
		}
	})
	on("of another maker", func(w *worktree.Worktree, g *gittest.Repo) {
		g.Commit("on a foreign branch", "foreign.txt", "1")
		w.Maker = "codex"
	})
	on("of another maker on no branch", func(w *worktree.Worktree, g *gittest.Repo) {
		g.Git("switch", "--quiet", "--detach")
		g.Commit("foreign on no branch", "foreign.txt", "1")
		w.Maker = "codex"
	})
	on("of another repository", func(w *worktree.Worktree, g *gittest.Repo) {
		worktreetest.Must(t, os.WriteFile(filepath.Join(g.Dir, ".git"), []byte("gitdir: "+filepath.Join(f.Repo.CommonDir, "worktrees", "twice")+"\n"), 0o600))
	})
	on("without a pointer", func(w *worktree.Worktree, g *gittest.Repo) {
		worktreetest.Must(t, os.Remove(filepath.Join(g.Dir, ".git")))
	})
	on("not listed", func(w *worktree.Worktree, g *gittest.Repo) {
		worktreetest.Must(t, os.RemoveAll(filepath.Join(f.Repo.CommonDir, "worktrees", checkout.EntryOf(g.Dir))))
	})
	on("gone", func(w *worktree.Worktree, g *gittest.Repo) { worktreetest.Must(t, os.RemoveAll(g.Dir)) })
	on("moved", func(w *worktree.Worktree, g *gittest.Repo) { worktreetest.Must(t, os.Rename(g.Dir, g.Dir+"-there")) })
	on("the main folder", func(w *worktree.Worktree, g *gittest.Repo) { w.Path = f.Main.Dir })
	on("without a branch in its row", func(w *worktree.Worktree, g *gittest.Repo) { w.Branch = "" })
	clitest.Golden(t, filepath.Join("testdata", "obstacles.txt"), whole.String())
}

// A folder that is to stay may be locked and may hold precious files.
func TestLeave(t *testing.T) {
	t.Parallel()
	var p obstacle.Proof
	for _, kind := range []obstacle.Kind{obstacle.Locked, obstacle.Unmerged, obstacle.Precious, obstacle.AtWork} {
		p.Add(kind, nil, "it is %s", kind)
	}
	p.Leave(obstacle.Locked, obstacle.Precious)
	if p.Has(obstacle.Locked, obstacle.Precious) || !p.Has(obstacle.Unmerged) || !p.Has(obstacle.Locked, obstacle.AtWork) || len(p.Obstacles) != 2 || p.Has() {
		t.Errorf("%+v", p.Obstacles)
	}
}

// A process is in a worktree when its current folder is, unless the owner's client or the caller started it or it is git.
func TestOccupants(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lists the folders of processes")
	}
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Agent: "ann", Branch: "x"})
	start := func(dir string) int {
		worktreetest.Must(t, os.MkdirAll(dir, 0o755))
		cat := exec.Command("cat")
		cat.Dir = dir
		in, err := cat.StdinPipe() // it runs until this is closed
		worktreetest.Must(t, err)
		out, err := cat.StdoutPipe()
		worktreetest.Must(t, err)
		worktreetest.Must(t, cat.Start())
		t.Cleanup(func() { in.Close(); _ = cat.Wait() })
		_, err = in.Write([]byte("x"))
		worktreetest.Must(t, err)
		_, err = out.Read(make([]byte, 1)) // it is cat by now
		worktreetest.Must(t, err)
		return cat.Process.Pid
	}
	inside, beside := filepath.Join(w.Path, "dir"), w.Path+"-beside"
	pid := start(inside)
	start(beside)
	for dir, want := range map[string]string{w.Path: "[cat]", inside: "[cat]", beside: "[cat]", w.Path[:len(w.Path)-1]: "[]"} {
		if got := fmt.Sprint(obstacle.Occupants(dir)); got != want {
			t.Errorf("in %s are %s, want %s", dir, got, want)
		}
	}
	for _, by := range []string{"", "ann"} {
		p, err := obstacle.ProveRemovable(t.Context(), f.Worktrees, obstacle.Subject{Git: f.Main.Repo(), Repo: f.Repo, Worktree: w}, by)
		worktreetest.Must(t, err)
		if want := fmt.Sprintf("process %d (cat) is in it", pid); len(p.Obstacles) != 1 || p.Obstacles[0].Text != want || p.Obstacles[0].Kind != obstacle.AtWork {
			t.Errorf("by %q: %+v, want %s", by, p.Obstacles, want)
		}
	}
}
