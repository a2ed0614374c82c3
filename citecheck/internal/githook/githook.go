// Package githook puts citecheck into a repository's pre-commit hook and takes it
// out again. An existing hook is kept: the lines of ours stand between marks, at
// its beginning, since many hooks end before their last line. It runs nothing
// itself.
package githook

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// The marks around our lines.
const (
	begin = "# >>> citecheck >>>"
	end   = "# <<< citecheck <<<"
)

// block is what the hook runs. A machine without citecheck commits as before.
const block = begin + `
# Citations of memories into files of this commit are checked (citecheck hook run).
if command -v citecheck >/dev/null 2>&1; then
  citecheck hook run || exit $?
fi
` + end + "\n"

// Result says what was done to which hook.
type Result struct {
	Hook    string `json:"hook"`
	Outcome string `json:"outcome"` // installed, added (to a hook that was there), current, removed, absent
}

// Path finds the pre-commit hook of the repository that dir lies in, as git does:
// core.hooksPath counts. One outside the repository is refused, since it is every
// repository's.
func Path(ctx context.Context, dir string) (string, error) {
	repo, err := git.Find(dir)
	if err != nil {
		return "", err
	}
	if repo.Bare {
		return "", fault.Validation("", "%q is a bare repository; nobody commits in it", repo.GitDir)
	}
	folder, err := repo.Run(ctx, "rev-parse", "--git-path", "hooks")
	if err != nil {
		return "", git.Fault(err, "find the folder of hooks")
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(repo.Dir(), folder)
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	for _, inside := range []string{repo.WorkTree, repo.CommonDir, repo.GitDir} {
		if rel, err := filepath.Rel(inside, folder); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(folder, "pre-commit"), nil
		}
	}
	return "", fault.Validation("", "core.hooksPath is %q, outside this repository", folder).
		WithHint("add `citecheck hook run` to the pre-commit hook there yourself")
}

// Install puts our lines into the hook at path.
func Install(path string) (Result, error) {
	r := Result{Hook: path, Outcome: "installed"}
	before, mode, err := readHook(path)
	if err != nil {
		return r, err
	}
	after, err := with(before)
	if err != nil {
		return r, err
	}
	switch {
	case bytes.Equal(before, after):
		r.Outcome = "current"
		return r, nil
	case len(before) > 0:
		r.Outcome = "added"
	}
	return r, write(path, after, mode|0o111)
}

// Remove takes our lines out; a hook that was only ours is gone afterwards.
func Remove(path string) (Result, error) {
	r := Result{Hook: path, Outcome: "absent"}
	before, mode, err := readHook(path)
	if err != nil {
		return r, err
	}
	after, found := without(before)
	if !found {
		return r, nil
	}
	r.Outcome = "removed"
	if strings.TrimSpace(string(after)) == "#!/bin/sh" {
		return r, os.Remove(path)
	}
	return r, write(path, after, mode)
}

func readHook(path string) ([]byte, fs.FileMode, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0o755, nil
	case err != nil:
		return nil, 0, fault.Operation(err, "look at the hook %q", path)
	case !info.Mode().IsRegular():
		return nil, 0, fault.Validation("", "the hook %q is no regular file; it is left alone", path).
			WithHint("add `citecheck hook run` to what it leads to yourself")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, fault.Operation(err, "read the hook %q", path)
	}
	return text, info.Mode().Perm(), nil
}

// with is a hook's text with our lines after its first one.
func with(hook []byte) ([]byte, error) {
	if len(hook) == 0 {
		return []byte("#!/bin/sh\n" + block), nil
	}
	hook, _ = without(hook)
	first, rest, _ := bytes.Cut(hook, []byte("\n"))
	line := strings.TrimRight(string(first), "\r")
	if !strings.HasPrefix(line, "#!") {
		return append([]byte(block), hook...), nil // git gives it to the shell
	}
	if !shell(line) {
		return nil, fault.Validation("", "the pre-commit hook that is there is no shell script (%s)", line).
			WithHint("let it run `citecheck hook run` and pass on its exit status")
	}
	if bytes.Contains(hook, []byte("\r\n")) {
		return nil, fault.Validation("", "the pre-commit hook that is there has Windows line ends").WithHint("add `citecheck hook run || exit $?` to it yourself")
	}
	out := append([]byte(line+"\n"), block...)
	return append(out, rest...), nil
}

// shell reports whether a #! line names a shell of the Bourne family.
func shell(line string) bool {
	fields := strings.Fields(strings.TrimPrefix(line, "#!"))
	if len(fields) == 0 {
		return false
	}
	name := filepath.Base(fields[0])
	if name == "env" && len(fields) > 1 {
		name = filepath.Base(fields[len(fields)-1])
		if strings.HasPrefix(name, "-") {
			name = filepath.Base(fields[1])
		}
	}
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "ash":
		return true
	}
	return false
}

// without is a hook's text without our lines.
func without(hook []byte) ([]byte, bool) {
	from := bytes.Index(hook, []byte(begin))
	if from < 0 {
		return hook, false
	}
	to := bytes.Index(hook[from:], []byte(end+"\n"))
	if to < 0 {
		return hook, false
	}
	to += from + len(end) + 1
	return append(bytes.Clone(hook[:from]), hook[to:]...), true
}

// write replaces the hook in one step.
func write(path string, text []byte, mode fs.FileMode) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fault.Operation(err, "make the folder of hooks")
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".pre-commit-*")
	if err != nil {
		return fault.Operation(err, "write the hook %q", path)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(mode)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fault.Operation(err, "write the hook %q", path)
	}
	return nil
}
