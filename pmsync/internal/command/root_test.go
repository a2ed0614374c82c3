package command

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/cli/clitest"
)

func TestOneCommandIsMade(t *testing.T) { clitest.LazyCommands(t, Root) }

func TestHelpFits(t *testing.T) { clitest.Help(t, Root) }

// TestWordsPeopleType: a word of other programs leads to the command of this one.
func TestWordsPeopleType(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"SEM-12":              "`program ticket show SEM-12`",
		"ticket SEM-12":       "`program ticket show SEM-12`",
		"ticket close SEM-12": "`program ticket status`",
		"ticket assign":       "`program ticket update`",
		"ac SEM-12":           "`program ac status SEM-12`",
		"ac list SEM-12":      "`program ac status`",
		"dep list SEM-12":     "`program dep blockers`",
		"dep rm SEM-1 SEM-2":  "`program dep remove`",
		"plan done p-1":       "`program plan update`",
		"start SEM-12":        "`pmsync ticket status KEY in_progress`",
		"assign SEM-12 ann":   "--assignee NAME",
		"disconnect":          "without that line the tickets are kept here alone",
	} {
		run := clitest.NewRun(t)
		args := strings.Fields(line)
		if status := cli.Main(t.Context(), run.Env, Root(run.Env, args), args); status != 2 || !strings.Contains(run.Errs.String(), want) {
			t.Errorf("%q: status %d, %s; want %q", line, status, run.Errs, want)
		}
	}
}

func TestFlagWords(t *testing.T) { clitest.FlagWords(t, Root, flagWords(), "status") }

func TestPages(t *testing.T) { clitest.Pages(t, "pmsync", Root) }

func TestShape(t *testing.T) { clitest.Shape(t, "pmsync", Root) }
