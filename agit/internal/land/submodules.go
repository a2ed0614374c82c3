package land

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// gitlink is the mode of a submodule in a tree.
const gitlink = "160000"

// submodulesLeft returns the checked-out submodules of a working tree whose commit a landing changes: git updates their files only by a
// command of its own, so that the next commit of all changes there would undo the landing's.
func (f workingTree) submodulesLeft(ctx context.Context, g *git.Repo, from, to string) (paths []string) {
	if _, err := os.Lstat(filepath.Join(f.Path, ".gitmodules")); err != nil {
		return nil
	}
	out, err := g.Output(ctx, git.Options{}, "diff-tree", "-r", "-z", "--raw", "--no-renames", from, to, "--")
	if err != nil {
		return nil // it landed; this is only more detail
	}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		modes := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(modes) < 2 || modes[0] != gitlink || modes[1] != gitlink {
			continue
		}
		if _, err := os.Lstat(filepath.Join(f.Path, filepath.FromSlash(fields[i+1]), ".git")); err == nil {
			paths = append(paths, fields[i+1])
		}
	}
	return paths
}
