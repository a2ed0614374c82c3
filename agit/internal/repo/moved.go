package repo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// mark is a convenience: a repository that cannot be written has none.
func mark(commonDir, uid string) {
	path := filepath.Join(commonDir, filepath.FromSlash(project.MarkFile))
	if durable.MkdirAll(filepath.Dir(path), 0o755) == nil {
		_ = durable.WriteFile(path, []byte(uid+"\n"), 0o644)
	}
}

// Missing reports whether the repository should be on this machine and is not.
func (r Repo) Missing() bool {
	if r.Host != registry.Host() {
		return false
	}
	_, err := os.Stat(r.CommonDir)
	return errors.Is(err, fs.ErrNotExist)
}

// left reports whether the repository with a mark is not where it is registered: it is missing, or another one has its place. mark is that of a
// folder elsewhere.
func (r Repo) left(mark string) bool {
	return r.Missing() || r.Host == registry.Host() && r.UID == mark && !project.MayHave(r.CommonDir, mark)
}

// MovedTo returns the registered repository that was moved to where g is, which has its mark, or that is there since this machine had
// another name. An error of the registry counts as none.
func MovedTo(tx *registry.Tx, g *git.Repo) (Repo, bool) {
	r, err := marked(tx, project.Mark(g.CommonDir))
	return r, err == nil && (r.left(r.UID) || r.CommonDir == g.CommonDir && r.Renamed() != "")
}

// marked returns the registered repository of a mark, of whatever machine.
func marked(tx *registry.Tx, mark string) (Repo, error) {
	return scan(tx.QueryRow(`SELECT `+columns+` FROM repos WHERE uid = ? AND removed_at IS NULL`, mark))
}

// missing returns the row ids of this machine's repositories that are not in their folders, beside a folder with a mark; looked up before the
// transaction, which must not wait for a disk.
func (s *Store) missing(ctx context.Context, mark string) (map[int64]bool, error) {
	all, err := registry.Read(ctx, s.DB, All)
	gone := map[int64]bool{}
	for _, r := range all {
		if r.left(mark) {
			gone[r.ID] = true
		}
	}
	return gone, err
}

// recognise finds out which registered repository was moved here: by its mark, by
// a worktree that is registered too, or as the only missing one of its
// remote without worktrees, which may be on a disk that is away.
func recognise(tx *registry.Tx, f finding, missing map[int64]bool) (Repo, bool, error) {
	if len(missing) == 0 {
		return Repo{}, false, nil
	}
	all, err := All(tx)
	if err != nil {
		return Repo{}, false, err
	}
	all = slices.DeleteFunc(all, func(r Repo) bool { return !missing[r.ID] })
	for _, r := range all {
		if f.mark != "" && r.UID == f.mark {
			return r, true, nil
		}
	}
	var same []Repo
	for _, r := range all {
		paths, err := registry.Collect(tx, registry.One[string], `SELECT path FROM worktrees WHERE repo_id = ? AND `+live, r.ID)
		if err != nil {
			return Repo{}, false, err
		}
		if slices.ContainsFunc(paths, func(p string) bool { return slices.Contains(f.trees, p) }) {
			return r, true, nil
		}
		if len(paths) == 0 && f.identity.Remote != "" && project.NormaliseRemote(r.RemoteURL) == f.identity.Remote {
			same = append(same, r)
		}
	}
	if len(same) == 1 {
		return same[0], true, nil
	}
	return Repo{}, false, nil
}
