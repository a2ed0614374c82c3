package find

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

func textsOf(t *testing.T, markdown string) string {
	t.Helper()
	doc, err := description.Parse(markdown, description.Markdown)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range Criteria(doc) {
		all = append(all, c.Text)
	}
	return strings.Join(all, " | ")
}

func TestLabelsThatLookLikeItems(t *testing.T) {
	t.Parallel()
	const two = "\n- the mail is sent\n- the link expires\n"
	for _, label := range []string{"✅ Acceptance Criteria:", "**✅ Acceptance Criteria:**", "✅ **Acceptance Criteria:**", "✔️ Acceptance Criteria", "☑ Acceptance Criteria:", "🎯 Acceptance Criteria:"} {
		if got := textsOf(t, "As a user I want a reset.\n\n"+label+two); got != "the mail is sent | the link expires" {
			t.Errorf("%s: %s", label, got)
		}
	}
	for text, want := range map[string]string{
		"1. Description\nThe page is slow.\n\n2. Acceptance criteria\n- it loads in 2 s\n- the mail is sent\n\n3. Notes\n- ask Bob\n":                                    "it loads in 2 s | the mail is sent",
		"|Field|Value|\n|-|-|\n|Description|slow|\n|Acceptance criteria|the page loads in 2 s<br>the mail is sent|\n":                                                    "the page loads in 2 s | the mail is sent",
		"## Acceptance criteria\n-[x] the mail is sent\n-[ ] the link expires\n":                                                                                         "the mail is sent | the link expires",
		"## Acceptance criteria\n\n| ID | Criterion |\n|-|-|\n| AC1 | the mail is sent |\n\n### AC1: A mail is sent\n\nGiven a user\nWhen she asks\nThen a mail comes\n": "the mail is sent",
		"✅ Acceptance criteria are agreed.\n- ask Bob\n":                                                                                                                 "",
	} {
		if got := textsOf(t, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
