package find

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// TestCorpus reads tickets in every form that people use. Each is a txtar file: a comment about what it shows, the description (its
// extension is its format), and the criteria, one a line, nested ones indented, [x] before checked ones.
func TestCorpus(t *testing.T) {
	files := corpusFiles(t)
	if len(files) < 150 {
		t.Fatalf("the corpus holds %d tickets, want at least 150", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "testdata/corpus/"), ".txtar"), func(t *testing.T) {
			doc, want := readTicket(t, file)
			if diff := cmp.Diff(want, outline(Criteria(doc))); diff != "" {
				t.Errorf("criteria differ (-want +found):\n%s", diff)
			}
		})
	}
}

func corpusFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// ticketOf returns the description of a ticket, and its file name.
func ticketOf(t testing.TB, file string) txtar.File {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return archive.Files[0]
}

func readTicket(t *testing.T, file string) (description.Document, []string) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) != 2 || archive.Files[1].Name != "criteria" || len(archive.Comment) == 0 {
		t.Fatalf("%s: want a comment, a description, and criteria", file)
	}
	formats := map[string]description.Format{".md": description.Markdown, ".json": description.ADF, ".html": description.HTML, ".wiki": description.Wiki}
	format, known := formats[filepath.Ext(archive.Files[0].Name)]
	if !known {
		t.Fatalf("%s: %s has no extension of a format", file, archive.Files[0].Name)
	}
	doc, err := description.Parse(string(archive.Files[0].Data), format)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for line := range strings.Lines(string(archive.Files[1].Data)) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			want = append(want, line)
		}
	}
	return doc, want
}

// outline formats criteria as in the corpus.
func outline(found []Criterion) []string {
	var lines []string
	for _, c := range found {
		indent := ""
		for p := c.Parent; p >= 0; p = found[p].Parent {
			indent += "  "
		}
		done := ""
		if c.Done {
			done = "[x] "
		}
		lines = append(lines, indent+done+c.Text)
	}
	return lines
}

// TestDetectCorpus makes the parser guess the format, as for an import without one.
func TestDetectCorpus(t *testing.T) {
	for _, file := range corpusFiles(t) {
		ticket := string(ticketOf(t, file).Data)
		doc, err := description.Parse(ticket, "")
		if err != nil {
			t.Fatal(err)
		}
		_, want := readTicket(t, file)
		if diff := cmp.Diff(want, outline(Criteria(doc))); diff != "" {
			t.Errorf("%s read as %s (-want +found):\n%s", file, description.Detect(ticket), diff)
		}
	}
}

// TestWriteCorpus prints the criteria found in the tickets that CORPUS names, as a draft of the expected result for a new ticket.
func TestWriteCorpus(t *testing.T) {
	pattern := os.Getenv("CORPUS")
	if pattern == "" {
		t.Skip("set CORPUS=markdown/* to print what is found there")
	}
	files, _ := filepath.Glob("testdata/corpus/" + pattern + ".txtar")
	for _, file := range files {
		doc, _ := readTicket(t, file)
		fmt.Println(file + "\n\t" + strings.Join(outline(Criteria(doc)), "\n\t"))
	}
}
