package asana

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/pmsync/internal/provider"
)

func TestRichText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ markdown, notes, story string }{
		{"", "<body></body>", "<body></body>"},
		{"a **b** *c* `d<e>` ~~f~~", "<body>a <strong>b</strong> <em>c</em> <code>d&lt;e&gt;</code> <s>f</s></body>", ""},
		{"# One\n\n### Three\n\ntext\nmore", "<body><h1>One</h1>\n\n<strong>Three</strong>\n\ntext\nmore</body>", "<body><strong>One</strong>\n\n<strong>Three</strong>\n\ntext\nmore</body>"},
		{"- a\n  - b\n- c\n\n1. d", "<body><ul><li>a\n<ul><li>b</li></ul></li><li>c</li></ul>\n\n<ol><li>d</li></ol></body>", ""},
		{"[x](https://example.com?a=1&b=2) [y](./z)", `<body><a href="https://example.com?a=1&amp;b=2">x</a> y</body>`, ""},
		{"```go\na < b\n```", "<body><pre>a &lt; b</pre></body>", ""},
		{"> said\n\n---", "<body><blockquote>said</blockquote>\n\n<hr/></body>", "<body><blockquote>said</blockquote></body>"},
		{"| a | b |\n|---|---|\n| 1 | 2 |", "<body><table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table></body>", "<body>a | b\n1 | 2</body>"},
		{"<b>raw</b> & <script>", "<body><strong>raw</strong> &amp; &lt;script&gt;</body>", ""},
		{"- [ ] open", "<body><ul><li>[ ] open</li></ul></body>", ""},
	} {
		if c.story == "" {
			c.story = c.notes
		}
		if got := richText(c.markdown, false); got != c.notes {
			t.Errorf("%q is\n%s, want\n%s", c.markdown, got, c.notes)
		}
		if got := richText(c.markdown, true); got != c.story {
			t.Errorf("%q is as a comment\n%s, want\n%s", c.markdown, got, c.story)
		}
	}
}

func TestMarkedText(t *testing.T) {
	t.Parallel()
	marker := provider.Marker("k")
	for _, markdown := range []string{"", "text", "- list", "```\nopen"} {
		rich := markedText(markdown, marker, false)
		if without, m := provider.Unmark(rich); m != marker || without != richText(markdown, false) {
			t.Errorf("%q is %q, without the mark %q", markdown, rich, without)
		}
	}
}

func FuzzRichText(f *testing.F) {
	f.Add("# a\n\n- b\n  > c\n\n| d |\n|---|\n| <e> |", true)
	f.Fuzz(func(t *testing.T, markdown string, story bool) {
		rich := richText(markdown, story)
		for d := xml.NewDecoder(strings.NewReader(rich)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%q is not XML: %v", rich, err)
			}
		}
		if _, err := description.Parse(rich, description.HTML); err != nil {
			t.Fatalf("%q: %v", rich, err)
		}
	})
}
