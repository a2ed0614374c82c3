package schematest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// TestDescriptionsOfTheCorpusAreADF holds the Jira descriptions that the criteria
// parser is tested with against the format's schema.
func TestDescriptionsOfTheCorpusAreADF(t *testing.T) {
	schema := documentFormat(t)
	files, err := filepath.Glob("../internal/criteria/find/testdata/corpus/adf/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d tickets, %v", len(files), err)
	}
	for _, file := range files {
		archive, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(archive), "-- ticket.json --\n")
		text, _, _ = strings.Cut(text, "-- criteria --\n")
		schema.inside(t, filepath.Base(file), []byte(text))
	}
}

// TestEveryADFNodeKeepsItsWords reads each kind of node that the schema lets hold
// others, with a word in it.
func TestEveryADFNodeKeepsItsWords(t *testing.T) {
	var schema any
	if err := json.Unmarshal(spec(t, "jira", "adf.schema.json"), &schema); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	collectKinds(schema, kinds)
	if !kinds["taskList"] || !kinds["panel"] {
		t.Fatalf("the schema names %d kinds of nodes", len(kinds))
	}
	for kind := range kinds {
		doc, err := description.Parse(`{"type":"doc","version":1,"content":[{"type":"`+kind+`","attrs":{"text":"word"},"content":[{"type":"paragraph","content":[{"type":"text","text":"word"}]}]}]}`, description.ADF)
		if err != nil {
			t.Fatal(err)
		}
		// A node that decorates, or shows a thing of another place, has no words.
		empty := []string{"paragraph", "heading", "codeBlock", "rule", "text", "hardBreak", "date", "emoji", "inlineCard", "inlineExtension", "placeholder", "media", "mediaInline", "blockCard", "embedCard", "table", "tableRow"}
		if !slices.Contains(empty, kind) && !strings.Contains(doc.Markdown(), "word") {
			t.Errorf("the words of %s are lost: %q", kind, doc.Markdown())
		}
	}
}

// collectKinds finds the names of nodes: objects whose type is an enum of one
// and that may have content.
func collectKinds(schema any, kinds map[string]bool) {
	switch s := schema.(type) {
	case map[string]any:
		if properties, ok := s["properties"].(map[string]any); ok && properties["content"] != nil {
			if kind, ok := properties["type"].(map[string]any); ok {
				if names, ok := kind["enum"].([]any); ok && len(names) == 1 {
					kinds[names[0].(string)] = true
				}
			}
		}
		for _, v := range s {
			collectKinds(v, kinds)
		}
	case []any:
		for _, v := range s {
			collectKinds(v, kinds)
		}
	}
}
