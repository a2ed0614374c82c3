package ticket

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Me says under which names the user's tickets are assigned in a project, and
// returns those that are known. Without names it changes nothing, unless forget
// drops those that were said before.
func (s *Store) Me(ctx context.Context, c caller.Caller, names []string, forget bool) (known []string, err error) {
	for i := range names {
		if names[i], err = text.Name("name", names[i]); err != nil {
			return nil, err
		}
	}
	change := func(tx *registry.Tx) error {
		who, err := c.Writes(tx)
		if err != nil {
			return err
		}
		if err := work.SetOwnNames(tx, who.Project.ID, "user", names); err != nil {
			return err
		}
		tx.Changed(registry.TopicTickets, who.Project.ID, "")
		known, err = work.OwnNames(tx, who.Project.ID)
		return err
	}
	if len(names) > 0 || forget {
		err = s.DB.Write(ctx, registry.Named, change)
		return append([]string{}, known...), err
	}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		who, err := c.Reads(tx)
		if err != nil {
			return err
		}
		known, err = work.OwnNames(tx, who.Project.ID)
		return err
	})
	return append([]string{}, known...), err
}
