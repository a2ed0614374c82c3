package memory

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/reference"
	"github.com/agit-suite/agit/shared/registry"
)

// Citation is a place in the code that a memory rests on. Verdict and the fields after it are citecheck's last result; they are read, never
// stored here.
type Citation struct {
	Path    string `json:"path"`
	Line    int    `json:"line,omitempty"`
	Snippet string `json:"snippet,omitempty"`
	Commit  string `json:"commit,omitempty"` // full hash of the commit at which it was true
	// Surroundings are marks of the lines around it (textfile.Surroundings), for citecheck.
	Surroundings string `json:"-"`

	Verdict   string `json:"verdict,omitempty"`
	FoundPath string `json:"found_path,omitempty"`
	FoundLine int    `json:"found_line,omitempty"`
	CheckedAt string `json:"checked_at,omitempty"`
}

// checkCitations accepts places inside the project: relative paths with forward
// slashes, lines from 1, snippets of a few lines.
func checkCitations(list []Citation) ([]Citation, error) {
	if len(list) > MaxCitations {
		return nil, fault.Validation("citations", "%d citations are given, the limit is %d", len(list), MaxCitations).WithHint("give fewer")
	}
	kept := make([]Citation, 0, len(list))
	for _, c := range list {
		given := strings.ReplaceAll(c.Path, "\\", "/")
		clean := path.Clean(given)
		switch {
		case given == "" || clean == ".":
			return nil, fault.Validation("citations", "a citation names no path").WithHint("give a file's path from the project's root")
		case len(given) > 1024 || strings.ContainsFunc(given, unicode.IsControl):
			return nil, fault.Validation("citations", "the cited path %.60q is not a path of a file", c.Path).WithHint("give a file's path from the project's root")
		case path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || len(clean) > 1 && clean[1] == ':':
			return nil, fault.Validation("citations", "the cited path %q is outside the project", c.Path).WithHint("give a path from the project's root")
		case c.Line < 0:
			return nil, fault.Validation("citations", "line %d of %q does not exist", c.Line, c.Path).WithHint("lines count from 1; leave the line out to cite the file")
		}
		snippet := strings.TrimRight(c.Snippet, "\r\n")
		if _, err := limited("citations", snippet, MaxSnippet); err != nil {
			return nil, err
		}
		if len(c.Commit) > 64 || strings.Trim(c.Commit, "0123456789abcdef") != "" {
			return nil, fault.Validation("citations", "%.70q is not a commit's hash", c.Commit).WithHint("leave the commit out: it is the one the folder stands on")
		}
		kept = append(kept, Citation{Path: clean, Line: c.Line, Snippet: snippet, Commit: c.Commit, Surroundings: c.Surroundings})
	}
	return kept, nil
}

func addCitations(tx *registry.Tx, id int64, list []Citation) error {
	var rows [][]any
	for i, c := range list {
		rows = append(rows, []any{id, i, c.Path, c.Line, c.Snippet, c.Commit, c.Surroundings})
	}
	return insertRows(tx, `INSERT INTO memory_citations (memory_id, position, path, line, snippet, oid, surroundings) VALUES`, rows)
}

// Cited parses a place as people write it: path, path:12, path:12-20, path:12:5 (the column is ignored), path#L12-L20, and path:12:text
// with the text there. Of a range the first line is cited. Anything else is a path.
func Cited(given string) Citation {
	for at := range len(given) {
		if at == 0 || given[at] != ':' && !strings.HasPrefix(given[at:], "#L") {
			continue
		}
		f, ok := reference.After([]byte(given[at:]))
		rest := ""
		if ok {
			rest = given[at+f.Stop:]
		}
		switch {
		case ok && rest == "":
			return Citation{Path: given[:at], Line: f.Line}
		case ok && rest[0] == ':':
			return Citation{Path: given[:at], Line: f.Line, Snippet: rest[1:]}
		}
		number, snippet, more := strings.Cut(given[at+1:], ":") // path:3:5 apples
		if line, err := strconv.Atoi(number); given[at] == ':' && more && err == nil && line > 0 {
			return Citation{Path: given[:at], Line: line, Snippet: snippet}
		}
	}
	return Citation{Path: given}
}

