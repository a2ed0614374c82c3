// Package checkout knows what git and the disk hold of a linked worktree: its folder, git's entry of it below
// .git/worktrees, the pointers between the two, the locks, and the branches it comes from and goes to. It knows nothing
// of the registry, and it judges nothing: whether something may be done is decided by its callers.
//
// checkout.go finds and connects folder and entry, discard.go takes both back, hide.go keeps them out of `git status`,
// include.go fills a new folder with what .worktreeinclude names, index.go copies and locks an index,
// reflocks.go clears locks that a killed git left, branch.go reads the default branch and compares commits with it,
// landed.go says whether a branch has what a commit adds. All of it can be called by several processes at once.
package checkout

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// Gone reports whether there is nothing at a path.
func Gone(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// LackingHooks returns the folder of core.hooksPath that the main checkout has and a worktree lacks, as husky's, which git ignores: git runs no hook
// there. It returns "" where git finds its hooks, or where there are none.
func LackingHooks(g *git.Repo, path string) string {
	config, err := g.Config()
	if err != nil {
		return "" // the next git reports it
	}
	dir, _ := config.Get("core.hooksPath")
	if Gone(filepath.Join(g.MainFolder(), dir)) || !Gone(filepath.Join(path, dir)) {
		return ""
	}
	return dir
}

// HooksHint is what brings the folder of LackingHooks into a worktree.
const HooksHint = "`npm install` there makes that of husky; hooks.post_spawn or .worktreeinclude brings it into new worktrees"

// Disconnected reports whether a worktree's folder lacks the .git file by which git knows it, or has an empty one, as a full disk
// leaves it.
func Disconnected(path string) bool {
	at := filepath.Join(path, ".git")
	info, err := os.Lstat(at)
	return !Gone(path) && (Gone(at) || err == nil && info.Mode().IsRegular() && info.Size() == 0)
}

// Reconnect writes the .git file of a disconnected worktree again where git still knows the worktree.
func Reconnect(g *git.Repo, path string) error {
	if entries := Entries(g, path); len(entries) == 1 && Disconnected(path) {
		return Connect(g, filepath.Base(entries[0]), path)
	}
	return nil
}

// Open returns the worktree at a path, after proving that its .git leads to the repository, to the entry that leads back. Git runs in no
// other folder, because a process that may write there could make it run programs through a .git of its own. A ConflictError names where
// the .git leads instead.
func Open(g *git.Repo, path string) (*git.Repo, error) {
	tree, err := git.Find(path)
	if err != nil {
		return nil, err
	}
	if !SameFolder(tree.WorkTree, path) {
		return nil, fault.Conflict("folder", path, "%q is not a working tree any more: its .git is gone", path)
	}
	back := ""
	if tree.Linked() {
		back, _ = git.ReadBackPointer(tree.GitDir)
	}
	if tree.CommonDir != g.CommonDir || back == "" || !SameFolder(filepath.Dir(back), path) {
		return nil, fault.Conflict("folder", path, "the .git of %q does not lead to its repository %q, but to %q", path, g.MainFolder(), tree.GitDir).
			WithHint("`git worktree repair` in the repository connects it again, after the .git was moved away")
	}
	return tree, nil
}

// SameFolder reports whether two paths are the same folder on disk, whatever their names.
func SameFolder(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two)
}

// Entries returns git's entries for a worktree at path: the one that points there, and one that a killed `git worktree add` had not yet
// pointed there.
func Entries(g *git.Repo, path string) []string {
	root := filepath.Join(g.CommonDir, "worktrees")
	list, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	var found []string
	for _, entry := range list {
		dir := filepath.Join(root, entry.Name())
		back, err := git.ReadBackPointer(dir)
		if err != nil && entry.Name() == filepath.Base(path) || err == nil && back == filepath.Join(path, ".git") {
			found = append(found, dir)
		}
	}
	return found
}

