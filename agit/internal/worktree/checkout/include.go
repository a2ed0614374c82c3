package checkout

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// IncludeFile names, in gitignore syntax, the ignored files that are copied into a new worktree.
const IncludeFile = ".worktreeinclude"

// Inclusion is what a new checkout gets beside the files of its commit.
type Inclusion struct {
	Repo   *git.Repo
	Branch string // the default branch
	Trees  string // the folder of agit's worktrees, out of which nothing is copied
	// Committed reads the commit whose .worktreeinclude counts; nil for the one that lies in the main working tree.
	Committed *git.Committed
}

// source is the working tree that files are copied from: the main one or, in a bare repository, the one that has the default branch checked
// out. It is nil where no working tree has it checked out.
func (i Inclusion) source(ctx context.Context) (*git.Repo, error) {
	if !i.Repo.Bare {
		return i.Repo, nil
	}
	list, err := i.Repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range list {
		if t.Bare || t.Prunable != "" || t.Branch != "refs/heads/"+i.Branch {
			continue
		}
		if tree, err := Open(i.Repo, t.Path); err == nil {
			return tree, nil
		}
	}
	return nil, nil
}

// files lists the files of the source that .worktreeinclude names and git ignores. Git itself decides both. bare is true where
// .worktreeinclude names files and there is no working tree to copy them from.
func (i Inclusion) files(ctx context.Context) (from string, files []string, bare bool, err error) {
	main, err := i.source(ctx)
	if err != nil {
		return "", nil, false, err
	}
	if main == nil {
		commit := i.Committed
		if commit == nil {
			commit = i.Repo.Committed("refs/heads/"+i.Branch, IncludeFile)
		}
		content, err := commit.File(ctx, IncludeFile)
		return "", nil, err == nil && len(content) > 0, nil
	}
	files, err = i.included(ctx, main)
	return main.WorkTree, files, false, err
}

func (i Inclusion) included(ctx context.Context, main *git.Repo) ([]string, error) {
	rules, done, err := includeRules(ctx, main, i.Committed)
	if err != nil || rules == "" {
		return nil, err
	}
	defer done()
	out, err := main.Output(ctx, git.Options{}, "ls-files", "-z", "--others", "--ignored", "--exclude-from="+rules)
	if err != nil {
		return nil, git.Fault(err, "find the files that %s names", IncludeFile)
	}
	if len(out) == 0 {
		return nil, nil
	}
	out, err = main.Output(ctx, git.Options{Stdin: bytes.NewReader(out)}, "check-ignore", "-z", "--stdin")
	if err != nil && git.ExitCode(err) != 1 { // 1: none is ignored
		return nil, git.Fault(err, "find the files that %s names", IncludeFile)
	}
	own, _ := filepath.Rel(main.WorkTree, i.Trees)
	var files []string
	for _, name := range git.Records(out) {
		if strings.HasSuffix(name, "/") || strings.HasPrefix(name, filepath.ToSlash(own)+"/") {
			continue // another repository, or our own worktrees
		}
		files = append(files, name)
	}
	return files, nil
}

// includeRules returns the path of a file with the rules: those of a commit, else those that lie in the main working tree; "" for none.
func includeRules(ctx context.Context, main *git.Repo, commit *git.Committed) (rules string, done func(), err error) {
	if commit != nil {
		content, err := commit.File(ctx, IncludeFile)
		switch {
		case errors.Is(err, git.ErrLeadsOut):
			return "", nil, nil
		case err != nil:
			return "", nil, git.Fault(err, "read %s", IncludeFile)
		case content != nil:
			return keptRules(content)
		}
	}
	top, err := os.OpenRoot(main.WorkTree)
	if err != nil {
		return "", nil, nil //nolint:nilerr // no folder, no rules
	}
	defer top.Close()
	if _, err := top.Stat(IncludeFile); err != nil { // absent, or a link out of the repository
		return "", nil, nil //nolint:nilerr // likewise
	}
	return filepath.Join(main.WorkTree, IncludeFile), func() {}, nil
}

