package linkgraph

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// DOT is the walk as a graph for Graphviz.
func (w *Walk) DOT() string {
	var b strings.Builder
	b.WriteString("digraph memories {\n  rankdir=LR;\n  node [shape=box];\n")
	for _, id := range w.ids() {
		fmt.Fprintf(&b, "  %s;\n", dotQuote(id))
	}
	for _, id := range w.ids() {
		for _, to := range w.Nodes[id] {
			fmt.Fprintf(&b, "  %s -> %s;\n", dotQuote(id), dotQuote(to))
		}
	}
	for _, l := range w.Broken {
		fmt.Fprintf(&b, "  %s -> %s [style=dashed, color=red];\n", dotQuote(l.From), dotQuote("missing: "+l.Target))
	}
	b.WriteString("}\n")
	return b.String()
}

func dotQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(s) + `"`
}

// Mermaid is the walk as a flowchart that Markdown viewers draw.
func (w *Walk) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	number := map[string]string{}
	node := func(id string) string {
		if n, ok := number[id]; ok {
			return n
		}
		n := fmt.Sprintf("n%d", len(number)+1)
		number[id] = n
		fmt.Fprintf(&b, "  %s[\"%s\"]\n", n, mermaidText(id))
		return n
	}
	for _, id := range w.ids() {
		node(id)
	}
	for _, id := range w.ids() {
		for _, to := range w.Nodes[id] {
			from, to := node(id), node(to)
			fmt.Fprintf(&b, "  %s --> %s\n", from, to)
		}
	}
	for _, l := range w.Broken {
		from, to := node(l.From), node("missing: "+l.Target)
		fmt.Fprintf(&b, "  %s -.-> %s\n", from, to)
	}
	return b.String()
}

// mermaidText writes a label with entities for the characters that Mermaid would interpret.
func mermaidText(s string) string {
	return strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;", "#", "&#35;", "\n", " ").Replace(s)
}

func (w *Walk) ids() []string { return slices.Sorted(maps.Keys(w.Nodes)) }
