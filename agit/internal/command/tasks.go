package command

import (
	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
)

// newTasks is `tasks` with a subcommand for each verb. By itself it lists, or does what one
// of its flags says: tasks_flags.go.
func newTasks(env *cli.Env) *cobra.Command {
	cmd := newTaskFlags(env, runTaskFlags)
	cmd.AddCommand(newTaskList(env, looking(env, runTaskList)), newTaskCreate(env, changing(env, runTaskCreate)),
		newTaskShow(env, looking(env, runTaskShow)), newTaskExplain(env, looking(env, runTaskExplain)),
		newTaskClaim(env, changing(env, runTaskClaim)), newTaskNext(env, changing(env, runTaskNext)),
		newTaskEdit(env, changing(env, runTaskEdit)), newTaskHandOver(env, changing(env, runTaskHandOver)),
		newTaskDelete(env, changing(env, runTaskDelete)))
	for _, step := range taskSteps {
		cmd.AddCommand(newTaskStep(step)(env, changing(env, runTaskStep)))
	}
	return cli.RunsAlone(cmd)
}

func newTaskFlags(env *cli.Env, run cli.Func[taskFlags]) *cobra.Command {
	o := &taskFlags{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "tasks [REPO] [flags]",
		Args:       cobra.ArbitraryArgs,
		SuggestFor: []string{"list", "todo"},
		Short:      "List, create, claim, edit and report on tasks",
		Long: `List the open tasks of a repository or --project; the commands do one thing with a
task. REPO is the current folder's by default. A repository with the name of a command
comes after that command: agit tasks list list.

A claim is won by exactly one of any number of agents. Its holder alone, by name
or claim token, reports on the task, edits it or hands it over; a person may with
--force. A finished task changes only by agit tasks reopen.

Each command is a flag too: agit tasks [REPO] --claim ID.`,
		Example: `agit tasks create app "fix the login page" --priority high
agit tasks next app --agent builder-1
agit tasks complete t-06q8v1k2m4 --agent builder-1 --result "merged"
agit tasks hand-over t-06q8v1k2m4 --to builder-2 --agent builder-1
agit tasks edit t-06q8v1k2m4 --priority critical --estimate 2h
agit tasks app --status failed,completed --json
agit tasks app --ready
agit tasks show t-06q8v1k2m4
agit tasks explain t-06q8v1k2m4`,
		ValidArgsFunction: completeTasks(env),
	}, o, o.take, run)
	o.flags(cmd)
	cli.Exits(cmd, fault.ExitNotFound, "no such task or repository, or --next found nothing to do")
	return cmd
}
