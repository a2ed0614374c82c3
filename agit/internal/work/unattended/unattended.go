// Package unattended works through the tasks of a repository without a person: `agit work`. A Crew is some workers of one process, each
// an agent by its own name. A worker begins a task, runs the agent's client on it, judges what came of it, finishes, and goes on, until
// it is to stop. It joins worker (one program), assignment (a task's way) and presence, and writes one table, attempts: which process
// runs what, how it ended and why.
//
// Nothing is lost when the process is killed: what is under way stands in the registry. The next start ends what still runs of it,
// takes the task up again with the same worktree and, where the client can, the same session.
//
// crew.go has the workers and what they show, member.go the loop of one, run.go one attempt, conclude.go what follows from it,
// heartbeat.go its signs of life, told.go the messages of people, brief.go the briefs for clients, attempts.go the rows, budget.go what
// agents may take, meter.go what a run takes while it runs, race.go lets several clients try one task, trial.go tries everything in
// flight between tasks, pulls.go follows pull requests, recover.go what a killed process left, alone.go keeps an agent's name to one
// worker. A Store and a Crew are safe for concurrent use; any number of processes may work on one repository.
package unattended

import (
	"cmp"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/pull"
	"github.com/agit-suite/agit/agit/internal/land/trial"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/budget"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// Store works unattended in one registry.
type Store struct {
	DB       *registry.DB
	Tasks    *task.Store
	Trees    *worktree.Store
	Assign   *assignment.Store
	Presence *presence.Store
	Trials   *trial.Store    // tries everything between tasks, if configured; nil for never
	Asks     *question.Store // questions of agents to a person
	Messages *message.Store  // messages of people to agents
	Pulls    *pull.Store     // follows pull requests; nil follows none
	Costs    *costs.Store    // reads what clients report only in their transcripts; nil reads nothing

	Home         string        // AGIT_HOME, which holds the logs
	KeepLogs     time.Duration // since they were last written
	LogSize      int64         // of all logs together, in bytes
	ReleaseAfter time.Duration // silence after which any agent may take a claim; 0 is never
}

// Options describe how a crew works. Zero values mean no limit and no condition, unless the field names another default.
type Options struct {
	Repo   repo.Repo
	Agents []string // the name of each worker
	// Clients are the clients to run: the first, and the next ones while it may not be used.
	Clients []worker.Client
	Budgets []budget.Budget // what may be taken
	Rules   Rules           // what agents may do
	Wall    *wall.Wall      // around what runs; nil for none
	Version string          // of agit
	More    []string        // arguments for the client
	Pass    []string        // variables that it gets besides those that are allowed; a name that ends with * is a beginning

	Limit time.Duration // of one run
	Idle  time.Duration // without output and without a change of a file
	Grace time.Duration // time to end in, once asked; worker.DefaultGrace when 0
	Pause time.Duration // after failures in a row, doubled each time; DefaultPause when 0

	Task string // the one to work on; "" for whatever is ready
	// Tries are clients that all work on each task, each in a worktree of its own, for a person to choose from; none means one client for
	// each task.
	Tries []worker.Client

	Tasks      int  // stop after so many, all workers together
	UntilEmpty bool // stop when nothing is ready and no other worker could make a task ready
	Attempts   int  // of a task, before it is reported as failed; DefaultAttempts when 0

	Leave bool   // uncommitted work is a failure, instead of being committed
	Land  string // one of assignment.LandModes; the repository's setting when empty

	Asker land.Asker // who started the crew

	Capabilities []string
	MinPriority  work.Priority
}

// Defaults of Options.
const (
	DefaultAttempts = 3
	DefaultPause    = 30 * time.Second
)

// Intervals between looks.
const (
	longestPause = 15 * time.Minute
	pollEvery    = 15 * time.Second // for work, when no change was heard of
	beatEvery    = 20 * time.Second // signs of life, at least
)

func (o Options) withDefaults() Options {
	o.Attempts, o.Pause = cmp.Or(o.Attempts, DefaultAttempts), cmp.Or(o.Pause, DefaultPause)
	return o
}
