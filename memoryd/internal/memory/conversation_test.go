package memory

import (
	"strings"
	"testing"
	"time"
)

func TestConversationParts(t *testing.T) {
	t.Parallel()
	var c Conversation
	start := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	first := c.At(start)
	for _, step := range []struct {
		after time.Duration
		same  bool // as the part before
	}{{time.Minute, true}, {time.Hour, true}, {time.Hour + time.Second, false}, {-time.Hour, true}, {-time.Hour - time.Second, false}} {
		start = start.Add(step.after)
		next := c.At(start)
		if (next == first) != step.same {
			t.Errorf("after %s: %s, then %s", step.after, first, next)
		}
		first = next
	}
	var other Conversation
	if other.At(start) == c.At(start) {
		t.Error("two conversations have one name")
	}
}

// Memories that one client stores in a row are context, but get no name that no one gave.
func TestAConversationIsContext(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var c Conversation
	at := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	for i, said := range []string{"Ann: Where did you stay in Lisbon?", "Ben: With my aunt, above the bakery.", "Ann: The tram stops there."} {
		w.put(New{Key: string(rune('a' + i)), Content: said, Conversation: c.At(at.Add(time.Duration(i) * time.Minute))})
	}
	w.put(New{Key: "z", Content: "Cid: With my uncle, above the tavern.", Conversation: c.At(at.Add(48 * time.Hour))})
	if got := w.first("Where in Lisbon did Ben stay?"); got != "b" {
		t.Errorf("%q answers", got)
	}
	if m := w.look("b"); m.Thread != "" {
		t.Errorf("the thread is called %q", m.Thread)
	}
	if s := w.put(New{Key: "y", Content: "A label is kept without its mark", Thread: "@talk"}); s.Thread != "talk" {
		t.Errorf("the thread is called %q", s.Thread)
	}
}

func TestSpeaker(t *testing.T) {
	t.Parallel()
	for says, want := range map[string]string{
		"Ann: I stayed.":                        "Ann",
		"[9:05 pm on 8 May, 2023] Ann: Stayed.": "Ann",
		"(8 May) Ann Lee said: I stayed.":       "Ann Lee",
		"user: where did I stay?":               "user",
		"note: the index is rebuilt at night":   "",
		"Retries need jitter":                   "",
		"[draft] the port is 8085":              "",
	} {
		if got := speaker("", says); got != want {
			t.Errorf("%q speaks in %q, want %q", got, says, want)
		}
	}
}

// Facts that one client stores in a row stand alone.
func TestFactsInARowStandAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var c Conversation
	at := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	for key, fact := range map[string]string{"pool": "The connection pool holds twenty connections", "rivers": "Decision: rivers are drawn in blue", "lakes": "Warning: lakes are drawn late"} {
		w.put(New{Key: key, Content: fact, Conversation: c.At(at)})
	}
	for _, key := range []string{"pool", "rivers", "lakes"} {
		for _, h := range w.recall(Query{Text: key, All: true, Explain: true}).Memories {
			if h.Key != key && h.Score > 0 {
				t.Errorf("%q finds %s with %v", key, h.Key, h.Parts)
			}
		}
	}
}

// The parts of a conversation have its id and are numbered from one.
func TestConversationIDs(t *testing.T) {
	t.Parallel()
	var c Conversation
	start := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	id, first, ok := strings.Cut(c.At(start), ".")
	if id == "" || first != "1" || !ok {
		t.Errorf("the first part is %q of %q", first, id)
	}
	if got := c.At(start.Add(2 * time.Hour)); got != id+".2" {
		t.Errorf("the second part is %q, want that of %q", got, id)
	}
}
