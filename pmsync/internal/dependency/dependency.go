// Package dependency relates tickets, plans, tasks and bugs to each other for pmsync's commands and tools. The edges themselves are
// shared/work's.
package dependency

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/lookup"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Relations lists the relations that an edge may have.
func Relations() []string {
	return []string{string(work.Blocks), string(work.ParentOf), string(work.DiscoveredFrom), string(work.RelatedTo)}
}

// Store runs transactions over edges.
type Store struct{ DB *registry.DB }

// End is one end of an edge as the caller names it; Kind may be empty.
type End struct{ ID, Kind string }

// Edge is an edge to add or remove. An empty Relation removes edges of every relation.
type Edge struct {
	Source, Target End
	Relation       string
	Notes          string
	Bidirectional  bool
}

// Dependency is an edge.
type Dependency struct {
	Source        string          `json:"source_id"`
	SourceType    work.Kind       `json:"source_type" wire:"-"`
	Target        string          `json:"target_id"`
	TargetType    work.Kind       `json:"target_type" wire:"-"`
	Relation      work.Relation   `json:"relation"`
	Notes         string          `json:"notes,omitempty" wire:"-"`
	Bidirectional bool            `json:"bidirectional,omitempty" wire:"-"`
	Outcome       string          `json:"outcome"` // created or unchanged
	BookedOn      caller.BookedOn `json:"booked_on" wire:"-"`
}

func (e Edge) ends(tx *registry.Tx, projectID int64) (source, target work.Item, err error) {
	if source, err = e.Source.find(tx, projectID, "source"); err != nil {
		return source, target, err
	}
	target, err = e.Target.find(tx, projectID, "target")
	return source, target, err
}

func (e End) find(tx *registry.Tx, projectID int64, side string) (work.Item, error) {
	kind, err := lookup.Kind(side+"_type", e.Kind)
	if err != nil {
		return work.Item{}, err
	}
	return lookup.Item(tx, projectID, kind, side+"_id", e.ID)
}

// Add adds an edge. An existing edge stays as it is.
func (s *Store) Add(ctx context.Context, c caller.Caller, e Edge) (d Dependency, err error) {
	if e.Notes, err = text.Body("notes", e.Notes); err != nil {
		return d, err
	}
	err = c.Write(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		source, target, err := e.ends(tx, who.Project.ID)
		if err != nil {
			return err
		}
		edge := work.Edge{Source: source.ID, Target: target.ID, Relation: work.Relation(e.Relation), Bidirectional: e.Bidirectional, Notes: e.Notes, By: who.AgentID}
		d = Dependency{Source: source.Ref, SourceType: source.Kind, Target: target.Ref, TargetType: target.Kind, Relation: edge.Relation,
			Notes: e.Notes, Bidirectional: e.Bidirectional, Outcome: "created", BookedOn: who.BookedOn()}
		arrows, err := work.Arrows(tx, []int64{edge.Target})
		if err != nil {
			return err
		}
		if slices.ContainsFunc(arrows, func(a work.Arrow) bool {
			return a.Source == edge.Source && a.Target == edge.Target && a.Relation == edge.Relation
		}) {
			d.Outcome = "unchanged"
			return nil
		}
		tx.Changed(registry.TopicTickets, target.ProjectID, target.Ref)
		return work.Link(tx, edge)
	})
	return d, err
}

// Removed is the result of a removal, with the number of removed edges.
type Removed struct {
	Source   string          `json:"source_id"`
	Target   string          `json:"target_id"`
	Removed  int             `json:"removed"`
	BookedOn caller.BookedOn `json:"booked_on" wire:"-"`
}

