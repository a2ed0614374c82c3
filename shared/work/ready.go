package work

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

// The parts of readiness as conditions on items. They are written so that the planner uses items_ready, items_queue and items_origin, and
// no index in another order, such as items_label, which holds every task.
const (
	notDeleted = `items.deleted_at IS NULL`
	offered    = `items.kind NOT IN ('epic', 'bug', 'scenario', 'artifact')`
	inProject  = `EXISTS (SELECT 1 FROM projects WHERE projects.id = items.project_id AND projects.status = 'active' AND projects.deleted_at IS NULL)`
	free       = `items.holds = 0`
	childless  = `NOT EXISTS (SELECT 1 FROM items child WHERE child.parent_id = items.id AND child.deleted_at IS NULL AND child.state IN ('open', 'active'))`
	untaken    = `NOT EXISTS (SELECT 1 FROM items taker WHERE taker.origin_id = items.id AND taker.kind = 'task' AND taker.deleted_at IS NULL AND taker.state <> 'dropped' AND taker.state <> 'done')`
	unreviewed = `NOT EXISTS (SELECT 1 FROM items_in_review WHERE items_in_review.item_id = items.id)`
	originFree = `NOT EXISTS (SELECT 1 FROM items origin WHERE origin.id = items.origin_id AND ` + notWanted + `)`
)

// notWanted is the condition that the ticket or plan from which an item was made is not to be worked on now.
const notWanted = `origin.kind IN ('ticket', 'plan') AND (origin.deleted_at IS NOT NULL OR origin.holds > 0 OR origin.state IN ('done', 'dropped'))`

// meantFor returns the condition that an item is assigned to no one, to the asking agent, or to the registry's user; agent is the SQL for
// the asking agent's id.
func meantFor(items, agent string) string {
	return strings.NewReplacer("items.", items+".", "$agent", agent).Replace(`(items.assignee_agent_id IS NULL AND items.assignee IS NULL
		OR EXISTS (SELECT 1 FROM agents asker WHERE asker.id = $agent AND (asker.id = items.assignee_agent_id OR asker.name_key = items.assignee))
		OR ` + Own + `)`)
}

// originAnothers returns the condition that an unassigned item was made from a ticket or plan that is assigned to someone else.
func originAnothers(agent string) string {
	return `(items.assignee_agent_id IS NULL AND items.assignee IS NULL AND EXISTS (SELECT 1 FROM items origin
		WHERE origin.id = items.origin_id AND origin.kind IN ('ticket', 'plan') AND NOT ` + meantFor("origin", agent) + `))`
}

// Own is the condition that an item is assigned to the registry's user.
const Own = `EXISTS (SELECT 1 FROM own_names WHERE own_names.project_id = items.project_id AND own_names.name_key = items.assignee)`

// Fit is the condition that nothing but someone's claim keeps an item from
// being worked on.
const Fit = free + ` AND ` + notDeleted + ` AND ` + offered + ` AND ` + inProject + ` AND ` + childless + ` AND ` + untaken + ` AND ` + unreviewed + ` AND ` + originFree

// Ready is the condition under which an item may be claimed, the same for a
// claim by id, for the next one and for every list of ready work. Its one
// parameter is the claiming agent's id, 0 for no one in particular.
var Ready = `items.state = 'open' AND ` + Fit + ` AND EXISTS (SELECT 1 FROM (SELECT CAST(? AS BIGINT) AS id) caller WHERE ` +
	meantFor("items", "caller.id") + ` AND NOT ` + originAnothers("caller.id") + `)`

// Why names what keeps an item from being ready.
type Why string

// The reasons, in the order of preference where only one can be named.
const (
	WhyDeleted    Why = "deleted"
	WhyFinished   Why = "finished"
	WhyClaimed    Why = "claimed"
	WhyContainer  Why = "not_work"
	WhyProject    Why = "project_not_active"
	WhyBug        Why = "blocked_by_bug"
	WhyPerson     Why = "held_back"
	WhyFailed     Why = "blocked_by_failed"
	WhyWaiting    Why = "waiting"
	WhyOutside    Why = "waiting_elsewhere"
	WhyAncestor   Why = "ancestor_waiting"
	WhyChildren   Why = "open_children"
	WhyTakenUp    Why = "taken_up"
	WhyOrigin     Why = "origin_waiting"
	WhyReview     Why = "in_review"
	WhyAssigned   Why = "assigned_to_another"
	WhyCapability Why = "capabilities" // depends on the caller, so not part of the table
	WhyPriority   Why = "priority"     // likewise
)

