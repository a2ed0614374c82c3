package task

import (
	"fmt"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// Make is Create for one task inside a transaction of the caller's. Its dependencies must exist already.
func Make(tx *registry.Tx, n New) (work.Item, error) {
	var at place
	var by int64
	err := tx.Together(
		func() (err error) { at, err = n.place(tx); return err },
		func() error {
			if n.Agent == "" {
				return nil
			}
			a, err := agent.Caller(tx, n.Agent)
			by = a.ID
			return err
		},
	)
	if err == nil {
		err = tx.In(at.Project)
	}
	if err != nil {
		return work.Item{}, err
	}
	item, err := work.Create(tx, n.item(at, by))
	if err != nil {
		return item, err
	}
	if err := tx.Do(`INSERT INTO tasks (item_id, repo_id) VALUES (?, ?)`, item.ID, registry.NullIfZero(at.Repo)); err != nil {
		return item, err
	}
	if len(n.Capabilities) > 0 {
		if err := work.SetCapabilities(tx, item.ID, n.Capabilities); err != nil {
			return item, err
		}
	}
	for _, id := range n.DependsOn {
		if err := DependOn(tx, item, id, by); err != nil {
			return item, err
		}
	}
	tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
	if len(n.DependsOn) == 0 {
		return item, nil
	}
	return work.ByID(tx, item.ID) // it waits by now
}

// item is the item of a new task in its place.
func (n New) item(at place, by int64) work.NewItem {
	return work.NewItem{ProjectID: at.Project, Kind: work.KindTask, Ref: n.ID, Prefix: "t-", Text: n.Text, Status: Pending, Priority: n.Priority,
		ParentID: at.parent, OriginID: at.origin, Estimate: n.Estimate, By: by}
}

// DependOn makes a task wait for the task, ticket, plan or bug of that id.
func DependOn(tx *registry.Tx, item work.Item, id string, by int64) error {
	blocker, err := work.Find(tx, "", id)
	if fault.Is(err, fault.KindNotFound) {
		err = fault.NotFound("task", id).WithHint("create it before what depends on it")
	}
	if err != nil {
		return fmt.Errorf("a dependency of %q: %w", item.Ref, err)
	}
	return work.Link(tx, work.Edge{Source: blocker.ID, Target: item.ID, Relation: work.Blocks, By: by})
}

// place is the place of a new task, by surrogate ids; 0 is nowhere.
type place struct {
	Place
	parent, origin int64
}

func (n New) place(tx *registry.Tx) (at place, err error) {
	if at.Place, err = (Filter{Repo: n.Repo, Find: n.Find}).scope(tx); err != nil {
		return at, err
	}
	kind, parent := work.KindEpic, n.Epic
	if n.Parent != "" {
		kind, parent = work.KindTask, n.Parent
	}
	if parent != "" {
		item, err := work.Find(tx, kind, parent)
		if err != nil {
			return at, err
		}
		if at.Project != 0 && at.Project != item.ProjectID {
			return at, fault.Validation(string(kind)+"Id", "%s %q belongs to another project", kind, item.Ref).WithHint("name one of the same project")
		}
		at.Project, at.parent = item.ProjectID, item.ID
	}
	if n.Project != "" {
		p, err := project.Get(tx, n.Project)
		if err != nil {
			return at, err
		}
		if at.Project != 0 && at.Project != p.ID {
			return at, fault.Validation("projectId", "the task's repository or epic belongs to another project than %q", p.UID).
				WithHint("leave the project out")
		}
		at.Project = p.ID
	}
	if n.Origin != "" {
		origin, err := work.FindIn(tx, at.Project, "", n.Origin)
		if err != nil {
			return at, err
		}
		at.origin = origin.ID
		if at.Project == 0 {
			at.Project = origin.ProjectID
		}
	}
	if at.Project == 0 {
		return at, fault.Validation("project", "the project of the task is not known").WithHint("name a repository, an epic or a project")
	}
	return at, nil
}

// ProjectOf returns the project that a new task would belong to.
func ProjectOf(tx *registry.Tx, n New) (int64, error) {
	at, err := n.place(tx)
	return at.Project, err
}
