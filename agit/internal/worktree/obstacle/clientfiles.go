package obstacle

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// clientFolders are the folders at the top of a project in which clients of agents keep their own files, with the files that each client
// writes there by itself wherever it runs: opencode installs the packages of its plugins (https://opencode.ai/docs/plugins).
var clientFolders = map[string][]string{
	".opencode": {"package.json", "package-lock.json", "bun.lock", "bun.lockb", ".gitignore", "node_modules"},
	".claude":   nil, ".codex": nil, ".gemini": nil, ".cursor": nil, ".qwen": nil, ".kimi": nil, ".goose": nil, ".augment": nil,
	".factory": nil, ".vibe": nil, ".junie": nil, ".qoder": nil, ".stakpak": nil, ".amp": nil,
}

// ofClient reports whether a file that git ignores is a client's own, not the work of its agent. It is when the client writes it wherever
// it runs, or when it lies in the client's folder and the main working tree has no such file, so that no person brought it. Worktrees that
// clients make there hold work.
func ofClient(main *git.Repo, name string) bool {
	parts := strings.Split(name, "/")
	if len(parts) == 1 {
		return strings.HasPrefix(name, ".aider.") // Aider has files, no folder
	}
	own, is := clientFolders[parts[0]]
	switch {
	case !is || slices.Contains(parts[1:], "worktrees"):
		return false
	case slices.Contains(own, parts[1]):
		return true
	}
	_, err := os.Lstat(filepath.Join(main.WorkTree, filepath.FromSlash(name)))
	return main.Bare || err != nil
}
