package spawn_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

func TestSpawn(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "Fix Auth: login fails!\nmore text", Agent: "claude"})
	if !regexp.MustCompile(`^agit/fix-auth-login-fails-[0-9a-z]{6}$`).MatchString(w.Branch) {
		t.Errorf("branch %q", w.Branch)
	}
	if want := filepath.Join(f.Main.Dir, ".worktrees", strings.TrimPrefix(w.Branch, "agit/")); w.Path != want {
		t.Errorf("path %q, want %q", w.Path, want)
	}
	if !regexp.MustCompile(`^w-[0-9a-hjkmnp-tv-z]{10}$`).MatchString(w.Ref) || w.Status != worktree.Active || w.Agent != "claude" || w.Base != f.Main.Head() {
		t.Errorf("%+v", w)
	}
	tree := f.Tree(w)
	if tree.Read("a.txt") != f.Main.Read("a.txt") || tree.Git("branch", "--show-current") != w.Branch {
		t.Error("the worktree is not what main is")
	}
	f.Clean()
	f.Sound()
}

func TestSpawnSeedExample(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "fix bug", Branch: "agit/fix-bug-abc123"})
	if w.Path != filepath.Join(f.Main.Dir, ".worktrees", "fix-bug-abc123") || w.Branch != "agit/fix-bug-abc123" {
		t.Errorf("%+v", w)
	}
	_, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "APP", Branch: "agit/fix-bug-abc123"})
	if !fault.Is(err, fault.KindConflict) {
		t.Error(err)
	}
	_, err = f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app", Branch: "x/fix-bug-abc123"}) // another branch, the same folder
	if !fault.Is(err, fault.KindConflict) || len(f.Rows()) != 1 {
		t.Error(err, f.Rows())
	}
}

