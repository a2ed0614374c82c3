package land

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/git"
)

// finish brings files to a merge whose branch was moved before its process was killed. Files that have the merged content already are kept;
// files that were changed since stay changed.
func (f workingTree) finish(ctx context.Context, g *git.Repo, from, to string) error {
	tree := f.repo(g)
	switch {
	case f.gone() && !f.index().Held():
		return nil
	case !f.index().Held():
		head, err := tree.Head(ctx)
		if err != nil || head.OID != to {
			return err // others went on from here
		}
		if _, err := tree.Run(ctx, "diff-index", "--cached", "--quiet", from, "--"); err != nil {
			return ctx.Err() // the index changed since: the merge is done, or others continued
		}
	}
	_ = os.Remove(f.copyFile() + ".lock")
	if _, err := checkout.CopyIndex(f.GitDir, f.copyName()); err != nil {
		return err
	}
	if f.gone() {
		return f.followAlone(ctx, g, from, to)
	}
	if err := f.adopt(ctx, g, tree, from, to); err != nil {
		return err
	}
	if err := f.refresh(ctx, tree); err != nil {
		return git.Fault(err, "finish the merge in %q", f.Path)
	}
	if err := f.follow(ctx, tree, from, to); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !inTheWay(checkout.Stderr(err)) {
			return git.Fault(err, "finish the merge in %q", f.Path)
		}
		return f.followAlone(ctx, tree, from, to) // a local change is in the way
	}
	return f.install()
}

// gone reports whether a working tree has no folder any more, or git has no entry of it.
func (f workingTree) gone() bool {
	_, err := os.Lstat(f.GitDir)
	return err != nil || checkout.Gone(f.Path)
}

// followAlone brings the index to a merge, and leaves the files as they are.
func (f workingTree) followAlone(ctx context.Context, in *git.Repo, from, to string) error {
	o := git.Options{Env: []string{"GIT_INDEX_FILE=" + f.copyFile()}}
	if _, err := in.Output(ctx, o, "read-tree", "-i", "-m", from, to); err != nil {
		return git.Fault(err, "finish the merge in %q", f.Path)
	}
	return f.install()
}

// inTheWay reports whether git refused to write files because of local changes, as git words it.
func inTheWay(complaint string) bool {
	return slices.ContainsFunc([]string{"not uptodate", "would be overwritten", "would lose untracked files"},
		func(sign string) bool { return strings.Contains(complaint, sign) })
}

// adopt enters the files that have the merge's content already into the copied index.
func (f workingTree) adopt(ctx context.Context, g, tree *git.Repo, from, to string) error {
	changes, err := diffTree(ctx, g, git.Options{}, from, to)
	if err != nil {
		return err
	}
	var there []git.RawChange
	var paths, info bytes.Buffer
	for _, c := range changes {
		at := filepath.Join(f.Path, filepath.FromSlash(c.Path))
		stat, err := os.Lstat(at)
		switch {
		case c.Status == 'D' && durable.Missing(err):
			fmt.Fprintf(&info, "0 %s\t%s\x00", git.ZeroOID(c.OID), c.Path)
		case c.Status == 'D' || err != nil:
		case c.Mode == "120000" && stat.Mode()&fs.ModeSymlink != 0:
			if link, err := os.Readlink(at); err == nil && blobName([]byte(link), len(c.OID)) == c.OID {
				fmt.Fprintf(&info, "%s %s\t%s\x00", c.Mode, c.OID, c.Path)
			}
		case c.OID == c.OldOID && (c.Mode == "100755") != (stat.Mode()&0o111 != 0): // only the executable bit changes, and it is as before
		case stat.Mode().IsRegular() && strings.HasPrefix(c.Mode, "100") && !strings.Contains(c.Path, "\n"):
			there = append(there, c)
			fmt.Fprintf(&paths, "%s\n", c.Path)
		}
	}
	if len(there) > 0 {
		out, err := tree.Output(ctx, git.Options{Stdin: &paths}, "hash-object", "--stdin-paths")
		if err != nil {
			return git.Fault(err, "compare the files of %q with the merge", f.Path)
		}
		for i, oid := range strings.Fields(string(out)) {
			if i >= len(there) {
				break
			}
			if there[i].OID == oid {
				fmt.Fprintf(&info, "%s %s\t%s\x00", there[i].Mode, oid, there[i].Path)
			} else if err := f.dropPart(ctx, tree, to, there[i].Path); err != nil {
				return err
			}
		}
	}
	if info.Len() == 0 {
		return nil
	}
	o := git.Options{Env: []string{"GIT_INDEX_FILE=" + f.copyFile()}, Stdin: &info}
	if _, err := tree.Output(ctx, o, "update-index", "-z", "--index-info"); err != nil {
		return git.Fault(err, "finish the merge in %q", f.Path)
	}
	return nil
}

// dropPart removes a file that holds only a beginning of the merged one: git was cut off while it wrote it, or the disk was full. The
// commit has everything in it.
func (f workingTree) dropPart(ctx context.Context, tree *git.Repo, commit, path string) error {
	at := filepath.Join(f.Path, filepath.FromSlash(path))
	info, err := os.Lstat(at)
	if err != nil {
		return nil
	}
	whole, err := tree.Output(ctx, git.Options{}, "cat-file", "--filters", commit+":"+path)
	if err != nil {
		return git.Fault(err, "compare the files of %q with the merge", f.Path)
	}
	if info.Size() >= int64(len(whole)) {
		return nil
	}
	part, err := os.ReadFile(at)
	if err != nil || !bytes.HasPrefix(whole, part) {
		return nil
	}
	return os.Remove(at)
}

// hasher returns the hash that git names objects by, in a repository whose names have the given width.
func hasher(width int) hash.Hash {
	if width == hex.EncodedLen(sha256.Size) {
		return sha256.New()
	}
	return sha1.New()
}

// blobName returns git's name for a content, in a repository whose names have the given width.
func blobName(content []byte, width int) string {
	h := hasher(width)
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
