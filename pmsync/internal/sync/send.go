package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/sprint"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// sending is the part of a push that is about one ticket.
type sending struct {
	*Engine
	turn    *turn
	item    int64
	result  *Result
	current *provider.Item
	missed  bool // the tracker answered a change with "not found"
	guessed bool // no search finds the assignee of the change
}

// maxChanged bounds how often a ticket that others keep changing is read again.
const maxChanged = 3

// ticket sends the changes of the ticket, in their order.
func (s *sending) ticket(ctx context.Context) error {
	for range maxChanged {
		ok, err := s.look(ctx)
		if err != nil || !ok {
			return err
		}
		again, err := s.changes(ctx)
		if err != nil || !again {
			return err
		}
	}
	s.result.fail(fmt.Errorf("%s is being changed by others all the time; what waits is sent by the next push", s.current.Key))
	return nil
}

// look reads the ticket where writes are seen at once, and merges it with the waiting changes. ok is false when nothing can be sent now.
// Changes of a ticket that is gone are kept.
func (s *sending) look(ctx context.Context) (ok bool, err error) {
	here, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) (ticket.Ticket, error) { return ticket.ByItem(tx, s.item) })
	if err != nil || here.Provider == ticket.Local || here.ProviderID == "" {
		return false, err
	}
	if here.Provider != s.name() {
		return false, s.foreign(ctx, here)
	}
	s.result.asked = true
	s.current, err = s.reread(ctx, here.ProviderID)
	where := provider.Unknown
	switch {
	case err == nil:
		where = s.current.Presence
	case provider.Is(err, provider.NotFound):
	case ends(err):
		return false, err
	default:
		err = about(here.ID, err)
		s.result.fail(err)
		return false, s.postpone(ctx, err)
	}
	err = s.turn.record(ctx, s.result, func(tx *registry.Tx) error {
		if where == provider.Unknown && err != nil || out(where) {
			return s.keep(tx, here, where)
		}
		return s.store(tx, []provider.Item{*s.current}, true, s.result)
	})
	return err == nil && s.current != nil && !out(where), err
}

// foreign keeps the waiting changes of a ticket of another tracker than the project's, and notes what they wait for.
func (s *sending) foreign(ctx context.Context, here ticket.Ticket) error {
	before := *s.result
	return s.turn.write(ctx, func(tx *registry.Tx) error {
		*s.result = before
		return s.holdFor(tx, s.item, ticket.Foreign(here, s.Tracker.Name()).Message, "until it is connected to "+provider.Name(here.Provider).Title()+" again", s.result)
	})
}

// keep puts a ticket that is gone out of sight, and keeps its waiting changes.
func (s *sending) keep(tx *registry.Tx, here ticket.Ticket, where provider.Where) error {
	already := s.result.Deleted
	if err := s.leave(tx, provider.Presence{RemoteID: here.ProviderID, Where: where}, s.result); err != nil || s.result.Deleted > already {
		return err
	}
	return s.hold(tx, s.item, here.ID, absence(where), s.result)
}

// reread asks for an item, and once more when the tracker does not find it: a single such answer may come from an expired session or a
// server that lags behind.
func (e *Engine) reread(ctx context.Context, id string) (*provider.Item, error) {
	i, err := e.Tracker.Item(ctx, id)
	if !provider.Is(err, provider.NotFound) {
		return i, err
	}
	if err := e.clock().Wait(ctx, askAgain); err != nil {
		return nil, err
	}
	return e.Tracker.Item(ctx, id)
}

// askAgain is how long to wait before an item that was not found is asked for again.
const askAgain = time.Second

// about prefixes an error with the key of its ticket, unless the error contains it already.
func about(key string, err error) error {
	if strings.Contains(err.Error(), key) {
		return err
	}
	return fmt.Errorf("%s: %w", key, err)
}

// changes sends the waiting changes of the ticket. again reports that others changed the ticket since it was read.
func (s *sending) changes(ctx context.Context) (again bool, err error) {
	for {
		all, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) ([]outbox.Change, error) { return outbox.OfItem(tx, s.item) })
		at := slices.IndexFunc(all, func(c outbox.Change) bool {
			return c.Type != outbox.Create && (c.Status == outbox.Pending || c.Status == outbox.Sending)
		})
		if err != nil || at < 0 {
			return false, err
		}
		c := all[at]
		err = s.change(ctx, c)
		switch {
		case err == nil:
		case provider.Is(err, provider.Changed), provider.Is(err, provider.NotFound) && !s.missed:
			s.missed = s.missed || provider.Is(err, provider.NotFound) // the next look may explain it
			return true, s.turn.write(context.WithoutCancel(ctx), func(tx *registry.Tx) error {
				return outbox.Settle(tx, c.Row, outbox.Pending, "", err.Error())
			})
		default:
			given, err := s.failed(ctx, c, err)
			if !given {
				return false, err
			}
		}
	}
}