// Rule is one line of the truth table: the item is not ready while When holds.
type Rule struct {
	Why  Why
	When string // in words, for docs/ready.md
	SQL  string // the same, as a condition on items; one ? is the asking agent's id

	// can reports whether the rule can apply to an item with this row; nil: to any.
	can func(Item) bool
}

// Asks reports whether the rule's condition takes the asking agent's id.
func (r Rule) Asks() bool { return strings.Contains(r.SQL, "?") }

// The facts of an item's row that a rule needs to apply.
func isFinished(i Item) bool  { return i.State == StateDone || i.State == StateDropped }
func isActive(i Item) bool    { return i.State == StateActive }
func isHeld(i Item) bool      { return i.Holds > 0 }
func isContained(i Item) bool { return i.ParentID != 0 }
func isMade(i Item) bool      { return i.OriginID != 0 }
func isAssigned(i Item) bool  { return i.AssigneeID != 0 || i.Person != "" }

// Held is the condition that a person holds an item back.
const Held = `(items.holds > 0 AND EXISTS (SELECT 1 FROM item_holds held WHERE held.item_id = items.id))`

// blockedBy returns the condition that an item has an unresolved blocker b of its own.
func blockedBy(which string) string {
	return `(items.holds > 0 AND EXISTS (SELECT 1 FROM dependencies d JOIN items b ON b.id = d.source_id
		WHERE d.target_id = items.id AND d.relation = 'blocks' AND ` + Unresolved + ` AND ` + which + `))`
}

// Rules is the truth table of readiness: an item is ready when none of them
// holds. docs/ready.md is written from it, and a test tries every combination.
func Rules() []Rule {
	return []Rule{
		{WhyDeleted, "it was deleted", `NOT (` + notDeleted + `)`, nil},
		{WhyFinished, "it is finished, whether as wanted or not", `items.state IN ('done', 'dropped')`, isFinished},
		{WhyClaimed, "an agent holds it (a claim silent for `agent.release_after` does not count)", `items.state = 'active'`, isActive},
		{WhyContainer, "it is an epic, bug, scenario or artifact: these are never offered as work", `NOT (` + offered + `)`, nil},
		{WhyProject, "its project is on hold, completed or deleted", `NOT ` + inProject, nil},
		{WhyBug, "a bug blocks it that is open or being investigated", blockedBy(`b.kind = 'bug'`), isHeld},
		{WhyPerson, "a person holds it back (`agit tasks block`)", Held, isHeld},
		{WhyFailed, "a task that it waits for has failed", blockedBy(`b.kind = 'task' AND b.state = 'dropped'`), isHeld},
		{WhyWaiting, "a task, ticket or plan that it waits for is not finished", blockedBy(`b.kind <> 'bug' AND b.state IN ('open', 'active')`), isHeld},
		{WhyOutside, "it waits for something that is not here: of another project of its tracker, or not part of an import",
			`(items.holds > 0 AND EXISTS (SELECT 1 FROM outside_blockers outside WHERE outside.item_id = items.id))`, isHeld},
		{WhyAncestor, "something that contains it, at any depth, waits or is blocked",
			`EXISTS (SELECT 1 FROM items p WHERE p.id = items.parent_id AND p.deleted_at IS NULL AND p.holds > 0)`, isContained},
		{WhyChildren, "it contains items that are not finished", `NOT ` + childless, nil},
		{WhyTakenUp, "a task that is not finished was made from it", `NOT ` + untaken, nil},
		{WhyOrigin, "the ticket or plan that it was made from waits, is finished or deleted, or is assigned to another",
			`(NOT ` + originFree + ` OR ` + originAnothers("CAST(? AS BIGINT)") + `)`, isMade},
		{WhyReview, "its work is finished and waits for a review (`agit review`)", `NOT ` + unreviewed, nil},
		{WhyAssigned, "it is assigned to another agent or person", `NOT ` + meantFor("items", "?"), isAssigned},
	}
}

