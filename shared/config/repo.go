package config

import (
	"cmp"
	"time"

	"github.com/agit-suite/agit/shared/text"
)

// Repo is one [[repo]] table: the settings that differ for one repository. Omitted fields keep the general value.
type Repo struct {
	Name          string        `mapstructure:"name" rule:"free" doc:"the repository, as registered"`
	DefaultBranch string        `mapstructure:"default_branch" rule:"trust" doc:"branch that worktrees start from and merge into"`
	Gate          []string      `mapstructure:"gate" rule:"trust" doc:"commands that must succeed on the merged state before a branch moves to it"`
	GateTimeout   time.Duration `mapstructure:"gate_timeout" rule:"free" doc:"time limit of each command of the gate"`
	Land          string        `mapstructure:"land" rule:"trust" oneof:"never review gate pr" doc:"what finish does with work"`
	Remote        string        `mapstructure:"remote" rule:"trust" doc:"git's name of the remote whose default branch work starts from and lands on; none for the branch here"`
	Share         string        `mapstructure:"share" rule:"trust" oneof:"never branches" doc:"whether the branches of agents are pushed to the remote for other machines to see, and theirs fetched"`
	Hooks         Hooks         `mapstructure:"hooks"`
	Worktree      RepoWorktree  `mapstructure:"worktree"`

	From string // the file and line of its first table
}

// RepoWorktree holds the settings of a [[repo]] for its worktrees.
type RepoWorktree struct {
	Dir string `mapstructure:"dir" rule:"trust inside" doc:"folder of this repository's worktrees"`
}

// RepoSettings is the configuration that holds for one repository.
type RepoSettings struct {
	DefaultBranch string // "" means as registered
	Gate          []string
	GateTimeout   time.Duration
	Land          string // never, review, gate or pr
	LandSet       bool   // Land was configured, and is not the built-in value
	Remote        string // "" where work lands on the branch here
	Share         bool   // agents' branches are shared through the remote
	Hooks         Hooks
	WorktreeDir   string
}

// noRemote is the value of remote for a repository whose work lands on the local branch.
const noRemote = "none"

// shareBranches is the value of share for a repository whose agents' branches other machines see.
const shareBranches = "branches"

// ForRepo applies the [[repo]] table of the given name, in any case, to the general settings. An empty list of hooks or of the gate there means none.
func (c *Config) ForRepo(name string) RepoSettings {
	s := RepoSettings{Gate: c.Gate, GateTimeout: c.GateTimeout, Land: c.Land, LandSet: c.IsSet("land"), Hooks: c.Hooks, Remote: c.Remote, Share: c.Share == shareBranches, WorktreeDir: c.Worktree.Dir}
	for _, r := range c.Repos {
		if text.Key(r.Name) != text.Key(name) {
			continue
		}
		s.DefaultBranch = r.DefaultBranch
		if r.Gate != nil {
			s.Gate = r.Gate
		}
		s.GateTimeout, s.Hooks.Timeout = cmp.Or(r.GateTimeout, s.GateTimeout), cmp.Or(r.Hooks.Timeout, s.Hooks.Timeout)
		s.Land, s.LandSet = cmp.Or(r.Land, s.Land), s.LandSet || r.Land != ""
		s.Remote, s.WorktreeDir = cmp.Or(r.Remote, s.Remote), cmp.Or(r.Worktree.Dir, s.WorktreeDir)
		if r.Share != "" {
			s.Share = r.Share == shareBranches
		}
		if r.Hooks.PostSpawn != nil {
			s.Hooks.PostSpawn = r.Hooks.PostSpawn
		}
		if r.Hooks.PreMerge != nil {
			s.Hooks.PreMerge = r.Hooks.PreMerge
		}
	}
	if s.Remote == noRemote {
		s.Remote = ""
	}
	return s
}
