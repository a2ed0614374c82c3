package find

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// table collects the rows of a table: the column with the criterion, or else all columns with content.
func (c *collector) table(t description.Block, p place) {
	if len(t.Children) == 0 {
		return
	}
	head, rows := t.Children[0], t.Children[1:]
	if !isHead(head) && !isHeadByWords(head) {
		head, rows = description.Block{}, t.Children
	}
	kinds := make([]columnKind, 0, len(head.Children))
	for _, cell := range head.Children {
		kinds = append(kinds, columnOf(cellText(cell)))
	}
	labelBesideMain(head, kinds)
	for _, row := range rows {
		c.row(row, head, kinds, p)
	}
}

// labelBesideMain makes "AC" the column of names when another column holds the text.
func labelBesideMain(head description.Block, kinds []columnKind) {
	if !slices.ContainsFunc(kinds, func(k columnKind) bool { return k == columnMain || k == columnText }) {
		return
	}
	for i, cell := range head.Children {
		if key := labelKey(cellText(cell)); (key == "ac" || key == "acs") && len(kinds) > 1 {
			kinds[i] = columnLabel
		}
	}
}

type columnKind uint8

const (
	columnText   columnKind = iota // other content
	columnMain                     // the criterion
	columnLabel                    // its number or name
	columnIgnore                   // status, priority, owner, notes
	columnDone                     // whether it is done
	columnGiven
	columnWhen
	columnThen
)

// columnOf returns the kind of a column from its head.
func columnOf(head string) columnKind {
	key := labelKey(head)
	if meaningOf(head) == accepts && key != "ac" || mainColumns.has(key) {
		return columnMain
	}
	switch {
	case labelColumns.has(key), key == "" && strings.Contains(head, "#"), key == "":
		return columnLabel
	case doneColumns.has(key):
		return columnDone
	case ignoredColumns.has(key):
		return columnIgnore
	case key == "ac":
		return columnMain
	}
	switch s, _ := stepOf(head + " "); s {
	case given:
		return columnGiven
	case when:
		return columnWhen
	case then:
		return columnThen
	}
	return columnText
}

var (
	mainColumns    = set("criteria criterion criterium requirement requirements description condition acceptance kriterium beschreibung anforderung critère description criterio critério descrição descripción 条件 標準 标准 内容")
	labelColumns   = set("no nr id number num ref n ac# key s.no sno sr")
	doneColumns    = set("done complete completed met pass passed verified checked ok status? fertig erledigt")
	ignoredColumns = set("status priority prio owner assignee notes note comment comments remark remarks estimate points jira ticket link links evidence tester tested result state date moscow type test tests")
)

// criteriaColumn returns the index of the column with a head that means acceptance criteria, or -1.
func criteriaColumn(t description.Block) int {
	if len(t.Children) < 2 {
		return -1
	}
	return slices.IndexFunc(t.Children[0].Children, func(cell description.Block) bool { return meaningOf(cellText(cell)) == accepts })
}

func isHead(row description.Block) bool {
	return len(row.Children) > 0 && !slices.ContainsFunc(row.Children, func(cell description.Block) bool { return !cell.Head })
}

// isHeadByWords reports a first row that names columns, although it is not marked as a head.
func isHeadByWords(row description.Block) bool {
	known := 0
	for _, cell := range row.Children {
		if k := columnOf(cellText(cell)); k != columnText && cellText(cell) != "" {
			known++
		}
	}
	return len(row.Children) > 1 && known*2 >= len(row.Children)
}

func (c *collector) row(row, head description.Block, kinds []columnKind, p place) {
	n := Criterion{Parent: p.parent, Form: FormTable, Section: p.section}
	var main *description.Block
	var parts []string
	steps := map[columnKind]string{}
	for i := range row.Children {
		cell := &row.Children[i]
		text, kind := cellText(*cell), columnText
		if i < len(kinds) {
			kind = kinds[i]
		}
		if cell.Head && len(kinds) > 0 && kind == columnText && i == 0 {
			kind = columnLabel
		}
		switch kind {
		case columnMain:
			if main == nil {
				lines := lineByLine(*cell)
				main = &lines
			}
		case columnLabel:
			n.Label = text
		case columnDone:
			n.Done = yes.has(strings.ToLower(strings.TrimSpace(text)))
		case columnGiven, columnWhen, columnThen:
			if steps[kind] = text; text != "" && !isStep(text) {
				steps[kind] = map[columnKind]string{columnGiven: "Given ", columnWhen: "When ", columnThen: "Then "}[kind] + text
			}
		case columnText:
			if len(kinds) == 0 && text != "" && strings.Trim(text, "0123456789.#) ") == "" {
				n.Label = text
			} else if text != "" {
				parts = append(parts, text)
			}
		}
	}
	switch {
	case main != nil && isLines(*main):
		c.blocks(main.Children, place{section: p.section, parent: p.parent, form: FormText, lines: true})
		return
	case main != nil && slices.ContainsFunc(main.Children, isList):
		c.blocks(main.Children, place{section: p.section, parent: p.parent, form: FormText})
		return
	case len(steps) > 1:
		n.Text = strings.TrimSpace(strings.Join([]string{steps[columnGiven], steps[columnWhen], steps[columnThen]}, " "))
		n.Form = FormScenario
	case main != nil:
		n.Text = cellText(*main)
	default:
		n.Text = strings.Join(parts, " – ")
	}
	if label, text := cutLabel(n.Text); label != "" && text != "" {
		n.Label, n.Text = label, text
	}
	if label, _ := cutLabel(n.Label + " "); label == "" && len(n.Label) > 12 {
		n.Label = ""
	}
	c.add(n)
}

func isList(b description.Block) bool { return b.Kind == description.List }

// isLines reports a cell of several lines, each long enough to be a criterion.
func isLines(cell description.Block) bool {
	n := 0
	for _, b := range cell.Children {
		if b.Kind != description.Paragraph {
			return false
		}
		for _, line := range statements(b.Spans) {
			if len(strings.Fields(line)) < 3 || isStep(line) {
				return false
			}
			n++
		}
	}
	return n > 1
}

var yes = set("yes y x [x] ✅ ✔ ✔️ ☑ ☑️ ✓ done true ja oui sí")
