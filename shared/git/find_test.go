package git_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestFind(t *testing.T) {
	main := gittest.New(t)
	main.Commit("first", "dir/file", "x\n")
	linked := main.Worktree("side")
	inside := filepath.Join(main.Dir, ".worktrees", "a b")
	main.Git("worktree", "add", "--quiet", "-b", "inside", inside)
	bare := gittest.NewBare(t)
	sub := gittest.New(t)
	sub.Commit("sub", "s", "s\n")
	main.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub.Dir, "mod")
	elsewhere := filepath.Join(gittest.TempDir(t), "tree")
	moved := gittest.New(t)
	if err := os.Mkdir(elsewhere, 0o755); err != nil {
		t.Fatal(err)
	}
	moved.Git("config", "core.worktree", elsewhere)
	link := filepath.Join(gittest.TempDir(t), "link")
	if err := os.Symlink(main.Dir, link); err != nil {
		t.Skip("symbolic links are not available")
	}
	dotGit := filepath.Join(main.Dir, ".git")

	for name, c := range map[string]struct {
		path string
		want git.Repo
	}{
		"root":          {main.Dir, git.Repo{GitDir: dotGit, CommonDir: dotGit, WorkTree: main.Dir}},
		"sub-folder":    {filepath.Join(main.Dir, "dir"), git.Repo{GitDir: dotGit, CommonDir: dotGit, WorkTree: main.Dir}},
		"file":          {filepath.Join(main.Dir, "dir", "file"), git.Repo{GitDir: dotGit, CommonDir: dotGit, WorkTree: main.Dir}},
		"symbolic link": {filepath.Join(link, "dir"), git.Repo{GitDir: dotGit, CommonDir: dotGit, WorkTree: main.Dir}},
		"git folder":    {filepath.Join(dotGit, "refs"), git.Repo{GitDir: dotGit, CommonDir: dotGit, WorkTree: main.Dir}},
		"linked":        {linked.Dir, git.Repo{GitDir: filepath.Join(dotGit, "worktrees", "wt-side"), CommonDir: dotGit, WorkTree: linked.Dir}},
		"linked inside": {inside, git.Repo{GitDir: filepath.Join(dotGit, "worktrees", "a-b"), CommonDir: dotGit, WorkTree: inside}},
		"its git dir":   {filepath.Join(dotGit, "worktrees", "a-b"), git.Repo{GitDir: filepath.Join(dotGit, "worktrees", "a-b"), CommonDir: dotGit, WorkTree: inside}},
		"bare":          {filepath.Join(bare.Dir, "refs"), git.Repo{GitDir: bare.Dir, CommonDir: bare.Dir, Bare: true}},
		"submodule":     {filepath.Join(main.Dir, "mod"), git.Repo{GitDir: filepath.Join(dotGit, "modules", "mod"), CommonDir: filepath.Join(dotGit, "modules", "mod"), WorkTree: filepath.Join(main.Dir, "mod")}},
		"core.worktree": {moved.Dir, git.Repo{GitDir: filepath.Join(moved.Dir, ".git"), CommonDir: filepath.Join(moved.Dir, ".git"), WorkTree: elsewhere}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := git.Find(c.path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&c.want, got); diff != "" {
				t.Error(diff)
			}
			top, err := got.Run(context.Background(), "rev-parse", "--absolute-git-dir")
			if err != nil || top != got.GitDir {
				t.Errorf("git itself works in %q (%v)", top, err)
			}
		})
	}
}

func TestFindNone(t *testing.T) {
	dir := t.TempDir()
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, ".git"), []byte("gitdir: /nowhere/at/all\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]fault.Kind{
		dir: fault.KindNotFound, filepath.Join(dir, "gone"): fault.KindNotFound, broken: fault.KindOperation,
	} {
		if _, err := git.Find(path); !fault.Is(err, kind) {
			t.Errorf("Find(%q) = %v, want %s", path, err, kind)
		}
	}
}

// A worktree without its .git file must not be taken for the repository around it.
func TestRunNeverWalksUp(t *testing.T) {
	main := gittest.New(t)
	main.Commit("first", "f", "x\n")
	inside := main.Path(".worktrees/w")
	main.Git("worktree", "add", "--quiet", "-b", "w", inside)
	repo := main.At(inside).Repo()
	if err := os.Remove(filepath.Join(inside, ".git")); err != nil {
		t.Fatal(err)
	}
	if out, err := repo.Run(context.Background(), "rev-parse", "--git-dir"); err == nil {
		t.Fatalf("git worked in %q", out)
	}
}

func TestMainOfLinked(t *testing.T) {
	main := gittest.New(t)
	main.Commit("first")
	got, err := main.Worktree("side").Repo().Main()
	if err != nil || got.WorkTree != main.Dir || got.Linked() {
		t.Fatalf("Main() = %+v, %v", got, err)
	}
}
