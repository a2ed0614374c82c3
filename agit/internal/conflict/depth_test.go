package conflict_test

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/shared/fault"
)

// A depth is read whatever its case. Uses are found among merges, so that the word stands for one.
func TestParseDepth(t *testing.T) {
	for typed, want := range map[string]conflict.Depth{
		"": conflict.DepthMerge, " ": conflict.DepthMerge, "file": conflict.DepthFile, " Lines ": conflict.DepthLines, "MERGE": conflict.DepthMerge, "uses": conflict.DepthMerge,
	} {
		if got, err := conflict.ParseDepth(typed); got != want || err != nil {
			t.Errorf("depth %q is read as %q, %v; want %q", typed, got, err, want)
		}
	}
	for _, typed := range []string{"deep", "file,lines", "f"} {
		if _, err := conflict.ParseDepth(typed); fault.From(err) == nil || fault.From(err).Kind != fault.KindValidation {
			t.Errorf("depth %q is not refused: %v", typed, err)
		}
	}
}

// The order of depths is how closely two worktrees meet: each is at least as deep as itself and those before it, and no others.
func TestDepthsAreOrdered(t *testing.T) {
	depths := conflict.Depths()
	for i, a := range depths {
		for j, b := range depths {
			if a.AtLeast(b) != (i >= j) {
				t.Errorf("%s is at least %s: %v", a, b, a.AtLeast(b))
			}
		}
		if !a.AtLeast("") || conflict.Depth("").AtLeast(a) {
			t.Errorf("no depth counts beside %s", a)
		}
	}
}
