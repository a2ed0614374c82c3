package command

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli/clitest"
)

// A refusal names the flags that were given, and no others.
func TestCleanupFlagsRefused(t *testing.T) {
	t.Parallel()
	env := clitest.NewRun(t).Env
	for args, want := range map[string]string{
		"--restore x --dry-run":    "[dry-run restore]",
		"--restore x --trash":      "[restore trash]",
		"--restore x --worktree y": "[restore worktree]",
		"--worktree y --trash":     "[trash worktree]",
		"--abandon-work":           "--abandon-work goes with --worktree",
	} {
		if _, err := clitest.Options(env, newCleanup, strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if _, err := clitest.Options(env, newCleanup, "--worktree", "x", "--dry-run"); err != nil {
		t.Error(err)
	}
}
