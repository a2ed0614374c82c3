package azuredevops

import (
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/documents"
)

// TestRoundTrip: a text reads the same once Azure DevOps has it.
func TestRoundTrip(t *testing.T) {
	form := documents.Form{}
	for _, source := range documents.All() {
		sent := htmlOf(source)
		want, _ := form.Seen(source, description.Markdown)
		got, err := form.Seen(sent, description.HTML)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is\n%q\nand becomes\n%q, %v\n%s", source, want, got, err, sent)
		}
	}
}

// FuzzHTML: whatever the text is, it is sent as HTML that can be read again, and that holds
// nothing which runs.
func FuzzHTML(f *testing.F) {
	for _, source := range documents.All()[:60] {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		sent := htmlOf(source)
		if strings.Contains(strings.ToLower(sent), "<script") {
			t.Fatalf("%q becomes %q", source, sent)
		}
		if _, err := description.Parse(sent, description.HTML); err != nil {
			t.Fatal(err)
		}
	})
}
