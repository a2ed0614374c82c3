package worktree

import (
	"cmp"
	"io"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree/userhook"
	"github.com/agit-suite/agit/shared/git"
)

// Environment returns this process's environment with the variables that a program working in the worktree needs: AGIT_REPO, AGIT_WORKTREE,
// AGIT_TASK, AGIT_AGENT and AGIT_PORT.
func (w Worktree) Environment() []string {
	env := git.UserEnvironment()
	task := cmp.Or(w.TaskID, w.Task)
	for _, v := range []struct{ name, value string }{
		{"AGIT_REPO", w.Repo}, {"AGIT_WORKTREE", w.Ref}, {"AGIT_TASK", strings.ReplaceAll(task, "\x00", "")}, {"AGIT_AGENT", w.Agent},
	} {
		env = append(env, v.name+"="+v.value)
	}
	if w.Port != 0 {
		env = append(env, "AGIT_PORT="+strconv.Itoa(w.Port))
	}
	return env
}

// Hooks are commands to run in dir for a worktree, each with the time that its repository's settings allow.
func (s *Store) Hooks(name string, commands []string, set Settings, dir string, w Worktree) userhook.Hooks {
	output := s.Options.HookOutput
	if output == nil {
		output = io.Discard
	}
	return userhook.Hooks{Name: name, Commands: commands, Limit: set.HookTimeout, Dir: dir, Env: w.Environment(), Output: output}
}
