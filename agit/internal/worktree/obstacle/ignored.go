package obstacle

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/git"
)

// rebuildable are folders, by name, that build tools fill and fill again:
// dependencies, build output and caches. What git ignores anywhere below one of
// them is not precious.
var rebuildable = []string{
	"node_modules", "bower_components", "jspm_packages", ".yarn", ".pnpm-store", // JavaScript
	".next", ".nuxt", ".output", ".svelte-kit", ".angular", ".turbo", ".parcel-cache", ".vite", ".nyc_output", "storybook-static",
	"__pycache__", ".venv", "venv", ".tox", ".nox", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".eggs", ".hypothesis", // Python
	"target", "build", "dist", "out", "bin", "obj", "Debug", "Release", "_build", "dist-newstyle", ".stack-work", "elm-stuff",
	".gradle", ".kotlin", ".bsp", ".metals", ".bloop", "DerivedData", "Pods", ".build", ".dart_tool", "zig-out", "zig-cache", ".zig-cache",
	"vendor", "deps", ".bundle", ".terraform", ".serverless", ".aws-sam", "cdk.out",
	".cache", "tmp", "temp", "logs", "log", "coverage", "htmlcov", ".scannerwork",
}

// rebuiltFiles are endings of the names of files that tools write as a side effect.
var rebuiltFiles = []string{
	".pyc", ".pyo", ".o", ".obj", ".a", ".lo", ".la", ".so", ".dylib", ".dll", ".class", ".jar", ".exe", ".test", ".out",
	".log", ".tmp", ".swp", ".swo", "~", ".tsbuildinfo", ".eslintcache", ".stylelintcache", ".coverage", ".cover", ".coverprofile",
	".prof", ".pid", ".DS_Store", "Thumbs.db", ".egg-info",
}

// precious picks from the ignored paths of a worktree those that cannot be made again: not build output, not a client's files in its own
// folder, and not equal to the file at the same place in the main working tree (which .worktreeinclude copies). It looks at each file of a
// folder; a folder that it cannot read counts as a whole.
func precious(main *git.Repo, dir string, ignored []string) []string {
	var found []string
	for _, name := range ignored {
		if isRebuildable(name) {
			continue
		}
		whole, isDir := strings.CutSuffix(name, "/")
		if !isDir {
			if !ofClient(main, name) && !sameAsMain(main, dir, name) {
				found = append(found, name)
			}
			continue
		}
		root := filepath.Join(dir, filepath.FromSlash(whole))
		_ = filepath.WalkDir(root, func(at string, entry fs.DirEntry, err error) error {
			rel, relErr := filepath.Rel(dir, at)
			if durable.Missing(err) || relErr != nil {
				return nil
			}
			rel = filepath.ToSlash(rel)
			if err != nil && !isRebuildable(rel+"/") {
				found = append(found, rel+"/")
				return nil
			}
			if entry.IsDir() {
				if isRebuildable(rel + "/") {
					return fs.SkipDir
				}
				return nil
			}
			if !isRebuildable(rel) && !ofClient(main, rel) && !sameAsMain(main, dir, rel) {
				found = append(found, rel)
			}
			if len(found) >= enough {
				return fs.SkipAll
			}
			return nil
		})
		if len(found) >= enough {
			break
		}
	}
	return found
}

// enough precious files make the point; the rest is not looked for.
const enough = 100

func isRebuildable(name string) bool {
	clean, isDir := strings.CutSuffix(name, "/")
	parts := strings.Split(clean, "/")
	folders := parts
	if !isDir {
		folders = parts[:len(parts)-1]
	}
	if slices.ContainsFunc(folders, func(part string) bool {
		return slices.Contains(rebuildable, part) || strings.HasPrefix(part, "cmake-build-") || strings.HasSuffix(part, ".egg-info")
	}) {
		return true
	}
	base := path.Base(clean)
	return slices.ContainsFunc(rebuiltFiles, func(end string) bool { return strings.HasSuffix(base, end) })
}

// sameAsMain compares a file with the one in the main working tree.
func sameAsMain(main *git.Repo, dir, name string) bool {
	if main.Bare {
		return false
	}
	a, b := filepath.Join(dir, filepath.FromSlash(name)), filepath.Join(main.WorkTree, filepath.FromSlash(name))
	infoA, errA := os.Lstat(a)
	infoB, errB := os.Lstat(b)
	if errA != nil || errB != nil || infoA.Mode().Type() != infoB.Mode().Type() {
		return false
	}
	if infoA.Mode()&fs.ModeSymlink != 0 {
		linkA, errA := os.Readlink(a)
		linkB, errB := os.Readlink(b)
		return errA == nil && errB == nil && linkA == linkB
	}
	return infoA.Mode().IsRegular() && infoA.Size() == infoB.Size() && sameContent(a, b)
}

func sameContent(a, b string) bool {
	fileA, err := os.Open(a)
	if err != nil {
		return false
	}
	defer fileA.Close()
	fileB, err := os.Open(b)
	if err != nil {
		return false
	}
	defer fileB.Close()
	bufA, bufB := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		nA, errA := io.ReadFull(fileA, bufA)
		nB, errB := io.ReadFull(fileB, bufB)
		if !bytes.Equal(bufA[:nA], bufB[:nB]) {
			return false
		}
		if errA != nil || errB != nil {
			return ended(errA) && ended(errB)
		}
	}
}

// ended reports whether a read failed only because the file ended.
func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

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
