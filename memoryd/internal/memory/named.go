package memory

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/reference"
)

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
