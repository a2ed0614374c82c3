// Package documents generates Markdown descriptions and compares their visible content, for tests that send a text to a tracker and
// read it back.
package documents

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// Count is how many documents All returns, including the handwritten ones.
const Count = 320

// All returns handwritten and generated documents, always the same ones.
func All() []string {
	all := append([]string{}, byHand...)
	r := rand.New(rand.NewPCG(7, 11))
	for len(all) < Count {
		all = append(all, Generate(r))
	}
	return all
}

// byHand are documents that are easily converted wrongly.
var byHand = []string{
	"One line.",
	"# Title\n\nText below it.\n\n## Second\n\n### Third\n\n#### Fourth\n\nend",
	"Some **bold**, *emphasis*, `code`, ~~struck~~ and [a link](https://example.com/a?b=c&d=e).",
	"**bold with *emphasis* inside** and *emphasis with **bold** inside*",
	"- one\n- two\n- three",
	"1. one\n2. two\n3. three",
	"5. five\n6. six",
	"- one\n  - deeper\n    - deepest\n- two",
	"1. one\n   - bullet\n   - bullet two\n2. two\n   1. inner\n   2. inner two",
	"- [ ] open\n- [x] done\n- [ ] with `code` and **bold**",
	"- [ ] open\n  - detail of it\n- [x] done",
	"- plain\n- [ ] a task among others",
	"- [ ] first\n\n  with a second paragraph\n- [x] second",
	"| Case | Result |\n| --- | --- |\n| wrong password | refused |\n| right password | in |",
	"| A | B | C |\n| :-- | :-: | --: |\n| `x` | **y** | [z](https://example.com) |\n| | empty | |",
	"Before\n\n| A |\n| --- |\n| a \\| b |\n\nAfter",
	"```go\nfunc main() {\n\tfmt.Println(\"<b>&amp;\")\n}\n```",
	"```\nno language\n\n  indented\n```",
	"    indented code\n    second line",
	"> A quotation\n> of two lines\n\nand text",
	"> First\n>\n> Second paragraph\n>\n> - list inside",
	"## Heading with [a link](https://example.com) and `code`",
	"Line one  \nline two with a hard break",
	"Line one\nline two with a soft break",
	"Text\n\n---\n\nMore text",
	"A < B && C > D, \"quotes\" & 'apostrophes', 100% of 5 * 3 = 15, a_b_c, 2^3, #5, C:\\temp\\dir",
	"Emoji 🎉 and 👩‍💻, accents éàü, CJK 漢字かな, RTL שלום עולם and العربية, zero\u200bwidth",
	"شرح التذكرة\n\n- البند الأول\n- البند الثاني",
	"Ask @ann and @bob about SEM-12 and #34",
	"<https://example.com/auto> and [bare](https://example.com/bare?x=1)",
	"Escaped \\*not bold\\* and \\_not emphasis\\_ and \\# not a heading",
	"- item with\n  two lines\n- item\n\n  ```sh\n  make test\n  ```",
	"1. First\n\n   | A | B |\n   | --- | --- |\n   | 1 | 2 |\n2. Second",
	"Acceptance criteria:\n\n- the page loads\n- the link expires after 24 hours",
	"## Acceptance criteria\n\n- [ ] Given a user, when they log in, then they see the page\n- [x] A wrong password is refused",
	"Text with `a | b` and ``code with ` in it``",
	"Trailing **bold**\n\n**bold alone**\n\n*emphasis alone*",
	"HTML <b>stays text</b> and <br> too, &nbsp; and &lt;tag&gt;",
	"[link with **bold** text](https://example.com/x)",
	"> quote\n\n> > nested quote",
	"- one\n\n- two with space\n\n- three",
	"* * *\n\nafter a rule",
	"Numbers 1. not a list, and 2) neither",
	"# Only a heading",
	"~~**struck and bold**~~",
	"word**bold**word and word*em*word",
	"A very long line " + strings.Repeat("with words ", 200) + "end.",
	"![the picture](https://example.com/shot.png)",
	"See ![shot](https://example.com/a.png) inline",
}

var words = strings.Fields("login page token user admin request timeout retry database cache index value must should when then given expires refused accepted shows hides sends mail über naïve 漢字 שלום 🎉 100% O(n) a_b C++ x<y p&q")

type maker struct{ r *rand.Rand }

// Generate makes a document.
func Generate(r *rand.Rand) string {
	m := maker{r}
	var blocks []string
	for range 1 + r.IntN(7) {
		blocks = append(blocks, m.block(0))
	}
	return strings.Join(blocks, "\n\n")
}

func (m maker) word() string { return words[m.r.IntN(len(words))] }

func (m maker) plain(n int) string {
	all := make([]string, 1+m.r.IntN(n))
	for i := range all {
		all[i] = m.word()
	}
	return strings.Join(all, " ")
}

func (m maker) inline() string {
	var parts []string
	for range 1 + m.r.IntN(4) {
		w := m.plain(4)
		switch m.r.IntN(9) {
		case 0:
			w = "**" + w + "**"
		case 1:
			w = "*" + w + "*"
		case 2:
			w = "`" + w + "`"
		case 3:
			w = "[" + w + "](https://example.com/" + fmt.Sprint(m.r.IntN(99)) + "?a=1&b=2)"
		case 4:
			w = "~~" + w + "~~"
		}
		parts = append(parts, w)
	}
	return strings.Join(parts, " ")
}

