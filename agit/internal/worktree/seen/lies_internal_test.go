package seen

import (
	"strings"
	"testing"
)

// A folder of a client lies anywhere in a path, as consecutive folders.
func TestLies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, want string
		is         bool
	}{
		{"a/b/c", "b/c", true},
		{"a/b/c", "a/b", true},
		{"a/b/c", "a/b/c", true},
		{"a/b/c", "c", true},
		{"a/b/c", "a/c", false},
		{"a/b/c", "b/c/d", false},
		{"b/c", "a/b/c", false},
		{"x/app-worktrees/y", "*-worktrees", true},
		{"x/-worktrees/y", "*-worktrees", false},
		{"x/app-worktrees/y", "*-worktrees/y", true},
		{"x/app-trees/y", "*-worktrees/y", false},
	} {
		if got := lies(strings.Split(c.path, "/"), strings.Split(c.want, "/")); got != c.is {
			t.Errorf("%s in %s: %v", c.want, c.path, got)
		}
	}
}
