package description

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// hold checks the invariants of a tree, and that its markdown can be read again.
func hold(t *testing.T, doc Document) {
	t.Helper()
	var walk func(blocks []Block, depth int)
	walk = func(blocks []Block, depth int) {
		if depth > 5*maxDepth+5 {
			t.Fatalf("the tree is %d deep", depth)
		}
		for _, b := range blocks {
			for _, s := range b.Spans {
				if !utf8.ValidString(s.Text) || strings.ContainsRune(s.Text, 0) {
					t.Fatalf("span %q", s.Text)
				}
			}
			walk(b.Children, depth+1)
		}
	}
	walk(doc.Blocks, 0)
	if _, err := Parse(doc.Markdown(), Markdown); err != nil {
		t.Fatal(err)
	}
}

func fuzz(f *testing.F, format Format, seeds ...string) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := Parse(text, format)
		if err != nil && format != ADF {
			t.Fatal(err)
		}
		hold(t, doc)
	})
}

func FuzzMarkdown(f *testing.F) {
	fuzz(f, Markdown, "# a\n- [x] b\n  1. c\n\n| a | b |\n|--|--|\n| `c` | d |", "<details><summary>a</summary>\n\n**b**: <br> ~~c~~\n</details>", "> q\n\n```gherkin\nGiven a\n```\n    - x", "a\\|b|c\n-|-\n&amp; [x](y) <z>")
}

func FuzzHTML(f *testing.F) {
	fuzz(f, HTML, "<div><b>a</b><br>1. b</div><ul><li>c<ul><li>d</ul></ul>", "<table><tr><th>a<td>b<ul><li>c", "<h1>a<p>b<input type=checkbox checked>c</h1>", "<body>a\n- b\n<ol><li>c</body>")
}

func FuzzWiki(f *testing.F) {
	fuzz(f, Wiki, "h1. a\n* b\n*# c\n{panel:title=d}\n||e||f||\n|g|h|\n{panel}", "{code:go}\nx{code}y\n{quote}z", "*a* _b_ -c- {{d}} [e|f] !g.png! (/) \\\\ {color:red}h{color}", "||a|b|\n* c")
}

func FuzzADF(f *testing.F) {
	fuzz(f, ADF, `{"type":"doc","content":[{"type":"taskList","content":[{"type":"taskItem","attrs":{"state":"DONE"},"content":[{"type":"text","text":"a"}]},{"type":"taskList","content":[]}]}]}`,
		`{"type":"doc","content":[{"type":"panel","content":[{"type":"heading","attrs":{"level":9}},{"type":"text","text":"\u0000","marks":[{"type":"link","attrs":{"href":1}}]}]},{"type":"table","content":[{"content":[{"type":"tableHeader"}]}]}]}`)
}
