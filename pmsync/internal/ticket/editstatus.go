package ticket

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// status moves the ticket. A local ticket accepts the four categories; a ticket of a tracker its statuses, as far as they are known.
func (u *update) status() error {
	if u.Status == nil {
		return nil
	}
	status, category, id, err := u.meant(*u.Status)
	if err != nil {
		return err
	}
	if strings.EqualFold(status, u.t.Status) && category == u.t.StatusCategory {
		return nil
	}
	if err := u.tell(outbox.Status, status, u.t.Status); err != nil {
		return err
	}
	if err := u.tx.Do(`UPDATE tickets SET status_category = ?, status_id = ? WHERE item_id = ?`, category, id, u.t.item.ID); err != nil {
		return err
	}
	u.changed = true
	move := work.Move{Status: status, State: State(category), Event: u.by}
	move.Event.Why = text.FirstLine(u.Comment, maxTitle)
	return work.SetStatus(u.tx, &u.t.item, move)
}

type trackerStatus struct{ id, name, category string }

// meant finds the status that a word names.
func (u *update) meant(given string) (status, category, id string, err error) {
	category = Category(given)
	if u.local() {
		if category == "" {
			return "", "", "", fault.Validation("status", "%q is not a status of a local ticket", given).WithHint("use %s", strings.Join(Categories(), ", "))
		}
		return category, category, "", nil
	}
	if fold(category) != fold(given) && fold(given) != "cancelled" {
		category = "" // a tracker's own word means what its statuses define, not what it sounds like
	}
	all, err := registry.Collect(u.tx, func(row registry.Scanner) (s trackerStatus, err error) {
		return s, row.Scan(&s.id, &s.name, &s.category)
	},
		`SELECT remote_id, name, category FROM tracker_statuses WHERE project_id = ? ORDER BY scope, position, remote_id`, u.t.item.ProjectID)
	if err != nil {
		return "", "", "", err
	}
	title := provider.Name(u.t.Provider).Title()
	var named, within []trackerStatus
	for _, s := range all {
		if strings.EqualFold(s.name, strings.TrimSpace(given)) || s.id == given {
			named = append(named, s)
		}
		if s.category == category && !slices.ContainsFunc(within, func(o trackerStatus) bool { return strings.EqualFold(o.name, s.name) }) {
			within = append(within, s)
		}
	}
	if chosen := u.stateFor[category]; chosen != "" && len(named) == 0 && len(within) > 1 {
		for _, s := range within {
			if strings.EqualFold(s.name, chosen) || s.id == chosen {
				within = []trackerStatus{s}
				break
			}
		}
	}
	switch {
	case len(named) > 0:
		return named[0].name, named[0].category, named[0].id, u.reachable(named[0])
	case len(within) == 1:
		return within[0].name, within[0].category, within[0].id, u.reachable(within[0])
	case len(within) > 1:
		return "", "", "", fault.Validation("status", "%q may be several statuses of %s: %s", given, title, statusNames(within)).
			WithHint("name one of them, or choose one for good under `provider.state_for` in .agit.toml and run `pmsync config trust`")
	case len(all) > 0 && category != "":
		return "", "", "", fault.Validation("status", "no status of %s means %q", title, given).
			WithHint("use one of %s, or say under `provider.category_of` which of them means it", statusNames(all))
	case len(all) > 0:
		return "", "", "", fault.Validation("status", "%s has no status %q", title, given).WithHint("use one of %s", statusNames(all))
	case category == "":
		return "", "", "", fault.Validation("status", "the statuses of %s are not known yet, and %q is none of %s", title, given, strings.Join(Categories(), ", ")).
			WithHint("run `pmsync pull` first")
	}
	return category, category, "", nil
}

// reachable refuses a step that the tracker's workflow does not have.
func (u *update) reachable(to trackerStatus) error {
	var from, kind string
	if err := u.tx.QueryRow(`SELECT status_id, provider_type FROM tickets WHERE item_id = ?`, u.t.item.ID).Scan(&from, &kind); err != nil || from == "" || from == to.id {
		return err
	}
	next, err := registry.Collect(u.tx, registry.One[string], `SELECT s.name FROM tracker_transitions x JOIN tracker_statuses s ON s.project_id = x.project_id AND s.remote_id = x.to_id
		WHERE x.project_id = ? AND x.scope = ? AND x.from_id = ? ORDER BY s.position, s.name`, u.t.item.ProjectID, kind, from)
	if err != nil || len(next) == 0 || slices.ContainsFunc(next, func(name string) bool { return strings.EqualFold(name, to.name) }) {
		return err
	}
	return u.refuse("status", "%s cannot go from %q to %q", u.t.ID, u.t.Status, to.name).WithHint("possible now: %s", strings.Join(next, ", "))
}

func statusNames(all []trackerStatus) string {
	var names []string
	for _, s := range all {
		if q := fmt.Sprintf("%q", s.name); !slices.Contains(names, q) {
			names = append(names, q)
		}
	}
	return strings.Join(names, ", ")
}
