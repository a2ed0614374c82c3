package seen

import (
	"os"
	"path/filepath"
	"strconv"
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
		{"/home/a/.grok/worktrees/app/2", "", "", "", "grok"},
		{"/home/a/emdash/worktrees/app-1f3c", "emdash/fix", "", "", "emdash"},
		{"/r/app/worktrees/fix", "fix", "", "", "crystal"},
		{"/r/app/worktrees/fix/inner", "fix", "", "", Git},
		{"/src/fix", "jules/12", "", "", "jules"},
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
		got := makerOf(git.Worktree{Path: filepath.FromSlash(c.path), Branch: branch, LockReason: c.lock}, entry, filepath.FromSlash("/r/app"))
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
		{"worktree", "add", "-q", "--detach", filepath.Join(main.Dir, ".worktrees", ".gate")},
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
		got, err := Others(t.Context(), repo, []string{known})
		if err != nil {
			t.Fatal(err)
		}
		want := []Tree{
			{Name: filepath.Base(main.Dir), Path: repo.Dir(), Branch: "main", Head: head, Marks: Marks{Main: true}},
			{Name: "app", Path: filepath.Join(beside, "app"), Head: head, Maker: Git, Marks: Marks{Detached: true, Locked: "without a reason"}},
			{Name: "fix", Path: filepath.Join(repo.Dir(), ".claude", "worktrees", "fix"), Branch: "worktree-fix", Head: head, Maker: "claude-code"},
			{Name: "gone", Path: filepath.Join(beside, "gone"), Branch: "gone", Head: head, Maker: Git, Marks: Marks{Prunable: true}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("but for %s (-want +got):\n%s", known, diff)
		}
	}
}

// A folder that was moved by hand is found near its old place and counts where it is.
func TestMoved(t *testing.T) {
	t.Parallel()
	main := gittest.New(t)
	main.Write("a.txt", "a\n")
	main.Commit("one", "a.txt")
	beside := gittest.TempDir(t)
	old, now := filepath.Join(beside, "trees", "fix"), filepath.Join(beside, "elsewhere")
	main.Git("worktree", "add", "-q", "-b", "fix", old)
	main.Git("worktree", "add", "-q", "-b", "other", filepath.Join(beside, "trees", "other"))
	if err := os.Rename(old, now); err != nil {
		t.Fatal(err)
	}
	got, err := Others(t.Context(), main.Repo(), nil)
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v %v", got, err)
	}
	if got[1].Path != now || got[1].MovedFrom != old || got[1].Prunable || got[1].Name != "fix" {
		t.Errorf("%+v", got[1])
	}
	if got[2].MovedFrom != "" {
		t.Errorf("%+v", got[2])
	}
}

// A bare repository has no main checkout, with or without a .git file that leads its worktrees to it.
func TestBare(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"app.git", ".bare"} {
		main := gittest.New(t)
		main.Write("a.txt", "a\n")
		main.Commit("one", "a.txt")
		dir := gittest.TempDir(t)
		bare := filepath.Join(dir, name)
		main.Git("clone", "-q", "--bare", main.Dir, bare)
		at := bare
		if name == ".bare" {
			if err := os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: ./.bare\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			at = dir
		}
		main.Git("-C", at, "worktree", "add", "-q", "-b", "fix", filepath.Join(dir, "fix"))
		g, err := git.Find(at)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Others(t.Context(), g, nil)
		if err != nil || len(got) != 1 || got[0].Name != "fix" || got[0].Main {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

func TestLockProcess(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]int{
		"claude agent agent-12 (pid 4711)": 4711,
		"pid: 12":                          12,
		"on a removable disk":              0,
		"rapid 12":                         0,
		"(pid 99999999999999999999)":       0,
		"":                                 0,
	} {
		if got := lockProcess(reason); got != want {
			t.Errorf("%q: %d, want %d", reason, got, want)
		}
	}
	held := Tree{}
	held.lock(git.Worktree{Locked: true, LockReason: "claude agent x (pid " + strconv.Itoa(os.Getpid()) + ")"})
	if !held.LockHeld || held.LockedBy != os.Getpid() {
		t.Errorf("%+v", held)
	}
	var open Tree
	if open.lock(git.Worktree{LockReason: "pid 1"}); open.Locked != "" || open.LockedBy != 0 {
		t.Errorf("%+v", open)
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
