package overview

import (
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// State is a project, or all of them, as the screens show it. Its slices are never
// nil. It is a snapshot: whoever has it may keep it, and must not change it.
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

// Part is a part of a State that changes for itself. Registry topics that are in no
// part of the first screen (sessions, tickets) are parts of their own names.
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
	Problem   string          `json:"problem,omitempty"` // why they could not be
}

// Totals are the header's numbers. Conflicts is nil until every repository was
// scanned.
type Totals struct {
	Agents    int  `json:"agents"` // that are not gone
	Gone      int  `json:"gone"`   // agents that are
	Needs     int  `json:"needs"`
	Conflicts *int `json:"conflicts"`
	Landings  int  `json:"landings"` // that wait or run
	// Spent is what was taken today, as costs.Sum words it; "" for nothing.
	Spent string `json:"spent_today,omitempty"`
	// Mirror is how it stands with the tracker; of several the one pulled longest ago.
	Mirror *Sync `json:"tracker,omitempty"`
}

// Kind says why something needs a person.
type Kind string

// The kinds of needs, the most urgent first: an agent that stands still, then what
// holds up finished work, then what holds up work that is not begun.
const (
	NeedAnswer   Kind = "answer"   // an agent waits for an answer
	NeedReview   Kind = "review"   // a branch waits to be accepted
	NeedLanding  Kind = "landing"  // a landing was returned: its gate failed, or it conflicts
	NeedFolder   Kind = "folder"   // a worktree's folder was removed or moved by hand
	NeedConflict Kind = "conflict" // two worktrees, or one and the default branch, will not merge
	NeedTrial    Kind = "trial"    // the gate fails on what is in flight together
	NeedBlocked  Kind = "blocked"  // a bug or a person blocks a task
	NeedFailed   Kind = "failed"   // a task failed
	NeedHalted   Kind = "halted"   // an agent gets no claim until a person lets it go on
)

// Need is something that waits for a person, with the reason in one line.
type Need struct {
	Key      string          `json:"key"` // its ID
	Kind     Kind            `json:"kind"`
	Who      string          `json:"who"`   // agent, or the name of a task
	State    string          `json:"state"` // "waiting for you", "to review", "conflict", "blocked", …
	Since    *timestamp.Time `json:"since,omitempty"`
	Reason   string          `json:"reason"`
	Next     string          `json:"next,omitempty"` // what a person does about it; "" where the reason says it
	What     string          `json:"what"`           // name of the worktree, or the task's id
	Repo     string          `json:"repo,omitempty"`
	Worktree string          `json:"worktree,omitempty"` // ref
	Task     string          `json:"task,omitempty"`     // id
	TaskName string          `json:"task_name,omitempty"`
	// Change is what its worktree changes, where the reason does not hold it: "3 commits, 2 files"; "" while it is unknown.
	Change string `json:"change,omitempty"`
	// Cost is what its task took so far, as costs.Sum words it; "" for nothing.
	Cost     string    `json:"cost,omitempty"`
	Agent    string    `json:"agent,omitempty"`
	Landing  int64     `json:"landing,omitempty"`
	Commit   string    `json:"commit,omitempty"`   // of NeedReview: what is to be accepted
	Question *Question `json:"question,omitempty"` // of NeedAnswer: what can be answered here
	Conflict *Conflict `json:"-"`                  // of NeedConflict: the first of those between the same worktrees
}

// Question is a call that an agent asks permission for. It is answered by its id.
type Question struct {
	ID    string         `json:"id"`
	Call  string         `json:"call"`            // whole
	Rules []string       `json:"rules,omitempty"` // that the answer "always" adds
	Until timestamp.Time `json:"until"`           // then it is denied
}

// Agent is an agent in a place: in a worktree that it has or is in, or with a task
// that has none. One with two worktrees is listed twice.
type Agent struct {
	Name     string          `json:"name"`
	State    string          `json:"state"` // working, waiting for you, idle, gone, seen
	Since    *timestamp.Time `json:"since,omitempty"`
	Note     string          `json:"note,omitempty"`   // what it asks, or does
	Source   string          `json:"source,omitempty"` // whose word it is: hook, work, silence, sessions
	Host     string          `json:"host,omitempty"`   // another machine than this one
	LastSeen timestamp.Time  `json:"last_seen"`
	Task     string          `json:"task,omitempty"` // id of the task it holds
	TaskName string          `json:"task_name,omitempty"`
	Repo     string          `json:"repo,omitempty"`
	Worktree string          `json:"worktree,omitempty"` // ref
	// FreedAt is when the claims of an agent that is gone become anyone's.
	FreedAt *timestamp.Time `json:"freed_at,omitempty"`
	Halted  bool            `json:"halted,omitempty"` // it gets no claim until a person lets it go on
	Spent   string          `json:"spent_today,omitempty"`
	Told    int             `json:"messages_waiting,omitempty"` // that people told it, and that have not reached it
}

// StateSeen is the state of a client of which only its sessions tell: Since is its last answer, and what it does is not known.
const (
	StateSeen      = "seen"
	sourceSessions = "sessions"
)

