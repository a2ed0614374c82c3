package sync

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// TestUnheld: parts that the tracker's format lacks are named, and parts that it has are not.
func TestUnheld(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		markdown string
		kept     provider.Text
		want     string
	}{
		"all of it":      {"# A\n\n- b\n\n> c", provider.Text{Format: provider.HTML, Text: "<h1>A</h1><ul><li>b</li></ul><blockquote>c</blockquote>"}, ""},
		"a heading":      {"### A\n\nb", provider.Text{Format: provider.HTML, Text: "<body><strong>A</strong>\n\nb</body>"}, "no form for 1 heading of"},
		"Markdown":       {"# A", provider.Text{Format: provider.Markdown, Text: "A"}, ""},
		"a picture":      {"![a](https://example.com/a.png)", provider.Text{Format: provider.HTML, Text: "<a href=\"https://example.com/a.png\">a</a>"}, "1 picture (as a link)"},
		"a real picture": {"![a](https://example.com/a.png)", provider.Text{Format: provider.HTML, Text: "<img src=\"https://example.com/a.png\">"}, ""},
		"a table and a checkbox": {"| A |\n|--|\n| b |\n\n- [ ] c", provider.Text{Format: provider.HTML, Text: "<p>A</p><p>b</p><ul><li>c</li></ul>"},
			"1 checkbox, 1 table of"},
	} {
		got := unheld(provider.Asana, "A-1", c.markdown, c.kept)
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}
