package instruct

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// The reasons to pass a reference over: it may be something else than a statement about the current tree.
const (
	whyAddress     = "an address, or a package of that name"
	whyElsewhere   = "a place outside of the repository"
	whyPlaceholder = "a pattern or a placeholder"
	whySubmodule   = "in a submodule, which is another repository"
	whyBuilt       = "in a folder that programs fill"
	whyIgnored     = "git ignores it: it is local or built"
	whyDenied      = "the text says that it is not there, or not yet"
	whyExample     = "an example"
	whyMade        = "the text tells to make it, or that it is made"
	whyName        = "it may be a name of something else: git never had such a path"
	whyAlone       = "a file's name alone, which git never had"
	whySettings    = "a client's or a tool's own file, which may be a user's alone"
	whyFolder      = "neither it nor the folder it would lie in was ever there"
	whyShallow     = "git may have had it: this clone is shallow, and `git fetch --unshallow` fetches the rest"
	whyNoGit       = "git may have had it, and cannot be asked here"
	whyWord        = "a name that the code never had: it may belong to a library"
)

// spot is a reference with the source that it stands in.
type spot struct {
	src *Source
	ref Reference
}

// places returns the paths from the root that a written path may mean, the likeliest first.
func (s spot) places() []string {
	p := strings.TrimSuffix(s.ref.Target, "/")
	if rest, ok := strings.CutPrefix(p, "/"); ok {
		return []string{path.Clean(rest)}
	}
	dirs := []string{}
	if s.ref.Base != "" && s.ref.Base != "…" {
		dirs = append(dirs, s.ref.Base)
	}
	if s.src.outside {
		dirs = append(dirs, ".")
	} else {
		for dir := path.Dir(s.src.Path); ; dir = path.Dir(dir) {
			dirs = append(dirs, dir)
			if s.ref.Base != "" && s.ref.Base != "…" {
				dirs = append(dirs, path.Join(dir, s.ref.Base))
			}
			if dir == "." {
				break
			}
		}
	}
	var found []string
	for _, dir := range dirs {
		if full := path.Join(dir, p); full != "." && filepath.IsLocal(filepath.FromSlash(full)) {
			found = append(found, full)
		}
	}
	return found
}

// beside reports whether a memory of a client has the target of a path in its own folder.
func (s spot) beside() bool {
	target := filepath.FromSlash(s.ref.Target)
	if !s.src.outside || !filepath.IsLocal(target) {
		return false
	}
	_, err := os.Lstat(filepath.Join(filepath.Dir(s.src.Path), target))
	return err == nil
}

// find reports whether the target of a path exists: at a place that the text names, or in the tree at the end of a longer path, since texts
// leave folders out.
func (t *Tree) find(s spot) bool {
	if s.beside() || slices.ContainsFunc(s.places(), t.Has) {
		return true
	}
	p := path.Clean(strings.TrimPrefix(strings.TrimSuffix(s.ref.Target, "/"), "/"))
	for strings.HasPrefix(p, "../") {
		p = p[3:]
	}
	if p == ".." || p == "." {
		return true
	}
	for _, alias := range []string{"@/", "~/", "#/", "$lib/"} {
		p = strings.TrimPrefix(p, alias)
	}
	tails := []string{p}
	if s.ref.in == inTree {
		name := path.Base(p)
		tails = append(tails, path.Join(path.Base(s.ref.Parent), name))
		if _, rest, ok := strings.Cut(p, "/"); ok {
			tails = append(tails, rest) // without the repository's own name
		}
	}
	if ext := path.Ext(p); strings.HasPrefix(strings.TrimLeft(ext, ".cm"), "js") { // TypeScript imports name the .js of a .ts file
		tails = append(tails, strings.TrimSuffix(p, ext))
	}
	return slices.ContainsFunc(tails, func(tail string) bool { return len(t.Tails(tail)) > 0 })
}

// below reports whether a path lies below an entry that is listed like a file and is none, as submodules are.
func (t *Tree) below(p string) bool {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if t.known[dir] {
			info, err := t.root.Lstat(filepath.FromSlash(dir))
			return err != nil || !info.Mode().IsRegular()
		}
	}
	return false
}

