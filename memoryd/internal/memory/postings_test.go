package memory

import (
	"fmt"
	"testing"
)

// A word in more memories than a question reads still finds the memory with most of the question, also in one of several projects.
func TestCommonWord(t *testing.T) {
	w := newWorld(t)
	list := make([]New, 0, postings+50)
	for i := range postings + 49 {
		list = append(list, New{Key: fmt.Sprintf("k%d", i), Type: TypePattern, Content: fmt.Sprintf("Part %d of what the long story of the harbour tells its patient listeners in winter", i)})
	}
	list = append(list, New{Key: "wanted", Type: TypeWarning, Content: "Harbour: closed, harbour!"})
	stored, err := w.s.Remember(t.Context(), w.at, list)
	if err != nil {
		t.Fatal(err)
	}
	w.id = stored[0].ProjectID
	if got := w.first("harbour"); got != "wanted" {
		t.Errorf("the common word alone finds %q first", got)
	}
	if got := w.first("closed harbour"); got != "wanted" {
		t.Errorf("a rare word beside it finds %q first", got)
	}
	w.at = in("two")
	w.put(New{Key: "ours", Content: "The closed bridge by the harbour"})
	if got := keys(w.recall(Query{Text: "closed harbour"})); len(got) != 1 || got[0] != "ours" {
		t.Errorf("of the second project: %v", got)
	}
	if got := keys(w.recall(Query{Text: "closed", Type: TypeWarning})); len(got) != 0 {
		t.Errorf("of another type: %v", got)
	}
}
