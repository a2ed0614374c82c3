package memoryfile

import (
	"os"
	"strings"
	"testing"
	"time"
)

// A memory crafted to take long is read, or refused, in a short time.
func TestHostileMarkdown(t *testing.T) {
	repeat := strings.Repeat
	for name, src := range map[string]string{
		"brackets":    repeat("[", 100_000),
		"wiki links":  repeat("[[a]] ", 50_000),
		"quotes":      repeat(">", 20_000) + "a",
		"backticks":   repeat("`a ``b ", 30_000),
		"stars":       repeat("*a **b ", 30_000),
		"lists":       repeat("- ", 5_000) + "a",
		"links":       repeat("[a](b) ", 30_000),
		"begun links": repeat("[a](", 200_000),
		"references":  repeat("a.go:1,", 50_000),
		"dots":        repeat("a.", 100_000) + ":1",
		"tags":        repeat("<a ", 50_000),
		"bars":        "## Citations\n\n" + repeat("|", 100_000) + "\n|-|\n" + repeat("|`", 50_000),
		"slashes":     repeat("a/(", 50_000) + "x.go:1",
		"names":       repeat("mem:", 50_000),
		"rows":        "## Citations\n\n|File|Line|\n|-|-|\n" + repeat("|a.go|1|\n", 30_000),
		"nests":       repeat("> - ", 3_000) + "a",
	} {
		start := time.Now()
		m := Parse([]byte(src), All)
		if took := time.Since(start); took > time.Minute { // quadratic growth would take many
			t.Errorf("%s: %v", name, took)
		}
		if name == "rows" && len(m.Citations) != 30_000 {
			t.Errorf("%d rows", len(m.Citations))
		}
		if name == "begun links" && !m.Unreadable {
			t.Error("begun links were read")
		}
	}
}

// A memory that grew too large to be read again is not written.
func TestNotWrittenTooLarge(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.WriteFile("m.md", []byte("# M\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Update(t.Context(), root, "m.md", func([]byte) ([]byte, error) { return make([]byte, MaxSize+1), nil })
	if err == nil || !strings.Contains(err.Error(), "larger than 4 MB") {
		t.Error(err)
	}
	if got, err := Read(root, "m.md"); err != nil || string(got) != "# M\n" {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