// excuse returns why the form of a path that was not found keeps it from being a statement about the repository; "" when it may be one.
func (t *Tree) excuse(s spot) string {
	p := s.ref.Target
	switch {
	case s.ref.Base == "…":
		return whyElsewhere
	case s.ref.in != inLink && address.Regexp().MatchString(strings.TrimPrefix(p, "@")):
		return whyAddress
	case s.ref.in != inLink && (elsewhere.Regexp().MatchString(p) || strings.HasPrefix(p, "//")):
		return whyElsewhere
	case strings.HasPrefix(p, "@"):
		return whyAddress
	case wildcard.Regexp().MatchString(p):
		return whyPlaceholder
	case len(s.places()) == 0:
		return whyElsewhere
	case slices.ContainsFunc(s.places(), t.below):
		return whySubmodule
	}
	return ""
}

// said returns the reason why the words around a reference keep it from being a statement. removed means that git once had the target: then
// an example or an order does not excuse it.
func (s spot) said(removed bool) string {
	around := quoted.Regexp().ReplaceAllString(strings.ReplaceAll(s.ref.Around, s.ref.Text, " "), " ") // words within names do not count
	lead, _, _ := strings.Cut(s.ref.Around, s.ref.Text)
	removed = removed && strings.Contains(strings.Trim(s.ref.Target, "/"), "/") // a file name alone is often only an example
	switch {
	case denied.Regexp().MatchString(around), denied.Regexp().MatchString(quoted.Regexp().ReplaceAllString(s.ref.Heading, " ")):
		return whyDenied
	case removed:
		return ""
	case exampled.Regexp().MatchString(around), exampled.Regexp().MatchString(s.ref.Heading):
		return whyExample
	case s.ref.in != inTree && (made.Regexp().MatchString(around) || added.Regexp().MatchString(around) && !within.Regexp().MatchString(lead)):
		return whyMade
	}
	return ""
}

// usual are folders that, if a repository has them, usually lie at its root.
var usual = []string{"docs", "doc", "tests", "test", "scripts", "spec", "src", ".claude", ".github"}

// absent returns "" when a path that git never had is still a statement about the repository. Otherwise it returns why the path may not
// be one.
func (t *Tree) absent(s spot) string {
	p := s.ref.Target
	folder := strings.HasSuffix(s.ref.Text, "/")
	if placeholder.Regexp().MatchString(p) {
		return whyPlaceholder
	}
	parts := strings.Split(strings.TrimSuffix(p, "/"), "/")
	if slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(filled, part) }) {
		return whyBuilt
	}
	switch {
	case s.ref.in == inLink:
		return ""
	case s.ref.Tool != "":
		return whyExample // commands in texts often show only how they are called
	case s.ref.in == inProse:
		return whyName
	case !strings.Contains(strings.Trim(p, "/"), "/") && !folder:
		return whyAlone
	case !folder && !hasEnding(p):
		return whyName
	}
	if why := s.said(false); why != "" {
		return why
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(p, "./"), "/")
	if strings.HasPrefix(first, ".") && first != ".github" && !folder {
		return whySettings
	}
	if s.ref.in == inTree {
		if s.ref.Parent == "" || t.isFolder(s.ref.Parent) {
			return ""
		}
		return whyFolder
	}
	if t.isFolder(first) || slices.Contains(usual, first) {
		return ""
	}
	return whyFolder
}

// isFolder reports whether a folder of that name or path exists, also at the end of a longer path.
func (t *Tree) isFolder(p string) bool {
	return t.dirs[p] || slices.ContainsFunc(t.tails[path.Base(p)], func(found string) bool {
		return t.dirs[found] && strings.HasSuffix(found, "/"+p)
	})
}

