package record

import (
	"context"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// Pushed announces to every server that commits are about to be pushed, so that they store their buffers.
func (s *Store) Pushed(ctx context.Context, place project.Place) error {
	return s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		p, err := place.Find(tx)
		if err != nil && !fault.Is(err, fault.KindNotFound) {
			return err
		}
		tx.Changed(registry.TopicPush, p.ID, "")
		return tx.In(p.ID)
	})
}
