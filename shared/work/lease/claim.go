package lease

import (
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// Ready is the condition under which an item may be claimed, the same for a
// claim by id and for the next one: open, held up by nothing, not deleted, in a
// project that is being worked on, and not assigned to somebody else. Its one
// parameter is the claiming agent's id.
const Ready = `items.state = 'open' AND items.holds = 0 AND items.deleted_at IS NULL
	AND (items.assignee_agent_id IS NULL OR items.assignee_agent_id = ?)
	AND EXISTS (SELECT 1 FROM projects WHERE projects.id = items.project_id AND projects.status = 'active' AND projects.deleted_at IS NULL)`

// abandoned is a claim whose agent has been silent since before its parameter.
const abandoned = `items.state = 'active' AND items.deleted_at IS NULL
	AND EXISTS (SELECT 1 FROM leases JOIN agents ON agents.id = leases.agent_id
	            WHERE leases.item_id = items.id AND agents.last_seen_at < ?)`

// Claim is a request for one item.
type Claim struct {
	Agent        agent.Agent
	From, To     string        // the kind's words for waiting and for claimed
	ReleaseAfter time.Duration // how long an agent may be silent before its claims are anybody's; 0 never
}

// ByID claims one item. ok is false when it is not to be had; why is the
// caller's to find out.
func ByID(tx *registry.Tx, itemID int64, c Claim) (item work.Item, l Lease, ok bool, err error) {
	return c.take(tx, `items.id = ?`, []any{itemID})
}

// Filter narrows what the next item may be.
type Filter struct {
	ProjectID   int64 // 0 for every project
	Kind        work.Kind
	MinPriority work.Priority
	// Where narrows by a table that lease does not own; it may name items.
	Where string
	Args  []any
}

// Next claims the first ready item by priority, then age, in one statement; ok
// is false when there is none.
func Next(tx *registry.Tx, f Filter, c Claim) (item work.Item, l Lease, ok bool, err error) {
	for _, ready := range []bool{true, false} {
		if !ready && c.ReleaseAfter == 0 {
			break
		}
		condition, args := c.condition(tx, ready)
		condition += ` AND items.kind = ? AND items.priority >= ?`
		args = append(args, f.Kind, int(f.MinPriority))
		if f.ProjectID != 0 {
			condition, args = condition+` AND items.project_id = ?`, append(args, f.ProjectID)
		}
		if f.Where != "" {
			condition, args = condition+` AND (`+f.Where+`)`, append(args, f.Args...)
		}
		item, l, ok, err = c.take(tx, `items.id = (SELECT items.id FROM items WHERE `+condition+
			` ORDER BY items.priority DESC, items.created_at, items.id LIMIT 1)`, args)
		if ok || err != nil {
			return item, l, ok, err
		}
	}
	return work.Item{}, Lease{}, false, nil
}

// condition is when an item may be taken: ready, or its claim abandoned.
func (c Claim) condition(tx *registry.Tx, ready bool) (string, []any) {
	if ready {
		return Ready, []any{c.Agent.ID}
	}
	return abandoned, []any{registry.FormatTime(tx.Now().Add(-c.ReleaseAfter))}
}

// take moves the item that which selects, if it may be taken, and writes its
// lease. The condition stands in the outer statement too: a store that locks
// rows rather than the file would otherwise hand one item to two.
func (c Claim) take(tx *registry.Tx, which string, args []any) (work.Item, Lease, bool, error) {
	condition, more := c.condition(tx, true)
	if c.ReleaseAfter > 0 {
		late, cutoff := c.condition(tx, false)
		condition, more = `(`+condition+`) OR (`+late+`)`, append(more, cutoff...)
	}
	args = append([]any{c.To, tx.Stamp()}, append(args, more...)...)
	id, err := registry.One[int64](tx.QueryRow(`UPDATE items SET status = ?, state = 'active', updated_at = ?, started_at = NULL,
		version = version + 1 WHERE `+which+` AND (`+condition+`) RETURNING id`, args...))
	if registry.NoRows(err) {
		return work.Item{}, Lease{}, false, nil
	}
	if err != nil {
		return work.Item{}, Lease{}, false, err
	}
	before, err := Get(tx, id)
	if err != nil {
		return work.Item{}, Lease{}, false, err
	}
	l, err := take(tx, id, c.Agent)
	if err != nil {
		return work.Item{}, Lease{}, false, err
	}
	item, err := work.ByID(tx, id)
	if err != nil {
		return work.Item{}, Lease{}, false, err
	}
	e := work.Event{Agent: c.Agent.ID, Field: "status", Old: c.From, New: c.To, Epoch: l.Token}
	if before.Held() {
		e.Old = ""
		e.Why = "the claim of " + before.AgentName + " was abandoned"
	}
	return item, l, true, work.Record(tx, id, e)
}

// HandOver gives a held item to another agent, with a token of its own.
func HandOver(tx *registry.Tx, item work.Item, to agent.Agent) (Lease, error) {
	before, err := Get(tx, item.ID)
	if err != nil || before.AgentID == to.ID {
		return before, err
	}
	if err := End(tx, item.ID); err != nil {
		return Lease{}, err
	}
	l, err := take(tx, item.ID, to)
	if err != nil {
		return Lease{}, err
	}
	return l, work.Record(tx, item.ID, work.Event{Agent: to.ID, Field: "agent", Old: before.AgentName, New: to.Name, Why: "handed over", Epoch: l.Token})
}
