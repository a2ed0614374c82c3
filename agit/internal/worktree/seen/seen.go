// Package seen finds the working trees of a repository that agit did not make: those that git lists because a person, git or an
// agent's client made them, and the main checkout. It changes nothing and keeps nothing: a tree is seen while git has an entry of
// it. maker.go tells who made one, sweep.go when its maker's own clean-up takes it.
//
// It reads files of the git directory alone, unless refs are kept in a format of their own. All of it can be called by several
// processes at once.
package seen

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/process"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// Tree is a working tree of a repository, whoever made it.
type Tree struct {
	// Name is what people type for it: git's name of the worktree or, for the main checkout, its folder's name. No two trees of a
	// repository have the same.
	Name   string
	Path   string
	Branch string // short; empty where HEAD is detached
	Head   string // its commit; empty before the first one
	Maker  Maker  // empty for the main checkout
	Marks
}

// Marks are what git's entry of a worktree holds besides its branch.
type Marks struct {
	Main     bool `json:"main_checkout,omitempty"`
	Detached bool `json:"detached,omitempty"` // no branch is checked out
	// Locked is the reason why git keeps the worktree from being pruned, or a word for none.
	Locked string `json:"locked,omitempty"`
	// LockedBy is the process that the reason names, 0 for none; LockHeld reports whether it runs.
	LockedBy int  `json:"locked_by,omitempty"`
	LockHeld bool `json:"lock_held,omitempty"`
	// Prunable reports that the folder is gone: `git worktree prune` takes the entry away.
	Prunable bool `json:"prunable,omitempty"`
	// MovedFrom is where git expects the folder, which was moved by hand and is at Path.
	MovedFrom string `json:"moved_from,omitempty"`
}

// Others returns the trees of a repository that agit did not make, the main checkout first, then by name: all but those in the known
// folders, which agit has rows of, and checkouts in which agit tests landings.
func Others(ctx context.Context, g *git.Repo, known []string) ([]Tree, error) {
	all, err := All(ctx, g)
	if err != nil {
		return nil, err
	}
	mine := make(map[string]bool, len(known))
	for _, path := range known {
		mine[filepath.Clean(path)] = true
	}
	return slices.DeleteFunc(all, func(t Tree) bool {
		return mine[t.Path] || !t.Prunable && slices.ContainsFunc(known, func(path string) bool { return checkout.SameFolder(path, t.Path) })
	}), nil
}

// All returns the trees of a repository, whoever made them, in the same order.
func All(ctx context.Context, g *git.Repo) ([]Tree, error) {
	all, err := g.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	main := all[0].Path
	var trees []Tree
	for _, w := range all {
		if w.Bare || w.Name != "" && (inside(w.Path, g.CommonDir) || scratch(w)) {
			continue
		}
		t := Tree{Name: w.Name, Path: filepath.Clean(w.Path), Branch: strings.TrimPrefix(w.Branch, "refs/heads/"), Head: w.Head, Marks: Marks{Main: w.Name == ""}}
		t.Detached = t.Branch == ""
		if info, err := os.Stat(w.Path); t.Main && (err != nil || !info.IsDir()) {
			continue
		} else if w.Prunable != "" || err != nil || !info.IsDir() {
			t.Prunable = true
		}
		if !t.Main {
			entry := filepath.Join(g.CommonDir, "worktrees", w.Name)
			t.lock(w)
			if t.Prunable {
				t.find(entry, main)
			}
			t.Maker = makerOf(w, entry, main)
		}
		trees = append(trees, t)
	}
	if len(trees) > 0 && trees[0].Main {
		trees[0].Name = mainName(trees[0].Path, trees[1:])
	}
	return trees, nil
}

// scratch reports whether a worktree is a checkout in which agit tests landings: it lies among the worktrees, on no branch.
func scratch(w git.Worktree) bool {
	name := filepath.Base(w.Path)
	return w.Branch == "" && slices.ContainsFunc([]string{".gate", ".merge-", ".trial", ".undone-"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// mainName names the main checkout after its folder, with a suffix where a linked worktree has that name.
func mainName(path string, linked []Tree) string {
	name := filepath.Base(path)
	for slices.ContainsFunc(linked, func(t Tree) bool { return strings.EqualFold(t.Name, name) }) {
		name += "-main"
	}
	return name
}

// inside reports whether path lies in dir.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Label is the text in parentheses behind a name: the maker, or that it is the main checkout.
func Label(maker Maker, main bool) string {
	if main {
		return "main checkout"
	}
	return string(maker)
}

// find looks for the folder of a worktree that is not where git expects it: a folder whose .git leads to the entry, beside the old place,
// above it, or beside the main checkout. It notes the new place, but git's entry stays as it is.
func (t *Tree) find(entry, main string) {
	around := []string{filepath.Dir(t.Path), filepath.Dir(filepath.Dir(t.Path)), main, filepath.Dir(main)}
	_, at, found := checkout.FindMoved(around, func(name, at string) bool {
		if name != filepath.Base(entry) {
			return false
		}
		leads, err := git.ReadGitFile(filepath.Join(at, ".git"))
		return err == nil && checkout.SameFolder(leads, entry)
	})
	if found {
		t.MovedFrom, t.Path, t.Prunable = t.Path, at, false
	}
}

// Words are the marks as lists show them, each a few words: "on no branch", "locked by process 4711".
func (m Marks) Words() (words []string) {
	if m.Prunable {
		words = append(words, "folder is gone")
	}
	if m.Detached {
		words = append(words, "on no branch")
	}
	switch {
	case m.LockHeld:
		words = append(words, "locked by process "+strconv.Itoa(m.LockedBy))
	case m.LockedBy != 0:
		words = append(words, "locked by a process that is gone")
	case m.Locked != "":
		words = append(words, "locked")
	}
	if m.MovedFrom != "" {
		words = append(words, "moved")
	}
	return words
}

// Sentence returns what the maker's clean-up will do to a worktree that holds work, as a clause: "claude-code removes it in 3 days".
func (w Sweep) Sentence(now time.Time) string {
	switch days := int(w.At.Sub(now).Hours() / 24); {
	case w.Keeps > 0:
		return string(w.By) + " keeps " + strconv.Itoa(w.Keeps) + " worktrees, and this is number " + strconv.Itoa(w.Place)
	case !w.At.After(now):
		return string(w.By) + " removes it when it starts next"
	case days == 0:
		return string(w.By) + " removes it within a day"
	default:
		return string(w.By) + " removes it in " + text.Count(days, "day", "days")
	}
}

// lock notes why git keeps a worktree from being pruned, and the process that the reason names.
func (t *Tree) lock(w git.Worktree) {
	if !w.Locked {
		return
	}
	t.Locked = cmp.Or(w.LockReason, "without a reason")
	if t.LockedBy = lockProcess(w.LockReason); t.LockedBy != 0 {
		t.LockHeld = process.Running(int64(t.LockedBy))
	}
}

var lockedBy = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bpid[ :=]*([0-9]{1,9})\b`) })

// lockProcess is the process that a lock's reason names, as in "claude agent agent-12 (pid 4711)"; 0 for none.
func lockProcess(reason string) int {
	found := lockedBy().FindStringSubmatch(reason)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found[1]) // digits alone
	return n
}
