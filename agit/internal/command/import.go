package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/tracker"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

type importOptions struct {
	graphOptions
	Repo string
}

func newImport(env *cli.Env) *cobra.Command {
	o := &importOptions{}
	cmd := graphCommand(env, &cobra.Command{
		Use: "import -|TRACKER [PATH]", Short: "Read a whole plan: epics, tasks and what waits for what",
		Long: `Read a plan from standard input, as JSON, NDJSON or YAML: lists under epics, tasks
and dependencies, or objects one after another with a kind. They may come in any
order; all are made or none, and an error names the line. An entry has id, name,
description, priority, status, epic, parent, dependsOn, requiredCapabilities and
estimatedDuration; a dependency has source, relation (default blocks) and target.

Or bring over what another tracker keeps: beads, td (the file of its export),
backlog (Backlog.md) or taskmaster (Task Master), from its file or folder
(default: the current one).
Relationships there that dangle or close a cycle are reported and left out.`,
		Example: "agit import - --project working-todo-app < plan.yaml\nagit import beads .beads/issues.jsonl",
	}, o, &o.graphOptions, []string{"-|TRACKER", "[PATH]"}, runImport)
	cmd.ValidArgsFunction = values(append([]string{"-"}, tracker.Names...)...)
	o.projectFlag(cmd, env, "`project` of what names none (default: the folder's)")
	o.agentFlag(cmd, env)
	cmd.Flags().StringVar(&o.Repo, "repo", "", "`repository` of tasks that name neither epic nor project")
	cli.CompleteFlag(cmd, "repo", cli.Complete(env, listRepoNames))
	return cmd
}

func runImport(ctx context.Context, o *importOptions, s *stores.Stores) error {
	plan, err := o.read()
	if err != nil {
		return err
	}
	options := graph.ImportOptions{Project: o.Project, Repo: o.Repo, Agent: o.Agent, Tolerant: o.Args[0] != "-"}
	if options.Project == "" {
		options.Project = s.Graph.ProjectOf(ctx, o.env.Dir)
	}
	done, err := s.Graph.Import(ctx, plan, options)
	if err != nil {
		return err
	}
	return printImported(ctx, o.env, done)
}

func (o *importOptions) read() (plan []graph.PlanEntry, err error) {
	if o.Args[0] != "-" {
		path := o.env.Dir
		if len(o.Args) > 1 {
			if path, err = o.env.Path(o.Args[1]); err != nil {
				return nil, err
			}
		}
		return tracker.Read(o.Args[0], path)
	}
	if len(o.Args) > 1 {
		return nil, fault.Validation("path", "a plan is read from standard input, not from %q", o.Args[1]).WithHint("leave the path out")
	}
	entries, err := output.ReadSections(o.env.Streams, "epics", "tasks", "dependencies")
	if err != nil {
		return nil, err
	}
	plan = make([]graph.PlanEntry, len(entries))
	for i, e := range entries {
		if plan[i], err = graph.ParsePlanEntry(e.Line, e.Section, e.JSON); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

func printImported(ctx context.Context, env *cli.Env, done graph.Imported) error {
	return env.Printer().Document(ctx, done, func(t *term.Streams) error {
		for _, skipped := range done.Skipped {
			t.Warn("left out: %s", skipped)
		}
		return t.Line("imported", plural(len(done.Epics), "epic", "epics"), plural(len(done.Tasks), "task", "tasks"),
			plural(done.Dependencies, "relationship", "relationships"))
	})
}
