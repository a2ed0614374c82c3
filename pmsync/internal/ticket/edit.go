package ticket

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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

// Create makes local tickets: all, or none when one is refused. Blocks and
// blockedBy of each are ids of items that are here.
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
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		who, err := c.Writes(tx)
		if err != nil {
			return err
		}
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

// sprintIsThere refuses a ticket that is to be made at a tracker in a sprint that it does
// not have. One that has no sprints at all leaves it out, which is told then.
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

// noSprint is the error for a sprint that a tracker does not have.
func noSprint(name string) error {
	return fault.NotFound("sprint", name).WithHint("`pmsync sprint list` lists the sprints of the tracker")
}

// keyIsFree refuses to take another ticket's key for a new one.
func keyIsFree(tx *registry.Tx, projectID int64, key string) error {
	taken, err := registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM items WHERE project_id = ? AND kind IN ('ticket', 'epic') AND ref_key = ? AND deleted_at IS NULL)`,
		projectID, text.Key(key)))
	if err == nil && taken {
		return fault.Conflict("ticket", key, "ticket %q exists already", key).WithHint("choose another key, or change it with `pmsync ticket update %s`", text.ShellWord(key))
	}
	return err
}

// date checks a day as a person gives it.
func date(given string) (string, error) {
	if given == "" {
		return "", nil
	}
	at, ok := parseTime(given)
	if !ok {
		return "", fault.Validation("due_date", "%q is not a date", given).WithHint("give it as %s", time.DateOnly)
	}
	return at.Format(time.DateOnly), nil
}

// Edit is what to change of a ticket; nil leaves it as it is. A ticket of a
// tracker takes all but a due date and a type; what it takes is queued.
type Edit struct {
	Title, Description *string
	Status             *string // a category, or the tracker's own word
	Priority           *work.Priority
	Assignee           *string // "" for none
	Labels             *[]string
	AddLabels          []string // beside those that it has
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

// Update changes a ticket. What its tracker must know is queued.
func (s *Store) Update(ctx context.Context, c caller.Caller, field, id string, e Edit) (done Changed, err error) {
	if e.empty() {
		return done, fault.Validation("", "nothing to change is given").WithHint("give a status, title, priority, assignee or labels")
	}
	if len(e.Comment) > 0 {
		if e.Comment, err = text.Body("comment", e.Comment); err != nil {
			return done, err
		}
	}
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		who, err := c.Writes(tx)
		if err != nil {
			return err
		}
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

// update is one change of one ticket.
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
	tracker    string // where the ticket is to be made, with sent
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
	u.tx.Changed(registry.TopicTickets, u.t.item.ProjectID, u.t.ID)
	if parse && u.t.item.Description != before.Description {
		return parseCriteria(u.tx, u.t.item.ID, patterns)
	}
	return nil
}

// made finds out whether a local ticket is to be made at the project's tracker, or was
// refused there and may be made once more.
func (u *update) made() error {
	if !u.local() {
		return nil
	}
	err := u.tx.QueryRow(`SELECT COALESCE(MAX(t.provider), '') FROM pending_changes c LEFT JOIN trackers t ON t.project_id = c.project_id
		WHERE c.item_id = ? AND c.change_type = 'create' AND c.status IN ('pending', 'sending', 'failed') HAVING COUNT(*) > 0`, u.t.item.ID).Scan(&u.tracker)
	if registry.NoRows(err) {
		return nil
	}
	u.sent = err == nil
	return err
}

// allowed refuses to change here what only the tracker changes, or what it does not have.
func (u *update) allowed() error {
	kind, _ := provider.KindOf(provider.Name(u.t.Provider))
	for name, given := range map[string]bool{"due_date": u.DueDate != nil, "item_type": u.Type != nil} {
		if given {
			f := fault.Conflict("ticket", u.t.ID, "the %s of %s is kept by %s and cannot be changed here", strings.ReplaceAll(name, "_", " "), u.t.ID, u.t.Provider).
				WithHint("change it there; here its title, description, status, priority, assignee, labels, points, sprint, parent, links, custom fields and comments can be changed")
			f.Field = name
			return f
		}
	}
	for field, given := range map[provider.Field]bool{provider.FieldEstimate: u.Estimate != nil, provider.FieldSprint: u.Sprint != nil} {
		if given && slices.Contains(kind.LacksNow(u.configured), field) {
			f := fault.Conflict("ticket", u.t.ID, "%s has no %s, so that %s cannot get one", kind.Title, field, u.t.ID).WithHint("leave it out")
			if key := kind.Within[field]; key != "" {
				f = f.WithHint("leave it out, or set %s in .agit.toml", key)
			}
			f.Field = string(field)
			return f
		}
	}
	var since registry.Null[string]
	err := u.tx.QueryRow(`SELECT offline_since FROM trackers WHERE project_id = ?`, u.t.item.ProjectID).Scan(&since)
	if err != nil && !registry.NoRows(err) {
		return err
	}
	if u.NotOffline && since.V != "" {
		return fault.Provider(nil, "%s could not be reached since %s", u.t.Provider, since.V).WithHint("allow the change to be queued, or try again later")
	}
	return nil
}

// queue puts a change on its way to the tracker.
func (u *update) queue(kind, value, base string) error {
	c, ok, err := outbox.Add(u.tx, outbox.New{ProjectID: u.t.item.ProjectID, Item: u.t.item.ID, Type: kind, Value: value, Base: base, AgentID: u.by.Agent, Most: u.most})
	if err == nil && ok && u.queued == "" {
		u.queued = c.ID
	}
	return err
}

func (u *update) words() error {
	changes := work.Changes{}
	if u.Title != nil {
		title := line(*u.Title, maxTitle)
		if title == "" {
			return fault.Validation("title", "the new title of %s is empty", u.t.ID).WithHint("say what is wanted in a few words")
		}
		changes.Title = &title
		if !u.local() && title != u.t.Title {
			if err := u.queue(outbox.Title, title, u.t.Title); err != nil {
				return err
			}
		}
	}
	if u.Description != nil {
		if len(*u.Description) > maxBody {
			return fault.Validation("description", "description is %d bytes long, the limit is %d", len(*u.Description), maxBody).WithHint("give a shorter text")
		}
		body := long(*u.Description, maxBody)
		if !u.local() {
			if SameMarkdown(body, u.t.Description) {
				return u.reword(changes)
			}
			if err := u.queue(outbox.Description, body, u.t.Description); err != nil {
				return err
			}
		}
		changes.Body = &body
		if _, err := u.tx.Exec(`UPDATE tickets SET body = NULL, body_format = 'markdown' WHERE item_id = ?`, u.t.item.ID); err != nil {
			return err
		}
	}
	return u.reword(changes)
}

func (u *update) reword(changes work.Changes) error {
	was := u.t.item
	err := work.Change(u.tx, &u.t.item, changes, u.by)
	u.changed = u.changed || was.Title != u.t.item.Title || was.Description != u.t.item.Description
	return err
}

// status moves the ticket. A local one takes the four categories; one of a
// tracker the statuses that it has, as far as they are known.
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
	if !u.local() {
		if err := u.queue(outbox.Status, status, u.t.Status); err != nil {
			return err
		}
	}
	if _, err := u.tx.Exec(`UPDATE tickets SET status_category = ?, status_id = ? WHERE item_id = ?`, category, id, u.t.item.ID); err != nil {
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
	if !u.local() && fold(category) != fold(given) && fold(given) != "cancelled" {
		category = "" // a word of a tracker's own means what its statuses say, not what it sounds like
	}
	if u.local() {
		if category == "" {
			return "", "", "", fault.Validation("status", "%q is not a status of a local ticket", given).WithHint("use %s", strings.Join(Categories(), ", "))
		}
		return category, category, "", nil
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
	f := fault.Conflict("ticket", u.t.ID, "%s cannot go from %q to %q", u.t.ID, u.t.Status, to.name).WithHint("possible now: %s", strings.Join(next, ", "))
	f.Field = "status"
	return f
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

func (u *update) priority() error {
	if u.Priority == nil || *u.Priority == u.t.item.Priority {
		return nil
	}
	if !u.local() {
		if err := u.queue(outbox.Priority, fmt.Sprint(int(*u.Priority)), fmt.Sprint(u.t.Priority)); err != nil {
			return err
		}
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
	if !u.local() {
		if err := u.queue(outbox.Assignee, to, u.t.Assignee); err != nil {
			return err
		}
	}
	if _, err := u.tx.Exec(`UPDATE tickets SET assignee = ?, assignee_name = ? WHERE item_id = ?`, to, name, u.t.item.ID); err != nil {
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
	if !u.local() {
		if err := u.queue(outbox.Labels, strings.Join(labels, "\n"), strings.Join(u.t.Labels, "\n")); err != nil {
			return err
		}
	}
	u.changed = true
	event := u.by
	event.Field, event.Old, event.New = "labels", strings.Join(u.t.Labels, ", "), strings.Join(labels, ", ")
	if err := work.Record(u.tx, u.t.item.ID, event); err != nil {
		return err
	}
	return setLabels(u.tx, u.t.item.ID, labels)
}

// wanted are the labels from now on.
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

// facts are the fields that stand in tickets alone.
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
		if !u.local() {
			if err := u.queue(outbox.Estimate, EstimateText(u.Estimate), EstimateText(u.t.Estimate)); err != nil {
				return err
			}
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
	if u.Sprint != nil && !u.local() {
		if err := u.sprint(line(*u.Sprint, maxShort)); err != nil {
			return err
		}
	} else if u.Sprint != nil {
		w := &writer{tx: u.tx, Put: Put{ProjectID: u.t.item.ProjectID}}
		row, err := w.sprint(&New{Provider: Local, Sprint: Ref{Name: line(*u.Sprint, maxShort)}})
		if err != nil {
			return err
		}
		u.changed = true
		if _, err := u.tx.Exec(`UPDATE tickets SET sprint_id = ? WHERE item_id = ?`, registry.NullIfZero(row), u.t.item.ID); err != nil {
			return err
		}
	}
	return nil
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

// comment goes to the tracker; of a local ticket it is kept in its history.
func (u *update) comment() error {
	if u.Comment == "" {
		return nil
	}
	u.changed = true
	if !u.local() {
		return u.queue(outbox.Comment, u.Comment, "")
	}
	event := u.by
	event.Field, event.New = "comment", u.Comment
	return work.Record(u.tx, u.t.item.ID, event)
}
