package command

// words are what people type for a command, with its command line.
var words = map[string]string{
	"rm": "remove", "delete": "remove", "ps": "agents", "who": "agents", "ls": "status", "list": "status", "info": "status", "switch": "cd", "open": "cd",
	"tail": "logs --follow", "ready": "tasks --ready", "todo": "tasks", "done": "finish", "land": "merge", "inbox": "review",
	"history": "log", "run": "work", "sync": "update", "pull": "update", "tui": "top", "dashboard": "top", "ui": "top", "add-task": "tasks create", "cost": "usage",
	"costs": "usage", "trash": "cleanup --trash", "events": "log",
}

const (
	goesTo    = "`agit cd WORKTREE` goes to a worktree, `agit spawn --branch NAME` makes one"
	accepts   = "`agit review WORKTREE --accept` lands work, `agit answer QUESTION --allow` lets an agent do what it asks"
	refuses   = "`agit review WORKTREE --return WHY` returns work, `agit answer QUESTION --deny` refuses what an agent asks"
	shows     = "did you mean `agit diff WORKTREE`, `agit review WORKTREE` or `agit tasks show ID`?"
	tickets   = "`pmsync ticket list` lists the tickets of a tracker, `agit tasks` the tasks, `agit bug list` the bugs"
	waits     = "`agit tasks create TEXT --depends-on ID` makes a task that waits, `agit graph link ID blocks ID` makes one wait, `agit tasks explain ID` says for what"
	briefs    = "`agit begin` returns a task with all that is known about it, `agit setup` brings agents the habits"
	stops     = "`agit tasks release ID` frees a task; Ctrl-C ends `agit work`"
	makes     = "did you mean `agit spawn`, `agit tasks create` or `agit epic create`?"
	lands     = "did you mean `agit finish`, `agit merge` or `agit pr`?"
	account   = "agit has no account; `agit pr` uses the login of the forge's own program, `pmsync connect TRACKER` connects a tracker"
	finds     = "`memoryd recall \"…\"` finds memories, `memoryd remember` stores one"
	worktrees = "`agit status` lists the worktrees, `agit spawn` makes one, `agit remove` throws one away"
	brings    = "`agit setup` sets up agents' clients; a newer agit comes as the first one did, by a package or by `make install` in a clone"
	reverts   = "`git revert COMMIT` on the default branch takes a landing back, `agit undo` brings back a worktree that was removed"
	resumes   = "`agit attach AGENT` joins an agent's terminal, `agit resume AGENT` opens its session again"
	lists     = "`agit status`, `agit tasks`, `agit agents` and `agit repos` list what there is"
	checks    = "`agit doctor` shows what is wrong, `agit log` what happened"
	deletes   = "`agit tasks delete ID` deletes a task"
	squashes  = "`agit merge --squash` makes one commit of a worktree's"
	sprints   = "`pmsync sprint list` lists the sprints of a tracker"
	assigns   = "`agit tasks edit ID --assign AGENT` reserves a task for an agent, `agit tasks hand-over ID --to AGENT` hands a held one over"
)

