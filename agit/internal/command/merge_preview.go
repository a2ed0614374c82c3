package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// runPreview is merge --dry-run.
func runPreview(ctx context.Context, env *cli.Env, s *stores.Stores, request land.Request) error {
	progress := env.Streams.Progress("trying the merge of " + request.Worktree)
	p, err := s.Landings.Preview(ctx, request)
	progress.Done()
	if err != nil {
		return err
	}
	err = env.Printer().Document(ctx, p, func(st *term.Streams) error { return printPreview(st, p) })
	if err == nil && p.Fails() {
		err = cli.ExitStatus(fault.ExitConflict)
	}
	return err
}

func printPreview(st *term.Streams, p land.Preview) error {
	var lines [][]string
	say := func(format string, args ...any) { lines = append(lines, []string{fmt.Sprintf(format, args...)}) }
	switch {
	case len(p.Conflicts) > 0:
		at := ""
		if p.Commit != "" {
			at = " at " + p.Commit
		}
		say("%s conflicts with %s%s in %s:", p.Worktree.Ref, p.Into, at, text.Count(len(p.Conflicts), "file", "files"))
		for _, f := range p.Conflicts {
			say("  %s", f)
		}
		for _, o := range p.Others {
			say("%s changed %s", o.Who(), strings.Join(o.Files, ", "))
		}
	case p.There:
		say("%s is in %s already", p.Worktree.Ref, p.Into)
	default:
		how := map[land.Strategy]string{land.MergeCommit: "merged", land.Squash: "squashed", land.Rebase: "rebased"}[p.Strategy]
		say("%s would be %s into %s, %s changed:", p.Worktree.Ref, how, p.Into, text.Count(len(p.Files), "file", "files"))
		for _, f := range p.Files {
			say("  %s", f)
		}
		for _, t := range p.InTheWay {
			say("local changes in %s are in the way: %s", t.Path, strings.Join(t.Files, ", "))
		}
		if len(p.Gate) > 0 {
			behind := ""
			if p.Ahead > 0 {
				behind = fmt.Sprintf(", behind %s in the queue", text.Count(p.Ahead, "other", "others"))
			}
			say("the gate would run%s: %s", behind, strings.Join(p.Gate, ", "))
		}
	}
	return st.Lines(lines...)
}
