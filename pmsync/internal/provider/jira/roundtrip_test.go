package jira

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/documents"
)

// TestRoundTrip: a text reads the same once Jira has it.
func TestRoundTrip(t *testing.T) {
	form := documents.Form{FlatQuotes: true, FlatItems: true}
	for _, source := range documents.All() {
		raw, err := json.Marshal(Document(source))
		if err != nil {
			t.Fatal(err)
		}
		want, _ := form.Seen(source, description.Markdown)
		got, err := form.Seen(string(raw), description.ADF)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is\n%q\nand becomes\n%q, %v\n%s", source, want, got, err, raw)
		}
	}
}

// FuzzDocument: whatever the text is, it becomes a document that can be read again, in
// which no text is empty.
func FuzzDocument(f *testing.F) {
	for _, source := range documents.All()[:60] {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		raw, err := json.Marshal(Document(source))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), `"text":""`) {
			t.Fatalf("%q becomes %s", source, raw)
		}
		if _, err := description.Parse(string(raw), description.ADF); err != nil {
			t.Fatal(err)
		}
	})
}
