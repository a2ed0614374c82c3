package find

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// TestNamed: a team's own word for criteria counts as a heading and as a label. Another word does not, nor does the same word within a
// sentence.
func TestNamed(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"## Wanted at the end\n\n- it loads\n- it ends":         "it loads|it ends",
		"Why so.\n\n**Wanted at the end:**\n\n- it loads":       "it loads",
		"wanted AT the end: \n\n1. it loads":                    "it loads",
		"## Wanted\n\n- it loads":                               "",
		"What is wanted at the end is this.\n\n- it loads":      "",
		"## Acceptance criteria\n\n- it loads":                  "it loads",
		"## Notes\n\n- a\n\n## Wanted at the end\n\n- it loads": "it loads",
	} {
		doc, err := description.Parse(source, description.Markdown)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range Criteria(Named(doc, []string{"AC:", "Wanted at the end:", "- [ ]", "Given/When/Then", ""})) {
			got = append(got, c.Text)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q has %q, not %q", source, got, want)
		}
	}
}
