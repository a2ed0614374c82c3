package worktree

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Settings are the settings of one repository from the configuration.
type Settings struct {
	Dir           string // folder of the worktrees; relative ones are inside the repository
	BranchPrefix  string
	DefaultBranch string        // "" means as registered
	Remote        string        // git's name of where the default branch is that work starts from and lands on; "" for here
	RemoteWait    time.Duration // longest wait for an answer of the remote
	Share         bool          // agents' branches are shared through the remote
	StaleAfter    time.Duration // of a worktree
	RestoreFor    time.Duration
	AgentStale    time.Duration // silence after which an agent is not at work
	PortBase      int
	PortCount     int
	PostSpawn     []string // shell commands
	PreMerge      []string
	HookTimeout   time.Duration
	Gate          []string        // shell commands that judge what lands
	GateTimeout   time.Duration   // of each
	GateCache     bool            // a tree that the gate passed within a day has passed it
	Batch         int             // how many landings one run of the gate judges at most
	Linger        time.Duration   // how long a landing waits at most for others that the same run of the gate can judge
	TrialLimit    time.Duration   // of a trial
	TrialIdle     bool            // trials run by themselves between tasks
	GateEnv       []string        // variables that the gate and pre_merge hooks get besides those that are harmless
	Land          string          // what finish does with work: one of the four below
	LandSet       bool            // Land was configured, and is not the built-in value
	AutoMerge     bool            // the forge merges pull requests by itself, once its rules are met
	ByAgents      bool            // agents may decide what waits for a person
	Unjudged      config.Unjudged // settings that would judge a landing but have no effect
}

// Judging takes the settings that decide whether work lands, and what runs in a new worktree, from other.
func (s Settings) Judging(other Settings) Settings {
	s.Gate, s.GateTimeout, s.GateEnv, s.HookTimeout = other.Gate, other.GateTimeout, other.GateEnv, other.HookTimeout
	s.GateCache, s.Batch, s.TrialLimit, s.TrialIdle = other.GateCache, other.Batch, other.TrialLimit, other.TrialIdle
	s.PreMerge, s.PostSpawn = other.PreMerge, other.PostSpawn
	s.Land, s.LandSet, s.AutoMerge, s.ByAgents, s.Unjudged = other.Land, other.LandSet, other.AutoMerge, other.ByAgents, other.Unjudged
	return s
}

// The ways of finished work.
const (
	LandNever  = "never"  // it stays in its worktree
	LandReview = "review" // it waits for a person
	LandGate   = "gate"   // it lands once the gate is green
	LandPR     = "pr"     // a pull request is opened for it, and the forge lands it
)

// SettingsFrom reads a repository's settings from configuration.
func SettingsFrom(c *config.Config, repoName string) Settings {
	r := c.ForRepo(repoName)
	return Settings{
		Dir: r.WorktreeDir, BranchPrefix: c.Worktree.BranchPrefix, DefaultBranch: r.DefaultBranch, Remote: r.Remote, RemoteWait: c.RemoteWait, Share: r.Share,
		StaleAfter: c.Worktree.StaleAfter, RestoreFor: c.Worktree.RestoreFor, AgentStale: c.Agent.StaleAfter,
		PortBase: c.Worktree.PortBase, PortCount: c.Worktree.PortCount,
		PostSpawn: r.Hooks.PostSpawn, PreMerge: r.Hooks.PreMerge, HookTimeout: r.Hooks.Timeout,
		GateCache: c.GateCache, Batch: c.LandBatch, Linger: 2 * time.Second, TrialLimit: c.TrialLimit, TrialIdle: c.Trial == "idle",
		Gate: r.Gate, GateTimeout: r.GateTimeout, GateEnv: c.GateEnv, Land: r.Land, LandSet: r.LandSet, AutoMerge: c.Forge.AutoMerge, ByAgents: c.Review.ByAgents, Unjudged: c.Unjudged(repoName),
	}
}

// Tasks is the part of the owner of tasks that worktrees need; its methods always run inside a transaction of this package. A Store without
// one treats --task as a text.
type Tasks interface {
	// Resolve finds the task that a spawn's --task means, by its id, its ticket's key or its name. It returns a task that agentName (may be
	// empty) could claim, or 0 for one that Spawned makes. It refuses a task of another repository, and an id that does not exist. It
	// changes nothing.
	Resolve(tx *registry.Tx, r repo.Repo, task, agentName string) (itemID int64, err error)
	// Spawned links the task of a new worktree, and claims it for its agent. When the worktree has a text and no task, it makes one: made
	// is its id, else "".
	Spawned(tx *registry.Tx, w Worktree) (made string, err error)
	// Merged completes the task of a worktree that was merged, if it is claimed or running; by is the agent that merged it, "" where none
	// is named. A task that another agent holds, or that is blocked, stays as it is: stays is the reason.
	Merged(tx *registry.Tx, w Worktree, by string) (stays string, err error)
}

// Options are what a Store uses besides the registry. Zero values are valid.
type Options struct {
	// Settings returns a repository's settings; the defaults when nil.
	Settings func(repo.Repo) Settings
	// SettingsOf returns them with the project's files that read returns (config.Options.Content); Settings when nil.
	SettingsOf func(r repo.Repo, read func(name string) ([]byte, error)) (Settings, error)
	Tasks      Tasks
	// HookOutput receives what hooks print; dropped when nil.
	HookOutput io.Writer
	// Home is the folder of the suite's files beside the registry, such as logs; a temporary one when empty.
	Home string
	// Dir is the folder that relative folders of worktrees are resolved against; its repository is searched first. "" means none.
	Dir string
	// Notice receives sentences the user should see; dropped when nil.
	Notice func(sentence string)
	// Reached is called at each step of an operation, and its error ends the operation there: tests cut operations off with it. No binary
	// sets it.
	Reached func(step string) error
}

// Store works on the worktrees of one registry. Before it is used, MendedBy names the stores that mend operations that were cut off.
type Store struct {
	DB      *registry.DB
	Options Options
	menders map[Operation]Mender

	reading sync.Mutex
	read    readCommit // whose settings files were read last
}

// Notice passes a sentence to the user, where a listener was set.
func (s *Store) Notice(sentence string) {
	if s.Options.Notice != nil {
		s.Options.Notice(sentence)
	}
}

// Home returns the folder of the suite's files beside the registry.
func (s *Store) Home() string {
	return cmp.Or(s.Options.Home, filepath.Join(os.TempDir(), "agit"))
}

// Settings returns a repository's settings; the default branch, when not configured, is the registered one.
func (s *Store) Settings(r repo.Repo) Settings {
	set := SettingsFrom(config.Default(), r.Name)
	if s.Options.Settings != nil {
		set = s.Options.Settings(r)
	}
	set.DefaultBranch = cmp.Or(set.DefaultBranch, r.DefaultBranch)
	return set
}

// NoDefaultBranch is the fault of a repository that lacks its default branch.
func NoDefaultBranch(r repo.Repo, branch string) error {
	return fault.Validation("default_branch", "repository %q has no branch %q, its default branch", r.Name, branch).
		WithHint("`agit add %s` looks for it again; default_branch in the configuration names another", text.ShellWord(r.Path)).About("repo", r.Name)
}

// Nowhere notes that callers stand in no folder of this machine. It is called before the Store is used.
func (s *Store) Nowhere() { s.Options.Dir = "" }

// Reach notes that an operation is at a step, and returns the error of Options.Reached.
func (s *Store) Reach(step string) error {
	if s.Options.Reached == nil {
		return nil
	}
	return s.Options.Reached(step)
}
