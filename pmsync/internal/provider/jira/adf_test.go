package jira

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// TestReadBack: tables and task lists come back as they were sent, and a list that is
// tasks in part stays a list.
func TestReadBack(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"- [ ] the page loads\n- [x] the link expires":               "- [ ] the page loads\n- [x] the link expires",
		"| case | result |\n|---|---|\n| wrong password | refused |": "| case | result |\n| --- | --- |\n| wrong password | refused |",
		"- [ ] open\n- closed":                                       "- [ ] open\n- closed",
		"~~old~~ and **new**":                                        "~~old~~ and **new**",
		"## Why\n\n1. one\n2. two":                                   "## Why\n\n1. one\n2. two",
	} {
		raw, err := json.Marshal(Document(markdown))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := description.Parse(string(raw), description.ADF)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(strings.TrimSpace(doc.Markdown()), `\[`, "["); got != want {
			t.Errorf("%q comes back as\n%q, want\n%q", markdown, got, want)
		}
	}
}
