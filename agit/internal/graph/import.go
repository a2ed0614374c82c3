package graph

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// PlanEntry is one entry of a plan: an epic, a task or a relationship. Line is its position in the file.
type PlanEntry struct {
	Line int    `json:"-"`
	Kind string `json:"kind"` // epic, task or dependency; derived from the list or the fields when empty

	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Title        string   `json:"title"` // same as Name
	Description  string   `json:"description"`
	Priority     any      `json:"priority"`
	Status       string   `json:"status"` // completed, failed and blocked are kept; others become pending
	Project      string   `json:"project"`
	Repo         string   `json:"repo"`
	Epic         string   `json:"epic"`
	Parent       string   `json:"parent"`
	DependsOn    []string `json:"dependsOn"`
	Dependencies []string `json:"dependencies"` // same as DependsOn
	Capabilities []string `json:"requiredCapabilities"`
	Estimate     string   `json:"estimatedDuration"`
	Assignee     string   `json:"-"` // in a tracker; reported, not stored

	// Held and Created are set for entries of a tracker: why the entry must not be worked on now, and how old it is.
	Held    string    `json:"-"`
	Created time.Time `json:"-"`

	Source   string `json:"source"`
	Relation string `json:"relation"` // blocks when empty
	Target   string `json:"target"`
}

// Kinds of entries by which a tracker's reader reports to the user: their Name is the sentence.
const (
	KindNote    = "note"
	KindLeftOut = "left_out"
)

// ParsePlanEntry parses an entry strictly; section is the list that contains it.
func ParsePlanEntry(line int, section string, document []byte) (e PlanEntry, err error) {
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		return e, at(line, fault.Validation("-", "%s", Unreadable(err)).
			WithHint("an entry has id, name, description, priority, status, epic, parent, dependsOn, requiredCapabilities, estimatedDuration; a dependency source, relation, target"))
	}
	e.Line = line
	switch {
	case section == "epics":
		e.Kind = "epic"
	case section == "dependencies" || e.Kind == "" && e.Source != "":
		e.Kind = "dependency"
	case e.Kind == "":
		e.Kind = "task"
	}
	if e.Kind != "epic" && e.Kind != "task" && e.Kind != "dependency" {
		return e, at(line, fault.Validation("kind", "kind %q is not known", e.Kind).WithHint("use epic, task or dependency"))
	}
	return e, nil
}

// Unreadable describes in JSON's terms why a document is not as expected.
func Unreadable(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	what := map[reflect.Kind]string{
		reflect.String: "a string", reflect.Slice: "a list", reflect.Map: "an object", reflect.Struct: "an object", reflect.Int: "a whole number", reflect.Bool: "true or false",
	}[wrong.Type.Kind()]
	if what == "" {
		what = "another value"
	}
	found, _, _ := strings.Cut(wrong.Value, " ")
	if found == "array" {
		found = "list"
	}
	article := "a "
	if strings.ContainsAny(found[:1], "aeiou") {
		article = "an "
	}
	if wrong.Field == "" {
		return fmt.Sprintf("there is %s%s where %s belongs", article, found, what)
	}
	return fmt.Sprintf("%s is %s%s where %s belongs", wrong.Field, article, found, what)
}

// at adds the line of the plan to an error.
func at(line int, err error) error {
	if line == 0 {
		return err
	}
	return fmt.Errorf("line %d: %w", line, err)
}

// ImportOptions control where a plan is imported to.
type ImportOptions struct {
	Project string // for entries that name no project and have no epic
	Repo    string // for the same entries
	Agent   string
	// Tolerant skips and reports relationships that dangle or close a cycle, and entries that cannot be stored. It is for plans of
	// trackers that allow them.
	Tolerant bool
	// Prefix is put before all ids of a tracker's plan. When it is empty and another project has some of the ids, the project's name
	// becomes the prefix.
	Prefix string
}

// Imported is the result of an import.
type Imported struct {
	Epics        []string `json:"epics"`
	Tasks        []string `json:"tasks"`
	Dependencies int      `json:"dependencies"`
	Existing     []string `json:"existing,omitempty"` // epics and tasks that existed already and were left unchanged
	Skipped      []string `json:"skipped,omitempty"`  // relationships left out, with the reasons
	Notes        []string `json:"notes,omitempty"`    // other things that were not imported
}

// Import stores a whole plan, in any order, all or nothing. With o.Tolerant, entries that the project already has are left unchanged
// and counted as existing, so that a tracker can be read again for new entries.
func (s *Store) Import(ctx context.Context, plan []PlanEntry, o ImportOptions) (Imported, error) {
	return write(ctx, s, o.Agent, func(tx *registry.Tx, by int64) (Imported, error) {
		i := &importer{tx: tx, o: o, by: by, plan: slices.Clone(plan), out: Imported{Epics: []string{}, Tasks: []string{}},
			deleted: map[string]bool{}, dropped: map[string]bool{}, fresh: map[int64]bool{}, named: map[int64]bool{}}
		for n, e := range plan {
			i.plan[n].Name, i.plan[n].DependsOn = cmp.Or(e.Name, e.Title), slices.Concat(e.DependsOn, e.Dependencies)
		}
		for _, step := range []func() error{i.settle, i.look, i.epics, i.tasks, i.relate, i.hold} {
			if err := step(); err != nil {
				return Imported{}, err
			}
		}
		i.tell()
		return i.out, nil
	})
}

