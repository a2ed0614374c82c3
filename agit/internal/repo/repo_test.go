package repo_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

func store(t *testing.T) *repo.Store { return &repo.Store{DB: registrytest.Open(t)} }

func add(t *testing.T, s *repo.Store, n repo.New) repo.Addition {
	t.Helper()
	a, err := s.Add(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAdd(t *testing.T) {
	s := store(t)
	g := gittest.NewAt(t, filepath.Join(gittest.TempDir(t), "myrepo"))
	g.Commit("c", "dir/f", "x\n")
	g.Git("remote", "add", "origin", "git@example.org:me/My-Repo.git")
	linked := g.Worktree("side")
	first := add(t, s, repo.New{Path: g.Dir})
	if first.Outcome != repo.Added || first.Name != "myrepo" || first.Path != g.Dir || first.DefaultBranch != "main" || first.RemoteURL != "git@example.org:me/My-Repo.git" {
		t.Errorf("%+v", first)
	}
	for _, path := range []string{g.Dir, filepath.Join(g.Dir, "dir"), filepath.Join(g.Dir, "dir", "f"), linked.Dir, filepath.Join(linked.Dir, "dir"), filepath.Join(g.Dir, ".git")} {
		if again := add(t, s, repo.New{Path: path}); again.Outcome != repo.Unchanged || again.Repo != first.Repo {
			t.Errorf("%s: %+v", path, again)
		}
	}
	g.Git("remote", "set-url", "origin", "https://example.org/me/other")
	if again := add(t, s, repo.New{Path: g.Dir}); again.Outcome != repo.Updated || again.RemoteURL != "https://example.org/me/other" {
		t.Errorf("%+v", again)
	}
	if out := g.Git("status", "--porcelain"); out != "" {
		t.Error(out)
	}
	for _, name := range []string{"myrepo", "MyRepo", first.UID, strings.ToUpper(first.UID)} {
		if got, err := s.Get(t.Context(), name); err != nil || got.ID != first.ID {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestAddNames(t *testing.T) {
	s := store(t)
	root := gittest.TempDir(t)
	one, two := gittest.NewAt(t, filepath.Join(root, "1", "app")), gittest.NewAt(t, filepath.Join(root, "2", "App"))
	add(t, s, repo.New{Path: one.Dir})
	_, err := s.Add(t.Context(), repo.New{Path: two.Dir})
	if !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), `--name "App-2"`) {
		t.Error(err)
	}
	if a := add(t, s, repo.New{Path: two.Dir, Name: "App-2"}); a.Name != "App-2" {
		t.Errorf("%+v", a)
	}
	if _, err := s.Add(t.Context(), repo.New{Path: two.Dir, Name: "third"}); !fault.Is(err, fault.KindConflict) {
		t.Error(err)
	}
	odd := gittest.NewAt(t, filepath.Join(root, "-o\nd"))
	if _, err := s.Add(t.Context(), repo.New{Path: odd.Dir}); !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), "--name") {
		t.Error(err)
	}
	for _, name := range []string{"x\x00", "a\nb", " a", strings.Repeat("x", 10000), "\xff"} {
		if _, err := s.Add(t.Context(), repo.New{Path: odd.Dir, Name: name}); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%.20q: %v", name, err)
		}
	}
	add(t, s, repo.New{Path: odd.Dir, Name: "- 'o' \"d\" 🚀"})
	for _, path := range []string{"", "a\x00b"} {
		if _, err := s.Add(t.Context(), repo.New{Path: path}); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%q: %v", path, err)
		}
	}
	for _, path := range []string{t.TempDir(), filepath.Join(root, "none")} {
		if _, err := s.Add(t.Context(), repo.New{Path: path}); !fault.Is(err, fault.KindNotFound) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if _, err := s.Get(t.Context(), "app-3"); !fault.Is(err, fault.KindNotFound) || !strings.Contains(err.Error(), "did you mean") {
		t.Error(err)
	}
}

