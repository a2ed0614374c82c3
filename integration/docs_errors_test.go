package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestErrorsAreFoundByTheirText compares the first column of docs/troubleshooting.md with the source: a reader searches for an error's
// text, so it must be exact.
func TestErrorsAreFoundByTheirText(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/troubleshooting.md")
	must(t, err)
	said := sentences(t)
	quoted := regexp.MustCompile("`([^`]+)`")
	fragments := regexp.MustCompile(`[…"]| [A-Z] `) // placeholders of names and numbers
	rows := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || !strings.HasPrefix(line, "| ") {
			continue
		}
		for _, text := range quoted.FindAllStringSubmatch(cells[0], -1) {
			rows++
			for _, part := range fragments.Split(text[1], -1) {
				if part = strings.TrimSpace(part); len(part) > 3 && !strings.Contains(said, part) {
					t.Errorf("docs/troubleshooting.md has %q: no program says %q", text[1], part)
				}
			}
		}
	}
	if rows < 10 {
		t.Errorf("only %d errors were found on the page", rows)
	}
}

// sentences returns the source of all programs, without tests.
func sentences(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, file := range sources(t) {
		text, err := os.ReadFile(filepath.Join("..", file))
		must(t, err)
		all.Write(text)
	}
	return all.String()
}
