package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

func TestSpawn(t *testing.T) {
	f := setUp(t)
	w := f.spawn(Spawn{Task: "Fix Auth: login fails!\nmore text", Agent: "claude"})
	if !regexp.MustCompile(`^agit/fix-auth-login-fails-[0-9a-z]{6}$`).MatchString(w.Branch) {
		t.Errorf("branch %q", w.Branch)
	}
	if want := filepath.Join(f.main.Dir, ".worktrees", strings.TrimPrefix(w.Branch, "agit/")); w.Path != want {
		t.Errorf("path %q, want %q", w.Path, want)
	}
	if !regexp.MustCompile(`^w-[0-9a-hjkmnp-tv-z]{10}$`).MatchString(w.Ref) || w.Status != Active || w.Agent != "claude" || w.Base != f.main.Head() {
		t.Errorf("%+v", w)
	}
	tree := f.tree(w)
	if tree.Read("a.txt") != f.main.Read("a.txt") || tree.Git("branch", "--show-current") != w.Branch {
		t.Error("the worktree is not what main is")
	}
	f.clean()
	f.sound()
}

func TestSpawnSeedExample(t *testing.T) {
	f := setUp(t)
	w := f.spawn(Spawn{Task: "fix bug", Branch: "agit/fix-bug-abc123"})
	if w.Path != filepath.Join(f.main.Dir, ".worktrees", "fix-bug-abc123") || w.Branch != "agit/fix-bug-abc123" {
		t.Errorf("%+v", w)
	}
	_, err := f.Spawn(context.Background(), Spawn{Repo: "APP", Branch: "agit/fix-bug-abc123"})
	if !fault.Is(err, fault.KindConflict) {
		t.Error(err)
	}
	_, err = f.Spawn(context.Background(), Spawn{Repo: "app", Branch: "x/fix-bug-abc123"}) // another branch, the same folder
	if !fault.Is(err, fault.KindConflict) || len(f.rows()) != 1 {
		t.Error(err, f.rows())
	}
}

// A retried call gives back the worktree that the agent has for the task, and makes
// no second one, also when both come at once from an agent that is not yet known.
func TestSpawnTwice(t *testing.T) {
	f := setUp(t)
	var id int64
	f.must(func(tx *registry.Tx) (err error) {
		id, err = tx.Insert(`INSERT INTO items (uid, ref, ref_key, kind, project_id, title, status, state, created_at, updated_at) VALUES ('u1', 'T-1', 't-1', 'task', ?, 'the task', 'pending', 'open', ?, ?) RETURNING id`,
			f.repo.ProjectID, tx.Stamp(), tx.Stamp())
		return err
	})
	f.Store = New(f.db, Options{Settings: func(repo.Repo) Settings { return f.set }, Tasks: &fakeTasks{item: id}})
	var group sync.WaitGroup
	made := make([]Worktree, 4)
	for i := range made {
		group.Go(func() {
			for {
				w, err := f.Spawn(context.Background(), Spawn{Repo: "app", Task: "T-1", Agent: "ann"})
				if err == nil || !fault.From(err).Retryable {
					made[i] = w
					must(t, err)
					return
				}
			}
		})
	}
	group.Wait()
	fresh := 0
	for _, w := range made {
		if w.Ref != made[0].Ref {
			t.Errorf("%s beside %s", w.Ref, made[0].Ref)
		}
		if !w.Reused {
			fresh++
		}
	}
	if rows := f.rows(); len(rows) != 1 || fresh != 1 {
		t.Errorf("%d of the calls made one: %+v", fresh, rows)
	}
	if other := f.spawn(Spawn{Task: "T-1", Agent: "bob"}); other.Ref == made[0].Ref || other.Reused {
		t.Errorf("%+v", other)
	}
	f.sound()
}

