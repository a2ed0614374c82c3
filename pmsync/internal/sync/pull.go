package sync

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Pull stores here what changed at the tracker since the last pull. With full, it
// reads everything and asks for each ticket that is here whether the tracker still
// has it. A pull that was cut off, at any point, continues where it stopped.
//
// Items that could not be stored are kept for the next pull and named in the result,
// which is Partial then. A tracker that cannot be reached is its provider.Error;
// while another process syncs the project, it is a retryable Conflict fault.
func (e *Engine) Pull(ctx context.Context, full bool) (r Result, err error) {
	t, err := e.take(ctx)
	if err != nil {
		return r, err
	}
	defer t.end(ctx)
	return e.pull(ctx, t, full)
}

func (e *Engine) pull(ctx context.Context, t *turn, full bool) (r Result, err error) {
	r = Result{Direction: "pull", Status: Success, Errors: []string{}, asked: true}
	if full {
		r.Direction = "full"
	}
	var row int64
	cursor := ""
	err = t.write(ctx, func(tx *registry.Tx) error {
		r.StartedAt = timestamp.Of(tx.Now())
		if full {
			if err := e.setCursor(tx, streamItems, ""); err != nil {
				return err
			}
		}
		if cursor, _, err = e.cursor(tx, streamItems); err != nil {
			return err
		}
		row, err = e.begin(tx, r.Direction)
		return err
	})
	if err != nil {
		return r, err
	}
	err = e.finish(ctx, row, &r, e.read(ctx, t, full, cursor, &r))
	return r, err
}

// read does the requests of a pull.
func (e *Engine) read(ctx context.Context, t *turn, full bool, cursor string, r *Result) error {
	// A ticket whose creation was cut off must be known before it is pulled, or it would come as a second one.
	if err := e.finishCreations(ctx, t, r); err != nil {
		return err
	}
	if err := e.surroundings(ctx, t, full, r); err != nil {
		return err
	}
	var missing, away map[string]bool
	looks, err := e.looksForGone(ctx, full, cursor)
	if err == nil && looks && (full || checkedDaily(e.Tracker)) {
		missing, err = registry.Read(ctx, e.DB, func(tx *registry.Tx) (map[string]bool, error) {
			return ticket.RemoteIDs(tx, e.Project, e.name())
		})
	}
	if err == nil && looks {
		away, err = e.putAway(ctx)
	}
	if err != nil {
		return err
	}
	done := 0
	err = e.Tracker.Pull(ctx, provider.Pull{Cursor: provider.Cursor(cursor), Types: e.Types}, func(p provider.Page) error {
		for _, i := range p.Items {
			delete(missing, i.RemoteID)
			delete(away, i.RemoteID)
		}
		done += len(p.Items)
		e.progress(done, p.Total)
		if cursor != "" { // a first pull brings thousands
			e.hear(p.Items)
		}
		return e.storePage(ctx, t, p, r)
	})
	if err != nil {
		return err
	}
	// The items that could not be stored before, the oldest first.
	failed, err := registry.Read(ctx, e.DB, func(tx *registry.Tx) ([]string, error) {
		return registry.Collect(tx, registry.One[string],
			`SELECT remote_id FROM sync_failures WHERE project_id = ? ORDER BY retry_at, remote_id LIMIT 50`, e.Project)
	})
	if err != nil {
		return err
	}
	if err := e.fetchAll(ctx, t, failed, r); err != nil {
		return err
	}
	if err := e.listen(ctx, t); err != nil {
		return err
	}
	if looks {
		if err := e.returned(ctx, t, away, r); err != nil {
			return err
		}
		if err := e.reconcile(ctx, t, missing, full, r); err != nil {
			return err
		}
	}
	if err := e.outside(ctx, t, full, r); err != nil {
		return err
	}
	if !looks && cursor != "" {
		return nil
	}
	return t.write(ctx, func(tx *registry.Tx) error { return e.setCursor(tx, streamGone, "") })
}

// looksForGone reports whether a pull looks for tickets that came back and, where the tracker does not report deletions by itself, for
// tickets that are gone. A full pull does, and otherwise one a day. A first pull does not, since it has just read everything.
func (e *Engine) looksForGone(ctx context.Context, full bool, cursor string) (bool, error) {
	if full || cursor == "" {
		return full, nil
	}
	return e.due(ctx, streamGone, "", goneAge)
}

// checkedDaily reports whether a tracker is asked each day for deleted tickets: it can be asked, and does not report them by itself.
func checkedDaily(tracker provider.Provider) bool {
	_, tells := tracker.(provider.Teller)
	_, checks := tracker.(provider.Checker)
	return checks && !tells
}