// The words that make a reference something other than a statement about the current tree. They are looked for in the sentence and in the
// headings above it.
var (
	// denied: according to the text it is gone, does not exist, or does not exist yet.
	denied = text.Pattern{Expr: `(?i)\b(?:no longer|not (?:exist|exists|present|available|there|yet|shipped|used anymore)|(?:doesn|don|didn|isn|aren|wasn|weren)['’]t (?:exist|have|use|ship|need)|` +
		`does not (?:exist|have|use|ship)|do not exist|never existed|there (?:is|are|was|were) no|there['’]s no|has no|have no|without (?:a|an|any)|` +
		`removed?|deleted?|gone|dropped|obsolete|deprecated|superseded|retired|replac(?:ed|es|ing)|renamed?|moved|migrat(?:ed|ing|ion|e)|converted|split (?:into|from|out)|merged into|` +
		`formerly|previously|used to|legacy|historical(?:ly)?|instead|rather than|fallback|(?:in|of|from) (?:that|another|the other|a different|their|its own) repo(?:sitory)?|(?:sibling|separate|upstream|external) repo(?:sitory)?|was (?:called|in|at|named)|planned|future|roadmap|upcoming|not implemented|unimplemented|coming soon|will be|todo|proposed|wip|if (?:it )?exists?|if present|if (?:there is|you have)|optional(?:ly)?)\b|~~|❌`}
	// exampled: according to the text the name only stands for others of its kind.
	exampled = text.Pattern{Expr: `(?i)\b(?:e\.?g|for example|for instance|examples?|such as|like|say|suppose|imagine|sample|placeholder|similar to|looks? like|hypothetical|would be|could be|might be|pattern|convention|naming|named|format|template)\b`}
	// made: according to the text it is to be made, or a program makes it.
	made = text.Pattern{Expr: `(?i)\b(?:writ(?:e|es|ing|ten)|generat(?:e|es|ed|ing)|output(?:s|ted)?|produc(?:e|es|ed)|emit(?:s|ted)?|build(?:s)? (?:to|into)|built (?:to|into)|` +
		`sav(?:e|es|ed|ing)|stor(?:e|es|ed|ing)|download(?:s|ed)?|cop(?:y|ies|ied)|cp|put(?:s)?|plac(?:e|es|ed)|scaffold(?:s|ed)?|init(?:ializ\w+)?|temp(?:orary)?|cache[ds]?|log(?:s|ged)? (?:to|into|in)|dump(?:s|ed)?|creat(?:e|es|ed|ing)|new|` +
		`never|don['’]t|do not|avoid|not\b|local(?:ly)?|gitignored?|ignored|untracked|uncommitted|user['’]?s?|global|home|install(?:s|ed)?|your)\b`}
	// added: according to the text it is to be added, unless something is added to it.
	added  = text.Pattern{Expr: `(?i)\badd(?:s|ed|ing)?\b`}
	within = text.Pattern{Expr: `(?i)\b(?:to|in|into|inside|within)\b(?: the| your)?(?: file| module| folder| directory)?[ \x60"'\[(*]*$`}
	// wildcard: no file has such a name.
	wildcard = text.Pattern{Expr: `[<>{}*$?…%=]|\.\.\.|\[[^\]]*\]`}
	// placeholder: a part of the name stands for others, unless such a file once existed.
	placeholder = text.Pattern{Expr: `(?:^|/)(?i:path|paths?/to|your|my|foo|bar|baz|qux|x{2,}|example|sample|placeholder|name|some|new|other|existing|whatever|thing|n|x|y|z|file|filename|dir|folder|lang|slug|version)(?:[/_.-]|$)|` +
		`(?i:[/_.-]|^)(?i:your|my|foo|bar|xxx|new)[-_]|[/_.-](?:NAME|X+|N+|FOO|BAR|YYYY\S*)(?:[/_.-]|$)|(?:^|/)(?:[A-Z]+_)*(?:NAME|DIR|PATH|ID|FILE|X|Y|VERSION)(?:[/.]|$)|(?:^|/)(?i:new|my)[a-z]+\.\w+$`}
	// quoted: names in a sentence, whose words do not count for another reference.
	quoted = text.Pattern{Expr: "`[^`]*`|\\]\\([^)]*\\)|(?:[\\w.@-]+/)+[\\w.@-]*"}
	// elsewhere: the path lies in a user's folder or on another machine.
	elsewhere = text.Pattern{Expr: `^(?:~|/|[A-Za-z]:[\\/]|\$|%|[\w-]+:)`}
	address   = text.Pattern{Expr: `^(?:www\.|(?:[\w-]+\.)+(?:com|org|net|io|dev|ai|app|land|co|gov|edu|cloud|xyz)(?:/|:|$)|golang\.org|localhost)`}
)

// filled are folders that programs fill, and caches.
var filled = []string{
	"dist", "build", "out", "output", "target", "node_modules", "coverage", ".venv", "venv", "__pycache__", ".next", ".nuxt", ".svelte-kit", ".turbo",
	".cache", "cache", "tmp", "temp", "bin", "obj", "release", "debug", "site-packages", "generated", "gen", "_build", "deps", "zig-out", "zig-cache",
	".zig-cache", ".gradle", "DerivedData", "logs", "log", ".git", "artifacts", ".pytest_cache", ".mypy_cache", ".ruff_cache", "playwright-report",
	"test-results", "htmlcov", "worktrees",
}
