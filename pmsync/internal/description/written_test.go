package description

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outline writes blocks in one line: their kind with what it holds in brackets, and spans with their styles before them.
func outline(blocks []Block) string {
	names := map[Kind]string{Paragraph: "p", Heading: "h", List: "list", Item: "item", Table: "table", Row: "row", Cell: "cell", Code: "code", Quote: "quote", Group: "group", Rule: "rule"}
	var out []string
	for _, b := range blocks {
		name := names[b.Kind]
		switch {
		case b.Level > 0:
			name += fmt.Sprint(b.Level)
		case b.Ordered:
			name += fmt.Sprint("#", b.Start)
		case b.Task != NoTask:
			name += map[Task]string{Open: "☐", Done: "☑"}[b.Task]
		case b.Head:
			name += "^"
		}
		var parts []string
		for _, s := range b.Spans {
			style := ""
			for i, letter := range "*/`~!@" {
				if s.Style>>i&1 == 1 {
					style += string(letter)
				}
			}
			if s.Link != "" {
				style += "<" + s.Link + ">"
			}
			parts = append(parts, fmt.Sprintf("%s%q", style, s.Text))
		}
		out = append(out, name+"("+strings.Join(append(parts, outline(b.Children)), " ")+")")
	}
	return strings.ReplaceAll(strings.Join(out, " "), " )", ")")
}

// TestWritten: a text is read as GitHub's Markdown says, without a guess and without a loss.
func TestWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            ``,
		"a  b\u200bc":                 `p("a  b` + `\u200b` + `c")`,
		"soft\nbreak":                 `p("soft\nbreak")`,
		"hard  \nbreak\\\nagain":      `p("hard" !"\n" "break" !"\n" "again")`,
		"a<br>b":                      `p("a" !"\n" "b")`,
		"# a \\| ~~b~~":               `h1("a | " ~"b")`,
		"**b *i* ~~s~~** `a  | b`":    "p(*\"b \" */\"i\" *\" \" *~\"s\" \" \" `\"a  | b\")",
		"~~one~~ ~~two":               `p(~"one" " ~~two")`,
		"[a *b*](/c) <https://d.e>":   `p(</c>"a " /</c>"b" " " <https://d.e>"https://d.e")`,
		"![shot *one*](a.png) ![](b)": `p(@<a.png>"shot one" " " @<b>"b")`,
		"• a\n• b":                    `p("• a\n• b")`,
		"| a | b":                     `p("| a | b")`,
		"    - code":                  `code("- code\n")`,
		"```Go\nx  <y\n```":           `code("x  <y\n")`,
		"> a\n>\n> - b":               `quote(p("a") list(item(p("b"))))`,
		"3. a\n4. b":                  `list#3(item(p("a")) item(p("b")))`,
		"- [ ] a\n- [x] b\n- [X] c":   `list(item☐(p("a")) item☑(p("b")) item☑(p("c")))`,
		"- [ ]\n- [x]b\n- [-] c":      `list(item☐(p()) item(p("[x]b")) item(p("[-] c")))`,
		"- `[x]` a\n- (x) b\n- ☑ c":   "list(item(p(`\"[x]\" \" a\")) item(p(\"(x) b\")) item(p(\"☑ c\")))",
		"1. # a":                      `list#1(item(h1("a")))`,
		"a\n\n***\n\nb":               `p("a") rule() p("b")`,
		"x <role> &lt;b&gt; \\*y\\*":  `p("x <role> <b> *y*")`,
		"<b>a</b> c":                  `p(*"a" " c")`,
		"| a | *b* |\n|---|:-:|\n| 1 \\| 2 | x<br>y |\n| 3 |\n4 | 5 | 6": `table(row(cell^(p("a")) cell^(p(/"b"))) row(cell(p("1 | 2")) cell(p("x" !"\n" "y"))) row(cell(p("3")) cell()) row(cell(p("4")) cell(p("5"))))`,
		"before\nand **b**\na | b\n--|--\n1 | 2":                         `p("before" "\n" "and " *"b") table(row(cell^(p("a")) cell^(p("b"))) row(cell(p("1")) cell(p("2"))))`,
		"a | b\n---|---|---":                                             `p("a | b\n---|---|---")`,
		"| a |\n|---|":                                                   `table(row(cell^(p("a"))))`,
		"<table><tr><td>a<br>b</td></tr></table>":                        `table(row(cell(p("a" !"\n" "b"))))`,
	} {
		if diff := cmp.Diff(want, outline(Written(text))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	for name, deep := range map[string]string{"quotes": strings.Repeat("> ", 100), "emphasis": strings.Repeat("*", 200), "items": strings.Repeat("- ", 90)} {
		if got := outline(Written(deep + "word" + strings.TrimLeft(deep, "> -"))); !strings.Contains(got, "word") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestInline: elements close in the order in which they were opened, and one that goes on stays open.
func TestInline(t *testing.T) {
	t.Parallel()
	in := Inline{Words: html.EscapeString, Linked: func(to string) bool { return strings.HasPrefix(to, "https:") }, Soft: "_", Hard: "<br>"}
	if got := in.HTML([]Span{{Style: Strong}, {Text: "a"}}); got != "a" {
		t.Error(got)
	}
	with := in
	with.Pictures = true
	for text, want := range map[string]string{
		"a <b & **b *i* ~~s~~** c": "a &lt;b &amp; <strong>b <em>i</em> <s>s</s></strong> c",
		"*i **b***":                "<em>i </em><strong><em>b</em></strong>",
		"**a  \nb**\nc":            "<strong>a</strong><br><strong>b</strong>_c",
		"[a **b**](https://c?d&e)": `<a href="https://c?d&amp;e">a <strong>b</strong></a>`,
		"[a](https://b)[c](/d)":    `<a href="https://b">a</a>c`,
		"`a<b` **`c`**":            "<code>a&lt;b</code> <strong><code>c</code></strong>",
		"![a](https://b) ![c](d)":  `<a href="https://b">a</a> c`,
	} {
		if got := in.HTML(Written(text)[0].Spans); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	if got := with.HTML(Written(`**![a "b"](https://c)** ![d](e)`)[0].Spans); got != `<img src="https://c" alt="a &#34;b&#34;"> d` {
		t.Error(got)
	}
}

// TestBoxed: a checkbox is text before the words of its item.
func TestBoxed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"- a": `p("a")`, "- [ ] a\n\n  b": `p("[ ] " "a") p("b")`, "- [x] **a**": `p("[x] " *"a")`, "- [x]": `p("[x]")`,
	} {
		if got := outline(Written(text)[0].Children[0].Boxed()); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	if got := outline(Block{Kind: Item, Task: Done, Children: []Block{{Kind: Rule}}}.Boxed()); got != `p("[x]") rule()` {
		t.Error(got)
	}
}

// TestBarInHeading: an escaped bar is a bar everywhere.
func TestBarInHeading(t *testing.T) {
	t.Parallel()
	d, err := Parse("# a \\| b\n\nc \\| d", Markdown)
	if got := outline(d.Blocks); err != nil || got != `h1("a | b") p("c | d")` {
		t.Error(got, err)
	}
}
