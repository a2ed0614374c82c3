package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/instruct"
	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type instructionsOptions struct {
	instruct.Options
	env   *cli.Env
	Paths []string
}

func newInstructions(env *cli.Env, run cli.Func[instructionsOptions]) *cobra.Command {
	o := &instructionsOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "instructions [PATH...] [flags]",
		Short: "Check the instructions for agents: CLAUDE.md, AGENTS.md, rules",
		Long: `Check the instruction files of agents' clients in this repository, with what they
import, and Claude Code's memories of it: paths, links, imports, commands and names of
code. It reports a path that git once had and no longer has, with its new name; a
link, an import or the target of a command that does not exist; and a file that
another one hides. Texts that may be an example, a plan or a name of something else
are passed over; --explain lists them.`,
		Example: "citecheck instructions\ncitecheck instructions CLAUDE.md --explain\ncitecheck instructions --docs",
	}, o, cli.TakeAll(&o.Paths), run)
	f := cmd.Flags()
	f.BoolVar(&o.Docs, "docs", false, "check README files, CONTRIBUTING and docs/ too")
	f.BoolVar(&o.Explain, "explain", false, "list what was passed over, and why")
	cli.Exits(cmd, fault.ExitFailure, "a statement does not hold")
	return cmd
}

func runInstructions(ctx context.Context, o *instructionsOptions) error {
	report, err := checkInstructions(ctx, o.env, o.Paths, o.Options)
	if err != nil {
		return err
	}
	err = o.env.Printer().Document(ctx, report, func(st *term.Streams) error { return printInstructions(st, report) })
	if err == nil && slices.ContainsFunc(report.Findings, instruct.Finding.Fixable) {
		o.env.Streams.Notice("`citecheck fix --instructions` writes the new names")
	}
	if err == nil && len(report.Sources) == 0 && !o.Docs {
		o.env.Streams.Notice("`citecheck instructions --docs` checks README files, CONTRIBUTING and docs/ too")
	}
	if err == nil && report.Failed() {
		return cli.ExitStatus(fault.ExitFailure)
	}
	return err
}

// checkInstructions checks the repository of the current folder; given paths are relative to that folder.
func checkInstructions(ctx context.Context, env *cli.Env, paths []string, o instruct.Options) (*instruct.Report, error) {
	root, only, err := instructionFiles(env, paths)
	if err != nil {
		return nil, err
	}
	o.Only = only
	o.MemoryFolders = stores.MemoryFolders(ctx, env, root)
	return instruct.Check(ctx, root, o)
}

// instructionFiles returns the repository of the current folder, and the given paths relative to its root.
func instructionFiles(env *cli.Env, paths []string) (root string, only []string, err error) {
	root = library.RootOf(env.Dir)
	for _, given := range paths {
		full, err := stores.Folder(env, given)
		if err != nil {
			return "", nil, err
		}
		if real, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
			full = filepath.Join(real, filepath.Base(full))
		}
		rel, err := filepath.Rel(root, full)
		if err != nil || !filepath.IsLocal(rel) {
			return "", nil, fault.Validation("path", "%q is outside of the repository", given).WithHint("run this in the repository that the file belongs to")
		}
		if _, err := os.Lstat(full); err != nil {
			return "", nil, fault.NotFound("file", given).WithHint("`citecheck instructions` checks all of them")
		}
		only = append(only, filepath.ToSlash(rel))
	}
	return root, only, nil
}

func printInstructions(st *term.Streams, r *instruct.Report) error {
	if err := printInstructionFindings(st, r); err != nil {
		return err
	}
	if err := each(r.Passed, func(p instruct.Passed) error { return st.Line("passed over", p.Place(), p.Text+": "+p.Why) }); err != nil {
		return err
	}
	for _, s := range r.Sources {
		if s.Problem != "" {
			if err := st.Line("unread", s.Path, s.Problem); err != nil {
				return err
			}
		}
	}
	return st.Line(instructionsLine(r))
}

func printInstructionFindings(st *term.Streams, r *instruct.Report) error {
	return each(r.Findings, func(f instruct.Finding) error {
		style := term.Red
		if f.Verdict == instruct.Renamed || f.Verdict == instruct.Moved || f.Verdict == instruct.Hidden {
			style = term.Yellow
		}
		message := f.Message
		if f.Times > 1 {
			message += fmt.Sprintf(" (told %d times)", f.Times)
		}
		return st.Row(st.Paint(style, f.Verdict), st.Plain(f.Place()), st.Plain(message))
	})
}

// instructionsLine summarises all instructions in one line.
func instructionsLine(r *instruct.Report) string {
	if len(r.Sources) == 0 {
		return "no instruction files here"
	}
	line := text.Count(len(r.Sources), "file tells agents", "files tell agents") + " of this repository: " +
		text.Count(r.True, "statement holds", "statements hold") + ", "
	if n := r.Stale(); n == 0 {
		line += "none is stale"
	} else {
		line += text.Count(n, "is stale", "are stale")
	}
	return line
}
