package description

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLost has a text as it was written and as a tracker kept it, and the elements that the tracker made plain text of.
func TestLost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wanted, kept string
		want         []string
	}{
		{"# One\n\n- [ ] a", "# One\n\n- [ ] a", nil},
		{"One", "# One\n\n- a\n\n---", nil},
		{"# One\n\ntext", "One\n\ntext", []string{"1 heading"}},
		{"# One\n\n## Two", "One\n\nTwo", []string{"2 headings"}},
		{"# One\n\n## Two", "# One\n\nTwo", []string{"1 heading"}},
		{"- a\n- b", "a b", []string{"1 list"}},
		{"- a\n  1. b", "- a b", []string{"1 list"}},
		{"- [ ] a\n- [x] b\n- c", "- a\n- b\n- c", []string{"2 checkboxes"}},
		{"| a |\n|---|\n| b |", "a b", []string{"1 table"}},
		{"| a |\n|---|\n| b |", "| a |\n|---|\n| b |", nil},
		{"```\na\n```", "a", []string{"1 block of code"}},
		{"```\na\n```\n\n> a", "```\na\n```\n\n> a", nil},
		{"> a", "a", []string{"1 quotation"}},
		{"a\n\n---\n\nb", "a\n\nb", []string{"1 line across"}},
		{"> - a\n>\n> ```\n> b\n> ```", "> a b", []string{"1 list", "1 block of code"}},
	} {
		wanted, err := Parse(c.wanted, Markdown)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := Parse(c.kept, Markdown)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, Lost(wanted, kept)); diff != "" {
			t.Errorf("%q kept as %q (-want +got):\n%s", c.wanted, c.kept, diff)
		}
	}
}

// TestPictures has texts and how many pictures they show.
func TestPictures(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "[a](b.png)": 0, "![a](b.png)": 1, "![](b.png) and ![c](d.png \"e\")": 2, "![a]": 0} {
		if got := Pictures(text); got != want {
			t.Errorf("%q shows %d pictures, want %d", text, got, want)
		}
	}
}

// TestDropped has two versions of a tracker's text, and the elements of the first that the second lacks.
func TestDropped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		was, now string
		format   Format
		want     []string
	}{
		{`{"type":"doc","content":[{"type": "mention"},{"type":"mediaSingle","content":[{"type":"media"}]},{"type":"panel"},{"type":"expand"}]}`, `{"type":"doc"}`, ADF, []string{"1 picture", "1 mention", "2 panels"}},
		{`{"type":"bodiedExtension"},{"type":"layoutSection"},{"marks":[{"type":"textColor"},{"type":"underline"}]}`, "", ADF, []string{"1 macro", "1 part with columns", "2 coloured or underlined parts"}},
		{`{"type":"mention"},{"type":"mention"}`, `{"type":"mention"}`, ADF, []string{"1 mention"}},
		{`{"type":"text","text":"\"type\":\"mention\""}`, "", ADF, nil},
		{`<p><IMG src="a.png"> <a href="#" data-vss-mention="version:2.0,x">@Ann</a> <u>b</u> <span style="color:red">c</span></p>`, "<p>b</p>", HTML,
			[]string{"1 picture", "1 mention", "2 coloured or underlined parts"}},
		{`<img src="a.png">`, `<p><img src="a.png"></p>`, HTML, nil},
		{`<img src="a.png">`, "", Markdown, nil},
	} {
		if diff := cmp.Diff(c.want, Dropped(c.was, c.now, c.format)); diff != "" {
			t.Errorf("%s: %s", c.was, diff)
		}
	}
}
