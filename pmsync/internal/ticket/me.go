package ticket

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Me sets the names under which the user's tickets are assigned in a project, and returns the known ones. Without names it changes nothing,
// unless forget drops the names set before.
func (s *Store) Me(ctx context.Context, c caller.Caller, names []string, forget bool) (known []string, err error) {
	for i := range names {
		if names[i], err = text.Name("name", names[i]); err != nil {
			return nil, err
		}
	}
	open, set := c.Read, len(names) > 0 || forget
	if set {
		open = c.Write
	}
	err = open(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		if set {
			if err := work.SetOwnNames(tx, who.Project.ID, "user", names); err != nil {
				return err
			}
			tx.Changed(registry.TopicTickets, who.Project.ID, "")
		}
		known, err = work.OwnNames(tx, who.Project.ID)
		return err
	})
	return append([]string{}, known...), err
}

// isMe reports a word by which people mean themselves, here or at a tracker.
func isMe(given string) bool {
	return slices.Contains([]string{"me", "@me", "currentuser()"}, text.Key(given))
}

// me returns the id and name under which a ticket is assigned to the caller. At a tracker that is the account of its credentials. For a
// local ticket (tracker is Local) it is the calling agent, else the tracker's account, else a name set with `pmsync me`. When none is
// known, the Validation fault describes how to set it.
func me(tx *registry.Tx, who caller.Who, tracker string) (id, name string, err error) {
	if tracker == Local && who.Agent != "" {
		return who.Agent, who.Agent, nil
	}
	err = tx.QueryRow(`SELECT viewer_id, viewer_name FROM trackers WHERE project_id = ?`, who.Project.ID).Scan(&id, &name)
	if err != nil && !registry.NoRows(err) || id != "" {
		return id, name, err
	}
	if tracker != Local {
		title := provider.Name(tracker).Title()
		return "", "", fault.Validation("assignee", "who you are at %s is not known yet", title).
			WithHint("`pmsync pull` asks the tracker; or give your name or address there")
	}
	known, err := work.OwnNames(tx, who.Project.ID)
	if err != nil {
		return "", "", err
	}
	if len(known) == 0 {
		return "", "", fault.Validation("assignee", "your account in this project is not known").WithHint("`pmsync me NAME` sets it; or give a name")
	}
	return known[0], known[0], nil
}
