// Package plan keeps plans: the steps and notes of the people and agents here. No tracker ever gets them. A plan may belong to a ticket,
// and waits for and blocks other items like everything that is worked on.
package plan

import (
	"context"
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/lookup"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Statuses of a plan.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Completed  = "completed"
	Blocked    = "blocked"
	Canceled   = "canceled"
)

// Statuses lists them.
func Statuses() []string { return []string{Pending, InProgress, Completed, Blocked, Canceled} }

// next lists for each status the statuses that may follow it.
var next = map[string][]string{
	Pending:    {InProgress, Blocked, Canceled},
	InProgress: {Completed, Blocked, Canceled},
	Blocked:    {InProgress, Canceled},
}

// states maps each status to its state of work. A blocked plan is open and held back.
var states = map[string]work.State{
	Pending: work.StateOpen, InProgress: work.StateActive, Completed: work.StateDone, Blocked: work.StateOpen, Canceled: work.StateDropped,
}

// Plan is one plan.
type Plan struct {
	ID          string          `json:"id"`
	Kind        work.Kind       `json:"kind" wire:"-"`
	Title       string          `json:"title"`
	Description string          `json:"description,omitempty" wire:"-"`
	Ticket      string          `json:"external_item_id,omitempty"`
	Status      string          `json:"status"`
	Priority    int             `json:"priority"`
	Order       int             `json:"order_index" wire:"-"`
	Tags        []string        `json:"tags" wire:"-"`
	BlockedBy   []string        `json:"blocked_by" wire:"-"` // unfinished ones only
	Blocks      []string        `json:"blocks" wire:"-"`
	CreatedAt   timestamp.Time  `json:"created_at" wire:"-"`
	UpdatedAt   timestamp.Time  `json:"updated_at" wire:"-"`
	CompletedAt *timestamp.Time `json:"completed_at,omitempty" wire:"-"`

	item work.Item
}

// Changed is a plan after a write.
type Changed struct {
	Plan
	BookedOn caller.BookedOn `json:"booked_on" wire:"-"`
}

const tagBreak = "\x1f"

const selection = `SELECT ` + work.Columns + `, items.order_index, ticket.ref,
	(SELECT string_agg(t.tag, '` + tagBreak + `' ORDER BY t.tag_key) FROM plan_tags t WHERE t.item_id = plans.item_id),
	(SELECT string_agg(b.ref, '` + tagBreak + `' ORDER BY d.id) FROM dependencies d JOIN items b ON b.id = d.source_id WHERE d.target_id = items.id AND d.relation = 'blocks'
		AND ` + work.Unresolved + `),
	(SELECT string_agg(b.ref, '` + tagBreak + `' ORDER BY d.id) FROM dependencies d JOIN items b ON b.id = d.target_id WHERE d.source_id = items.id AND d.relation = 'blocks' AND b.deleted_at IS NULL)
	FROM plans JOIN items ON items.id = plans.item_id LEFT JOIN items ticket ON ticket.id = plans.ticket_id `

func scan(row registry.Scanner) (p Plan, err error) {
	var ticket, tags, by, blocks registry.Null[string]
	if p.item, err = work.Scan(row, &p.Order, &ticket, &tags, &by, &blocks); err != nil {
		return p, err
	}
	i := p.item
	p.ID, p.Kind, p.Title, p.Description, p.Status, p.Priority = i.Ref, i.Kind, i.Title, i.Description, i.Status, int(i.Priority)
	p.Ticket, p.CreatedAt, p.UpdatedAt = ticket.V, timestamp.Of(i.CreatedAt), timestamp.Of(i.UpdatedAt)
	p.Tags, p.BlockedBy, p.Blocks = split(tags), split(by), split(blocks)
	if i.State == work.StateDone {
		p.CompletedAt = new(timestamp.Of(i.FinishedAt))
	}
	return p, nil
}

func split(list registry.Null[string]) []string {
	if list.V == "" {
		return []string{}
	}
	return strings.Split(list.V, tagBreak)
}

// Store runs transactions over plans.
type Store struct{ DB *registry.DB }

// New is a plan to make.
type New struct {
	Title, Description string
	Ticket             string // id of the ticket it belongs to
	Priority           work.Priority
	Tags               []string
	Blocks, BlockedBy  []string // ids
}

// maxTitle is the length of a title in bytes.
const maxTitle = 200