// change sends one change and stores the tracker's answer. Errors of the database are returned unchanged.
func (s *sending) change(ctx context.Context, c outbox.Change) error {
	if c.Type == outbox.Comment {
		return s.comment(ctx, c)
	}
	change, err := s.wanted(ctx, c)
	if err != nil {
		return err
	}
	if err := s.mark(ctx, c); err != nil {
		return err
	}
	now, err := s.Tracker.Update(ctx, s.current, change)
	if err != nil {
		return s.orNoOne(change, err)
	}
	if err := taken(s.Tracker.Name(), s.current, now, change); err != nil {
		s.current = now
		return err
	}
	was := s.current.Body
	s.current = now
	if change.Text != nil {
		s.result.sayDropped(s.Tracker.Name(), was, now)
		s.result.sayUnheld(s.Tracker.Name(), *change.Text, now)
	}
	return s.turn.record(context.WithoutCancel(ctx), s.result, func(tx *registry.Tx) error {
		s.result.Sent++
		if err := outbox.Settle(tx, c.Row, outbox.Synced, "", ""); err != nil {
			return err
		}
		if err := outbox.Rebase(tx, s.item, c.Type, c.Value); err != nil {
			return err
		}
		return s.store(tx, []provider.Item{*now}, true, s.result)
	})
}

// mark records that a change is on its way.
func (s *sending) mark(ctx context.Context, c outbox.Change) error {
	return s.turn.write(ctx, func(tx *registry.Tx) error { return outbox.Settle(tx, c.Row, outbox.Sending, "", "") })
}

// wanted translates a change into the tracker's terms.
func (s *sending) wanted(ctx context.Context, c outbox.Change) (w provider.Change, err error) {
	switch c.Type {
	case outbox.Status:
		w.Status = new(provider.Target)
		*w.Status, err = s.target(ctx, c.Value)
	case outbox.Priority:
		n, err := strconv.Atoi(c.Value)
		if err != nil {
			return w, provider.Fail(provider.Invalid, err, "%q is not a priority", c.Value)
		}
		w.Priority = &n
	case outbox.Assignee:
		w.Assignee = new(string)
		*w.Assignee, err = s.person(ctx, c.Value)
	case outbox.Title:
		w.Title = new(string)
		*w.Title, err = s.unmarked(c, s.current.Title)
	case outbox.Description:
		w.Text = new(string)
		*w.Text, err = s.unmarked(c, markdownOf(s.current.Body))
	case outbox.Estimate:
		points := -1.0
		if c.Value != "" {
			if points, err = strconv.ParseFloat(c.Value, 64); err != nil {
				return w, provider.Fail(provider.Invalid, err, "%q is not an estimate", c.Value)
			}
		}
		w.Estimate = &points
	case outbox.Sprint:
		w.Sprint = new(string)
		*w.Sprint, err = s.sprint(ctx, c.Value)
	case outbox.Parent: // "" removes it
		w.Parent = new(string)
		if c.Value != "" {
			var kind string
			*w.Parent, kind, err = s.remote(ctx, c.Value)
			w.ParentType = provider.ItemType(kind)
		}
	case outbox.Link:
		r := ticket.ParseRelate(c.Value)
		w.AddLink = &provider.NewLink{Relation: provider.Relation(r.Relation)}
		w.AddLink.Target, _, err = s.remote(ctx, r.Target)
	case outbox.Labels:
		wanted, has := strings.Split(c.Value, "\n"), s.current.Labels
		for _, l := range wanted {
			if l != "" && !slices.ContainsFunc(has, func(h string) bool { return text.Key(redact.Clean(h)) == text.Key(l) }) {
				w.AddLabels = append(w.AddLabels, l)
			}
		}
		for _, l := range has {
			if !contains(wanted, redact.Clean(l)) {
				w.RemoveLabels = append(w.RemoveLabels, l)
			}
		}
	}
	if name := outbox.CustomName(c.Type); name != "" {
		was, _ := customOf(s.current, name)
		w.Fields = []provider.FieldValue{{Name: name}}
		w.Fields[0].Value, err = s.unmarked(c, was)
	}
	return w, err
}

