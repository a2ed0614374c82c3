package seen

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestMakers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, branch, lock, mark string
		want                     Maker
	}{
		{"/r/app/.claude/worktrees/fix", "worktree-fix", "", "", "claude-code"},
		{"/elsewhere/fix", "worktree-fix", "", "CLAUDE_BASE", "claude-code"},
		{"/elsewhere/fix", "", "claude agent agent-12 (pid 9)", "", "claude-code"},
		{"/home/a/.codex/worktrees/1f3c/app", "", "", "", "codex"},
		{"/home/a/x", "", "", "codex-thread.json", "codex"},
		{"/home/a/.claude/worktrees/x", "", "", "codex-thread.json", "codex"}, // a mark counts more than a folder
		{"/home/a/.cursor/worktrees/app/k2", "cursor/fix", "", "", "cursor"},
		{"/src/app.worktrees/fix", "copilot-fix", "", "", "vscode"},
		{"/src/copilot-worktrees/app/fix", "copilot-worktree-2026", "", "", "copilot"},
		{"/home/a/conductor/workspaces/app/lima", "a/fix", "", "", "conductor"},
		{"/var/tmp/vibe-kanban/worktrees/x/app", "vk/12-fix", "", "", "vibe-kanban"},
		{"/home/a/.claude-squad/worktrees/fix", "", "", "", "claude-squad"},
		{"/rig/polecats/nux", "polecat/nux/1", "", "", "gastown"},
		{"/src/fix", "opencode/3", "", "", "opencode"},
		{"/src/fix", "fix", "", "", Git},
		{"/src/worktrees/fix", "worktree-fix", "", "", Git},        // a person's own habit of naming
		{"/src/.worktrees/fix", "fix", "", "", Git},                // not *.worktrees of a repository
		{"/src/fix.claude/worktrees/x", "fix", "", "", Git},        // only whole names of folders
		{"/src/claude-fix", "fix", "on a removable disk", "", Git}, // a reason of the person's own
	} {
		entry := t.TempDir()
		if c.mark != "" {
			if err := os.WriteFile(filepath.Join(entry, c.mark), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		branch := c.branch
		if branch != "" {
			branch = "refs/heads/" + branch
		}
		got := makerOf(git.Worktree{Path: filepath.FromSlash(c.path), Branch: branch, LockReason: c.lock}, entry)
		if got != c.want {
			t.Errorf("%s on %q, locked %q, mark %q: %s, want %s", c.path, c.branch, c.lock, c.mark, got, c.want)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	main := gittest.New(t)
	main.Write("a.txt", "a\n")
	main.Commit("one", "a.txt")
	beside := gittest.TempDir(t)
	own := filepath.Join(beside, "own")
	link := filepath.Join(t.TempDir(), "link")
	for _, args := range [][]string{
		{"worktree", "add", "-q", "-b", "worktree-fix", filepath.Join(main.Dir, ".claude", "worktrees", "fix")},
		{"worktree", "add", "-q", "--detach", filepath.Join(beside, "app")},
		{"worktree", "add", "-q", "-b", "own", own},
		{"worktree", "add", "-q", "-b", "gone", filepath.Join(beside, "gone")},
		{"worktree", "add", "-q", "--detach", filepath.Join(main.Dir, ".git", "agit", "tested")},
		{"worktree", "lock", filepath.Join(beside, "app")},
	} {
		main.Git(args...)
	}
	if err := os.RemoveAll(filepath.Join(beside, "gone")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(beside, link); err != nil {
		t.Fatal(err)
	}
	repo := main.Repo()
	head := main.Git("rev-parse", "HEAD")
	for _, known := range []string{own, filepath.Join(link, "own")} {
		got, err := List(t.Context(), repo, []string{known})
		if err != nil {
			t.Fatal(err)
		}
		want := []Tree{
			{Name: filepath.Base(main.Dir), Path: repo.Dir(), Branch: "main", Head: head, Main: true},
			{Name: "app", Path: filepath.Join(beside, "app"), Head: head, Maker: Git, Locked: "without a reason"},
			{Name: "fix", Path: filepath.Join(repo.Dir(), ".claude", "worktrees", "fix"), Branch: "worktree-fix", Head: head, Maker: "claude-code"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("but for %s (-want +got):\n%s", known, diff)
		}
	}
}

func TestMainNamedApart(t *testing.T) {
	t.Parallel()
	if got := mainName("/src/app", []Tree{{Name: "APP"}, {Name: "app-main"}}); got != "app-main-main" {
		t.Error(got)
	}
	if got := mainName("/src/app", []Tree{{Name: "fix"}}); got != "app" {
		t.Error(got)
	}
}
