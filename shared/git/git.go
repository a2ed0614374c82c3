// Package git finds repositories without starting a process, runs git with a
// clean environment, and reads what git prints.
//
// It knows git's file layout and output formats, and nothing of what the suite
// does with them: no registry, no policy, no printing. Everything that users or
// repositories name (paths, branches, revisions) travels as an argument of its
// own, never through a shell. A Repo holds paths only, so it is safe for
// concurrent use.
package git

import (
	"path/filepath"
	"strings"
)

// Repo is one place to run git in: a repository's main working tree, a linked
// worktree, a submodule or a bare repository. All paths are absolute with
// symbolic links resolved.
type Repo struct {
	// GitDir holds what belongs to this working tree alone: HEAD and the index.
	GitDir string
	// CommonDir holds what all worktrees of the repository share: objects, refs and configuration. It equals GitDir except in a linked
	// worktree.
	CommonDir string
	// WorkTree is the root of the checked-out files, empty when Bare.
	WorkTree string
	// Bare reports that this repository has no checked-out files.
	Bare bool
	// Elsewhere reports that there are checked-out files at an unknown place: the git directory lies apart from them, and git records no
	// way back. Bare is set, too.
	Elsewhere bool
	// IndexFile is an index to use instead of the working tree's own, such as the one that git passes to the hooks of a partial commit; ""
	// is the tree's own.
	IndexFile string
	// Alternates are object directories of other repositories whose objects git reads too, and never writes.
	Alternates []string
}

// Linked reports whether r is a worktree made by `git worktree add`.
func (r *Repo) Linked() bool { return r.GitDir != r.CommonDir }

// Dir is the folder git runs in: the working tree, else the git directory.
func (r *Repo) Dir() string {
	if r.Bare || r.WorkTree == "" {
		return r.GitDir
	}
	return r.WorkTree
}

// Main is the repository that r is a worktree of, or r itself.
func (r *Repo) Main() (*Repo, error) {
	if !r.Linked() {
		return r, nil
	}
	return open(r.CommonDir, "")
}

// MainFolder is the folder that people call the repository: the main working
// tree, else the bare repository.
func (r *Repo) MainFolder() string {
	if main, err := r.Main(); err == nil {
		return main.Dir()
	}
	return r.CommonDir
}

// Superproject returns the repository, or the linked worktree, that r is a submodule of; nil when it is not one. It reads files only, and
// knows submodules whose git directory lies in their superproject's, where git has put them since version 1.7.8.
func (r *Repo) Superproject() *Repo {
	if r.WorkTree == "" {
		return nil
	}
	above, err := Find(filepath.Dir(r.WorkTree))
	if err != nil || above.WorkTree == "" {
		return nil
	}
	for _, dir := range []string{above.GitDir, above.CommonDir} {
		if rest, err := filepath.Rel(filepath.Join(dir, "modules"), r.GitDir); err == nil && filepath.IsLocal(rest) {
			return above
		}
	}
	return nil
}

// IsOID reports whether s is a full object name, SHA-1 or SHA-256.
func IsOID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// ZeroOID is the object name that means "does not exist" in update-ref, of the
// same width as the name like.
func ZeroOID(like string) string { return strings.Repeat("0", max(len(like), 40)) }

// real resolves symbolic links; a path that cannot be resolved is only cleaned.
func real(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return filepath.Clean(path)
}
