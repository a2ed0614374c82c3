package checkout

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

const excludeMark = "# agit: worktrees of agents"

// Hide keeps the folder of the worktrees out of the repository's `git status`
// through info/exclude, which every worktree shares and which is never committed. A
// folder outside the repository needs nothing.
func Hide(ctx context.Context, g *git.Repo, dir string) error {
	rel, in := within(g, dir)
	if !in {
		return nil
	}
	if rel == "." { // its pattern is that of nothing, though it may stand there
		return Refuse(ctx, g, dir)
	}
	pattern := "/" + escapePattern(filepath.ToSlash(rel)) + "/"
	if err := addExclude(filepath.Join(g.CommonDir, "info", "exclude"), pattern, func() error { return Refuse(ctx, g, dir) }); err != nil {
		return err
	}
	return hideFromIncluders(ctx, g, dir, rel)
}

// within returns the path of a folder in the repository's main working tree, and whether it lies there.
func within(g *git.Repo, dir string) (rel string, in bool) {
	if g.Bare {
		return "", false
	}
	rel, err := filepath.Rel(g.WorkTree, dir)
	return rel, err == nil && filepath.IsLocal(rel)
}

// Refuse refuses a folder for worktrees that cannot be hidden from git without harm: the repository itself, a folder of git's own, and one
// with files of the repository, beside which new files would never be seen. It lets links to other commits and git's own files pass, such as a
// .gitignore that keeps the folder.
func Refuse(ctx context.Context, g *git.Repo, dir string) error {
	rel, in := within(g, dir)
	if !in {
		return nil
	}
	refused := func(why string) error {
		return fault.Conflict("folder", dir, "the folder of the worktrees %q %s", dir, why).WithHint("set worktree.dir to another folder")
	}
	inside, err := filepath.Rel(g.CommonDir, dir)
	switch {
	case rel == ".":
		return refused("is the repository itself")
	case err == nil && filepath.IsLocal(inside):
		return refused("belongs to git")
	}
	tracked, err := g.Output(ctx, git.Options{Env: []string{"GIT_LITERAL_PATHSPECS=1"}}, "ls-files", "--stage", "-z", "--", filepath.ToSlash(rel))
	if err != nil {
		return git.Fault(err, "look for files of the repository in the folder of the worktrees")
	}
	for entry := range strings.SplitSeq(string(tracked), "\x00") {
		_, name, _ := strings.Cut(entry, "\t")
		if name != "" && !strings.HasPrefix(entry, "160000 ") && !strings.HasPrefix(path.Base(name), ".git") {
			return refused("has files of the repository")
		}
	}
	return nil
}

// addExclude adds a pattern to a file of exclusions that lacks it, when allowed does not fail.
func addExclude(path, pattern string, allowed func() error) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Operation(err, "read %q", path)
	}
	for line := range bytes.Lines(old) {
		if strings.TrimRight(string(line), "\r\n") == pattern {
			return nil
		}
	}
	if err := allowed(); err != nil {
		return err
	}
	if err := durable.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fault.Operation(err, "create %q", filepath.Dir(path))
	}
	text := excludeMark + "\n" + pattern + "\n"
	if len(old) > 0 && old[len(old)-1] != '\n' {
		text = "\n" + text
	}
	// One write in append mode is whole even beside another process's.
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fault.Operation(err, "keep the folder of the worktrees out of git's status").WithHint("check that %q can be written", filepath.Dir(path))
	}
	_, err = file.WriteString(text)
	if err == nil {
		err = file.Sync()
	}
	err = cmp.Or(err, file.Close())
	if err == nil && len(old) == 0 {
		err = durable.SyncFolder(filepath.Dir(path))
	}
	if err != nil {
		return fault.Operation(err, "write %q", path)
	}
	return nil
}

// hideFromIncluders hides the folder of the worktrees in a repository whose own .gitignore takes exclusions back ("!*/"): that counts for
// more than info/exclude. A .gitignore inside the folder of the worktrees counts for more still, and hides itself too.
func hideFromIncluders(ctx context.Context, g *git.Repo, dir, rel string) error {
	rules, err := os.ReadFile(filepath.Join(g.WorkTree, ".gitignore"))
	if err != nil || !bytes.HasPrefix(rules, []byte("!")) && !bytes.Contains(rules, []byte("\n!")) {
		return nil
	}
	if err := durable.MkdirAll(dir, 0o755); err != nil { // git must see that it is a folder
		return fault.Operation(err, "create %q", dir)
	}
	_, err = g.Run(ctx, "check-ignore", "--quiet", "--", filepath.ToSlash(rel))
	if git.ExitCode(err) != 1 {
		return nil // ignored; any other failure is not worth stopping for
	}
	if err := durable.WriteFile(filepath.Join(dir, ".gitignore"), []byte(excludeMark+"\n*\n"), 0o644); err != nil {
		return fault.Operation(err, "write %q", filepath.Join(dir, ".gitignore"))
	}
	return nil
}

// escapePattern makes a path literal in gitignore syntax.
func escapePattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `!`, `\!`, ` `, `\ `, `#`, `\#`).Replace(path)
}
