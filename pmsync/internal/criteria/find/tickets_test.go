package find

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// TestTickets checks what is found in tickets as teams write them: 250 from a table, in five formats and several layouts, one in five
// without criteria. It bounds three figures: the share of the criteria that are found, the share of the results that are not criteria, and
// the tickets without criteria that get some.
func TestTickets(t *testing.T) {
	t.Parallel()
	var want, found, told, invented, none, noneTold int
	tickets := readTickets(t).write()
	if len(tickets) < 200 {
		t.Fatalf("the table makes %d tickets, want at least 200", len(tickets))
	}
	for _, one := range tickets {
		doc, err := description.Parse(one.text, one.format)
		if err != nil {
			t.Fatal(err)
		}
		left := map[string]bool{}
		for _, c := range one.criteria {
			left[Key(c)] = true
		}
		want += len(left)
		criteria := Criteria(doc)
		for _, c := range criteria {
			told++
			if !left[Key(c.Text)] {
				invented++
				t.Logf("not a criterion: %q (%s) of\n%s", c.Text, c.Why, one.text)
				continue
			}
			delete(left, Key(c.Text))
			found++
		}
		for c := range left {
			t.Logf("not found: %q of\n%s", c, one.text)
		}
		if len(one.criteria) == 0 {
			none++
			noneTold += min(1, len(criteria))
		}
	}
	t.Logf("%d tickets: %d of %d criteria found, %d of %d told are none, %d of %d without criteria get some", len(tickets), found, want, invented, told, noneTold, none)
	if found*100 < want*98 || invented*100 > told*2 || noneTold*100 > none*10 {
		t.Errorf("found %d of %d (want 98 %%), invented %d of %d (at most 2 %%), %d of %d tickets without criteria get some (at most 10 %%)", found, want, invented, told, noneTold, none)
	}
}

// ticketTable is the content of testdata/tickets.txt.
type ticketTable struct {
	topics []topic
	others []others
	faults []string
}

type topic struct {
	title, wish string
	criteria    []string
}

// others is a kind of list that does not hold criteria.
type others struct {
	heads, items []string
}

func readTickets(t *testing.T) (table ticketTable) {
	t.Helper()
	raw, err := os.ReadFile("testdata/tickets.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		key, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "", strings.HasPrefix(line, "#"):
		case key == "topic":
			table.topics = append(table.topics, topic{title: rest})
		case key == "other":
			table.others = append(table.others, others{})
		case key == "heads":
			table.others[len(table.others)-1].heads = strings.Split(rest, " | ")
		case key == "-":
			last := &table.others[len(table.others)-1]
			last.items = append(last.items, rest)
		case key == "+":
			last := &table.topics[len(table.topics)-1]
			last.criteria = append(last.criteria, rest)
		case key == "!":
			table.faults = append(table.faults, rest)
		default:
			table.topics[len(table.topics)-1].wish = line
		}
	}
	return table
}

type ticketOfTable struct {
	format   description.Format
	text     string
	criteria []string
}

// part is a heading with lines below it; without a heading it is prose.
type part struct {
	head  string
	lines []string
	boxes bool
}

var headsOfCriteria = []string{"Acceptance criteria", "Acceptance Criteria", "AC", "Success criteria", "Done when", "Acceptance criteria (must)", "Conditions of satisfaction", "ACCEPTANCE CRITERIA"}

// write makes ten tickets of each topic, two of them without criteria. The number of the ticket determines which lists stand beside the
// criteria, before or behind them, and the layout, so that every run is the same.
func (table ticketTable) write() (all []ticketOfTable) {
	n := 0
	for _, topic := range table.topics {
		for i := range 10 {
			n++
			one := ticketOfTable{}
			lists := []part{table.other(n), table.other(n*5 + 3), table.other(n*7 + 1)}
			parts := []part{{lines: []string{topic.wish}}}
			switch {
			case i < 8:
				one.criteria = topic.criteria
				criteria := part{headsOfCriteria[n%len(headsOfCriteria)], topic.criteria, n%3 == 0}
				parts = append(parts, lists[0], criteria, lists[1], lists[2])
			case i == 8:
				parts = append([]part{{lines: []string{table.faults[n%len(table.faults)]}}}, lists...)
			default:
				parts = append(parts, lists...)
			}
			write := writers[n%len(writers)]
			one.format, one.text = write.format, write.text(parts, n/len(writers))
			all = append(all, one)
		}
	}
	return all
}

