package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
)

type taskClaimOptions struct {
	oneTask
	byAgent
}

func newTaskClaim(env *cli.Env, run cli.Func[taskClaimOptions]) *cobra.Command {
	o := &taskClaimOptions{oneTask: oneTask{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "claim ID [flags]",
		Short: "Claim a task for an agent",
		Long: `Claim a task for an agent. A claim is won by exactly one of any number of agents;
the same claim again is not an error.`,
		Example:           "agit tasks claim t-06q8v1k2m4 --agent builder-1",
		ValidArgsFunction: cli.CompleteFirst(env, listTaskIDs("claim")),
	}, o, cli.Take(&o.ID), run)
	o.agentFlag(cmd, env)
	return cmd
}

func runTaskClaim(ctx context.Context, o *taskClaimOptions, s *stores.Stores) error {
	t, err := s.Tasks.Claim(ctx, o.ID, agentOf(o.env, o.Agent))
	return printTask(ctx, o.env, t, err)
}

type taskNextOptions struct {
	env *cli.Env
	byAgent
	Repo string
}

func newTaskNext(env *cli.Env, run cli.Func[taskNextOptions]) *cobra.Command {
	o := &taskNextOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "next [REPO] [flags]",
		Short: "Claim the next ready task of a repository",
		Long: `Claim the next ready task of a repository for an agent. agit next does the same with
a choice: of project, priority and capabilities.`,
		Example:           "agit tasks next app --agent builder-1",
		ValidArgsFunction: repoNames(env),
	}, o, cli.Take(&o.Repo), run)
	o.agentFlag(cmd, env)
	cli.Exits(cmd, fault.ExitNotFound, "nothing is ready, or there is no such repository")
	return cmd
}

func runTaskNext(ctx context.Context, o *taskNextOptions, s *stores.Stores) error {
	name, err := repoName(ctx, o.env, s.DB, o.Repo)
	if err != nil {
		return err
	}
	t, ok, err := s.Tasks.Next(ctx, name, agentOf(o.env, o.Agent))
	if err != nil {
		return err
	}
	if !ok {
		o.env.Streams.Notice("no task of %q is ready", name)
		return cli.ExitStatus(fault.ExitNotFound)
	}
	return printTask(ctx, o.env, t, nil)
}