// remote finds another ticket of the tracker by its key. A ticket that waits to be made there is an Unavailable error, an unknown one an
// Invalid error.
func (s *sending) remote(ctx context.Context, key string) (id, kind string, err error) {
	waits := false
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		if id, kind, err = ticket.Remote(tx, s.Project, s.name(), key); err == nil && id == "" {
			waits, err = registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM pending_changes c JOIN items i ON i.id = c.item_id
				WHERE c.project_id = ? AND i.ref_key = ? AND c.change_type = 'create' AND c.status IN ('pending', 'sending'))`, s.Project, text.Key(key)))
		}
		return err
	})
	title := s.Tracker.Name().Title()
	switch {
	case fault.Is(err, fault.KindNotFound), err == nil && id == "" && !waits:
		err = provider.Fail(provider.Invalid, nil, "%q is not a ticket of %s", key, title)
	case err == nil && waits:
		err = provider.Fail(provider.Unavailable, nil, "%s is not made at %s yet", key, title)
	}
	return id, kind, err
}

// target returns the state that a status means. A name of one of the tracker's states means that state alone, even where it is also a word
// for a category.
func (s *sending) target(ctx context.Context, value string) (t provider.Target, err error) {
	t = provider.ParseTarget(value)
	if t.Category == "" {
		return t, nil
	}
	named, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) (bool, error) {
		return registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM tracker_statuses WHERE project_id = ? AND name_key = ?)`, s.Project, text.Key(value)))
	})
	if named {
		t.Category = "" // the name alone
	}
	return t, err
}

// sprint returns the remote id of the tracker's sprint with that name, "" for none.
func (s *sending) sprint(ctx context.Context, name string) (id string, err error) {
	if name == "" {
		return "", nil
	}
	id, err = registry.Read(ctx, s.DB, func(tx *registry.Tx) (string, error) { return sprint.RemoteID(tx, s.Project, s.name(), name) })
	if err == nil && id == "" {
		return "", provider.Fail(provider.Invalid, nil, "%s has no sprint %q", s.Tracker.Name().Title(), name).Hint("`pmsync sprint list` lists them")
	}
	return id, err
}

func contains(labels []string, label string) bool {
	return slices.ContainsFunc(labels, func(l string) bool { return text.Key(l) == text.Key(label) })
}

// person returns the id of the person with that whole name, address or id. Several people who fit, or only similar ones, are an Invalid
// error that names them. When the search finds no one, the text is taken for an id, which the tracker judges.
func (s *sending) person(ctx context.Context, given string) (id string, err error) {
	s.guessed = false
	if given == "" || s.current.AssigneeID() == given {
		return given, nil
	}
	if id, err = s.find(ctx, given); err == nil && id == "" {
		id, s.guessed = given, true
	}
	return id, err
}

// orNoOne returns the error of a change whose assignee neither the search nor the tracker by its id finds. It returns any other error as it
// is.
func (s *sending) orNoOne(change provider.Change, err error) error {
	there := s.missed && provider.Is(err, provider.NotFound) // the ticket was found since
	if change.Assignee == nil || !s.guessed || !there && !provider.Is(err, provider.Invalid) {
		return err
	}
	return provider.Fail(provider.Invalid, nil, "no one at %s is %q", s.Tracker.Name().Title(), *change.Assignee).
		Hint("give the name, the address or the id of a person there")
}

// find is person restricted to the tracker's search; it returns "" when that finds no one.
func (s *sending) find(ctx context.Context, given string) (id string, err error) {
	finder, ok := s.Tracker.(provider.UserFinder)
	if !ok {
		return "", nil
	}
	users, err := finder.Users(ctx, given)
	if err != nil {
		return "", err
	}
	var fits []provider.User
	for _, u := range users {
		if u.ID == given || strings.EqualFold(u.ID, strings.TrimPrefix(given, "@")) {
			return u.ID, nil
		}
		login := strings.TrimPrefix(given, "@")
		if strings.EqualFold(u.Name, given) || strings.EqualFold(u.Email, given) || u.Login != "" && strings.EqualFold(u.Login, login) {
			fits = append(fits, u)
		}
	}
	switch {
	case len(fits) == 1:
		return fits[0].ID, nil
	case len(users) == 0:
		return "", nil
	case len(fits) == 0: // similar people are suggested, never taken
		return "", provider.Fail(provider.Invalid, nil, "no one at %s is %q exactly; alike are %s", s.Tracker.Name().Title(), given, people(users)).Hint("give the id or the address of one of them")
	}
	return "", provider.Fail(provider.Invalid, nil, "%q may be several people of %s: %s", given, s.Tracker.Name().Title(), people(fits)).Hint("give the id of one of them")
}

