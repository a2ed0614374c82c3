// Package githook puts the lines of a program into a repository's hooks and takes
// them out again. A hook that is there is kept: the lines stand between marks, at
// its beginning, since many hooks end before their last line. It runs nothing but
// git, and is safe for concurrent use on different hooks.
package githook

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// Part is what a program adds to one hook.
type Part struct {
	Hook    string // git's name of it: post-commit
	Program string // the program's name, which stands in the marks
	Lines   string // of a Bourne shell, each ended by a line feed
	ByHand  string // what the user has to add where this package may not write
	Option  string // what its command may be given besides; "" for nothing
}

// Given returns the part with its option added to the command.
func (p Part) Given() Part {
	if command, ok := strings.CutSuffix(p.ByHand, " || exit $?"); ok && p.Option != "" {
		p.ByHand = command + " " + p.Option + " || exit $?"
		p.Lines = strings.ReplaceAll(p.Lines, "  "+command+" ||", "  "+command+" "+p.Option+" ||")
		p.Option = ""
	}
	return p
}

// kept returns the part as it stands in a hook: with its option if the hook has it.
func (p Part) kept(hook []byte) Part {
	if given := p.Given(); bytes.Contains(hook, []byte(given.block())) {
		return given
	}
	return p
}

func (p Part) begin() string { return "# >>> " + p.Program + " >>>" }
func (p Part) end() string   { return "# <<< " + p.Program + " <<<" }
func (p Part) block() string { return p.begin() + "\n" + p.Lines + p.end() + "\n" }

// Result is what was done to a hook.
type Result struct {
	Hook    string `json:"hook"`    // its file
	Outcome string `json:"outcome"` // installed, added (to a hook that was there), current, removed, absent
}

// Path finds the hook of the repository that dir lies in, as git does, with core.hooksPath. A hook outside the repository is refused, since
// all repositories share it.
func (p Part) Path(ctx context.Context, dir string) (string, error) {
	repo, err := git.Find(dir)
	if err != nil {
		return "", err
	}
	if repo.Bare {
		return "", fault.Validation("", "%q is a bare repository, in which no commits are made", repo.GitDir)
	}
	folder, err := repo.Run(ctx, "rev-parse", "--git-path", "hooks")
	if err != nil {
		return "", git.Fault(err, "find the folder of hooks")
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(repo.Dir(), folder)
	}
	folder = ofHusky(realFolder(folder))
	for _, inside := range []string{repo.WorkTree, repo.CommonDir, repo.GitDir} {
		if rel, err := filepath.Rel(inside, folder); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(folder, p.Hook), nil
		}
	}
	return "", fault.Validation("", "core.hooksPath is %q, outside this repository", folder).
		WithHint("add `%s` to the %s hook there yourself", p.ByHand, p.Hook)
}

// ofHusky returns the folder of the hooks that people edit and husky runs. core.hooksPath is then .husky/_, which git ignores and each `npm
// install` rewrites (husky 9).
func ofHusky(folder string) string {
	if filepath.Base(folder) != "_" || filepath.Base(filepath.Dir(folder)) != ".husky" {
		return folder
	}
	if _, err := os.Stat(filepath.Join(folder, "h")); err != nil {
		return folder
	}
	return filepath.Dir(folder)
}

// huskys reports whether husky runs the hook at a path, whatever its mode.
func huskys(path string) bool {
	under := filepath.Join(filepath.Dir(path), "_")
	return ofHusky(under) != under
}

// realFolder resolves the links of a folder, whose last parts may not exist yet.
func realFolder(folder string) string {
	for at, rest := folder, ""; ; {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(at)
		if parent == at {
			return folder
		}
		at, rest = parent, filepath.Join(filepath.Base(at), rest)
	}
}

// Check refuses a hook that Install would refuse, and changes nothing: one that is not the shell's, or that was switched off.
func (p Part) Check(path string) error {
	_, _, _, err := p.into(path)
	return err
}

