package cli_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
)

// pour holds the options of a command that the tests here make.
type pour struct {
	What, Into string
	Rest       []string
	Words      string
	Dash       bool
	Sugar      int
	sugar      *int
}

// newPour makes a command with the take function under test.
func newPour(take func(*pour) func(cli.Given) error) func(*cli.Env, cli.Func[pour]) *cobra.Command {
	return func(_ *cli.Env, run cli.Func[pour]) *cobra.Command {
		o := &pour{Into: "a cup"}
		cmd := &cobra.Command{Use: "pour", Args: cobra.ArbitraryArgs}
		cmd.Flags().IntVar(&o.Sugar, "sugar", 0, "how much")
		if take == nil {
			return cli.Command(cmd, o, nil, run)
		}
		return cli.Command(cmd, o, take(o), run)
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	two := 2
	for name, c := range map[string]struct {
		take func(*pour) func(cli.Given) error
		args string
		want pour
	}{
		"flags alone":               {nil, "--sugar 2", pour{Into: "a cup", Sugar: 2}},
		"no argument":               {func(o *pour) func(cli.Given) error { return cli.Take(&o.What, &o.Into) }, "", pour{Into: "a cup"}},
		"the first argument":        {func(o *pour) func(cli.Given) error { return cli.Take(&o.What, &o.Into) }, "tea", pour{What: "tea", Into: "a cup"}},
		"arguments in their order":  {func(o *pour) func(cli.Given) error { return cli.Take(&o.What, &o.Into) }, "tea mug", pour{What: "tea", Into: "mug"}},
		"more arguments than taken": {func(o *pour) func(cli.Given) error { return cli.Take(&o.What) }, "tea mug", pour{What: "tea", Into: "a cup"}},
		"all arguments":             {func(o *pour) func(cli.Given) error { return cli.TakeAll(&o.Rest) }, "tea mug", pour{Into: "a cup", Rest: []string{"tea", "mug"}}},
		"words":                     {func(o *pour) func(cli.Given) error { return cli.TakeWords(&o.Words) }, "green tea", pour{Into: "a cup", Words: "green tea"}},
		"a flag that was given": {func(o *pour) func(cli.Given) error {
			return func(g cli.Given) error { o.sugar = cli.IfGiven(g, "sugar", &o.Sugar); return nil }
		}, "--sugar 2", pour{Into: "a cup", Sugar: 2, sugar: &two}},
		"a flag that was not given": {func(o *pour) func(cli.Given) error {
			return func(g cli.Given) error { o.sugar = cli.IfGiven(g, "sugar", &o.Sugar); return nil }
		}, "", pour{Into: "a cup"}},
		"a dash": {func(o *pour) func(cli.Given) error {
			return func(g cli.Given) error {
				before, behind, dash := g.AtDash()
				o.What, o.Rest, o.Dash = strings.Join(before, "+"), behind, dash
				return nil
			}
		}, "tea -- mug --sugar", pour{What: "tea", Into: "a cup", Rest: []string{"mug", "--sugar"}, Dash: true}},
		"no dash": {func(o *pour) func(cli.Given) error {
			return func(g cli.Given) error {
				before, behind, dash := g.AtDash()
				o.What, o.Rest, o.Dash = strings.Join(before, "+"), behind, dash
				return nil
			}
		}, "tea mug", pour{What: "tea+mug", Into: "a cup"}},
		"places": {func(o *pour) func(cli.Given) error {
			return func(g cli.Given) error { o.What, o.Into = g.Arg(0), g.Arg(1); return nil }
		}, "tea", pour{What: "tea"}},
	} {
		got, err := clitest.Options(clitest.NewRun(t).Env, newPour(c.take), strings.Fields(c.args)...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(&c.want, got, cmp.AllowUnexported(pour{})); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// TestCommandRefuses checks that a command line that take refuses does not run, and that the error of a run is the command's.
func TestCommandRefuses(t *testing.T) {
	t.Parallel()
	refused := errors.New("no tea")
	got, err := clitest.Options(clitest.NewRun(t).Env, newPour(func(*pour) func(cli.Given) error { return func(cli.Given) error { return refused } }))
	if !errors.Is(err, refused) || got != nil {
		t.Errorf("%v, %+v", err, got)
	}
	_, err = clitest.Options(clitest.NewRun(t).Env, newPour(func(*pour) func(cli.Given) error {
		return func(g cli.Given) error { return g.Check(g.Args, "WHAT") }
	}))
	if !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), "pour needs WHAT") {
		t.Errorf("an argument that is missing: %v", err)
	}
	cmd := newPour(nil)(nil, func(context.Context, *pour) error { return refused })
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{})
	if err := cmd.ExecuteContext(t.Context()); !errors.Is(err, refused) {
		t.Errorf("the error of the run: %v", err)
	}
}

func TestOneOf(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{nil, {"--claim"}} {
		if err := cli.OneOf(names, ""); err != nil {
			t.Errorf("%q: %v", names, err)
		}
	}
	err := cli.OneOf([]string{"--claim", "--start", "show"}, "give them one after another")
	f := fault.From(err)
	if f.Kind != fault.KindValidation || f.Field != "start" || f.Message != "--claim and --start and show cannot be done at once" || f.Hint != "give them one after another" {
		t.Errorf("%+v", f)
	}
}

// TestTree makes the commands that a run asks for, and no others.
func TestTree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		made string
	}{
		{nil, "one two"},
		{[]string{"two", "--json"}, "two"},
		{[]string{"version"}, ""},
		{[]string{"version", "--json"}, ""},
		{[]string{"--version"}, ""},
		{[]string{"--version", "--help"}, "one two"},
		{[]string{"docs"}, "one two"},
		{[]string{"help", "two"}, "one two"},
		{[]string{"thre"}, "one two"},
	} {
		var made []string
		entry := func(name string) cli.Entry {
			return cli.Branch(name, func(*cli.Env) *cobra.Command {
				made = append(made, name)
				return &cobra.Command{Use: name}
			})
		}
		tree := cli.Tree{Sections: []cli.Section{{Title: "First", Commands: []cli.Entry{entry("one")}}, {Title: "Second", Commands: []cli.Entry{entry("two")}}}}
		root := tree.Root(clitest.NewRun(t).Env, c.args)
		if got := strings.Join(made, " "); got != c.made {
			t.Errorf("%q made %q, want %q", c.args, got, c.made)
		}
		for _, cmd := range root.Commands() {
			want := map[string]string{"one": "First", "two": "Second"}[cmd.Name()]
			if cmd.GroupID != want {
				t.Errorf("%q stands under %q, want %q", cmd.Name(), cmd.GroupID, want)
			}
		}
	}
}