// instead are words for which another program or command is right, with the sentence that names it.
func instead() map[string]string {
	return map[string]string{
		"search": "`memoryd recall \"…\"` finds memories, `agit tasks` lists tasks", "memory": finds, "recall": finds, "remember": finds, "note": finds,
		"commit": "`git commit` in the worktree, or `agit finish --commit --summary TEXT`", "show": shows, "view": shows, "stop": stops, "pause": stops, "unstart": stops,
		"create": makes, "start": "did you mean `agit spawn`, `agit begin` or `agit tasks start`?", "push": "did you mean `agit pr`, which pushes a branch and opens its pull request?",
		"wt": "did you mean `agit spawn`, `agit status` or `agit cd`?", "worktree": worktrees, "worktrees": worktrees, "checkout": goesTo, "co": goesTo, "branch": goesTo,
		"approve": accepts, "accept": accepts, "reject": refuses, "return": refuses, "deny": refuses, "submit": lands, "ship": lands,
		"issue": tickets, "issues": tickets, "ticket": tickets, "tickets": tickets, "sprint": sprints, "sprints": sprints, "cycle": sprints, "cycles": sprints, "milestone": "`pmsync ticket show KEY` names a ticket's milestone, `agit epic list` lists epics",
		"browse": "`agit web --open` shows the project in a browser", "board": "`agit web --open` shows tasks and tickets as a board", "plan": "`pmsync plan list` lists plans, `agit epic list` epics",
		"dep": waits, "deps": waits, "blocked": waits, "prime": briefs, "context": briefs, "onboard": briefs,
		"quickstart": "`agit add .` registers a repository and shows what is in it already; `agit status` shows what to do next",
		"handoff":    "`agit tasks hand-over ID --to AGENT` hands a held task over", "assign": assigns,
		"comment":       "`agit review WORKTREE --return WHY` returns work with comments, `agit tell AGENT TEXT` reaches an agent, `pmsync ticket update KEY --comment TEXT` a ticket",
		"label":         "tasks have an epic and a priority: `agit tasks edit ID --epic EPIC`; tickets have labels: `pmsync ticket update KEY --add-label LABEL`",
		"close":         "`agit tasks complete ID` finishes a task, `agit bug set ID fixed` a bug, `agit remove WORKTREE` throws a worktree away",
		"critical-path": "`agit project status` names the steps of the critical path", "whoami": "`agit agents` lists the agents; AGIT_AGENT names the one that a command is for",
		"session": "`agit agents` lists who works, `memoryd session list` the sessions", "sessions": "`agit agents` lists who works, `memoryd session list` the sessions",
		"ask":   "`agit watch` waits for an agent's question, `agit answer` answers it, `agit tell AGENT TEXT` sends a message",
		"fleet": "`agit work --workers 5` runs five agents", "swarm": "`agit work --workers 5` runs five agents",
		"exec":  "`agit spawn --exec -- COMMAND` starts a command in a new worktree, `cd \"$(agit cd WORKTREE)\"` goes to one that exists",
		"stash": "what is not committed stays in its worktree; `agit spawn` makes another one for other work",
		"cp":    "files named in `.worktreeinclude` are copied into each new worktree", "mv": "`git worktree move` moves a worktree, then `agit doctor --fix` notes the new place",
		"move":   "`agit progress TASK STATUS` moves a task; `git worktree move` moves a worktree, then `agit doctor --fix` notes the new place",
		"rename": "`agit tasks edit ID --text TEXT` renames a task, `git branch -m` a branch", "lock": "`git worktree lock` keeps a worktree from being removed, `agit claim-files` announces what an agent will change",
		"reset": reverts, "revert": reverts, "restart": resumes, "a": resumes, "get": lists, "describe": shows, "inspect": shows, "audit": checks, "squash": squashes, "rebase": squashes + ", `agit update WORKTREE` brings the default branch into one",
		"op": "`agit log` lists what happened, `agit undo` brings back a worktree that was removed", "bookmark": goesTo, "stats": "`agit project status` counts tasks, `agit usage` tokens and what they cost",
		"fetch": "`git fetch` brings what others pushed, `agit update WORKTREE` brings the default branch into a worktree", "clone": "`git clone URL` makes a clone, `agit add FOLDER` registers it",
		"blame": "`agit log FILE` shows who changed a file, and for which task", "apply": "`agit merge WORKTREE` lands work, `agit setup` sets up agents' clients", "outdated": brings,
		"kill-session": worktrees, "new-session": makes, "api": "`agit serve` is the MCP server; --json and --jq of each command are for programs",
		"auth": account, "login": account, "install": brings, "upgrade": brings, "self-update": brings,
		"uninstall": "`agit setup --remove` takes out what `agit setup` put in; docs/uninstall.md names the rest",
		"mcp":       "`agit serve` is the MCP server, `agit setup` configures it in agents' clients", "hooks": "`agit setup` puts the session hooks in, `agit doctor` checks that they are current",

		"pr list": "`agit pr` alone lists them", "pr create": "`agit pr WORKTREE` opens one", "pr view": "`agit pr WORKTREE --status` shows one",
		"pr status": "`agit pr WORKTREE --status` shows one", "pr checkout": "`agit spawn --pr NUMBER` makes a worktree of one", "review list": "`agit review` alone lists what waits",
		"review approve": "`agit review WORKTREE --accept` lands it", "conflicts list": "`agit conflicts` alone lists them", "queue list": "`agit queue` alone lists it",
		"remove task": deletes, "remove tasks": deletes, "remove agent": "`agit agents remove NAME` removes an agent", "remove repo": "`agit repos --remove NAME` takes a repository off the lists",
		"repos list": "`agit repos` alone lists them", "repos add": "`agit add FOLDER` registers a repository", "tasks ready": "`agit tasks list --ready` lists them",
		"tasks assign": assigns, "tasks update": "`agit tasks edit ID` changes a task, `agit progress ID STATUS` its status", "tasks dep": waits,
		"tasks mine": mine, "tasks search": "`agit tasks list --json --jq '.tasks[]'` filters tasks", "tasks status": "`agit progress ID STATUS` reports on a task, `agit tasks --status STATUS` lists those of a status", "logs list": "`agit logs WORKTREE --list` lists them",
	}
}