// A retried call returns the worktree that the agent has for the task, and makes no second one, also when both come at once from an agent
// that is not yet known.
func TestSpawnTwice(t *testing.T) {
	f := worktreetest.New(t)
	var id int64
	f.Write(func(tx *registry.Tx) (err error) {
		id, err = tx.Insert(`INSERT INTO items (uid, ref, ref_key, kind, project_id, title, status, state, created_at, updated_at) VALUES ('u1', 'T-1', 't-1', 'task', ?, 'the task', 'pending', 'open', ?, ?) RETURNING id`,
			f.Repo.ProjectID, tx.Stamp(), tx.Stamp())
		return err
	})
	f.Reopen(&worktreetest.Tasks{Item: id})
	var group sync.WaitGroup
	made := make([]worktree.Worktree, 4)
	for i := range made {
		group.Go(func() {
			for {
				w, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app", Task: "T-1", Agent: "ann"})
				if err == nil || !fault.From(err).Retryable {
					made[i] = w
					worktreetest.Must(t, err)
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
	if rows := f.Rows(); len(rows) != 1 || fresh != 1 {
		t.Errorf("%d of the calls made one: %+v", fresh, rows)
	}
	if other := f.Spawn(spawn.Request{Task: "T-1", Agent: "bob"}); other.Ref == made[0].Ref || other.Reused {
		t.Errorf("%+v", other)
	}
	f.Sound()
}

// A spawn whose caller has read the task and the agent already makes their worktree once, and none when the task is refused meanwhile.
func TestSpawnOfAKnownTask(t *testing.T) {
	f := worktreetest.New(t)
	known := spawn.Known{Title: "Log in"}
	f.Write(func(tx *registry.Tx) (err error) {
		known.ItemID, err = tx.Insert(`INSERT INTO items (uid, ref, ref_key, kind, project_id, title, status, state, created_at, updated_at) VALUES ('u1', 'T-1', 't-1', 'task', ?, 'Log in', 'pending', 'open', ?, ?) RETURNING id`,
			f.Repo.ProjectID, tx.Stamp(), tx.Stamp())
		if err == nil {
			known.Agent, err = agent.Caller(tx, "ann")
		}
		if err == nil {
			known.Found, err = worktree.FoundFor(tx, f.Repo, known.ItemID, known.Agent.ID)
		}
		return err
	})
	if known.Found.Worktree.ID != 0 {
		t.Fatalf("found before it is made: %+v", known.Found.Worktree)
	}
	tasks := &worktreetest.Tasks{}
	f.Reopen(tasks)
	refusal := fault.Conflict("task", "T-1", "another agent has it")
	known.Recheck = func(*registry.Tx) error { return refusal }
	request := spawn.Request{Repo: "app", Task: "T-1", Agent: "ann", Known: &known}
	if _, err := f.Spawns.Spawn(t.Context(), request); !errors.Is(err, refusal) || len(f.Rows()) != 0 {
		t.Errorf("refused: %v, with %d worktrees", err, len(f.Rows()))
	}
	known.Recheck = func(*registry.Tx) error { return nil }
	w := f.Spawn(request)
	if w.Agent != "ann" || w.AgentID != known.Agent.ID || w.ItemID != known.ItemID || w.Reused || !strings.HasPrefix(w.Branch, "agit/log-in") || !slices.Equal(tasks.Spawns, []string{w.Ref}) {
		t.Errorf("made %+v, linked %v", w, tasks.Spawns)
	}
	if again := f.Spawn(request); again.Ref != w.Ref || !again.Reused || len(f.Rows()) != 1 {
		t.Errorf("again %+v, %d worktrees", again, len(f.Rows()))
	}
	f.Sound()
}

// A spawn that expects what its caller has read asks only where that has changed: when it writes the row, and when it completes it.
func TestSpawnOfWhatIsExpected(t *testing.T) {
	for _, c := range []struct {
		what     string
		still    string
		unlinked bool
		others   int // linked by the spawn itself
		asked    bool
	}{
		{what: "as read", still: "1 = 1"},
		{what: "claimed by another meanwhile", still: "1 = 2", asked: true},
		{what: "lost at the end", still: "1 = 1", unlinked: true, others: 1},
	} {
		t.Run(c.what, func(t *testing.T) {
			f := worktreetest.New(t)
			tasks := &worktreetest.Tasks{}
			f.Reopen(tasks)
			known := spawn.Known{Title: "Log in"}
			f.Write(func(tx *registry.Tx) (err error) {
				known.ItemID, err = tx.Insert(`INSERT INTO items (uid, ref, ref_key, kind, project_id, title, status, state, created_at, updated_at) VALUES ('u1', 'T-1', 't-1', 'task', ?, 'Log in', 'pending', 'open', ?, ?) RETURNING id`,
					f.Repo.ProjectID, tx.Stamp(), tx.Stamp())
				if err == nil {
					known.Agent, err = agent.Caller(tx, "ann")
				}
				if err == nil {
					known.Found, err = worktree.FoundFor(tx, f.Repo, known.ItemID, known.Agent.ID)
				}
				return err
			})
			asked, linked, read := false, false, 0
			known.Recheck = func(*registry.Tx) error { asked = true; return nil }
			known.Still = func() (string, []any) { return c.still, nil }
			known.Link = func(tx *registry.Tx, w worktree.Worktree, refusal error) error {
				if linked = !c.unlinked; linked {
					return nil
				}
				return tx.Must(refusal, `UPDATE items SET title = title WHERE id = 0`)
			}
			known.After = func(tx *registry.Tx, w worktree.Worktree) error {
				now, err := worktree.ByID(tx, w.ID)
				if err != nil { // nothing was stored
					return err
				}
				if read++; now.Agent != "ann" || now.Status != worktree.Active {
					t.Errorf("read for %+v", now)
				}
				return nil
			}
			request := spawn.Request{Repo: "app", Task: "T-1", Agent: "ann", Known: &known}
			w := f.Spawn(request)
			if w.Agent != "ann" || w.AgentID != known.Agent.ID || w.ItemID != known.ItemID || w.Status != worktree.Active || w.Reused {
				t.Errorf("made %+v", w)
			}
			if asked != c.asked || linked == c.unlinked || len(tasks.Spawns) != c.others || (read == 1) == c.unlinked {
				t.Errorf("asked %t, linked %t and %v, read %d times", asked, linked, tasks.Spawns, read)
			}
			known.Ports = map[int]bool{}
			if again := f.Spawn(request); again.Ref != w.Ref || !again.Reused || len(f.Rows()) != 1 {
				t.Errorf("again %+v, %d worktrees", again, len(f.Rows()))
			}
			f.Sound()
		})
	}
}

// A spawn that was stored stays, also when its caller cannot read after it, as one that is cancelled meanwhile.
func TestSpawnIsNotUndoneByARead(t *testing.T) {
	f := worktreetest.New(t)
	f.Reopen(&worktreetest.Tasks{})
	known := spawn.Known{Title: "Log in", Still: func() (string, []any) { return "1 = 1", nil }, Recheck: func(*registry.Tx) error { return nil },
		Link: func(*registry.Tx, worktree.Worktree, error) error { return nil }}
	f.Write(func(tx *registry.Tx) (err error) {
		if known.Agent, err = agent.Caller(tx, "ann"); err == nil {
			known.Found, err = worktree.FoundFor(tx, f.Repo, 0, known.Agent.ID)
		}
		return err
	})
	ctx, cancel := context.WithCancel(t.Context())
	known.After = func(*registry.Tx, worktree.Worktree) error { cancel(); return ctx.Err() }
	w, err := f.Spawns.Spawn(ctx, spawn.Request{Repo: "app", Task: "T-1", Agent: "ann", Known: &known})
	if _, folder := os.Stat(w.Path); err != nil || folder != nil || w.Status != worktree.Active {
		t.Errorf("%+v, %v, the folder: %v", w, err, folder)
	}
	f.Sound()
}

// A spawn that fails does not register its agent.
func TestFailedSpawnRegistersNobody(t *testing.T) {
	f := worktreetest.New(t)
	f.Set.PostSpawn = []string{`test "$AGIT_AGENT" = newcomer && exit 7`}
	_, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app", Agent: "newcomer"})
	worktreetest.Contains(t, err, "exit status 7")
	f.Write(func(tx *registry.Tx) error {
		if n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM agents`)); err != nil || n != 0 {
			t.Errorf("%d agents, %v", n, err)
		}
		return nil
	})
}

// A link that a clone brings in place of the folder of the worktrees is not followed.
func TestSpawnThroughALinkIsRefused(t *testing.T) {
	f := worktreetest.New(t)
	outside := gittest.TempDir(t)
	if err := os.Symlink(outside, f.Main.Path(".worktrees")); err != nil {
		t.Skip(err)
	}
	_, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app"})
	worktreetest.Contains(t, err, "symbolic link")
	if found, err := os.ReadDir(outside); err != nil || len(found) != 0 {
		t.Errorf("%v %v", found, err)
	}
	f.LeftNothing("main")
}

func TestSpawnNames(t *testing.T) {
	f := worktreetest.New(t)
	for _, task := range []string{"--upload-pack=touch x", `"quotes" & $(touch x) ; 'y'`, "日本語のタスク 🚀", "..", "-", strings.Repeat("é", 5000), "a/b/../c", "\t\n", "x.lock"} {
		w := f.Spawn(spawn.Request{Task: task})
		if !git.ValidBranch(w.Branch) || !strings.HasPrefix(w.Branch, "agit/") {
			t.Errorf("%.30q gives branch %q", task, w.Branch)
		}
		if got := f.Tree(w).Git("branch", "--show-current"); got != w.Branch {
			t.Errorf("%.30q: on %q, not %q", task, got, w.Branch)
		}
	}
	for _, bad := range []spawn.Request{{Branch: "-x"}, {Branch: "a b"}, {Branch: "a..b"}, {Branch: "a\x00b"}, {Task: "a\x00b"}, {Task: "\xff"}, {Branch: strings.Repeat("x", 10000)}, {Branch: "HEAD"}} {
		bad.Repo = "app"
		if _, err := f.Spawns.Spawn(context.Background(), bad); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%.40q %.40q: %v", bad.Branch, bad.Task, err)
		}
	}
	if _, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "appp"}); !fault.Is(err, fault.KindNotFound) || !strings.Contains(err.Error(), `"app"`) {
		t.Error(err)
	}
	f.Clean()
	f.Sound()
}

func TestSpawnLeavesNothingWhenItFails(t *testing.T) {
	for _, point := range []string{"spawn:planned", "spawn:added", "spawn:built"} {
		t.Run(point, func(t *testing.T) {
			f := worktreetest.New(t)
			f.FailAt(point)
			_, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app", Task: "x"})
			worktreetest.Contains(t, err, "fail at")
			f.LeftNothing("main")
		})
	}
	t.Run("hook", func(t *testing.T) {
		f := worktreetest.New(t)
		f.Set.PostSpawn = []string{"echo fine > made.log", "echo broken >&2; exit 3"}
		_, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app", Task: "x"})
		worktreetest.Contains(t, err, "post_spawn", "broken", "exit status 3")
		f.LeftNothing("main")
	})
	t.Run("hook too slow", func(t *testing.T) {
		f := worktreetest.New(t)
		f.Set.PostSpawn, f.Set.HookTimeout = []string{"sleep 600"}, 50*time.Millisecond
		_, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app", Task: "x"})
		worktreetest.Contains(t, err, "longer than 50ms")
		f.LeftNothing("main")
	})
	t.Run("cancelled", func(t *testing.T) {
		f := worktreetest.New(t)
		ctx, cancel := context.WithCancel(context.Background())
		f.Step = func(step string) error {
			if step == "spawn:added" {
				cancel()
			}
			return ctx.Err()
		}
		_, err := f.Spawns.Spawn(ctx, spawn.Request{Repo: "app", Task: "x"})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		f.LeftNothing("main")
	})
	t.Run("folder cannot be written", func(t *testing.T) {
		f := worktreetest.New(t)
		f.Main.Write(".worktrees", "a file is in the way")
		_, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app", Task: "x"})
		worktreetest.Contains(t, err, "not a directory")
		f.Main.Remove(".worktrees")
		f.LeftNothing("main")
	})
	t.Run("branch in the way", func(t *testing.T) {
		f := worktreetest.New(t)
		f.Main.Branch("agit")
		_, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app", Task: "x"})
		if !fault.Is(err, fault.KindConflict) {
			t.Error(err)
		}
		f.LeftNothing("agit main")
	})
	t.Run("branch made meanwhile", func(t *testing.T) {
		f := worktreetest.New(t)
		f.At("spawn:planned", func() { f.Main.Branch("mine-abc123") })
		_, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app", Branch: "mine-abc123"})
		if !fault.Is(err, fault.KindConflict) {
			t.Error(err)
		}
		f.LeftNothing("main mine-abc123")
	})
	t.Run("path exists", func(t *testing.T) {
		f := worktreetest.New(t)
		f.Main.Write(".worktrees/x-abc123/precious", "x")
		_, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app", Branch: "x-abc123"})
		if !fault.Is(err, fault.KindConflict) || f.Main.Read(".worktrees/x-abc123/precious") != "x" {
			t.Error(err)
		}
	})
}

func TestSpawnInOddRepositories(t *testing.T) {
	t.Run("no commit", func(t *testing.T) {
		f := worktreetest.Of(t, gittest.New(t), registrytest.Open(t))
		_, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app", Task: "x"})
		worktreetest.Contains(t, err, "no commit yet", "first commit")
	})
	t.Run("detached HEAD", func(t *testing.T) {
		f := worktreetest.New(t)
		f.Main.Git("checkout", "--quiet", "--detach")
		w := f.Spawn(spawn.Request{Task: "x"})
		if w.Base != f.Main.Head() {
			t.Error(w.Base)
		}
		f.Sound()
	})
	t.Run("bare", func(t *testing.T) {
		source := gittest.New(t)
		source.Commit("c", "f", "x\n")
		bare := gittest.NewBare(t)
		source.Git("push", "--quiet", bare.Dir, "main")
		f := worktreetest.Of(t, bare, registrytest.Open(t))
		w := f.Spawn(spawn.Request{Task: "x"})
		if f.Tree(w).Read("f") != "x\n" {
			t.Error("no files")
		}
		f.Sound()
	})
	t.Run("only at the remote", func(t *testing.T) {
		source := gittest.New(t)
		tip := source.Commit("c", "f", "x\n")
		source.Git("branch", "dev")
		clone := source.At(gittest.TempDir(t))
		clone.Git("clone", "--quiet", "--branch=dev", source.Dir, ".")
		f := worktreetest.Of(t, clone, registrytest.Open(t))
		if f.Repo.DefaultBranch != "main" {
			t.Fatal(f.Repo.DefaultBranch)
		}
		if w := f.Spawn(spawn.Request{Task: "x"}); w.Base != tip {
			t.Error(w.Base)
		}
	})
	t.Run("locked index", func(t *testing.T) {
		f := worktreetest.New(t)
		f.Main.Write(".git/index.lock", "")
		w := f.Spawn(spawn.Request{Task: "x"})
		f.Main.Remove(".git/index.lock")
		f.Clean()
		if f.Tree(w).Read("b.txt") != "b\n" {
			t.Error("no files")
		}
	})
	t.Run("sparse", func(t *testing.T) {
		f := worktreetest.New(t)
		f.Main.Git("sparse-checkout", "set", "dir")
		w := f.Spawn(spawn.Request{Task: "x"})
		if f.Tree(w).Read("dir/c.txt") != "c\n" {
			t.Error("no files")
		}
		f.Clean()
	})
	t.Run("spaces, quotes and unicode", func(t *testing.T) {
		g := gittest.NewAt(t, filepath.Join(gittest.TempDir(t), `-my "repo" 'ü' 🚀 [x]`))
		g.Commit("c", "f", "x\n")
		f := worktreetest.Of(t, g, registrytest.Open(t))
		w := f.Spawn(spawn.Request{Task: "x"})
		f.Clean()
		f.Tree(w).Commit("work", "g", "y\n")
		if _, err := f.Landings.Land(context.Background(), land.Request{Worktree: w.Ref}); err != nil {
			t.Error(err)
		}
		f.Clean()
		f.Sound()
	})
}

func TestWorktreesNeverShow(t *testing.T) {
	f := worktreetest.New(t)
	f.Main.Commit("take back", ".gitignore", "*\n!*/\n!*.txt\n")
	f.Spawn(spawn.Request{Task: "x"})
	f.Clean()
	f.Main.Git("add", "--all")
	f.Clean()
	text, err := os.ReadFile(filepath.Join(f.Repo.CommonDir, "info", "exclude"))
	if err != nil || strings.Count(string(text), "/.worktrees/\n") != 1 {
		t.Errorf("%s, %v", text, err)
	}
	f.Spawn(spawn.Request{Task: "y"})
	if again, _ := os.ReadFile(filepath.Join(f.Repo.CommonDir, "info", "exclude")); string(again) != string(text) {
		t.Errorf("written again: %s", again)
	}
	if f.Main.Read(".gitignore") != "*\n!*/\n!*.txt\n" {
		t.Error(".gitignore was touched")
	}
	f.Sound()
}

func TestWorktreeInclude(t *testing.T) {
	f := worktreetest.New(t)
	f.Main.Commit("include", ".worktreeinclude", "# needed\n.env\nsecret/\n*.txt\n/link\n!secret/not\n", ".gitignore", "*.log\n.env\nsecret/\n/link\n/out\n")
	outside := filepath.Join(gittest.TempDir(t), "outside")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.Main.Write(".env", "KEY=1\n")
	f.Main.Write("dir/.env", "KEY=2\n")
	f.Main.Write("secret/k e y", "s\n")
	f.Main.Write("app.log", "not asked for\n")
	f.Main.Write("new.txt", "untracked, but not ignored\n")
	os.Chmod(f.Main.Path(".env"), 0o640)
	os.Symlink(outside, f.Main.Path("link"))
	w := f.Spawn(spawn.Request{Task: "x"})
	tree := f.Tree(w)
	for name, want := range map[string]string{".env": "KEY=1\n", "dir/.env": "KEY=2\n", "secret/k e y": "s\n", "app.log": "", "new.txt": "", "link": "", "a.txt": f.Main.Read("a.txt")} {
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
	f := worktreetest.New(t)
	outside := gittest.TempDir(t)
	if err := os.Symlink(outside, f.Main.Path("conf")); err != nil {
		t.Skip(err)
	}
	f.Main.Commit("link", ".worktreeinclude", "key\n", ".gitignore", "key\n")
	f.Main.Remove("conf")
	f.Main.Write("conf/key", "secret\n")
	f.Spawn(spawn.Request{Task: "x"})
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("written outside: %v", entries)
	}
}

func TestHookEnvironment(t *testing.T) {
	f := worktreetest.New(t)
	t.Setenv("GIT_DIR", "/nowhere")
	f.Set.PostSpawn = []string{`printf '%s|%s|%s|%s|%s|%s' "$AGIT_REPO" "$AGIT_WORKTREE" "$AGIT_TASK" "$AGIT_AGENT" "$AGIT_PORT" "$GIT_DIR" > env.log`}
	w := f.Spawn(spawn.Request{Task: "do; it \"now\"", Agent: "bob"})
	got := strings.Split(f.Tree(w).Read("env.log"), "|")
	if len(got) != 6 || got[0] != "app" || got[1] != w.Ref || got[2] != "do; it \"now\"" || got[3] != "bob" || got[4] == "" || got[5] != "" {
		t.Errorf("%q", got)
	}
}

func TestPortsAreApart(t *testing.T) {
	f := worktreetest.New(t)
	f.Set.PortBase, f.Set.PortCount = 32768-40, 10
	seen := map[int]bool{}
	var told []string
	f.Worktrees.Options.Notice = func(s string) { told = append(told, s) }
	for range 5 {
		w := f.Spawn(spawn.Request{})
		if w.Port != 0 && seen[w.Port] {
			t.Errorf("port %d given twice", w.Port)
		}
		seen[w.Port] = true
		if got := f.Get(w).Port; got != w.Port {
			t.Errorf("port %d became %d", w.Port, got)
		}
	}
	if len(seen) != 5 || !seen[0] {
		t.Errorf("%v: four ranges, and none for the fifth", seen)
	}
	if len(told) != 1 || !strings.Contains(told[0], "no range of 10 is free from 32728 on") {
		t.Errorf("told %q", told)
	}
}

func TestSpawnAtOnce(t *testing.T) {
	f := worktreetest.New(t)
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			if _, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app", Task: "task", Agent: "agent-" + strconv.Itoa(i)}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := len(f.Rows()); n != 12 {
		t.Errorf("%d rows", n)
	}
	f.Clean()
	f.Sound()
}

// git runs the hook post-checkout when the worktree is whole: if the hook fails, the worktree stays.
func TestSpawnWithAFailingHookOfGit(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	f.Main.Hook("post-checkout", "echo 'node_modules is not there' >&2\nexit 1")
	w := f.Spawn(spawn.Request{Task: "x"})
	if w.Status != worktree.Active || f.Tree(w).Git("status", "--porcelain") != "" {
		t.Errorf("%+v", w)
	}
	f.Sound()
}

// A spawn continues on a branch that exists, at its own commit, unless a worktree has it or work lands on it; a spawn that fails leaves the
// branch where it was.
func TestSpawnGoesOnWithABranch(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	from := f.Main.Head()
	f.Main.Git("switch", "-qc", "old/fix")
	f.Main.Commit("Begin a fix", "fix.txt", "x\n")
	f.Main.Git("switch", "-q", "main")
	tip := f.Main.Git("rev-parse", "old/fix")
	f.Set.PostSpawn = []string{"exit 3"}
	if _, err := f.Spawns.Spawn(t.Context(), spawn.Request{Repo: "app", Branch: "old/fix"}); err == nil || f.Main.Git("rev-parse", "old/fix") != tip {
		t.Fatalf("a spawn that fails: %v", err)
	}
	f.LeftNothing("main old/fix")
	f.Set.PostSpawn = nil
	w := f.Spawn(spawn.Request{Branch: "old/fix", Agent: "ann"})
	if tree := f.Tree(w); w.Branch != "old/fix" || tree.Head() != tip || w.Base != from || tree.Read("fix.txt") != "x\n" {
		t.Errorf("%+v", w)
	}
	for branch, why := range map[string]string{"old/fix": "checked out in", "main": "exists already"} {
		_, err := f.Spawns.Spawn(t.Context(), spawn.Request{Repo: "app", Branch: branch})
		if !fault.Is(err, fault.KindConflict) {
			t.Errorf("branch %s: %v", branch, err)
		}
		worktreetest.Contains(t, err, why)
	}
	f.Main.Git("switch", "-qc", "elsewhere")
	_, err := f.Spawns.Spawn(t.Context(), spawn.Request{Repo: "app", Branch: "main"})
	worktreetest.Contains(t, err, "lands on")
}

// Where work lands at a remote, new work begins at its branch as it was last seen; a remote that does not answer causes a notice.
func TestSpawnBeginsAtTheRemotesBranch(t *testing.T) {
	f := worktreetest.New(t)
	here := f.Main.Head()
	f.Main.Git("checkout", "--quiet", "-b", "theirs")
	tip := f.Main.Commit("theirs", "theirs", "t\n")
	f.Main.Git("checkout", "--quiet", "main")
	f.Main.Git("remote", "add", "upstream", filepath.Join(t.TempDir(), "gone"))
	f.Main.Git("update-ref", "refs/remotes/upstream/main", tip)
	if w := f.Spawn(spawn.Request{Task: "here"}); w.Base != here {
		t.Errorf("without a remote it begins at %s, want %s", w.Base, here)
	}
	var told []string
	f.Worktrees.Options.Notice = func(sentence string) { told = append(told, sentence) }
	f.Set.Remote, f.Set.RemoteWait = "upstream", time.Minute
	if w := f.Spawn(spawn.Request{Task: "there"}); w.Base != tip || f.Tree(w).Read("theirs") != "t\n" {
		t.Errorf("it begins at %s, want %s", w.Base, tip)
	}
	if !strings.Contains(strings.Join(told, "\n"), "as it was seen last") {
		t.Errorf("it is told %q", told)
	}
}