// A spawn that fails leaves no agent that it would have made known.
func TestFailedSpawnRegistersNobody(t *testing.T) {
	f := setUp(t)
	f.set.PostSpawn = []string{`test "$AGIT_AGENT" = newcomer && exit 7`}
	_, err := f.Spawn(context.Background(), Spawn{Repo: "app", Agent: "newcomer"})
	contains(t, err, "exit status 7")
	f.must(func(tx *registry.Tx) error {
		if n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM agents`)); err != nil || n != 0 {
			t.Errorf("%d agents, %v", n, err)
		}
		return nil
	})
}

// A folder of the worktrees that comes with a clone as a link leads nowhere.
func TestSpawnThroughALinkIsRefused(t *testing.T) {
	f := setUp(t)
	outside := gittest.TempDir(t)
	if err := os.Symlink(outside, f.main.Path(".worktrees")); err != nil {
		t.Skip(err)
	}
	_, err := f.Spawn(context.Background(), Spawn{Repo: "app"})
	contains(t, err, "symbolic link")
	if found, err := os.ReadDir(outside); err != nil || len(found) != 0 {
		t.Errorf("%v %v", found, err)
	}
	f.leftNothing("main")
}

func TestSpawnNames(t *testing.T) {
	f := setUp(t)
	for _, task := range []string{"--upload-pack=touch x", `"quotes" & $(touch x) ; 'y'`, "日本語のタスク 🚀", "..", "-", strings.Repeat("é", 5000), "a/b/../c", "\t\n", "x.lock"} {
		w := f.spawn(Spawn{Task: task})
		if !git.ValidBranch(w.Branch) || !strings.HasPrefix(w.Branch, "agit/") {
			t.Errorf("%.30q gives branch %q", task, w.Branch)
		}
		if got := f.tree(w).Git("branch", "--show-current"); got != w.Branch {
			t.Errorf("%.30q: on %q, not %q", task, got, w.Branch)
		}
	}
	for _, bad := range []Spawn{{Branch: "-x"}, {Branch: "a b"}, {Branch: "a..b"}, {Branch: "a\x00b"}, {Task: "a\x00b"}, {Task: "\xff"}, {Branch: strings.Repeat("x", 10000)}, {Branch: "HEAD"}} {
		bad.Repo = "app"
		if _, err := f.Spawn(context.Background(), bad); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%.40q: %v", bad, err)
		}
	}
	if _, err := f.Spawn(context.Background(), Spawn{Repo: "appp"}); !fault.Is(err, fault.KindNotFound) || !strings.Contains(err.Error(), `"app"`) {
		t.Error(err)
	}
	f.clean()
	f.sound()
}

// leftNothing fails the test when a failed spawn left a folder, branch or row.
func (f *fixture) leftNothing(branchesBefore string) {
	f.t.Helper()
	if rows := f.rows(); len(rows) > 0 {
		f.t.Errorf("rows: %+v", rows)
	}
	if entries, err := os.ReadDir(filepath.Join(f.main.Dir, ".worktrees")); err == nil && len(entries) > 0 {
		f.t.Errorf("folders: %v", entries)
	}
	if _, err := os.Lstat(filepath.Join(f.repo.CommonDir, "worktrees")); err == nil {
		f.t.Error("git's list is not empty")
	}
	if got := f.branches(); got != branchesBefore {
		f.t.Errorf("branches: %s", got)
	}
	f.sound()
}

func TestSpawnLeavesNothingWhenItFails(t *testing.T) {
	for _, point := range []string{"spawn:planned", "spawn:added", "spawn:built"} {
		t.Run(point, func(t *testing.T) {
			f := setUp(t)
			failAt(t, point)
			_, err := f.Spawn(context.Background(), Spawn{Repo: "app", Task: "x"})
			contains(t, err, "fail at")
			f.leftNothing("main")
		})
	}
	t.Run("hook", func(t *testing.T) {
		f := setUp(t)
		f.set.PostSpawn = []string{"echo fine > made.log", "echo broken >&2; exit 3"}
		_, err := f.Spawn(context.Background(), Spawn{Repo: "app", Task: "x"})
		contains(t, err, "post_spawn", "broken", "exit status 3")
		f.leftNothing("main")
	})
	t.Run("hook too slow", func(t *testing.T) {
		f := setUp(t)
		f.set.PostSpawn, f.set.HookTimeout = []string{"sleep 600"}, 50*time.Millisecond
		_, err := f.Spawn(context.Background(), Spawn{Repo: "app", Task: "x"})
		contains(t, err, "longer than 50ms")
		f.leftNothing("main")
	})
	t.Run("cancelled", func(t *testing.T) {
		f := setUp(t)
		ctx, cancel := context.WithCancel(context.Background())
		failpoint = func(name string) error {
			if name == "spawn:added" {
				cancel()
			}
			return ctx.Err()
		}
		t.Cleanup(func() { failpoint = nil })
		_, err := f.Spawn(ctx, Spawn{Repo: "app", Task: "x"})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		f.leftNothing("main")
	})
	t.Run("git's own hook", func(t *testing.T) {
		f := setUp(t)
		f.main.Write(".git/hooks/post-checkout", "#!/bin/sh\nexit 1\n")
		os.Chmod(f.main.Path(".git/hooks/post-checkout"), 0o755)
		if _, err := f.Spawn(context.Background(), Spawn{Repo: "app", Task: "x"}); err == nil {
			t.Error("no error")
		}
		f.leftNothing("main")
	})
	t.Run("folder cannot be written", func(t *testing.T) {
		f := setUp(t)
		f.main.Write(".worktrees", "a file is in the way")
		_, err := f.Spawn(context.Background(), Spawn{Repo: "app", Task: "x"})
		contains(t, err, "not a directory")
		f.main.Remove(".worktrees")
		f.leftNothing("main")
	})
	t.Run("branch in the way", func(t *testing.T) {
		f := setUp(t)
		f.main.Branch("agit")
		_, err := f.Spawn(context.Background(), Spawn{Repo: "app", Task: "x"})
		if !fault.Is(err, fault.KindConflict) {
			t.Error(err)
		}
		f.leftNothing("agit main")
	})
	t.Run("branch made meanwhile", func(t *testing.T) {
		f := setUp(t)
		failpoint = func(name string) error {
			if name == "spawn:planned" {
				f.main.Branch("mine-abc123")
			}
			return nil
		}
		t.Cleanup(func() { failpoint = nil })
		_, err := f.Spawn(context.Background(), Spawn{Repo: "app", Branch: "mine-abc123"})
		if !fault.Is(err, fault.KindConflict) {
			t.Error(err)
		}
		f.leftNothing("main mine-abc123")
	})
	t.Run("path exists", func(t *testing.T) {
		f := setUp(t)
		f.main.Write(".worktrees/x-abc123/precious", "x")
		_, err := f.Spawn(context.Background(), Spawn{Repo: "app", Branch: "x-abc123"})
		if !fault.Is(err, fault.KindConflict) || f.main.Read(".worktrees/x-abc123/precious") != "x" {
			t.Error(err)
		}
	})
}

func failAt(t *testing.T, point string) {
	t.Helper()
	failpoint = func(name string) error {
		if name == point {
			return fault.Operation(nil, "fail at %s", name)
		}
		return nil
	}
	t.Cleanup(func() { failpoint = nil })
}

func TestSpawnInOddRepositories(t *testing.T) {
	t.Run("no commit", func(t *testing.T) {
		f := setUpWith(t, gittest.New(t))
		_, err := f.Spawn(context.Background(), Spawn{Repo: "app", Task: "x"})
		contains(t, err, "no commit yet", "first commit")
	})
	t.Run("detached HEAD", func(t *testing.T) {
		f := setUp(t)
		f.main.Git("checkout", "--quiet", "--detach")
		w := f.spawn(Spawn{Task: "x"})
		if w.Base != f.main.Head() {
			t.Error(w.Base)
		}
		f.sound()
	})
	t.Run("bare", func(t *testing.T) {
		source := gittest.New(t)
		source.Commit("c", "f", "x\n")
		bare := gittest.NewBare(t)
		source.Git("push", "--quiet", bare.Dir, "main")
		f := setUpWith(t, bare)
		w := f.spawn(Spawn{Task: "x"})
		if f.tree(w).Read("f") != "x\n" {
			t.Error("no files")
		}
		f.sound()
	})
	t.Run("only at the remote", func(t *testing.T) {
		source := gittest.New(t)
		tip := source.Commit("c", "f", "x\n")
		source.Git("branch", "dev")
		clone := source.At(gittest.TempDir(t))
		clone.Git("clone", "--quiet", "--branch=dev", source.Dir, ".")
		f := setUpWith(t, clone)
		if f.repo.DefaultBranch != "main" {
			t.Fatal(f.repo.DefaultBranch)
		}
		if w := f.spawn(Spawn{Task: "x"}); w.Base != tip {
			t.Error(w.Base)
		}
	})
	t.Run("locked index", func(t *testing.T) {
		f := setUp(t)
		f.main.Write(".git/index.lock", "")
		w := f.spawn(Spawn{Task: "x"})
		f.main.Remove(".git/index.lock")
		f.clean()
		if f.tree(w).Read("b.txt") != "b\n" {
			t.Error("no files")
		}
	})
	t.Run("sparse", func(t *testing.T) {
		f := setUp(t)
		f.main.Git("sparse-checkout", "set", "dir")
		w := f.spawn(Spawn{Task: "x"})
		if f.tree(w).Read("dir/c.txt") != "c\n" {
			t.Error("no files")
		}
		f.clean()
	})
	t.Run("spaces, quotes and unicode", func(t *testing.T) {
		g := gittest.NewAt(t, filepath.Join(gittest.TempDir(t), `-my "repo" 'ü' 🚀 [x]`))
		g.Commit("c", "f", "x\n")
		f := setUpWith(t, g)
		w := f.spawn(Spawn{Task: "x"})
		f.clean()
		f.tree(w).Commit("work", "g", "y\n")
		if _, err := f.Merge(context.Background(), Merge{Worktree: w.Ref}); err != nil {
			t.Error(err)
		}
		f.clean()
		f.sound()
	})
}

func TestWorktreesNeverShow(t *testing.T) {
	f := setUp(t)
	f.main.Commit("take back", ".gitignore", "*\n!*/\n!*.txt\n")
	f.spawn(Spawn{Task: "x"})
	f.clean()
	f.main.Git("add", "--all")
	f.clean()
	text, err := os.ReadFile(filepath.Join(f.repo.CommonDir, "info", "exclude"))
	if err != nil || strings.Count(string(text), "/.worktrees/\n") != 1 {
		t.Errorf("%s, %v", text, err)
	}
	f.spawn(Spawn{Task: "y"})
	if again, _ := os.ReadFile(filepath.Join(f.repo.CommonDir, "info", "exclude")); string(again) != string(text) {
		t.Errorf("written again: %s", again)
	}
	if f.main.Read(".gitignore") != "*\n!*/\n!*.txt\n" {
		t.Error(".gitignore was touched")
	}
	f.sound()
}

func TestWorktreeInclude(t *testing.T) {
	f := setUp(t)
	f.main.Commit("include", ".worktreeinclude", "# needed\n.env\nsecret/\n*.txt\n/link\n!secret/not\n", ".gitignore", "*.log\n.env\nsecret/\n/link\n/out\n")
	outside := filepath.Join(gittest.TempDir(t), "outside")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.main.Write(".env", "KEY=1\n")
	f.main.Write("dir/.env", "KEY=2\n")
	f.main.Write("secret/k e y", "s\n")
	f.main.Write("app.log", "not asked for\n")
	f.main.Write("new.txt", "untracked, but not ignored\n")
	os.Chmod(f.main.Path(".env"), 0o640)
	os.Symlink(outside, f.main.Path("link"))
	w := f.spawn(Spawn{Task: "x"})
	tree := f.tree(w)
	for name, want := range map[string]string{".env": "KEY=1\n", "dir/.env": "KEY=2\n", "secret/k e y": "s\n", "app.log": "", "new.txt": "", "link": "", "a.txt": f.main.Read("a.txt")} {
		if got := tree.Read(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if info, err := os.Stat(tree.Path(".env")); err != nil || info.Mode().Perm() != 0o640 {
		t.Error(info.Mode(), err)
	}
	if out := tree.Git("status", "--porcelain"); out != "" {
		t.Error(out)
	}
}

// A branch may hold a link where the include has a folder; the copy must not
// follow it out of the worktree.
func TestWorktreeIncludeStaysInside(t *testing.T) {
	f := setUp(t)
	outside := gittest.TempDir(t)
	if err := os.Symlink(outside, f.main.Path("conf")); err != nil {
		t.Skip(err)
	}
	f.main.Commit("link", ".worktreeinclude", "key\n", ".gitignore", "key\n")
	f.main.Remove("conf")
	f.main.Write("conf/key", "secret\n")
	f.spawn(Spawn{Task: "x"})
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("written outside: %v", entries)
	}
}

func TestHookEnvironment(t *testing.T) {
	f := setUp(t)
	t.Setenv("GIT_DIR", "/nowhere")
	f.set.PostSpawn = []string{`printf '%s|%s|%s|%s|%s|%s' "$AGIT_REPO" "$AGIT_WORKTREE" "$AGIT_TASK" "$AGIT_AGENT" "$AGIT_PORT" "$GIT_DIR" > env.log`}
	w := f.spawn(Spawn{Task: "do; it \"now\"", Agent: "bob"})
	got := strings.Split(f.tree(w).Read("env.log"), "|")
	if len(got) != 6 || got[0] != "app" || got[1] != w.Ref || got[2] != "do; it \"now\"" || got[3] != "bob" || got[4] == "" || got[5] != "" {
		t.Errorf("%q", got)
	}
}

func TestPortsAreApart(t *testing.T) {
	f := setUp(t)
	f.set.PortBase, f.set.PortCount = portEnd-40, 10
	seen := map[int]bool{}
	for range 5 {
		w := f.spawn(Spawn{})
		if w.Port != 0 && seen[w.Port] {
			t.Errorf("port %d given twice", w.Port)
		}
		seen[w.Port] = true
		if got := f.get(w).Port; got != w.Port {
			t.Errorf("port %d became %d", w.Port, got)
		}
	}
	if len(seen) != 5 || !seen[0] {
		t.Errorf("%v: four ranges, and none for the fifth", seen)
	}
}

func TestSpawnAtOnce(t *testing.T) {
	f := setUp(t)
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			if _, err := f.Spawn(context.Background(), Spawn{Repo: "app", Task: "task", Agent: "agent-" + strconv.Itoa(i)}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := len(f.rows()); n != 12 {
		t.Errorf("%d rows", n)
	}
	f.clean()
	f.sound()
}

func FuzzSlug(f *testing.F) {
	for _, s := range []string{"", "a b", "..", "-x", "é\u0301", "\xff", "x.lock", "@{", strings.Repeat("長", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := nameFor("agit/", s, ""); err != nil || !git.ValidBranch(n.branch) || len(n.branch) > 200 {
			t.Errorf("%q gives %q, %v", s, n.branch, err)
		}
	})
}
