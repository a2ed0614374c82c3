package task

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// Outlook is what a screen shows of a project's tasks: counts of all of them, and lists of those that are not done, each list within the
// limit.
type Outlook struct {
	Counts  map[string]int // by status, blocked ones apart
	Ready   int            // how many anyone may claim now
	Moving  []Waiting      // in progress, then claimed: nothing blocks them
	Blocked []Waiting
	Failed  []Task    // the newest first; canceled ones are not among them
	Queue   []Waiting // ready, in the order in which they are offered
	Waits   []Waiting
}

// Waiting is a task that something blocks.
type Waiting struct {
	Task
	On    []string        // ids of what has to change first
	Why   string          // the first reason, as a sentence
	Since *timestamp.Time // when it was claimed, or a person or a bug began to block it; nil where that is not recorded
	Claim *timestamp.Time // when it was claimed; nil while no agent holds it
}

// Look reads the outlook of a project, with at most limit tasks in each list. A task whose holder has been silent for after, so that anyone
// may claim it, counts as pending; 0 is forever.
func Look(tx *registry.Tx, projectID int64, limit int, after time.Duration) (o Outlook, err error) {
	if o.Counts, err = CountsOf(tx, projectID); err != nil {
		return o, err
	}
	queue := lease.Filter{Kind: work.KindTask, ProjectID: projectID}
	condition, args := queue.InQueue()
	ready, asking, err := lease.Ready(tx, after, work.Ready, 0)
	if err != nil {
		return o, err
	}
	args = slices.Concat(asking, args)
	counts, err := registry.Map[string, int](tx, `SELECT items.status, COUNT(*) FROM items WHERE `+ready+` AND `+condition+` GROUP BY items.status`, args...)
	if err != nil {
		return o, err
	}
	for status, n := range counts {
		o.Ready += n
		o.Counts[status] -= n
		o.Counts[Pending] += n
	}
	read, most := newRows(), ` LIMIT `+strconv.Itoa(limit)
	list := func(into *[]Task, where, order string, args ...any) {
		if err != nil {
			return
		}
		var found []listed
		found, err = read.collect(tx, `WHERE `+where+order+most, args...)
		*into = tasks(found)
	}
	claimed, err := registry.Map[string, *timestamp.Time](tx, `SELECT items.ref, leases.claimed_at FROM leases JOIN items ON items.id = leases.item_id
		WHERE leases.agent_id IS NOT NULL AND items.project_id + 0 = ?`, projectID)
	if err != nil {
		return o, err
	}
	const ofProject = `items.kind = 'task' AND items.project_id = ? AND items.deleted_at IS NULL AND `
	for _, status := range []string{InProgress, Claimed} {
		var some []Task
		is, more := hasStatus(status)
		list(&some, ofProject+is+` AND NOT (`+ready+`)`, ` ORDER BY items.id`, slices.Concat([]any{projectID}, more, asking)...)
		for _, t := range some {
			o.Moving = append(o.Moving, Waiting{Task: t, Since: claimed[t.ID], Claim: claimed[t.ID]})
		}
	}
	list(&o.Failed, ofProject+`items.status = ? AND COALESCE(tasks.result, '') <> ?`, ` ORDER BY items.finished_at DESC, items.id DESC`, projectID, Failed, Canceled)
	var queued []Task
	list(&queued, ready+` AND `+condition, ` ORDER BY items.priority DESC, items.created_at, items.id`, args...)
	if err != nil {
		return o, err
	}
	for _, t := range queued {
		o.Queue = append(o.Queue, Waiting{Task: t, Claim: claimed[t.ID]})
	}
	isBlocked, _ := hasStatus(Blocked)
	if o.Blocked, err = waiting(tx, read, `WHERE items.project_id + 0 = ? AND items.deleted_at IS NULL AND `+isBlocked+` ORDER BY items.id`+most, projectID); err != nil {
		return o, err
	}
	for i, t := range o.Blocked {
		o.Blocked[i].Claim = claimed[t.ID]
	}
	o.Waits, err = waiting(tx, read, `WHERE `+ofProject+`items.status = ? AND NOT `+IsBlocked+` AND NOT (`+work.Ready+`) ORDER BY items.id`+most, projectID, Pending, 0)
	return o, err
}

func tasks(found []listed) []Task {
	all := make([]Task, len(found))
	for i, t := range found {
		all[i] = t.Task
	}
	return all
}

// waiting reads tasks with what blocks them.
func waiting(tx *registry.Tx, read *rows, rest string, args ...any) ([]Waiting, error) {
	found, err := read.collect(tx, rest, args...)
	if err != nil {
		return nil, err
	}
	all := make([]Waiting, len(found))
	for i, t := range found {
		w := &all[i]
		w.Task = t.Task
		item, err := work.ByID(tx, t.item)
		if err != nil {
			return nil, err
		}
		said, err := work.Explain(tx, item, 0)
		if err != nil {
			return nil, err
		}
		reason := said.Chief()
		w.Why, w.On = reason.Sentence, reason.Items
		if reason.Why == work.WhyBug {
			bugs, err := openBugs(tx, item.ID)
			if err != nil {
				return nil, err
			}
			w.Why = "bug: " + strings.Join(text.Each(bugs, func(b openBug) string { return b.title }), "; ")
		}
		if reason.Why == work.WhyBug || reason.Why == work.WhyPerson {
			if w.Since, err = work.BlockedSince(tx, item.ID); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}