func (m maker) block(depth int) string {
	switch m.r.IntN(10) {
	case 0:
		return strings.Repeat("#", 1+m.r.IntN(6)) + " " + m.inline()
	case 1, 2:
		return m.list(depth, func(i int) string { return "- " })
	case 3:
		return m.list(depth, func(i int) string { return fmt.Sprintf("%d. ", i+1) })
	case 4:
		return m.list(2, func(int) string { return []string{"- [ ] ", "- [x] "}[m.r.IntN(2)] })
	case 5:
		return m.table()
	case 6:
		return "```" + []string{"", "go", "sh"}[m.r.IntN(3)] + "\n" + m.plain(9) + "\n\n  " + m.plain(5) + "\n```"
	case 7:
		return "> " + m.inline() + "\n>\n> " + m.inline()
	}
	return m.inline() + []string{"", "\n", "  \n"}[m.r.IntN(3)] + m.inline()
}

func (m maker) list(depth int, mark func(int) string) string {
	var lines []string
	for i := range 1 + m.r.IntN(4) {
		sign := mark(i)
		lines = append(lines, sign+m.inline())
		if depth < 2 && m.r.IntN(4) == 0 {
			inner := m.list(depth+1, func(int) string { return "- " })
			indent := strings.Repeat(" ", len(sign))
			lines = append(lines, indent+strings.ReplaceAll(inner, "\n", "\n"+indent))
		}
	}
	return strings.Join(lines, "\n")
}

func (m maker) table() string {
	n := 1 + m.r.IntN(4)
	row := func(cell func() string) string {
		cells := make([]string, n)
		for i := range cells {
			cells[i] = cell()
		}
		return "| " + strings.Join(cells, " | ") + " |"
	}
	lines := []string{row(func() string { return m.plain(2) }), row(func() string { return "---" })}
	for range 1 + m.r.IntN(3) {
		lines = append(lines, row(m.inline))
	}
	return strings.Join(lines, "\n")
}

// Form lists what a tracker's text format cannot represent. The zero value represents everything.
type Form struct {
	Headings   int  // the deepest level, 0 for all; deeper ones become bold lines
	FlatQuotes bool // a nested quotation becomes part of the outer one
	FromOne    bool // every numbered list starts with one
	FlatItems  bool // a table in a list item becomes lines of text
}

// Seen returns the visible content of a text in a format: a line for each block with its place, its kind and its styled words. Pictures
// count as links to them.
func (f Form) Seen(source string, format description.Format) (lines []string, err error) {
	if format == description.Markdown {
		source = pictures.ReplaceAllString(source, "[$1]($2)")
	}
	doc, err := description.Parse(source, format)
	if err != nil {
		return nil, err
	}
	return f.see(nil, doc.Blocks, ""), nil
}

var pictures = regexp.MustCompile(`!\[([^\]]*)\]\(([^)]+)\)`)

var kinds = map[description.Kind]string{description.Paragraph: "text", description.Heading: "heading", description.List: "list", description.Item: "item", description.Table: "table",
	description.Row: "row", description.Cell: "cell", description.Code: "code", description.Quote: "quote", description.Group: "group", description.Rule: "rule"}

func (f Form) see(lines []string, blocks []description.Block, place string) []string {
	for _, b := range blocks {
		name, deep := kinds[b.Kind], b.Kind == description.Heading && f.Headings > 0 && b.Level > f.Headings
		switch {
		case deep:
			name = kinds[description.Paragraph]
			b.Spans = bold(b.Spans)
		case b.Kind == description.Heading:
			name += fmt.Sprint(b.Level)
		case b.Kind == description.List && b.Ordered:
			name = "numbers"
			if !f.FromOne {
				name += fmt.Sprintf(" from %d", max(b.Start, 1))
			}
		case b.Task == description.Open:
			name += " [ ]"
		case b.Task == description.Done:
			name += " [x]"
		case f.FlatQuotes && b.Kind == description.Quote && strings.HasSuffix(strings.TrimRight(place, " "), ">"):
			lines = f.see(lines, b.Children, place)
			continue
		case f.FlatItems && b.Kind == description.Table && strings.Contains(place, "-"):
			for _, row := range b.Children {
				var cells []string
				for _, cell := range row.Children {
					for _, inner := range cell.Children {
						cells = append(cells, description.Text(inner.Spans))
					}
				}
				lines = append(lines, place+"text: <0 >"+strings.Join(cells, " | "))
			}
			continue
		}
		line := place + name + ":"
		for _, s := range merged(b.Spans) {
			line += fmt.Sprintf(" <%d %s>%s", s.Style, s.Link, s.Text)
		}
		lines = append(lines, line)
		within := map[description.Kind]string{description.Quote: "> ", description.Item: "- "}[b.Kind]
		if within == "" {
			within = "  "
		}
		lines = f.see(lines, b.Children, place+within)
	}
	return lines
}

func bold(spans []description.Span) []description.Span {
	out := slices.Clone(spans)
	for i := range out {
		out[i].Style |= description.Strong
	}
	return out
}

// merged joins runs of one style and drops invisible parts: styles of white space, and white space at the ends.
func merged(spans []description.Span) (out []description.Span) {
	for _, s := range spans {
		if strings.TrimSpace(s.Text) == "" {
			s.Style, s.Link = 0, ""
			if len(out) > 0 {
				s.Style, s.Link = out[len(out)-1].Style, out[len(out)-1].Link
			}
		}
		if n := len(out); n > 0 && out[n-1].Style == s.Style && out[n-1].Link == s.Link {
			out[n-1].Text += s.Text
			continue
		}
		out = append(out, s)
	}
	for i := range out {
		out[i].Text = strings.Join(strings.Fields(out[i].Text), " ")
	}
	return out
}
