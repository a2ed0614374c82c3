package verify

import (
	"path"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/textfile"
)

// FuzzClean proves that clean accepts no path that leads out of the repository or into git's own folder.
func FuzzClean(f *testing.F) {
	for _, p := range []string{"a/b.go", "../x", "a/../../x", "/etc/passwd", `..\x`, ".git/config", ".GIT", "a/./b", "C:/x", "git~1/x", ".g\u200cit/x", ""} {
		f.Add("", p)
		f.Add("sub/folder", p)
	}
	f.Fuzz(func(t *testing.T, prefix, p string) {
		if inside, _, ok := clean("", prefix); !ok || inside != prefix {
			prefix = ""
		}
		cleaned, why, ok := clean(prefix, p)
		if !ok {
			if why == "" {
				t.Fatalf("%q is refused without a reason", p)
			}
			return
		}
		if path.IsAbs(cleaned) || cleaned == ".." || strings.HasPrefix(cleaned, "../") || strings.Contains(cleaned, "/../") || strings.ContainsRune(cleaned, 0) {
			t.Fatalf("%q below %q is %q", p, prefix, cleaned)
		}
		for part := range strings.SplitSeq(strings.ToLower(cleaned), "/") {
			if part == ".git" {
				t.Fatalf("%q below %q is %q", p, prefix, cleaned)
			}
		}
		if again, _, ok := clean("", cleaned); !ok || again != cleaned && cleaned != "" && cleaned != "." {
			t.Fatalf("%q cleaned twice is %q", cleaned, again)
		}
	})
}

// FuzzClaim proves that a snippet of a line is found in that line, and only in lines that contain it.
func FuzzClaim(f *testing.F) {
	f.Add("\tif err != nil {\n\t\treturn err\n\t}\n", "return  err")
	f.Add("x = 10\ny = 1\n", "x = 1")
	f.Add("a\n\nb\n", "a\nb")
	f.Fuzz(func(t *testing.T, text, snippet string) {
		file, c := textfile.Parse([]byte(text)), newSnippet(snippet)
		if file == nil || len(c.lines) == 0 || len(text) > 2000 {
			return
		}
		places, kind := c.places(file)
		for _, i := range places {
			if c.at(file, i) != kind {
				t.Fatalf("%q at %d of %q", snippet, i, text)
			}
		}
		for i := range file.Len() {
			own := newSnippet(string(file.Line(i)))
			if len(own.lines) == 1 && own.at(file, i) != whole {
				t.Fatalf("line %d of %q is not where it is", i, text)
			}
		}
		for i := range file.Len() {
			if c.at(file, i) == none {
				continue
			}
			after, before := c.beside(file, i)
			o := locate(file, c, newLinesBeside(Citation{After: after, Before: before}, c), textfile.Surroundings{}, i, i)
			if after+before != "" && kind == whole && len(places) > 1 && o.line != i {
				t.Fatalf("%q at %d of %q, after %q before %q, is located at %d", snippet, i, text, after, before, o.line)
			}
		}
		if a, ok := anchorAt(file, c, 0, 0); ok {
			p := newFilePair(file, file)
			if o, _ := p.follow(a); o.how == found && o.line != a.lines[0] {
				t.Fatalf("%q went from %d to %d of the same %q", snippet, a.lines[0], o.line, text)
			}
		}
	})
}
