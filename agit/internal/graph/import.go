package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// PlanEntry is one thing of a plan: an epic, a task, or a relationship. Where it
// came from says Line.
type PlanEntry struct {
	Line int    `json:"-"`
	Kind string `json:"kind"` // epic, task or dependency; found from the list or the fields when empty

	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Title        string   `json:"title"` // as Name
	Description  string   `json:"description"`
	Priority     any      `json:"priority"`
	Status       string   `json:"status"` // completed, failed and blocked are kept; else pending
	Project      string   `json:"project"`
	Repo         string   `json:"repo"`
	Epic         string   `json:"epic"`
	Parent       string   `json:"parent"`
	DependsOn    []string `json:"dependsOn"`
	Dependencies []string `json:"dependencies"` // as DependsOn
	Capabilities []string `json:"requiredCapabilities"`
	Estimate     string   `json:"estimatedDuration"`

	Source   string `json:"source"`
	Relation string `json:"relation"` // blocks when empty
	Target   string `json:"target"`
}

// ParsePlanEntry reads an entry strictly; section is the list it stood in.
func ParsePlanEntry(line int, section string, document []byte) (e PlanEntry, err error) {
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		return e, at(line, fault.Validation("-", "%s", strings.TrimPrefix(err.Error(), "json: ")).
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

// at says which line of the plan an error is about.
func at(line int, err error) error {
	if line == 0 {
		return err
	}
	return fmt.Errorf("line %d: %w", line, err)
}

// ImportOptions say where a plan goes.
type ImportOptions struct {
	Project string // of entries that name none and have no epic
	Repo    string // likewise
	Agent   string
	// Tolerant leaves out relationships that dangle or close a cycle and reports
	// them, for plans of trackers that allow them.
	Tolerant bool
}

// Imported is what an import did.
type Imported struct {
	Epics        []string `json:"epics"`
	Tasks        []string `json:"tasks"`
	Dependencies int      `json:"dependencies"`
	Skipped      []string `json:"skipped,omitempty"` // relationships left out, and why
}

// Import makes a whole plan, in any order, all or nothing.
func (s *Store) Import(ctx context.Context, plan []PlanEntry, o ImportOptions) (out Imported, err error) {
	err = s.write(ctx, o.Agent, func(tx *registry.Tx, by int64) error {
		i := &importer{tx: tx, o: o, by: by, out: Imported{Epics: []string{}, Tasks: []string{}}}
		for _, step := range []func(PlanEntry) error{i.epic, i.task, i.relate, i.finish} {
			for _, e := range plan {
				if err := step(e); err != nil {
					return at(e.Line, err)
				}
			}
		}
		out = i.out
		return nil
	})
	return out, err
}

type importer struct {
	tx  *registry.Tx
	o   ImportOptions
	by  int64
	out Imported
}

func (e PlanEntry) name() string {
	if e.Name != "" {
		return e.Name
	}
	return e.Title
}

func (e PlanEntry) priority() (work.Priority, error) {
	if e.Priority == nil {
		return work.PriorityMedium, nil
	}
	return work.ParsePriority(fmt.Sprint(e.Priority))
}

func (i *importer) epic(e PlanEntry) error {
	if e.Kind != "epic" {
		return nil
	}
	priority, err := e.priority()
	if err != nil {
		return err
	}
	n := NewEpic{ID: e.ID, Project: e.Project, Name: e.name(), Description: e.Description, Priority: priority}
	if n.Project == "" {
		n.Project = i.o.Project
	}
	if n.Project == "" {
		return fault.Validation("project", "nothing says which project epic %q belongs to", e.ID).WithHint("name it in the entry or with --project")
	}
	item, err := makeEpic(i.tx, n, i.by)
	if err != nil {
		return err
	}
	i.out.Epics = append(i.out.Epics, item.Ref)
	if e.Status == "" || e.Status == "pending" {
		return nil // its tasks say it
	}
	return setEpicStatus(i.tx, item, e.Status, i.by)
}

func (i *importer) task(e PlanEntry) error {
	if e.Kind != "task" {
		return nil
	}
	if e.name() == "" && e.Description == "" {
		return fault.Validation("name", "the task has no name").WithHint("give it one")
	}
	n := task.New{ID: e.ID, Repo: e.Repo, Project: e.Project, Epic: e.Epic, Text: body(e.name(), e.Description), Capabilities: e.Capabilities}
	if e.name() == "" {
		n.Text = e.Description
	}
	if n.Epic == "" && n.Project == "" && n.Repo == "" {
		n.Repo = i.o.Repo
		if n.Repo == "" {
			n.Project = i.o.Project
		}
	}
	var err error
	if n.Priority, err = e.priority(); err != nil {
		return err
	}
	if n.Estimate, err = work.ParseDuration("estimatedDuration", e.Estimate); err != nil {
		return err
	}
	item, err := task.Make(i.tx, n)
	i.out.Tasks = append(i.out.Tasks, item.Ref)
	return err
}

// relate links an entry once everything is there.
func (i *importer) relate(e PlanEntry) error {
	if e.Kind == "dependency" {
		relation := work.Relation(e.Relation)
		if relation == "" {
			relation = work.Blocks
		}
		return i.link(e.Source, relation, e.Target)
	}
	for _, id := range append(e.DependsOn, e.Dependencies...) {
		if err := i.link(id, work.Blocks, e.ID); err != nil {
			return err
		}
	}
	if e.Parent != "" {
		return i.link(e.Parent, work.ParentOf, e.ID)
	}
	return nil
}

func (i *importer) link(source string, relation work.Relation, target string) error {
	err := func() error {
		a, err := work.Find(i.tx, "", source)
		if err != nil {
			return err
		}
		b, err := work.Find(i.tx, "", target)
		if err != nil {
			return err
		}
		return work.Link(i.tx, work.Edge{Source: a.ID, Target: b.ID, Relation: relation, By: i.by})
	}()
	if err != nil && i.o.Tolerant && (fault.Is(err, fault.KindNotFound) || fault.Is(err, fault.KindConflict) || fault.Is(err, fault.KindValidation)) {
		i.out.Skipped = append(i.out.Skipped, fmt.Sprintf("%s %s %s: %s", source, relation, target, fault.From(err).Message))
		return nil
	}
	if err == nil {
		i.out.Dependencies++
	}
	return err
}

// finish keeps what was finished before it came here.
func (i *importer) finish(e PlanEntry) error {
	if e.Kind != "task" || e.ID == "" && e.Status != "" && e.Status != task.Pending {
		return nil
	}
	states := map[string]work.State{task.Completed: work.StateDone, task.Failed: work.StateDropped}
	state, finished := states[e.Status]
	switch {
	case finished:
	case e.Status == task.Blocked:
		item, err := work.Find(i.tx, work.KindTask, e.ID)
		if err != nil {
			return err
		}
		return work.HoldBack(i.tx, item, work.Event{Agent: i.by, Why: "it was blocked where it came from"})
	case e.Status == "" || e.Status == task.Pending || e.Status == task.InProgress || e.Status == task.Claimed:
		return nil // nobody here holds it
	default:
		return fault.Validation("status", "task status %q is not known", e.Status).WithHint("use pending, blocked, completed or failed")
	}
	item, err := work.Find(i.tx, work.KindTask, e.ID)
	if err != nil {
		return err
	}
	return work.SetStatus(i.tx, &item, work.Move{Status: e.Status, State: state, Event: work.Event{Agent: i.by, Why: "imported"}})
}
