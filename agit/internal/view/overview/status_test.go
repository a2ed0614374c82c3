package overview_test

import (
	"os"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/view/distance"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/registry"
)

// The status of a repository and the screens use the same data: they agree on worktrees, landings, agents, distances, changed files and
// missing folders.
func TestStatusAgreesWithTheScreens(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.store = overview.New(overview.Options{DB: f.DB, Conflicts: &conflict.Store{DB: f.DB, CacheDir: t.TempDir()}, Landings: f.Landings,
		Meter: distance.Meter{Dir: t.TempDir()}, StaleAfter: 5 * time.Minute, ReleaseAfter: 2 * time.Hour})
	one := f.task("Log in")
	ann, bob, cy := f.spawn("ann", one.ID), f.spawn("bob", "Menu"), f.spawn("cy", "Search")
	f.Tree(ann).Commit("Log in", "login.go", "ann\n")
	f.Tree(ann).Write("draft.go", "ann\n")
	f.Main.Commit("Main's", "main.go", "main\n")
	worktreetest.Must(t, os.RemoveAll(cy.Path))
	f.Exec(`INSERT INTO landings (uid, project_id, repo_id, worktree_id, host, pid, process, state, strategy, target, tip_oid, reason, asked_at, finished_at)
		VALUES ('l-1', ?, ?, ?, ?, 1, 'v-1', 'returned', 'merge', 'main', '', 'it is behind', ?, ?)`,
		f.Repo.ProjectID, f.Repo.ID, bob.ID, registry.Host(), worktreetest.Stamp(0), worktreetest.Stamp(0))
	_, err := (&review.Store{DB: f.DB, Trees: f.Worktrees, Tasks: f.tasks, Landings: f.Landings}).Ask(t.Context(), review.Asked{Worktree: ann, Tip: f.Tree(ann).Head()})
	worktreetest.Must(t, err)

	shown, err := f.store.Scanned(t.Context(), "")
	worktreetest.Must(t, err)
	all, err := f.store.Statuses(t.Context(), "", true)
	worktreetest.Must(t, err)
	status, err := f.store.Status(t.Context(), "app", true)
	worktreetest.Must(t, err)
	if len(all) != 1 || all[0].Name != status.Name || len(status.Worktrees) != 3 || len(shown.Worktrees) != 3 {
		t.Fatalf("%+v\n%+v", status.Worktrees, shown.Worktrees)
	}
	for i, w := range status.Worktrees {
		s := shown.Worktrees[i]
		if w.Ref != s.Ref || w.Agent != s.Agent || w.Missing != s.Missing || w.Missing != (w.Ref == cy.Ref) {
			t.Errorf("%+v, shown as %+v", w, s)
		}
		if w.Ref == cy.Ref {
			continue
		}
		if w.Dirty == nil || s.Changed == nil || *w.Dirty != *s.Changed || w.Distance == nil || s.Ahead == nil || w.Distance.Ahead != *s.Ahead || w.Distance.Behind != *s.Behind {
			t.Errorf("%s: %v %v, shown as %v %v %v", w.Ref, w.Dirty, w.Distance, s.Changed, s.Ahead, s.Behind)
		}
		if w.State == nil || (w.Review != nil) != (w.Ref == ann.Ref) || (w.Landing != nil) != (w.Ref == bob.Ref) {
			t.Errorf("%s: state %v, review %v, landing %v", w.Ref, w.State, w.Review, w.Landing)
		}
	}
	if dirty, far := status.Worktrees[0].Dirty, status.Worktrees[0].Distance; *dirty != 1 || far.Ahead != 1 || far.Behind != 1 {
		t.Errorf("ann's has %d files, and is %+v", *dirty, far)
	}
	if len(status.Landings) != 1 || len(shown.Landings) != 1 || status.Landings[0].ID != shown.Landings[0].ID {
		t.Errorf("%+v, shown as %+v", status.Landings, shown.Landings)
	}
	if len(status.Agents) != 3 || status.Agents[0].Name != "ann" || status.Agents[0].State == nil || status.Tasks[task.InProgress]+status.Tasks[task.Claimed] != 3 || len(status.Active) != 3 {
		t.Errorf("%+v %+v", status.Agents, status.Tasks)
	}

	quick, err := f.store.Status(t.Context(), "app", false)
	worktreetest.Must(t, err)
	if quick.Conflicts != nil || quick.Worktrees[0].Dirty != nil || quick.Worktrees[0].Distance == nil {
		t.Errorf("without a scan: %+v", quick.Worktrees[0])
	}
	worktreetest.Must(t, os.Rename(f.Main.Dir, f.Main.Dir+"-away"))
	gone, err := f.store.Status(t.Context(), "app", true)
	if err != nil || gone.Problem == "" || len(gone.Worktrees) != 3 {
		t.Errorf("a repository that is away: %+v, %v", gone, err)
	}
}
