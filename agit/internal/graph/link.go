package graph

import (
	"context"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// Link is a relationship between two items, by their ids.
type Link struct {
	A             string `json:"source"`
	Relation      string `json:"relation"`
	B             string `json:"target"`
	Bidirectional bool   `json:"bidirectional,omitempty"`
	Notes         string `json:"notes,omitempty"`
	Agent         string `json:"-"`
}

// AddLink relates two items and returns the relationship with their canonical ids.
func (s *Store) AddLink(ctx context.Context, l Link) (Link, error) {
	return s.link(ctx, l, work.Link)
}

// RemoveLink removes a relationship. It returns a NotFound fault when the relationship does not exist.
func (s *Store) RemoveLink(ctx context.Context, l Link) (Link, error) {
	return s.link(ctx, l, func(tx *registry.Tx, e work.Edge) error {
		found, err := work.Unlink(tx, e)
		if err == nil && !found {
			return fault.NotFound("relationship", l.A+" "+l.Relation+" "+l.B).WithHint("`agit tasks show ID` shows what a task waits for")
		}
		return err
	})
}

func (s *Store) link(ctx context.Context, l Link, change func(*registry.Tx, work.Edge) error) (Link, error) {
	return write(ctx, s, l.Agent, func(tx *registry.Tx, by int64) (Link, error) {
		a, err := work.Find(tx, "", l.A)
		if err != nil {
			return l, err
		}
		b, err := work.Find(tx, "", l.B)
		if err != nil {
			return l, err
		}
		for _, end := range []work.Item{a, b} {
			if err := tx.In(end.ProjectID); err != nil {
				return l, err
			}
		}
		l.A, l.B = a.Ref, b.Ref
		tx.Changed(registry.TopicTasks, b.ProjectID, b.Ref)
		return l, change(tx, work.Edge{Source: a.ID, Target: b.ID, Relation: work.Relation(l.Relation),
			Bidirectional: l.Bidirectional, Notes: l.Notes, By: by})
	})
}
