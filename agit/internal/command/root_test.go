package command

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/cli/clitest"
)

func TestOneCommandIsMade(t *testing.T) { clitest.LazyCommands(t, Root) }

func TestHelpFits(t *testing.T) { clitest.Help(t, Root) }

// TestFlagWords types each flag of flagWords behind its command: none of them exists, and each gets its hint.
func TestFlagWords(t *testing.T) {
	t.Parallel()
	for key, hint := range flagWords {
		var command []string
		for _, word := range strings.Fields(key) {
			if !strings.HasPrefix(word, "-") {
				command = append(command, word)
				continue
			}
			args := append(append([]string{}, command...), word)
			if len(command) == 0 {
				args = []string{"status", word}
			}
			run := clitest.NewRun(t)
			if status := cli.Main(t.Context(), run.Env, Root(run.Env, args), args); status != 2 || !strings.Contains(run.Errs.String(), "; "+hint) {
				t.Errorf("agit %s: status %d, %s", strings.Join(args, " "), status, run.Errs)
			}
		}
	}
}

func TestPages(t *testing.T) { clitest.Pages(t, "agit", Root) }

func TestShape(t *testing.T) { clitest.Shape(t, "agit", Root) }