// Create makes a plan, with the items it waits for and those it blocks.
func (s *Store) Create(ctx context.Context, c caller.Caller, n New) (done Changed, err error) {
	if n.Title, err = title(n.Title); err != nil {
		return done, err
	}
	if n.Description, err = text.Body("description", n.Description); err != nil {
		return done, err
	}
	if n.Tags, err = tags(n.Tags); err != nil {
		return done, err
	}
	err = c.Write(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		project, ticket := who.Project.ID, int64(0)
		if n.Ticket != "" {
			item, err := lookup.Ticket(tx, project, "external_item_id", n.Ticket)
			if err != nil {
				return err
			}
			project, ticket = item.ProjectID, item.ID
		}
		item, err := work.Create(tx, work.NewItem{ProjectID: project, Kind: work.KindPlan, Prefix: "p-", Title: n.Title, Text: n.Description, Status: Pending,
			Priority: n.Priority, By: who.AgentID})
		if err != nil {
			return err
		}
		if err := tx.Do(`INSERT INTO plans (item_id, ticket_id) VALUES (?, ?)`, item.ID, registry.NullIfZero(ticket)); err != nil {
			return err
		}
		if err := setTags(tx, item.ID, n.Tags); err != nil {
			return err
		}
		for _, side := range []struct {
			field string
			ids   []string
			edge  func(other int64) work.Edge
		}{
			{"blocks", n.Blocks, func(other int64) work.Edge { return work.Edge{Source: item.ID, Target: other} }},
			{"blocked_by", n.BlockedBy, func(other int64) work.Edge { return work.Edge{Source: other, Target: item.ID} }},
		} {
			for _, id := range side.ids {
				other, err := lookup.Item(tx, project, "", side.field, id)
				if err != nil {
					return err
				}
				e := side.edge(other.ID)
				e.Relation, e.By = work.Blocks, who.AgentID
				if err := work.Link(tx, e); err != nil {
					return err
				}
			}
		}
		tx.Changed(registry.TopicTickets, project, item.Ref)
		done.BookedOn = who.BookedOn()
		done.Plan, err = byItem(tx, item.ID)
		return err
	})
	return done, err
}

func byItem(tx *registry.Tx, itemID int64) (Plan, error) {
	return scan(tx.QueryRow(selection+`WHERE items.id = ?`, itemID))
}

func title(given string) (string, error) {
	given = strings.TrimSpace(given)
	if given == "" {
		return "", fault.Validation("title", "the plan has no title").WithHint("say in a few words what is to be done")
	}
	if strings.ContainsAny(given, "\n\r") || len(given) > maxTitle {
		return "", fault.Validation("title", "the title is not one line of at most %d bytes", maxTitle).WithHint("put the rest into the description")
	}
	return text.Name("title", given)
}

func tags(given []string) (all []string, err error) {
	for _, tag := range given {
		if tag, err = text.Name("tags", strings.TrimSpace(tag)); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(all, func(t string) bool { return text.Key(t) == text.Key(tag) }) {
			all = append(all, tag)
		}
	}
	return all, nil
}

func setTags(tx *registry.Tx, itemID int64, all []string) error {
	rows := make([][]any, len(all))
	for i, tag := range all {
		rows[i] = []any{itemID, text.Key(tag), tag}
	}
	return tx.InsertRows(`INSERT INTO plan_tags (item_id, tag_key, tag) VALUES`, rows, "", nil)
}

// Edit lists what to change in a plan; a nil field stays as it is.
type Edit struct {
	Title, Description, Status *string
	Priority                   *work.Priority
	Tags                       *[]string
	Order                      *int
	Why                        string
}

// Update changes a plan. Its status follows a fixed order; completed and canceled
// are final.
func (s *Store) Update(ctx context.Context, c caller.Caller, id string, e Edit) (done Changed, err error) {
	changes := work.Changes{Priority: e.Priority}
	if e.Title != nil {
		checked, err := title(*e.Title)
		if err != nil {
			return done, err
		}
		changes.Title = &checked
	}
	if e.Description != nil {
		checked, err := text.Body("description", *e.Description)
		if err != nil {
			return done, err
		}
		changes.Body = &checked
	}
	var newTags []string
	if e.Tags != nil {
		if newTags, err = tags(*e.Tags); err != nil {
			return done, err
		}
	}
	if e.Title == nil && e.Description == nil && e.Status == nil && e.Priority == nil && e.Tags == nil && e.Order == nil {
		return done, fault.Validation("", "nothing to change is given").WithHint("give a title, description, status, priority or tags")
	}
	err = c.Write(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		item, err := lookup.Item(tx, who.Project.ID, work.KindPlan, "plan_id", id)
		if err != nil {
			return err
		}
		by := work.Event{Agent: who.AgentID, Why: e.Why}
		if err := work.Change(tx, &item, changes, by); err != nil {
			return err
		}
		if e.Tags != nil {
			if err := tx.Do(`DELETE FROM plan_tags WHERE item_id = ?`, item.ID); err != nil {
				return err
			}
			if err := setTags(tx, item.ID, newTags); err != nil {
				return err
			}
		}
		if e.Order != nil {
			if err := work.Order(tx, item.ID, *e.Order); err != nil {
				return err
			}
		}
		if e.Status != nil {
			if err := move(tx, item, *e.Status, by); err != nil {
				return err
			}
		}
		tx.Changed(registry.TopicTickets, item.ProjectID, item.Ref)
		done.BookedOn = who.BookedOn()
		done.Plan, err = byItem(tx, item.ID)
		return err
	})
	return done, err
}

