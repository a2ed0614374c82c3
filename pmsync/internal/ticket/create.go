package ticket

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/lookup"
	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/sprint"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Create makes local tickets: all, or none when one is refused. Blocks and blockedBy of each are ids of existing items.
func (s *Store) Create(ctx context.Context, c caller.Caller, n New) (made Changed, err error) {
	n.Provider, n.RemoteID = Local, ""
	if strings.TrimSpace(n.Title) == "" {
		return made, fault.Validation("title", "the ticket has no title").WithHint("say what is wanted in a few words")
	}
	if n.Key != "" {
		if _, err := text.Name("key", n.Key); err != nil {
			return made, err
		}
	}
	if n.DueDate, err = date(n.DueDate); err != nil {
		return made, err
	}
	err = c.Write(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		n := n
		for _, r := range []*Ref{&n.Parent, &n.Epic} {
			if r.Key == "" {
				continue
			}
			item, err := lookup.Item(tx, who.Project.ID, "", "parent", r.Key)
			if err != nil {
				return err
			}
			*r = Ref{Key: item.Ref}
		}
		if isMe(n.Assignee) {
			if n.Assignee, n.AssigneeName, err = me(tx, who, Local); err != nil {
				return err
			}
		}
		if n.Key != "" {
			if err := keyIsFree(tx, who.Project.ID, n.Key); err != nil {
				return err
			}
		}
		if err := sprintIsThere(tx, who.Project.ID, n); err != nil {
			return err
		}
		report, err := PutMany(tx, []New{n}, Put{ProjectID: who.Project.ID, AgentID: who.AgentID, Parse: s.AutoParse, Patterns: s.Patterns})
		if err != nil {
			return err
		}
		made = Changed{Outcome: Created, Notes: report.Notes, BookedOn: who.BookedOn()}
		if n.Remote {
			unchosen := ""
			if !n.Chosen {
				unchosen = strconv.Itoa(int(n.Priority))
			}
			queued, _, err := outbox.Add(tx, outbox.New{ProjectID: who.Project.ID, Item: report.Items[0], Type: outbox.Create, Value: n.Title, Base: unchosen, AgentID: who.AgentID, Most: s.MaxQueued})
			if err != nil {
				return err
			}
			made.Outcome, made.ChangeID = Queued, queued.ID
		}
		if made.Ticket, err = ByItem(tx, report.Items[0]); err != nil || len(n.Relate)+len(n.Given) == 0 {
			return err
		}
		u := &update{tx: tx, t: made.Ticket, who: who, by: work.Event{Agent: who.AgentID}, most: s.MaxQueued, tracker: n.At, sent: n.Remote,
			Edit: Edit{Links: n.Relate, Fields: n.Given}}
		if err := u.links(); err != nil {
			return err
		}
		return u.custom()
	})
	return made, err
}

// sprintIsThere refuses a new ticket for a tracker in a sprint that the tracker does not have. For a tracker without sprints it accepts the
// ticket; the sprint is left out there, and a note reports it.
func sprintIsThere(tx *registry.Tx, projectID int64, n New) error {
	kind, known := provider.KindOf(provider.Name(n.At))
	if !n.Remote || n.Sprint.Name == "" || !known || slices.Contains(kind.Lacks, provider.FieldSprint) {
		return nil
	}
	id, err := sprint.RemoteID(tx, projectID, n.At, n.Sprint.Name)
	if err == nil && id == "" {
		err = noSprint(n.Sprint.Name)
	}
	return err
}

// noSprint returns the error for a sprint that a tracker does not have.
func noSprint(name string) error {
	return fault.NotFound("sprint", name).WithHint("`pmsync sprint list` lists the sprints of the tracker")
}

// keyIsFree refuses a key that another ticket has.
func keyIsFree(tx *registry.Tx, projectID int64, key string) error {
	taken, err := registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM items WHERE project_id = ? AND kind IN ('ticket', 'epic') AND ref_key = ? AND deleted_at IS NULL)`,
		projectID, text.Key(key)))
	if err == nil && taken {
		return fault.Conflict("ticket", key, "ticket %q exists already", key).WithHint("choose another key, or change it with `pmsync ticket update %s`", text.ShellWord(key))
	}
	return err
}