// goneBlockers selects the deleted blockers b of the item d.target_id.
const goneBlockers = `FROM dependencies d JOIN items b ON b.id = d.source_id WHERE d.relation = 'blocks' AND b.deleted_at IS NOT NULL AND`

// Reason is one thing that keeps an item from being ready, with a sentence about this item.
type Reason struct {
	Why      Why      `json:"why"`
	Sentence string   `json:"sentence"`
	Items    []string `json:"items,omitempty"` // what has to change first
}

// Explanation holds why an item is ready or not.
type Explanation struct {
	ID      string   `json:"id"`
	Ready   bool     `json:"ready"`
	Reasons []Reason `json:"reasons"`
	// Notes name blockers that were deleted and so no longer block.
	Notes []string `json:"notes,omitempty"`
}

// Explain returns for any item why it is or is not ready for an agent (0 for no one in particular).
func Explain(tx *registry.Tx, item Item, agentID int64) (e Explanation, err error) {
	e = Explanation{ID: item.Ref, Reasons: []Reason{}}
	rules := slices.DeleteFunc(Rules(), func(r Rule) bool { return r.can != nil && !r.can(item) })
	columns, holds, into := []string{}, make([]bool, len(rules)), make([]any, len(rules))
	var args []any
	var gone bool
	for i, rule := range rules {
		columns, into[i] = append(columns, rule.SQL), &holds[i]
		if rule.Asks() {
			args = append(args, agentID)
		}
	}
	columns, into = append(columns, `EXISTS (SELECT 1 `+goneBlockers+` d.target_id = items.id)`), append(into, &gone)
	err = tx.QueryRow(`SELECT `+strings.Join(columns, ", ")+` FROM items WHERE items.id = ?`, append(args, item.ID)...).Scan(into...)
	if err != nil {
		return e, err
	}
	for i, rule := range rules {
		if !holds[i] {
			continue
		}
		reason, err := reasonOf(tx, rule.Why, item)
		if err != nil {
			return e, err
		}
		e.Reasons = append(e.Reasons, reason)
	}
	e.Ready = len(e.Reasons) == 0
	if !gone {
		return e, nil
	}
	deleted, err := registry.Collect(tx, registry.One[string], `SELECT b.ref `+goneBlockers+` d.target_id = ? ORDER BY d.id`, item.ID)
	for _, ref := range deleted {
		e.Notes = append(e.Notes, fmt.Sprintf("it waited for %s, which was deleted", ref))
	}
	return e, err
}

