package checkout

import (
	"bytes"
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

// IncludeFile says, in gitignore syntax, which ignored files a new worktree
// needs a copy of.
const IncludeFile = ".worktreeinclude"

// included lists the files of the main working tree that .worktreeinclude names
// and git ignores. Git itself decides both.
func included(ctx context.Context, main *git.Repo, commit, worktreeDir string) ([]string, error) {
	if main.Bare {
		return nil, nil
	}
	rules, done, err := includeRules(ctx, main, commit)
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
	own, _ := filepath.Rel(main.WorkTree, worktreeDir)
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
func includeRules(ctx context.Context, main *git.Repo, commit string) (rules string, done func(), err error) {
	if commit != "" {
		content, err := git.FileAt(ctx, main, commit, IncludeFile)
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
		return "", nil, fault.Operation(err, "write down what %s names", IncludeFile)
	}
	return file.Name(), func() { _ = os.Remove(file.Name()) }, nil
}

// copyIncluded copies files from one folder to another, keeping their modes and
// leaving alone what is there. Neither end is followed through a symbolic link
// that leaves its folder; a link that would is left out and named.
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
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = target.Chmod(name, mode) // past the umask
	}
	return err
}

// Include copies what the .worktreeinclude of a commit asks for from the main working tree to dir, except what lies in the folder of the
// worktrees. Links that lead out are left out, which notice is told.
func Include(ctx context.Context, main *git.Repo, commit, dir, worktreeDir string, notice func(sentence string)) error {
	files, err := included(ctx, main, commit, worktreeDir)
	if err != nil || len(files) == 0 {
		return err
	}
	left, err := copyIncluded(main.WorkTree, dir, files)
	if len(left) > 0 {
		notice(fmt.Sprintf("%s: not copied, because it is not a file of the repository's folder: %s", IncludeFile, strings.Join(left, ", ")))
	}
	return err
}

// IncludeKey stands for the files that Include would copy as they are now: their names, sizes and times. It is "" for none.
func IncludeKey(ctx context.Context, main *git.Repo, commit, worktreeDir string) (string, error) {
	files, err := included(ctx, main, commit, worktreeDir)
	if err != nil || len(files) == 0 {
		return "", err
	}
	sum := sha256.New()
	for _, name := range files {
		fmt.Fprintf(sum, "%q", name)
		if info, err := os.Lstat(filepath.Join(main.WorkTree, filepath.FromSlash(name))); err == nil {
			fmt.Fprintf(sum, " %s %d %d", info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
