package costs

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions/index"
)

// place describes a folder.
type place struct {
	repo     string // name of the repository if it is registered
	project  string // the repository's main folder
	worktree string // the checked-out folder
	ref      string // the worktree's id if it has one
}

// tree is a worktree in the registry, including removed ones.
type tree struct {
	path, ref, repo string
	main            string // the repository's folder
	work
	span // while it exists
}

// places holds the registered repositories and worktrees of this machine.
type places struct {
	trees []tree // longest paths first; for one path, the newest first
	repos map[string]string
	known map[string]place
	near  map[string][]*tree // by folder: the trees that contain it
}

// loadPlaces reads the repositories, and the worktrees that some folders lie in; all for the zero time.
func loadPlaces(tx *registry.Tx, folders map[string]bool, since time.Time) (*places, error) {
	p := &places{repos: map[string]string{}, known: map[string]place{}, near: map[string][]*tree{}}
	above := map[string]bool{}
	for folder := range folders {
		for i, c := range folder {
			if c == '/' || c == '\\' {
				above[folder[:i]] = true
			}
		}
		above[folder] = true
	}
	err := among(slices.Sorted(maps.Keys(above)), "path", since, func(where string, args ...any) error {
		found, err := registry.Collect(tx, func(row registry.Scanner) (t tree, err error) {
			return t, scanSpan(row, &t.span, &t.path, &t.ref, &t.repo, &t.main, &t.task, &t.title, &t.agent)
		}, `SELECT created_at, finished_at, path, ref, repo, main, task, title, agent FROM worktree_times WHERE host = ? AND `+where,
			append([]any{registry.Host()}, args...)...)
		p.trees = append(p.trees, found...)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(p.trees, func(a, b tree) int {
		return cmp.Or(cmp.Compare(len(b.path), len(a.path)), b.from.Compare(a.from))
	})
	_, err = registry.Collect(tx, func(row registry.Scanner) (none struct{}, err error) {
		var name, path string
		err = row.Scan(&name, &path)
		p.repos[path] = name
		return none, err
	}, `SELECT name, path FROM repos WHERE host = ?`, registry.Host())
	return p, err
}

// worktree returns the worktree that contained a folder at a time; nil when there was none.
func (p *places) worktree(folder string, at time.Time) *tree {
	near, ok := p.near[folder]
	if !ok {
		for i := range p.trees {
			if within(folder, p.trees[i].path) {
				near = append(near, &p.trees[i])
			}
		}
		p.near[folder] = near
	}
	for _, t := range near {
		if t.holds(at) {
			return t
		}
	}
	return nil
}

// of returns the place of a folder, which may no longer exist.
func (p *places) of(folder string) place {
	if one, ok := p.known[folder]; ok {
		return one
	}
	one := p.find(folder)
	p.known[folder] = one
	return one
}

func (p *places) find(folder string) (one place) {
	if folder == "" || !filepath.IsAbs(folder) {
		return one
	}
	for _, t := range p.trees {
		if within(folder, t.path) {
			return place{repo: t.repo, project: t.main, worktree: t.path, ref: t.ref}
		}
	}
	one.project, one.worktree = index.ProjectOf(folder), filepath.Clean(folder)
	for dir := one.worktree; ; dir = filepath.Dir(dir) { // for a deleted folder, look in its parents
		r, err := git.Find(dir)
		if err == nil && r.WorkTree != "" && r.MainFolder() == one.project {
			one.worktree = r.WorkTree
		}
		if err == nil || dir == filepath.Dir(dir) {
			break
		}
	}
	one.repo = p.repos[one.project]
	return one
}
