package checkout

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Index entries that git does not look at are those with a tag in lower case or S; links and submodules are not files.
func TestFlagged(t *testing.T) {
	t.Parallel()
	got := flagged([]string{"H 100644 o1 0\ta", "S 100644 o2 0\tb c", "h 100755 o3 0\td", "s 100644 o4 0\te", "S 120000 o5 0\tlink", "S 160000 o6 0\tmodule", "SS 100644 o7 0\tx", "S 100644 0\tx", "S 100644 o8 0 x", "z 100644 o9 0\tz", "{ 100644 o9 0\tx", "` 100644 o9 0\tx", "R 100644 o9 0\tx", "a 100644 o9 0\ty"})
	if diff := cmp.Diff(map[string]string{"b c": "o2", "d": "o3", "e": "o4", "z": "o9", "y": "o9"}, got); diff != "" {
		t.Error(diff)
	}
}
