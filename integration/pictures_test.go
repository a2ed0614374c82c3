package integration

import (
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestPictures draws what the README's tour prints, so that its picture shows
// what agit prints; -update writes it.
func TestPictures(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	must(t, err)
	_, rest, found := strings.Cut(string(readme), "$ agit status app\n")
	screen, _, _ := strings.Cut(rest, "\n$ ")
	if !found {
		t.Fatal("the README's tour does not show `agit status app`")
	}
	drawn := terminal("$ agit status app\n" + screen)
	const file = "../docs/pictures/status.svg"
	if *update {
		must(t, os.WriteFile(file, []byte(drawn), 0o644))
	}
	if is, err := os.ReadFile(file); err != nil || string(is) != drawn {
		t.Errorf("%s is not what the README's tour shows (go test ./integration -run TestPictures -update): %v", file, err)
	}
}

// colours are what a terminal paints, by what stands there.
var colours = []struct {
	words *regexp.Regexp
	style string
}{
	{regexp.MustCompile(`^(\$ .*)$`), "fill:#e6edf3;font-weight:bold"},
	{regexp.MustCompile(`^((?:Worktrees|Tasks|Agents|Conflicts): \d+)$`), "fill:#e6edf3;font-weight:bold"},
	{regexp.MustCompile(`\b(working)\b`), "fill:#3fb950"},
	{regexp.MustCompile(`\b(merge  1-3)\b`), "fill:#f85149"},
	{regexp.MustCompile(`^((?:[A-Z]{2,}(?: SEEN)?\s*)+)$`), "fill:#8b949e"},
}

// terminal draws lines of text as SVG.
func terminal(text string) string {
	const high, wide, margin = 20, 8.4, 16
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	width := 0
	for _, line := range lines {
		width = max(width, len([]rune(line)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">`+"\n", int(float64(width)*wide)+2*margin, len(lines)*high+2*margin)
	b.WriteString("<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n" +
		"<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,monospace\" font-size=\"14\" fill=\"#c9d1d9\" xml:space=\"preserve\">\n")
	for i, line := range lines {
		if line == "" {
			continue
		}
		painted := html.EscapeString(line)
		for _, c := range colours {
			painted = c.words.ReplaceAllString(painted, `<tspan style="`+c.style+`">$1</tspan>`)
		}
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\">%s</text>\n", margin, margin+(i+1)*high-6, painted)
	}
	return b.String() + "</g>\n</svg>\n"
}
