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
		{Text: "People sign in", Position: 0, Parent: -1, Form: FormTask},
		{Text: "with a password", Position: 1, Parent: 0, Form: FormTask, Done: true},
		{Text: "The session lasts", Position: 2, Parent: -1, Form: FormList},
	}
	if diff := cmp.Diff(want, Criteria(doc)); diff != "" {
		t.Error(diff)
	}
}
