package memory

import (
	"strings"
	"testing"
)

// A weak hit is shown by its sentence closest to the question; a good one, a title, and a list without a question are shown as before.
func TestWeakHitsHaveTheirNearestSentence(t *testing.T) {
	w := newWorld(t)
	filler := strings.Repeat("Nothing else was found out that day by those who looked. ", 5)
	w.put(New{Key: "long", Content: filler + "The turbine of the old mill\nwas sold to Norway. " + filler})
	w.put(New{Key: "brief", Content: "The mill has\n a red door."})
	w.put(New{Key: "steps", Content: strings.Repeat("step after step ", 30) + "the turbine is oiled at noon " + strings.Repeat("and then again ", 30)})
	a := w.recall(Query{Text: "which insurer pays when lightning strikes the turbine of our mill?", All: true})
	if !a.Weak || len(a.Memories) != 3 {
		t.Fatalf("%+v", a)
	}
	for _, h := range a.Memories {
		short, ok := h.Short()
		if !ok || short.ID != h.ID || !short.Weak || len(h.Nearest) > longestNearest+len("… ")+len(" …") || h.Content == "" || short.Content != h.Nearest || short.Cut != (h.Key != "brief") {
			t.Errorf("%+v of %+v", short, h)
		}
		switch h.Key {
		case "long":
			if !strings.Contains(h.Nearest, "The turbine of the old mill was sold to Norway.") || !strings.HasPrefix(h.Nearest, "… ") || !strings.HasSuffix(h.Nearest, " …") {
				t.Errorf("%q", h.Nearest)
			}
		case "brief":
			if h.Nearest != "The mill has a red door." {
				t.Errorf("%q", h.Nearest)
			}
		case "steps":
			if !strings.Contains(h.Nearest, "turbine is oiled") {
				t.Errorf("%q", h.Nearest)
			}
		}
	}
	if next := a.Next(); !strings.Contains(next, "ask once more") || !strings.Contains(next, "--key ID") {
		t.Errorf("%q", next)
	}
	good := w.recall(Query{Text: "red door of the mill"})
	if next := good.Next(); next != "" && !strings.HasPrefix(next, "weak hits are told in short") {
		t.Errorf("%q", next)
	}
	if next := w.recall(Query{Text: "red door of the mill", Limit: 1}).Next(); next != "" {
		t.Errorf("%q where nothing is cut", next)
	}
	if good.Weak || good.Memories[0].Nearest != "" {
		t.Errorf("%+v", good)
	}
	for _, q := range []Query{{}, {Text: "lightning strikes the turbine of our mill", Titles: true}} {
		for _, h := range w.recall(q).Memories {
			if _, ok := h.Short(); ok {
				t.Errorf("%+v: %q", q, h.Nearest)
			}
		}
	}
}
