package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// Obstacle is one reason why a worktree is not removed or merged.
type Obstacle struct {
	Kind  ObstacleKind `json:"kind"`
	Text  string       `json:"text"` // a clause: "2 files are not committed: a.go, b.go"
	Paths []string     `json:"paths,omitempty"`
}

// ObstacleKind says what sort of thing stands in the way.
type ObstacleKind string

// The kinds. The first group says that the folder is not what the registry
// takes it for, or is in the middle of something; nothing overrides these. The
// others are work that would leave the folder, or somebody at it.
const (
	Disagreement ObstacleKind = "disagreement" // registry, git and folder disagree
	DefaultTree  ObstacleKind = "default_branch"
	Shared       ObstacleKind = "shared_branch"
	Locked       ObstacleKind = "locked"
	InProgress   ObstacleKind = "in_progress" // a merge, rebase, …

	Uncommitted ObstacleKind = "uncommitted"
	Untracked   ObstacleKind = "untracked"
	Precious    ObstacleKind = "precious" // ignored by git, but not to be had again
	Submodule   ObstacleKind = "submodule"
	Unmerged    ObstacleKind = "unmerged"
	AtWork      ObstacleKind = "at_work"
)

// absolute reports an obstacle that no wish of the caller's overrides.
func (k ObstacleKind) absolute() bool {
	switch k {
	case Disagreement, DefaultTree, Shared, Locked, InProgress:
		return true
	}
	return false
}

// proof is what was found out about a worktree before something is done to it.
type proof struct {
	obstacles []Obstacle
	entry     string    // name of git's entry
	tree      *git.Repo // the worktree, nil when it could not be opened
	head      git.Head
	branchOID string // of the row's branch, "" when that is gone
	entries   []git.StatusEntry
	precious  []string // ignored files that could not be had again
	vanished  bool     // the folder is gone, and nowhere near
}

func (p *proof) add(kind ObstacleKind, paths []string, format string, args ...any) {
	p.obstacles = append(p.obstacles, Obstacle{kind, fmt.Sprintf(format, args...), paths})
}

// has reports an obstacle of one of the kinds.
func (p *proof) has(kinds ...ObstacleKind) bool {
	for _, o := range p.obstacles {
		for _, k := range kinds {
			if o.Kind == k {
				return true
			}
		}
	}
	return false
}

// identify proves that registry, git's own list and the folder's back pointer
// speak of the same worktree, that it is nobody else's, and that nothing is
// half done in it. It starts no process.
func (s *Store) identify(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) (p *proof, err error) {
	p = &proof{}
	list, err := g.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	main, listed := list[0], (*git.Worktree)(nil)
	for i := range list[1:] {
		if sameFolder(list[i+1].Path, w.Path) {
			listed = &list[i+1]
		}
	}
	if sameFolder(main.Path, w.Path) {
		p.add(Disagreement, nil, "%s is the repository's main folder, not a worktree of it", w.Path)
		return p, nil
	}
	_, statErr := os.Lstat(w.Path)
	gone := errors.Is(statErr, fs.ErrNotExist)
	switch {
	case gone:
		at, elsewhere, err := s.whereabouts(ctx, g, r, w)
		if err != nil {
			return nil, err
		}
		if p.vanished = !elsewhere; elsewhere {
			p.add(Disagreement, nil, "its folder was moved from %s to %s", w.Path, at.path)
		} else {
			p.add(Disagreement, nil, "its folder %s is gone", w.Path)
		}
	case listed == nil:
		p.add(Disagreement, nil, "git does not list a worktree at %s", w.Path)
	}
	if gone || listed == nil {
		return p, nil
	}
	p.entry = listed.Name
	expected := filepath.Join(g.CommonDir, "worktrees", listed.Name)
	actual, err := git.ReadGitFile(filepath.Join(w.Path, ".git"))
	switch {
	case err != nil:
		p.add(Disagreement, nil, "%s is not a worktree: %v", w.Path, fault.From(err).Message)
		return p, nil
	case !sameFolder(actual, expected):
		p.add(Disagreement, nil, "%s belongs to another repository or worktree (%s)", w.Path, actual)
		return p, nil
	}
	if p.tree, err = git.Find(w.Path); err != nil {
		return nil, err
	}
	if p.head, err = p.tree.Head(ctx); err != nil {
		return nil, err
	}
	if p.branchOID, err = g.Resolve(ctx, "refs/heads/"+w.Branch); err != nil {
		return nil, err
	}
	s.checkBranches(p, list, listed, r, w)
	if what := underway(p.tree.GitDir); what != "" {
		p.add(InProgress, nil, "%s is in progress in it", what)
	}
	return p, nil
}

func (s *Store) checkBranches(p *proof, list []git.Worktree, listed *git.Worktree, r repo.Repo, w Worktree) {
	target := "refs/heads/" + s.settings(r).DefaultBranch
	if p.head.Ref == target || "refs/heads/"+w.Branch == target {
		p.add(DefaultTree, nil, "it has the default branch %s checked out", strings.TrimPrefix(target, "refs/heads/"))
	}
	for _, other := range list {
		if other.Name != listed.Name && other.Branch != "" && (other.Branch == p.head.Ref || other.Branch == "refs/heads/"+w.Branch) {
			p.add(Shared, nil, "branch %s is checked out at %s too", strings.TrimPrefix(other.Branch, "refs/heads/"), other.Path)
		}
	}
	if listed.Locked {
		p.add(Locked, nil, "git has it locked%s", reason(listed.LockReason))
	}
}

func reason(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

func sameFolder(a, b string) bool {
	if a == b {
		return true
	}
	realA, errA := filepath.EvalSymlinks(a)
	realB, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && realA == realB
}

// underway names what was begun and not finished in a working tree, "" for
// nothing.
func underway(gitDir string) string {
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

// some names the first few of many.
func some(names []string) string {
	const few = 5
	quoted := make([]string, 0, few)
	for _, name := range names[:min(len(names), few)] {
		if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			name = fmt.Sprintf("%q", name)
		}
		quoted = append(quoted, name)
	}
	list := strings.Join(quoted, ", ")
	if more := len(names) - few; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
