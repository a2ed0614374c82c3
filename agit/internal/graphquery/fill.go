package graphquery

import (
	"time"

	"github.com/agit-suite/agit/agit/internal/cypher/value"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

func fillTask(row registry.Scanner, n *value.Node) error {
	var status string
	var blocked bool
	var estimate, actual registry.Null[int64]
	var result, holder registry.Null[string]
	started, completed, err := fillItem(row, n, &status, &blocked, &estimate, &actual, &result, &holder)
	if err != nil {
		return err
	}
	if blocked {
		status = task.Blocked
	}
	n.Properties["status"] = status
	set(n, "assignedTo", holder.V)
	set(n, "result", result.V)
	set(n, "started", started)
	set(n, "completed", completed)
	for name, seconds := range map[string]registry.Null[int64]{"estimatedDuration": estimate, "actualDuration": actual} {
		if seconds.Valid {
			n.Properties[name] = work.FormatDuration(time.Duration(seconds.V) * time.Second)
		}
	}
	return nil
}

func fillAgent(row registry.Scanner, n *value.Node) error {
	var uid, name, kind, status, registered, seen string
	var current registry.Null[string]
	if err := row.Scan(&n.ID, &uid, &name, &kind, &status, &registered, &seen, &current); err != nil {
		return err
	}
	n.Properties["id"], n.Properties["name"], n.Properties["type"], n.Properties["status"] = uid, name, kind, status
	n.Properties["created"], n.Properties["lastActive"] = registered, seen
	set(n, "currentTask", current.V)
	return nil
}

// addCapabilities completes nodes with a list of another table, for all of them
// at once. A node without any has the empty list.
func addCapabilities(property string, in space, query string) func(*registry.Tx, []*value.Node) error {
	return func(tx *registry.Tx, nodes []*value.Node) error {
		lists := make(map[int64][]any, len(nodes))
		ids := make([]any, len(nodes))
		for i, n := range nodes {
			_, row := split(n.ID)
			ids[i] = row
		}
		type owned struct {
			row        int64
			capability string
		}
		found, err := registry.Collect(tx, func(row registry.Scanner) (o owned, err error) {
			return o, row.Scan(&o.row, &o.capability)
		}, query+marks(len(ids))+`) ORDER BY capability`, ids...)
		if err != nil {
			return err
		}
		for _, o := range found {
			lists[in.node(o.row)] = append(lists[in.node(o.row)], o.capability)
		}
		for _, n := range nodes {
			list := lists[n.ID]
			if list == nil {
				list = []any{}
			}
			n.Properties[property] = list
		}
		return nil
	}
}
