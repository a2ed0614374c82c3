package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

func newConfigTrust(env *Env, run Func[configOptions]) *cobra.Command {
	o := &configOptions{}
	cmd := configCommand(env, o, run, &cobra.Command{
		Use:   "trust",
		Short: "Let this project's hooks and provider hosts take effect",
		Long: `Show the hooks and provider hosts that the project's configuration files set,
and let them take effect. Trust holds for the content shown: when a file changes,
its hooks stop until they are trusted again. Several contents may be trusted, as
branches have them. All worktrees of the repository share it.

Once a gate is trusted, nothing lands without it: when the file holds another gate or
none, landings wait until you trust that too, or take trust back. An agent may not
trust anything.`,
	})
	cmd.Flags().BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
	return cmd
}

// GivenByPerson refuses statements about a clone that only a person may make, when an agent or a run of its client makes them.
func GivenByPerson(env *Env) error {
	who := config.AgentOf(env.Getenv)
	if who == "" {
		return nil
	}
	return fault.Operation(nil, "trust in a project's files is a person's to give or take, and %s may not", who).WithHint("leave it to a person")
}

func runConfigTrust(ctx context.Context, o *configOptions) error {
	if err := GivenByPerson(o.env); err != nil {
		return err
	}
	files, err := o.projectFiles()
	if err != nil {
		return err
	}
	asking := 0
	for _, f := range files {
		if f.State == config.Trusted {
			continue
		}
		asking += len(f.Needs)
		for _, v := range f.Needs {
			o.env.Streams.Notice("%s: %s = %s", v.Origin, v.Key, v.Text())
		}
	}
	if asking > 0 {
		question := "Let " + text.Count(asking, "setting", "settings") + " of this project take effect?"
		agreed, err := o.env.Streams.Agreed(ctx, question, o.Yes, "Nothing is trusted that was not before.")
		if err != nil {
			return err
		}
		if !agreed {
			return ExitStatus(fault.ExitFailure)
		}
	}
	if err := config.Trust(o.sources(), files); err != nil {
		return err
	}
	return o.printTrust(ctx)
}

func newConfigUntrust(env *Env, run Func[configOptions]) *cobra.Command {
	return configCommand(env, &configOptions{}, run, &cobra.Command{
		Use:   "untrust",
		Short: "Take trust back from this project's configuration files",
		Long: `Take trust back from every content of this project's configuration files that was
trusted, also of files that are gone. A gate that was trusted is forgotten with it.`,
	})
}

func runConfigUntrust(ctx context.Context, o *configOptions) error {
	if err := GivenByPerson(o.env); err != nil {
		return err
	}
	if err := config.Untrust(o.sources()); err != nil {
		return err
	}
	return o.printTrust(ctx)
}

// projectFiles returns the project's files; a NotFound fault when the project has none.
func (o *configOptions) projectFiles() ([]config.ProjectFile, error) {
	files, err := config.ProjectFiles(o.sources())
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		f := fault.NotFound("configuration file", config.ProjectFileName)
		f.Message = "this project has no configuration file"
		return nil, f.WithHint("run it inside a project with %s", config.ProjectFileName)
	}
	return files, nil
}

func (o *configOptions) printTrust(ctx context.Context) error {
	files, err := o.projectFiles()
	if err != nil {
		return err
	}
	return output.List(ctx, o.env.Printer(), "files", files, []output.Column[config.ProjectFile]{
		{Title: "file", Flex: true, Value: func(f config.ProjectFile) string { return f.Name }},
		{Title: "state", Value: func(f config.ProjectFile) string { return string(f.State) }, Style: trustStyles.Of},
		{Title: "needs trust", Value: func(f config.ProjectFile) string { return text.Count(len(f.Needs), "setting", "settings") }},
	})
}

var trustStyles = term.Styles{string(config.Trusted): term.Green, string(config.Changed): term.Yellow, string(config.Untrusted): term.Yellow}
