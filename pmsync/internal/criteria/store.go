package criteria

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/criteria/find"
	"github.com/agit-suite/agit/pmsync/internal/lookup"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Store runs transactions over criteria.
type Store struct {
	DB *registry.DB
	// NeedEvidence refuses to mark a criterion as verified without evidence.
	NeedEvidence bool
}

// Status returns a ticket's criteria with counts by status.
func (s *Store) Status(ctx context.Context, c caller.Caller, ticket string) (status Status, err error) {
	err = s.read(ctx, c, ticket, func(_ *registry.Tx, item work.Item, all []Criterion) error {
		status = StatusOf(item.Ref, all)
		return nil
	})
	return status, err
}

// IDs returns the ids of a project's criteria that begin with prefix, for completion.
func (s *Store) IDs(ctx context.Context, c caller.Caller, prefix string) (ids []string, err error) {
	err = c.Read(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		ids, err = registry.Collect(tx, func(row registry.Scanner) (string, error) {
			var ref, said string
			err := row.Scan(&ref, &said)
			return ref + "\t" + said, err
		}, `SELECT c.ref, c.text FROM criteria c CROSS JOIN items i WHERE i.id = c.item_id AND c.ref >= ? AND c.ref < ? AND c.gone_at IS NULL
			AND i.project_id = ? AND i.deleted_at IS NULL ORDER BY c.ref LIMIT 200`, prefix, prefix+"\U0010FFFF", who.Project.ID)
		return err
	})
	return ids, err
}

// CheckAll reports whether all criteria of a ticket are met and it can be closed.
func (s *Store) CheckAll(ctx context.Context, c caller.Caller, ticket string) (check Check, err error) {
	err = s.read(ctx, c, ticket, func(tx *registry.Tx, item work.Item, all []Criterion) error {
		waits, err := work.Blockers(tx, item.ID)
		var refs []string
		for _, b := range waits {
			refs = append(refs, b.Ref)
		}
		check = CheckOf(item.Ref, all, refs)
		return err
	})
	return check, err
}

func (s *Store) read(ctx context.Context, c caller.Caller, ticket string, do func(*registry.Tx, work.Item, []Criterion) error) error {
	return c.Read(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		item, all, err := ofTicket(tx, who, ticket)
		if err != nil {
			return err
		}
		return do(tx, item, all)
	})
}

// ofTicket returns the item with an id, and its criteria.
func ofTicket(tx *registry.Tx, who caller.Who, id string) (item work.Item, all []Criterion, err error) {
	if item, err = lookup.Item(tx, who.Project.ID, "", "external_item_id", id); err == nil {
		all, err = Of(tx, item.ID)
	}
	return item, all, err
}

// named returns the criterion with an id, or by its place in a ticket (SEM-1#2).
func named(tx *registry.Tx, projectID int64, id string) (c Criterion, err error) {
	if ticket, place, ok := splitPlace(id); ok {
		item, err := lookup.Item(tx, projectID, "", "criterion_id", ticket)
		if err != nil {
			return c, err
		}
		all, err := Of(tx, item.ID)
		if err != nil {
			return c, err
		}
		if place > len(all) {
			return c, fault.NotFound("criterion", id).WithHint("%s has %s", item.Ref, text.Count(len(all), "criterion", "criteria"))
		}
		return all[place-1], nil
	}
	c, err = scan(tx.QueryRow(selection+`WHERE c.ref = ?`, strings.ToLower(id)))
	if registry.NoRows(err) {
		return c, fault.NotFound("criterion", id).WithHint("give the id that ac_status shows (`pmsync ac status TICKET`), or the ticket and its place such as SEM-1#2")
	}
	if err == nil {
		err = tx.In(c.Project)
	}
	return c, err
}

