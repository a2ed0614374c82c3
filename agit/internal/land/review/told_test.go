package review_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
)

// logTime finds the time in the name of a log.
var logTime = regexp.MustCompile(`/\d{8}T\d{6}\.\d{6}Z-`)

// In one repository: work that waits, is accepted, returned, conflicts and fails, with whole answers, and the differences that people see.
func TestReviewsAreTold(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.store.Conflicts = &conflict.Store{DB: f.DB, CacheDir: t.TempDir()}
	masks := clitest.NewMasks(t, f.Repo.Path, "<repo>", f.Worktrees.Options.Home, "<home>", os.TempDir(), "<tmp>")
	var out strings.Builder
	show := func(title string, result any, err error) {
		fmt.Fprintf(&out, "== %s\n", title)
		if err != nil {
			said := fault.From(err)
			fmt.Fprintf(&out, "! %s (%s, retry %v): %s\n", said.Message, said.Kind, said.Retryable, said.Hint)
			return
		}
		text, err := json.MarshalIndent(result, "", " ")
		worktreetest.Must(t, err)
		fmt.Fprintf(&out, "%s\n", text)
	}
	stat := func(title, ref string, part review.Part, paths ...string) {
		d, err := f.store.Diff(t.Context(), "app", ref, part)
		if err != nil {
			show(title, nil, err)
			return
		}
		defer d.Close()
		s, err := d.Stat(t.Context(), paths)
		if err == nil && part == review.Whole {
			s.Later, err = f.store.Since(t.Context(), d)
		}
		show(title, s, err)
	}
	outcome := func(title string) {
		o, err := f.store.Outcome(t.Context(), "app", time.Hour)
		show(title, o, err)
	}
	accept := func(title string, d review.Decision) {
		v, merged, err := f.store.Accept(t.Context(), d)
		show(title, []any{v, merged}, err)
	}
	turn := func(title string, d review.Decision) {
		v, err := f.store.Return(t.Context(), d, 0)
		show(title, v, err)
	}
	_, err := f.tasks.Create(t.Context(), []task.New{{ID: "T-2", Repo: "app", Text: "Log out"}, {ID: "T-3", Repo: "app", Text: "Menu"}, {ID: "T-4", Repo: "app", Text: "Footer"}})
	worktreetest.Must(t, err)
	work := func(id, agent, file string) worktree.Worktree {
		w := f.Spawn(spawn.Request{Task: id, Agent: agent})
		f.Tree(w).Commit("Work on "+id, file, id+"\n")
		return f.Get(w)
	}
	out2, clash, given := work("T-2", "bob", "b.txt"), work("T-3", "cyd", "b.txt"), work("T-4", "dan", "footer.go")
	ask := func(w worktree.Worktree, summary, gate string) {
		_, err := f.store.Ask(t.Context(), review.Asked{Worktree: w, Tip: f.Tree(w).Head(), Onto: f.Main.Head(), Summary: summary, Gate: gate, Files: 1, Insertions: 2, Deletions: 3})
		worktreetest.Must(t, err)
	}
	turn("never shown", f.decide("no"))
	stat("not shown, all", f.w.Ref, review.Whole)
	stat("not shown, later", f.w.Ref, review.Later)
	v, err := f.store.Get(t.Context(), "app", f.w.Ref)
	show("not shown", v, err)
	ask(f.w, "The form\nis there.", land.GatePassed)
	ask(out2, "", "")
	ask(clash, "It clashes.", "")
	f.Tree(f.w).Write("late.txt", "not shown\n")
	stat("shown", f.w.Ref, review.Whole)
	stat("shown, of one path", f.w.Ref, review.Whole, "b.txt")
	stat("changed since", f.w.Ref, review.Later)
	d, err := f.store.Between(t.Context(), "app", f.w.Ref, out2.Ref)
	worktreetest.Must(t, err)
	s, err := d.Stat(t.Context(), nil)
	show("between two", s, err)
	d.Close()
	_, err = f.store.Between(t.Context(), "app", f.w.Ref, "w-none")
	show("between one and none", nil, err)
	stat("no such worktree", "w-none", review.Whole)
	stat("a branch", "main", review.Whole)
	outcome("all wait")
	accept("by an agent", review.Decision{Worktree: out2.Ref, Asker: land.Asker{Agent: "ann"}})
	accept("another commit than was seen", review.Decision{Worktree: out2.Ref, Seen: f.Main.Head()})
	accept("accepted", review.Decision{Worktree: out2.Ref, By: "ann"})
	accept("accepted again", review.Decision{Worktree: out2.Ref})
	turn("returned after it landed", review.Decision{Worktree: out2.Ref, Why: "late"})
	stat("what landed", out2.Ref, review.Whole)
	accept("a conflict", review.Decision{Worktree: clash.Ref})
	outcome("one landed, one conflicts")
	turn("returned without a reason", review.Decision{Worktree: clash.Ref})
	turn("returned", review.Decision{Worktree: clash.Ref, Why: "Merge main\nfirst.", By: "ann"})
	turn("returned again", review.Decision{Worktree: clash.Ref, Why: "Merge main\nfirst."})
	f.Tree(f.w).Remove("late.txt")
	f.Set.Gate = []string{"test ! -e login.go || { echo broken; exit 2; }"}
	accept("a red gate", f.decide(""))
	_, err = f.tasks.Report(t.Context(), task.Report{ID: "T-4", Status: task.Pending, Why: "too large", Caller: task.Caller{Agent: "dan"}})
	worktreetest.Must(t, err)
	outcome("in the morning")
	f.Set.Gate = nil
	accept("what was shown", f.decide(""))
	outcome("at the end")
	none, err := f.store.Outcome(t.Context(), "none", time.Hour)
	show("of no repository", none, err)
	fmt.Fprintf(&out, "== main\n%s\n", f.Main.Git("log", "--first-parent", "--format=%B", "main"))
	for _, id := range []string{"T-1", "T-2", "T-3", "T-4"} {
		d, err := f.tasks.Get(t.Context(), id)
		worktreetest.Must(t, err)
		fmt.Fprintf(&out, "== %s %s, held by %q: %s\n", id, d.Status, d.Agent, d.Result)
	}
	if !f.Get(given).Status.Live() {
		t.Error("work that was given back is gone")
	}
	clitest.Golden(t, filepath.Join("testdata", "reviews.txt"), masks.Apply(logTime.ReplaceAllString(out.String(), "/<time>-")))
}
