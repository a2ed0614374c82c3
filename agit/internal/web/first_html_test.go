package web

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
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
