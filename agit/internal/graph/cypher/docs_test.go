package cypher_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

var update = flag.Bool("update", false, "write docs/cypher.md")

const (
	generatedFrom = "<!-- generated: go test ./agit/internal/graph/cypher -run TestDocs -update -->"
	generatedTo   = "<!-- end of the generated part -->"
)

// TestDocs compares docs/cypher.md with the tables of the parser and the checker.
func TestDocs(t *testing.T) {
	page := filepath.Join("..", "..", "..", "..", "docs", "cypher.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), generatedFrom)
	_, after, ok2 := strings.Cut(rest, generatedTo)
	if !ok || !ok2 {
		t.Fatalf("%s has no generated part", page)
	}
	want := before + generatedFrom + "\n" + reference() + generatedTo + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("%s is not current; run the test with -update (-want +got):\n%s", page, diff)
	}
}

// TestLanguage checks that the parser accepts every feature in the list.
func TestLanguage(t *testing.T) {
	for _, s := range language() {
		for _, f := range s.Features {
			if _, err := cypher.Prepare(f.Example); err != nil {
				t.Errorf("%s: %s: %v", f.Name, f.Example, err)
			}
		}
	}
	for _, f := range function.All() {
		args := make([]string, f.Min)
		for i := range args {
			args[i] = "null"
		}
		query := fmt.Sprintf("RETURN %s(%s)", f.Name, strings.Join(args, ", "))
		if _, err := cypher.Prepare(query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
	for _, word := range syntax.Refused() {
		if _, err := cypher.Prepare(word + " x RETURN 1"); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s is not refused by name: %v", word, err)
		}
	}
}

func reference() string {
	var b strings.Builder
	for _, s := range language() {
		fmt.Fprintf(&b, "\n## %s\n\n| | |\n|---|---|\n", s.Title)
		for _, f := range s.Features {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(f.Name, "|", `\|`), strings.ReplaceAll(f.Does, "|", `\|`))
		}
	}
	fmt.Fprintf(&b, "\nRefused by name: `%s`.\n", strings.Join(syntax.Refused(), "`, `"))
	b.WriteString("\n## Functions\n\nNames are read in any case.\n")
	for _, group := range function.Groups {
		fmt.Fprintf(&b, "\n### %s\n\n| | |\n|---|---|\n", group)
		for _, f := range function.All() {
			if f.Group == group {
				fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(f.Signature, "|", `\|`), f.Does)
			}
		}
	}
	return b.String() + "\n"
}