const (
	branchNew = "`agit spawn --branch NAME` makes a worktree for a new branch"
	beginsAt  = "a new branch begins at the default branch; `agit spawn --branch NAME` goes on with one that exists"
	clients   = "`agit spawn --exec -- claude \"what to do\"` starts a client in the worktree, `agit work --client claude` has it do tasks"
	inText    = "it is part of the text: the first line is the name, what follows describes the task"
	noDetail  = "a task has an epic and a priority: `agit tasks create TEXT --epic EPIC --priority high`; labels are a ticket's"
	finishes  = "`agit finish --land gate` lands it now, `agit finish --land review` leaves it for review, `agit finish --land pr` opens its pull request; without --land it is as configured"
	noForce   = "nothing forces a merge: what stands in its way is named; `agit merge --no-gate` leaves out the gate alone"
	mine      = "`agit agents list` shows who holds what, `agit tasks list --json --jq '.tasks[]'` filters tasks"
	nothing   = "a merge that was refused has changed nothing; `git merge --abort` ends one that git has begun in a folder"
	decides   = "did you mean --return WHY?"
	logFilter = "`agit log --limit 20` shows the last ones, `agit log --json --jq '.events[]'` filters them, `agit tasks show ID` has those of a task"
	live      = "`agit top` is live, `agit watch` waits for an agent"
	workers   = "`agit work --workers 3` runs three workers"
)