func keptRules(content []byte) (path string, done func(), err error) {
	file, err := os.CreateTemp("", "agit-include-")
	if err == nil {
		_, err = file.Write(content)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return "", nil, fault.Operation(err, "keep the rules of %s in a temporary file", IncludeFile)
	}
	return file.Name(), func() { _ = os.Remove(file.Name()) }, nil
}

// copyIncluded copies files from one folder to another. It keeps their modes, and leaves files that exist already alone. It follows no
// symbolic link out of either folder; it leaves such a link out and names it.
func copyIncluded(from, to string, files []string) (left []string, err error) {
	source, err := os.OpenRoot(from)
	if err != nil {
		return nil, fault.Operation(err, "open %q", from)
	}
	defer source.Close()
	target, err := os.OpenRoot(to)
	if err != nil {
		return nil, fault.Operation(err, "open %q", to)
	}
	defer target.Close()
	for _, name := range files {
		copied, err := copyOne(source, target, name)
		if err != nil {
			return left, fault.Operation(err, "copy %q into the worktree", name)
		}
		if !copied {
			left = append(left, name)
		}
	}
	return left, nil
}

func copyOne(source, target *os.Root, name string) (bool, error) {
	local := filepath.FromSlash(name)
	info, err := source.Lstat(local)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // gone since git listed it
	}
	if err != nil {
		return false, err
	}
	if err := target.MkdirAll(filepath.Dir(local), 0o755); err != nil {
		if blocked(target, local) {
			return false, nil
		}
		return false, err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		if _, err := source.Stat(local); err != nil {
			return false, nil // leads out of the folder, or nowhere
		}
		link, err := source.Readlink(local)
		if err != nil {
			return false, err
		}
		if filepath.IsAbs(link) {
			return false, nil
		}
		return linked(target.Symlink(link, local))
	case info.Mode().IsRegular():
		return linked(copyFile(source, target, local, info.Mode().Perm()))
	}
	return false, nil // a socket, pipe or device
}

// blocked reports whether a parent of a name is a file, or a link that leads out.
func blocked(root *os.Root, name string) bool {
	for at := filepath.Dir(name); at != "."; at = filepath.Dir(at) {
		info, err := root.Lstat(at)
		if err != nil {
			continue
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			info, err = root.Stat(at)
		}
		if err != nil || !info.IsDir() {
			return true
		}
	}
	return false
}

// linked treats what exists already as done.
func linked(err error) (bool, error) {
	if err == nil || errors.Is(err, fs.ErrExist) {
		return true, nil
	}
	return false, err
}

func copyFile(source, target *os.Root, name string, mode fs.FileMode) error {
	in, err := source.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := target.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	err = cmp.Or(err, out.Close())
	if err == nil {
		err = target.Chmod(name, mode) // past the umask
	}
	return err
}

// Copy copies the files that .worktreeinclude names to dir, except those in the folder of the worktrees. It leaves out links that lead out,
// and names them to notice.
func (i Inclusion) Copy(ctx context.Context, dir string, notice func(sentence string)) error {
	from, files, bare, err := i.files(ctx)
	if bare {
		notice(fmt.Sprintf("%s: nothing was copied, because no worktree of the bare repository has branch %s checked out", IncludeFile, i.Branch))
	}
	if err != nil || len(files) == 0 {
		return err
	}
	left, err := copyIncluded(from, dir, files)
	if len(left) > 0 {
		notice(fmt.Sprintf("%s: not copied, because it is not a file of the repository's folder: %s", IncludeFile, strings.Join(left, ", ")))
	}
	return err
}

// Key stands for the files that Copy would copy as they are now: their names, sizes and times. It is "" for none.
func (i Inclusion) Key(ctx context.Context) (string, error) {
	from, files, _, err := i.files(ctx)
	if err != nil || len(files) == 0 {
		return "", err
	}
	sum := sha256.New()
	for _, name := range files {
		fmt.Fprintf(sum, "%q", name)
		if info, err := os.Lstat(filepath.Join(from, filepath.FromSlash(name))); err == nil {
			fmt.Fprintf(sum, " %s %d %d", info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
