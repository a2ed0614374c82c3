package overview

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// Difference is everything that a worktree changed since it left the default branch, including uncommitted and untracked files. For
// work under review it is the shown commit, which is what will land.
type Difference struct {
	Base  string   `json:"base"`            // short name of the commit it left from
	Shown string   `json:"shown,omitempty"` // short name of the commit under review
	Later []string `json:"later,omitempty"` // files changed after that commit
	// Settings are the project's settings files among the changed files.
	Settings []string   `json:"settings_changed,omitempty"`
	Files    []DiffFile `json:"files"`
	Added    int        `json:"added"` // lines
	Removed  int        `json:"removed"`
	Cut      bool       `json:"cut,omitempty"` // only a part is included
}

// DiffFile is a file that differs.
type DiffFile struct {
	Path    string `json:"path"`
	From    string `json:"from,omitempty"` // its former name
	Change  string `json:"change"`         // added, modified, deleted, renamed, untracked
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Binary  bool   `json:"binary,omitempty"`
	Hunks   []Hunk `json:"hunks"`
}

// Hunk is a group of changed lines, each with git's sign before it.
type Hunk struct {
	At    string   `json:"at"` // "@@ -1,3 +1,4 @@"
	Lines []string `json:"lines"`
}

// The bounds of a shown difference: a page that a person can read.
const (
	diffBytes     = 1 << 20
	untrackedSize = 64 << 10
	untrackedMost = 200
	lineLength    = 2000
)

// difference compares a working tree's files, or its commit under review, with the commit where it left the default branch. Without tree it
// compares the shown commit alone. It changes nothing, not even git's caches.
func difference(ctx context.Context, g *git.Repo, set worktree.Settings, shown string, tree bool) (Difference, error) {
	d, base, err := compared(ctx, g, set, shown)
	if err == nil {
		d.Settings, err = worktree.ChangedSettings(ctx, g, base, shown)
	}
	if err == nil && tree {
		err = d.addNew(ctx, g, shown)
	}
	if err != nil {
		return d, err
	}
	for _, f := range d.Files {
		d.Added, d.Removed = d.Added+f.Added, d.Removed+f.Removed
	}
	return d, nil
}

// compared returns the difference of the tracked files since they left the default branch.
func compared(ctx context.Context, g *git.Repo, set worktree.Settings, shown string) (d Difference, base string, err error) {
	d.Files = []DiffFile{}
	path, head, files := g.WorkTree, "HEAD", []string{}
	if shown != "" {
		d.Shown, head, files = short(shown), shown, []string{shown}
	}
	_, tip, err := checkout.DefaultBranch(ctx, g, set.DefaultBranch, set.Remote)
	if err != nil {
		return d, "", err
	}
	if tip != "" {
		if base, err = g.Run(ctx, "merge-base", tip, head); err != nil && !git.NoMergeBase(err) {
			return d, "", git.Fault(err, "compare %q with %s", path, set.DefaultBranch)
		}
	}
	if base == "" {
		return d, "", fault.Operation(nil, "%q has no commit in common with %s", path, set.DefaultBranch)
	}
	d.Base = short(base)
	out := &limited{most: diffBytes}
	reading := git.Options{Stdout: out, Config: []string{"core.quotePath=false"}}
	args := append([]string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/",
		"--ignore-submodules=dirty", base}, files...)
	if _, err = g.Output(ctx, reading, append(args, "--")...); err != nil {
		return d, "", git.Fault(err, "compare %q with %s", path, d.Base)
	}
	d.Files, d.Cut = parseDiff(out.kept.String()), out.cut
	return d, base, nil
}

// addNew adds the untracked files of a working tree, or only names them when a commit is shown.
func (d *Difference) addNew(ctx context.Context, g *git.Repo, shown string) error {
	list, err := g.Output(ctx, git.Options{Config: []string{"core.quotePath=false"}}, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return git.Fault(err, "list the new files of %q", g.WorkTree)
	}
	if shown != "" {
		return d.addLater(ctx, g, shown, git.Records(list))
	}
	d.Settings = append(d.Settings, slices.DeleteFunc(git.Records(list), func(name string) bool { return !worktree.IsSettings(name) })...)
	return d.addUntracked(g.WorkTree, git.Records(list))
}