// flagWords returns flags that people try, with the sentence that names what there is.
func flagWords() map[string]string {
	return map[string]string{
		"--format":                        "did you mean -o, as in -o json?",
		"--verbose --debug -v":            "did you mean --log-level debug?",
		"--color --colour":                "colour is for terminals: --no-color leaves it out, CLICOLOR_FORCE=1 keeps it in pipes",
		"spawn --base --from --start -B":  beginsAt,
		"spawn --name":                    branchNew,
		"spawn --client --prompt --model": clients,
		"begin --client --model --prompt": clients,
		"begin --task":                    "`agit begin ID` begins a certain task, `agit begin \"TEXT\"` a new one",
		"begin --name --branch":           branchNew,
		"cd --create -c -b":               branchNew,
		"update --status":                 "`agit progress ID STATUS` reports on a task",
		"update --priority":               "`agit tasks edit ID` changes a task",
		"tasks create --title --name --description --desc --body --text -m -d -t": inText,
		"tasks create --label --labels --tag --tags --type":                       noDetail,
		"tasks create --assign --assignee":                                        assigns,
		"tasks create --parent":                                                   "`agit graph link PARENT parent_of ID` makes a task part of another",
		"tasks create --due":                                                      "a task has no date; `agit tasks create TEXT --priority high --depends-on ID` orders tasks",
		"tasks --assignee --mine":                                                 mine,
		"tasks list --assignee --agent --mine":                                    mine,
		"tasks --state -s":                                                        "did you mean --status?",
		"tasks list --state -s":                                                   "did you mean --status?",
		"tasks list --sort":                                                       "`agit tasks list --ready` lists what can be claimed, in the order of the queue",
		"finish --merge --push --pr --review":                                     finishes,
		"finish --all -a":                                                         "did you mean --commit?",
		"finish --force --no-verify":                                              "`agit finish` forces nothing: what stands in its way is named; `agit merge --no-gate` lands without the gate",
		"review --approve --merge":                                                "did you mean --accept?",
		"review --reject --comment --request-changes --deny":                      decides,
		"review --diff":                                                           "`agit diff WORKTREE` shows what is to be reviewed",
		"merge --force -f --yes -y":                                               noForce,
		"merge --no-ff --ff-only":                                                 "a merge makes a merge commit; `agit merge --squash` makes one commit of all, `agit merge --rebase` each again",
		"merge --delete -d":                                                       "a worktree of agit's goes to the trash by itself; `agit merge --remove` takes one that others made too",
		"merge --all":                                                             "`agit review` lists what waits to land; merges of several worktrees that run at one time share one run of the gate where land_batch allows it",
		"remove --force -f":                                                       "did you mean --yes?",
		"diff --cached --staged":                                                  "`agit diff` shows commits, staged and unstaged changes together; `git diff --cached` shows what is staged",
		"diff --name-status":                                                      "did you mean --name-only or --stat?",
		"log --since --until --agent --author --task":                             logFilter,
		"log -n":                        "did you mean --limit?",
		"log --oneline":                 "an event is one line already; `agit log --limit 20` shows the last ones",
		"log -p --patch --stat":         "`agit diff WORKTREE` shows what a worktree changes, `git log -p` what commits change",
		"log --graph":                   "`git log --graph` draws commits; `agit web --open` shows the graph of tasks",
		"logs --tail -t":                "did you mean --lines?",
		"agents --all -a":               "`agit agents` lists all of them already",
		"merge --abort --continue":      nothing,
		"status --watch -w":             live,
		"config --list -l":              "`agit config show` prints every value and where it comes from",
		"config --global --local":       "`agit config set KEY VALUE` writes into your own configuration; a project's is .agit.toml",
		"status --short -s --porcelain": "in a pipe each row is one line; `agit status --json` is for programs",
		"top --interval -n -d":          "it is drawn when something changes; `agit top --once` prints it once",
		"web --host --bind":             "it listens on 127.0.0.1 alone; `ssh -L 3846:127.0.0.1:3846 HOST` brings the page of another machine here",
		"work --parallel --jobs -j -n":  workers,
		"work --model":                  "options of the client come after --, as in `agit work --agent ann --client claude -- --model NAME`",
		"work --once":                   "did you mean --tasks 1?",
		"work --dry-run":                "`agit tasks list --ready` lists what would be done",
		"work --task":                   "`agit begin ID` begins a certain task; `agit work` takes the next ready ones",
		"setup --client --clients":      "clients are named without a flag: `agit setup claude-code codex`",
		"setup --uninstall --undo":      "did you mean --remove?",
		"setup --list --status":         "did you mean --check?",
		"setup --user":                  "did you mean --global?",
		"setup --local --project":       "the project's files are the default, --global means your own",
		"doctor --repair":               "did you mean --fix?",
		"cleanup --force -f":            "did you mean --yes?",
		"cleanup -n":                    "did you mean --dry-run?",
		"cleanup --all --merged":        "`agit cleanup` takes all completed and stale ones in which nothing would be lost; `agit remove WORKTREE` throws one away",
	}
}
