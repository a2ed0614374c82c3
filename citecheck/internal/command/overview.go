package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/instruct"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// state is the output of citecheck without arguments: the state of all sources.
type state struct {
	Instructions *instruct.Report `json:"instructions"`
	Memories     *check.Summary   `json:"memories,omitempty"`
}

// shownFindings is how many findings the overview names, since it has at most ten lines.
const shownFindings = 3

// overview prints the state of all texts of this repository that agents read. Outside of a repository, with nothing to check, it prints the
// help.
func overview(ctx context.Context, env *cli.Env) error {
	report, err := checkInstructions(ctx, env, nil, instruct.Options{})
	if err != nil {
		return err
	}
	s, err := stores.Open(ctx, env, stores.Options{History: stores.Kept, NoFiles: true})
	if err != nil {
		return err
	}
	defer s.Close()
	out := state{Instructions: report}
	o := check.Options{Registry: s.History != nil, NoRecord: true}
	docs, err := s.Checks.All(ctx, o)
	if err != nil {
		return err
	}
	if len(docs) > 0 {
		if out.Memories, err = s.Checks.Verify(ctx, docs, o); err != nil {
			return err
		}
		out.Memories.Memories = reported(out.Memories.Memories)
	}
	if _, err := git.Find(env.Dir); err != nil && len(report.Sources) == 0 && out.Memories == nil {
		return cli.ErrHelp
	}
	return env.Printer().Document(ctx, out, func(st *term.Streams) error { return printState(st, out) })
}

func printState(st *term.Streams, s state) error {
	if len(s.Instructions.Sources) == 0 && s.Memories == nil {
		return st.Line("agents are told nothing here: there is no CLAUDE.md, AGENTS.md, rule or memory; `citecheck instructions --docs` checks README files and docs/")
	}
	for _, kind := range []string{instruct.Instructions, instruct.Rules, instruct.Memories} {
		if line := kindLine(s.Instructions, kind); line != "" {
			if err := st.Line(kind, line); err != nil {
				return err
			}
		}
	}
	if s.Memories != nil {
		if err := st.Line("citations", oneLine(s.Memories)); err != nil {
			return err
		}
	}
	shown := *s.Instructions
	shown.Findings = shown.Findings[:min(len(shown.Findings), shownFindings)]
	if err := printInstructionFindings(st, &shown); err != nil {
		return err
	}
	next := "`citecheck instructions --docs` checks README files and docs/ too"
	if s.Instructions.Failed() {
		next = "`citecheck instructions` lists what is stale"
	}
	if s.Memories != nil && s.Memories.Failed() {
		next += ", `citecheck verify-all` the citations that are not valid"
	}
	return st.Line(next)
}

// kindLine summarises the sources of a kind, "" when there are none.
func kindLine(r *instruct.Report, kind string) string {
	files, holds, stale := 0, 0, 0
	names := []string{}
	for _, s := range r.Sources {
		if s.Kind != kind {
			continue
		}
		files, holds, stale = files+1, holds+s.True, stale+s.Stale
		if len(names) < 3 {
			names = append(names, s.Path)
		}
	}
	if files == 0 {
		return ""
	}
	if files > len(names) {
		names = append(names, "…")
	}
	line := fmt.Sprintf("%s (%s): %s", text.Count(files, "file", "files"), strings.Join(names, ", "), text.Count(holds, "statement holds", "statements hold"))
	if stale > 0 {
		line += ", " + text.Count(stale, "does not", "do not")
	}
	return line
}