// TestFindOther: a name that something else has gets the command for that.
func TestFindOther(t *testing.T) {
	s := store(t)
	r := add(t, s, repo.New{Path: gittest.New(t).Dir, Name: "app"})
	now := registry.FormatTime(time.Now())
	exec(t, s, `INSERT INTO agents (uid, name, name_key, registered_at, last_seen_at) VALUES ('u', 'Ann', 'ann', ?, ?)`, now, now)
	worktree(t, s, r.Repo, "w-1", "active", nil)
	worktree(t, s, r.Repo, "w-2", "trashed", nil)
	for name, want := range map[string]string{
		"ANN": "repo \"ANN\" does not exist; it is an agent: `agit diff Ann` shows what it changes, `agit repos` lists the repositories",
		"w-1": "repo \"w-1\" does not exist; it is a worktree: `agit diff w-1` shows what it changes, `agit repos` lists the repositories",
		"w-2": "repo \"w-2\" does not exist; `agit repos` lists the registered ones",
	} {
		if _, err := s.Get(t.Context(), name); err == nil || err.Error() != want || !fault.Is(err, fault.KindNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAddOddRepositories(t *testing.T) {
	s := store(t)
	if a := add(t, s, repo.New{Path: gittest.NewBare(t).Dir}); a.Name != "bare" || a.DefaultBranch != "main" {
		t.Errorf("%+v", a)
	}
	empty := gittest.NewAt(t, filepath.Join(gittest.TempDir(t), "empty"))
	if a := add(t, s, repo.New{Path: empty.Dir}); a.DefaultBranch != "main" || a.RemoteURL != "" {
		t.Errorf("%+v", a)
	}
}

func exec(t *testing.T, s *repo.Store, query string, args ...any) {
	t.Helper()
	if err := s.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func worktree(t *testing.T, s *repo.Store, r repo.Repo, ref, status string, agent any) {
	t.Helper()
	now := registry.FormatTime(time.Now())
	exec(t, s, `INSERT INTO worktrees (uid, ref, repo_id, agent_id, path, branch, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		ref, ref, r.ID, agent, filepath.Join(r.Path, ".worktrees", ref), ref, status, now, now)
}

func TestListCounts(t *testing.T) {
	s := store(t)
	a := add(t, s, repo.New{Path: gittest.New(t).Dir, Name: "b"})
	add(t, s, repo.New{Path: gittest.New(t).Dir, Name: "A"})
	now, old := registry.FormatTime(time.Now()), registry.FormatTime(time.Now().Add(-time.Hour))
	for id, seen := range map[int]string{1: now, 2: old} {
		exec(t, s, `INSERT INTO agents (id, uid, name, name_key, registered_at, last_seen_at) VALUES (?, ?, ?, ?, ?, ?)`, id, id, id, id, now, seen)
	}
	worktree(t, s, a.Repo, "w-1", "active", 1)
	worktree(t, s, a.Repo, "w-2", "stale", 2)
	worktree(t, s, a.Repo, "w-3", "completed", nil)
	exec(t, s, `INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, status, state, created_at, updated_at) VALUES (1, 'i', ?, 'task', 't-1', 't-1', 'x', 'pending', 'open', ?, ?)`, a.ProjectID, now, now)
	exec(t, s, `INSERT INTO tasks (item_id, repo_id) VALUES (1, ?)`, a.ID)
	list, err := s.List(t.Context(), 5*time.Minute)
	if err != nil || len(list) != 2 || list[0].Name != "A" {
		t.Fatal(list, err)
	}
	if got := list[1]; got.WorktreeCount != 2 || got.TaskCount != 1 || got.ActiveAgentCount != 1 {
		t.Errorf("%+v", got)
	}
	again := func() (one repo.Summary) {
		if err := s.DB.Read(t.Context(), func(tx *registry.Tx) (err error) {
			one, err = repo.SummaryOf(tx, list[1].Repo, 5*time.Minute)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return one
	}
	if one := again(); one != list[1] {
		t.Errorf("%+v", one)
	}
	// Agents of the project on another machine count; those of another clone here and of another project do not.
	for id, c := range []struct {
		project int64
		host    string
		want    int
	}{{a.ProjectID, a.Host, 1}, {list[0].ProjectID, "laptop", 1}, {a.ProjectID, "laptop", 2}} {
		id += 10
		exec(t, s, `INSERT INTO agents (id, uid, name, name_key, registered_at, last_seen_at) VALUES (?, ?, ?, ?, ?, ?)`, id, id, id, id, now, now)
		exec(t, s, `INSERT INTO repos (id, uid, project_id, name, name_key, host, path, common_dir, default_branch, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'main', ?, ?)`, id, id, c.project, id, id, c.host, id, id, now, now)
		worktree(t, s, repo.Repo{ID: int64(id)}, fmt.Sprint(id), "active", id)
		if one := again(); one.ActiveAgentCount != c.want {
			t.Errorf("with an agent of project %d on %s: %d", c.project, c.host, one.ActiveAgentCount)
		}
	}
	exec(t, s, `UPDATE worktrees SET status = 'completed' WHERE agent_id = 12`)
	exec(t, s, `UPDATE tasks SET repo_id = 12`) // made there
	exec(t, s, `INSERT INTO leases (item_id, agent_id, epoch, agent_epoch, claimed_at) VALUES (1, 12, 1, 1, ?)`, now)
	if one := again(); one.ActiveAgentCount != 2 {
		t.Errorf("with a claim there: %d", one.ActiveAgentCount)
	}
}

func TestRemove(t *testing.T) {
	s := store(t)
	g := gittest.New(t)
	a := add(t, s, repo.New{Path: g.Dir, Name: "app"})
	worktree(t, s, a.Repo, "w-1", "active", nil)
	worktree(t, s, a.Repo, "w-2", "trashed", nil)
	released := 0
	release := func(*registry.Tx, repo.Repo) error { released++; return nil }
	_, err := s.Remove(t.Context(), "app", release)
	if !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), "w-1") || strings.Contains(err.Error(), "w-2") || released != 0 {
		t.Error(err)
	}
	exec(t, s, `UPDATE worktrees SET status = 'completed'`)
	if _, err := s.Remove(t.Context(), "APP", release); err != nil || released != 1 {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), "app"); !fault.Is(err, fault.KindNotFound) {
		t.Error(err)
	}
	if _, err := os.Stat(g.Dir); err != nil {
		t.Error(err)
	}
	if again := add(t, s, repo.New{Path: g.Dir, Name: "back"}); again.Outcome != repo.Added || again.ID != a.ID || again.Name != "back" {
		t.Errorf("%+v", again)
	}
}

// TestRemoveDeleted: worktrees that were deleted together with their repository do not keep it registered; one that has a folder does.
func TestRemoveDeleted(t *testing.T) {
	s := store(t)
	root := gittest.TempDir(t)
	g := gittest.NewAt(t, filepath.Join(root, "app"))
	a := add(t, s, repo.New{Path: g.Dir, Name: "app"})
	worktree(t, s, a.Repo, "w-1", "active", nil)
	worktree(t, s, a.Repo, "w-2", "active", nil)
	kept := filepath.Join(root, "kept")
	exec(t, s, `UPDATE worktrees SET path = '`+kept+`' WHERE ref = 'w-2'`)
	refused := func(want string) {
		t.Helper()
		for _, try := range []func() error{
			func() error { _, err := s.Removable(t.Context(), "app"); return err },
			func() error { _, err := s.Remove(t.Context(), "app"); return err },
		} {
			if err := try(); !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), want) {
				t.Error(err)
			}
		}
	}
	refused("2 worktrees")
	for _, err := range []error{os.RemoveAll(g.Dir), os.Mkdir(kept, 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Open(); err == nil || !strings.Contains(err.Error(), "if it was deleted, `agit repos --remove app`") {
		t.Error(err)
	}
	refused("1 worktree: w-2 at ")
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Removable(t.Context(), "app"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Remove(t.Context(), "app"); err != nil {
		t.Fatal(err)
	}
}

func TestMovedRepository(t *testing.T) {
	for name, remote := range map[string]string{"with a remote": "https://example.org/me/app", "without": ""} {
		t.Run(name, func(t *testing.T) {
			s := store(t)
			root := gittest.TempDir(t)
			g := gittest.NewAt(t, filepath.Join(root, "old"))
			g.Commit("c")
			if remote != "" {
				g.Git("remote", "add", "origin", remote)
			}
			a := add(t, s, repo.New{Path: g.Dir})
			beside := gittest.NewAt(t, filepath.Join(root, "beside")) // of the same remote, and where it was
			beside.Commit("b")
			if remote != "" {
				beside.Git("remote", "add", "origin", remote)
			}
			add(t, s, repo.New{Path: beside.Dir})
			moved := filepath.Join(root, "new")
			if err := os.Rename(g.Dir, moved); err != nil {
				t.Fatal(err)
			}
			now, _ := s.Get(context.Background(), "old")
			if _, err := now.Open(); err == nil || !strings.Contains(err.Error(), "agit add NEWPATH") {
				t.Error(err)
			}
			if got, want := notFound(t, s, moved), fmt.Sprintf("repository \"old\" is no longer at %q: it is the one of %q; `agit add %s` notes the new place", a.Path, moved, moved); got != want {
				t.Errorf("%q", got)
			}
			b := add(t, s, repo.New{Path: moved})
			if b.Outcome != repo.Relinked || b.ID != a.ID || b.Name != "old" || b.Path != moved || b.OldPath != a.Path || b.ProjectID != a.ProjectID {
				t.Errorf("%+v", b)
			}
			if _, err := b.Open(); err != nil {
				t.Error(err)
			}
			// A copy is another repository.
			copied := filepath.Join(root, "copy")
			if err := os.CopyFS(copied, os.DirFS(moved)); err != nil {
				t.Fatal(err)
			}
			if got := notFound(t, s, copied); !strings.Contains(got, "is not registered yet") {
				t.Errorf("%q", got)
			}
			if c := add(t, s, repo.New{Path: copied}); c.Outcome != repo.Added || c.ID == a.ID {
				t.Errorf("%+v", c)
			}
		})
	}
}

// A clone without the mark is linked in place of a missing one of its remote, unless that one has worktrees, which may be on a disk that is
// not mounted.
func TestCloneOfAMissingRepository(t *testing.T) {
	for worktrees, want := range []repo.Outcome{repo.Relinked, repo.Added} {
		s := store(t)
		root := gittest.TempDir(t)
		clone := func(name string) string {
			g := gittest.NewAt(t, filepath.Join(root, name))
			g.Commit("c")
			g.Git("remote", "add", "origin", "https://example.org/me/app")
			return g.Dir
		}
		first := clone("first")
		a := add(t, s, repo.New{Path: first})
		for range worktrees {
			worktree(t, s, a.Repo, "w-1", "active", nil)
		}
		if err := os.Rename(first, filepath.Join(root, "away")); err != nil {
			t.Fatal(err)
		}
		if b := add(t, s, repo.New{Path: clone("second")}); b.Outcome != want {
			t.Errorf("with %d worktrees: %s", worktrees, b.Outcome)
		}
	}
}

// The project that the new folder had before the moved repository was recognised there is named.
func TestMovedRepositoryNamesTheOtherProject(t *testing.T) {
	s := store(t)
	root := gittest.TempDir(t)
	g := gittest.NewAt(t, filepath.Join(root, "old"))
	g.Commit("c")
	a := add(t, s, repo.New{Path: g.Dir})
	moved := filepath.Join(root, "new")
	if err := os.Rename(g.Dir, moved); err != nil {
		t.Fatal(err)
	}
	if id, err := project.Identify(moved); err != nil || id.Mark != a.UID {
		t.Errorf("%+v, %v", id, err)
	}
	err := s.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := project.Ensure(tx, project.Identity{UID: "p-apart", Name: "new", Folder: moved})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	b := add(t, s, repo.New{Path: moved})
	if b.ProjectID != a.ProjectID || b.Apart == nil || b.Apart.UID != "p-apart" {
		t.Errorf("%+v, apart %+v", b, b.Apart)
	}
	if err := os.Rename(moved, g.Dir); err != nil {
		t.Fatal(err)
	}
	if c := add(t, s, repo.New{Path: g.Dir}); c.Outcome != repo.Relinked || c.Apart != nil {
		t.Errorf("%+v, apart %+v", c, c.Apart)
	}
}

// notFound returns the error that no registered repository is at a folder, with its hint.
func notFound(t *testing.T, s *repo.Store, folder string) (text string) {
	t.Helper()
	err := s.DB.Read(t.Context(), func(tx *registry.Tx) error {
		_, err := repo.AtFolder(tx, folder)
		return err
	})
	f := fault.From(err)
	if !fault.Is(err, fault.KindNotFound) {
		t.Fatal(err)
	}
	return f.Message + "; " + f.Hint
}
