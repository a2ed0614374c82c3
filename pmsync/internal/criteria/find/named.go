package find

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/shared/text"
)

// Named returns a description in which headings and labels that match one of the patterns announce criteria: a team may use its own words
// ("Expected:"). Common words for criteria need no pattern.
func Named(doc description.Document, patterns []string) description.Document {
	var names []string
	for _, p := range patterns {
		name := strings.TrimSpace(strings.TrimRight(strings.TrimLeft(strings.TrimSpace(p), "#*-[] "), ": "))
		// A heading of these words may mean criteria by itself, or name a form that is found everywhere.
		if key := text.Key(name); key != "" && key != "given/when/then" && meaningOf(key) != accepts {
			names = append(names, key)
		}
	}
	if len(names) == 0 {
		return doc
	}
	doc.Blocks = named(doc.Blocks, names)
	return doc
}

func named(blocks []description.Block, names []string) []description.Block {
	out := make([]description.Block, len(blocks))
	for i, b := range blocks {
		switch b.Kind {
		case description.Heading:
			if _, is := begins(description.Text(b.Spans), names); is {
				b.Spans = []description.Span{{Text: heading}}
			}
		case description.Paragraph:
			if rest, is := begins(description.Text(b.Spans), names); is {
				b.Spans = []description.Span{{Text: heading + ":" + rest}}
			}
		case description.Group:
			b.Children = named(b.Children, names)
		}
		out[i] = b
	}
	return out
}

// heading is the common name for criteria.
const heading = "Acceptance criteria"

// begins reports whether a text is one of the names, or begins with one and a colon. It returns the rest behind the colon.
func begins(said string, names []string) (rest string, is bool) {
	head, rest, _ := strings.Cut(strings.TrimSpace(said), ":")
	return rest, slices.Contains(names, text.Key(strings.TrimSpace(head)))
}