// storePage stores a page and its cursor in one transaction. When an item is refused, the others are stored one by one, and it is put
// aside.
func (e *Engine) storePage(ctx context.Context, t *turn, p provider.Page, r *Result) error {
	rest := func(tx *registry.Tx) error {
		for _, g := range p.Gone {
			if out(g.Where) {
				if err := e.leave(tx, g, r); err != nil {
					return err
				}
			}
		}
		for _, f := range p.Failed {
			r.fail(about(e.called(tx, f.RemoteID), f.Err))
			if err := e.putAside(tx, f.RemoteID, f.Err); err != nil {
				return err
			}
		}
		return e.setCursor(tx, streamItems, string(p.Cursor))
	}
	err := t.record(ctx, r, func(tx *registry.Tx) error {
		if err := e.store(tx, p.Items, false, r); err != nil {
			return err
		}
		return rest(tx)
	})
	if !refused(err) {
		return err
	}
	for i := range p.Items {
		if err := e.storeOne(ctx, t, &p.Items[i], r); err != nil {
			return err
		}
	}
	return t.record(ctx, r, rest)
}

// refused reports whether a write failed because of the data written.
func refused(err error) bool {
	f := fault.From(err)
	return f != nil && (f.Kind == fault.KindValidation || f.Kind == fault.KindConflict && !f.Retryable && f.EntityType == "ticket")
}

func (e *Engine) storeOne(ctx context.Context, t *turn, i *provider.Item, r *Result) error {
	err := t.record(ctx, r, func(tx *registry.Tx) error {
		if err := e.store(tx, []provider.Item{*i}, false, r); err != nil {
			return err
		}
		return e.forgetFailure(tx, i.RemoteID)
	})
	if !refused(err) {
		return err
	}
	r.fail(fmt.Errorf("%s: %w", i.Key, err))
	return t.write(ctx, func(tx *registry.Tx) error { return e.putAside(tx, i.RemoteID, err) })
}

func (e *Engine) fetchAll(ctx context.Context, t *turn, ids []string, r *Result) error {
	for _, id := range ids {
		if err := e.fetch(ctx, t, id, r); err != nil {
			return err
		}
	}
	return nil
}

// fetch reads one item and stores it, or notes that it is gone.
func (e *Engine) fetch(ctx context.Context, t *turn, id string, r *Result) error {
	i, err := e.reread(ctx, id)
	switch {
	case err == nil:
		return e.storeOne(ctx, t, i, r)
	case provider.Is(err, provider.NotFound):
		return t.write(ctx, func(tx *registry.Tx) error {
			if err := e.leave(tx, provider.Presence{RemoteID: id, Where: provider.Unknown}, r); err != nil {
				return err
			}
			return e.forgetFailure(tx, id)
		})
	case ends(err):
		return err
	}
	return t.record(ctx, r, func(tx *registry.Tx) error {
		r.fail(about(e.called(tx, id), err))
		return e.putAside(tx, id, err)
	})
}

// called returns the key of the ticket with a remote id, or the id itself when the ticket is not here.
func (e *Engine) called(tx *registry.Tx, remoteID string) string {
	if key, err := ticket.KeyOf(tx, e.Project, e.name(), remoteID); err == nil && key != "" {
		return key
	}
	return remoteID
}

// ends reports whether an error of one request ends the whole run, because the next request would fail in the same way.
func ends(err error) bool {
	switch provider.ReasonOf(err) {
	case provider.Offline, provider.RateLimited, provider.Unauthorized, "":
		return true
	}
	return false
}

// mostAway bounds how many gone tickets are looked for, the newest ones first. mostAwayByItem holds where each takes a request of its own.
const (
	mostAway       = 1000
	mostAwayByItem = 50
)

// putAway returns the remote ids of tickets that were here and are out of sight.
func (e *Engine) putAway(ctx context.Context) (map[string]bool, error) {
	most := mostAwayByItem
	if _, ok := e.Tracker.(provider.Checker); ok {
		most = mostAway
	}
	return registry.Read(ctx, e.DB, func(tx *registry.Tx) (map[string]bool, error) { return ticket.AwayIDs(tx, e.Project, e.name(), most) })
}