func (table ticketTable) other(n int) part {
	kind := table.others[n%len(table.others)]
	return part{kind.heads[n%len(kind.heads)], kind.items, n%2 == 0}
}

var writers = []struct {
	format description.Format
	text   func(parts []part, layout int) string
}{
	{description.Markdown, writeMarkdown}, {description.Wiki, writeWiki}, {description.HTML, writeHTML}, {description.ADF, writeADF}, {description.Markdown, writePlain},
}

func writeMarkdown(parts []part, layout int) string {
	var b strings.Builder
	head := []string{"## %s\n\n", "**%s**\n", "**%s:**\n\n", "### %s\n"}[layout%4]
	end := []string{"\n", "\n", "", "\n"}[layout%4] // a label right below a list
	for _, p := range parts {
		if p.head != "" {
			fmt.Fprintf(&b, head, p.head)
		}
		for i, line := range p.lines {
			switch {
			case p.head == "":
				b.WriteString(line + "\n")
			case p.boxes:
				b.WriteString("- [ ] " + line + "\n")
			case layout%3 == 0:
				fmt.Fprintf(&b, "%d. %s\n", i+1, line)
			default:
				b.WriteString("* " + line + "\n")
			}
		}
		if p.head == "" {
			b.WriteString("\n")
		} else {
			b.WriteString(end)
		}
	}
	return b.String()
}

func writeWiki(parts []part, layout int) string {
	var b strings.Builder
	head := []string{"h3. %s\n", "*%s*\n", "*%s:*\n\n", "h2. *%s*\n\n"}[layout%4]
	for _, p := range parts {
		if p.head != "" {
			fmt.Fprintf(&b, head, p.head)
		}
		for _, line := range p.lines {
			if p.head != "" {
				line = []string{"* ", "# ", "- "}[layout%3] + line
			}
			b.WriteString(line + "\n")
		}
		if layout%2 == 0 || p.head == "" {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func writeHTML(parts []part, layout int) string {
	var b strings.Builder
	for _, p := range parts {
		if p.head != "" {
			fmt.Fprintf(&b, []string{"<h3>%s</h3>", "<div><b>%s</b></div>", "<p><strong>%s:</strong></p>"}[layout%3], p.head)
		}
		item, open, end := "<li>%s</li>", "<ul>", "</ul>"
		if layout%2 == 1 || p.head == "" {
			item, open, end = "<div>- %s</div>", "", "<div><br></div>"
		}
		if p.head == "" {
			item = "<p>%s</p>"
		}
		b.WriteString(open)
		for _, line := range p.lines {
			fmt.Fprintf(&b, item, html.EscapeString(line))
		}
		b.WriteString(end)
	}
	return b.String()
}

func writeADF(parts []part, layout int) string {
	type node map[string]any
	text := func(s string, bold bool) []node {
		n := node{"type": "text", "text": s}
		if bold {
			n["marks"] = []node{{"type": "strong"}}
		}
		return []node{n}
	}
	var content []node
	for _, p := range parts {
		var items []node
		for _, line := range p.lines {
			paragraph := node{"type": "paragraph", "content": text(line, false)}
			if p.head == "" {
				content = append(content, paragraph)
				continue
			}
			items = append(items, node{"type": "listItem", "content": []node{paragraph}})
		}
		if p.head == "" {
			continue
		}
		head := node{"type": "heading", "attrs": node{"level": 3}, "content": text(p.head, false)}
		if layout%2 == 1 {
			head = node{"type": "paragraph", "content": text(p.head+":", true)}
		}
		kind := []string{"bulletList", "orderedList"}[layout%3%2]
		content = append(content, head, node{"type": kind, "content": items})
	}
	raw, _ := json.Marshal(node{"type": "doc", "version": 1, "content": content})
	return string(raw)
}

func writePlain(parts []part, layout int) string {
	var b strings.Builder
	for _, p := range parts {
		if p.head != "" {
			b.WriteString(p.head + ":\n")
		}
		for i, line := range p.lines {
			switch {
			case p.head == "":
			case layout%3 == 0:
				line = "• " + line
			case layout%3 == 1:
				line = fmt.Sprintf("%d) %s", i+1, line)
			default:
				line = "- " + line
			}
			b.WriteString(line + "\n")
		}
		if layout%2 == 0 || p.head == "" {
			b.WriteString("\n")
		}
	}
	return b.String()
}