// Remove removes the edges from one item to another: those of a relation, or all. A bidirectional edge is found from either end.
func (s *Store) Remove(ctx context.Context, c caller.Caller, e Edge) (done Removed, err error) {
	if e.Relation != "" && !slices.Contains(Relations(), e.Relation) {
		return done, fault.Validation("relation", "relation %q is not known", e.Relation).WithHint("use blocks, parent_of, discovered_from or related_to, or leave it out for all")
	}
	err = c.Write(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		ended, err := e.endOutside(tx, who)
		if err != nil || ended.Removed > 0 {
			done = ended
			return err
		}
		source, target, err := e.ends(tx, who.Project.ID)
		if err != nil {
			return err
		}
		done = Removed{Source: source.Ref, Target: target.Ref, BookedOn: who.BookedOn()}
		arrows, err := work.Arrows(tx, []int64{source.ID})
		if err != nil {
			return err
		}
		for _, a := range arrows {
			along := a.Source == source.ID && a.Target == target.ID
			back := a.Bidirectional && a.Source == target.ID && a.Target == source.ID
			if !along && !back || e.Relation != "" && string(a.Relation) != e.Relation {
				continue
			}
			found, err := work.Unlink(tx, work.Edge{Source: a.Source, Target: a.Target, Relation: a.Relation, By: who.AgentID})
			if err != nil {
				return err
			}
			if found {
				done.Removed++
			}
		}
		tx.Changed(registry.TopicTickets, target.ProjectID, target.Ref)
		return nil
	})
	return done, err
}

// endOutside removes the source as a blocker of the target, when the source is an item that is not here.
func (e Edge) endOutside(tx *registry.Tx, who caller.Who) (done Removed, err error) {
	if e.Relation != "" && e.Relation != string(work.Blocks) {
		return done, nil
	}
	target, err := e.Target.find(tx, who.Project.ID, "target")
	if err != nil {
		return done, err
	}
	done = Removed{Source: e.Source.ID, Target: target.Ref, BookedOn: who.BookedOn()}
	found, err := work.EndOutside(tx, target.ID, e.Source.ID, work.Event{Agent: who.AgentID})
	if found {
		done.Removed = 1
		tx.Changed(registry.TopicTickets, target.ProjectID, target.Ref)
	}
	return done, err
}

// Neighbour is an item in a chain.
type Neighbour struct {
	ID         string          `json:"id"`
	Type       work.Kind       `json:"type"`
	Title      string          `json:"title"`
	Status     string          `json:"status"`
	Priority   int             `json:"priority"`
	Relation   work.Relation   `json:"relation"`
	Depth      int             `json:"depth"` // 1 is direct
	Resolved   bool            `json:"resolved"`
	ResolvedAt *timestamp.Time `json:"resolved_at,omitempty"`
}

// Query selects the chain of an item.
type Query struct {
	Item            End
	Recursive       bool
	IncludeResolved bool
}

func (q Query) depth() int {
	if q.Recursive {
		return work.MaxChain
	}
	return 1
}

// Blockers returns the items that keep an item waiting, directly or through its containers.
func (s *Store) Blockers(ctx context.Context, c caller.Caller, q Query) ([]Neighbour, error) {
	return s.chain(ctx, c, q, func(tx *registry.Tx, id int64) ([]work.Linked, error) {
		return work.ChainBefore(tx, id, q.depth(), q.IncludeResolved)
	})
}

// Dependents returns the items that wait for an item.
func (s *Store) Dependents(ctx context.Context, c caller.Caller, q Query) ([]Neighbour, error) {
	return s.chain(ctx, c, q, func(tx *registry.Tx, id int64) ([]work.Linked, error) { return work.ChainAfter(tx, id, q.depth()) })
}

func (s *Store) chain(ctx context.Context, c caller.Caller, q Query, walk func(*registry.Tx, int64) ([]work.Linked, error)) (all []Neighbour, err error) {
	err = c.Read(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		item, err := q.Item.find(tx, who.Project.ID, "item")
		if err != nil {
			return err
		}
		found, err := walk(tx, item.ID)
		all = make([]Neighbour, len(found))
		for i, l := range found {
			all[i] = Neighbour{ID: l.Ref, Type: l.Kind, Title: l.Title, Status: l.Status, Priority: int(l.Priority), Relation: work.Blocks, Depth: l.Depth, Resolved: l.Resolved}
			if l.Resolved && !l.FinishedAt.IsZero() {
				all[i].ResolvedAt = new(timestamp.Of(l.FinishedAt))
			}
		}
		return err
	})
	return all, err
}
