package linkgraph

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/citecheck/internal/library"
)

// graph makes memories of a map from id to the ids it links to.
func graph(t *testing.T, links map[string]string) *Graph {
	t.Helper()
	dir := t.TempDir()
	for id, targets := range links {
		var b strings.Builder
		for target := range strings.FieldsSeq(targets) {
			fmt.Fprintf(&b, "[[%s]]\n", target)
		}
		file := filepath.Join(dir, filepath.FromSlash(id)+".md")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lib, err := library.Open(library.Options{From: dir, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lib.Close() })
	g, err := New(lib)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func walk(t *testing.T, g *Graph, root string, order Order, depth int) (steps string, w *Walk) {
	t.Helper()
	w, err := g.Walk(t.Context(), root, order, depth)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range w.Steps {
		out = append(out, fmt.Sprintf("%s%d", s.ID, s.Depth))
	}
	return strings.Join(out, " "), w
}

func TestWalk(t *testing.T) {
	tree := map[string]string{"a": "b c", "b": "d", "c": "e", "d": "", "e": "a"}
	for _, tc := range []struct {
		order Order
		depth int
		want  string
	}{
		{BFS, -1, "a0 b1 c1 d2 e2"}, {DFS, -1, "a0 b1 d2 c1 e2"},
		{BFS, 1, "a0 b1 c1"}, {DFS, 1, "a0 b1 c1"}, {BFS, 0, "a0"},
	} {
		if got, _ := walk(t, graph(t, tree), "a", tc.order, tc.depth); got != tc.want {
			t.Errorf("%s to %d: %s, want %s", tc.order, tc.depth, got, tc.want)
		}
	}
	if _, w := walk(t, graph(t, tree), "", BFS, 0); w.Visited != 5 || len(w.Cycles) != 1 {
		t.Errorf("everything: %+v", w)
	}
}

func TestCycles(t *testing.T) {
	for name, tc := range map[string]struct {
		links map[string]string
		want  [][]string
	}{
		"none":    {map[string]string{"a": "b", "b": "c", "c": ""}, [][]string{}},
		"self":    {map[string]string{"a": "a"}, [][]string{{"a"}}},
		"two":     {map[string]string{"a": "b", "b": "a", "c": "d", "d": "c a"}, [][]string{{"a", "b"}, {"c", "d"}}},
		"longest": {map[string]string{"a": "b", "b": "c", "c": "d b", "d": "a"}, [][]string{{"a", "b", "c", "d"}}},
		"diamond": {map[string]string{"a": "b c", "b": "d", "c": "d", "d": ""}, [][]string{}},
	} {
		_, w := walk(t, graph(t, tc.links), "", BFS, -1)
		if diff := cmp.Diff(tc.want, w.Cycles); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A cycle is reported exactly when a memory can reach itself.
func TestCyclesAgainstReachability(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		n, links := 2+r.IntN(8), map[string]string{}
		for i := range n {
			var to []string
			for range r.IntN(3) {
				to = append(to, fmt.Sprintf("n%d", r.IntN(n)))
			}
			links[fmt.Sprintf("n%d", i)] = strings.Join(to, " ")
		}
		g := graph(t, links)
		_, w := walk(t, g, "", BFS, -1)
		inCycle := map[string]bool{}
		for _, c := range w.Cycles {
			for i, id := range c {
				inCycle[id] = true
				if next := c[(i+1)%len(c)]; !slices.Contains(w.Nodes[id], next) {
					t.Fatalf("%v: %s does not link to %s", c, id, next)
				}
			}
		}
		any := false
		for id := range links {
			any = any || reaches(w.Nodes, id, id)
		}
		if any != (len(w.Cycles) > 0) {
			t.Fatalf("%v: %v", links, w.Cycles)
		}
		for id := range inCycle {
			if !reaches(w.Nodes, id, id) {
				t.Fatalf("%s is in no cycle of %v", id, links)
			}
		}
	}
}

func reaches(nodes map[string][]string, from, to string) bool {
	seen, agenda := map[string]bool{}, slices.Clone(nodes[from])
	for len(agenda) > 0 {
		id := agenda[0]
		agenda = agenda[1:]
		if id == to {
			return true
		}
		if !seen[id] {
			seen[id] = true
			agenda = append(agenda, nodes[id]...)
		}
	}
	return false
}

func TestOverview(t *testing.T) {
	g := graph(t, map[string]string{
		"start": "one sub/two", "one": "start2", "sub/two": "three", "three": "", "alone": "", "self": "self", "x/same": "", "y/same": "", "asks": "same",
	})
	o, err := g.Overview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(o.Orphans, " "); got != "alone asks self x/same y/same" {
		t.Errorf("orphans %s", got)
	}
	if got := strings.Join(o.Roots, " "); got != "alone asks self start x/same y/same" {
		t.Errorf("roots %s", got)
	}
	want := []Broken{{From: "asks", At: 1, Target: "same", May: []string{"x/same", "y/same"}}, {From: "one", At: 1, Target: "start2", Nearest: "start"}}
	if diff := cmp.Diff(want, o.Broken); diff != "" {
		t.Error(diff)
	}
	r, err := g.Related(t.Context(), "sub/two")
	if err != nil || strings.Join(r.LinkedBy, " ") != "start" || strings.Join(r.LinksTo, " ") != "three" {
		t.Errorf("%+v %v", r, err)
	}
}

func TestPictures(t *testing.T) {
	_, w := walk(t, graph(t, map[string]string{`q"uote`: "b gone-away", "b": ""}), "", BFS, -1)
	if dot := w.DOT(); !strings.Contains(dot, `"q\"uote" -> "b";`) || !strings.Contains(dot, `"missing: gone-away" [style=dashed, color=red];`) {
		t.Error(dot)
	}
	if m := w.Mermaid(); !strings.Contains(m, `n2["q&quot;uote"]`) || !strings.Contains(m, "n2 --> n1") || !strings.Contains(m, "n2 -.-> n3") {
		t.Error(m)
	}
}