// importer imports one plan into the registry.
type importer struct {
	tx    *registry.Tx
	o     ImportOptions
	by    int64
	plan  []PlanEntry
	known map[string][]work.Item // by the keys of their refs: existing and new items
	out   Imported

	home    int64           // the project of a tracker's plan
	gone    map[string]bool // ids in the plan whose items were deleted here
	deleted map[string]bool // those of entries
	dropped map[string]bool // those of unfinished entries that could not be stored
	fresh   map[int64]bool  // items that this import made
	named   map[int64]bool  // projects whose edges change
}

func (e PlanEntry) priority() (work.Priority, error) {
	if e.Priority == nil {
		return work.PriorityMedium, nil
	}
	return work.ParsePriority(fmt.Sprint(e.Priority))
}

// look finds the items that the plan names and that exist already.
func (i *importer) look() (err error) {
	var refs []string
	for _, e := range i.plan {
		for _, ref := range append([]string{e.ID, e.Source, e.Target, e.Parent}, e.DependsOn...) {
			if ref != "" {
				refs = append(refs, ref)
			}
		}
	}
	if i.known, err = work.FindMany(i.tx, refs); err != nil || !i.o.Tolerant {
		return err
	}
	return i.goneHere(refs)
}

func (i *importer) made(item work.Item) {
	key := text.Key(item.Ref)
	i.known[key] = append(i.known[key], item)
	i.fresh[item.ID] = true
}

func (i *importer) epics() error {
	for _, e := range i.plan {
		if e.Kind == "epic" {
			if err := i.epic(e); err != nil {
				return at(e.Line, err)
			}
		}
	}
	return nil
}

func (i *importer) epic(e PlanEntry) error {
	priority, err := e.priority()
	if err != nil {
		return err
	}
	n := NewEpic{ID: e.ID, Project: cmp.Or(e.Project, i.o.Project), Name: e.Name, Description: e.Description, Priority: priority}
	if n.Project == "" {
		return fault.Validation("project", "the project of epic %q is not known", e.ID).WithHint("name it in the entry or with --project")
	}
	if i.exists(e, work.KindEpic) {
		return nil
	}
	item, err := makeEpic(i.tx, n, i.by)
	if err != nil {
		return err
	}
	i.made(item)
	i.out.Epics = append(i.out.Epics, item.Ref)
	if e.Status == "" || e.Status == "pending" {
		return nil // its status comes from its tasks
	}
	return setEpicStatus(i.tx, item, e.Status, i.by)
}

func (i *importer) tasks() error {
	var news []task.New
	var from []PlanEntry
	for _, e := range i.plan {
		if e.Kind != "task" || i.exists(e, work.KindTask) {
			continue
		}
		n, err := i.task(e)
		if err != nil {
			if err := i.drop(e, err); err != nil {
				return err
			}
			continue
		}
		news, from = append(news, n), append(from, e)
	}
	items, err := task.MakeMany(i.tx, news, func(k int, err error) error { return i.drop(from[k], err) })
	if err != nil {
		return err
	}
	for _, item := range items {
		if item.ID != 0 {
			i.made(item)
			i.out.Tasks = append(i.out.Tasks, item.Ref)
		}
	}
	return nil
}

// drop skips an entry of a tracker that cannot be stored, and names it.
func (i *importer) drop(e PlanEntry, err error) error {
	if i.o.Tolerant && fault.Is(err, fault.KindValidation) {
		i.dropped[text.Key(e.ID)] = e.Status != task.Completed
		i.out.Skipped = append(i.out.Skipped, fmt.Sprintf("%s: %s", cmp.Or(e.ID, text.FirstLine(e.Name, 60)), fault.From(err).Message))
		return nil
	}
	return at(e.Line, err)
}

// task returns the task that an entry describes.
func (i *importer) task(e PlanEntry) (n task.New, err error) {
	if e.Name == "" && e.Description == "" {
		return n, fault.Validation("name", "the task has no name").WithHint("give it one")
	}
	n = task.New{ID: e.ID, Repo: e.Repo, Project: e.Project, Epic: e.Epic, Text: body(e.Name, e.Description), Capabilities: e.Capabilities, CreatedAt: e.Created}
	if n.Epic == "" && n.Project == "" && n.Repo == "" {
		n.Repo = i.o.Repo
		if n.Repo == "" {
			n.Project = i.o.Project
		}
	}
	switch e.Status {
	case "", task.Pending, task.Claimed, task.InProgress, task.Blocked: // no agent here has claimed it
	case task.Completed, task.Failed:
		n.Status = e.Status
	default:
		return n, fault.Validation("status", "task status %q is not known", e.Status).WithHint("use pending, blocked, completed or failed")
	}
	if n.Priority, err = e.priority(); err != nil {
		return n, err
	}
	n.Estimate, err = work.ParseDuration("estimatedDuration", e.Estimate)
	return n, err
}

