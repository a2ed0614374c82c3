package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Push says how to push.
type Push struct {
	Now    bool // do not wait until the youngest change has settled
	DryRun bool // send nothing, and ask the tracker nothing
}

// Limits of one push.
const (
	maxAttempts  = 5  // of one change that the tracker could not take, before it is given up
	maxCreations = 25 // tickets made at the tracker: a mistake must not make hundreds
	maxRounds    = 20 // waits for changes to settle
)

// Push sends what waits, each ticket's changes in the order they were made. Before
// a change is sent its ticket is read, and merged three-way with what waits. A
// change is marked before it is sent and settled with the answer, so that one whose
// answer was lost is looked for before it is sent again.
//
// What the tracker refuses for good is given up and named in the result; what it
// could not take waits for the next push. Errors are those of Pull.
func (e *Engine) Push(ctx context.Context, p Push) (r Result, err error) {
	r = Result{Direction: "push", Status: Success, Errors: []string{}, DryRun: p.DryRun}
	if p.DryRun {
		err := e.DB.Read(ctx, func(tx *registry.Tx) error {
			r.StartedAt = timestamp.Of(tx.Now())
			r.Planned, err = planned(tx, e.Project)
			r.Waiting = len(r.Planned)
			return err
		})
		return r, err
	}
	if !p.Now {
		if err := e.settled(ctx); err != nil {
			return r, err
		}
	}
	t, err := e.take(ctx)
	if err != nil {
		return r, err
	}
	defer t.end(ctx)
	var row int64
	if err := t.write(ctx, func(tx *registry.Tx) error {
		r.StartedAt = timestamp.Of(tx.Now())
		row, err = e.begin(tx, r.Direction)
		return err
	}); err != nil {
		return r, err
	}
	failure := e.send(ctx, t, &r)
	if err := e.DB.Read(context.WithoutCancel(ctx), func(tx *registry.Tx) error {
		r.Waiting, err = outbox.Count(tx, e.Project)
		return err
	}); err != nil && failure == nil {
		failure = err
	}
	if failure != nil {
		r.Status = Failed
		if r.Sent > 0 {
			r.Status = Partial
		}
		r.Errors = append(r.Errors, failure.Error())
	}
	if err := e.finish(ctx, row, &r, failure); err != nil && failure == nil {
		return r, err
	}
	return r, failure
}

// planned is what waits to be sent.
func planned(tx *registry.Tx, projectID int64) ([]Send, error) {
	waiting, err := outbox.Waiting(tx, projectID)
	all := []Send{}
	for _, c := range waiting {
		if c.Status != outbox.Pending && c.Status != outbox.Sending {
			continue
		}
		s := Send{Change: c.ID, Ticket: c.Ticket, Type: c.Type, To: text.FirstLine(c.Value, 200)}
		if c.Base != nil {
			s.From = text.FirstLine(*c.Base, 200)
		}
		all = append(all, s)
	}
	return all, err
}

// settled waits until the youngest change is as old as configured.
func (e *Engine) settled(ctx context.Context) error {
	for range maxRounds {
		var wait time.Duration
		err := e.DB.Read(ctx, func(tx *registry.Tx) error {
			youngest, err := outbox.Youngest(tx, e.Project)
			if err == nil && !youngest.IsZero() {
				wait = min(e.Debounce-e.clock().Now().Sub(youngest), e.Debounce)
			}
			return err
		})
		if err != nil || wait <= 0 {
			return err
		}
		if err := e.clock().Wait(ctx, wait); err != nil {
			return err
		}
	}
	return nil
}

