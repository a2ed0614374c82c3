package remove

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Trash is a removed worktree that can be restored. Its row is 'moving' while the folder is on its way or is being deleted, 'kept' in
// between, until it is 'restored' or 'purged'. Its folder holds the worktree's files as `tree`; the repository's own trash holds git's entry
// (HEAD, index, reflog) as `entry`. Refs below Ref keep its commits, and its uncommitted state as a commit.
type Trash struct {
	ID        int64             `json:"-"`
	Worktree  worktree.Worktree `json:"worktree"`
	Path      string            `json:"path"`
	Branch    string            `json:"branch"`
	BranchOID string            `json:"branch_commit"`
	HeadOID   string            `json:"head_commit"`
	Ref       string            `json:"ref"`
	RemovedAt timestamp.Time    `json:"removed_at"`
	ExpiresAt timestamp.Time    `json:"expires_at"`

	status string
}

const trashSelection = `SELECT t.id, t.worktree_id, t.path, t.branch, t.branch_oid, t.head_oid, t.snapshot_ref, t.status, t.removed_at, t.expires_at
	FROM trash t JOIN worktrees w ON w.id = t.worktree_id `

func scanTrash(row registry.Scanner) (t Trash, err error) {
	err = row.Scan(&t.ID, &t.Worktree.ID, &t.Path, &t.Branch, &t.BranchOID, &t.HeadOID, &t.Ref, &t.status, &t.RemovedAt, &t.ExpiresAt)
	return t, err
}

func trashByID(tx *registry.Tx, id int64) (Trash, error) {
	t, err := scanTrash(tx.QueryRow(trashSelection+`WHERE t.id = ?`, id))
	if err != nil {
		return t, err
	}
	t.Worktree, err = worktree.ByID(tx, t.Worktree.ID)
	return t, err
}

