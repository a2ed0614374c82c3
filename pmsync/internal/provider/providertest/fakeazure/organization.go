package fakeazure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

type (
	person struct{ id, name, mail string }

	project struct {
		id, name string
		types    []*itemType
		bin      []*item
	}
	state    struct{ name, category string }
	itemType struct {
		name, category string
		states         []state
		steps          map[string][]string
	}
	link struct {
		rel     string
		other   *item
		address string // for a link that is not to an item
		comment string
		size    int64 // of a file
	}
	comment struct {
		id       int
		text     string
		markdown bool
		by       *person
		at       time.Time
	}
	item struct {
		id, rev          int
		project          *project
		kind             *itemType
		title, body      string
		criteria         string
		state            string
		priority         int // 1–4, 0 when absent
		tags             []string
		assignee         *person
		author           *person
		sprint           string
		due              string
		estimate         *float64
		severity         string
		created, changed time.Time
		links            []link
		comments         []*comment
		deleted          bool
		at               time.Time // time of deletion
		hidden           bool      // the token may not read it
		writes           map[string]int
	}
)

// organization is the whole content.
type organization struct {
	now      func() time.Time
	people   []*person
	projects []*project
	items    []*item // by id, ascending
	byID     map[int]*item
	tags     []string
	serial   int
	comments int
}

func newOrganization(now func() time.Time) *organization {
	w := &organization{now: now, byID: map[int]*item{}, serial: 100, tags: []string{"backend", "bug", "urgent: now", "ünïcode"}}
	for i, name := range []string{"Ann Archer", "Bob Baker", "Cäcilie Öz"} {
		w.people = append(w.people, &person{fmt.Sprintf("a11c0000-0000-4000-8000-%012d", i), name, strings.ToLower(strings.Fields(name)[0]) + "@example.com"})
	}
	for i, name := range []string{Project, OtherProject} {
		w.projects = append(w.projects, &project{id: []string{ProjectID, otherID}[i], name: name, types: process()})
	}
	return w
}

// process are the types of an agile process to which the team added a second in-progress state.
func process() []*itemType {
	levels := []state{{"New", "Proposed"}, {"Active", "InProgress"}, {"In Review", "InProgress"}, {"Resolved", "Resolved"}, {"Closed", "Completed"}, {"Removed", "Removed"}}
	steps := map[string][]string{
		"": {"New"}, "New": {"Active", "In Review", "Removed"}, "Active": {"New", "In Review", "Resolved", "Closed", "Removed"}, "In Review": {"Active", "Resolved"},
		"Resolved": {"Active", "Closed"}, "Closed": {"Active", "Resolved"}, "Removed": {"New"},
	}
	var out []*itemType
	for _, t := range [][2]string{{"Epic", "Microsoft.EpicCategory"}, {"Feature", "Microsoft.FeatureCategory"}, {"User Story", "Microsoft.RequirementCategory"},
		{"Bug", "Microsoft.BugCategory"}, {"Task", "Microsoft.TaskCategory"}, {"Test Suite", "Microsoft.HiddenCategory"}, {"Incident", "Microsoft.BugCategory"}} {
		out = append(out, &itemType{t[0], t[1], levels, steps})
	}
	return out
}

func (w *organization) project(id string) *project {
	return providertest.First(w.projects, func(p *project) bool { return strings.EqualFold(p.id, id) || strings.EqualFold(p.name, id) })
}

// find returns an item by its id, deleted ones included; nil for none.
func (w *organization) find(id string) *item {
	n, _ := strconv.Atoi(id) // 0 is not an item
	return w.byID[n]
}

func (p *project) kind(name string) *itemType {
	return providertest.First(p.types, func(t *itemType) bool { return strings.EqualFold(t.name, name) })
}

func (w *organization) add(p *project, kind, title string) *item {
	w.serial++
	i := &item{id: w.serial, rev: 1, project: p, kind: p.kind(kind), title: title, state: "New", author: w.people[1], created: w.now(), changed: w.now(),
		sprint: p.name, writes: map[string]int{}}
	w.items = append(w.items, i)
	w.byID[i.id] = i
	return i
}

// touch creates a revision.
func (w *organization) touch(i *item) {
	i.rev++
	i.changed = w.now()
}

// back returns the links as the other item shows them.
var back = map[string]string{
	"System.LinkTypes.Hierarchy-Reverse": "System.LinkTypes.Hierarchy-Forward", "System.LinkTypes.Hierarchy-Forward": "System.LinkTypes.Hierarchy-Reverse",
	"System.LinkTypes.Dependency-Forward": "System.LinkTypes.Dependency-Reverse", "System.LinkTypes.Dependency-Reverse": "System.LinkTypes.Dependency-Forward",
	"System.LinkTypes.Duplicate-Forward": "System.LinkTypes.Duplicate-Reverse", "System.LinkTypes.Duplicate-Reverse": "System.LinkTypes.Duplicate-Forward",
	"System.LinkTypes.Related": "System.LinkTypes.Related",
}

// SeverityField is a field of the project, "Severity", which an incident requires.
const SeverityField = "Custom.Severity"

// severities are its allowed values.
var severities = []string{"Minor", "Major", "Critical"}

// link links two items; each shows the link.
func (w *organization) link(from *item, rel string, to *item) {
	from.links = append(from.links, link{rel: rel, other: to})
	to.links = append(to.links, link{rel: back[rel], other: from})
}

func (i *item) parent() *item {
	return providertest.First(i.links, func(l link) bool { return l.rel == "System.LinkTypes.Hierarchy-Reverse" }).other
}

func has(list []string, name string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
}

func (w *organization) person(id string) *person {
	return providertest.First(w.people, func(p *person) bool { return strings.EqualFold(p.mail, id) || p.name == id || p.id == id })
}
