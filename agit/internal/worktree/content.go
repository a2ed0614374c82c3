package worktree

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// checkContent looks for what would be lost with the folder.
func (s *Store) checkContent(ctx context.Context, g *git.Repo, p *proof) error {
	out, err := p.tree.Output(ctx, git.Options{}, git.StatusArgs("--ignored=matching")...)
	if err != nil {
		return git.Fault(err, "look for changes in %q", p.tree.WorkTree)
	}
	if p.entries, err = git.ParseStatus(out); err != nil {
		return fault.Operation(err, "look for changes in %q", p.tree.WorkTree)
	}
	var changed, untracked, ignored, modules []string
	for _, e := range p.entries {
		switch {
		case e.Kind == git.Ignored:
			ignored = append(ignored, e.Path)
		case e.Kind == git.Untracked:
			untracked = append(untracked, e.Path)
		case e.InSubmodule():
			modules = append(modules, e.Path)
		default:
			changed = append(changed, e.Path)
		}
	}
	if len(changed) > 0 {
		p.add(Uncommitted, changed, "%s not committed: %s", text.Count(len(changed), "change is", "changes are"), some(changed))
	}
	if len(untracked) > 0 {
		p.add(Untracked, untracked, "%s not tracked: %s", text.Count(len(untracked), "file is", "files are"), some(untracked))
	}
	if len(modules) > 0 {
		p.add(Submodule, modules, "%s changes: %s", text.Count(len(modules), "submodule has", "submodules have"), some(modules))
	}
	if p.precious = precious(g, p.tree.WorkTree, ignored); len(p.precious) > 0 {
		p.add(Precious, p.precious, "%s ignored by git but differ from what can be had again: %s", text.Count(len(p.precious), "file is", "files are"), some(p.precious))
	}
	if unpushed, err := unpushedModules(ctx, p.tree); err != nil {
		return err
	} else if len(unpushed) > 0 {
		p.add(Submodule, unpushed, "%s commits that were not pushed: %s", text.Count(len(unpushed), "submodule has", "submodules have"), some(unpushed))
	}
	if entries, err := os.ReadDir(filepath.Join(p.tree.GitDir, "refs", "worktree")); err == nil && len(entries) > 0 {
		p.add(Unmerged, nil, "it has refs of its own under refs/worktree")
	}
	return nil
}

// unpushedModules names the submodules whose own repository lies with the
// worktree and has commits that no remote of it is known to have.
func unpushedModules(ctx context.Context, tree *git.Repo) ([]string, error) {
	root := filepath.Join(tree.GitDir, "modules")
	if _, err := os.Stat(root); err != nil {
		return nil, nil
	}
	var found []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if _, err := os.Stat(filepath.Join(path, "HEAD")); err != nil {
			return nil // a folder on the way to a module named a/b
		}
		module := &git.Repo{GitDir: path, CommonDir: path, Bare: true}
		out, err := module.Output(ctx, git.Options{Env: []string{"GIT_DIR=" + path}, Config: []string{"core.bare=true"}},
			"rev-list", "--max-count=1", "HEAD", "--branches", "--not", "--remotes")
		if err != nil || len(out) > 0 {
			name, _ := filepath.Rel(root, path)
			found = append(found, filepath.ToSlash(name))
		}
		return fs.SkipDir
	})
	if err != nil {
		return nil, fault.Operation(err, "look into the submodules of %q", tree.WorkTree)
	}
	return found, nil
}
