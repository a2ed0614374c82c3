package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// fixture is a repository on main with one commit, registered as "app".
type fixture struct {
	t    testing.TB
	db   *registry.DB
	main *gittest.Repo
	repo repo.Repo
	set  Settings
	*Store
}

func setUp(t testing.TB) *fixture {
	t.Helper()
	g := gittest.New(t)
	g.Commit("first", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b.txt", "b\n", "dir/c.txt", "c\n", ".gitignore", "*.log\n.env\nsecret/\n/node_modules/\n")
	return setUpWith(t, g)
}

func setUpWith(t testing.TB, g *gittest.Repo) *fixture {
	t.Helper()
	return setUpAt(t, g, registrytest.Open(t))
}

func setUpAt(t testing.TB, g *gittest.Repo, db *registry.DB) *fixture {
	t.Helper()
	added, err := (&repo.Store{DB: db}).Add(t.Context(), repo.New{Path: g.Dir, Name: "app"})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, db: db, main: g, repo: added.Repo, set: SettingsFrom(config.Default(), "app")}
	f.Store = New(db, Options{Settings: func(repo.Repo) Settings { return f.set }, Notice: func(s string) { t.Log("notice:", s) }})
	return f
}

func (f *fixture) spawn(o Spawn) Worktree {
	f.t.Helper()
	o.Repo = "app"
	w, err := f.Spawn(context.Background(), o)
	if err != nil {
		f.t.Fatal(err)
	}
	return w
}

// tree is the worktree as a repository to work in.
func (f *fixture) tree(w Worktree) *gittest.Repo { return f.main.At(w.Path) }

func (f *fixture) rows() []Worktree {
	f.t.Helper()
	list, err := f.List(context.Background(), "app", true)
	if err != nil {
		f.t.Fatal(err)
	}
	return list
}

func (f *fixture) get(w Worktree) Worktree {
	f.t.Helper()
	now, err := f.Get(context.Background(), "", w.Ref)
	if err != nil {
		f.t.Fatal(err)
	}
	return now
}

// sound fails the test unless registry, git and disk agree and git finds
// nothing wrong with the repository.
func (f *fixture) sound() {
	f.t.Helper()
	found, err := f.Check(context.Background(), "")
	if err != nil {
		f.t.Fatal(err)
	}
	for _, finding := range found {
		f.t.Errorf("not sound: %s: %s", finding.Kind, finding.Text)
	}
	if out, err := f.main.TryGit("fsck", "--connectivity-only"); err != nil {
		f.t.Errorf("fsck: %v %s", err, out)
	}
	if _, err := os.Lstat(filepath.Join(f.repo.CommonDir, "index.lock")); err == nil {
		f.t.Error("index.lock was left")
	}
}

// clean fails the test unless the main working tree shows no change.
func (f *fixture) clean() {
	f.t.Helper()
	if out := f.main.Git("status", "--porcelain"); out != "" {
		f.t.Errorf("main is not clean:\n%s", out)
	}
}

func (f *fixture) branches() string {
	return strings.ReplaceAll(f.main.Git("for-each-ref", "--format=%(refname:short)", "refs/heads"), "\n", " ")
}

// seen says that an agent was heard of d after now.
func (f *fixture) exec(query string, args ...any) {
	f.t.Helper()
	if err := f.db.Write(context.Background(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) must(fn func(tx *registry.Tx) error) {
	f.t.Helper()
	if err := f.db.Write(context.Background(), registry.Everything, fn); err != nil {
		f.t.Fatal(err)
	}
}

func stamp(d time.Duration) string { return registry.FormatTime(time.Now().Add(d)) }

func contains(t testing.TB, err error, parts ...string) {
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
