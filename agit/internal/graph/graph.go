// Package graph is the project knowledge graph: projects, epics, bugs, test scenarios and artifacts around agit's tasks. It writes
// `epics`, `bugs`, `artifacts`, `scenarios` and `scenario_tasks`; tasks change through package task, items and edges through
// shared/work. Results have the JSON form of the pm_* tools, and a Store is safe for concurrent use.
//
// project.go, epic.go, bug.go, scenario.go and artifact.go write one kind each, plan.go and import.go many at once, walk.go the edges
// between them, which it also follows. status.go, progress.go and critical.go report progress; picture.go and picture_text.go draw
// them, log.go lists events.
package graph

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// Store reads and changes the graph in one registry.
type Store struct {
	DB         *registry.DB
	Tasks      *task.Store
	StaleAfter time.Duration // silence after which an agent is not counted; 0 means never
}

// write runs a change in the name of an agent, "" for none, and returns its result; fn names the affected projects.
func write[T any](ctx context.Context, s *Store, agentName string, fn func(tx *registry.Tx, by int64) (T, error)) (made T, err error) {
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		var by agent.Agent
		if agentName != "" {
			if by, err = agent.Caller(tx, agentName); err != nil {
				return err
			}
		}
		made, err = fn(tx, by.ID)
		return err
	})
	return made, err
}

// listed returns what find finds among the items of a project, "" for all.
func listed[T any](ctx context.Context, s *Store, projectID string, find func(tx *registry.Tx, where string, args ...any) ([]T, error)) ([]T, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) ([]T, error) {
		where, args, err := inProject(tx, projectID)
		if err != nil {
			return nil, err
		}
		return find(tx, where, args...)
	})
}

// find returns an item of a kind by its id and names its project to the transaction. field is the parameter's name in errors.
func find(tx *registry.Tx, kind work.Kind, field, id string) (work.Item, error) {
	if strings.TrimSpace(id) == "" {
		return work.Item{}, fault.Validation(field, "no %s is named", kind).WithHint("give its id")
	}
	item, err := work.Find(tx, kind, id)
	switch {
	case fault.Is(err, fault.KindNotFound):
		return item, fault.NotFound(string(kind), id).WithHint("%s", lists[kind])
	case err != nil:
		return item, err
	}
	return item, tx.In(item.ProjectID)
}

// lists are the commands that list the items of a kind.
var lists = map[work.Kind]string{
	work.KindTask: "`agit tasks --all` lists them", work.KindEpic: "`agit epic list` lists them", work.KindBug: "`agit bug list --all` lists them",
	work.KindScenario: "`agit scenario list` lists them", work.KindArtifact: "`agit artifact list` lists them",
}

// body joins a name and a description in the form that an item stores: the first line, then the rest.
func body(name, description string) string {
	if description == "" || description == name || strings.HasPrefix(description, name+"\n") {
		return cmp.Or(description, name)
	}
	return name + "\n\n" + description
}

// rest returns the description of an item without its name.
func rest(i work.Item) string {
	if i.Description == i.Title {
		return ""
	}
	return strings.TrimSpace(strings.TrimPrefix(i.Description, i.Title))
}
