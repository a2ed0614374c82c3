package ticket

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/sprint"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Edit lists what to change in a ticket; a nil field stays as it is. A ticket of a tracker accepts all but a due date and a type, and its
// changes are queued.
type Edit struct {
	Title, Description *string
	Status             *string // a category, or the tracker's own word
	Priority           *work.Priority
	Assignee           *string // "" for none
	Labels             *[]string
	AddLabels          []string // added to the present ones
	RemoveLabels       []string
	DueDate            *string // "" for none
	Estimate           *float64
	Type               *string
	Parent             *string // "" for none
	Sprint             *string // "" for none
	Links              []Relate
	Fields             []Field // custom fields of its tracker
	Comment            string
	// NotOffline refuses to queue while the tracker cannot be reached.
	NotOffline bool
}

func (e Edit) empty() bool {
	return e.Title == nil && e.Description == nil && e.Status == nil && e.Priority == nil && e.Assignee == nil && e.Labels == nil && e.DueDate == nil &&
		e.Estimate == nil && e.Type == nil && e.Parent == nil && e.Sprint == nil && e.Comment == "" && len(e.AddLabels) == 0 && len(e.RemoveLabels) == 0 &&
		len(e.Links) == 0 && len(e.Fields) == 0
}

// Update changes a ticket, and queues the changes for its tracker.
func (s *Store) Update(ctx context.Context, c caller.Caller, field, id string, e Edit) (done Changed, err error) {
	if e.empty() {
		return done, fault.Validation("", "nothing to change is given").WithHint("give a status, title, priority, assignee or labels")
	}
	if len(e.Comment) > 0 {
		if e.Comment, err = text.Body("comment", e.Comment); err != nil {
			return done, err
		}
	}
	err = c.Write(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		t, err := Find(tx, who.Project.ID, field, id)
		if err != nil {
			return err
		}
		e.NotOffline = e.NotOffline || s.RefuseOffline
		u := &update{tx: tx, Edit: e, t: t, who: who, by: work.Event{Agent: who.AgentID}, most: s.MaxQueued, stateFor: s.StateFor, configured: s.Configured}
		if err := u.run(s.AutoParse, s.Patterns); err != nil {
			return err
		}
		done = Changed{Outcome: u.outcome(), ChangeID: u.queued, Notes: u.notes, BookedOn: who.BookedOn()}
		done.Ticket, err = ByItem(tx, t.item.ID)
		return err
	})
	return done, err
}

// update is the change of one ticket.
type update struct {
	tx *registry.Tx
	Edit
	t    Ticket
	who  caller.Who
	by   work.Event
	most int
	// configured reports whether the project's configuration has a key.
	configured func(key string) bool
	stateFor   map[string]string
	tracker    string // where the ticket is to be made, when sent is true
	sent       bool   // a local ticket is to be made at a tracker
	changed    bool
	queued     string
	notes      []string
}

func (u *update) outcome() string {
	switch {
	case u.queued != "":
		return Queued
	case u.changed:
		return Updated
	}
	return Unchanged
}

func (u *update) local() bool { return u.t.Provider == Local }

func (u *update) run(parse bool, patterns []string) error {
	if !u.local() {
		if err := u.allowed(); err != nil {
			return err
		}
	}
	if err := u.made(); err != nil {
		return err
	}
	before := u.t.item
	for _, step := range []func() error{u.words, u.status, u.priority, u.assignee, u.labels, u.facts, u.place, u.parent, u.links, u.custom, u.comment} {
		if err := step(); err != nil {
			return err
		}
	}
	if !u.changed {
		return nil
	}
	if u.Status != nil || u.Sprint != nil {
		if err := sprint.Advance(u.tx, u.t.item.ProjectID); err != nil {
			return err
		}
	}
	u.tx.Changed(registry.TopicTickets, u.t.item.ProjectID, u.t.ID)
	if parse && u.t.item.Description != before.Description {
		return parseCriteria(u.tx, u.t.item.ID, patterns)
	}
	return nil
}

// made sets sent and tracker when a creation of this local ticket at the project's tracker is queued, or was refused and may be retried.
func (u *update) made() error {
	if !u.local() {
		return nil
	}
	err := u.tx.QueryRow(`SELECT COALESCE(MAX(t.provider), '') FROM pending_changes c LEFT JOIN trackers t ON t.project_id = c.project_id
		WHERE c.item_id = ? AND c.change_type = 'create' AND c.status IN ('pending', 'sending', 'failed') HAVING COUNT(*) > 0`, u.t.item.ID).Scan(&u.tracker)
	u.sent, err = registry.Found(err)
	return err
}

