package graph

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/htmlpage"
	"github.com/agit-suite/agit/shared/term"
)

// The measures of an HTML picture, in pixels.
const (
	boxWidth, boxHeight = 190, 44
	boxAcross, boxDown  = 240, 58
	boxesDrawn          = 300 // more are only listed: a larger picture is unreadable
)

const pictureStyle = `.box rect { fill: var(--raise); stroke: var(--line); } .box.open rect { stroke: var(--accent); } .box.bad rect { stroke: var(--bad); } .box.over rect { stroke-dasharray: 3 3; fill: none; }
.box text { font: 13px system-ui, sans-serif; fill: var(--fg); } .box .under { font-size: 11px; fill: var(--soft); } .line { fill: none; stroke: var(--quiet); stroke-width: 1.2; }
.picture { overflow-x: auto; } .picture svg { max-width: none; }
`

// HTML writes the picture as one page, for a mail or as a CI artifact: the dependencies as a drawing, and everything as a table. The
// page loads nothing and runs no script.
func (p Picture) HTML(title string) string {
	var b strings.Builder
	e := shown
	b.WriteString(htmlpage.Begin(e(title), pictureStyle))
	fmt.Fprintf(&b, "<header><h1>%s</h1><p>%d things, %d relationships</p></header>\n<main>\n", e(title), len(p.Nodes), len(p.Arrows))
	layers, arrows := p.layers()
	drawn := 0
	for _, layer := range layers {
		drawn += len(layer)
	}
	b.WriteString("<h2 id=\"drawing\">What waits for what</h2>\n")
	switch {
	case drawn == 0:
		b.WriteString("<p>Nothing waits for anything.</p>\n")
	case drawn > boxesDrawn:
		fmt.Fprintf(&b, "<p>%d things wait for each other: the table below names them.</p>\n", drawn)
	default:
		drawBoxes(&b, layers, arrows)
	}
	b.WriteString("<h2>Everything</h2>\n<table><thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Kind</th><th scope=\"col\">Id</th><th scope=\"col\">Status</th><th scope=\"col\">Waits for</th></tr></thead>\n<tbody>\n")
	on := map[string][]string{}
	for _, a := range arrows {
		on[a.From] = append(on[a.From], bare(a.To))
	}
	for _, n := range p.Nodes {
		fmt.Fprintf(&b, "<tr><th scope=\"row\">%s</th><td>%s</td><td><code>%s</code></td><td>%s</td><td>%s</td></tr>\n",
			e(n.Name), e(n.Label), e(bare(n.ID)), e(strings.ReplaceAll(n.Status, "_", " ")), e(strings.Join(on[n.ID], ", ")))
	}
	b.WriteString("</tbody></table>\n</main>\n</body>\n</html>\n")
	return b.String()
}

// shown makes any text safe to be part of a page.
func shown(s string) string { return html.EscapeString(term.Escape(s)) }

func bare(id string) string {
	_, id, _ = strings.Cut(id, ":")
	return id
}

// layers puts the nodes with dependencies into columns, each after everything it waits for. In a cycle, which a merge of two
// registries may make, a node stands where it is met first.
func (p Picture) layers() (layers [][]Node, waits []Arrow) {
	before, at := map[string][]string{}, map[string]int{}
	joined := map[string]bool{}
	for _, a := range p.Arrows {
		if a.Type == "DEPENDS_ON" || a.Type == "BLOCKED_BY" {
			waits = append(waits, a)
			before[a.From] = append(before[a.From], a.To)
			joined[a.From], joined[a.To] = true, true
		}
	}
	var place func(id string, above map[string]bool) int
	place = func(id string, above map[string]bool) int {
		if above[id] {
			return -1 // it is met on the way from itself
		}
		if l, ok := at[id]; ok {
			return l
		}
		above[id] = true
		l := 0
		for _, other := range before[id] {
			l = max(l, place(other, above)+1)
		}
		delete(above, id)
		at[id] = l
		return l
	}
	for _, n := range p.Nodes {
		if !joined[n.ID] {
			continue
		}
		l := place(n.ID, map[string]bool{})
		for len(layers) <= l {
			layers = append(layers, nil)
		}
		layers[l] = append(layers[l], n)
	}
	// Each column follows the order of the nodes that it waits for.
	row := map[string]float64{}
	for _, layer := range layers {
		wish := map[string]float64{}
		for i, n := range layer {
			wish[n.ID] = float64(i)
			if len(before[n.ID]) > 0 {
				sum := 0.0
				for _, other := range before[n.ID] {
					sum += row[other]
				}
				wish[n.ID] = sum / float64(len(before[n.ID]))
			}
		}
		slices.SortStableFunc(layer, func(a, b Node) int { return cmp.Compare(wish[a.ID], wish[b.ID]) })
		for i, n := range layer {
			row[n.ID] = float64(i)
		}
	}
	return layers, waits
}

func drawBoxes(b *strings.Builder, layers [][]Node, waits []Arrow) {
	e := shown
	tallest := 0
	at := map[string][2]int{}
	for l, layer := range layers {
		tallest = max(tallest, len(layer))
		for i, n := range layer {
			at[n.ID] = [2]int{4 + l*boxAcross, 4 + i*boxDown}
		}
	}
	width, height := (len(layers)-1)*boxAcross+boxWidth+8, tallest*boxDown
	fmt.Fprintf(b, "<div class=\"picture\" role=\"region\" tabindex=\"0\" aria-labelledby=\"drawing\"><svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"What waits for what; the table below says the same\">\n", width, height, width, height)
	for _, a := range waits {
		from, known := at[a.To]
		to, here := at[a.From]
		if !known || !here {
			continue
		}
		x1, y1, x2, y2 := from[0]+boxWidth, from[1]+boxHeight/2, to[0], to[1]+boxHeight/2
		fmt.Fprintf(b, "<path class=\"line\" d=\"M%d %dC%d %d %d %d %d %d\"/>\n", x1, y1, x1+40, y1, x2-40, y2, x2, y2)
	}
	for _, layer := range layers {
		for _, n := range layer {
			x, y := at[n.ID][0], at[n.ID][1]
			fmt.Fprintf(b, "<g class=\"box %s\" transform=\"translate(%d %d)\"><rect width=\"%d\" height=\"%d\" rx=\"6\"/><text x=\"10\" y=\"18\">%s</text><text class=\"under\" x=\"10\" y=\"35\">%s</text><title>%s</title></g>\n",
				mood(n), x, y, boxWidth, boxHeight, e(short(n.Name, 26)), e(short(bare(n.ID)+" "+strings.ReplaceAll(n.Status, "_", " "), 32)), e(n.Name))
		}
	}
	b.WriteString("</svg></div>\n")
}

// mood returns the CSS class of a box.
func mood(n Node) string {
	switch {
	case n.Label == "Bug" && !isOver[n.Status], n.Status == "failed":
		return "bad"
	case isOver[n.Status]:
		return "over"
	}
	return "open"
}

func short(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