// returned brings back tickets that were out of sight and that the tracker has again.
func (e *Engine) returned(ctx context.Context, t *turn, away map[string]bool, r *Result) error {
	ids := slices.Sorted(maps.Keys(away))
	checker, ok := e.Tracker.(provider.Checker)
	if !ok {
		for _, id := range ids {
			i, err := e.Tracker.Item(ctx, id)
			switch {
			case err != nil && ends(err):
				return err
			case err == nil && !out(i.Presence):
				if err := e.storeOne(ctx, t, i, r); err != nil {
					return err
				}
			}
		}
		return nil
	}
	var back []string
	err := checker.Check(ctx, ids, func(p provider.Presence) error {
		if p.Where == provider.Present {
			back = append(back, p.RemoteID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return e.fetchAll(ctx, t, back, r)
}

// allMoved reports whether all requested tickets are said to be in another project while a pull brought none at all. Then the project
// itself has changed, and not the tickets.
func allMoved(gone []provider.Presence, asked, listed int) bool {
	return listed == 0 && asked > 1 && len(gone) == asked && !slices.ContainsFunc(gone, func(p provider.Presence) bool { return p.Where != provider.Moved })
}

// tooManyLost reports whether so many tickets are out of sight at once, compared with those still seen, that the account has probably lost
// its rights.
func tooManyLost(unknown, listed int) bool { return unknown > max(fewLost, listed) }

// fewLost is how many tickets may be out of sight at once before a lost right of the account is suspected.
const fewLost = 5

// reconcile finds the tickets that the tracker no longer has, among those that a pull did not bring. Where a tracker does not distinguish a
// deleted ticket from one that the account may not read, it counts as gone, unless most are missing. A ticket that exists although a full
// pull did not bring it is read.
func (e *Engine) reconcile(ctx context.Context, t *turn, missing map[string]bool, full bool, r *Result) error {
	ids := slices.Sorted(maps.Keys(missing))
	checker, ok := e.Tracker.(provider.Checker)
	if !ok {
		return e.fetchAll(ctx, t, ids, r)
	}
	var gone, unknown []provider.Presence
	var back []string
	err := checker.Check(ctx, ids, func(p provider.Presence) error {
		switch {
		case out(p.Where):
			gone = append(gone, p)
		case p.Where == provider.Present:
			back = append(back, p.RemoteID) // exists, but was not listed
		case p.Where == provider.Unknown:
			unknown = append(unknown, p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if unknown, err = e.stillUnknown(ctx, checker, unknown); err != nil {
		return err
	}
	listed := r.Created + r.Updated + r.Unchanged + len(back)
	if allMoved(gone, len(ids), listed) {
		r.fail(fmt.Errorf("all %d tickets count as moved to another project of %s: they stay here; check which project is configured (`pmsync connect %s` lists them)", len(gone), e.Tracker.Name().Title(), e.name()))
		gone = nil
	}
	if tooManyLost(len(unknown), listed) {
		r.fail(fmt.Errorf("%d tickets can no longer be read at %s, which is more than it shows: they stay here; check what the account may see", len(unknown), e.Tracker.Name().Title()))
	} else {
		gone = append(gone, unknown...)
	}
	if full {
		if err := e.fetchAll(ctx, t, back, r); err != nil {
			return err
		}
	}
	return t.record(ctx, r, func(tx *registry.Tx) error {
		for _, p := range gone {
			if err := e.leave(tx, p, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// stillUnknown asks once more for the tickets that a tracker did not know: one such answer is not believed.
func (e *Engine) stillUnknown(ctx context.Context, checker provider.Checker, first []provider.Presence) (unknown []provider.Presence, err error) {
	if len(first) == 0 {
		return nil, nil
	}
	ids := make([]string, len(first))
	for i, p := range first {
		ids[i] = p.RemoteID
	}
	if err := e.clock().Wait(ctx, askAgain); err != nil {
		return nil, err
	}
	err = checker.Check(ctx, ids, func(p provider.Presence) error {
		if p.Where == provider.Unknown {
			unknown = append(unknown, p)
		}
		return nil
	})
	return unknown, err
}

// mostOutside bounds the requests of one look at the blockers of other projects.
const mostOutside = 50

// outside asks for the tickets of other projects that tickets here wait for, and unblocks what waits for a finished one. It does so each
// hour, and when the pull brought something: a link to a finished ticket may be new.
func (e *Engine) outside(ctx context.Context, t *turn, full bool, r *Result) error {
	due, err := e.due(ctx, streamOutside, "", outsideAge)
	if err != nil || !due && !full && r.Created+r.Updated == 0 {
		return err
	}
	ids, err := registry.Read(ctx, e.DB, func(tx *registry.Tx) ([]string, error) {
		return ticket.OutsideBlockers(tx, e.Project, e.name(), mostOutside)
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	for _, id := range ids {
		i, err := e.Tracker.Item(ctx, id)
		if err != nil && ends(err) {
			return err
		}
		if err != nil || !letsGo(i) { // an unreadable blocker still blocks
			continue
		}
		err = t.write(ctx, func(tx *registry.Tx) error {
			return work.HereNow(tx, e.Project, id, work.Event{Actor: e.name(), Why: "it is " + i.Status.Name + " at the tracker"})
		})
		if err != nil {
			return err
		}
	}
	return t.write(ctx, func(tx *registry.Tx) error { return e.setCursor(tx, streamOutside, "") })
}

// letsGo reports whether an item of a tracker no longer blocks.
func letsGo(i *provider.Item) bool {
	return i.Status.Category == provider.Done || i.Status.Category == provider.Canceled || i.Presence == provider.Deleted
}
