// Package command is agit's command line: for each command the flags, an
// options struct, and a function that runs it. Commands hold no SQL and decide
// nothing that the MCP server decides too; both are faces of the same stores.
// It must not import mcpkit or mcpserver, whose start-up every command would
// pay for.
package command

import (
	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output/jq"
)

// The groups of `agit --help`.
const (
	groupRepos  = "repos"
	groupTrees  = "worktrees"
	groupPeople = "coordination"
	groupGraph  = "graph"
	groupCare   = "care"
)

// Root builds the command tree for the arguments of a run; it opens nothing. When
// they begin with the name of a command only that one is made: all of them, with
// their flags, take as long as a query.
func Root(env *cli.Env, args []string) *cobra.Command {
	env.JQ = jq.Compile
	root := cli.NewRoot(env, "Coordinate several AI coding agents in one repository",
		cli.Group{ID: groupRepos, Title: "Repositories"},
		cli.Group{ID: groupTrees, Title: "Worktrees"},
		cli.Group{ID: groupPeople, Title: "Tasks and agents"},
		cli.Group{ID: groupGraph, Title: "Project graph"},
		cli.Group{ID: groupCare, Title: "Set-up and care"},
	)
	root.Example = "agit add .\nagit spawn app --agent ann --task \"Add a login page\" --exec -- claude\nagit status\nagit merge app WORKTREE"
	cli.AddLazy(root, args, commands(env))
	env.Details = sqliteDetails
	return root
}

func commands(env *cli.Env) []cli.LazyCommand {
	return []cli.LazyCommand{
		cli.Lazy(groupRepos, "init", func() *cobra.Command { return newInit(env) }),
		cli.Lazy(groupRepos, "add", func() *cobra.Command { return newAdd(env) }),
		cli.Lazy(groupRepos, "repos", func() *cobra.Command { return newRepos(env) }),
		cli.Lazy(groupRepos, "status", func() *cobra.Command { return newStatus(env) }),
		cli.Lazy(groupRepos, "web", func() *cobra.Command { return newWeb(env) }),
		cli.Lazy(groupRepos, "top", func() *cobra.Command { return newTop(env) }),
		cli.Lazy(groupTrees, "spawn", func() *cobra.Command { return newSpawn(env) }),
		cli.Lazy(groupTrees, "begin", func() *cobra.Command { return newBegin(env) }),
		cli.Lazy(groupTrees, "finish", func() *cobra.Command { return newFinish(env) }),
		cli.Lazy(groupTrees, "review", func() *cobra.Command { return newReview(env) }),
		cli.Lazy(groupTrees, "diff", func() *cobra.Command { return newDiff(env) }),
		cli.Lazy(groupTrees, "cd", func() *cobra.Command { return newCD(env) }),
		cli.Lazy(groupTrees, "conflicts", func() *cobra.Command { return newConflicts(env) }),
		cli.Lazy(groupTrees, "check", func() *cobra.Command { return newCheck(env) }),
		cli.Lazy(groupTrees, "claim-files", func() *cobra.Command { return newClaimFiles(env) }),
		cli.Lazy(groupTrees, "merge", func() *cobra.Command { return newMerge(env) }),
		cli.Lazy(groupTrees, "update", func() *cobra.Command { return newUpdate(env) }),
		cli.Lazy(groupTrees, "queue", func() *cobra.Command { return newQueue(env) }),
		cli.Lazy(groupTrees, "pr", func() *cobra.Command { return newPR(env) }),
		cli.Lazy(groupTrees, "cleanup", func() *cobra.Command { return newCleanup(env) }),
		cli.Lazy(groupPeople, "tasks", func() *cobra.Command { return newTasks(env) }),
		cli.Lazy(groupPeople, "agents", func() *cobra.Command { return newAgents(env) }),
		cli.Lazy(groupPeople, "watch", func() *cobra.Command { return newWatch(env) }),
		cli.Lazy(groupPeople, "hook", func() *cobra.Command { return newHook(env) }),
		cli.Lazy(groupPeople, "next", func() *cobra.Command { return newNext(env) }),
		cli.Lazy(groupPeople, "work", func() *cobra.Command { return newWork(env) }),
		cli.Lazy(groupPeople, "logs", func() *cobra.Command { return newLogs(env) }),
		cli.Lazy(groupPeople, "progress", func() *cobra.Command { return newProgress(env) }),
		cli.Lazy(groupPeople, "log", func() *cobra.Command { return newLog(env) }),
		cli.Lazy(groupGraph, "project", func() *cobra.Command { return newProject(env) }),
		cli.Lazy(groupGraph, "epic", func() *cobra.Command { return newEpic(env) }),
		cli.Lazy(groupGraph, "bug", func() *cobra.Command { return newBug(env) }),
		cli.Lazy(groupGraph, "scenario", func() *cobra.Command { return newScenario(env) }),
		cli.Lazy(groupGraph, "artifact", func() *cobra.Command { return newArtifact(env) }),
		cli.Lazy(groupGraph, "graph", func() *cobra.Command { return newGraph(env) }),
		cli.Lazy(groupGraph, "import", func() *cobra.Command { return newImport(env) }),
		cli.Lazy(groupCare, "setup", func() *cobra.Command { return newSetup(env) }),
		cli.Lazy(groupCare, "shell-init", func() *cobra.Command { return newShellInit(env) }),
		cli.Lazy(groupCare, "serve", func() *cobra.Command { return cli.ServeCommand(env, stores.Port) }),
		cli.Lazy(groupCare, "config", func() *cobra.Command { return cli.ConfigCommand(env) }),
		cli.Lazy(groupCare, "doctor", func() *cobra.Command { return newDoctor(env) }),
		cli.Lazy(groupCare, "db", func() *cobra.Command { return newDB(env) }),
	}
}
