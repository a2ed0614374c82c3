package land_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
)

// A merge over an edit in a file that git does not look at is refused with the file's name, in the trial as well. Without an edit, or in
// another file, the flag does not matter.
func TestEditsGitIsToldToPassOver(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flag, edited string
		refused      bool
	}{
		"skip-worktree":         {"--skip-worktree", "conf", true},
		"assume-unchanged":      {"--assume-unchanged", "conf", true},
		"a flag without edit":   {"--skip-worktree", "", false},
		"an edit of other work": {"--skip-worktree", "other", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			f.Main.Commit("Conf", "conf", "a\n", "other", "a\n")
			w := f.Spawn(spawn.Request{Task: "conf"})
			f.Tree(w).Commit("Conf", "conf", "theirs\n")
			f.Main.Git("update-index", c.flag, "conf", "other")
			if c.edited != "" {
				f.Main.Write(c.edited, "mine\n")
			}
			p, err := f.Landings.Preview(t.Context(), land.Request{Worktree: w.Ref})
			worktreetest.Must(t, err)
			if got := len(p.InTheWay) == 1 && strings.Join(p.InTheWay[0].Files, " ") == "conf"; got != c.refused {
				t.Errorf("in the way: %+v", p.InTheWay)
			}
			_, err = landing(f, w.Ref, func(*land.Request) {})
			if !c.refused && err != nil || c.refused && (!fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), "conf")) {
				t.Error(err)
			}
			if c.edited != "" && f.Main.Read(c.edited) != "mine\n" {
				t.Error("the edit is gone")
			}
		})
	}
}
