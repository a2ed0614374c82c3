package land

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// treeFile is a file or link in a commit.
type treeFile struct{ mode, oid, path string }

// asCommitted refuses a checkout whose files are not those of its commit: a filter, or another attribute that is in no commit, can show the
// gate other bytes than those that land. Filters and encodings that the commit's own .gitattributes require, and the line ends that git is
// set to write, are allowed.
func (m *merging) asCommitted(ctx context.Context, dir string) error {
	other, err := Strangers(ctx, m.g, m.j.New, dir)
	if err != nil || len(other) == 0 {
		return err
	}
	return m.refusal("in the checkout that its gate would judge, %s not as commit %.12s has %s: %s", text.Count(len(other), "file is", "files are"), m.j.New,
		text.Plural(len(other), "it", "them"), text.Few(other)).
		WithHint("look for a filter or attribute in %q and in git's configuration that is in no commit, then try again", filepath.Join(m.g.CommonDir, "info", "attributes"))
}

// Strangers returns the files of a commit's checkout that differ from the commit and should not; a gate must not see them. g is the
// repository of the checkout.
func Strangers(ctx context.Context, g *git.Repo, commit, dir string) ([]string, error) {
	out, err := g.Output(ctx, git.Options{}, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, git.Fault(err, "list the files of commit %.12s", commit)
	}
	differs, err := differing(ctx, dir, parseTree(git.Records(out)))
	if err != nil || len(differs) == 0 {
		return nil, err
	}
	return unexplained(ctx, g, dir, differs)
}

// parseTree reads the output of `git ls-tree -r -z`, without submodules.
func parseTree(records []string) (files []treeFile) {
	for _, record := range records {
		meta, path, ok := strings.Cut(record, "\t")
		f := strings.Fields(meta) // mode, type, object
		if ok && len(f) == 3 && f[1] == "blob" {
			files = append(files, treeFile{f[0], f[2], path})
		}
	}
	return files
}

// differing returns the files whose bytes in a folder are not those of their objects.
func differing(ctx context.Context, dir string, files []treeFile) ([]treeFile, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fault.Operation(err, "read the checkout %q", dir)
	}
	defer root.Close()
	const share = 256
	found := make([][]treeFile, (len(files)+share-1)/share)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range found {
		g.Go(func() error {
			for _, f := range files[i*share : min((i+1)*share, len(files))] {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if oid, err := objectOf(root, f); err != nil || oid != f.oid {
					found[i] = append(found[i], f)
				}
			}
			return nil
		})
	}
	err = g.Wait()
	return slices.Concat(found...), err
}

// objectOf returns the name of the object that git would make of a file's bytes, or of a link's target.
func objectOf(root *os.Root, f treeFile) (string, error) {
	name := filepath.FromSlash(f.path)
	if target, err := root.Readlink(name); err == nil {
		if f.mode != "120000" {
			return "", nil
		}
		return blobName([]byte(target), len(f.oid)), nil
	}
	file, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	h := hasher(len(f.oid))
	fmt.Fprintf(h, "blob %d\x00", info.Size())
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// unexplained returns the files that differ for another reason than the commit's own attributes and git's setting for line ends. It uses a
// git directory that has no attributes of its own. The .gitattributes files themselves must be as they are committed.
func unexplained(ctx context.Context, g *git.Repo, dir string, differs []treeFile) (paths []string, err error) {
	empty, err := os.MkdirTemp("", "agit-attributes-")
	if err != nil {
		return nil, git.TempFault(err)
	}
	defer os.RemoveAll(empty)
	for _, name := range []string{"objects", "refs"} {
		err = errors.Join(err, os.Mkdir(filepath.Join(empty, name), 0o700))
	}
	settings := "[core]\n\trepositoryformatversion = 1\n"
	if len(differs[0].oid) == hex.EncodedLen(sha256.Size) {
		settings += "[extensions]\n\tobjectformat = sha256\n"
	}
	err = errors.Join(err, os.WriteFile(filepath.Join(empty, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600),
		os.WriteFile(filepath.Join(empty, "config"), []byte(settings), 0o600))
	if err != nil {
		return nil, fault.Operation(err, "make a temporary git directory")
	}
	o := git.Options{Dir: dir, Env: []string{"GIT_DIR=" + empty, "GIT_WORK_TREE=" + dir}}
	for _, key := range []string{"core.autocrlf", "core.eol"} {
		if value, err := g.Run(ctx, "config", "--get", key); err == nil && value != "" {
			o.Config = append(o.Config, key+"="+value)
		}
	}
	of := func(f treeFile) string { return f.path }
	written, err := attributed(ctx, g, o, text.Each(differs, of), "filter", "working-tree-encoding") // unlike the commit, by its own attributes
	if err != nil {
		return nil, git.Fault(err, "read the attributes of %q", dir)
	}
	explained := map[string]bool{}
	for _, path := range written {
		explained[path] = true
	}
	var again []treeFile // that line ends may explain
	for _, f := range differs {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.path)))
		switch {
		case path.Base(f.path) == ".gitattributes" || err != nil || !info.Mode().IsRegular() || strings.Contains(f.path, "\n"):
			paths = append(paths, f.path)
		case !explained[f.path]:
			again = append(again, f)
		}
	}
	if len(again) == 0 {
		return paths, nil
	}
	o.Stdin = strings.NewReader(strings.Join(text.Each(again, of), "\n") + "\n")
	made, err := g.Output(ctx, o, "hash-object", "--stdin-paths")
	if err != nil {
		return nil, git.Fault(err, "compare the checkout %q with its commit", dir)
	}
	for i, oid := range strings.Fields(string(made)) {
		if i < len(again) && oid != again[i].oid {
			paths = append(paths, again[i].path)
		}
	}
	return paths, nil
}