// addLater lists the files that were changed after the shown commit, committed or not.
func (d *Difference) addLater(ctx context.Context, g *git.Repo, shown string, untracked []string) error {
	out, err := g.Output(ctx, git.Options{}, "diff", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=dirty", shown, "--")
	if err != nil {
		return git.Fault(err, "compare %q with %s", g.WorkTree, d.Shown)
	}
	d.Later = append(git.Records(out), untracked...)
	if len(d.Later) > untrackedMost {
		d.Later = d.Later[:untrackedMost]
	}
	return nil
}

// limited keeps the beginning of its input and reports whether that is all. It must not have a ReadFrom method: os/exec would use it
// and bypass Write and its limit.
type limited struct {
	kept bytes.Buffer
	most int
	cut  bool
}

func (l *limited) Write(p []byte) (int, error) {
	if room := l.most - l.kept.Len(); room < len(p) {
		l.cut = true
		l.kept.Write(p[:max(room, 0)])
	} else {
		l.kept.Write(p)
	}
	return len(p), nil
}

// addUntracked adds files that git does not know yet, without following links.
func (d *Difference) addUntracked(path string, names []string) error {
	root, err := os.OpenRoot(path)
	if err != nil {
		return fault.Operation(err, "read %q", path)
	}
	defer root.Close()
	for _, name := range names {
		if name == "" {
			continue
		}
		if len(d.Files) >= untrackedMost {
			d.Cut = true
			return nil
		}
		f := DiffFile{Path: name, Change: "untracked", Hunks: []Hunk{}}
		local := filepath.FromSlash(name)
		if info, err := root.Lstat(local); err == nil && info.Mode().IsRegular() {
			d.Cut = f.fill(root, local) || d.Cut
		}
		d.Files = append(d.Files, f)
	}
	return nil
}

// fill reads the beginning of a new file; it reports whether there is more.
func (f *DiffFile) fill(root *os.Root, name string) (cut bool) {
	file, err := root.Open(name)
	if err != nil {
		return false // it was deleted, or we may not read it
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, untrackedSize+1))
	if err != nil || len(content) == 0 {
		return false
	}
	if bytes.IndexByte(content, 0) >= 0 {
		f.Binary = true
		return false
	}
	if cut = len(content) > untrackedSize; cut {
		content = content[:untrackedSize]
	}
	h := Hunk{Lines: []string{}}
	for line := range strings.Lines(string(content)) {
		h.Lines = append(h.Lines, shownLine("+"+strings.TrimRight(line, "\r\n")))
	}
	f.Added = len(h.Lines)
	h.At = "@@ -0,0 +1," + strconv.Itoa(f.Added) + " @@"
	f.Hunks = append(f.Hunks, h)
	return cut
}

func shownLine(line string) string {
	if len(line) > lineLength {
		line = line[:lineLength] + "…"
	}
	return strings.ToValidUTF8(line, string(utf8.RuneError))
}

// parseDiff reads what `git diff` wrote.
func parseDiff(out string) []DiffFile {
	files := []DiffFile{}
	var f *DiffFile
	inHunk := false
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "diff --git "); ok {
			files = append(files, DiffFile{Path: shownLine(secondName(rest)), Change: "modified", Hunks: []Hunk{}})
			f, inHunk = &files[len(files)-1], false
			continue
		}
		switch {
		case f == nil:
		case strings.HasPrefix(line, "@@ "):
			inHunk = true
			f.Hunks = append(f.Hunks, Hunk{At: shownLine(line), Lines: []string{}})
		case inHunk:
			f.add(line)
		default:
			f.head(line)
		}
	}
	return files
}

func (f *DiffFile) add(line string) {
	switch {
	case strings.HasPrefix(line, "+"):
		f.Added++
	case strings.HasPrefix(line, "-"):
		f.Removed++
	}
	h := &f.Hunks[len(f.Hunks)-1]
	h.Lines = append(h.Lines, shownLine(strings.TrimSuffix(line, "\r")))
}

// head reads a line between a file's name and its first hunk.
func (f *DiffFile) head(line string) {
	name := func(prefix, side string) (string, bool) {
		rest, ok := strings.CutPrefix(line, prefix)
		rest = strings.TrimSuffix(unquoted(rest), "\t")
		return shownLine(strings.TrimPrefix(rest, side)), ok && rest != "/dev/null"
	}
	if path, ok := name("+++ ", "b/"); ok {
		f.Path = path
	}
	if path, ok := name("--- ", "a/"); ok && f.Change == "deleted" {
		f.Path = path
	}
	if path, ok := name("rename from ", ""); ok {
		f.From, f.Change = path, "renamed"
	}
	if path, ok := name("rename to ", ""); ok {
		f.Path = path
	}
	switch {
	case strings.HasPrefix(line, "new file mode"):
		f.Change = "added"
	case strings.HasPrefix(line, "deleted file mode"):
		f.Change = "deleted"
	case strings.HasPrefix(line, "Binary files "), strings.HasPrefix(line, "GIT binary patch"):
		f.Binary = true
	}
}

// secondName returns the name after b/ in a header with two equal names. A file without lines has no other line with its name.
func secondName(rest string) string {
	if strings.HasPrefix(rest, `"`) {
		if i := strings.LastIndex(rest, ` "b/`); i >= 0 {
			return strings.TrimPrefix(unquoted(rest[i+1:]), "b/")
		}
	}
	if len(rest)%2 == 1 && len(rest) > 4 {
		return rest[len(rest)/2+3:]
	}
	return strings.TrimPrefix(rest, "a/")
}

// unquoted decodes a name that git quoted because of control characters.
func unquoted(name string) string {
	if strings.HasPrefix(name, `"`) {
		if plain, err := strconv.Unquote(name); err == nil {
			return plain
		}
	}
	return name
}