// TestLeaf runs a command of a tree with its run function.
func TestLeaf(t *testing.T) {
	t.Parallel()
	ran := ""
	tree := cli.Tree{Sections: []cli.Section{{Title: "Drinks", Commands: []cli.Entry{
		cli.Leaf("pour", newPour(func(o *pour) func(cli.Given) error { return cli.Take(&o.What) }), func(_ context.Context, o *pour) error {
			ran = o.What
			return nil
		}),
	}}}}
	run := clitest.NewRun(t)
	args := []string{"pour", "tea"}
	if status := cli.Main(t.Context(), run.Env, tree.Root(run.Env, args), args); status != 0 || ran != "tea" {
		t.Errorf("status %d, poured %q: %s", status, ran, run.Errs)
	}
}

// TestArgsOfUse holds that a command takes the arguments that its use line names, and no others, unless it has Args of its own.
func TestArgsOfUse(t *testing.T) {
	t.Parallel()
	for use, c := range map[string]struct {
		args []string
		want string
	}{
		"pour":                 {[]string{"tea"}, "takes no argument"},
		"pour [flags]":         {[]string{"tea"}, "takes no argument"},
		"pour WHAT [flags]":    {nil, "needs WHAT"},
		"pour WHAT":            {[]string{"tea", "milk"}, "an argument too many"},
		"pour WHAT [CUP]":      {[]string{"tea", ""}, "CUP is empty"},
		"pour WHAT... [flags]": {[]string{"tea", "milk"}, ""},
		"pour [WHAT]":          {nil, ""},
	} {
		cmd := cli.Command(&cobra.Command{Use: use}, &pour{}, nil, func(context.Context, *pour) error { return nil })
		if err := cmd.Args(cmd, c.args); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q with %q: %v, want %q", use, c.args, err, c.want)
		}
	}
}
