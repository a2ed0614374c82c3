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

// Root builds the command tree for the arguments of a run; it opens nothing. When
// they begin with the name of a command only that one is made.
func Root(env *cli.Env, args []string) *cobra.Command {
	env.Details, env.CheckSetting = sqliteDetails, checkSettingIn(env)
	return cli.Tree{
		Short:   "Coordinate several AI coding agents in one repository",
		Example: "agit add .\nagit spawn app --agent ann --task \"Add a login page\" --exec -- claude\nagit status\nagit merge app WORKTREE",
		JQ:      jq.Compile,
		Alone:   runAlone,
		Words:   words,
		ID:      "tasks show",
		Instead: instead(),
		Flags:   flagWords,
		Sections: []cli.Section{
			{Title: "Repositories", Commands: []cli.Entry{
				cli.Leaf("init", newInit, runInit),
				cli.Leaf("add", newAdd, changing(env, runAdd)),
				cli.Leaf("repos", newRepos, runRepos),
				cli.Leaf("status", newStatus, looking(env, runStatus)),
				cli.Leaf("web", newWeb, runWeb),
				cli.Leaf("top", newTop, runTop),
			}},
			{Title: "Worktrees", Commands: []cli.Entry{
				cli.Leaf("spawn", newSpawn, runSpawn),
				cli.Leaf("begin", newBegin, changing(env, runBegin)),
				cli.Leaf("finish", newFinish, changing(env, runFinish)),
				cli.Leaf("review", newReview, runReview),
				cli.Leaf("diff", newDiff, looking(env, runDiff)),
				cli.Leaf("cd", newCD, looking(env, runCD)),
				cli.Leaf("conflicts", newConflicts, looking(env, runConflicts)),
				cli.Leaf("trial", newTrial, runTrial),
				cli.Leaf("check", newCheck, runCheck),
				cli.Leaf("claim-files", newClaimFiles, changing(env, runClaimFiles)),
				cli.Leaf("merge", newMerge, runMerge),
				cli.Leaf("update", newUpdate, changing(env, runUpdate)),
				cli.Leaf("queue", newQueue, looking(env, runQueue)),
				cli.Leaf("pr", newPR, changing(env, runPR)),
				cli.Leaf("remove", newRemove, changing(env, runRemove)),
				cli.Leaf("undo", newUndo, changing(env, runUndo)),
				cli.Leaf("cleanup", newCleanup, runCleanup),
			}},
			{Title: "Tasks and agents", Commands: []cli.Entry{
				cli.Branch("tasks", newTasks),
				cli.Branch("agents", newAgents),
				cli.Leaf("watch", newWatch, runWatch),
				cli.Leaf("answer", newAnswer, runAnswer),
				cli.Leaf("tell", newTell, runTell),
				cli.Leaf("attach", newAttach, looking(env, runAttach)),
				cli.Leaf("hook", newHook, runHook),
				cli.Leaf("permit", newPermit, runPermit),
				cli.Leaf("worktree-hook", newWorktreeHook, runWorktreeHook),
				cli.Leaf("next", newNext, changing(env, runNext)),
				cli.Leaf("race", newRace, runRace),
				cli.Leaf("work", newWork, runWork),
				cli.Leaf("logs", newLogs, runLogs),
				cli.Leaf("resume", newResume, looking(env, runResume)),
				cli.Leaf("usage", newUsage, runUsage),
				cli.Leaf("progress", newProgress, looking(env, runProgress)),
				cli.Leaf("log", newLog, looking(env, runLog)),
			}},
			{Title: "Project graph", Commands: []cli.Entry{
				cli.Branch("project", newProject),
				cli.Branch("epic", newEpic),
				cli.Branch("bug", newBug),
				cli.Branch("scenario", newScenario),
				cli.Branch("artifact", newArtifact),
				cli.Branch("graph", newGraph),
				cli.Leaf("import", newImport, changing(env, runImport)),
			}},
			{Title: "Set-up and care", Commands: []cli.Entry{
				cli.Leaf("setup", newSetup, runSetup),
				cli.Leaf("shell-init", newShellInit, runShellInit),
				cli.Serve(stores.Port),
				cli.Config(),
				cli.Leaf("doctor", newDoctor, runDoctor),
				cli.Branch("db", newDB),
			}},
		},
	}.Root(env, args)
}
