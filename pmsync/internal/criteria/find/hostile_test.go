package find

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// TestHostile repeats parts that make parsers search for an end that does not exist. In quadratic time this test would not finish.
func TestHostile(t *testing.T) {
	parts := []string{
		"> ", "- ", "* * ", "1. ", "  - a\n", "    a\n", "[", "[a](", "](", "![", "*a _b ", "**a", "_a", "a**b", "***a** b*c ", "`a``b```", "~~a",
		"<", "<a ", "<http://a", "<!-- ", "<![CDATA[", "<?", "<div><b><ul><li>", "<details>\n", "&", "\\", "# a\n", "a\n=\n", "[a]: b\n", "[x]: <",
		"|", "|a|b\n|-|-|\n", "||a|b", "{panel}\n", "{quote}\n", "{code}", "{{a", "h1. a\n", "*# a\n", "\x00", "\xff\xfe", " ", "\t", "\n", "\r", "a\n",
		"Given a\nWhen b\nThen c\n", "**AC**\n", "AC1: a\n", "It must be so. ", "1) a ", "*a**b_c__d`e[f](g<h>",
	}
	for _, part := range parts {
		s := "Acceptance criteria:\n" + strings.Repeat(part, (48<<10)/len(part))
		for _, format := range []description.Format{description.Markdown, description.HTML, description.Wiki} {
			doc, err := description.Parse(s, format)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(Criteria(doc)); n > maxCriteria {
				t.Errorf("%q gave %d criteria", part, n)
			}
		}
	}
}

func TestLongDescription(t *testing.T) {
	doc, err := description.Parse("## Acceptance criteria\n- It ends\n\n"+strings.Repeat("Words that go on and on. ", 400_000), description.Markdown)
	if err != nil || !doc.Truncated {
		t.Fatalf("ten megabytes: truncated is %v, %v", doc.Truncated, err)
	}
	if found := Criteria(doc); len(found) == 0 || found[0].Text != "It ends" {
		t.Errorf("found %v", found)
	}
}

func TestHostileADF(t *testing.T) {
	deep := func(kind string, n int) string {
		return strings.Repeat(`{"type":"`+kind+`","content":[`, n) + `{"type":"text","text":"a"}` + strings.Repeat("]}", n)
	}
	for name, content := range map[string]string{
		"deep panels":        deep("panel", 4000),
		"deep lists":         deep("bulletList", 4000),
		"wide":               strings.TrimSuffix(strings.Repeat(`{"type":"paragraph","content":[{"type":"text","text":"a"}]},`, 50_000), ","),
		"odd types":          `{"type":7}`,
		"odd attributes":     `{"type":"heading","attrs":{"level":{"a":1}},"content":[{"type":"text","text":"AC\u0000"}]},{"type":"taskItem","attrs":{"state":[1]}}`,
		"items without list": `{"type":"taskItem","attrs":{"state":"DONE"},"content":[{"type":"text","text":"a"}]}`,
	} {
		doc, err := description.Parse(`{"type":"doc","version":1,"content":[`+content+`]}`, description.ADF)
		if (err != nil) != (name == "odd types") {
			t.Errorf("%s: error is %v", name, err)
		}
		Criteria(doc)
	}
}

// FuzzCriteria checks what callers rely on for any text in any format.
func FuzzCriteria(f *testing.F) {
	for _, file := range corpusFiles(f) {
		f.Add(string(ticketOf(f, file).Data), uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, pick uint8) {
		formats := []description.Format{"", description.Markdown, description.HTML, description.Wiki, description.ADF}
		doc, err := description.Parse(text, formats[int(pick)%len(formats)])
		if err != nil {
			return
		}
		found := Criteria(doc)
		var texts []string
		for i, c := range found {
			if c.Position != i || c.Parent >= i || c.Parent < -1 || c.Text == "" || strings.ContainsAny(c.Text, "\n\x00") || Key(c.Text) == "" {
				t.Fatalf("criterion %d is %+v", i, c)
			}
			texts = append(texts, c.Text)
		}
		for _, pair := range Match(texts, texts) {
			if pair.Relation != Equal {
				t.Fatalf("the same reading differs: %+v", pair)
			}
		}
	})
}
