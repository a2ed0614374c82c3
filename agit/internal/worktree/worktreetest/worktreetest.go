// Package worktreetest makes repositories with worktrees for tests: real git, a real registry, and the stores that spawn, remove,
// land and check worktrees, put together as agit puts them. A Fixture belongs to one test.
package worktreetest

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/doctor/worktreecheck"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// Stores are the stores of worktrees over one registry.
type Stores struct {
	Worktrees *worktree.Store
	Spawns    *spawn.Store
	Removals  *remove.Store
	Landings  *land.Store
	Audits    *worktreecheck.Store
}

// Open puts the stores together.
func Open(db *registry.DB, o worktree.Options) Stores {
	s := Stores{Worktrees: &worktree.Store{DB: db, Options: o}}
	s.Spawns, s.Removals = &spawn.Store{Trees: s.Worktrees}, &remove.Store{Trees: s.Worktrees}
	s.Landings = &land.Store{Trees: s.Worktrees, Removals: s.Removals}
	s.Audits = &worktreecheck.Store{Trees: s.Worktrees, Removals: s.Removals, Landings: s.Landings}
	s.Worktrees.MendedBy(s.Spawns, s.Removals, s.Landings)
	return s
}

// LastOf returns the newest landing of a worktree by whatever names it, nil when it never asked. One whose process is gone is shown as the
// queue shows it.
func (s Stores) LastOf(ctx context.Context, repoName, ref string) (l *land.Landing, err error) {
	_, w, err := s.Worktrees.Meant(ctx, repoName, ref)
	if err != nil {
		return nil, err
	}
	l, err = registry.Read(ctx, s.Worktrees.DB, func(tx *registry.Tx) (*land.Landing, error) { return land.Last(tx, w.ID) })
	if l == nil || l.State.Over() {
		return l, err
	}
	queue, err := s.Landings.Queue(ctx, repoName)
	for _, q := range queue {
		if q.ID == l.ID {
			l.State, l.Reason = q.State, q.Reason
		}
	}
	return l, err
}

// Fixture is a repository on main with one commit, registered as "app".
type Fixture struct {
	T    testing.TB
	DB   *registry.DB
	Main *gittest.Repo // its main working tree
	Repo repo.Repo
	Set  worktree.Settings       // of the repository, read by each operation
	Step func(step string) error // called at each step of an operation; nil does nothing
	Stores
}