// EntryOf returns the name of git's entry that a folder's .git file points to, ""
// when it has none.
func EntryOf(dir string) string {
	at := filepath.Join(dir, ".git")
	if info, err := os.Lstat(at); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	target, err := git.ReadGitFile(at)
	if err != nil || filepath.Base(filepath.Dir(target)) != "worktrees" {
		return ""
	}
	return filepath.Base(target)
}

// OfAnother reports whether the .git file of a folder leads to an entry that is there and is not the named one of a repository.
func OfAnother(g *git.Repo, entry, path string) bool {
	at, err := git.ReadGitFile(filepath.Join(path, ".git"))
	return err == nil && !Gone(at) && !SameFolder(at, filepath.Join(g.CommonDir, "worktrees", entry))
}

// FindMoved looks in some folders, which may be absent, for the folder of a worktree that was moved there: wanted takes the name of git's
// entry that its .git file points to, and its path.
func FindMoved(around []string, wanted func(entry, at string) bool) (entry, at string, found bool) {
	slices.Sort(around)
	for _, dir := range slices.Compact(around) {
		list, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, one := range list {
			at := filepath.Join(dir, one.Name())
			if entry := EntryOf(at); wanted(entry, at) {
				return entry, at, true
			}
		}
	}
	return "", "", false
}

// Connect makes git's entry and a folder point to each other, as
// `git worktree repair` does.
func Connect(g *git.Repo, entry, path string) error {
	dir := filepath.Join(g.CommonDir, "worktrees", entry)
	if back, err := git.ReadBackPointer(dir); err == nil && back != filepath.Join(path, ".git") {
		if other, err := git.ReadGitFile(back); err == nil && SameFolder(other, dir) {
			return fault.Operation(nil, "git's entry %q belongs to the worktree at %q", entry, filepath.Dir(back))
		}
	}
	for _, link := range []struct{ file, text string }{
		{filepath.Join(dir, "gitdir"), filepath.Join(path, ".git") + "\n"},
		{filepath.Join(path, ".git"), "gitdir: " + dir + "\n"},
	} {
		if old, err := os.ReadFile(link.file); err == nil && string(old) == link.text {
			continue
		}
		if err := durable.WriteFile(link.file, []byte(link.text), 0o644); err != nil {
			return fault.Operation(err, "connect worktree %q with its repository", path)
		}
	}
	return nil
}

// ownerFile is the file in git's entry that holds the id of agit's worktree, whose folder was moved: the entry keeps its first name.
const ownerFile = "agit-worktree"

// NoteOwner notes in git's entry which worktree of agit's it is of.
func NoteOwner(g *git.Repo, entry, ref string) error {
	if err := durable.WriteFile(filepath.Join(g.CommonDir, "worktrees", entry, ownerFile), []byte(ref), 0o644); err != nil {
		return fault.Operation(err, "note worktree %q in git's entry %q", ref, entry)
	}
	return nil
}

// MadeFor reports whether git made an entry for the folder that agit's worktree has or had: the entry has its name, or the note of NoteOwner.
func MadeFor(g *git.Repo, entry, path, ref string) bool {
	if entry == filepath.Base(path) {
		return true
	}
	owner, err := os.ReadFile(filepath.Join(g.CommonDir, "worktrees", entry, ownerFile))
	return err == nil && string(owner) == ref
}

// Underway names what was begun and not finished in a working tree, "" for
// nothing.
func Underway(gitDir string) string {
	for _, mark := range []struct{ file, what string }{
		{"rebase-merge", "a rebase"}, {"rebase-apply", "a rebase or an application of patches"}, {"MERGE_HEAD", "a merge"},
		{"CHERRY_PICK_HEAD", "a cherry-pick"}, {"REVERT_HEAD", "a revert"}, {"BISECT_LOG", "a bisection"},
	} {
		if _, err := os.Lstat(filepath.Join(gitDir, mark.file)); err == nil {
			return mark.what
		}
	}
	return ""
}