// allowed refuses changes that only the tracker can make, or to fields that it does not have.
func (u *update) allowed() error {
	kind, _ := provider.KindOf(provider.Name(u.t.Provider))
	for name, given := range map[string]bool{"due_date": u.DueDate != nil, "item_type": u.Type != nil} {
		if given {
			return u.refuse(name, "the %s of %s is kept by %s and cannot be changed here", strings.ReplaceAll(name, "_", " "), u.t.ID, u.t.Provider).
				WithHint("change it there; here its %s, parent, links and comments can be changed", strings.Join(changeable(kind, u.configured), ", "))
		}
	}
	for field, given := range map[provider.Field]bool{provider.FieldEstimate: u.Estimate != nil, provider.FieldSprint: u.Sprint != nil} {
		if given && slices.Contains(kind.LacksNow(u.configured), field) {
			f := u.refuse(string(field), "%s has no %s, so %s cannot have one", kind.Title, field, u.t.ID).WithHint("leave it out")
			if key := kind.Within[field]; key != "" {
				f = f.WithHint("leave it out, or set %s in .agit.toml", key)
			}
			return f
		}
	}
	now := u.t.Provider
	var since registry.Null[string]
	err := u.tx.QueryRow(`SELECT provider, offline_since FROM trackers WHERE project_id = ?`, u.t.item.ProjectID).Scan(&now, &since)
	if err != nil && !registry.NoRows(err) {
		return err
	}
	if now != u.t.Provider {
		return Foreign(u.t, provider.Name(now))
	}
	if u.NotOffline && since.V != "" {
		return fault.Provider(nil, "%s could not be reached since %s", u.t.Provider, since.V).WithHint("allow the change to be queued, or try again later")
	}
	return nil
}

// Foreign returns the error for a change of a ticket of another tracker than the one that its project is connected to now.
func Foreign(t Ticket, now provider.Name) *fault.Fault {
	return fault.Conflict("ticket", t.ID, "%s is a ticket of %s, and the project is connected to %s now", t.ID, provider.Name(t.Provider).Title(), now.Title()).
		WithHint("change it there, or connect the project again: `pmsync connect %s`", t.Provider)
}

// queue queues a change for the tracker.
func (u *update) queue(kind, value, base string) error {
	c, ok, err := outbox.Add(u.tx, outbox.New{ProjectID: u.t.item.ProjectID, Item: u.t.item.ID, Type: kind, Value: value, Base: base, AgentID: u.by.Agent, Most: u.most})
	switch {
	case err != nil || !ok:
	case c.Status == outbox.Conflict:
		u.notes = append(u.notes, fmt.Sprintf("the %s of %s is in conflict with the tracker's and is not sent before it is settled: `pmsync conflicts` shows both", kind, u.t.ID))
	case u.queued == "":
		u.queued = c.ID
	}
	return err
}

// changeable names the fields of a tracker's tickets that can be changed here.
func changeable(kind provider.Kind, configured func(string) bool) []string {
	names := []string{"title", "description", "status", "priority", "assignee", "labels"}
	for _, f := range []struct {
		field provider.Field
		name  string
	}{{provider.FieldEstimate, "points"}, {provider.FieldSprint, "sprint"}, {provider.FieldCustom, "custom fields"}} {
		if !slices.Contains(kind.LacksNow(configured), f.field) {
			names = append(names, f.name)
		}
	}
	return names
}

// tell queues a change for the tracker of the ticket; a local ticket has none.
func (u *update) tell(kind, value, base string) error {
	if u.local() {
		return nil
	}
	return u.queue(kind, value, base)
}

