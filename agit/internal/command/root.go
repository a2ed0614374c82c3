// Package command is agit's command line: for each command the flags, an
// options struct, and a function that runs it. Commands hold no SQL and decide
// nothing that the MCP server decides too; both are faces of the same stores.
// It must not import mcpkit or mcpserver, whose start-up every command would
// pay for.
package command

import (
	"slices"

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

// Root builds the command tree for the arguments of a run; it opens nothing. When
// they begin with the name of a command only that one is made: all of them, with
// their flags, take as long as a query.
func Root(env *cli.Env, args []string) *cobra.Command {
	root := cli.NewRoot(env, "Coordinate several AI coding agents in one repository",
		cli.Group{ID: groupRepos, Title: "Repositories"},
		cli.Group{ID: groupTrees, Title: "Worktrees"},
		cli.Group{ID: groupPeople, Title: "Tasks and agents"},
		cli.Group{ID: groupGraph, Title: "Project graph"},
		cli.Group{ID: groupCare, Title: "Set-up and care"},
	)
	all := commands(env)
	if len(args) > 0 {
		if i := slices.IndexFunc(all, func(c command) bool { return c.name == args[0] }); i >= 0 {
			all = all[i : i+1]
		}
	}
	for _, c := range all {
		made := c.make()
		made.GroupID = c.group
		root.AddCommand(made)
	}
	env.Details = sqliteDetails
	return root
}

// command is one that `agit --help` lists.
type command struct {
	group, name string
	make        func() *cobra.Command
}

func commands(env *cli.Env) []command {
	return []command{
		{groupRepos, "init", func() *cobra.Command { return newInit(env, runInit) }},
		{groupRepos, "add", func() *cobra.Command { return newAdd(env, runAdd) }},
		{groupRepos, "repos", func() *cobra.Command { return newRepos(env, runRepos) }},
		{groupRepos, "status", func() *cobra.Command { return newStatus(env, runStatus) }},
		{groupTrees, "spawn", func() *cobra.Command { return newSpawn(env, runSpawn) }},
		{groupTrees, "conflicts", func() *cobra.Command { return newConflicts(env, runConflicts) }},
		{groupTrees, "check", func() *cobra.Command { return newCheck(env, runCheck) }},
		{groupTrees, "claim-files", func() *cobra.Command { return newClaimFiles(env, runClaimFiles) }},
		{groupTrees, "merge", func() *cobra.Command { return newMerge(env, runMerge) }},
		{groupTrees, "cleanup", func() *cobra.Command { return newCleanup(env, runCleanup) }},
		{groupPeople, "tasks", func() *cobra.Command { return newTasks(env, runTasks) }},
		{groupPeople, "agents", func() *cobra.Command { return newAgents(env, runAgents) }},
		{groupPeople, "next", func() *cobra.Command { return newNext(env) }},
		{groupPeople, "progress", func() *cobra.Command { return newProgress(env) }},
		{groupPeople, "log", func() *cobra.Command { return newLog(env) }},
		{groupGraph, "project", func() *cobra.Command { return newProject(env) }},
		{groupGraph, "epic", func() *cobra.Command { return newEpic(env) }},
		{groupGraph, "bug", func() *cobra.Command { return newBug(env) }},
		{groupGraph, "scenario", func() *cobra.Command { return newScenario(env) }},
		{groupGraph, "artifact", func() *cobra.Command { return newArtifact(env) }},
		{groupGraph, "graph", func() *cobra.Command { return newGraph(env) }},
		{groupGraph, "import", func() *cobra.Command { return newImport(env) }},
		{groupCare, "serve", func() *cobra.Command { return cli.ServeCommand(env, "agit-mcp", stores.Port) }},
		{groupCare, "config", func() *cobra.Command { return cli.ConfigCommand(env) }},
		{groupCare, "doctor", func() *cobra.Command { return newDoctor(env, runDoctor) }},
		{groupCare, "db", func() *cobra.Command { return newDB(env) }},
	}
}
