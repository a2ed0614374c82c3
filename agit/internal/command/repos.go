package command

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type reposOptions struct {
	env    *cli.Env
	Remove string
	DryRun bool
	Yes    bool
}

func newRepos(env *cli.Env, run cli.Func[reposOptions]) *cobra.Command {
	o := &reposOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "repos [flags]",
		SuggestFor: []string{"list", "ls"},
		Short:      "List the registered repositories, or remove one from the registry",
		Long: `List the registered repositories with their worktrees, tasks and active agents.
--remove ends a registration: it refuses while a worktree of the repository
exists, and never deletes a folder. Tasks with a history only lose their
repository, and so do all while their project has another one, here or on another
machine; others are counted, confirmed and deleted.`,
		Example: "agit repos\nagit repos --json --jq '.repos[].name'\nagit repos --remove app --dry-run",
	}, o, nil, run)
	f := cmd.Flags()
	f.StringVar(&o.Remove, "remove", "", "remove the registration of the `repository`")
	f.BoolVar(&o.DryRun, "dry-run", false, "with --remove, show what would happen, and change nothing")
	f.BoolVarP(&o.Yes, "yes", "y", false, "with --remove, do not ask")
	cli.CompleteFlag(cmd, "remove", cli.Complete(env, listRepoNames))
	return cmd
}

func runRepos(ctx context.Context, o *reposOptions) error {
	s, err := openTo(ctx, o.env, o.Remove == "")
	if err != nil {
		return err
	}
	if o.Remove != "" {
		return removeRepo(ctx, o, s)
	}
	repos, err := s.Repos.List(ctx, s.Config.Agent.StaleAfter)
	return printList(ctx, o.env, "repos", repos, err, []output.Column[repo.Summary]{
		{Title: "NAME", Value: func(r repo.Summary) string { return r.Name }},
		{Title: "PATH", Value: func(r repo.Summary) string {
			if r.Machine != "" {
				return r.Machine + ":" + r.Path
			}
			return r.Path
		}, Flex: true},
		{Title: "BRANCH", Value: func(r repo.Summary) string { return r.DefaultBranch }},
		{Title: "WORKTREES", Value: func(r repo.Summary) string { return fmt.Sprint(r.WorktreeCount) }, Right: true},
		{Title: "TASKS", Value: func(r repo.Summary) string { return fmt.Sprint(r.TaskCount) }, Right: true},
		{Title: "AGENTS", Value: func(r repo.Summary) string { return fmt.Sprint(r.ActiveAgentCount) }, Right: true},
	}, "no repository is registered yet: `agit add PATH`")
}

type repoRemoval struct {
	Repo          string `json:"repo"`
	Removed       bool   `json:"removed"`
	TasksDeleted  int    `json:"tasks_deleted"`
	TasksDetached int    `json:"tasks_detached"`
}

func removeRepo(ctx context.Context, o *reposOptions, s *stores.Stores) error {
	r, err := s.Repos.Removable(ctx, o.Remove)
	if err != nil {
		return err
	}
	plan := repoRemoval{Repo: r.Name}
	err = s.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		plan.TasksDeleted, plan.TasksDetached, err = task.LeaveRepo(tx, r.ID, true)
		return err
	})
	if err != nil {
		return err
	}
	if !o.DryRun {
		question := fmt.Sprintf("Remove %q from the registry? %s would be deleted, %s repository; no folder is touched.",
			r.Name, text.Count(plan.TasksDeleted, "task", "tasks"), text.Count(plan.TasksDetached, "task loses its", "tasks lose their"))
		if agreed, err := o.env.Streams.Agreed(ctx, question, o.Yes, strconv.Quote(r.Name)+" stays registered"); !agreed {
			return err
		}
		_, err = s.Repos.Remove(ctx, r.UID, worktree.LeaveRepo, func(tx *registry.Tx, r repo.Repo) (err error) {
			plan.TasksDeleted, plan.TasksDetached, err = task.LeaveRepo(tx, r.ID, false)
			return err
		})
		if err != nil {
			return err
		}
		plan.Removed = true
	}
	return o.env.Printer().Document(ctx, plan, func(s *term.Streams) error {
		verb := "removed"
		if !plan.Removed {
			verb = "would be removed"
		}
		return s.Line(plan.Repo, verb,
			text.Count(plan.TasksDeleted, "task", "tasks")+" deleted", text.Count(plan.TasksDetached, "task", "tasks")+" detached")
	})
}
