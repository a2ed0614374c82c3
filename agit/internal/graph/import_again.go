package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// settle finds the project of a tracker's plan and prefixes its ids when another project has them: every Task Master project has
// a task 1. An earlier import is found again by its prefix.
func (i *importer) settle() (err error) {
	if !i.o.Tolerant {
		return nil
	}
	in := task.New{Repo: i.o.Repo}
	if in.Repo == "" {
		in.Project = i.o.Project
	}
	if i.home, err = task.ProjectOf(i.tx, in); err != nil || i.home == 0 {
		return err
	}
	prefix := i.o.Prefix
	if prefix == "" {
		p, err := project.ByID(i.tx, i.home)
		if err != nil {
			return err
		}
		prefix = strings.Join(strings.Fields(p.Name), "-") + "-"
		taken, err := i.takenElsewhere(prefix)
		if err != nil || !taken {
			return err
		}
		i.out.Notes = append(i.out.Notes, fmt.Sprintf("ids that another project has already: all of this plan begin with %q here", prefix))
	}
	mine := map[string]bool{}
	for _, e := range i.plan {
		mine[text.Key(e.ID)] = e.ID != ""
	}
	rename := func(id string) string {
		if mine[text.Key(id)] {
			return prefix + id
		}
		return id
	}
	for n := range i.plan {
		e := &i.plan[n]
		for _, id := range []*string{&e.ID, &e.Source, &e.Target, &e.Parent, &e.Epic} {
			*id = rename(*id)
		}
		for k, id := range e.DependsOn {
			e.DependsOn[k] = rename(id)
		}
	}
	return nil
}

// takenElsewhere reports whether an id of the plan belongs to another project, or was imported under the prefix before.
func (i *importer) takenElsewhere(prefix string) (bool, error) {
	var refs []string
	for _, e := range i.plan {
		if e.ID != "" && e.Kind != "dependency" {
			refs = append(refs, e.ID, prefix+e.ID)
		}
	}
	found, err := work.FindMany(i.tx, refs)
	if err != nil {
		return false, err
	}
	taken := false
	for _, e := range i.plan {
		if slices.ContainsFunc(found[text.Key(prefix+e.ID)], func(item work.Item) bool { return item.ProjectID == i.home }) {
			return true, nil
		}
		others := found[text.Key(e.ID)]
		if slices.ContainsFunc(others, func(item work.Item) bool { return item.ProjectID == i.home }) {
			return false, nil // an earlier import used no prefix
		}
		taken = taken || len(others) > 0
	}
	return taken, nil
}

// exists reports whether an entry of a tracker must not be created: it was imported before, has another kind here, or was deleted here.
func (i *importer) exists(e PlanEntry, kind work.Kind) bool {
	if !i.o.Tolerant || e.ID == "" {
		return false
	}
	for _, item := range i.known[text.Key(e.ID)] {
		if item.ProjectID == i.home {
			i.out.Existing = append(i.out.Existing, item.Ref)
			if item.Kind != kind {
				i.out.Notes = append(i.out.Notes, fmt.Sprintf("%s is %s there and %s here: it was left as it is", item.Ref, articled(kind), articled(item.Kind)))
			}
			return true
		}
	}
	if !i.gone[text.Key(e.ID)] {
		return false
	}
	i.deleted[text.Key(e.ID)] = true
	return true
}

// goneHere finds which of some ids were deleted in the plan's project.
func (i *importer) goneHere(refs []string) error {
	i.gone = map[string]bool{}
	for part := range slices.Chunk(refs, 400) {
		args := []any{i.home}
		for _, ref := range part {
			args = append(args, text.Key(ref))
		}
		keys, err := registry.Collect(i.tx, registry.One[string], `SELECT ref_key FROM items WHERE deleted_at IS NOT NULL AND project_id + 0 = ? AND ref_key IN (`+
			strings.TrimSuffix(strings.Repeat("?, ", len(part)), ", ")+`)`, args...)
		if err != nil {
			return err
		}
		for _, key := range keys {
			i.gone[key] = true
		}
	}
	return nil
}

func articled(kind work.Kind) string {
	if kind == work.KindEpic {
		return "an epic"
	}
	return "a " + string(kind)
}

// standing reports whether an edge between two items from an earlier import is left alone: an edge that was removed here does not come
// back.
func (i *importer) standing(source, target work.Item, relation work.Relation) (bool, error) {
	if !i.o.Tolerant || i.fresh[source.ID] || i.fresh[target.ID] {
		return false, nil
	}
	field := string(relation)
	switch relation {
	case work.Blocks:
		field = "blocked_by"
	case work.ParentOf:
		field = "parent"
	}
	return registry.One[bool](i.tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM item_history WHERE item_id = ? AND field = ? AND old = ?)`, target.ID, field, source.Ref))
}

// waitOutside lets a new task wait for a blocker of the plan that could not be stored: an agent must not begin a task that may still be
// blocked.
func (i *importer) waitOutside(p planned) (bool, error) {
	if p.relation != work.Blocks || !i.dropped[text.Key(p.source)] {
		return false, nil
	}
	target, err := i.find(p.target)
	if err != nil || !i.fresh[target.ID] || target.State != work.StateOpen {
		return false, nil // the missing item is reported
	}
	return true, work.AddOutside(i.tx, target.ID, work.Outside{Ref: text.FirstLine(p.source, 100)}, work.Event{Agent: i.by, Actor: "import"})
}
