package command

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

type addOptions struct {
	folder
	check.New
}

func newAdd(env *cli.Env, run cli.Func[addOptions]) *cobra.Command {
	o := &addOptions{folder: folder{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "add MEMORY PATH[:LINE[-END]] [LINE] [flags]",
		Short: "Cite a place in the code in a memory",
		Long: `Add a citation to a memory's table of citations, making the table when there is none.
The snippet is taken from the code. A given snippet must exist there; without a line
it finds its own. PATH is relative to the repository or the current folder. Citing a
place again refreshes its row. Where the project has no memories yet, the folder
.serena/memories and the memory are made.`,
		Example: "citecheck add api-versioning src/client/constants.ts:42\ncitecheck add testing/foo server/api.ts --snippet \"router.use('/v2'\"",
		Args:    cli.Args("MEMORY", "PATH", "[LINE]"),
	}, o, o.take, run)
	o.flags(cmd)
	f := cmd.Flags()
	f.IntVar(&o.Line, "line", 0, "the cited `line`, from 1 (or after the path)")
	f.StringVar(&o.Snippet, "snippet", "", "the cited `text` (default the line as it is)")
	cmd.ValidArgsFunction = func(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return o.completeIDs(c, args, word)
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	return cmd
}

func (o *addOptions) take(g cli.Given) error {
	o.Memory, o.Path = g.Args[0], g.Args[1]
	if len(g.Args) > 2 {
		n, err := strconv.Atoi(g.Args[2])
		if err != nil || n < 1 {
			return fault.Validation("line", "%q is not a line", g.Args[2])
		}
		o.Line = n
	}
	return nil
}

func runAdd(ctx context.Context, o *addOptions) error {
	if o.Line < 0 {
		return fault.Validation("line", "%d is not a line", o.Line)
	}
	o.begin = &library.First{Memory: o.Memory, Cites: o.Path}
	s, err := o.open(ctx, stores.Kept, false)
	if err != nil {
		return err
	}
	defer s.Close()
	added, err := s.Checks.Add(ctx, o.New)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, added, func(st *term.Streams) error {
		if !added.Changed {
			st.Notice("it was cited already")
		}
		return st.Line(added.Memory, added.Place.String(), added.Snippet)
	})
}
