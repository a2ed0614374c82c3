package web

import (
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli/clitest"
)

// A stranger's text stays text: it becomes neither an element nor an attribute, wherever it stands.
func TestFirstPageEscapes(t *testing.T) {
	const evil = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&amp;`
	p := firstPage{
		Token: evil, Known: true, Actions: true, Project: evil, Path: "/", Views: []view{{"/", evil}}, Scripts: []string{evil}, Problem: evil,
		Paint: &Paint{Headline: evil, At: evil, Sections: []Section{{ID: evil, Title: evil, Note: evil, Columns: []string{evil}, Rows: [][]string{{evil, evil}}}}},
	}
	d := xml.NewDecoder(strings.NewReader(p.html()))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	elements, texts := map[string]int{}, 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch n := token.(type) {
		case xml.StartElement:
			elements[n.Name.Local]++
			for _, a := range n.Attr {
				if a.Name.Local == "onerror" || a.Value != evil && strings.Contains(a.Value, "<script>") {
					t.Errorf("<%s %s=%q>", n.Name.Local, a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			if strings.Contains(string(n), evil) {
				texts++
			}
		}
	}
	if elements["script"] != 1 || elements["img"] != 0 {
		t.Errorf("elements of the page: %v", elements)
	}
	if want := 10; texts != want { // title, headline, time, tab, problem, heading, note, column, two cells
		t.Errorf("the text stands in %d places, want %d", texts, want)
	}
}

// A page without scripts gets no changes, so it shows when there is more to see.
func TestFirstPageIsNotAll(t *testing.T) {
	for _, unknown := range []bool{true, false} {
		p := firstPage{Known: true, Path: "/", Paint: &Paint{Headline: "app main", Unknown: unknown}}
		if got := strings.Contains(p.html(), "<noscript><p class=\"soft\">What is unknown is being looked at: load the page again.</p></noscript>"); got != unknown {
			t.Errorf("with %t unknown it says so: %t", unknown, got)
		}
	}
}

// TestFirstPages holds whole pages: of the owner with and without data, and of anyone.
func TestFirstPages(t *testing.T) {
	tabs := []view{{"/", "Overview"}, {"/board", "Board"}}
	sections := []Section{
		{ID: "s0", Title: "Agents", Columns: []string{"Agent", "State"}, Rows: [][]string{{"ann", "working"}, {"bob", "idle"}}},
		{ID: "s1", Title: "Landings", Note: "none", Columns: []string{"Worktree"}},
	}
	var all strings.Builder
	for _, p := range []firstPage{
		{Known: true, Token: "secret", Actions: true, Project: "app", Path: "/board", Views: tabs, Scripts: []string{"/static/app.js", "/static/tables.js"}, Paint: &Paint{Headline: "app main", At: "14:02 UTC", Unknown: true, Sections: sections}},
		{Known: true, Path: "/", Views: tabs, Problem: "the registry is locked"},
		{Path: "/", Views: tabs, Paint: nil},
	} {
		all.WriteString(p.html() + "==\n")
	}
	clitest.Golden(t, filepath.Join("testdata", "pages.txt"), all.String())
}