// Worktree is a worktree that was not removed through agit.
type Worktree struct {
	Ref       string          `json:"worktree_id"`
	Name      string          `json:"name"` // what people call it: its folder
	Repo      string          `json:"repo"`
	Path      string          `json:"path"`
	Branch    string          `json:"branch"`
	Agent     string          `json:"agent,omitempty"`
	By        string          `json:"by,omitempty"`            // its agent, else who made it in parentheses
	Maker     seen.Maker      `json:"maker,omitempty"`         // who made it, when agit did not; without a task it is only seen
	Main      bool            `json:"main_checkout,omitempty"` // the main checkout, once something is changed in it or an agent is in it
	Remote    bool            `json:"remote,omitempty"`        // not a worktree: a branch of a remote that no worktree has, as it was fetched last
	Seen      bool            `json:"seen,omitempty"`          // agit has no row of it: others made it, and no task was begun in it
	Sessions  int             `json:"sessions,omitempty"`      // of clients that are open in it
	Sweep     string          `json:"sweep,omitempty"`         // what its maker's clean-up will do to it, where it holds work and that is due
	Task      string          `json:"task,omitempty"`          // id
	TaskName  string          `json:"task_name,omitempty"`
	State     string          `json:"state"`                    // clean, "5 changed", "conflicts with main", "folder is gone", creating, removing
	Missing   bool            `json:"folder_missing,omitempty"` // its folder was removed or moved by hand
	Since     *timestamp.Time `json:"since,omitempty"`
	Head      string          `json:"head,omitempty"` // its commit, which the numbers are about; "" while unknown
	Ahead     *int            `json:"ahead"`          // commits that the default branch lacks; nil: unknown
	Behind    *int            `json:"behind"`         // commits of the default branch that it lacks
	Changed   *int            `json:"changed"`        // files with uncommitted changes
	Touched   *int            `json:"touched"`        // files that differ from where it left the default branch
	Conflicts []string        `json:"conflicts"`
	Problem   string          `json:"problem,omitempty"` // why it could not be scanned
	// Notes are what a list shows beside its state, the gravest first, each a few words.
	Notes []string   `json:"notes,omitempty"`
	Marks seen.Marks `json:"marks,omitzero"`
}

// Side is a worktree in a conflict, or the default branch.
type Side struct {
	Name     string `json:"name"`               // of the worktree, or of the default branch
	Worktree string `json:"worktree,omitempty"` // ref; "" is the default branch
	Agent    string `json:"agent,omitempty"`
	// Maker is who made a worktree that agit did not make; Main marks the main checkout.
	Maker seen.Maker `json:"maker,omitempty"`
	Main  bool       `json:"main_checkout,omitempty"`
	By    string     `json:"by,omitempty"`    // its agent, else who made it in parentheses
	Clone string     `json:"clone,omitempty"` // the repository that it is a worktree of, where that is another clone
}

// Conflict is a file in which worktrees get in each other's way, every two alike,
// or in which one will not merge into the default branch, whose side is then last.
type Conflict struct {
	Repo  string          `json:"repo"`
	File  string          `json:"file"`
	Lines string          `json:"lines,omitempty"` // "41-58,60", of the common base
	Depth conflict.Depth  `json:"depth"`           // merge will not, lines meet, file is the same
	Kinds []string        `json:"kinds,omitempty"`
	Why   []string        `json:"why,omitempty"` // at depth uses: sentences
	Sides []Side          `json:"sides"`
	Since *timestamp.Time `json:"since,omitempty"`
}

// Landing is a branch on its way into the default branch.
type Landing struct {
	ID       int64           `json:"id"`
	Repo     string          `json:"repo"`
	Position int             `json:"position"` // from 1; 0 when it is over, or has no gate to wait for
	State    string          `json:"state"`    // queued, running, gate running, landed, returned
	Since    *timestamp.Time `json:"since,omitempty"`
	Agent    string          `json:"agent,omitempty"`
	Worktree string          `json:"worktree,omitempty"` // ref
	Name     string          `json:"name"`               // of the worktree
	Gate     string          `json:"gate,omitempty"`     // the command that runs, or failed
	Reason   string          `json:"reason,omitempty"`   // why it was returned
	Commit   string          `json:"commit,omitempty"`   // short
	Log      string          `json:"-"`                  // file of the gate's output
}

// Over reports whether nothing more will come of the landing.
func (l Landing) Over() bool {
	return l.State == string(land.Landed) || l.State == string(land.Returned)
}

// Words for how tasks stand, in the order of the screens.
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

// Tasks are the tasks of the project: all of them counted, those that are not done
// listed as far as a screen has room.
type Tasks struct {
	Counts map[string]int `json:"counts"` // by word
	List   []Task         `json:"list"`   // in progress, claimed, blocked, failed, ready in the queue's order, waits
	// Unlisted is how many more there are that are not done: a screen has no room for thousands.
	Unlisted int `json:"unlisted"`
}

// Task is a task that is not done.
type Task struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	State    string          `json:"state"` // one of TaskWords
	On       []string        `json:"on"`    // ids of what it waits for, or is blocked by
	Since    *timestamp.Time `json:"since,omitempty"`
	Priority work.Priority   `json:"priority"`
	Agent    string          `json:"agent,omitempty"`
	Stood    *timestamp.Time `json:"stood,omitempty"` // when the claim that stands was made, or when it failed
	Repo     string          `json:"repo,omitempty"`
	Worktree string          `json:"worktree,omitempty"`
	Result   string          `json:"result,omitempty"` // of one that failed
}