// New is a Fixture of a few files.
func New(t testing.TB) *Fixture {
	t.Helper()
	g := gittest.New(t)
	g.Commit("first", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b.txt", "b\n", "dir/c.txt", "c\n", ".gitignore", "*.log\n.env\nsecret/\n/node_modules/\n")
	return Of(t, g, registrytest.Open(t))
}

// Of is a Fixture of a repository in a registry.
func Of(t testing.TB, g *gittest.Repo, db *registry.DB) *Fixture {
	t.Helper()
	f := &Fixture{T: t, DB: db, Main: g, Repo: AddRepo(t, db, g, "app"), Set: worktree.SettingsFrom(config.Default(), "app")}
	f.Set.Linger = 0
	f.Reopen(nil)
	return f
}

// AddRepo registers a repository by a name.
func AddRepo(t testing.TB, db *registry.DB, g *gittest.Repo, name string) repo.Repo {
	t.Helper()
	added, err := (&repo.Store{DB: db}).Add(t.Context(), repo.New{Path: g.Dir, Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return added.Repo
}

// Reopen puts the stores together anew, with an owner of tasks.
func (f *Fixture) Reopen(tasks worktree.Tasks) {
	f.Stores = Open(f.DB, worktree.Options{
		Settings: func(repo.Repo) worktree.Settings { return f.Set }, Tasks: tasks, Home: f.T.TempDir(),
		Notice: func(s string) { f.T.Log("notice:", s) },
		Reached: func(step string) error {
			if f.Step == nil {
				return nil
			}
			return f.Step(step)
		},
	})
}

// At runs fn when an operation is at a step.
func (f *Fixture) At(step string, fn func()) {
	f.Step = func(now string) error {
		if now == step {
			fn()
		}
		return nil
	}
}

// FailAt makes operations fail at a step.
func (f *Fixture) FailAt(step string) {
	f.Step = func(now string) error {
		if now == step {
			return fault.Operation(nil, "fail at %s", now)
		}
		return nil
	}
}

// KilledAt ends a call at a step, which it must reach, as a killed process does: nothing is taken back.
func (f *Fixture) KilledAt(step string, call func()) {
	f.T.Helper()
	reached := false
	f.At(step, func() { reached = true; runtime.Goexit() })
	done := make(chan struct{})
	go func() {
		defer close(done)
		call()
	}()
	<-done
	f.Step = nil
	if !reached {
		f.T.Fatalf("%s is not reached", step)
	}
}

// Spawn makes a worktree.
func (f *Fixture) Spawn(o spawn.Request) worktree.Worktree {
	f.T.Helper()
	o.Repo = "app"
	w, err := f.Spawns.Spawn(context.Background(), o)
	if err != nil {
		f.T.Fatal(err)
	}
	return w
}

// Worked is a worktree with one commit on a.txt's first line and a new file.
func (f *Fixture) Worked(task string) worktree.Worktree {
	f.T.Helper()
	w := f.Spawn(spawn.Request{Task: task})
	f.Tree(w).Commit("work on "+task, "a.txt", task+"\n2\n3\n4\n5\n6\n7\n8\n9\n", "new/"+task, task+"\n")
	return w
}

// Merge merges a worktree.
func (f *Fixture) Merge(w worktree.Worktree) land.Merged {
	f.T.Helper()
	out, err := f.Landings.Land(context.Background(), land.Request{Repo: "app", Worktree: w.Ref})
	if err != nil {
		f.T.Fatal(err)
	}
	return out
}

// Tree is the worktree as a repository to work in.
func (f *Fixture) Tree(w worktree.Worktree) *gittest.Repo { return f.Main.At(w.Path) }

// Rows are the worktrees that have a folder or can be restored.
func (f *Fixture) Rows() []worktree.Worktree {
	f.T.Helper()
	list, err := f.Worktrees.List(context.Background(), "app", true)
	if err != nil {
		f.T.Fatal(err)
	}
	return list
}

// Get returns a worktree as the registry has it now.
func (f *Fixture) Get(w worktree.Worktree) worktree.Worktree {
	f.T.Helper()
	now, err := f.Worktrees.Get(context.Background(), "", w.Ref)
	if err != nil {
		f.T.Fatal(err)
	}
	return now
}

// Sound fails the test unless registry, git and disk agree and git finds
// nothing wrong with the repository.
func (f *Fixture) Sound() {
	f.T.Helper()
	found, err := f.Audits.Check(context.Background(), "")
	if err != nil {
		f.T.Fatal(err)
	}
	for _, finding := range found {
		f.T.Errorf("not sound: %s: %s", finding.Kind, finding.Text)
	}
	if out, err := f.Main.TryGit("fsck", "--connectivity-only"); err != nil {
		f.T.Errorf("fsck: %v %s", err, out)
	}
	if _, err := os.Lstat(filepath.Join(f.Repo.CommonDir, "index.lock")); err == nil {
		f.T.Error("index.lock was left")
	}
}

// FixAll does what `agit doctor --fix` does.
func (f *Fixture) FixAll() {
	f.T.Helper()
	for range 2 { // one repair may uncover another fault
		found, err := f.Audits.Check(context.Background(), "")
		if err != nil {
			f.T.Fatal(err)
		}
		for _, finding := range found {
			if err := finding.Fix(context.Background()); err != nil {
				f.T.Errorf("fix %s: %v", finding.Text, err)
			}
		}
	}
}

// Clean fails the test unless the main working tree shows no change.
func (f *Fixture) Clean() {
	f.T.Helper()
	if out := f.Main.Git("status", "--porcelain"); out != "" {
		f.T.Errorf("main is not clean:\n%s", out)
	}
}

// LeftNothing fails the test when a failed spawn left a folder, branch or row.
func (f *Fixture) LeftNothing(branchesBefore string) {
	f.T.Helper()
	if rows := f.Rows(); len(rows) > 0 {
		f.T.Errorf("rows: %+v", rows)
	}
	if entries, err := os.ReadDir(filepath.Join(f.Main.Dir, ".worktrees")); err == nil && len(entries) > 0 {
		f.T.Errorf("folders: %v", entries)
	}
	if _, err := os.Lstat(filepath.Join(f.Repo.CommonDir, "worktrees")); err == nil {
		f.T.Error("git's list is not empty")
	}
	if got := f.Branches(); got != branchesBefore {
		f.T.Errorf("branches: %s", got)
	}
	f.Sound()
}

// Branches are the names of all branches, with spaces between them.
func (f *Fixture) Branches() string {
	return strings.ReplaceAll(f.Main.Git("for-each-ref", "--format=%(refname:short)", "refs/heads"), "\n", " ")
}

// Exec runs a statement.
func (f *Fixture) Exec(query string, args ...any) {
	f.T.Helper()
	f.Write(func(tx *registry.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	})
}

// Write runs a transaction.
func (f *Fixture) Write(fn func(tx *registry.Tx) error) {
	f.T.Helper()
	if err := f.DB.Write(context.Background(), registry.Everything, fn); err != nil {
		f.T.Fatal(err)
	}
}

// Stamp is the time d from now as the registry writes it.
func Stamp(d time.Duration) string { return registry.FormatTime(time.Now().Add(d)) }

// Must fails the test when err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Contains fails the test unless err holds all parts, and names no command that destroys something.
func Contains(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error lacks %q: %v", part, err)
		}
	}
	for _, bad := range []string{"--force", "--hard", "prune", "rm -", "--abandon"} {
		if strings.Contains(err.Error(), bad) {
			t.Errorf("error names a destructive command (%q): %v", bad, err)
		}
	}
}

// Listing is a folder with the contents of its files.
func Listing(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	Must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == ".git" {
			return filepath.SkipDir
		}
		if err != nil || e.IsDir() {
			return err
		}
		text, _ := os.ReadFile(path)
		b.WriteString(path + "=" + string(text) + "\n")
		return nil
	}))
	return b.String()
}
