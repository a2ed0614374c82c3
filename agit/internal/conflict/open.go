package conflict

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// openTree opens a work tree, if it is one of this repository.
func (r *run) openTree(w Worktree) (*scan.Tree, error) {
	common := cmp.Or(w.Clone, r.common.CommonDir)
	repo, err := r.openRepo(w.Path, common)
	if err != nil {
		return nil, err
	}
	files := append(slices.Clip(r.settingsFiles), worktreeConfig(repo))
	if w.Clone != "" {
		files = append(files, filepath.Join(w.Clone, "config"), filepath.Join(w.Clone, "info", "attributes"))
	}
	load := func(ctx context.Context) (*scan.Settings, error) {
		s, err := r.loadSettings(ctx)
		if err == nil && (s.PerWorktree || w.Clone != "") {
			s, err = scan.LoadSettings(ctx, repo)
		}
		return s, err
	}
	return &scan.Tree{Repo: repo, Seed: scan.Seed(files), Load: load}, nil
}

// worktreeConfig is the path of a worktree's own settings file, if it has one.
func worktreeConfig(repo *git.Repo) string { return filepath.Join(repo.GitDir, "config.worktree") }

// openRepo finds the repository of a work tree. The ordinary case, a folder whose
// .git file leads to this repository, is read here in two steps: fifty of them
// are opened for every check of a file.
func (r *run) openRepo(path, commonDir string) (*git.Repo, error) {
	if text, err := os.ReadFile(filepath.Join(path, ".git")); err == nil {
		dir, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
		if ok && filepath.Dir(dir) == filepath.Join(commonDir, "worktrees") {
			if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
				return &git.Repo{GitDir: dir, CommonDir: commonDir, WorkTree: path}, nil
			}
		}
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil, fault.NotFound("folder", path)
	}
	repo, err := git.Find(path)
	if err != nil {
		return nil, err
	}
	if repo.Bare || !checkout.SameFolder(repo.WorkTree, path) || !checkout.SameFolder(repo.CommonDir, commonDir) {
		return nil, fault.Operation(nil, "%q is not a worktree of this repository any more", path)
	}
	return repo, nil
}

// withClones returns a repository whose git also reads the objects of the clones that worktrees belong to.
func withClones(common *git.Repo, list []Worktree) *git.Repo {
	reads := *common
	for _, w := range list {
		if objects := filepath.Join(w.Clone, "objects"); w.Clone != "" && !slices.Contains(reads.Alternates, objects) {
			reads.Alternates = append(reads.Alternates, objects)
		}
	}
	return &reads
}

func commonRepo(dir string) (*git.Repo, error) {
	repo, err := git.Find(dir)
	if err != nil && !fault.Is(err, fault.KindNotFound) {
		return nil, err
	}
	if err != nil || !checkout.SameFolder(repo.CommonDir, dir) {
		return nil, fault.Operation(nil, "the repository is no longer at %q", dir).WithHint("if it was moved, `agit add NEWPATH` links it again")
	}
	return repo, nil
}
