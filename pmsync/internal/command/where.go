package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/criteria"
	"github.com/agit-suite/agit/pmsync/internal/plan"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/work"
)

// where holds the project and agent of a command, from its flags.
type where struct {
	env     *cli.Env
	Project string
	Agent   string
}

// bind adds --project and --agent to a command.
func (w *where) bind(env *cli.Env, cmd *cobra.Command) *cobra.Command {
	w.env = env
	cmd.Flags().StringVar(&w.Project, "project", "", "`project`: an id, a name or a folder (default the current folder's)")
	cmd.Flags().StringVar(&w.Agent, "agent", "", "`agent` this is done for (default AGIT_AGENT)")
	return cmd
}

// caller returns the caller's project and agent.
func (w *where) caller() (c caller.Caller, err error) {
	c.Agent = cmp.Or(w.Agent, w.env.Getenv("AGIT_AGENT"))
	w.env.Agent = c.Agent
	if _, err := w.env.Path("."); err != nil && w.Project == "" {
		return c, err
	}
	c.Place, err = project.Locate(w.Project, w.env.Dir)
	return c, err
}

// start resolves the caller and opens the stores.
func (w *where) start(ctx context.Context) (st *stores.Stores, c caller.Caller, err error) {
	if c, err = w.caller(); err == nil {
		st, err = stores.Open(ctx, w.env)
	}
	if err != nil || c.Place.At == nil {
		return st, c, err
	}
	cfg, err := w.env.ConfigAt(ctx, c.Place.At.Folder)
	if err == nil {
		err = st.Sync.Heed(ctx, c, cfg)
	}
	return st, c, err
}

// look is start for a command that only reads. It still counts as a sign of life of its agent.
func (w *where) look(ctx context.Context) (st *stores.Stores, c caller.Caller, err error) {
	if st, c, err = w.start(ctx); err == nil {
		err = c.Alive(ctx, st.DB)
	}
	return st, c, err
}

// options is the options of a command that needs the stores.
type options[T any] interface {
	*T
	start(ctx context.Context) (*stores.Stores, caller.Caller, error)
	look(ctx context.Context) (*stores.Stores, caller.Caller, error)
}

// running is what a command does once the stores are open.
type running[O any] = func(ctx context.Context, o O, st *stores.Stores, c caller.Caller) error

// starts makes a command of a function that needs the stores and the caller; looks does so for one that only reads.
func starts[T any, O options[T]](run running[O]) cli.Func[T] { return opens(O.start, run) }
func looks[T any, O options[T]](run running[O]) cli.Func[T]  { return opens(O.look, run) }

func opens[T any, O options[T]](open func(O, context.Context) (*stores.Stores, caller.Caller, error), run running[O]) cli.Func[T] {
	return func(ctx context.Context, o *T) error {
		st, c, err := open(o, ctx)
		if err != nil {
			return err
		}
		return run(ctx, o, st, c)
	}
}

// show prints the answer of a command as a document, unless it failed.
func (w *where) show(ctx context.Context, answer any, err error, print func(s *term.Streams) error) error {
	if err != nil {
		return err
	}
	return w.env.Printer().Document(ctx, answer, print)
}

// folder returns the folder with the project's files.
func (w *where) folder() string {
	if place, err := project.Locate(w.Project, w.env.Dir); err == nil && place.At != nil {
		return place.At.Folder
	}
	return w.env.Dir
}

// completeHere offers what there is in the current folder's project.
func completeHere(env *cli.Env, offer func(ctx context.Context, db *registry.DB, c caller.Caller, typed string) ([]string, error)) cli.Completer {
	return cli.CompleteFirst(env, func(ctx context.Context, db *registry.DB, typed string) ([]string, error) {
		w := where{env: env}
		c, err := w.caller()
		if err != nil {
			return nil, err
		}
		return offer(ctx, db, c, typed)
	})
}

// completeTickets offers the keys of the current folder's tickets.
func completeTickets(env *cli.Env) cli.Completer {
	return completeHere(env, func(ctx context.Context, db *registry.DB, c caller.Caller, typed string) ([]string, error) {
		return (&ticket.Store{DB: db}).Keys(ctx, c, typed)
	})
}

// completePlans offers the ids of the current folder's unfinished plans.
func completePlans(env *cli.Env) cli.Completer {
	return completeHere(env, func(ctx context.Context, db *registry.DB, c caller.Caller, _ string) ([]string, error) {
		plans, err := (&plan.Store{DB: db}).List(ctx, c, plan.Filter{})
		ids := make([]string, len(plans))
		for i, p := range plans {
			ids[i] = p.ID + "\t" + p.Title
		}
		return ids, err
	})
}

// completeCriteria completes tickets, after TICKET# the numbers of its criteria, and ids of criteria for text that begins like one.
func completeCriteria(env *cli.Env) cli.Completer {
	tickets := completeTickets(env)
	places := completeHere(env, func(ctx context.Context, db *registry.DB, c caller.Caller, typed string) ([]string, error) {
		ticket, _, _ := strings.Cut(typed, "#")
		status, err := (&criteria.Store{DB: db}).Status(ctx, c, ticket)
		all := make([]string, len(status.Criteria))
		for i, one := range status.Criteria {
			all[i] = fmt.Sprintf("%s#%d\t%s", ticket, i+1, one.Text)
		}
		return all, err
	})
	ids := completeHere(env, func(ctx context.Context, db *registry.DB, c caller.Caller, typed string) ([]string, error) {
		return (&criteria.Store{DB: db}).IDs(ctx, c, typed)
	})
	return func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if strings.Contains(typed, "#") {
			return places(c, args, typed)
		}
		if strings.HasPrefix(typed, criteria.Prefix) {
			return ids(c, args, typed)
		}
		found, how := tickets(c, args, typed)
		return found, how | cobra.ShellCompDirectiveNoSpace
	}
}

// completeInTurn completes each argument with a completer of its own.
func completeInTurn(each ...cli.Completer) cli.Completer {
	return func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= len(each) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return each[len(args)](c, nil, typed)
	}
}

// priority returns a priority's name.
func priority(p int) string { return work.Priority(p).String() }

func joined(list []string) string { return strings.Join(list, ", ") }
