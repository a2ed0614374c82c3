package find

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

func TestNestedCriteriaFollowTheirParent(t *testing.T) {
	doc, err := description.Parse(`## Acceptance criteria
- [ ] People sign in
  - [x] with a password
- The session lasts

## Tasks
- [ ] Write it
`, description.Markdown)
	if err != nil {
		t.Fatal(err)
	}
	want := []Criterion{
		{Text: "People sign in", Position: 0, Parent: -1, Form: FormTask, Why: `it stands below "Acceptance criteria"`},
		{Text: "with a password", Position: 1, Parent: 0, Form: FormTask, Done: true, Why: `it stands below "Acceptance criteria"`},
		{Text: "The session lasts", Position: 2, Parent: -1, Form: FormList, Why: `it stands below "Acceptance criteria"`},
	}
	if diff := cmp.Diff(want, Criteria(doc)); diff != "" {
		t.Error(diff)
	}
}

func TestField(t *testing.T) {
	for text, want := range map[string][]string{
		"<div>The grid shows 50 rows<br></div><div>The choice is remembered</div>":                       {"The grid shows 50 rows", "The choice is remembered"},
		"<ul><li>It pages</li></ul><h3>Notes</h3><ul><li>ask Ann</li></ul>":                              {"It pages"},
		"<p>AC1: it pages</p><p>AC2: it sorts</p>":                                                       {"it pages", "it sorts"},
		"<h3>Backend</h3><ol><li>It pages</li></ol>":                                                     {"It pages"},
		"<div><b>Given</b> a row</div><div><b>When</b> it is cut</div><div><b>Then</b> it is gone</div>": {"Given a row When it is cut Then it is gone"},
		"<div>TBD</div>": nil,
		"":               nil,
	} {
		doc, err := description.Parse(text, description.HTML)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, outline(Field(doc))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
