package obstacle

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// CheckContent looks for what would be lost with the folder.
func (p *Proof) CheckContent(ctx context.Context) error {
	changes, err := p.Tree.Status(ctx, "--ignored=matching")
	if err != nil {
		return git.Fault(err, "look for changes in %q", p.Tree.WorkTree)
	}
	p.Changes = changes
	var changed, untracked, ignored, modules []string
	for _, e := range p.Changes {
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
	unpushed, err := UnpushedModules(ctx, p.Tree)
	if err != nil {
		return err
	}
	p.Precious = precious(p.Git, p.Tree.WorkTree, ignored)
	for _, found := range []struct {
		kind            Kind
		paths           []string
		one, many, what string
	}{
		{Uncommitted, changed, "change is", "changes are", "not committed"},
		{Untracked, untracked, "file is", "files are", "not tracked"},
		{Submodule, modules, "submodule has", "submodules have", "changes"},
		{Precious, p.Precious, "file is", "files are", "ignored by git and cannot be recreated"},
		{Submodule, unpushed, "submodule has", "submodules have", "commits that were not pushed"},
	} {
		if n := len(found.paths); n > 0 {
			p.Add(found.kind, found.paths, "%s %s: %s", text.Count(n, found.one, found.many), found.what, text.Few(found.paths))
		}
	}
	if entries, err := os.ReadDir(filepath.Join(p.Tree.GitDir, "refs", "worktree")); err == nil && len(entries) > 0 {
		p.Add(Unmerged, nil, "it has refs of its own under refs/worktree")
	}
	return nil
}

// UnpushedModules names the submodules whose own repository lies with the
// worktree and has commits that no remote of it is known to have.
func UnpushedModules(ctx context.Context, tree *git.Repo) ([]string, error) {
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
