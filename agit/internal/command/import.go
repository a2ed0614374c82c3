package command

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/graph/planfile"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/textfile"
)

type importOptions struct {
	inProject
	byAgent
	From string // "-", a file, or a tracker
	Path string // of the tracker's file or folder
	Repo string

	Prefix string
}

func newImport(env *cli.Env, run cli.Func[importOptions]) *cobra.Command {
	o := &importOptions{inProject: inProject{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "import -|FILE|TRACKER [PATH]",
		Short: "Read a whole plan: epics, tasks and what waits for what",
		Long: `Read a plan from standard input, as JSON, NDJSON or YAML: lists under epics, tasks
and dependencies, or objects one after another with a kind. They may come in any
order; all are made or none, and an error names the line. An entry has id, name,
description, priority, status, epic, parent, dependsOn, requiredCapabilities and
estimatedDuration; a dependency has source, relation (default blocks) and target.

Or name a file that holds one (.yaml, .json, .ndjson).

Or bring over what another tracker keeps: beads, td (the file of its export), backlog
(Backlog.md) or taskmaster (Task Master), from its file or folder (default: the
current one). Relationships there that dangle or close a cycle are reported and left
out; work that is put off, blocked or in review there is held back here. A second
import adds what is new; it changes nothing here and brings back nothing that was
deleted.`,
		Example: "agit import plan.yaml --project working-todo-app\nagit import beads .beads/issues.jsonl",
	}, o, cli.Take(&o.From, &o.Path), run)
	cmd.ValidArgsFunction = cli.Words(append([]string{"-"}, planfile.Names...)...)
	o.projectFlag(cmd, "`project` of what names none (default: the folder's)")
	o.agentFlag(cmd, env)
	repoFlag(cmd, env, &o.Repo, "`repository` of tasks that name neither epic nor project")
	cmd.Flags().StringVar(&o.Prefix, "prefix", "", "`text` that all ids of a tracker's plan begin with (default: the project's name, if another project has some of them)")
	return cmd
}

func runImport(ctx context.Context, o *importOptions, s *stores.Stores) error {
	plan, err := o.read()
	if err != nil {
		return err
	}
	options := graph.ImportOptions{Project: o.Project, Repo: o.Repo, Agent: agentOf(o.env, o.Agent), Tolerant: slices.Contains(planfile.Names, o.From), Prefix: o.Prefix}
	if options.Project == "" {
		if options.Project, err = s.Graph.ProjectOf(ctx, o.env.Dir); err != nil {
			return err
		}
	}
	done, err := s.Graph.Import(ctx, plan, options)
	return printImported(ctx, o.env, done, err)
}

func (o *importOptions) read() (plan []graph.PlanEntry, err error) {
	if slices.Contains(planfile.Names, o.From) {
		path := o.env.Dir
		if o.Path != "" {
			if path, err = o.env.Path(o.Path); err != nil {
				return nil, err
			}
		}
		return planfile.Read(o.From, path)
	}
	if o.Path != "" {
		return nil, fault.Validation("path", "a plan is read from one file, and %q is another", o.Path).WithHint("leave the path out")
	}
	entries, err := o.sections()
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, fault.Validation("-", "the plan is empty").WithHint("give tasks, epics or dependencies; `agit import --help` has the form")
	}
	plan = make([]graph.PlanEntry, len(entries))
	for i, e := range entries {
		if plan[i], err = graph.ParsePlanEntry(e.Line, e.Section, e.JSON); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// planFiles are the endings of files that hold a plan.
var planFiles = []string{".yaml", ".yml", ".json", ".ndjson", ".jsonl"}

// sections reads the plan from standard input or its file.
func (o *importOptions) sections() ([]output.Entry, error) {
	lists := []string{"epics", "tasks", "dependencies"}
	if o.From == "-" {
		return output.ReadSections(o.env.Streams, lists...)
	}
	path, err := o.env.Path(o.From)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(planFiles, strings.ToLower(filepath.Ext(path))) {
		return nil, fault.Validation("tracker", "%q is neither a tracker nor a file with a plan", o.From).
			WithHint("use %s, or a file that ends in %s", strings.Join(planfile.Names, ", "), strings.Join(planFiles, ", "))
	}
	data, err := textfile.ReadAtMost(path, o.From, output.MaxInput)
	if err != nil {
		return nil, err
	}
	return output.ParseSections(data, lists...)
}

func printImported(ctx context.Context, env *cli.Env, done graph.Imported, failed error) error {
	return printDocument(ctx, env, done, failed, func(t *term.Streams) error {
		for _, skipped := range done.Skipped {
			t.Warn("left out: %s", skipped)
		}
		for _, note := range done.Notes {
			t.Notice("%s", note)
		}
		if n := len(done.Existing); n > 0 {
			t.Notice("%s here already, left as it is", text.Count(n, "epic or task was", "epics and tasks were"))
		}
		return t.Line("imported", text.Count(len(done.Epics), "epic", "epics"), text.Count(len(done.Tasks), "task", "tasks"),
			text.Count(done.Dependencies, "relationship", "relationships"))
	})
}
