package asana

import (
	"slices"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/documents"
)

// TestRoundTrip: a text reads the same once Asana has it.
func TestRoundTrip(t *testing.T) {
	form := documents.Form{Headings: 2, FromOne: true}
	for _, source := range documents.All() {
		sent := richText(source, false)
		want, _ := form.Seen(source, description.Markdown)
		got, err := form.Seen(sent, description.HTML)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is\n%q\nand becomes\n%q, %v\n%s", source, want, got, err, sent)
		}
	}
}
