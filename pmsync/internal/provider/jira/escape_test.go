package jira

import (
	"encoding/json"
	"testing"
)

// People at Jira read what markdown means, and not how it is written.
func TestEscapesAreResolved(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(Document("Rename \\*.log, keep 5 &lt; 6 and AT&amp;T, `a\\*b &lt;` as it is, &#65;"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Content []struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, n := range doc.Content[0].Content {
		got += n.Text
	}
	if want := `Rename *.log, keep 5 < 6 and AT&T, a\*b &lt; as it is, A`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