func reasonOf(tx *registry.Tx, why Why, item Item) (r Reason, err error) {
	r.Why = why
	names := func(query string, args ...any) (list string) {
		if err == nil {
			r.Items, err = registry.Collect(tx, registry.One[string], query, args...)
		}
		return strings.Join(r.Items, ", ")
	}
	blockers := func(which string) string {
		return names(`SELECT b.ref FROM dependencies d JOIN items b ON b.id = d.source_id
			WHERE d.target_id = ? AND d.relation = 'blocks' AND `+Unresolved+` AND `+which+` ORDER BY d.id`, item.ID)
	}
	switch why {
	case WhyDeleted:
		r.Sentence = "it was deleted"
	case WhyFinished:
		r.Sentence = "it is " + item.Status
	case WhyClaimed:
		if r.Sentence = "it is claimed"; item.Kind != KindTask {
			r.Sentence = "it is being worked on"
		}
		var holder string
		var held bool
		held, err = registry.Found(tx.QueryRow(`SELECT a.name FROM leases l JOIN agents a ON a.id = l.agent_id WHERE l.item_id = ?`, item.ID).Scan(&holder))
		if held {
			r.Sentence = fmt.Sprintf("%q holds it", holder)
		}
	case WhyContainer:
		article := "a"
		if strings.ContainsAny(string(item.Kind[:1]), "aeiou") {
			article = "an"
		}
		r.Sentence = fmt.Sprintf("it is %s %s, which is not offered as work", article, item.Kind)
	case WhyProject:
		var name, status string
		err = tx.QueryRow(`SELECT name, status FROM projects WHERE id = ?`, item.ProjectID).Scan(&name, &status)
		r.Sentence = fmt.Sprintf("its project %q is %s", name, status)
	case WhyBug:
		r.Sentence = "it is blocked by bug " + blockers(`b.kind = 'bug'`)
	case WhyPerson:
		r.Sentence, err = heldSentence(tx, item)
	case WhyFailed:
		r.Sentence = "it waits for failed " + blockers(`b.kind = 'task' AND b.state = 'dropped'`)
	case WhyWaiting:
		r.Sentence = "it waits for " + blockers(`b.kind <> 'bug' AND b.state IN ('open', 'active')`)
	case WhyOutside:
		r.Sentence = "it waits for " + names(`SELECT ref FROM outside_blockers WHERE item_id = ? ORDER BY ref_key`, item.ID) + ", not here"
	case WhyOrigin:
		r.Items, r.Sentence, err = originSentence(tx, item)
	case WhyAncestor:
		r.Sentence = "it is part of something that waits: " + names(waitingUp+`SELECT ref FROM up WHERE depth > 0 ORDER BY depth`, item.ID)
	case WhyChildren:
		r.Sentence = "it contains unfinished " + names(`SELECT ref FROM items WHERE parent_id = ? AND deleted_at IS NULL
			AND state IN ('open', 'active') ORDER BY id LIMIT 20`, item.ID)
	case WhyTakenUp:
		r.Sentence = "it is taken up by " + names(`SELECT ref FROM items WHERE origin_id = ? AND kind = 'task' AND deleted_at IS NULL
			AND state IN ('open', 'active') ORDER BY id`, item.ID)
	case WhyReview:
		r.Sentence = "its work waits for a review in worktree " + names(`SELECT worktree FROM items_in_review WHERE item_id = ? ORDER BY review_id`, item.ID)
	case WhyAssigned:
		if r.Sentence = "it is assigned to " + item.Person; item.AssigneeID != 0 {
			r.Sentence = "it is assigned to " + names(`SELECT name FROM agents WHERE id = ?`, item.AssigneeID)
		}
	}
	return r, err
}

// Chief returns the reason to name when only one can be named: reasons that a person can do something about come before an agent's claim.
// It is the zero Reason when the item is ready.
func (e Explanation) Chief() Reason {
	for _, r := range e.Reasons {
		if r.Why != WhyClaimed {
			return r
		}
	}
	return append(e.Reasons, Reason{})[0]
}

// originSentence explains why the item from which another was made keeps that one from being ready.
func originSentence(tx *registry.Tx, item Item) (refs []string, sentence string, err error) {
	origin, err := ByID(tx, item.OriginID)
	if err != nil {
		return nil, "", err
	}
	refs = []string{origin.Ref}
	sentence = "it was made from " + origin.Ref + ", which "
	deleted, err := registry.One[bool](tx.QueryRow(`SELECT deleted_at IS NOT NULL FROM items WHERE id = ?`, origin.ID))
	switch {
	case err != nil:
		return nil, "", err
	case deleted:
		return refs, sentence + "was deleted", nil
	case isFinished(origin):
		return refs, sentence + "is " + origin.Status, nil
	case isHeld(origin):
		why, err := originHeld(tx, origin)
		return refs, sentence + "waits" + why, err
	case origin.AssigneeID != 0:
		name, err := registry.One[string](tx.QueryRow(`SELECT name FROM agents WHERE id = ?`, origin.AssigneeID))
		return refs, sentence + "is assigned to " + name, err
	}
	return refs, sentence + "is assigned to " + origin.Person, nil
}

// originHeld names the blockers of an item, as the end of a sentence.
func originHeld(tx *registry.Tx, origin Item) (string, error) {
	waits, err := Blockers(tx, origin.ID)
	if err != nil {
		return "", err
	}
	var names []string
	for _, w := range waits {
		names = append(names, w.Ref)
	}
	if len(names) == 0 {
		return "", nil
	}
	return " for " + strings.Join(names, ", "), nil
}