// move takes a plan to another status. Blocked holds it back, as a person's hold does.
func move(tx *registry.Tx, item work.Item, status string, by work.Event) error {
	if !slices.Contains(Statuses(), status) {
		return fault.Validation("status", "%q is not a status of a plan", status).WithHint("use %s", strings.Join(Statuses(), ", "))
	}
	was := item.Status
	if was == status {
		return nil
	}
	if !slices.Contains(next[was], status) {
		f := fault.Conflict("plan", item.Ref, "plan %s is %s and cannot become %s", item.Ref, was, status)
		if len(next[was]) == 0 {
			return f.WithHint("a %s plan is final; make a new one", was)
		}
		return f.WithHint("possible now: %s", strings.Join(next[was], ", "))
	}
	if was == Blocked {
		if _, err := work.LetGo(tx, item, by); err != nil {
			return err
		}
	}
	if err := work.SetStatus(tx, &item, work.Move{Status: status, State: states[status], Event: by}); err != nil {
		return err
	}
	if status == Blocked {
		return work.HoldBack(tx, item, by)
	}
	return nil
}

// Get returns a plan of the caller's project by its id, also a finished one.
func (s *Store) Get(ctx context.Context, c caller.Caller, id string) (p Plan, err error) {
	err = c.Read(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		item, err := lookup.Item(tx, who.Project.ID, work.KindPlan, "plan_id", id)
		if err != nil {
			return err
		}
		p, err = byItem(tx, item.ID)
		return err
	})
	return p, err
}

// Filter selects the plans to list.
type Filter struct {
	Ticket   string
	Status   string
	Tags     []string // any of these
	Finished bool     // include completed and canceled ones
}

// List returns plans, in their manual order, then the most urgent and the older
// ones first.
func (s *Store) List(ctx context.Context, c caller.Caller, f Filter) (all []Plan, err error) {
	if f.Status != "" && !slices.Contains(Statuses(), f.Status) {
		return nil, fault.Validation("status", "%q is not a status of a plan", f.Status).WithHint("use %s", strings.Join(Statuses(), ", "))
	}
	err = c.Read(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		where, args := `items.deleted_at IS NULL`, []any{}
		if f.Ticket != "" {
			item, err := lookup.Ticket(tx, who.Project.ID, "external_item_id", f.Ticket)
			if err != nil {
				return err
			}
			where, args = where+` AND plans.ticket_id = ?`, append(args, item.ID)
		} else {
			where, args = where+` AND items.project_id = ? AND items.kind = 'plan'`, append(args, who.Project.ID)
		}
		switch {
		case f.Status != "":
			where, args = where+` AND items.status = ?`, append(args, f.Status)
		case !f.Finished:
			where += ` AND items.state IN ('open', 'active')`
		}
		if len(f.Tags) > 0 {
			marks, _ := registry.In(f.Tags)
			where += ` AND EXISTS (SELECT 1 FROM plan_tags t WHERE t.item_id = items.id AND t.tag_key IN (` + marks + `))`
			for _, tag := range f.Tags {
				args = append(args, text.Key(tag))
			}
		}
		all, err = registry.Collect(tx, scan, selection+`WHERE `+where+` ORDER BY items.order_index, items.priority DESC, items.created_at, items.id`, args...)
		return err
	})
	return all, err
}

// Of returns all plans of a ticket, finished ones too.
func Of(tx *registry.Tx, ticketID int64) ([]Plan, error) {
	return registry.Collect(tx, scan, selection+`WHERE plans.ticket_id = ? AND items.deleted_at IS NULL ORDER BY items.order_index, items.priority DESC, items.created_at, items.id`, ticketID)
}

// Deleted is what deleting a plan removed.
type Deleted struct {
	ID       string          `json:"id"`
	Title    string          `json:"title"`
	Deleted  bool            `json:"deleted"`
	Edges    int             `json:"dependencies_removed"`
	Waiting  []string        `json:"unblocked"` // what waited for it
	BookedOn caller.BookedOn `json:"booked_on" wire:"-"`
}

// Delete deletes a plan and its dependencies. With dry it only returns what would be deleted.
func (s *Store) Delete(ctx context.Context, c caller.Caller, id string, dry bool) (done Deleted, err error) {
	err = c.Write(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		item, err := lookup.Item(tx, who.Project.ID, work.KindPlan, "plan_id", id)
		if err != nil {
			return err
		}
		edges, err := work.Arrows(tx, []int64{item.ID})
		if err != nil {
			return err
		}
		done = Deleted{ID: item.Ref, Title: item.Title, Deleted: !dry, Edges: len(edges), Waiting: []string{}, BookedOn: who.BookedOn()}
		for _, e := range edges {
			if e.Relation == work.Blocks && e.Source == item.ID && !work.Resolves(item.Kind, item.State) {
				waits, err := work.ByID(tx, e.Target)
				if err != nil {
					return err
				}
				done.Waiting = append(done.Waiting, waits.Ref)
			}
			if dry {
				continue
			}
			if _, err := work.Unlink(tx, work.Edge{Source: e.Source, Target: e.Target, Relation: e.Relation, By: who.AgentID}); err != nil {
				return err
			}
		}
		if dry {
			return nil
		}
		tx.Changed(registry.TopicTickets, item.ProjectID, item.Ref)
		return work.Delete(tx, item.ID, work.Event{Agent: who.AgentID})
	})
	return done, err
}
