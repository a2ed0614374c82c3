package overview_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/view/distance"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
)

// Branches that cloud agents pushed are rows of the screens: with their makers, their distances and their conflicts.
func TestBranchesOnScreens(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.store = overview.New(overview.Options{DB: f.DB, Conflicts: &conflict.Store{DB: f.DB, CacheDir: t.TempDir()}, Meter: distance.Meter{Dir: t.TempDir()}, StaleAfter: time.Hour})
	own := f.spawn("ann", "Own")
	f.Tree(own).Commit("Mine", "a.txt", "ann\n")
	push := func(name string, files ...string) string {
		f.Main.Git("checkout", "-q", "-b", "made", "main")
		commit := f.Main.Commit("pushed", files...)
		f.Main.Git("update-ref", "refs/remotes/origin/"+name, commit)
		f.Main.Git("checkout", "-q", "main")
		f.Main.Git("branch", "-qD", "made")
		return commit
	}
	meets := push("copilot/fix", "a.txt", "copilot\n")
	push("codex/new", "new.txt", "codex\n")
	push("feature", "other.txt", "a person\n") // not an agent's branch
	shown, err := f.store.Scanned(t.Context(), "")
	worktreetest.Must(t, err)
	type line struct {
		ref, by, state, head   string
		ahead, behind, touched int
	}
	var got []line
	for _, w := range shown.Worktrees {
		if !w.Remote {
			if w.Ref != own.Ref || w.State != "conflicts with origin/copilot/fix" {
				t.Errorf("worktree %s: %s", w.Ref, w.State)
			}
			continue
		}
		if w.Since == nil || w.Path != "" || !w.Seen {
			t.Errorf("%+v", w)
		}
		got = append(got, line{w.Ref, w.By, w.State, w.Head, *w.Ahead, *w.Behind, *w.Touched})
	}
	want := []line{
		{"origin/codex/new", "(codex)", "pushed", f.Main.Git("rev-parse", "origin/codex/new"), 1, 0, 1},
		{"origin/copilot/fix", "(copilot)", "conflicts with ann", meets, 1, 0, 1},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(line{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	pages := &overview.Pages{DB: f.DB, Worktrees: f.Stores.Worktrees, Home: t.TempDir()}
	d, err := pages.Worktree(t.Context(), "origin/codex/new")
	worktreetest.Must(t, err)
	if d.Problem != "" || len(d.Difference.Files) != 1 || d.Difference.Added != 1 || d.Difference.Removed != 0 || len(d.Difference.Later) != 0 {
		t.Errorf("%+v", d)
	}
	if _, err := pages.Worktree(t.Context(), "origin/nothing"); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("a branch that does not exist: %v", err)
	}
}