func (u *update) words() error {
	changes := work.Changes{}
	if u.Title != nil {
		title := line(*u.Title, maxTitle)
		if title == "" {
			return fault.Validation("title", "the new title of %s is empty", u.t.ID).WithHint("say what is wanted in a few words")
		}
		changes.Title = &title
		if title != u.t.Title {
			if err := u.unmixed(outbox.Title, *u.Title, title, u.t.Title); err != nil {
				return err
			}
			if err := u.tell(outbox.Title, title, u.t.Title); err != nil {
				return err
			}
		}
	}
	if u.Description != nil {
		if len(*u.Description) > maxBody {
			return fault.Validation("description", "description is %d bytes long, the limit is %d", len(*u.Description), maxBody).WithHint("give a shorter text")
		}
		body := long(*u.Description, maxBody)
		if !u.local() && SameMarkdown(body, u.t.Description) {
			return u.reword(changes)
		}
		if err := u.unmixed(outbox.Description, *u.Description, body, u.t.Description); err != nil {
			return err
		}
		if err := u.sayDropped(body); err != nil {
			return err
		}
		if err := u.tell(outbox.Description, body, u.t.Description); err != nil {
			return err
		}
		changes.Body = &body
		if _, err := u.tx.Exec(`UPDATE tickets SET body = NULL, body_format = 'markdown' WHERE item_id = ?`, u.t.item.ID); err != nil {
			return err
		}
	}
	return u.reword(changes)
}

// unmixed refuses a text with a new secret for a field of a tracker's ticket that holds secrets already: the push puts those back where
// their marks are, and could not tell the marks apart.
func (u *update) unmixed(kind, given, stored, shown string) error {
	if u.local() || strings.Count(stored, redact.Mark) <= strings.Count(given, redact.Mark) {
		return nil
	}
	waiting, err := outbox.OfItem(u.tx, u.t.item.ID)
	if err != nil {
		return err
	}
	for _, c := range waiting {
		if c.Type == kind && c.Base != nil {
			shown += *c.Base
		}
	}
	if !strings.Contains(shown, redact.Mark) {
		return nil
	}
	title, field := provider.Name(u.t.Provider).Title(), cmp.Or(outbox.CustomName(kind), kind)
	return u.refuse(field, "the new %s of %s has a secret, and secrets are not sent; %s holds another one there, which its mark stands for here", field, u.t.ID, title).
		WithHint("leave the new secret out, or change the text at %s", title)
}

// sayDropped notes the parts of the tracker's description that a new one does not keep.
func (u *update) sayDropped(body string) error {
	if u.local() {
		return nil
	}
	own, err := bodiesOf(u.tx, u.t.item.ID)
	if dropped := description.Dropped(own.Text.Text, body, description.Format(own.Format)); len(dropped) > 0 {
		title := provider.Name(u.t.Provider).Title()
		u.notes = append(u.notes, fmt.Sprintf("the description of %s has %s at %s, which the push replaces by plain words; to keep them, change the description at %s instead",
			u.t.ID, strings.Join(dropped, ", "), title, title))
	}
	return err
}

func (u *update) reword(changes work.Changes) error {
	was := u.t.item
	err := work.Change(u.tx, &u.t.item, changes, u.by)
	u.changed = u.changed || was.Title != u.t.item.Title || was.Description != u.t.item.Description
	return err
}

func (u *update) priority() error {
	if u.Priority == nil || *u.Priority == u.t.item.Priority {
		return nil
	}
	if err := u.tell(outbox.Priority, fmt.Sprint(int(*u.Priority)), fmt.Sprint(u.t.Priority)); err != nil {
		return err
	}
	u.changed = true
	return work.Change(u.tx, &u.t.item, work.Changes{Priority: u.Priority}, u.by)
}

func (u *update) assignee() error {
	if u.Assignee == nil {
		return nil
	}
	to := line(*u.Assignee, maxShort)
	name := to
	if isMe(to) {
		var err error
		if to, name, err = me(u.tx, u.who, u.t.Provider); err != nil {
			return err
		}
	}
	if text.Key(to) == text.Key(u.t.Assignee) || to != "" && text.Key(to) == text.Key(u.t.AssigneeName) {
		return nil
	}
	if err := u.tell(outbox.Assignee, to, u.t.Assignee); err != nil {
		return err
	}
	if err := u.tx.Do(`UPDATE tickets SET assignee = ?, assignee_name = ? WHERE item_id = ?`, to, name, u.t.item.ID); err != nil {
		return err
	}
	u.changed = true
	event := u.by
	event.Field, event.Old, event.New = "assignee", u.t.Assignee, to
	if err := work.Record(u.tx, u.t.item.ID, event); err != nil {
		return err
	}
	return work.AssignPerson(u.tx, u.t.item.ID, to)
}