// fromRoot makes a cited path relative to a project's root when it is relative to a folder within the project, or absolute and inside. root
// and folder must be real paths.
func fromRoot(root, folder, given string) string {
	name := filepath.FromSlash(strings.ReplaceAll(given, `\`, "/"))
	if given == "" || !filepath.IsAbs(name) && !strings.HasPrefix(name, "..") && (folder == root || exists(filepath.Join(root, name))) {
		return given
	}
	full := name
	if !filepath.IsAbs(name) {
		full = filepath.Join(folder, name)
		if !strings.HasPrefix(name, "..") && !exists(full) {
			return given
		}
	}
	for _, at := range []string{filepath.Clean(full), real(full)} {
		if inside, err := filepath.Rel(root, at); err == nil && inside != "." && filepath.IsLocal(inside) {
			return filepath.ToSlash(inside)
		}
	}
	return given
}

// realPath returns a folder without symbolic links, as far as it can be read.
func realPath(folder string) string {
	full, err := filepath.Abs(folder)
	if err != nil {
		return folder
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		return real
	}
	return full
}

// real returns a path whose folder is free of symbolic links; the file itself may be one.
func real(full string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(full))
	if err != nil {
		return full
	}
	return filepath.Join(dir, filepath.Base(full))
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// Named returns for each text the places in the code that it names by path and line, as in path:12 or "path, line 12", with the current text
// there: a memory rests on them even when they are not given as citations. A name counts only when the file exists from the root of the
// folder's repository, or exactly one file's path ends so. Its line must exist, not be blank and not contain a secret.
func Named(ctx context.Context, folder string, texts ...string) [][]Citation {
	named := make([][]Citation, len(texts))
	var all []Citation
	var of []int
	for i, says := range texts {
		if !reference.MayHold([]byte(says)) {
			continue
		}
		for _, r := range reference.Find([]byte(says)) {
			all, of = append(all, Citation{Path: path.Clean(r.Path), Line: r.Line}), append(of, i)
		}
	}
	Standing(ctx, folder, all) // a missing place is not an error: a text may mention anything
	completed(ctx, folder, all)
	for i, c := range all {
		_, secrets := redact.Redact(c.Snippet)
		if list := named[of[i]]; strings.TrimSpace(c.Snippet) != "" && secrets == nil && len(list) < MaxCitations && !cites(list, c) {
			named[of[i]] = append(list, c)
		}
	}
	return named
}

// mostShort bounds how many shortened paths are looked up.
const mostShort = 100

// completed looks up the files that were not found as paths that leave folders out.
func completed(ctx context.Context, folder string, list []Citation) {
	var short []Citation
	var at []int
	args := []string{"ls-files", "-z", "--full-name", "--cached", "--others", "--exclude-standard", "--deduplicate", "--"}
	for i, c := range list {
		if c.Snippet == "" && !path.IsAbs(c.Path) && !strings.HasPrefix(c.Path, "../") && len(short) < mostShort {
			short, at = append(short, c), append(at, i)
			args = append(args, ":(top,glob)**/"+globbed.Replace(c.Path))
		}
	}
	if len(short) == 0 {
		return
	}
	repo, err := git.Find(folder)
	if err != nil || repo.WorkTree == "" {
		return
	}
	out, err := repo.Output(ctx, git.Options{}, args...)
	if err != nil {
		return
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i, c := range short {
		var meant []string
		for _, file := range files {
			if endsIn(file, c.Path) {
				meant = append(meant, file)
			}
		}
		if short[i] = (Citation{Line: c.Line}); len(meant) == 1 {
			short[i].Path = meant[0]
		}
	}
	Standing(ctx, folder, short)
	for i, c := range short {
		list[at[i]] = c
	}
}

// globbed escapes the characters of a path that git's patterns interpret.
var globbed = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// endsIn reports whether a file's path is the written one, or ends in it.
func endsIn(file, written string) bool {
	return file == written || strings.HasSuffix(file, "/"+written)
}

// cites reports whether a place is among some citations.
func cites(list []Citation, c Citation) bool {
	return slices.ContainsFunc(list, func(other Citation) bool { return other.Path == c.Path && other.Line == c.Line })
}

// withNamed adds the places that a text names to the given ones, up to the limit.
func withNamed(given, named []Citation) []Citation {
	all := slices.Clone(given)
	for _, c := range named {
		if len(all) < MaxCitations && !cites(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// renamed returns a memory's citations after its text changed: the old ones, without those that only the old text names, plus those that
// the new text names. A place in both texts keeps its old citation, because its line number may be outdated.
func renamed(m Memory, says string, found []Citation) []Citation {
	before, now := reference.Find([]byte(m.Content)), reference.Find([]byte(says))
	kept := slices.DeleteFunc(slices.Clone(m.Citations), func(c Citation) bool { return refersTo(before, c) && !refersTo(now, c) })
	return withNamed(kept, found)
}

// refersTo reports whether one of the references is to a place; the reference may leave out folders of the path.
func refersTo(list []reference.Reference, c Citation) bool {
	return slices.ContainsFunc(list, func(r reference.Reference) bool { return endsIn(c.Path, path.Clean(r.Path)) && r.Line == c.Line })
}
