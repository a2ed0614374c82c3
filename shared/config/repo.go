package config

import "time"

// Repo is one [[repo]] table: what differs for one repository. Fields left out
// keep the general value.
type Repo struct {
	Name          string       `mapstructure:"name" rule:"free" doc:"the repository, as registered"`
	DefaultBranch string       `mapstructure:"default_branch" rule:"trust" doc:"branch that worktrees start from and merge into"`
	Hooks         Hooks        `mapstructure:"hooks"`
	Worktree      RepoWorktree `mapstructure:"worktree"`
}

// RepoWorktree is what a [[repo]] may say of its worktrees.
type RepoWorktree struct {
	Dir string `mapstructure:"dir" rule:"trust inside" doc:"folder of this repository's worktrees"`
}

// RepoSettings is the configuration that holds for one repository.
type RepoSettings struct {
	DefaultBranch string // "" means as registered
	Hooks         Hooks
	WorktreeDir   string
}

// ForRepo applies the [[repo]] table of the given name, if there is one, to the
// general settings. An empty list of hooks there means none.
func (c *Config) ForRepo(name string) RepoSettings {
	s := RepoSettings{Hooks: c.Hooks, WorktreeDir: c.Worktree.Dir}
	for _, r := range c.Repos {
		if r.Name != name {
			continue
		}
		s.DefaultBranch = r.DefaultBranch
		if r.Hooks.PostSpawn != nil {
			s.Hooks.PostSpawn = r.Hooks.PostSpawn
		}
		if r.Hooks.PreMerge != nil {
			s.Hooks.PreMerge = r.Hooks.PreMerge
		}
		if r.Hooks.Timeout != time.Duration(0) {
			s.Hooks.Timeout = r.Hooks.Timeout
		}
		if r.Worktree.Dir != "" {
			s.WorktreeDir = r.Worktree.Dir
		}
	}
	return s
}
