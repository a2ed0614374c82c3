package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
)

// A typed word, an alias and a folder each run a command; a command of the suite is never replaced, and the error for an unknown word names
// the nearest one.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line, ran, told string
		without         bool // the program knows no paths, and nothing to do alone
		status          int
	}{
		{line: "pour", ran: "pour "},
		{line: "tea black", ran: "pour black"},
		{line: "pour tea", ran: "pour tea"},
		{line: "mine", ran: "pour two words"},
		{line: "tea --jq", told: "flag needs an argument", status: 2},
		{line: "folder", ran: "pour folder"},
		{line: "milk", told: "there is no command \"milk\"; it is a file", status: 2},
		{line: "milk", without: true, told: "there is no command \"milk\"; `program --help`", status: 2},
		{line: "", without: true, told: "", status: 0},
		{line: "nowhere", told: "there is no command \"nowhere\"; `program --help`", status: 2},
		{line: "coffee", told: "there is no command \"coffee\"; a machine makes it", status: 2},
		{line: "SEM-12", told: "did you mean `program pour SEM-12`?", status: 2},
		{line: "cup SEM-12", told: "cup has no command \"SEM-12\"; did you mean `program cup show SEM-12`?", status: 2},
		{line: "coffee -x black", told: "a machine makes it", status: 2},
		{line: "cup fill", told: "cup has no command \"fill\"; by pouring", status: 2},
		{line: "pour black tea", told: "an argument too many: \"tea\"; it is poured alone", status: 2},
		{line: "pour nothing", told: "drink \"nothing\" does not exist; there is water", status: 3},
		{line: "pour else", told: "drink \"water\" does not exist", status: 3},
		{line: "cup view", told: "did you mean `program cup show`?", status: 2},
		{line: "cup other", told: "`program cup --help` lists the commands", status: 2},
		{line: "por", told: "did you mean `program pour`?", status: 2},
		{line: "broken", told: "there is no command \"broken\"", status: 2},
		{line: "-q mine", told: "there is no command \"mine\"", status: 2}, // a word comes first
		{line: "", ran: "alone"},
		{line: "help pour", told: "", status: 0},
	} {
		ran := ""
		tree := cli.Tree{
			Sections: []cli.Section{{Title: "Drinks", Commands: []cli.Entry{
				cli.Leaf("pour", func(env *cli.Env, run cli.Func[pour]) *cobra.Command {
					cmd := newPour(func(o *pour) func(cli.Given) error { return cli.Take(&o.What) })(env, run)
					cmd.Args = cli.Args("[WHAT]")
					return cmd
				}, func(_ context.Context, o *pour) error {
					switch o.What {
					case "nothing":
						return fault.NotFound("drink", "nothing")
					case "else":
						return fault.NotFound("drink", "water")
					}
					ran = "pour " + o.What
					return nil
				}),
				cli.Branch("cup", func(*cli.Env) *cobra.Command {
					return cli.Parent(&cobra.Command{Use: "cup"}, &cobra.Command{Use: "wash", Run: func(*cobra.Command, []string) {}},
						&cobra.Command{Use: "show", SuggestFor: []string{"view", cli.ForID}, Run: func(*cobra.Command, []string) {}})
				}),
			}}},
			ID: "pour", Words: map[string]string{"tea": "pour"}, Instead: map[string]string{"coffee": "a machine makes it", "cup fill": "by pouring", "pour black": "it is poured alone", "pour nothing": "there is water", "pour else": "wrong"}, Folder: "pour",
			Path:  "it is a file",
			Alone: func(context.Context, *cli.Env) error { ran = "alone"; return nil },
		}
		if c.without {
			tree.Path, tree.Alone = "", func(context.Context, *cli.Env) error { return cli.ErrHelp }
		}
		run := clitest.NewRun(t)
		home := filepath.Join(run.Env.UserHome, ".agit")
		for _, dir := range []string{home, filepath.Join(run.Env.Dir, "folder")} {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(run.Env.Dir, "milk"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		config := `aliases = ["mine = pour 'two words'", "pour = mine", "broken = pour 'x"]` + "\n"
		if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		args := strings.Fields(c.line)
		status := cli.Main(t.Context(), run.Env, tree.Root(run.Env, args), args)
		if status != c.status || ran != c.ran || !strings.Contains(run.Errs.String(), c.told) || strings.Contains(run.Errs.String(), "wrong") {
			t.Errorf("%q: status %d, ran %q, told %q; want %+v", c.line, status, ran, run.Errs, c)
		}
	}
}