// people names the first five people with their ids.
func people(all []provider.User) string {
	var names []string
	for _, u := range all[:min(5, len(all))] {
		names = append(names, fmt.Sprintf("%s (%s)", u.Name, u.ID))
	}
	return strings.Join(names, ", ")
}

// postpone records why nothing of the ticket could be sent.
func (s *sending) postpone(ctx context.Context, why error) error {
	return s.turn.write(context.WithoutCancel(ctx), func(tx *registry.Tx) error {
		all, err := outbox.OfItem(tx, s.item)
		for _, c := range all {
			if c.Status == outbox.Pending {
				if err := outbox.Pause(tx, c, why.Error()); err != nil {
					return err
				}
			}
		}
		return err
	})
}

// failed decides about a change that could not be sent. It is given up, so that the ticket's other changes can follow, or kept for another
// push. The error is returned when nothing else can be sent either.
func (s *sending) failed(ctx context.Context, c outbox.Change, err error) (gaveUp bool, failure error) {
	known, ok := errors.AsType[*provider.Error](err)
	if !ok {
		return false, err // of our own, or canceled: whether it was sent is not known
	}
	status, stop := fate(c.Status == outbox.Sending, known)
	if !stop {
		s.result.fail(fmt.Errorf("%s: %s %s: %w", c.Ticket, c.Type, strconv.Quote(text.FirstLine(c.Value, 60)), err))
	}
	var steps []provider.Transition
	if c.Type == outbox.Status && known.Reason == provider.Invalid && s.current != nil {
		if steps, err = s.Tracker.Transitions(ctx, s.current); err != nil {
			steps = nil // the allowed steps are learned another time
		}
		err = known
	}
	stored := s.turn.record(context.WithoutCancel(ctx), s.result, func(tx *registry.Tx) error {
		switch status {
		case outbox.Sending: // marked before; the attempt counts already
			return outbox.Note(tx, c.Row, err.Error())
		case outbox.Pending:
			return outbox.Pause(tx, c, err.Error())
		}
		if err := outbox.Settle(tx, c.Row, status, "", err.Error()); err != nil || s.current == nil {
			return err
		}
		if err := s.learn(tx, s.current, steps); err != nil {
			return err
		}
		// A refused value is no longer shown.
		if c.Type == outbox.Link {
			if err := ticket.Unrelate(tx, s.item, ticket.ParseRelate(c.Value)); err != nil {
				return err
			}
		}
		value, err := s.fieldOf(tx, c)
		if err != nil {
			return err
		}
		if err := outbox.Rebase(tx, s.item, c.Type, value); err != nil {
			return err
		}
		return s.store(tx, []provider.Item{*s.current}, true, s.result)
	})
	if stored != nil || stop {
		return false, cmp.Or(stored, err)
	}
	return status == outbox.Failed, nil
}

// fate returns the state of a change that could not be sent: refused (Failed), waiting (Pending), or perhaps done (Sending), to be looked
// for. Only an explicit refusal of the tracker is one, however often other errors come. After an attempt in doubt, only a refusal of the
// value itself counts. stop reports that nothing else can be sent either.
func fate(inDoubt bool, e *provider.Error) (status string, stop bool) {
	stop = ends(e)
	switch {
	case e.Reason == provider.Uncertain, e.InDoubt:
		return outbox.Sending, stop
	case e.Reason == provider.Invalid, e.Reason == provider.Ambiguous, e.Reason == provider.Unsupported:
		return outbox.Failed, stop
	case inDoubt:
		return outbox.Sending, stop
	case e.Reason == provider.Forbidden, e.Reason == provider.NotFound:
		return outbox.Failed, stop
	}
	return outbox.Pending, stop
}

// fieldOf returns the tracker's value of a change's field, in the form of a change's value. For a field that is not read it returns the
// base of the change.
func (s *sending) fieldOf(tx *registry.Tx, c outbox.Change) (string, error) {
	n := received(s.Tracker.Name(), s.current)
	if unread(&n, c.Type) && c.Base != nil {
		return *c.Base, nil
	}
	err := keyed(tx, s.Project, &n)
	return remoteValue(&n, c.Type), err
}
