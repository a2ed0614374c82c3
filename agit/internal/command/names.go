package command

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/term"
)

// repoAndLast splits the arguments [REPO] WORKTREE, or [REPO] TEXT; repo is "" when it is left
// out.
func repoAndLast(args []string) (repo, last string) {
	if len(args) == 2 {
		repo = args[0]
	}
	return repo, args[len(args)-1]
}

// repoAndWorktree reads the arguments [REPO] [WORKTREE]; without any, the worktree is worktreeHere's.
func repoAndWorktree(env *cli.Env, repo, worktree *string) func(cli.Given) error {
	return func(g cli.Given) error {
		if len(g.Args) == 0 {
			*worktree = worktreeHere(env, nil)
			return nil
		}
		*repo, *worktree = repoAndLast(g.Args)
		*repo = withPath(env, *repo)
		return nil
	}
}

// worktreeHere is the worktree that an argument names, else AGIT_WORKTREE's, else the one that
// the current folder is in.
func worktreeHere(env *cli.Env, args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return cmp.Or(env.Getenv("AGIT_WORKTREE"), ".")
}

// insteadOfMain returns the error of a command on a worktree. When the command named the main checkout, the hint is what to do instead.
func insteadOfMain(ctx context.Context, s *stores.Stores, repo, ref, instead string, err error) error {
	if err == nil {
		return nil
	}
	w, missing := s.Worktrees.Get(ctx, repo, ref)
	if missing != nil || !w.Marks.Main {
		return err
	}
	return fault.Conflict("worktree", w.Ref, "%q is the main checkout, and not a worktree", w.Path).WithHint("%s", instead)
}

// nameCells is how wide the name of a worktree is in a table on a terminal, beside
// columns that need room.
const nameCells = 28

// shownNames returns how tables name the worktrees of a repository, "" for all, by their
// ids: on a terminal by their folders, as the status and the screens do; in a pipe by
// their ids. What is not among them keeps its id.
func shownNames(ctx context.Context, env *cli.Env, s *stores.Stores, repo string) (func(id string) string, error) {
	if !env.Streams.OutTTY {
		return func(id string) string { return id }, nil
	}
	list, err := s.Worktrees.List(ctx, repo, true)
	if err != nil {
		return nil, err
	}
	live := slices.DeleteFunc(slices.Clone(list), func(w worktree.Worktree) bool { return !w.Status.Live() })
	names := map[string]string{}
	for _, of := range [][]worktree.Worktree{list, live} { // a live one has the name that status shows
		called := spawn.Names(of)
		for _, w := range of {
			names[w.Ref] = called[w.Path]
		}
	}
	return func(id string) string { return cmp.Or(names[id], id) }, nil
}

// listWorktrees lists what names the worktrees of all repositories.
func listWorktrees(ctx context.Context, db *registry.DB, word string) ([]string, error) {
	return worktreesOf("", false)(ctx, db, word)
}

// worktreesOf lists what names the worktrees of a repository, "" for all, or those that can
// be restored: their folders' names, where only one has it, and their ids once one is begun.
func worktreesOf(repo string, trash bool) func(context.Context, *registry.DB, string) ([]string, error) {
	return func(ctx context.Context, db *registry.DB, word string) (names []string, err error) {
		list, err := (&worktree.Store{DB: db}).List(ctx, repo, trash)
		list = slices.DeleteFunc(list, func(w worktree.Worktree) bool { return w.Status.Live() == trash })
		short := spawn.Names(list)
		for _, w := range list {
			about := cmp.Or(w.Task, w.Branch)
			if w.Agent != "" {
				about = w.Agent + ": " + about
			}
			names = append(names, short[w.Path]+"\t"+about)
			if strings.HasPrefix(word, "w-") {
				names = append(names, w.Ref+"\t"+about)
			}
		}
		return names, err
	}
}

// reposOrWorktrees completes any number of repositories and worktrees.
func reposOrWorktrees(env *cli.Env) cli.Completer {
	return cli.Complete(env, func(ctx context.Context, db *registry.DB, word string) ([]string, error) {
		repos, err := listRepoNames(ctx, db, word)
		if err != nil {
			return nil, err
		}
		trees, err := listWorktrees(ctx, db, word)
		return append(repos, trees...), err
	})
}

// repoThenWorktree completes a repository or a worktree, then one of the repository's
// worktrees.
func repoThenWorktree(env *cli.Env) cli.Completer {
	return func(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			return reposOrWorktrees(env)(c, args, word)
		case 1:
			return cli.Complete(env, worktreesOf(args[0], false))(c, args, word)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// errNonePicked ends a command when the person chose nothing; no error is printed.
var errNonePicked = cli.ExitStatus(1)

// pick lets a person choose one of the worktrees of a repository, "" for all, on a
// terminal: with fzf where that is installed, else by a number. first stands before them,
// where it has a key. It returns ok as false where no one can be asked or there is nothing
// to choose from.
func pick(ctx context.Context, env *cli.Env, s *stores.Stores, repo string, first sibling.Choice) (key string, ok bool, err error) {
	if !env.Streams.CanAsk() || env.Printer().Format() != output.Table {
		return "", false, nil
	}
	states, err := s.Overview.Statuses(ctx, repo, false)
	if err != nil {
		return "", false, err
	}
	choices := choicesOf(states, time.Now())
	if len(choices) == 0 {
		return "", false, nil
	}
	if first.Key != "" {
		choices = append([]sibling.Choice{first}, choices...)
	}
	if sibling.Picker() {
		key, err = sibling.Pick(ctx, env.Streams.Err, "worktree", "agit diff {1} --stat", choices)
	} else {
		lines := make([]string, len(choices))
		for i, c := range choices {
			lines[i] = c.Text
		}
		var n int
		if n, err = env.Streams.Choose(ctx, "Which worktree?", lines); n >= 0 {
			key = choices[n].Key
		}
	}
	if err == nil && key == "" {
		err = errNonePicked
	}
	return key, true, err
}

// choicesOf returns the worktrees that can be picked, in columns: each with who works there, what happens to it next, and its task.
func choicesOf(states []overview.RepoStatus, now time.Time) (choices []sibling.Choice) {
	var rows [][]string
	for _, r := range states {
		names := folderNames(r)
		for _, w := range r.Worktrees {
			if w.Missing || w.Marks.Main || w.Ref == "" {
				continue
			}
			name := names[w.Path]
			if len(states) > 1 {
				name = r.Name + "/" + name
			}
			rows = append(rows, []string{term.Truncate(name, nameCells), w.By(), shownState(w.State, now), nextOf(r, w), w.Task})
			choices = append(choices, sibling.Choice{Key: w.Ref})
		}
	}
	widths := make([]int, 5)
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], term.Width(cell))
		}
	}
	for n, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			if widths[i] > 0 {
				b.WriteString(cell + strings.Repeat(" ", widths[i]-term.Width(cell)+2))
			}
		}
		choices[n].Text = strings.TrimRight(strings.ReplaceAll(b.String(), "\t", " "), " ")
	}
	return choices
}
