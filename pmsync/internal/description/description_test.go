package description

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFormatsBecomeOneTree reads one description in each format; shown as
// markdown, all are the same.
func TestFormatsBecomeOneTree(t *testing.T) {
	want := `## Scope

The **old** page stays until _May_, see [the plan](https://example.com/p).

- one
  - deeper
- ` + "`two`" + `

1. first
2. second

| Name | State |
| --- | --- |
| a | open |

` + "```go\nx := 1\n```"
	for format, text := range map[Format]string{
		Markdown: "Scope\n-----\n\nThe **old** page stays until *May*, see [the plan](https://example.com/p).\n\n* one\n    + deeper\n* `two`\n\n1) first\n2) second\n\n| Name | State |\n|------|:-----:|\n| a | open |\n\n~~~go\nx := 1\n~~~\n",
		Wiki:     "h2. Scope\nThe *old* page stays until _May_, see [the plan|https://example.com/p].\n* one\n** deeper\n* {{two}}\n\n# first\n# second\n\n||Name||State||\n|a|open|\n{code:go}\nx := 1\n{code}",
		HTML: "<h2>Scope</h2><div>The <b>old</b>&nbsp;page stays until <i>May</i>, see <a href=https://example.com/p>the plan</a>.<br></div><ul><li>one<ul><li>deeper</ul><li><code>two</code></ul>" +
			"<ol><li>first</li><li>second</li></ol><table><tr><th>Name<th>State<tr><td>a<td>open</table>",
		ADF: `{"type":"doc","version":1,"content":[{"type":"heading","attrs":{"level":2},"content":[{"type":"text","text":"Scope"}]},
			{"type":"paragraph","content":[{"type":"text","text":"The "},{"type":"text","text":"old","marks":[{"type":"strong"}]},{"type":"text","text":" page stays until "},{"type":"text","text":"May","marks":[{"type":"em"}]},
			{"type":"text","text":", see "},{"type":"text","text":"the plan","marks":[{"type":"link","attrs":{"href":"https://example.com/p"}}]},{"type":"text","text":"."}]},
			{"type":"bulletList","content":[{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"one"}]},{"type":"bulletList","content":[{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"deeper"}]}]}]}]},
			{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"two","marks":[{"type":"code"}]}]}]}]},
			{"type":"orderedList","content":[{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"first"}]}]},{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"second"}]}]}]},
			{"type":"table","content":[{"type":"tableRow","content":[{"type":"tableHeader","content":[{"type":"paragraph","content":[{"type":"text","text":"Name"}]}]},{"type":"tableHeader","content":[{"type":"paragraph","content":[{"type":"text","text":"State"}]}]}]},
			{"type":"tableRow","content":[{"type":"tableCell","content":[{"type":"paragraph","content":[{"type":"text","text":"a"}]}]},{"type":"tableCell","content":[{"type":"paragraph","content":[{"type":"text","text":"open"}]}]}]}]},
			{"type":"codeBlock","attrs":{"language":"go"},"content":[{"type":"text","text":"x := 1"}]}]}`,
	} {
		doc, err := Parse(text, format)
		if err != nil {
			t.Fatal(err)
		}
		expected := want
		if format == HTML { // the format has no language for code
			expected, _, _ = strings.Cut(want, "\n\n```")
		}
		if diff := cmp.Diff(expected, doc.Markdown()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", format, diff)
		}
		again, err := Parse(doc.Markdown(), Markdown)
		if err != nil || again.Markdown() != doc.Markdown() {
			t.Errorf("%s: written and read again it is\n%s", format, again.Markdown())
		}
		if found := Detect(text); found != format {
			t.Errorf("%s was taken for %s", format, found)
		}
	}
}

func TestTyped(t *testing.T) {
	for text, want := range map[string]string{
		"Intro:\n• a\n• b\ngoes on":              "Intro:\n\n- a\n- b\n  goes on",
		"☐ open\n☑ done":                         "- [ ] open\n- [x] done",
		"1. one\n\n2. two":                       "1. one\n2. two",
		"In 2024. it was\nso":                    "In 2024. it was\nso",
		"- well\n-- Ann":                         "- well\n  -- Ann",
		"| a | b\n|---|---\n| `x|y` | c \\| d |": "| a | b |\n| --- | --- |\n| `x\\|y` | c \\| d |",
		"~~gone~~ stays ~~":                      "~~gone~~ stays ~~",
		"a<br>b &amp; <b>c</b> <role>":           "a\nb & **c** <role>",
		"x\u00a0\u200by":                         "x y",
	} {
		doc, err := Parse(text, Markdown)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, doc.Markdown()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]Format{
		"":                             Markdown,
		"just words":                   Markdown,
		"h3. Goal\n# one":              Wiki,
		"{panel}\nx\n{panel}":          Wiki,
		"## a {code} b\n- x":           Markdown,
		"<p>x</p>":                     HTML,
		"<details>\n\n- x\n</details>": Markdown,
		"<role> must see it":           Markdown,
		`{"type":"doc","content":[]}`:  ADF,
		`{"version":1,"type":"doc","content":[]}`: ADF,
		`{"a": 1}`: Markdown,
	} {
		if got := Detect(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for format, text := range map[Format]string{ADF: "{", "rtf": "x"} {
		if _, err := Parse(text, format); err == nil {
			t.Errorf("%s: %q was read", format, text)
		}
	}
	for _, text := range []string{"", "null", " "} {
		if doc, err := Parse(text, ADF); err != nil || len(doc.Blocks) > 0 {
			t.Errorf("%q: %v, %v", text, doc, err)
		}
	}
}
