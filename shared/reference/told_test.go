package reference

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/goldentest"
)

var update = flag.Bool("update", false, "write the readings in testdata anew, for review")

func tell(b *strings.Builder, text string, f Reference) {
	fmt.Fprintf(b, " %s:%d", f.Path, f.Line)
	if f.EndLine > 0 {
		fmt.Fprintf(b, "-%d", f.EndLine)
	}
	fmt.Fprintf(b, " (%s|%s|%s up to %d)", text[f.PathAt.Start:f.PathAt.End], text[f.LineAt.Start:f.LineAt.End], text[f.EndAt.Start:f.EndAt.End], f.Stop)
}

// A file's name with every way to write lines behind it, inside every kind of text: what is found, as a whole text, as a link, and what
// may hold something.
func TestManyTexts(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	read := func(text string) {
		fmt.Fprintf(&b, "%q:", text)
		for _, f := range Find([]byte(text)) {
			tell(&b, text, f)
		}
		if f, ok := Whole([]byte(text)); ok {
			b.WriteString("; whole")
			tell(&b, text, f)
		}
		if f, ok := Link([]byte(text)); ok {
			b.WriteString("; link")
			tell(&b, text, f)
		}
		if MayHold([]byte(text)) {
			b.WriteString("; may")
		}
		b.WriteString("\n")
	}
	for _, lines := range []string{"", ":0", ":1", ":12", ":012", ":1234567890", ":12-", ":12-14", ":12-12", ":12-3", ":12–14", ":12—14", ":12-x", ":12:5", ":12:5:6", ":12:", ":12:x", ":12-14:5", ":12,20", ":12, 20", ":12, 20.", ":12, 20 of", ":12,20-22", ":12,3", ":12,20x", ":12/20", ":12/20/31", ":12/3", ":12/20x", ":12-14/20",
		":12px", ":12.5", ":12.", ":12.x", ":12%", ":12_", ":12@", ":12é", ":L12", ":L12-L14", "#L12", "#L12-L14", "#L12-14", "#L12C3-L14C1", "#L12C3", "#L12C", "#L12-L14C", "#12", "#L", "#L0", " line 12", ", line 12", ", lines 12-14", ", lines 12 and 20", " (line 12)", " on line 12", " L12", " lines 12 to 14", " at line 12", ":line 12", " line12", " Line 12", " line 12px"} {
		read("a.go" + lines)
		read("see (`x/a.go" + lines + "`), b.go:3")
	}
	for _, path := range []string{"./a.go", "../a.go", "/a.go", "//x/a.go", "~/a.go", "x//a.go", "x/./a.go", "C:\\x\\a.go", "x\\a.go", "a", "Makefile", "x/Makefile", ".env", "a.b.c", "a.7z", "a.1", "a.123", "a.longextension1", "a.longextension12", "a.go.", "a..go", "a-b_c+d.go", "a@2.go", "a$b.go", "a[0].go", "(a).go", "x(y)/a.go", "a,b.go", "a#b.go", "a&b.go", "a'b.go",
		"--file=a.go", "x/y=a.go", "key=a.go", "a;b.go", "a!b.go", "a b.go", "my dir/a.go", "\"a.go\"", "<a.go>", "*a.go*", "a*.go", "größe.go", "文.go", "https://x.y/a.go", "x.y", "localhost", "10", "12.5", "v1.2", "e.g.", "a.go:B", "`a.go`", "`x y`/a.go", "[a.go]", "[a](b.go)", "a%20b.go", "a%2.go", "|a.go|", "-a.go", " a.go", "\ta.go", strings.Repeat("x", 396) + ".go", strings.Repeat("x", 398) + ".go"} {
		read(path + ":12")
		read(path + "#L12")
	}
	for _, text := range []string{"", ":", "1:2", "line 3", "line 3 of a.go", "lines 3-4 in `a.go`", "a.go at 10:30", "a.go:1 b.go:2,c.go:3", "a.go:1;b.go:2", "a.go:3 (b.go:4)", "in a.go, the line 5", "a.go: line 5", "a.go:5: error", "a.go(5)", "a.go:5)", "on lines 3, 4 and 5 of a.go", "a.go#L3,b.go#L4", "`a.go`:17-19", "``a.go``:17", "a.go:12, 20, 30", "a.go:12,20,30-40,41"} {
		read(text)
	}
	goldentest.Same(t, "texts.txt", b.String(), *update)
}