// into returns the hook at path before and after Install, and its mode.
func (p Part) into(path string) (before, after []byte, mode fs.FileMode, err error) {
	if before, mode, err = p.read(path); err != nil {
		return nil, nil, 0, err
	}
	if rest, _ := p.without(before); off(mode) && !bare(rest) && !huskys(path) {
		return nil, nil, 0, fault.Validation("", "the hook %q is switched off: it is not executable, and git does not run it", path).
			WithHint("switch it on with `chmod +x %s`, or give it another name; then install again", text.ShellWord(path))
	}
	after, err = p.with(before)
	return before, after, mode, err
}

// off reports whether git passes over a hook of that mode. Windows has no such mode.
func off(mode fs.FileMode) bool { return mode&0o111 == 0 && runtime.GOOS != "windows" }

// bare reports whether a hook has no lines that do something.
func bare(hook []byte) bool {
	left := strings.TrimSpace(string(hook))
	return left == "" || left == "#!/bin/sh"
}

// Install puts the lines into the hook at path.
func (p Part) Install(path string) (Result, error) {
	r := Result{Hook: path, Outcome: "installed"}
	before, after, mode, err := p.into(path)
	if err != nil {
		return r, err
	}
	switch {
	case bytes.Equal(before, after) && (!off(mode) || huskys(path)):
		r.Outcome = "current"
		return r, nil
	case len(before) > 0:
		r.Outcome = "added"
	}
	if !huskys(path) || len(before) == 0 {
		mode |= 0o111
	}
	return r, write(path, after, mode)
}

// Remove removes the lines; a hook without any other content is deleted.
func (p Part) Remove(path string) (Result, error) {
	r := Result{Hook: path, Outcome: "absent"}
	before, mode, err := p.read(path)
	if err != nil {
		return r, err
	}
	after, found := p.without(before)
	if !found {
		return r, nil
	}
	r.Outcome = "removed"
	if bare(after) {
		return r, durable.Remove(path)
	}
	return r, write(path, after, mode)
}

func (p Part) read(path string) ([]byte, fs.FileMode, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0o755, nil
	case err != nil:
		return nil, 0, fault.Operation(err, "look at the hook %q", path)
	case !info.Mode().IsRegular():
		return nil, 0, fault.Validation("", "the hook %q is not a regular file; it is left alone", path).
			WithHint("add `%s` to what it leads to yourself", p.ByHand)
	}
	hook, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, fault.Operation(err, "read the hook %q", path)
	}
	return hook, info.Mode().Perm(), nil
}

// with returns a hook's text with the lines inserted after its first line.
func (p Part) with(hook []byte) ([]byte, error) {
	p = p.kept(hook)
	if len(hook) == 0 {
		return []byte("#!/bin/sh\n" + p.block()), nil
	}
	hook, _ = p.without(hook)
	first, rest, _ := bytes.Cut(hook, []byte("\n"))
	line := strings.TrimRight(string(first), "\r")
	if !strings.HasPrefix(line, "#!") {
		return append([]byte(p.block()), hook...), nil // git has the shell run it
	}
	if !shell(line) {
		return nil, fault.Validation("", "the existing %s hook is not a shell script (%s)", p.Hook, line).
			WithHint("let it run `%s`", p.ByHand)
	}
	if bytes.Contains(hook, []byte("\r\n")) {
		return nil, fault.Validation("", "the %s hook has Windows line ends", p.Hook).WithHint("add `%s` to it yourself", p.ByHand)
	}
	out := append([]byte(line+"\n"), p.block()...)
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
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "ash"}, name)
}

// without returns a hook's text without the lines.
func (p Part) without(hook []byte) ([]byte, bool) {
	from := bytes.Index(hook, []byte(p.begin()))
	if from < 0 {
		return hook, false
	}
	to := bytes.Index(hook[from:], []byte(p.end()+"\n"))
	if to < 0 {
		return hook, false
	}
	to += from + len(p.end()) + 1
	return append(bytes.Clone(hook[:from]), hook[to:]...), true
}

// write replaces the hook in one step.
func write(path string, hook []byte, mode fs.FileMode) error {
	if err := durable.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fault.Operation(err, "make the folder of hooks")
	}
	if err := durable.WriteFile(path, hook, mode); err != nil {
		return fault.Operation(err, "write the hook %q", path)
	}
	return nil
}
