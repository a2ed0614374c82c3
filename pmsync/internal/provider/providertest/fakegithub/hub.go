package fakegithub

import (
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

// hub is the state of the server.
type hub struct {
	now    func() time.Time
	serial int64
	repos  []*repo
	people []string
	board  *board
}

type repo struct {
	id         int64
	name       string // owner/name
	next       int
	issues     []*issue
	byNumber   map[int]*issue
	gone       map[int]bool   // deleted
	moved      map[int]*issue // transferred, by the number that it had
	labels     []string
	milestones []*milestone
	disabled   bool // issues are
}

type milestone struct {
	number int
	title  string
	due    *time.Time
	closed bool
}

type issue struct {
	id        int64
	number    int
	repo      *repo
	title     string
	body      string
	closed    bool
	reason    string
	labels    []string
	assignees []string
	milestone *milestone
	kind      string
	pull      bool
	parent    *issue
	blockedBy []*issue
	author    string
	created   time.Time
	updated   time.Time
	comments  []*comment
	writes    map[string]int
}

type comment struct {
	id      int64
	body    string
	author  string
	created time.Time
}

// The labels that stand for a state or a priority, as teams have them.
var (
	stateLabels    = []string{"in progress", "in review"}
	priorityLabels = []string{"priority: low", "priority: medium", "priority: high", "priority: critical"}
	plainLabels    = []string{"backend", "docs", "frontend", "needs design"}
)

func newHub(now func() time.Time) *hub {
	w := &hub{now: now, serial: 1_000_000, people: []string{"ann", "ben", "cleo", "dora"}}
	w.board = newBoard(now)
	for i, name := range []string{Repo, Other} {
		r := &repo{id: 4400 + int64(i), name: name, byNumber: map[int]*issue{}, gone: map[int]bool{}, moved: map[int]*issue{}}
		r.labels = slices.Concat(stateLabels, priorityLabels, plainLabels)
		due := now().Add(14 * 24 * time.Hour)
		r.milestones = []*milestone{{number: 1, title: "Sprint 1", due: &due}, {number: 2, title: "Later"}}
		w.repos = append(w.repos, r)
	}
	return w
}

func (w *hub) id() int64 {
	w.serial++
	return w.serial
}

// add makes an issue.
func (w *hub) add(r *repo, title, author string) *issue {
	r.next++
	i := &issue{id: w.id(), number: r.next, repo: r, title: title, author: author, created: w.now(), updated: w.now(), writes: map[string]int{}}
	r.issues = append(r.issues, i)
	r.byNumber[i.number] = i
	return i
}

func (w *hub) touch(i *issue) { i.updated = w.now() }

// remove takes an issue out of its repository.
func (w *hub) remove(i *issue) {
	w.board.items = slices.DeleteFunc(w.board.items, func(p *boardItem) bool { return p.issue == i })
	r := i.repo
	r.issues = slices.DeleteFunc(r.issues, func(o *issue) bool { return o == i })
	delete(r.byNumber, i.number)
	for _, o := range r.issues {
		if o.parent == i {
			o.parent = nil
		}
		o.blockedBy = slices.DeleteFunc(o.blockedBy, func(b *issue) bool { return b == i })
	}
}

func (w *hub) repo(name string) *repo {
	return providertest.First(w.repos, func(r *repo) bool { return strings.EqualFold(r.name, name) })
}

// milestone is one by its number as JSON has it; nil for none.
func (r *repo) milestone(number any) *milestone {
	n, _ := number.(float64) // milestones begin with 1
	return providertest.First(r.milestones, func(m *milestone) bool { return m.number == int(n) })
}

func (r *repo) issue(id float64) *issue {
	return providertest.First(r.issues, func(i *issue) bool { return i.id == int64(id) })
}

// label adds a label to an issue, which comes into being where the repository lacks it.
func (i *issue) label(name string) {
	for _, l := range i.repo.labels {
		if strings.EqualFold(l, name) {
			name = l
		}
	}
	if !slices.Contains(i.repo.labels, name) {
		i.repo.labels = append(i.repo.labels, name)
	}
	if !slices.Contains(i.labels, name) {
		i.labels = append(i.labels, name)
	}
}

func (i *issue) unlabel(name string) (had bool) {
	before := len(i.labels)
	i.labels = slices.DeleteFunc(i.labels, func(l string) bool { return strings.EqualFold(l, name) })
	return len(i.labels) < before
}

// field is what a label is about.
func field(label string) string {
	switch {
	case slices.Contains(stateLabels, label):
		return "status"
	case slices.Contains(priorityLabels, label):
		return "priority"
	}
	return "labels"
}
