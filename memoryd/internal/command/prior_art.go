package command

import (
	"context"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/priorart"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/term"
)

type priorArtOptions struct {
	where
	Task   string
	Scope  string
	Limit  int
	Budget int
}

func newPriorArt(env *cli.Env, run cli.Func[priorArtOptions]) *cobra.Command {
	o := &priorArtOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:   "prior-art TASK...",
		Short: "Find what is known already about a piece of work",
		Long: `Find what retrospectives, activities, commits and memories say of a task, described in
plain words: what went well in the scope of the agent first, then, when that is too
little, in all scopes; and the mistakes (bad grades, bugs, halts, warnings) of all.

With --project DIR similar projects, as classify finds them, are searched too, and
each match names its project and age; where the registry has too little, their git
logs are searched.`,
		Example: "memoryd prior-art 'retry the payment webhook' --agent builder-1\n" +
			"memoryd prior-art add pagination to the orders API --project . --json",
	}, o, cli.TakeWords(&o.Task), run)
	o.bindProject(env, cmd)
	f := cmd.Flags()
	f.Lookup("project").Usage = "look into projects like this one, too: a `folder`, an id or a name"
	f.StringVar(&o.Agent, "agent", "", "`agent` whose type is the scope (default AGIT_AGENT)")
	f.StringVar(&o.Scope, "scope", "", "`scope` to look in first (default the agent's type)")
	f.IntVar(&o.Limit, "limit", priorart.DefaultResults, "at most `n` matches of each kind")
	f.IntVar(&o.Budget, "budget", 0, "most `bytes` of the JSON answer (default by the limit)")
	cli.CompleteFlag(cmd, "agent", cli.Complete(env, listAgents))
	return cmd
}

func runPriorArt(ctx context.Context, o *priorArtOptions) error {
	q := priorart.Query{Task: o.Task, Scope: o.Scope, MaxResults: o.Limit, Budget: o.Budget, Similar: o.Project != ""}
	err := priorart.CheckResults(o.Limit) // a Query without a number asks for the default
	if err != nil {
		return err
	}
	if q.Place, err = o.priorPlace(); err != nil {
		return err
	}
	st, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	q.Agent = o.Agent
	q.Caller = o.agent()
	s := &priorart.Store{DB: st.DB, Seen: st.History.Beside().Bears, Run: sibling.Run, Flags: o.env.Globals.Args()}
	r, err := s.Search(ctx, q)
	if err != nil {
		return err
	}
	if r.Empty() && !q.Similar {
		o.env.Streams.Notice("`--project .` looks into projects like this one, too")
	}
	return o.env.Printer().Document(ctx, r, func(t *term.Streams) error { return t.Text(r.Markdown()) })
}

// priorPlace reads --project as a folder when a folder of that name exists.
func (o *priorArtOptions) priorPlace() (project.Place, error) {
	if o.Project != "" && exists(o.env, o.Project, fs.FileMode.IsDir) {
		path, err := o.env.Path(o.Project)
		if err != nil {
			return project.Place{}, err
		}
		return project.Locate(path, "")
	}
	return o.place()
}
