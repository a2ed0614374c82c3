package overview

import (
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// State is a project, or all projects, as the screens show it. Its slices are never nil. It is a snapshot: callers may keep it and must
// not change it.
type State struct {
	Version   Version        `json:"version"`
	At        timestamp.Time `json:"at"` // when its rows were read
	Repos     []Repo         `json:"repos"`
	Totals    Totals         `json:"totals"`
	Needs     []Need         `json:"needs"`
	Agents    []Agent        `json:"agents"`
	Worktrees []Worktree     `json:"worktrees"`
	Conflicts []Conflict     `json:"conflicts"`
	Landings  []Landing      `json:"landings"`
	Tasks     Tasks          `json:"tasks"`
	// Problem is why the state may be old: the registry could not be read.
	Problem string `json:"problem,omitempty"`
}

// Part is a part of a State that changes independently. Registry topics outside of the first screen (sessions, tickets) are parts with
// their own names.
type Part string

// The parts of a State.
const (
	PartHeader    Part = "header" // Repos, Totals, Problem
	PartNeeds     Part = "needs"
	PartAgents    Part = "agents"
	PartWorktrees Part = "worktrees"
	PartConflicts Part = "conflicts"
	PartLandings  Part = "landings"
	PartTasks     Part = "tasks"
)

// Repo is a repository on this host.
type Repo struct {
	Name          string `json:"name"`
	Path          string `json:"path"`
	DefaultBranch string `json:"default_branch"`
	Tip           string `json:"tip"` // short name of the default branch's commit, "" when there is none
	// ScannedAt is when its worktrees were compared; nil while they never were.
	ScannedAt *timestamp.Time `json:"scanned_at,omitempty"`
	Problem   string          `json:"problem,omitempty"` // why the comparison failed
}

// Totals are the header's numbers. Conflicts is nil until every repository has been scanned.
type Totals struct {
	Agents    int  `json:"agents"` // agents that are not gone
	Gone      int  `json:"gone"`   // agents that are gone
	Needs     int  `json:"needs"`
	Conflicts *int `json:"conflicts"`
	Landings  int  `json:"landings"` // waiting or running landings
	// Spent is today's use, as costs.Sum formats it; "" for nothing.
	Spent string `json:"spent_today,omitempty"`
	// Mirror is the sync state of the tracker; of several trackers, the one pulled longest ago.
	Mirror *Sync `json:"tracker,omitempty"`
}

// Kind is the reason why something needs a person.
type Kind string

// The kinds of needs, the most urgent first: a stopped agent, then needs that hold up finished work, then needs that hold up work that
// has not begun.
const (
	NeedAnswer   Kind = "answer"   // an agent waits for an answer
	NeedReview   Kind = "review"   // a branch waits to be accepted
	NeedLanding  Kind = "landing"  // a landing was returned: its gate failed, or it conflicts
	NeedFolder   Kind = "folder"   // a worktree's folder was removed or moved by hand
	NeedConflict Kind = "conflict" // two worktrees, or one and the default branch, will not merge
	NeedTrial    Kind = "trial"    // the gate fails on the worktrees in flight together
	NeedBlocked  Kind = "blocked"  // a bug or a person blocks a task
	NeedFailed   Kind = "failed"   // a task failed
	NeedHalted   Kind = "halted"   // an agent may not claim tasks until a person resumes it
)

// Need is something that waits for a person, with the reason in one line.
type Need struct {
	Key      string          `json:"key"` // its ID
	Kind     Kind            `json:"kind"`
	Who      string          `json:"who"`   // agent, or the name of a task
	State    string          `json:"state"` // "waiting for you", "to review", "conflict", "blocked", …
	Since    *timestamp.Time `json:"since,omitempty"`
	Reason   string          `json:"reason"`
	Next     string          `json:"next,omitempty"` // what a person does about it; "" when the reason contains it
	What     string          `json:"what"`           // name of the worktree, or the task's id
	Repo     string          `json:"repo,omitempty"`
	Worktree string          `json:"worktree,omitempty"` // ref
	Task     string          `json:"task,omitempty"`     // id
	TaskName string          `json:"task_name,omitempty"`
	// Change describes its worktree's changes when the reason does not: "3 commits, 2 files"; "" while unknown.
	Change string `json:"change,omitempty"`
	// Cost is the use of its task so far, as costs.Sum formats it; "" for nothing.
	Cost     string    `json:"cost,omitempty"`
	Agent    string    `json:"agent,omitempty"`
	Landing  int64     `json:"landing,omitempty"`
	Commit   string    `json:"commit,omitempty"`   // for NeedReview: the commit to accept
	Question *Question `json:"question,omitempty"` // for NeedAnswer: the question to answer
	Conflict *Conflict `json:"-"`                  // for NeedConflict: the first one between the same worktrees
}

// Question is a permission request of an agent. It is answered by its id.
type Question struct {
	ID    string         `json:"id"`
	Call  string         `json:"call"`            // the whole call
	Rules []string       `json:"rules,omitempty"` // that the answer "always" would add
	Until timestamp.Time `json:"until"`           // it is denied after that
}

// Agent is an agent in a place: in a worktree, or with a task that has none. An agent with two worktrees is listed twice.
type Agent struct {
	Name     string          `json:"name"`
	State    string          `json:"state"` // working, waiting for you, idle, gone, seen
	Since    *timestamp.Time `json:"since,omitempty"`
	Note     string          `json:"note,omitempty"`   // its question or activity
	Source   string          `json:"source,omitempty"` // the source of the state: hook, work, silence, sessions
	Host     string          `json:"host,omitempty"`   // the machine, when it is not this one
	LastSeen timestamp.Time  `json:"last_seen"`
	Task     string          `json:"task,omitempty"` // id of the task it holds
	TaskName string          `json:"task_name,omitempty"`
	Repo     string          `json:"repo,omitempty"`
	Worktree string          `json:"worktree,omitempty"` // ref
	// FreedAt is when the claims of a gone agent expire.
	FreedAt *timestamp.Time `json:"freed_at,omitempty"`
	Halted  bool            `json:"halted,omitempty"`           // it may not claim tasks until a person resumes it
	Spent   string          `json:"spent_today,omitempty"`      // on its first row alone
	Told    int             `json:"messages_waiting,omitempty"` // messages from people that have not reached it
}

// StateSeen is the state of a client that is known only from its sessions: Since is its last answer, and its activity is unknown.
const (
	StateSeen      = "seen"
	sourceSessions = "sessions"
)

// Worktree is a worktree that was not removed through agit.
type Worktree struct {
	Ref       string          `json:"worktree_id"`
	Name      string          `json:"name"` // its display name: the folder
	Repo      string          `json:"repo"`
	Path      string          `json:"path"`
	Branch    string          `json:"branch"`
	Agent     string          `json:"agent,omitempty"`
	By        string          `json:"by,omitempty"`            // its agent, otherwise its maker in parentheses
	Maker     seen.Maker      `json:"maker,omitempty"`         // its maker, when that is not agit; without a task it is only listed
	Main      bool            `json:"main_checkout,omitempty"` // the main checkout, when it has changes or an agent is in it
	Remote    bool            `json:"remote,omitempty"`        // a remote branch without a worktree, as of the last fetch
	Seen      bool            `json:"seen,omitempty"`          // agit has no row for it: others made it, and no task was begun in it
	Sessions  int             `json:"sessions,omitempty"`      // open client sessions in it
	Sweep     string          `json:"sweep,omitempty"`         // what its maker's clean-up will soon do to it, when it holds work
	Task      string          `json:"task,omitempty"`          // id
	TaskName  string          `json:"task_name,omitempty"`
	State     string          `json:"state"`                    // clean, "5 changed", "conflicts with main", "folder is gone", creating, removing
	Missing   bool            `json:"folder_missing,omitempty"` // its folder was removed or moved by hand
	Since     *timestamp.Time `json:"since,omitempty"`
	Head      string          `json:"head,omitempty"` // its commit, to which the numbers apply; "" while unknown
	Ahead     *int            `json:"ahead"`          // commits that the default branch lacks; nil when unknown
	Behind    *int            `json:"behind"`         // commits of the default branch that it lacks
	Changed   *int            `json:"changed"`        // files with uncommitted changes
	Touched   *int            `json:"touched"`        // files that differ from where it left the default branch
	Conflicts []string        `json:"conflicts"`
	Problem   string          `json:"problem,omitempty"` // why the scan failed
	// Notes are short notes that a list shows beside its state, most serious first.
	Notes []string   `json:"notes,omitempty"`
	Marks seen.Marks `json:"marks,omitzero"`
}

// Side is a worktree in a conflict, or the default branch.
type Side struct {
	Name     string `json:"name"`               // of the worktree, or of the default branch
	Worktree string `json:"worktree,omitempty"` // ref; "" is the default branch
	Agent    string `json:"agent,omitempty"`
	// Maker is the maker of a worktree that agit did not make; Main marks the main checkout.
	Maker seen.Maker `json:"maker,omitempty"`
	Main  bool       `json:"main_checkout,omitempty"`
	By    string     `json:"by,omitempty"`    // its agent, otherwise its maker in parentheses
	Clone string     `json:"clone,omitempty"` // the repository of the worktree, when that is another clone
}

// Conflict is a file in which worktrees conflict: either a list of worktrees with the same overlap, or one worktree and the default
// branch, which is then the last side.
type Conflict struct {
	Repo  string          `json:"repo"`
	File  string          `json:"file"`
	Lines string          `json:"lines,omitempty"` // "41-58,60", of the common base
	Depth conflict.Depth  `json:"depth"`           // merge (git cannot merge), lines or file
	Kinds []string        `json:"kinds,omitempty"`
	Why   []string        `json:"why,omitempty"` // at depth uses: sentences
	Sides []Side          `json:"sides"`
	Since *timestamp.Time `json:"since,omitempty"`
	with  string          // git's name of the default branch, when that is the other side
}

// Landing is a branch on its way into the default branch.
type Landing struct {
	ID       int64           `json:"id"`
	Repo     string          `json:"repo"`
	Position int             `json:"position"` // from 1; 0 when it is over or has no gate
	State    string          `json:"state"`    // queued, running, gate running, landed, returned
	Since    *timestamp.Time `json:"since,omitempty"`
	Agent    string          `json:"agent,omitempty"`
	Worktree string          `json:"worktree,omitempty"` // ref
	Name     string          `json:"name"`               // of the worktree
	Gate     string          `json:"gate,omitempty"`     // the running or failed command
	Reason   string          `json:"reason,omitempty"`   // why it was returned
	Commit   string          `json:"commit,omitempty"`   // short
	Log      string          `json:"-"`                  // file of the gate's output
}

// Over reports whether the landing is finished.
func (l Landing) Over() bool {
	return l.State == string(land.Landed) || l.State == string(land.Returned)
}

// The words for the states of tasks, in the order of the screens.
const (
	TaskReady    = "ready"
	TaskWaits    = "waits"
	TaskBlocked  = "blocked"
	TaskClaimed  = "claimed"
	TaskProgress = "in progress"
	TaskFailed   = "failed"
	TaskDone     = "done"
)

// TaskWords are the words in the order of the screens.
var TaskWords = []string{TaskReady, TaskWaits, TaskBlocked, TaskClaimed, TaskProgress, TaskFailed, TaskDone}

// Tasks are the tasks of the project: all are counted, and the unfinished ones are listed as far as a screen has room.
type Tasks struct {
	Counts map[string]int `json:"counts"` // by word
	List   []Task         `json:"list"`   // in progress, claimed, blocked, failed, ready in the queue's order, waits
	// Unlisted is the number of unfinished tasks that are not listed, because a screen has no room for thousands.
	Unlisted int `json:"unlisted"`
}

// Task is an unfinished task.
type Task struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	State    string          `json:"state"` // one of TaskWords
	On       []string        `json:"on"`    // ids of the items that it waits for or that block it
	Since    *timestamp.Time `json:"since,omitempty"`
	Priority work.Priority   `json:"priority"`
	Agent    string          `json:"agent,omitempty"`
	Stood    *timestamp.Time `json:"stood,omitempty"` // when the current claim was made, or when it failed
	Repo     string          `json:"repo,omitempty"`
	Worktree string          `json:"worktree,omitempty"`
	Result   string          `json:"result,omitempty"` // for a failed task
}