// send does the requests of a push.
func (e *Engine) send(ctx context.Context, t *turn, r *Result) error {
	if err := e.finishCreations(ctx, t, r); err != nil {
		return err
	}
	var tickets []int64
	err := e.DB.Read(ctx, func(tx *registry.Tx) error {
		waiting, err := outbox.Waiting(tx, e.Project)
		for _, c := range waiting {
			if (c.Status == outbox.Pending || c.Status == outbox.Sending) && !slices.Contains(tickets, c.Item) {
				tickets = append(tickets, c.Item)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for done, item := range tickets {
		e.progress(done, len(tickets))
		s := &sending{Engine: e, turn: t, item: item, result: r}
		if err := s.ticket(ctx); err != nil {
			return err
		}
	}
	e.progress(len(tickets), len(tickets))
	return nil
}

// finishCreations makes the tickets at the tracker that wait for it. One whose
// answer was lost is found again by the tracker's own means and made once.
func (e *Engine) finishCreations(ctx context.Context, t *turn, r *Result) error {
	creator, ok := e.Tracker.(provider.Creator)
	if !ok {
		return nil
	}
	var waiting []outbox.Change
	err := e.DB.Read(ctx, func(tx *registry.Tx) error {
		all, err := outbox.Waiting(tx, e.Project)
		waiting = slices.DeleteFunc(all, func(c outbox.Change) bool {
			return c.Type != outbox.Create || c.Status != outbox.Pending && c.Status != outbox.Sending || r.Direction != "push" && c.Status != outbox.Sending
		})
		return err
	})
	if err != nil {
		return err
	}
	if len(waiting) > maxCreations {
		r.note(fmt.Sprintf("%d tickets wait to be made at %s; one push makes %d", len(waiting), e.Tracker.Name().Title(), maxCreations))
		waiting = waiting[:maxCreations]
	}
	for _, c := range waiting {
		s := &sending{Engine: e, turn: t, item: c.Item, result: r}
		if err := s.create(ctx, creator, c); err != nil {
			return err
		}
	}
	return nil
}

// sending is the part of a push that is about one ticket.
type sending struct {
	*Engine
	turn    *turn
	item    int64
	result  *Result
	current *provider.Item
}

// maxChanged is how often a ticket that others change meanwhile is read again.
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

// look reads the ticket where writes are seen at once, and merges it with what
// waits. ok is false when there is nothing to send any more.
func (s *sending) look(ctx context.Context) (ok bool, err error) {
	var remote string
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		t, err := ticket.ByItem(tx, s.item)
		if err == nil && t.Provider == s.name() {
			remote = t.ProviderID
		}
		return err
	})
	if err != nil || remote == "" {
		return false, err
	}
	s.current, err = s.Tracker.Item(ctx, remote)
	switch {
	case provider.Is(err, provider.NotFound):
		s.result.fail(err)
		return false, s.turn.write(ctx, func(tx *registry.Tx) error {
			return s.leave(tx, provider.Presence{RemoteID: remote, Where: provider.Unknown}, s.result)
		})
	case err != nil && !ends(err):
		s.result.fail(err)
		return false, s.postpone(ctx, err)
	case err != nil:
		return false, err
	}
	before := *s.result
	err = s.turn.write(ctx, func(tx *registry.Tx) error {
		*s.result = before
		return s.store(tx, []provider.Item{*s.current}, true, s.result)
	})
	return err == nil && !out(s.current.Presence), err
}

// changes sends what waits of the ticket. again says that it was changed by others
// since it was read.
func (s *sending) changes(ctx context.Context) (again bool, err error) {
	for {
		var c outbox.Change
		found := false
		err := s.DB.Read(ctx, func(tx *registry.Tx) error {
			all, err := outbox.OfItem(tx, s.item)
			at := slices.IndexFunc(all, func(c outbox.Change) bool {
				return c.Type != outbox.Create && (c.Status == outbox.Pending || c.Status == outbox.Sending)
			})
			if found = at >= 0; found {
				c = all[at]
			}
			return err
		})
		if err != nil || !found {
			return false, err
		}
		err = s.change(ctx, c)
		switch {
		case err == nil:
		case provider.Is(err, provider.Changed):
			return true, s.back(ctx, c, err)
		default:
			given, err := s.failed(ctx, c, err)
			if !given {
				return false, err
			}
		}
	}
}

// change sends one change and stores what the tracker answers. The database's own
// errors come back as they are.
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
		return err
	}
	s.current = now
	before := *s.result
	return s.turn.write(context.WithoutCancel(ctx), func(tx *registry.Tx) error {
		*s.result = before
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

// mark notes that a change is on its way.
func (s *sending) mark(ctx context.Context, c outbox.Change) error {
	return s.turn.write(ctx, func(tx *registry.Tx) error { return outbox.Settle(tx, c.Row, outbox.Sending, "", "") })
}

// wanted is a change in the tracker's words.
func (s *sending) wanted(ctx context.Context, c outbox.Change) (w provider.Change, err error) {
	switch c.Type {
	case outbox.Status:
		target := provider.ParseTarget(c.Value)
		w.Status = &target
	case outbox.Priority:
		n, err := strconv.Atoi(c.Value)
		if err != nil {
			return w, provider.Fail(provider.Invalid, err, "%q is not a priority", c.Value)
		}
		w.Priority = &n
	case outbox.Assignee:
		id, err := s.person(ctx, c.Value)
		w.Assignee = &id
		return w, err
	case outbox.Labels:
		wanted, has := strings.Split(c.Value, "\n"), s.current.Labels
		for _, l := range wanted {
			if l != "" && !contains(has, l) {
				w.AddLabels = append(w.AddLabels, l)
			}
		}
		for _, l := range has {
			if !contains(wanted, l) {
				w.RemoveLabels = append(w.RemoveLabels, l)
			}
		}
	}
	return w, nil
}

func contains(labels []string, label string) bool {
	return slices.ContainsFunc(labels, func(l string) bool { return key(l) == key(label) })
}

func key(s string) string { return text.Key(s) }

// person finds who is meant by a name, an address or an id. Several who fit are an
// Invalid error that names them.
func (s *sending) person(ctx context.Context, given string) (id string, err error) {
	if given == "" || s.current.Assignee != nil && s.current.Assignee.ID == given {
		return given, nil
	}
	finder, ok := s.Tracker.(provider.UserFinder)
	if !ok {
		return given, nil
	}
	users, err := finder.Users(ctx, given)
	if err != nil {
		return "", err
	}
	var fits []provider.User
	for _, u := range users {
		if u.ID == given {
			return given, nil
		}
		if strings.EqualFold(u.Name, given) || strings.EqualFold(u.Email, given) {
			fits = append(fits, u)
		}
	}
	switch {
	case len(fits) == 1:
		return fits[0].ID, nil
	case len(fits) == 0 && len(users) == 1:
		return users[0].ID, nil
	case len(fits) == 0 && len(users) == 0:
		return given, nil // an id that a search does not find; the tracker knows
	case len(fits) == 0:
		fits = users
	}
	var names []string
	for _, u := range fits[:min(5, len(fits))] {
		names = append(names, fmt.Sprintf("%s (%s)", u.Name, u.ID))
	}
	return "", provider.Fail(provider.Invalid, nil, "%q may be several people of %s: %s", given, s.Tracker.Name().Title(), strings.Join(names, ", ")).Hint("give the id of one of them")
}

// comment adds a comment, once however often it is tried.
func (s *sending) comment(ctx context.Context, c outbox.Change) error {
	commenter, ok := s.Tracker.(provider.Commenter)
	if !ok {
		return provider.Fail(provider.Unsupported, nil, "%s takes no comments", s.Tracker.Name().Title())
	}
	n := provider.NewComment{Key: c.ClientID, Text: c.Value}
	if c.Attempts > 0 {
		n.Attempted = c.CreatedAt.Time // an attempt before the last one may be what was done
	}
	if err := s.mark(ctx, c); err != nil {
		return err
	}
	made, err := commenter.AddComment(ctx, s.current, n)
	if err != nil {
		return err
	}
	return s.turn.write(context.WithoutCancel(ctx), func(tx *registry.Tx) error {
		s.result.Sent++
		return outbox.Settle(tx, c.Row, outbox.Synced, made.ID, "")
	})
}

// create makes the ticket at the tracker, once however often it is tried.
func (s *sending) create(ctx context.Context, creator provider.Creator, c outbox.Change) error {
	n, err := s.newItem(ctx, c)
	if err != nil {
		return err
	}
	if err := s.mark(ctx, c); err != nil {
		return err
	}
	made, err := creator.Create(ctx, n)
	if err != nil {
		_, err = s.failed(ctx, c, err)
		return err
	}
	before := *s.result
	return s.turn.write(context.WithoutCancel(ctx), func(tx *registry.Tx) error {
		*s.result = before
		s.result.Sent++
		if err := outbox.Settle(tx, c.Row, outbox.Synced, made.RemoteID, ""); err != nil {
			return err
		}
		if err := ticket.Adopt(tx, s.item, s.name(), made.RemoteID); err != nil {
			return err
		}
		return s.store(tx, []provider.Item{*made}, true, s.result)
	})
}

// newItem is the ticket as it is to be made.
func (s *sending) newItem(ctx context.Context, c outbox.Change) (n provider.NewItem, err error) {
	n = provider.NewItem{Key: c.ClientID}
	if c.Attempts > 0 {
		n.Attempted, n.Tried = c.CreatedAt.Time, c.TriedAt.Time
	}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		t, err := ticket.ByItem(tx, s.item)
		if err != nil {
			return err
		}
		n.Title, n.Text, n.Type, n.Priority, n.Labels = t.Title, t.Description, provider.ItemType(t.Type), t.Priority, t.Labels
		if t.StatusCategory != ticket.Todo {
			n.Status = &provider.Target{Category: provider.Category(t.StatusCategory)}
		}
		n.Parent, err = ticket.RemoteParent(tx, s.item, s.name())
		return err
	})
	return n, err
}

// back puts a change back that was not sent after all.
func (s *sending) back(ctx context.Context, c outbox.Change, why error) error {
	return s.turn.write(context.WithoutCancel(ctx), func(tx *registry.Tx) error {
		return outbox.Settle(tx, c.Row, outbox.Pending, "", why.Error())
	})
}

// postpone notes why nothing of the ticket could be sent.
func (s *sending) postpone(ctx context.Context, why error) error {
	return s.turn.write(context.WithoutCancel(ctx), func(tx *registry.Tx) error {
		all, err := outbox.OfItem(tx, s.item)
		for _, c := range all {
			if c.Status == outbox.Pending {
				if err := outbox.Settle(tx, c.Row, outbox.Pending, "", why.Error()); err != nil {
					return err
				}
			}
		}
		return err
	})
}

// failed decides what becomes of a change that could not be sent: given up, so that
// the ticket's other changes can follow, or kept for another push. It returns the
// error when nothing else can be sent either.
func (s *sending) failed(ctx context.Context, c outbox.Change, err error) (gaveUp bool, failure error) {
	var known *provider.Error
	if !errors.As(err, &known) {
		return false, err // ours, or canceled: whether it was sent is not known
	}
	status, stop := outbox.Pending, false
	switch known.Reason {
	case provider.Uncertain:
		status = outbox.Sending
	case provider.Offline, provider.RateLimited, provider.Unauthorized:
		stop = true
	case provider.Forbidden, provider.NotFound, provider.Invalid, provider.Ambiguous, provider.Unsupported:
		status = outbox.Failed
	default:
		if c.Attempts+1 >= maxAttempts {
			status = outbox.Failed
		}
	}
	if !stop {
		s.result.fail(fmt.Errorf("%s: %s: %w", c.Ticket, c.Type, err))
	}
	var steps []provider.Transition
	if c.Type == outbox.Status && known.Reason == provider.Invalid && s.current != nil {
		if steps, err = s.Tracker.Transitions(ctx, s.current); err != nil {
			steps = nil // what the workflow allows is learned another time
		}
		err = known
	}
	before := *s.result
	stored := s.turn.write(context.WithoutCancel(ctx), func(tx *registry.Tx) error {
		*s.result = before
		if status == outbox.Sending { // as it was marked: the attempt counts already
			return outbox.Doubt(tx, c.Row, err.Error())
		}
		if err := outbox.Settle(tx, c.Row, status, "", err.Error()); err != nil {
			return err
		}
		if status != outbox.Failed || s.current == nil {
			return nil
		}
		if err := s.learn(tx, s.current, steps); err != nil {
			return err
		}
		// What the tracker refused is not shown as if it were so.
		if err := outbox.Rebase(tx, s.item, c.Type, fieldOf(s.current, c.Type)); err != nil {
			return err
		}
		return s.store(tx, []provider.Item{*s.current}, true, s.result)
	})
	switch {
	case stored != nil:
		return false, stored
	case stop:
		return false, err
	}
	return status == outbox.Failed, nil
}

// fieldOf is a field of a tracker's item as waiting changes write it.
func fieldOf(i *provider.Item, field string) string {
	n := received("", i)
	return remoteValue(&n, field)
}
