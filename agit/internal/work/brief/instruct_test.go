package brief_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/cli/clitest"
)

// The instructions of each kind of task, with a gate and without, by commands and by tools, and for each way to land.
func TestInstructions(t *testing.T) {
	t.Parallel()
	var s strings.Builder
	tell := func(name string, b *brief.Brief, say brief.Words) {
		b.Instruct(say)
		fmt.Fprintf(&s, "== %s\naction: %s\nfinish: %s\nblocked: %s\nbecomes: %s\n", name, b.Action, b.Finish, b.Blocked, b.Becomes())
	}
	made := func() *brief.Brief {
		return &brief.Brief{Task: &brief.Task{ID: "T-1"}, Worktree: &brief.Worktree{Path: "/w", Branch: "b", Into: "main"}, Land: worktree.LandGate}
	}
	tell("a new task", made(), brief.Commands)
	b := made()
	b.Gate = []string{"make"}
	tell("with a gate", b, brief.Commands)
	b = made()
	b.Task.Again = true
	tell("begun before", b, brief.Commands)
	b = made()
	b.Worktree.Found = "by its branch"
	tell("in a worktree that was found", b, brief.Commands)
	b = made()
	b.Review = &brief.Review{Why: "x"}
	tell("returned", b, brief.Commands)
	b = made()
	b.Review = &brief.Review{Why: "x", Pulled: true}
	tell("with a pull request that came back", b, brief.Commands)
	for _, land := range []string{worktree.LandNever, worktree.LandReview, worktree.LandPR, "other", ""} {
		b = made()
		b.Land, b.Gate = land, []string{"make"}
		tell(fmt.Sprintf("that lands by %q", land), b, brief.Commands)
	}
	tell("none", &brief.Brief{}, brief.Words{})
	clitest.Golden(t, filepath.Join("testdata", "instructions.txt"), s.String())
}