// Add adds a criterion of a person or an agent at index, counted from 0; nil appends it.
func (s *Store) Add(ctx context.Context, c caller.Caller, ticket, given string, index *int) (done Changed, err error) {
	given, err = sentence(given)
	if err != nil {
		return done, err
	}
	err = c.Write(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		item, all, err := ofTicket(tx, who, ticket)
		if err != nil {
			return err
		}
		if at := slices.IndexFunc(all, func(c Criterion) bool { return find.Key(c.Text) == find.Key(given) }); at >= 0 {
			return fault.Conflict("criterion", all[at].ID, "%s has this criterion already: %s", item.Ref, all[at].ID).WithHint("change that one, or say what is different")
		}
		place := len(all)
		if index != nil {
			if *index < 0 || *index > len(all) {
				return fault.Validation("index", "index %d is outside 0 to %d", *index, len(all)).WithHint("leave it out to add at the end")
			}
			place = *index
		}
		if err := tx.Do(`UPDATE criteria SET position = position + 1 WHERE item_id = ? AND position >= ? AND gone_at IS NULL`, item.ID, place); err != nil {
			return err
		}
		ref, err := tx.FreeID("criteria", Prefix)
		if err != nil {
			return err
		}
		row, err := registry.One[int64](tx.QueryRow(`INSERT INTO criteria (uid, ref, item_id, position, text, source, changed_by, changed_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
			registry.NewUID(), ref, item.ID, place, given, Manual, registry.NullIfZero(who.AgentID), tx.Stamp(), tx.Stamp()))
		if err != nil {
			return err
		}
		return s.finish(tx, &done, who, row, work.Event{Field: "criterion added", New: given})
	})
	return done, err
}

// sentence checks the text of a criterion.
func sentence(given string) (string, error) {
	given, err := text.Body("criterion_text", given)
	switch {
	case err != nil:
		return "", err
	case given == "":
		return "", fault.Validation("criterion_text", "the criterion has no text").WithHint("say what must be true")
	case len(given) > maxText:
		return "", fault.Validation("criterion_text", "the criterion is %d bytes long, the limit is %d", len(given), maxText).WithHint("split it")
	}
	return given, nil
}

// finish records a change in the history of the criterion's ticket, and returns the criterion as it is now.
func (s *Store) finish(tx *registry.Tx, done *Changed, who caller.Who, row int64, change work.Event) (err error) {
	done.BookedOn = who.BookedOn()
	if done.Criterion, err = byRow(tx, row); err != nil {
		return err
	}
	tx.Changed(registry.TopicTickets, 0, done.Ticket)
	change.Agent = who.AgentID
	return work.Record(tx, done.Criterion.Item, change)
}

// Verdict is a judgement on a criterion.
type Verdict struct {
	ID       string
	Status   string // Verified or Failed
	Evidence Evidence
	Notes    string
	Session  string // of the judgement; that of the caller's agent when empty
	// Folder is where evidence is checked before anything is stored; "" skips the check. Missing evidence is a fault.
	Folder string
}

// Verify marks a criterion as verified or failed, with the evidence for it. A
// failure counts as an attempt.
func (s *Store) Verify(ctx context.Context, c caller.Caller, v Verdict) (done Changed, err error) {
	if v.Status != Verified && v.Status != Failed {
		return done, fault.Validation("status", "%q is not a verdict", v.Status).WithHint("use verified or failed; an update (ac_update) sets the other statuses")
	}
	if v.Notes != "" {
		v.Evidence.Notes = strings.TrimPrefix(v.Evidence.Notes+"\n"+v.Notes, "\n")
	}
	if err := v.Evidence.clean(); err != nil {
		return done, err
	}
	if s.NeedEvidence && v.Status == Verified && v.Evidence.Empty() {
		return done, fault.Validation("evidence", "this project wants evidence for a verified criterion").WithHint("name the files, tests or commits that show it")
	}
	var checked []string
	if v.Folder != "" {
		if checked, err = v.Evidence.look(ctx, v.Folder); err != nil {
			return done, err
		}
	}
	err = c.Write(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		was, err := named(tx, who.Project.ID, v.ID)
		if err != nil {
			return err
		}
		session := v.Session
		if session == "" {
			if session, err = openSession(tx, was.Item, who); err != nil {
				return err
			}
		}
		if err := v.store(tx, was, who, session); err != nil {
			return err
		}
		done.Checked = checked
		return s.finish(tx, &done, who, was.Row, work.Event{Field: "criterion " + was.ID, Old: was.Status, New: v.Status, Why: v.Evidence.Notes})
	})
	return done, err
}

// openSession returns the open session of the caller's agent, in which it judges.
func openSession(tx *registry.Tx, itemID int64, who caller.Who) (ref string, err error) {
	if who.AgentID == 0 {
		return "", nil
	}
	ref, err = registry.One[string](tx.QueryRow(`SELECT s.ref FROM open_sessions s JOIN items i ON i.project_id = s.project_id
		WHERE i.id = ? AND s.agent_id = ? ORDER BY s.last_event_at DESC LIMIT 1`, itemID, who.AgentID))
	_, err = registry.Found(err)
	return ref, err
}

func (v Verdict) store(tx *registry.Tx, was Criterion, who caller.Who, session string) error {
	reason, attempts := "", 0
	verified, failed := registry.Null[string]{V: tx.Stamp(), Valid: true}, registry.Null[string]{}
	if v.Status == Failed {
		verified, failed = failed, verified
		reason, attempts = v.Evidence.Notes, 1
	}
	err := tx.Do(`UPDATE criteria SET status = ?, unsure = 0, verified_at = ?, failed_at = ?, failed_reason = ?, attempts = attempts + ?, notes = ?,
		changed_by = ?, session_ref = ?, changed_at = ? WHERE id = ?`,
		v.Status, verified, failed, reason, attempts, v.Evidence.Notes, registry.NullIfZero(who.AgentID), session, tx.Stamp(), was.Row)
	if err != nil {
		return err
	}
	if err := tx.Do(`DELETE FROM criterion_evidence WHERE criterion_id = ?`, was.Row); err != nil {
		return err
	}
	var rows [][]any
	lists := v.Evidence.lists()
	for _, kind := range slices.Sorted(maps.Keys(lists)) {
		found := ""
		if v.Folder != "" && kind != "test" {
			found = "yes"
		}
		for i, value := range *lists[kind] {
			rows = append(rows, []any{was.Row, kind, i, value, found})
		}
	}
	return tx.InsertRows(`INSERT INTO criterion_evidence (criterion_id, kind, position, value, found) VALUES`, rows, "", nil)
}

// Update changes the text or the status of a criterion; a nil one stays as it is. A judged criterion becomes pending again when its new
// text requires something else, because its evidence is about the old text. An unsure criterion becomes a sure one.
func (s *Store) Update(ctx context.Context, c caller.Caller, id string, given, status *string) (done Changed, err error) {
	if given == nil && status == nil {
		return done, fault.Validation("", "nothing to change is given").WithHint("give a text or a status")
	}
	if given != nil {
		checked, err := sentence(*given)
		if err != nil {
			return done, err
		}
		given = &checked
	}
	if status != nil {
		if !slices.Contains(Statuses(), *status) {
			return done, fault.Validation("status", "%q is not a status of a criterion", *status).WithHint("use %s", strings.Join(Statuses(), ", "))
		}
		if *status == Verified && s.NeedEvidence {
			return done, fault.Validation("status", "this project wants evidence for a verified criterion").WithHint("`pmsync ac verify` takes evidence with it, as in --file PATH or --test NAME")
		}
	}
	err = c.Write(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		was, err := named(tx, who.Project.ID, id)
		if err != nil {
			return err
		}
		change, err := s.change(tx, who, was, given, status)
		if err != nil {
			return err
		}
		if was.Unsure {
			if err := tx.Do(`UPDATE criteria SET unsure = 0 WHERE id = ?`, was.Row); err != nil {
				return err
			}
			return s.finish(tx, &done, who, was.Row, work.Event{Field: "criterion confirmed", New: was.Text})
		}
		if change.Old == change.New {
			done.BookedOn = who.BookedOn()
			done.Criterion, err = byRow(tx, was.Row)
			return err
		}
		return s.finish(tx, &done, who, was.Row, change)
	})
	return done, err
}

// change sets the text, the status or both of a criterion; a nil one stays as it is. It returns the event for the history; when both
// changed, that of the status.
func (s *Store) change(tx *registry.Tx, who caller.Who, was Criterion, given, status *string) (e work.Event, err error) {
	e = work.Event{Field: "criterion " + was.ID, Old: was.Status, New: was.Status}
	if status != nil {
		e.New = *status
	}
	if given != nil && *given != was.Text {
		if err := tx.Do(`UPDATE criteria SET text = ?, changed_at = ? WHERE id = ?`, *given, tx.Stamp(), was.Row); err != nil {
			return e, err
		}
		judged := was.Status == Verified || was.Status == Failed
		if status == nil && judged && !requiresTheSame(was.Text, *given) {
			e.New = Pending
		}
		if e.New == was.Status {
			return work.Event{Field: "criterion text", Old: was.Text, New: *given}, nil
		}
	}
	if e.New == was.Status {
		return e, nil
	}
	return e, s.move(tx, was, e.New, who)
}

// requiresTheSame reports whether two texts are nearly the same, so that evidence for
// one is evidence for the other.
func requiresTheSame(a, b string) bool {
	return slices.ContainsFunc(find.Match([]string{a}, []string{b}), func(p find.Pair) bool { return p.Old >= 0 && p.New >= 0 })
}

// move sets the status of a criterion, and when it was verified or failed.
func (s *Store) move(tx *registry.Tx, was Criterion, status string, who caller.Who) error {
	session, err := openSession(tx, was.Item, who)
	if err != nil {
		return err
	}
	verified, failed := registry.Null[string]{}, registry.Null[string]{}
	now, attempts := registry.Null[string]{V: tx.Stamp(), Valid: true}, 0
	switch status {
	case Verified:
		verified = now
	case Failed:
		failed, attempts = now, 1
	}
	return tx.Do(`UPDATE criteria SET status = ?, verified_at = ?, failed_at = ?, attempts = attempts + ?, changed_by = ?, session_ref = ?, changed_at = ?,
		failed_reason = CASE WHEN ? = 'failed' THEN failed_reason ELSE '' END WHERE id = ?`,
		status, verified, failed, attempts, registry.NullIfZero(who.AgentID), session, tx.Stamp(), status, was.Row)
}

// maxEvidence bounds how many pieces of each kind are kept.
const maxEvidence = 100

// clean checks and redacts evidence.
func (e *Evidence) clean() error {
	for kind, list := range e.lists() {
		if len(*list) > maxEvidence {
			return fault.Validation("evidence", "at most %d %ss are kept, not %d", maxEvidence, kind, len(*list)).WithHint("name the most important ones")
		}
		for i, value := range *list {
			value, err := text.Body("evidence", value)
			if err != nil {
				return err
			}
			if value == "" || len(value) > maxText || strings.ContainsAny(value, "\n\r") {
				return fault.Validation("evidence", "a %s of the evidence is not one line of at most %d bytes", kind, maxText).WithHint("give paths, names and commits as they are")
			}
			(*list)[i] = value
		}
	}
	notes, err := text.Verbatim("notes", e.Notes)
	e.Notes = redact.Stored(notes)
	return err
}
