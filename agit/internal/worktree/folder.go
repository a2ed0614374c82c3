package worktree

import (
	"cmp"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree/userhook"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// FolderOf is the folder that a repository's worktrees are in.
func FolderOf(r repo.Repo, set Settings) string {
	if filepath.IsAbs(set.Dir) {
		return filepath.Clean(set.Dir)
	}
	return filepath.Join(repo.FolderOf(r.Path), set.Dir)
}

// RefuseLink refuses a folder of the worktrees whose name lies in the repository while a link leads elsewhere: such a link comes with a
// clone, and would have agents build wherever it leads.
func RefuseLink(r repo.Repo, dir string) error {
	rel, err := filepath.Rel(r.Path, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return nil // the user's own configuration puts it elsewhere
	}
	at := r.Path
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if err != nil {
			return nil // it is made anew, with its subfolders
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return fault.Conflict("folder", at, "the folder of the worktrees %q is a symbolic link, which worktrees are not made through", at).
				WithHint("move the link out of the way, or set worktree.dir to another folder")
		}
	}
	return nil
}

// Environment returns this process's environment with the variables that a program working in the worktree needs: AGIT_REPO, AGIT_WORKTREE,
// AGIT_TASK, AGIT_AGENT and AGIT_PORT.
func (w Worktree) Environment() []string {
	env := append(git.UserEnvironment(), "AGIT_REPO="+w.Repo, "AGIT_WORKTREE="+w.Ref,
		"AGIT_TASK="+strings.ReplaceAll(cmp.Or(w.TaskID, w.Task), "\x00", ""), "AGIT_AGENT="+w.Agent)
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