// Kept returns what is kept, newest first; repoID 0 is every repository.
func Kept(tx *registry.Tx, repoID int64) ([]Trash, error) {
	list, err := registry.Collect(tx, scanTrash,
		trashSelection+`WHERE t.status = 'kept' AND (? = 0 OR w.repo_id = ?) ORDER BY t.id DESC`, repoID, repoID)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Worktree, err = worktree.ByID(tx, list[i].Worktree.ID); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (t Trash) tree() string { return filepath.Join(t.Path, "tree") }

// entry is always in the repository's own trash, because git's entries are on its file system.
func (t Trash) entry(g *git.Repo) string { return filepath.Join(t.home(g), "entry") }

func (t Trash) home(g *git.Repo) string {
	return filepath.Join(g.CommonDir, "agit", "trash", filepath.Base(t.Path))
}

// discard plans the trash of a worktree: a row, inside the transaction that
// writes the intent.
func discard(tx *registry.Tx, p *obstacle.Proof, keep time.Duration, by int64) (Trash, error) {
	w := p.Worktree
	id, err := tx.Insert(`INSERT INTO trash (uid, worktree_id, path, branch, branch_oid, head_oid, status, removed_at, expires_at, removed_by)
		VALUES (?, ?, '', ?, ?, ?, 'moving', ?, ?, ?) RETURNING id`,
		registry.NewUID(), w.ID, w.Branch, p.BranchOID, p.Head.OID, tx.Stamp(), registry.FormatTime(tx.Now().Add(keep)), registry.NullIfZero(by))
	if err != nil {
		return Trash{}, err
	}
	name := fmt.Sprintf("%s.%d", w.Ref, id)
	if err := tx.Do(`UPDATE trash SET path = ?, snapshot_ref = ? WHERE id = ?`,
		filepath.Join(p.Git.CommonDir, "agit", "trash", name), "refs/agit/trash/"+name, id); err != nil {
		return Trash{}, err
	}
	return trashByID(tx, id)
}

// makeTrash makes a folder in the trash, which other users of the repository may use too.
func makeTrash(path string) error {
	if err := durable.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.MkdirAll(path, 0o755) // a removal syncs it with its content
}

// moveToTrash renames the folder, then git's entry. A folder on another file
// system than the repository goes to a trash beside it.
func (s *Store) moveToTrash(ctx context.Context, g *git.Repo, t *Trash, entry string) error {
	if err := makeTrash(t.Path); err != nil {
		return fault.Operation(err, "make the trash of %q", t.Worktree.Ref)
	}
	if checkout.Gone(t.Worktree.Path) || !checkout.Gone(t.tree()) {
		return takeEntry(g, t, entry) // moved by hand, or by us before; someone may have made the folder anew since
	}
	err := moveOnce(t.Worktree.Path, t.tree())
	if isCrossDevice(err) {
		if err := s.trashBeside(ctx, t); err != nil {
			return err
		}
		err = moveOnce(t.Worktree.Path, t.tree())
	}
	if err != nil {
		return fault.Operation(err, "move worktree %q to the trash", t.Worktree.Path).
			WithHint("make sure that no program has files of it open, then try again").Retry()
	}
	if err := s.Trees.Reach("remove:moved"); err != nil {
		return err
	}
	return takeEntry(g, t, entry)
}

// takeEntry moves git's entry of a worktree.
func takeEntry(g *git.Repo, t *Trash, entry string) error {
	if entry == "" {
		return nil
	}
	if err := makeTrash(t.home(g)); err != nil {
		return fault.Operation(err, "make the trash of %q", t.Worktree.Ref)
	}
	if err := moveOnce(filepath.Join(g.CommonDir, "worktrees", entry), t.entry(g)); err != nil {
		return fault.Operation(err, "take worktree %q off git's list", t.Worktree.Path)
	}
	_ = os.Remove(filepath.Join(g.CommonDir, "worktrees")) // git does not keep it when it is empty
	return nil
}

// moveOnce renames, and succeeds when that was done before.
func moveOnce(from, to string) error {
	err := os.Rename(from, to)
	if errors.Is(err, fs.ErrNotExist) {
		if _, there := os.Lstat(to); there == nil {
			return nil
		}
	}
	return err
}

// trashBeside moves the planned trash next to the worktree.
func (s *Store) trashBeside(ctx context.Context, t *Trash) error {
	_ = os.Remove(t.Path)
	t.Path = filepath.Join(filepath.Dir(t.Worktree.Path), ".trash", filepath.Base(t.Path))
	if err := durable.MkdirAll(t.Path, 0o755); err != nil {
		return fault.Operation(err, "make the trash of %q", t.Worktree.Ref)
	}
	return s.Trees.DB.Write(ctx, registry.Scope{Project: t.Worktree.ProjectID}, func(tx *registry.Tx) error {
		return tx.Do(`UPDATE trash SET path = ? WHERE id = ?`, t.Path, t.ID)
	})
}

// keepRefs makes, in one step, the refs that keep a trash's commits, and
// deletes its branch, unless that is checked out by now. Neither is an error when it was done before.
func keepRefs(ctx context.Context, g *git.Repo, t Trash, snapshot string, deleteBranch bool) error {
	var in bytes.Buffer
	for _, kept := range []struct{ name, oid string }{{"branch", t.BranchOID}, {"head", t.HeadOID}, {"work", snapshot}} {
		if kept.name == "head" && kept.oid == t.BranchOID {
			continue // git syncs every ref it writes, which is most of a removal's time
		}
		if kept.oid != "" {
			fmt.Fprintf(&in, "update %s/%s %s\n", t.Ref, kept.name, kept.oid)
		}
	}
	if deleteBranch && t.BranchOID != "" {
		oid, err := g.Resolve(ctx, "refs/heads/"+t.Branch)
		if err != nil {
			return err
		}
		list, err := g.Worktrees(ctx)
		if err != nil {
			return err
		}
		if oid != "" && !slices.ContainsFunc(list, func(w git.Worktree) bool { return w.Branch == "refs/heads/"+t.Branch }) {
			fmt.Fprintf(&in, "delete refs/heads/%s %s\n", t.Branch, t.BranchOID)
		}
	}
	if in.Len() == 0 {
		return nil
	}
	if err := checkout.UpdateRefs(ctx, g, git.Options{Stdin: &in}, nil, t.refs(), "--stdin"); err != nil {
		return git.Fault(err, "keep the commits of worktree %q", t.Worktree.Ref)
	}
	return nil
}

// dropRefs deletes the refs that kept a trash's commits.
func dropRefs(ctx context.Context, g *git.Repo, t Trash) error {
	out, err := g.Run(ctx, "for-each-ref", "--format=delete %(refname)", t.Ref+"/")
	if err != nil {
		return git.Fault(err, "look up the refs of a trash")
	}
	if out == "" {
		return nil
	}
	if err := checkout.UpdateRefs(ctx, g, git.Options{Stdin: strings.NewReader(out + "\n")}, nil, t.refs(), "--stdin"); err != nil {
		return git.Fault(err, "let go of the commits of worktree %q", t.Worktree.Ref)
	}
	return nil
}

// Relocate follows a repository that was moved, with its trash.
func (s *Store) Relocate(ctx context.Context, r repo.Repo) error {
	g, err := r.Open()
	if err != nil {
		return err
	}
	kept, err := registry.Read(ctx, s.Trees.DB, func(tx *registry.Tx) ([]Trash, error) { return Kept(tx, r.ID) })
	if err != nil {
		return err
	}
	for _, t := range kept {
		if err := s.RelocateOne(ctx, g, r, t); err != nil {
			return err
		}
	}
	return nil
}

// RelocateOne notes where the trash of a worktree is now, if it moved with the repository.
func (s *Store) RelocateOne(ctx context.Context, g *git.Repo, r repo.Repo, t Trash) error {
	now := filepath.Join(g.CommonDir, "agit", "trash", filepath.Base(t.Path))
	if _, err := os.Lstat(t.Path); err == nil || now == t.Path {
		return nil
	}
	if _, err := os.Lstat(now); err != nil {
		return nil // doctor reports it
	}
	folder := filepath.Join(worktree.FolderOf(r, s.Trees.Settings(r)), filepath.Base(t.Worktree.Path))
	return s.Trees.DB.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		if err := tx.Do(`UPDATE trash SET path = ? WHERE id = ?`, now, t.ID); err != nil {
			return err
		}
		return worktree.SetPath(tx, t.Worktree.ID, folder)
	})
}
