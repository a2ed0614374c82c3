package task

import (
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// MakeMany is Make for whole plans, by few statements. The caller links the tasks to their dependencies and origins. When a task cannot be
// made, refused gets the error with the task's index; an error that refused returns ends MakeMany.
func MakeMany(tx *registry.Tx, all []New, refused func(i int, err error) error) ([]work.Item, error) {
	type where struct{ repo, project, epic, parent string }
	places, agents := map[where]place{}, map[string]int64{"": 0}
	items := make([]work.NewItem, 0, len(all))
	at := make([]place, len(all))
	index := make([]int, 0, len(all)) // of items in all
	for i, n := range all {
		key := where{n.Repo, n.Project, n.Epic, n.Parent}
		found, known := places[key]
		if !known || n.Origin != "" {
			var err error
			if found, err = n.place(tx); err != nil {
				if err := refused(i, err); err != nil {
					return nil, err
				}
				continue
			}
			if err := tx.In(found.Project); err != nil {
				return nil, err
			}
			places[key] = place{Place: found.Place, parent: found.parent}
		}
		if _, known := agents[n.Agent]; !known {
			a, err := agent.Caller(tx, n.Agent)
			if err != nil {
				return nil, err
			}
			agents[n.Agent] = a.ID
		}
		item := n.item(found, agents[n.Agent])
		item.State, item.CreatedAt = work.StateOpen, n.CreatedAt
		switch n.Status {
		case Completed:
			item.Status, item.State = n.Status, work.StateDone
		case Failed:
			item.Status, item.State = n.Status, work.StateDropped
		}
		at[i] = found
		index, items = append(index, i), append(items, item)
	}
	made, err := work.CreateMany(tx, items, func(i int, err error) error { return refused(index[i], err) })
	if err != nil {
		return nil, err
	}
	out := make([]work.Item, len(all))
	rows := make([][]any, 0, len(made))
	for i, item := range made {
		if item.ID == 0 {
			continue
		}
		n := index[i]
		out[n] = item
		rows = append(rows, []any{item.ID, registry.NullIfZero(at[n].Repo)})
		if len(all[n].Capabilities) > 0 {
			if err := work.SetCapabilities(tx, item.ID, all[n].Capabilities); err != nil {
				return nil, err
			}
		}
		tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
	}
	return out, tx.InsertRows(`INSERT INTO tasks (item_id, repo_id) VALUES`, rows, "", nil)
}
