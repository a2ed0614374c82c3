package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/cli/clitest"
)

// Where there is nothing that tells agents what to do, other documents are named, unless they were asked for.
func TestNoInstructions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file string
		args []string
		want bool
	}{
		{"", []string{"instructions"}, true},
		{"", []string{"instructions", "--docs"}, false},
		{"CLAUDE.md", []string{"instructions"}, false},
	} {
		run := clitest.NewRun(t)
		if c.file != "" {
			if err := os.WriteFile(filepath.Join(run.Dir, c.file), []byte("Run the tests.\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		status := cli.Main(t.Context(), run.Env, Root(run.Env, c.args), c.args)
		if got := strings.Contains(run.Errs.String(), "citecheck instructions --docs"); status != 0 || got != c.want {
			t.Errorf("%q with %q: status %d, %q", c.args, c.file, status, run.Errs)
		}
	}
}
