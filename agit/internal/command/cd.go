package command

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/term"
)

func newCD(env *cli.Env, run cli.Func[nameOptions]) *cobra.Command {
	o := &nameOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "cd [WORKTREE|REPO] [flags]",
		SuggestFor: []string{"go", "path"},
		Short:      "Print a worktree's folder; with the shell integration, go there",
		Long: `Print the folder of a worktree, named by its folder's name or the words that it
begins with, its id or the beginning of one, its branch or its agent; else that of
a repository. Without a name, a terminal lists the worktrees of the repository you are
in to choose from, with fzf where it is installed; elsewhere it is the main folder.

A program cannot change its shell's folder. With the shell integration "agit cd"
goes there, and "agit cd -" back to where you were before: put  eval "$(agit shell-init bash)"  into ~/.bashrc (zsh: ~/.zshrc;
fish:  agit shell-init fish | source).`,
		Example: "agit cd login-page\nagit cd ann\nagit cd -\ngit -C \"$(agit cd login-page)\" log -1",
		Args:    cli.Args("[WORKTREE]"),
	}, o, cli.Take(&o.Name), run)
	cmd.ValidArgsFunction = func(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return reposOrWorktrees(env)(c, args, word)
	}
	return cmd
}

// folder is where cd leads.
type folder struct {
	Path     string `json:"path"`
	Worktree string `json:"worktree_id,omitempty"`
	Repo     string `json:"repo"`
}

func runCD(ctx context.Context, o *nameOptions, s *stores.Stores) error {
	var to folder
	if o.Name == "-" { // the shell integration handles it when it has a former folder
		return fault.NotFound("folder", "-").Saying("this shell has not gone anywhere with `agit cd` yet").
			WithHint("with the shell integration, `agit cd -` goes back to where you were before the last `agit cd`; `agit shell-init --help` shows how")
	}
	if o.Name == "" {
		r, err := repoNamed(ctx, o.env, s.DB, "")
		if err != nil {
			return err
		}
		to = folder{Path: r.Path, Repo: r.Name}
		main := sibling.Choice{Key: r.Path, Text: "the main checkout"}
		picked, asked, err := pick(ctx, o.env, s, r.Name, main)
		if err != nil {
			return err
		}
		if asked && picked != main.Key {
			o.Name = picked
		}
	}
	if o.Name != "" {
		w, err := s.Worktrees.Here(ctx, "", o.Name)
		switch {
		case err == nil && !w.Status.Live():
			return worktree.Conflictf(w, "worktree %q was %s, and has no folder", w.Ref, w.Status).WithHint("`agit undo %s` brings it back", w.Ref)
		case err == nil && checkout.Gone(w.Path):
			return worktree.Conflictf(w, "the folder of worktree %q is gone: %s", w.Ref, w.Path).WithHint(obstacle.FolderHint)
		case err == nil && w.Marks.Main:
			to = folder{Path: w.Path, Repo: w.Repo}
		case err == nil:
			to = folder{w.Path, w.Ref, w.Repo}
		case !fault.Is(err, fault.KindNotFound):
			return err
		default:
			r, missing := s.Repos.Get(ctx, o.Name)
			if missing != nil {
				return err // the error about a worktree, which people mean most often
			}
			if err := r.Here(); err != nil {
				return err
			}
			to = folder{Path: r.Path, Repo: r.Name}
		}
	}
	return o.env.Printer().Document(ctx, to, func(st *term.Streams) error {
		if st.OutTTY {
			return st.Line(to.Path)
		}
		_, err := io.WriteString(st.Out, to.Path+"\n") // for use by a program, unchanged
		return err
	})
}

// bashInit is for bash and zsh. Only a plain "agit cd NAME" changes the folder.
const bashInit = `# agit's shell integration: "agit cd" changes the folder.
agit() {
  if [ "${1-}" = cd ] && [ "$#" -le 2 ]; then
    local agit_folder agit_here=$PWD
    case "${2-}${agit_before:+ known}" in
      '- known')
        builtin cd -- "$agit_before" && agit_before=$agit_here
        return ;;
      -*) ;;
      *)
        agit_folder=$(command agit "$@") || return
        builtin cd -- "$agit_folder" && agit_before=$agit_here
        return ;;
    esac
  fi
  command agit "$@"
}
`

const fishInit = `# agit's shell integration: "agit cd" changes the folder.
function agit
  set -l agit_here $PWD
  if test "$argv[1]" = cd; and test (count $argv) -eq 2; and test "$argv[2]" = -; and set -q agit_before
    builtin cd -- $agit_before; and set -g agit_before $agit_here
  else if test "$argv[1]" = cd; and test (count $argv) -le 2; and not string match -q -- '-*' "$argv[2]"
    set -l agit_folder (command agit $argv); or return
    builtin cd -- $agit_folder; and set -g agit_before $agit_here
  else
    command agit $argv
  end
end
`

// shellInits are what each shell evaluates: the function, and the completion where the
// shell is able to complete.
var shellInits = map[string]string{
	"bash": bashInit + `if [ -n "${BASH_VERSION-}" ] && type complete >/dev/null 2>&1; then eval "$(command agit completion bash)"; fi` + "\n",
	"zsh":  bashInit + `if (( $+functions[compdef] )); then eval "$(command agit completion zsh)"; fi` + "\n",
	"fish": fishInit + "command agit completion fish | source\n",
}

func newShellInit(env *cli.Env, run cli.Func[nameOptions]) *cobra.Command {
	o := &nameOptions{env: env}
	return cli.Command(&cobra.Command{
		Use:   "shell-init bash|zsh|fish",
		Short: "Print the shell integration: agit cd, and completion",
		Long: `Print what a shell evaluates when it starts, so that "agit cd WORKTREE" changes the
folder, and names of worktrees, repositories, tasks and agents are completed.`,
		Example:   "eval \"$(agit shell-init bash)\"        # in ~/.bashrc\neval \"$(agit shell-init zsh)\"         # in ~/.zshrc, after compinit\nagit shell-init fish | source         # in ~/.config/fish/config.fish",
		Args:      cli.Args("SHELL"),
		ValidArgs: []string{"bash", "zsh", "fish"},
	}, o, cli.Take(&o.Name), run)
}

func runShellInit(_ context.Context, o *nameOptions) error {
	text, known := shellInits[o.Name]
	if !known {
		return fault.Validation("shell", "there is no integration for the shell %q", o.Name).WithHint("give bash, zsh or fish")
	}
	_, err := fmt.Fprint(o.env.Streams.Out, text)
	return err
}
