package git

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// Status returns the result of `git status` in r, with further options. It looks into a submodule only if the submodule's git directory
// lies in that of r: any other repository in the folder may be a stranger's, with settings that run programs.
func (r *Repo) Status(ctx context.Context, more ...string) ([]StatusEntry, error) {
	out, err := r.Output(ctx, Options{}, StatusArgs(more...)...)
	if err != nil {
		return nil, err
	}
	entries, err := ParseStatus(out)
	if err != nil {
		return nil, err
	}
	modules, err := r.ownModules(ctx)
	if err != nil {
		return nil, err
	}
	for path, module := range modules {
		inside, err := module.Status(ctx, "--untracked-files=normal")
		if err != nil {
			return nil, err
		}
		entries = withModule(entries, path, inside)
	}
	return entries, nil
}

// ownModules returns the submodules of r, by path, whose git directory lies in that of r.
func (r *Repo) ownModules(ctx context.Context) (map[string]*Repo, error) {
	root := filepath.Join(r.GitDir, "modules")
	if r.WorkTree == "" || !isFolder(root) {
		return nil, nil
	}
	out, err := r.Output(ctx, Options{}, "ls-files", "--stage", "-z", "--", ":/")
	if err != nil {
		return nil, err
	}
	found := map[string]*Repo{}
	for _, record := range Records(out) {
		entry, path, ok := strings.Cut(record, "\t")
		if !ok || !strings.HasPrefix(entry, "160000 ") {
			continue
		}
		module, err := at(filepath.Join(r.WorkTree, filepath.FromSlash(path)))
		if err != nil || module == nil || module.WorkTree == "" {
			continue // not filled, or broken: it holds nothing that could be lost
		}
		if rel, err := filepath.Rel(root, module.GitDir); err == nil && filepath.IsLocal(rel) {
			found[path] = module
		}
	}
	return found, nil
}

// withModule adds the uncommitted changes inside a submodule to a status.
func withModule(entries []StatusEntry, path string, inside []StatusEntry) []StatusEntry {
	modified, untracked := byte('.'), byte('.')
	for _, e := range inside {
		switch e.Kind {
		case Ignored:
		case Untracked:
			untracked = 'U'
		default:
			modified = 'M'
		}
	}
	if modified == '.' && untracked == '.' {
		return entries
	}
	i := slices.IndexFunc(entries, func(e StatusEntry) bool { return e.Path == path })
	if i < 0 {
		entries = append(entries, StatusEntry{Kind: Changed, Index: '.', Worktree: 'M', Submodule: "S...", Path: path,
			HeadMode: "160000", IndexMode: "160000", WorktreeMode: "160000"})
		i = len(entries) - 1
	}
	commit := byte('.')
	if len(entries[i].Submodule) == 4 {
		commit = entries[i].Submodule[1]
	}
	entries[i].Submodule = string([]byte{'S', commit, modified, untracked})
	return entries
}
