package command

import (
	"context"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/registry"
)

// worktreeNames completes the first argument to a worktree: the name of its folder, where
// only one has it, and its id.
func worktreeNames(env *cli.Env) cli.Completer { return cli.CompleteFirst(env, listWorktreeNames("")) }

// listWorktreeNames lists what names the worktrees of a repository, "" for all.
func listWorktreeNames(repo string) func(context.Context, *registry.DB, string) ([]string, error) {
	return func(ctx context.Context, db *registry.DB, _ string) (names []string, err error) {
		list, err := worktree.New(db, worktree.Options{}).List(ctx, repo, false)
		folders := map[string]int{}
		for _, w := range list {
			folders[filepath.Base(w.Path)]++
		}
		for _, w := range list {
			about := w.Task
			if about == "" {
				about = w.Branch
			}
			if w.Agent != "" {
				about = w.Agent + ": " + about
			}
			if name := filepath.Base(w.Path); folders[name] == 1 {
				names = append(names, name+"\t"+about)
			}
			names = append(names, w.Ref+"\t"+about)
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
		trees, err := listWorktreeNames("")(ctx, db, word)
		return append(repos, trees...), err
	})
}