func (u *update) labels() error {
	if u.Labels == nil && len(u.AddLabels) == 0 && len(u.RemoveLabels) == 0 {
		return nil
	}
	labels := u.wanted()
	if slices.Equal(labels, u.t.Labels) {
		return nil
	}
	if err := u.tell(outbox.Labels, strings.Join(labels, "\n"), strings.Join(u.t.Labels, "\n")); err != nil {
		return err
	}
	u.changed = true
	event := u.by
	event.Field, event.Old, event.New = "labels", strings.Join(u.t.Labels, ", "), strings.Join(labels, ", ")
	if err := work.Record(u.tx, u.t.item.ID, event); err != nil {
		return err
	}
	return setLabels(u.tx, u.t.item.ID, labels)
}

// wanted returns the labels after the change.
func (u *update) wanted() []string {
	labels := u.t.Labels
	if u.Labels != nil {
		labels = *u.Labels
	}
	remove := cleanLabels(u.RemoveLabels)
	labels = slices.DeleteFunc(slices.Clone(labels), func(l string) bool {
		return slices.ContainsFunc(remove, func(r string) bool { return text.Key(r) == text.Key(l) })
	})
	return cleanLabels(append(labels, u.AddLabels...))
}

// facts writes the fields that only the tickets table holds.
func (u *update) facts() error {
	if u.DueDate != nil {
		due, err := date(*u.DueDate)
		if err != nil {
			return err
		}
		if u.changed = u.changed || due != u.t.DueDate; due != u.t.DueDate {
			if _, err := u.tx.Exec(`UPDATE tickets SET due_date = ? WHERE item_id = ?`, registry.NullIfZero(due), u.t.item.ID); err != nil {
				return err
			}
		}
	}
	if u.Estimate != nil && (u.t.Estimate == nil || *u.Estimate != *u.t.Estimate) {
		if err := checkEstimate(*u.Estimate); err != nil {
			return err
		}
		u.changed = true
		if err := u.tell(outbox.Estimate, EstimateText(u.Estimate), EstimateText(u.t.Estimate)); err != nil {
			return err
		}
		if _, err := u.tx.Exec(`UPDATE tickets SET estimate = ?, estimate_unit = CASE WHEN estimate_unit = '' THEN 'points' ELSE estimate_unit END WHERE item_id = ?`,
			*u.Estimate, u.t.item.ID); err != nil {
			return err
		}
	}
	if u.Type != nil && *u.Type != u.t.Type {
		if !slices.Contains([]string{TypeTicket, TypeSubtask}, *u.Type) || u.t.Kind != work.KindTicket {
			return fault.Validation("item_type", "%s is of the type %s and cannot become %q", u.t.ID, u.t.Type, *u.Type).WithHint("a ticket can become a subtask and a subtask a ticket")
		}
		u.changed = true
		if _, err := u.tx.Exec(`UPDATE tickets SET item_type = ? WHERE item_id = ?`, *u.Type, u.t.item.ID); err != nil {
			return err
		}
	}
	return nil
}

// place moves the ticket into another sprint.
func (u *update) place() error {
	if u.Sprint == nil {
		return nil
	}
	name := line(*u.Sprint, maxShort)
	if !u.local() {
		return u.sprint(name)
	}
	var s sprint.Sprint
	if name != "" {
		var err error
		if s, err = sprint.Ensure(u.tx, u.t.item.ProjectID, Local, "", name); err != nil {
			return err
		}
	}
	u.changed = true
	return u.tx.Do(`UPDATE tickets SET sprint_id = ? WHERE item_id = ?`, registry.NullIfZero(s.Row), u.t.item.ID)
}

// sprint puts a tracker's ticket into one of the tracker's sprints.
func (u *update) sprint(name string) error {
	if text.Key(name) == text.Key(u.t.Sprint) {
		return nil
	}
	if err := intoSprint(u.tx, &u.t, name); err != nil {
		return err
	}
	u.changed = true
	return u.queue(outbox.Sprint, name, u.t.Sprint)
}

// comment queues the comment for the tracker where the ticket is or is to be made; for a local ticket it is kept in the ticket's history.
func (u *update) comment() error {
	if u.Comment == "" {
		return nil
	}
	u.changed = true
	if !u.local() || u.sent {
		return u.queue(outbox.Comment, u.Comment, "")
	}
	event := u.by
	event.Field, event.New = "comment", u.Comment
	return work.Record(u.tx, u.t.item.ID, event)
}
