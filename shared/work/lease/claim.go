package lease

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// abandoned is the condition that an item's claim is held by an agent that has been silent since before the parameter, and that nothing
// else keeps the item from being worked on.
const abandoned = `items.state = 'active' AND ` + work.Fit + `
	AND EXISTS (SELECT 1 FROM leases JOIN agents ON agents.id = leases.agent_id
	            WHERE leases.item_id = items.id AND agents.last_seen_at < ?)`

// Claim is a request for one item.
type Claim struct {
	Agent        agent.Agent
	From, To     string        // the kind's words for waiting and for claimed
	ReleaseAfter time.Duration // how long an agent may be silent before others may take its claims; 0 is forever
}

// ByID claims one item. ok is false when it cannot be claimed now; the caller finds out why. Get returns the token of the claim.
func ByID(tx *registry.Tx, itemID int64, c Claim) (item work.Item, ok bool, err error) {
	return c.take(tx, `items.id = ?`, []any{itemID})
}

// Filter narrows what the next item may be.
type Filter struct {
	ProjectID   int64 // 0 for every project
	Kind        work.Kind
	MinPriority work.Priority
	// Capabilities are the agent's: an item that requires another one is left out.
	Capabilities []string
	// Where is a further condition on a table that lease does not own; it may name items.
	Where string
	Args  []any
}

// InQueue returns the filter as a condition on items, without the part about the agent. The kind is hidden from the planner, which would
// otherwise prefer items_label to the index in the right order.
func (f Filter) InQueue() (string, []any) {
	condition, args := `COALESCE(items.kind, '') = ? AND items.priority >= ?`, []any{f.Kind, int(f.MinPriority)}
	if f.ProjectID != 0 {
		condition, args = condition+` AND items.project_id = ?`, append(args, f.ProjectID)
	}
	return condition, args
}

// Condition returns the whole filter as a condition on items.
func (f Filter) Condition() (string, []any) {
	condition, args := f.InQueue()
	able, more := f.Able()
	condition, args = condition+` AND `+able, append(args, more...)
	if f.Where != "" {
		condition, args = condition+` AND (`+f.Where+`)`, append(args, f.Args...)
	}
	return condition, args
}

// Able returns the condition that an item requires no capabilities beyond the filter's.
func (f Filter) Able() (string, []any) {
	able, args := registry.In(f.Capabilities)
	except := ""
	if len(args) > 0 {
		except = ` AND c.capability NOT IN (` + able + `)`
	}
	return `NOT EXISTS (SELECT 1 FROM item_capabilities c WHERE c.item_id = items.id` + except + `)`, args
}

// Next claims the first ready item by priority, then age, in one statement; ok is false when there is none. Items with abandoned claims are
// in the queue too. Get returns the token of the claim.
func Next(tx *registry.Tx, f Filter, c Claim) (item work.Item, ok bool, err error) {
	which, args := c.first(tx, f, tx.SkipLocked("items"))
	item, ok, err = c.take(tx, `items.id = (`+which+`)`, args)
	if ok || err != nil || !tx.OnServer() {
		return item, ok, err
	}
	// Items skipped because of a lock may become free again: only waiting shows whether there is really none.
	which, args = c.first(tx, f, tx.Locked("items"))
	return c.take(tx, `items.id = (`+which+`)`, args)
}

// Peek returns the id of the item that Next would claim; ok is false when there is
// none.
func Peek(tx *registry.Tx, f Filter, c Claim) (id int64, ok bool, err error) {
	if err := refuseHalted(tx, c.Agent); err != nil {
		return 0, false, err
	}
	which, args := c.first(tx, f, "")
	id, err = registry.One[int64](tx.QueryRow(which, args...))
	ok, err = registry.Found(err)
	return id, ok, err
}

// first returns the query for the id of the next item. Each of its two sides follows the order of an index, so that it reads no more than
// it returns. lock is the SQL clause that locks the rows; it may be empty.
func (c Claim) first(tx *registry.Tx, f Filter, lock string) (query string, args []any) {
	const order = ` ORDER BY items.priority DESC, items.created_at, items.id LIMIT 1`
	narrow, narrowArgs := f.Condition()
	side := func(from string, more []any) string {
		args = append(append(args, more...), narrowArgs...)
		return `SELECT items.id, items.priority, items.created_at FROM ` + from + ` AND ` + narrow + order + lock
	}
	condition, more := c.condition(tx, true)
	query = side(`items WHERE `+condition, more)
	if c.ReleaseAfter == 0 {
		return `SELECT ready.id FROM (` + query + `) ready`, args
	}
	condition, more = c.condition(tx, false)
	late := side(heldItems+condition, more)
	return `SELECT items.id FROM (SELECT * FROM (` + query + `) ready UNION ALL SELECT * FROM (` + late + `) late) items` + order, args
}

// condition returns when an item may be taken: it is ready, or its claim is abandoned.
func (c Claim) condition(tx *registry.Tx, ready bool) (string, []any) {
	if ready {
		return work.Ready, []any{c.Agent.ID}
	}
	return abandoned, []any{registry.FormatTime(tx.Now().Add(-c.ReleaseAfter))}
}

