package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

type logsOptions struct {
	env      *cli.Env
	Worktree string
	Kind     string
	Follow   bool
	Lines    int
	List     bool
}

func newLogs(env *cli.Env, run cli.Func[logsOptions]) *cobra.Command {
	o := &logsOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "logs [WORKTREE] [flags]",
		Short: "Show what an agent or the gate printed in a worktree",
		Long: `Show the newest log of a worktree: the output of its client under "agit work", or of
the gate of its landing. Secrets and terminal sequences were taken out before it was
written. The log outlives the worktree, for as long as "logs" in the configuration
keeps it. For an agent with several worktrees the run that began last is shown.
--follow goes on until the run ends; --list names all logs, with their files.`,
		Example: "agit logs w-06q8v1k2m4 -f\nagit logs ann --kind gate -n 40\nagit logs . --list",
	}, o, o.take, run)
	f := cmd.Flags()
	f.BoolVarP(&o.Follow, "follow", "f", false, "go on printing until the run ends")
	f.IntVarP(&o.Lines, "lines", "n", -1, "show the last `n` lines (default: all; with --follow 10)")
	f.StringVar(&o.Kind, "kind", "", "only a log of this `kind`: work or gate (default: the newest)")
	f.BoolVar(&o.List, "list", false, "list the logs instead")
	cli.CompleteFlag(cmd, "kind", cli.Words("work", "gate"))
	cmd.ValidArgsFunction = cli.CompleteFirst(env, listWorktrees)
	return cmd
}

func (o *logsOptions) take(g cli.Given) error {
	o.Worktree = worktreeHere(o.env, g.Args)
	return nil
}

// logFile is a log as documents show it.
type logFile struct {
	runlog.File
	BegunAt timestamp.Time `json:"begun_at"`
}

func asLogFile(f runlog.File) logFile { return logFile{f, timestamp.Of(f.Begun)} }

var logFileColumns = []output.Column[logFile]{
	{Title: "BEGUN", Value: func(f logFile) string { return f.Begun.Local().Format(time.DateTime) }},
	{Title: "KIND", Value: func(f logFile) string { return string(f.Kind) }},
	{Title: "FILE", Flex: true, Value: func(f logFile) string { return f.Path }},
}

// newestRun returns the worktree of an agent whose log of a kind, "" for any, was begun last. It decides between several worktrees of one
// agent.
func newestRun(ctx context.Context, s *stores.Stores, agent string, kind runlog.Kind) (newest worktree.Worktree, found bool, err error) {
	list, err := s.Worktrees.List(ctx, "", true)
	if err != nil {
		return newest, false, err
	}
	var begun time.Time
	for _, w := range list {
		if w.Agent == "" || text.Key(w.Agent) != text.Key(agent) {
			continue
		}
		if log, err := runlog.Latest(s.Config.Home(), w.Ref, kind); err == nil && (!found || log.Begun.After(begun)) {
			newest, found, begun = w, true, log.Begun
		}
	}
	return newest, found, nil
}

func runLogs(ctx context.Context, o *logsOptions) error {
	kind := runlog.Kind(o.Kind)
	if kind != "" && kind != runlog.Work && kind != runlog.Gate {
		return fault.Validation("kind", "%q is not a kind of log", o.Kind).WithHint("use work or gate")
	}
	s, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	ref := o.Worktree
	w, err := s.Worktrees.Get(ctx, o.env.Getenv("AGIT_REPO"), ref)
	if err != nil {
		newest, found, other := newestRun(ctx, s, ref, kind)
		if other != nil {
			return other
		}
		if found {
			w, err = newest, nil
		}
	}
	if err == nil {
		if w, err = s.Worktrees.Logged(ctx, w); err != nil {
			return err // its logs are there, too
		}
		ref = w.Ref
	} else if logs, other := runlog.List(s.Config.Home(), ref, kind); other != nil || len(logs) == 0 {
		return err // it is not one of a registry that has forgotten it either
	}
	if o.List {
		logs, err := runlog.List(s.Config.Home(), ref, kind)
		if err != nil {
			return err
		}
		files := make([]logFile, len(logs))
		for i, f := range logs {
			files[i] = asLogFile(f)
		}
		return output.List(ctx, o.env.Printer(), "logs", files, logFileColumns)
	}
	log, err := runlog.Latest(s.Config.Home(), ref, kind)
	return printDocument(ctx, o.env, asLogFile(log), err, func(t *term.Streams) error {
		if !o.Follow {
			return log.Tail(t.Out, o.Lines)
		}
		if o.Lines < 0 {
			o.Lines = 10
		}
		return log.Follow(ctx, t.Out, o.Lines)
	})
}
