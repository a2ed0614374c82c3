package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// chain makes n tasks, each of which waits for the one before.
func chain(n int) (p Picture) {
	for i := range n {
		p.Nodes = append(p.Nodes, Node{fmt.Sprintf("Task:T-%d", i), "Task", fmt.Sprintf("task %d", i), "pending"})
		if i > 0 {
			p.Arrows = append(p.Arrows, Arrow{p.Nodes[i].ID, p.Nodes[i-1].ID, "DEPENDS_ON"})
		}
	}
	return p
}

// A picture of more boxes than can be read has only the table, and names their number.
func TestLargePictureInHTML(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{300: "<svg", 301: "<p>301 things wait for each other: the table below names them.</p>"} {
		page := chain(n).HTML("x")
		if !strings.Contains(page, want) || strings.Contains(page, "<svg") != (n == 300) || strings.Count(page, `<th scope="row">`) != n || !strings.Contains(page, fmt.Sprintf("<p>%d things, %d relationships</p>", n, n-1)) {
			t.Errorf("%d: no %q", n, want)
		}
	}
	if page := (Picture{Nodes: []Node{{"Task:A", "Task", "a", "in_progress"}}}).HTML("x"); !strings.Contains(page, "<p>Nothing waits for anything.</p>") || strings.Contains(page, "<svg") || !strings.Contains(page, "<td>in progress</td>") {
		t.Error("of one task: " + page)
	}
}