// Abandoned returns the ids of the claimed items that anyone may take, because their holders have been silent for after; none when it is 0.
func Abandoned(tx *registry.Tx, after time.Duration) ([]int64, error) {
	if after == 0 {
		return nil, nil
	}
	condition, args := Claim{ReleaseAfter: after}.condition(tx, false)
	return registry.Collect(tx, registry.One[int64], `SELECT items.id FROM `+heldItems+condition, args...)
}

// Explain is work.Explain where anyone may take the claims of agents that have been silent for after: a claim of an abandoned item passes
// over its holder and its assignment.
func Explain(tx *registry.Tx, item work.Item, agentID int64, after time.Duration) (work.Explanation, error) {
	e, err := work.Explain(tx, item, agentID)
	if err != nil || item.State != work.StateActive {
		return e, err
	}
	late, err := Abandoned(tx, after)
	if err != nil || !slices.Contains(late, item.ID) {
		return e, err
	}
	held, err := Get(tx, item.ID)
	e.Ready, e.Reasons = true, []work.Reason{}
	e.Notes = append(e.Notes, fmt.Sprintf("%q holds it, but has been silent for longer than agent.release_after", held.AgentName))
	return e, err
}

// Ready widens a condition of ready items by the abandoned ones.
func Ready(tx *registry.Tx, after time.Duration, condition string, args ...any) (string, []any, error) {
	late, err := Abandoned(tx, after)
	if err != nil || len(late) == 0 { // mostly; then the planner reads the queue in its order
		return condition, args, err
	}
	those, ids := registry.In(late)
	return `(items.id IN (` + those + `) OR ` + condition + `)`, append(ids, args...), nil
}

// heldItems are the items that agents hold: there are few claims, so the join starts with them on purpose.
const heldItems = `leases held CROSS JOIN items WHERE held.agent_id IS NOT NULL AND items.id = held.item_id AND `

// take moves the item selected by which, if it may be taken, and writes its lease. The condition stands in the outer statement too: a store
// that locks rows rather than the file would otherwise give one item to two agents. A halted agent gets a Conflict fault.
func (c Claim) take(tx *registry.Tx, which string, args []any) (work.Item, bool, error) {
	condition, more := c.condition(tx, true)
	if c.ReleaseAfter > 0 {
		late, cutoff := c.condition(tx, false)
		condition, more = `(`+condition+`) OR (`+late+`)`, append(more, cutoff...)
	}
	args = append([]any{c.To, tx.Stamp()}, append(args, more...)...)
	var before string // the name of the holder
	item, err := work.Scan(tx.QueryRow(`UPDATE items SET status = ?, state = 'active', updated_at = ?, started_at = NULL,
		version = version + 1 WHERE `+which+` AND (`+condition+`) AND NOT EXISTS (SELECT 1 FROM halted_agents WHERE halted_agents.agent_id = ?)
		RETURNING `+strings.ReplaceAll(work.Columns, "items.", "")+`,
		(SELECT holder.name FROM leases held JOIN agents holder ON holder.id = held.agent_id WHERE held.item_id = items.id)`,
		append(args, c.Agent.ID)...), registry.Nullable(&before))
	if registry.NoRows(err) {
		return work.Item{}, false, refuseHalted(tx, c.Agent)
	}
	if err != nil {
		return work.Item{}, false, err
	}
	if err := tx.Do(taking, taken(tx, item.ID, c.Agent)...); err != nil {
		return work.Item{}, false, err
	}
	e := work.Event{Agent: c.Agent.ID, Field: "status", Old: c.From, New: c.To, Epoch: work.PresentEpoch}
	if before != "" {
		e.Old, e.Why = "", "the claim of "+before+" was abandoned"
	}
	return item, true, work.Record(tx, item.ID, e)
}

// HandOver passes a held item to another agent, with a new token; by holds who does so and why.
func HandOver(tx *registry.Tx, item work.Item, to agent.Agent, by work.Event) (Lease, error) {
	before, err := Get(tx, item.ID)
	if err != nil || before.AgentID == to.ID {
		return before, err
	}
	if err := refuseHalted(tx, to); err != nil {
		return Lease{}, err
	}
	if err := End(tx, item.ID); err != nil {
		return Lease{}, err
	}
	l, err := take(tx, item.ID, to)
	if err != nil {
		return Lease{}, err
	}
	by.Field, by.Old, by.New, by.Epoch = "agent", before.AgentName, to.Name, l.Token
	return l, work.Record(tx, item.ID, by)
}

// refuseHalted refuses work to an agent whose score points are used up. It runs inside the transaction of the claim, so that a halt that
// was stored before it counts. halted_agents is memoryd's view of its scores.
func refuseHalted(tx *registry.Tx, a agent.Agent) error {
	if a.ID == 0 {
		return nil // a look into the queue without an agent
	}
	var sp, bugs int64
	err := tx.QueryRow(`SELECT sp, bugs FROM halted_agents WHERE agent_id = ?`, a.ID).Scan(&sp, &bugs)
	if found, err := registry.Found(err); !found {
		return err
	}
	return fault.Conflict("agent", a.Name, "agent %q is halted with %d score points after %s, and gets no claim", a.Name, sp, text.Count(int(bugs), "bug", "bugs")).
		WithHint("stop, and let a person look at its work and run `memoryd agent resume %s`", text.ShellWord(a.Name))
}
