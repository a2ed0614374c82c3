package memory

import (
	"slices"
	"strings"
	"testing"
)

// A found turn shows the turns around it, since its answer is often a turn or two later. A weak turn, a title and a fact show none.
func TestWhatIsToldBesideATurn(t *testing.T) {
	w := newWorld(t)
	long := strings.TrimSpace(strings.Repeat("words ", 60))
	var list []New
	for _, turn := range [][2]string{
		{"Ann", "Now the harvester."},
		{"Bob", "The harvester broke its axle on the slope."},
		{"Ann", "How is it repaired?"},
		{"Bob", long},
		{"Ann", "With a weld."},
		{"Bob", "And then some tea."},
	} {
		list = append(list, New{Type: TypePattern, Title: turn[0], Content: turn[1], Thread: "talk 1"})
	}
	list = append(list, New{Type: TypePattern, Content: "The harvester of the neighbours has no axle."})
	for _, n := range list {
		w.put(n)
	}
	hits := w.recall(Query{Text: "what broke the axle of the harvester on the slope?", All: true}).Memories
	if len(hits) == 0 || hits[0].Content != list[1].Content || hits[0].Weak {
		t.Fatalf("%+v", hits)
	}
	if want := []string{"Ann: Now the harvester."}; !slices.Equal(hits[0].Before, want) {
		t.Errorf("before: %q", hits[0].Before)
	}
	if want := []string{"Ann: How is it repaired?", "Bob: " + long[:longestTold] + "…", "Ann: With a weld."}; !slices.Equal(hits[0].After, want) {
		t.Errorf("after: %q", hits[0].After)
	}
	for _, h := range hits[1:] {
		if (h.Weak || h.Thread == "") && (h.Before != nil || h.After != nil) {
			t.Errorf("tells %q and %q beside %q", h.Before, h.After, h.Content)
		}
	}
	for _, h := range w.recall(Query{Text: "what broke the axle of the harvester on the slope?", Titles: true}).Memories {
		if h.Before != nil || h.After != nil {
			t.Errorf("a title tells %q and %q", h.Before, h.After)
		}
	}
}

// A turn that shares with a question only words that fit any question does not answer it.
func TestFillersDoNotAnswer(t *testing.T) {
	w := newWorld(t)
	for _, turn := range [][2]string{{"Lena", "Who owns the synonyms?"}, {"Omar", "Greta did, before she left for another team."}, {"Lena", "Ask her."}, {"Omar", "Will do."}} {
		w.put(New{Type: TypePattern, Title: turn[0], Content: turn[1], Thread: "talk 1"})
	}
	if a := w.recall(Query{Text: "why did we leave Postgres?"}); !a.Weak {
		t.Errorf("answered by %v", keys(a))
	}
}