// Each column has what waits only for the columns before it, in the order of what it waits for.
func TestLayers(t *testing.T) {
	t.Parallel()
	picture := func(nodes string, arrows ...string) (p Picture) {
		for _, id := range strings.Fields(nodes) {
			p.Nodes = append(p.Nodes, Node{ID: id})
		}
		for _, a := range arrows {
			from, to, _ := strings.Cut(a, ">")
			kind := "DEPENDS_ON"
			if from, ok := strings.CutPrefix(from, "!"); ok {
				p.Arrows = append(p.Arrows, Arrow{from, to, "BLOCKED_BY"})
				continue
			}
			if from, ok := strings.CutPrefix(from, "?"); ok {
				p.Arrows = append(p.Arrows, Arrow{from, to, "RELATED_TO"})
				continue
			}
			p.Arrows = append(p.Arrows, Arrow{from, to, kind})
		}
		return p
	}
	for _, c := range []struct {
		name string
		p    Picture
		want string
	}{
		{"nothing", picture(""), ""},
		{"no edges", picture("a b"), ""},
		{"a chain", picture("a b c", "a>b", "b>c"), "c | b | a"},
		{"what is related is alone", picture("a b c", "a>b", "?a>c"), "b | a"},
		{"a bug", picture("a b", "!a>b"), "b | a"},
		{"the longest way counts", picture("a b c d", "d>a", "b>a", "c>b", "d>c"), "a | b | c | d"},
		{"in their order", picture("a b c d", "c>a", "d>b"), "a b | c d"},
		{"without crossing", picture("a b c d", "c>b", "d>a"), "a b | d c"},
		{"by the middle of what they wait for", picture("a b c x y z", "x>c", "y>a", "y>c", "z>a"), "a c | z y x"},
		{"three columns without crossing", picture("a b c d e f", "c>b", "d>a", "e>c", "f>d"), "a b | d c | f e"},
		{"a cycle", picture("a b c", "a>b", "b>a", "c>a"), "b | a | c"},
		{"itself", picture("a b", "a>a", "b>a"), "a | b"},
	} {
		layers, waits := c.p.layers()
		var columns []string
		for _, l := range layers {
			var ids []string
			for _, n := range l {
				ids = append(ids, n.ID)
			}
			columns = append(columns, strings.Join(ids, " "))
		}
		if got := strings.Join(columns, " | "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if slices.ContainsFunc(waits, func(a Arrow) bool { return a.Type == "RELATED_TO" }) {
			t.Errorf("%s: %v", c.name, waits)
		}
	}
}

func TestBoxes(t *testing.T) {
	t.Parallel()
	for want, nodes := range map[string][]Node{
		"bad":  {{Label: "Bug", Status: "open"}, {Label: "Bug", Status: "investigating"}, {Label: "Task", Status: "failed"}},
		"over": {{Label: "Bug", Status: "fixed"}, {Label: "Bug", Status: "wont_fix"}, {Label: "Task", Status: "completed"}, {Label: "Ticket", Status: "done"}, {Label: "Ticket", Status: "canceled"}},
		"open": {{Label: "Task", Status: "pending"}, {Label: "Task", Status: "open"}, {Label: "Epic"}},
	} {
		for _, n := range nodes {
			if got := mood(n); got != want {
				t.Errorf("%+v: %s, want %s", n, got, want)
			}
		}
	}
	for s, want := range map[string]string{"": "", "four": "four", "fives": "fiv…", "grün": "grün", "grüne": "grü…"} {
		if got := short(s, 4); got != want {
			t.Errorf("%q: %q", s, got)
		}
	}
	for id, want := range map[string]string{"Task:T-1": "T-1", "Task:a:b": "a:b", "none": ""} {
		if got := bare(id); got != want {
			t.Errorf("%q: %q", id, got)
		}
	}
	p := Picture{
		Nodes:  []Node{{"Task:A", "Task", "a name that is too long to be shown", "completed"}, {"Task:B", "Task", "B", "in_progress"}, {"Bug:C", "Bug", "c", "open"}, {"Task:D", "Task", "d", "pending"}},
		Arrows: []Arrow{{"Task:B", "Task:A", "DEPENDS_ON"}, {"Task:B", "Bug:C", "BLOCKED_BY"}, {"Task:D", "Task:B", "DEPENDS_ON"}, {"Task:D", "Task:gone", "DEPENDS_ON"}, {"Task:gone", "Task:A", "DEPENDS_ON"}},
	}
	layers, waits := p.layers()
	var b strings.Builder
	drawBoxes(&b, layers, waits)
	const head = `<div class="picture" role="region" tabindex="0" aria-labelledby="drawing">`
	want := head + `<svg width="678" height="116" viewBox="0 0 678 116" role="img" aria-label="What waits for what; the table below says the same">
<path class="line" d="M194 26C234 26 204 26 244 26"/>
<path class="line" d="M194 84C234 84 204 26 244 26"/>
<path class="line" d="M434 26C474 26 444 26 484 26"/>
<g class="box over" transform="translate(4 4)"><rect width="190" height="44" rx="6"/><text x="10" y="18">a name that is too long t…</text><text class="under" x="10" y="35">A completed</text><title>a name that is too long to be shown</title></g>
<g class="box bad" transform="translate(4 62)"><rect width="190" height="44" rx="6"/><text x="10" y="18">c</text><text class="under" x="10" y="35">C open</text><title>c</title></g>
<g class="box open" transform="translate(244 4)"><rect width="190" height="44" rx="6"/><text x="10" y="18">B</text><text class="under" x="10" y="35">B in progress</text><title>B</title></g>
<g class="box open" transform="translate(484 4)"><rect width="190" height="44" rx="6"/><text x="10" y="18">d</text><text class="under" x="10" y="35">D pending</text><title>d</title></g>
</svg></div>
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// Names and ids of any form do not break out of a format.
func TestPictureFormats(t *testing.T) {
	t.Parallel()
	p := Picture{
		Nodes:  []Node{{"Task:A", "Task", "a \"b\" \\ <c> & `d`\ne", "pending"}, {"Task:B", "Task", "B", ""}, {"Agent:ann", "Agent", "ann", "idle"}},
		Arrows: []Arrow{{"Task:B", "Task:A", "DEPENDS_ON"}, {"Task:B", "Agent:ann", "ASSIGNED_TO"}},
	}
	for format, c := range map[string]struct{ got, want string }{
		"dot": {p.Dot(), `digraph agit {
  rankdir=LR;
  node [shape=box];
  "Task:A" [label="Task A\na \"b\" \\ <c> & ` + "`d`" + `\ne\npending"];
  "Task:B" [label="Task B"];
  "Agent:ann" [label="Agent ann\nidle"];
  "Task:B" -> "Task:A" [label="DEPENDS_ON"];
  "Task:B" -> "Agent:ann" [label="ASSIGNED_TO"];
}
`},
		"mermaid": {p.Mermaid(), `flowchart LR
  n0["Task A<br/>a #quot;b#quot; \ #lt;c#gt; #amp; #96;d#96; e<br/>pending"]
  n1["Task B"]
  n2["Agent ann<br/>idle"]
  n1 -->|DEPENDS_ON| n0
  n1 -->|ASSIGNED_TO| n2
`},
		"text": {p.Text(), "Task A  a \"b\" \\ <c> & `d` e  pending\nTask B  ‹waits for A›  ‹assigned to ann›\nAgent ann  idle\n"},
		"graphml": {p.GraphML(), `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="label" for="node" attr.name="label" attr.type="string"/>
  <key id="name" for="node" attr.name="name" attr.type="string"/>
  <key id="status" for="node" attr.name="status" attr.type="string"/>
  <key id="type" for="edge" attr.name="type" attr.type="string"/>
  <graph edgedefault="directed">
    <node id="Task:A"><data key="label">Task</data><data key="name">a &#34;b&#34; \ &lt;c&gt; &amp; ` + "`d`" + `&#xA;e</data><data key="status">pending</data></node>
    <node id="Task:B"><data key="label">Task</data><data key="name">B</data><data key="status"></data></node>
    <node id="Agent:ann"><data key="label">Agent</data><data key="name">ann</data><data key="status">idle</data></node>
    <edge source="Task:B" target="Task:A"><data key="type">DEPENDS_ON</data></edge>
    <edge source="Task:B" target="Agent:ann"><data key="type">ASSIGNED_TO</data></edge>
  </graph>
</graphml>
`},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: %s", format, diff)
		}
	}
	if got := p.NameOf("Task", "A"); got != p.Nodes[0].Name {
		t.Error(got)
	}
	if got := p.NameOf("Agent", "A"); got != "A" {
		t.Error(got)
	}
}

// A part is drawn below its container, wherever the two stand in the list, and parts of a circle are drawn once.
func TestTextDrawsATree(t *testing.T) {
	t.Parallel()
	p := Picture{
		Nodes: []Node{{"Task:A", "Task", "A", "pending"}, {"Task:B", "Task", "B", "completed"}, {"Epic:E", "Epic", "E", ""}, {"Project:p", "Project", "p", ""}, {"Task:C", "Task", "C", ""}, {"Task:X", "Task", "X", ""}, {"Task:Y", "Task", "Y", ""}},
		Arrows: []Arrow{{"Project:p", "Epic:E", "CONTAINS"}, {"Epic:E", "Task:A", "HAS_TASK"}, {"Epic:E", "Task:B", "HAS_TASK"}, {"Task:A", "Task:C", "PARENT_OF"}, {"Task:X", "Task:Y", "PARENT_OF"}, {"Task:Y", "Task:X", "PARENT_OF"},
			{"Task:A", "Task:B", "DEPENDS_ON"}, {"Task:C", "Task:A", "DEPENDS_ON"}, {"Task:C", "Task:X", "DEPENDS_ON"}, {"Task:A", "Task:X", "RELATED_TO"}},
	}
	want := `Project p
└─ Epic E
   ├─ Task A  pending  ‹waited for B›  ‹related to X›
   │  └─ Task C  ‹waits for A, X›
   └─ Task B  completed
Task X
└─ Task Y
`
	if diff := cmp.Diff(want, p.Text()); diff != "" {
		t.Error(diff)
	}
}

func TestTypesOfArtifacts(t *testing.T) {
	t.Parallel()
	for want, paths := range map[string]string{
		"screenshot":    "a.png a/b.JPG x.jpeg y.gif z.webp logo.svg a_test.png",
		"test":          "a_test.go x/y.test.ts z.spec.js test_a.py test_a.md TEST_B.PY",
		"documentation": "README.md a.txt b.rst c.adoc d.pdf",
		"report":        "a.html b.json c.xml d.csv e.log",
		"code":          "a.go Makefile contest.go a/test_dir/b.go spec.go latest.rs",
	} {
		for _, path := range strings.Fields(paths) {
			if got := typeOf(path); got != want {
				t.Errorf("%s: %s, want %s", path, got, want)
			}
		}
	}
	for _, c := range []struct{ name, description, want string }{{"a", "", "a"}, {"a", "a", "a"}, {"a", "a\nb", "a\nb"}, {"a", "ab", "a\n\nab"}, {"a", "b", "a\n\nb"}, {"", "b", "\n\nb"}} {
		if got := body(c.name, c.description); got != c.want {
			t.Errorf("%q and %q: %q", c.name, c.description, got)
		}
	}
}