// planned is an edge of a plan, by the names in the plan.
type planned struct {
	line           int
	source, target string
	relation       work.Relation
}

// relate links the entries once all of them exist.
func (i *importer) relate() error {
	var named []planned
	for _, e := range i.plan {
		if e.Kind == "dependency" {
			named = append(named, planned{e.Line, e.Source, e.Target, cmp.Or(work.Relation(e.Relation), work.Blocks)})
			continue
		}
		for _, id := range e.DependsOn {
			named = append(named, planned{e.Line, id, e.ID, work.Blocks})
		}
		if e.Parent != "" {
			named = append(named, planned{e.Line, e.Parent, e.ID, work.ParentOf})
		}
	}
	var edges []work.Edge
	var from []planned
	for _, p := range named {
		source, err := i.find(p.source)
		var target work.Item
		if err == nil {
			target, err = i.find(p.target)
		}
		if err != nil {
			if i.deleted[text.Key(p.source)] || i.deleted[text.Key(p.target)] {
				continue // reported with the deleted entries
			}
			if waits, err := i.waitOutside(p); err != nil {
				return err
			} else if waits {
				i.out.Notes = append(i.out.Notes, fmt.Sprintf("%s waits for %s, which did not come over", p.target, p.source))
				continue
			}
			if err := i.leaveOut(p, err); err != nil {
				return err
			}
			continue
		}
		left, err := i.standing(source, target, p.relation)
		if err != nil {
			return err
		}
		if left {
			continue
		}
		for _, end := range []work.Item{source, target} {
			if err := i.in(end.ProjectID); err != nil {
				return err
			}
		}
		edges = append(edges, work.Edge{Source: source.ID, Target: target.ID, Relation: p.relation, By: i.by})
		from = append(from, p)
	}
	var err error
	i.out.Dependencies, err = work.LinkMany(i.tx, edges, func(k int, err error) error { return i.leaveOut(from[k], err) })
	return err
}

// in names the project of an item that is not new to the transaction, once.
func (i *importer) in(projectID int64) error {
	if i.named[projectID] {
		return nil
	}
	i.named[projectID] = true
	return i.tx.In(projectID)
}

// find returns an item by its ref or by any other name of it.
func (i *importer) find(id string) (work.Item, error) {
	if found := i.known[text.Key(id)]; len(found) == 1 {
		return found[0], nil
	}
	return work.Find(i.tx, "", id)
}

// leaveOut records a relationship that cannot be made, where that is not an error.
func (i *importer) leaveOut(p planned, err error) error {
	if i.o.Tolerant && (fault.Is(err, fault.KindNotFound) || fault.Is(err, fault.KindConflict) || fault.Is(err, fault.KindValidation)) {
		i.out.Skipped = append(i.out.Skipped, fmt.Sprintf("%s %s %s: %s", p.source, p.relation, p.target, fault.From(err).Message))
		return nil
	}
	return at(p.line, err)
}

// hold holds back entries that were blocked in their tracker.
func (i *importer) hold() error {
	fresh := make(map[string]bool, len(i.out.Tasks))
	for _, ref := range i.out.Tasks {
		fresh[text.Key(ref)] = true
	}
	for _, e := range i.plan {
		if e.Status == task.Blocked && e.Held == "" {
			e.Held = "it was blocked where it came from"
		}
		if e.Kind != "task" || e.Held == "" || !fresh[text.Key(e.ID)] {
			continue
		}
		item, err := work.Find(i.tx, work.KindTask, e.ID)
		if err == nil {
			err = work.HoldBack(i.tx, item, work.Event{Agent: i.by, Why: e.Held})
		}
		if err != nil {
			return at(e.Line, err)
		}
	}
	return nil
}

// tell reports what the plan contains and the registry cannot store.
func (i *importer) tell() {
	running, assigned := 0, map[string]int{}
	old := make(map[string]bool, len(i.out.Existing))
	for _, ref := range i.out.Existing {
		old[text.Key(ref)] = true
	}
	if n := len(i.deleted); n > 0 {
		i.out.Notes = append(i.out.Notes, fmt.Sprintf("%d deleted here before: left out", n))
	}
	for _, e := range i.plan {
		switch e.Kind {
		case KindNote:
			i.out.Notes = append(i.out.Notes, e.Name)
			continue
		case KindLeftOut:
			i.out.Skipped = append(i.out.Skipped, e.Name)
			continue
		}
		if e.Kind == "dependency" || e.ID != "" && old[text.Key(e.ID)] {
			continue
		}
		if e.Kind == "task" && (e.Status == task.InProgress || e.Status == task.Claimed) {
			running++
		}
		if e.Assignee != "" {
			assigned[e.Assignee]++
		}
	}
	if running > 0 {
		i.out.Notes = append(i.out.Notes, fmt.Sprintf("%d in progress there: they are pending here, where no agent holds them yet", running))
	}
	for _, name := range slices.Sorted(maps.Keys(assigned)) {
		i.out.Notes = append(i.out.Notes, fmt.Sprintf("%d assigned to %s there: any agent can claim them here", assigned[name], name))
	}
}
