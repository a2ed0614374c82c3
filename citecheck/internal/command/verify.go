package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

// looking holds the flags of commands that verify.
type looking struct {
	folder
	check.Options
	Index         bool
	WriteVerified bool
}

func (l *looking) flags(cmd *cobra.Command) {
	l.folder.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&l.At, "at", "", "look at the code of a `revision` (default the working tree)")
	f.BoolVar(&l.Index, "index", false, "check the staged files")
	f.BoolVar(&l.Prose, "prose", false, "count references in prose (path:line) as citations")
	f.BoolVar(&l.WriteVerified, "write-verified", false, "write dates and confidence into the memories")
	cmd.MarkFlagsMutuallyExclusive("at", "index")
	cmd.MarkFlagsMutuallyExclusive("at", "write-verified")
	cmd.MarkFlagsMutuallyExclusive("index", "write-verified")
	cli.Exits(cmd, fault.ExitFailure, "a citation is not valid, or a memory cannot be read")
}

func (l *looking) options() check.Options {
	o := l.Options
	if o.Whole = true; l.Index {
		o.At = verify.Index
	}
	return o
}

type verifyOptions struct {
	looking
	Memories []string
}

func newVerify(env *cli.Env, run cli.Func[verifyOptions]) *cobra.Command {
	o := &verifyOptions{}
	o.env = env
	cmd := cli.Command(&cobra.Command{
		Use:   "verify MEMORY... [flags]",
		Short: "Check the citations of memories before acting on them",
		Long: `Check whether what memories cite is still in the code, and say where it went.
MEMORY is an id (testing/foo), a file, or the id of a memory in the registry; "-"
reads names, or objects that hold one, from standard input. An object may also
bring its own citations: {"citations": [{"path": …, "line": …, "snippet": …}]}.`,
		Example: "citecheck verify api-versioning\ncitecheck verify testing/foo --at main --json\ncitecheck search login -o ndjson | citecheck verify -",
	}, o, cli.TakeAll(&o.Memories), run)
	o.flags(cmd)
	cmd.ValidArgsFunction = o.completeIDs
	return cmd
}

func runVerify(ctx context.Context, o *verifyOptions) error {
	s, err := o.open(ctx, stores.Kept, true)
	if err != nil {
		return err
	}
	defer s.Close()
	opts := o.options()
	var sum *check.Summary
	if len(o.Memories) == 1 && o.Memories[0] == "-" {
		sum, err = verifyInput(ctx, o, s, opts)
	} else {
		sum, err = s.Checks.VerifyNamed(ctx, o.Memories, opts)
	}
	if err != nil {
		return err
	}
	var marked error
	if o.WriteVerified {
		_, marked = s.Checks.Mark(ctx, sum)
	}
	if err := printMemories(ctx, o, sum); err != nil {
		return err
	}
	if !sum.History && sum.Citations > 0 {
		o.env.Streams.Notice("history is not kept: there is no registry (`agit init` makes one)")
	}
	if marked != nil {
		return marked
	}
	if sum.Failed() {
		return cli.ExitStatus(fault.ExitFailure)
	}
	return nil
}

// printMemories prints one memory as a document of its own, several as a list.
func printMemories(ctx context.Context, o *verifyOptions, sum *check.Summary) error {
	var document any = sum
	if len(o.Memories) == 1 && o.Memories[0] != "-" && len(sum.Memories) == 1 && o.env.Printer().Format() != ndjson {
		document = sum.Memories[0]
	}
	if o.env.Printer().Format() == ndjson {
		return listMemories(ctx, o.env, sum)
	}
	return o.env.Printer().Document(ctx, document, func(st *term.Streams) error {
		return each(sum.Memories, func(m check.Memory) error { return printMemory(st, m, true) })
	})
}

// verifyInput checks the memories that standard input names.
func verifyInput(ctx context.Context, o *verifyOptions, s *stores.Stores, opts check.Options) (*check.Summary, error) {
	items, err := readHits(o.env.Streams)
	if err != nil {
		return nil, err
	}
	docs := make([]check.Document, 0, len(items))
	for _, item := range items {
		d, err := s.Checks.DocumentOf(ctx, item.Value, opts)
		if fault.Is(err, fault.KindNotFound) && item.Value.Raw != nil && !item.Value.Ours {
			d, err = check.Document{ID: item.Value.Name, Title: item.Value.Title}, nil // another program's memory, without citations
		}
		if err != nil {
			return nil, fmt.Errorf("line %d of standard input: %w", item.Line, err)
		}
		docs = append(docs, d)
	}
	return s.Checks.Verify(ctx, docs, opts)
}
