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
)

// The groups of `agit --help`.
const (
	groupRepos  = "repos"
	groupTrees  = "worktrees"
	groupPeople = "coordination"
	groupGraph  = "graph"
	groupCare   = "care"
)

// Root builds the command tree. It opens nothing.
func Root(env *cli.Env) *cobra.Command {
	root := cli.NewRoot(env, "Coordinate several AI coding agents in one repository",
		cli.Group{ID: groupRepos, Title: "Repositories"},
		cli.Group{ID: groupTrees, Title: "Worktrees"},
		cli.Group{ID: groupPeople, Title: "Tasks and agents"},
		cli.Group{ID: groupGraph, Title: "Project graph"},
		cli.Group{ID: groupCare, Title: "Set-up and care"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(groupRepos, newInit(env, runInit), newAdd(env, runAdd), newRepos(env, runRepos), newStatus(env, runStatus))
	add(groupTrees, newSpawn(env, runSpawn), newConflicts(env, runConflicts), newCheck(env, runCheck),
		newClaimFiles(env, runClaimFiles), newMerge(env, runMerge), newCleanup(env, runCleanup))
	add(groupPeople, newTasks(env, runTasks), newAgents(env, runAgents), newNext(env), newProgress(env), newLog(env))
	add(groupGraph, newProject(env), newEpic(env), newBug(env), newScenario(env), newArtifact(env), newGraph(env), newImport(env))
	add(groupCare, cli.ServeCommand(env, "agit-mcp", stores.Port), cli.ConfigCommand(env), newDoctor(env, runDoctor), newDB(env))
	env.Details = sqliteDetails
	return root
}
