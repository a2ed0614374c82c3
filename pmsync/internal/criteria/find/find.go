// Package find finds the acceptance criteria of a ticket in the tree of its
// description, and pairs the criteria of two readings of one ticket.
//
// It reads in tiers, and the first that holds criteria decides: acceptance criteria
// that the author called so (sections, labels, table columns, scenarios); then
// sections that are requirements; then task lists; then sentences with must or
// should. Sections with lists of another kind (definition of
// done, tasks, steps to reproduce, what is out of scope) never count.
//
// The package is pure: it knows no ticket, no store and no time.
package find

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// Form is the way a criterion was written.
type Form string

// The forms.
const (
	FormList     Form = "list"
	FormTask     Form = "task"
	FormNumbered Form = "numbered"
	FormScenario Form = "scenario"
	FormTable    Form = "table"
	FormText     Form = "text"     // a line or paragraph of a criteria section
	FormSentence Form = "sentence" // a must, should or shall sentence outside one
)

// Criterion is a criterion found in a description.
type Criterion struct {
	Text     string // one line, without markup, bullet, number or closing colon
	Label    string // what the author calls it ("AC1", "Scenario 2"), or empty
	Position int    // its index among the criteria found, from 0
	Parent   int    // the position of the criterion it is nested in, or -1
	Done     bool   // its checkbox is checked
	Form     Form
	Section  string // the headings above it inside the criteria ("Backend"), or empty
	Why      string // what in the text makes it a criterion, as a clause: `it stands below "Acceptance criteria"`
	Unsure   bool   // not called a criterion by its author: it may only describe the wish
}

// maxCriteria and maxText (in bytes) bound what one description yields.
const (
	maxCriteria = 500
	maxText     = 4000
)

// Criteria returns the criteria of a description in the order of the text,
// without duplicates. Nested ones follow their parent.
func Criteria(doc description.Document) []Criterion {
	sections := sectionsOf(doc.Blocks)
	excludeTests(sections)
	tiers := []func(*collector, []*section){explicit, requirements, taskLists, sentences}
	// When the author left the section for criteria empty, boxes and sentences elsewhere must not take its place.
	if slices.ContainsFunc(sections, func(s *section) bool { return s.means == accepts }) {
		tiers = tiers[:2]
	}
	for _, tier := range tiers {
		c := &collector{seen: map[string]bool{}}
		if tier(c, sections); len(c.found) > 0 {
			return c.found
		}
	}
	return nil
}

// Field returns the criteria of a text that holds nothing else, such as the field that Azure DevOps has for them: lists and lines count
// without a heading.
func Field(doc description.Document) []Criterion {
	sections := sectionsOf(doc.Blocks)
	sections[0].means = accepts
	sections[0].title = "the tracker's field for acceptance criteria"
	c := &collector{seen: map[string]bool{}}
	explicit(c, sections)
	return c.found
}

// collector keeps the found criteria in order, without duplicates.
type collector struct {
	found  []Criterion
	seen   map[string]bool
	labels map[string]Form // first form of each named criterion
	reason                 // of the criteria added next
}

// twice reports whether a criterion of this name was written in another form before: a table and scenarios often repeat the same criteria.
func (c *collector) twice(label string, form Form) bool {
	key := labelKey(label)
	if named, _ := cutLabel(label + " "); named == "" || key == "" {
		return false
	}
	if first, known := c.labels[key]; known {
		return first != form && (first == FormTable || form == FormTable)
	}
	if c.labels == nil {
		c.labels = map[string]Form{}
	}
	c.labels[key] = form
	return false
}

// add keeps a criterion and returns its position. It returns -1 for an empty or known criterion, a placeholder, and a text that is not a
// criterion here.
func (c *collector) add(n Criterion) int {
	if n.Text = strings.TrimRight(strings.TrimSpace(n.Text), " :"); len(n.Text) > maxText {
		n.Text = strings.ToValidUTF8(n.Text[:maxText], "") + "…"
	}
	if isPlaceholder(n.Text) || len(c.found) >= maxCriteria || n.Form != FormScenario && (isOther(n.Text) || c.takes != nil && !c.takes(n.Text)) || c.twice(n.Label, n.Form) {
		return -1
	}
	n.Why, n.Unsure = c.of(n)
	key := Key(n.Text)
	if n.Parent >= 0 {
		key = Key(c.found[n.Parent].Text) + "\n" + key
	}
	if key == "" || c.seen[key] {
		return -1
	}
	c.seen[key] = true
	n.Position = len(c.found)
	c.found = append(c.found, n)
	return n.Position
}

// reason explains why a part of the text is read for criteria, and limits the lines that count.
type reason struct {
	why    string                 // a clause; empty where each criterion's form is the reason
	unsure bool                   // their author did not call them criteria
	sure   func(text string) bool // reports which ones are sure nevertheless
	takes  func(text string) bool // reports which lines of this part count; nil for all
}

// of returns the reason of one criterion.
func (r reason) of(n Criterion) (why string, unsure bool) {
	switch {
	case r.why != "":
		return r.why, r.unsure && (r.sure == nil || !r.sure(n.Text))
	case n.Form == FormScenario:
		return "it is a scenario of given, when and then", false
	case n.Form == FormTable:
		return "its column is called acceptance criteria", false
	}
	return "it is named " + strings.TrimSpace(n.Label), false
}

// below returns the reason for the content of a section.
func below(title string) string { return `it stands below "` + cleanTitle(title) + `"` }

// titleOf returns the title of the nearest section around s with a meaning.
func titleOf(s *section, means meaning) string {
	for ; s != nil; s = s.parent {
		if s.means == means {
			return s.title
		}
	}
	return ""
}
