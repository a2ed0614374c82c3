package memory

import (
	"testing"

	"github.com/agit-suite/agit/shared/fault"
)

// One wording of a question finds what another misses, and memories found by two come before those found by one.
func TestSeveralWordings(t *testing.T) {
	w := newWorld(t)
	for key, content := range map[string]string{
		"bucket":  "ActiveStorage keeps photos in the S3 bucket of the region Frankfurt",
		"people":  "People upload receipts by mail on Mondays",
		"lunch":   "Lunch ends at one",
		"harbour": "The harbour crane ends its shift at six",
	} {
		w.put(New{Key: key, Content: content})
	}
	asked := "where do the pictures end up that people upload?"
	if got := w.first(asked); got == "bucket" {
		t.Fatalf("one wording finds %s", got)
	}
	q := Query{Text: asked, Also: []string{"photos stored in S3 bucket", " ", "ActiveStorage photos region"}}
	a := w.recall(q)
	if len(a.Memories) == 0 || a.Memories[0].Key != "bucket" || a.Memories[0].Weak || a.Weak {
		t.Errorf("%+v", a)
	}
	for i, h := range a.Memories[1:] {
		if h.Score > a.Memories[i].Score || h.Score <= 0 {
			t.Errorf("%s scores %v behind %v", h.Key, h.Score, a.Memories[i].Score)
		}
		if !h.Weak || h.Nearest == "" {
			t.Errorf("%s is not weak", h.Key)
		}
	}
	two := w.recall(Query{Text: asked, Also: []string{"ActiveStorage photos in the S3 bucket"}, Limit: 1})
	if len(two.Memories) != 1 || !two.More {
		t.Errorf("%+v", two)
	}
	for _, bad := range []Query{{Text: "x", Also: []string{"a", "b", "c", "d", "e"}}, {Also: []string{"a"}}} {
		if _, err := w.s.Recall(t.Context(), bad); fault.From(err) == nil || fault.From(err).Field != "also" {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
