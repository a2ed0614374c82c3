// Package command is pmsync's command line: for each command its flags, an options struct, and a function that runs it. Commands hold
// no SQL and make no decision that the MCP server also makes; both use the same stores. It must not import mcpkit or mcpserver, because
// their initialization would slow down every command.
package command

import (
	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output/jq"
)

const (
	finishes = "`pmsync ticket status KEY done` finishes a ticket"
	changes  = "`pmsync ticket update KEY` changes a ticket; `pmsync ticket update --help` lists the flags"
)

// Root builds the command tree for the arguments of a run; it opens no store.
func Root(env *cli.Env, args []string) *cobra.Command {
	return cli.Tree{
		Short:   "Keep tickets, plans and acceptance criteria, and find what is ready",
		Example: "pmsync ticket import issues.csv\npmsync connect linear --team SEM\npmsync ready\npmsync suggest",
		JQ:      jq.Compile,
		Flags:   flagWords,
		Words: map[string]string{"login": "connect", "list": "ticket list", "ls": "ticket list", "import": "ticket import", "create": "ticket create", "new": "ticket create", "add": "ticket create",
			"next": "suggest", "search": "ticket list --search", "criteria": "ac status", "issue": "ticket", "issues": "ticket list", "tickets": "ticket list", "show": "ticket show", "view": "ticket show", "move": "ticket status",
			"export": "ticket export", "link": "dep add", "epics": "ticket list --type epic", "sprints": "sprint list", "cycles": "sprint list", "cycle": "sprint", "open": "ticket show"},
		ID: "ticket show",
		Instead: map[string]string{"done": finishes, "close": finishes, "start": "`pmsync ticket status KEY in_progress` begins a ticket",
			"edit": changes, "assign": "`pmsync ticket update KEY --assignee NAME` assigns a ticket", "comment": "`pmsync ticket update KEY --comment TEXT` adds a comment",
			"auth": "`pmsync connect TRACKER` connects a tracker, `pmsync providers` shows what is missing for which", "blocked": "`pmsync ready --explain` explains why the others are not ready",
			"init": "nothing needs to be set up: `pmsync ticket import FILE` brings tickets, `pmsync connect TRACKER` a tracker's", "labels": "`pmsync ticket list --label LABEL` lists the tickets with a label, `pmsync ticket update KEY --add-label LABEL` adds one", "board": "`agit web --open` shows tasks and tickets as a board",
			"epic": "`pmsync ticket list --type epic` lists the epics of a tracker", "project": "`pmsync connect TRACKER` lists the projects that your account can read",
			"ticket delete": "a ticket is closed: `pmsync ticket status KEY canceled`", "disconnect": "`provider.name` in the project's .agit.toml names the tracker; without that line the tickets are kept here alone"},
		Sections: []cli.Section{
			{Title: "What to do", Commands: []cli.Entry{
				cli.Leaf("ready", newReady, runReady),
				cli.Leaf("suggest", newSuggest, runSuggest),
				cli.Branch("sprint", newSprint),
			}},
			{Title: "Tickets and plans", Commands: []cli.Entry{
				cli.Branch("ticket", newTicket),
				cli.Branch("ac", newAC),
				cli.Branch("plan", newPlan),
				cli.Branch("dep", newDep),
			}},
			{Title: "Linear, Jira, Asana, Azure DevOps and GitHub", Commands: []cli.Entry{
				cli.Leaf("connect", newConnect, runConnect),
				cli.Leaf("pull", newPull, runPull),
				cli.Leaf("push", newPush, runPush),
				cli.Leaf("sync", newSync, runSync),
				cli.Leaf("status", newStatus, runStatus),
				cli.Leaf("conflicts", newConflicts, looks(runConflicts)),
				cli.Leaf("resolve", newResolve, starts(runResolve)),
				cli.Leaf("retry", newRetry, runRetry),
				cli.Leaf("discard", newDiscard, starts(runDiscard)),
				cli.Leaf("watch", newWatch, runWatch),
				cli.Leaf("providers", newProviders, runProviders),
			}},
			{Title: "Set-up and care", Commands: []cli.Entry{
				cli.Leaf("me", newMe, starts(runMe)),
				cli.Serve(stores.Port),
				cli.Config(),
			}},
		},
	}.Root(env, args)
}
