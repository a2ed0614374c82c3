package task

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// Caller is the agent, person or client that asks for a change of a task.
type Caller struct {
	Agent string // name or id; "" when the call names none
	Token int64  // the claim token given, or 0
	Force bool   // a person insists, whoever holds the task
	Seen  Seen   // the state that the person decided on

	// Client is the name of an MCP client that named no agent, and SessionToken the token of the claim on this task that its session made,
	// or 0.
	Client       string
	SessionToken int64
}

// Seen is the state of a task when the person who decides looked at it; zero fields were not looked at.
type Seen struct {
	Holder string         // name of the agent that held it
	Stood  timestamp.Time // when that claim was made, or when the task was finished
}

// call is a caller with the task that the call is about.
type call struct {
	Caller
	item  work.Item
	lease lease.Lease
	last  int64 // the agent that holds the task, or held it last; 0 for none
	agent agent.Agent
}

// ask identifies the caller; for an agent that is named it is also a heartbeat.
func ask(tx *registry.Tx, item work.Item, c Caller) (call, error) {
	return askAs(tx, item, c, agent.Caller)
}

func askAs(tx *registry.Tx, item work.Item, c Caller, identify func(*registry.Tx, string) (agent.Agent, error)) (a call, err error) {
	a = call{Caller: c, item: item}
	err = tx.Together(
		func() (err error) { a.lease, err = lease.Get(tx, item.ID); return err },
		func() (err error) {
			if c.Agent != "" {
				a.agent, err = identify(tx, c.Agent)
			}
			return err
		},
	)
	if err == nil && c.Agent == "" && c.Client != "" && !a.inSession() {
		a.agent, err = identify(tx, c.Client)
	}
	if err != nil {
		return a, err
	}
	switch {
	case a.lease.Held():
		a.last = a.lease.AgentID
	case item.State != work.StateOpen:
		a.last = item.AssigneeID
	case a.lease.Token > 0:
		a.last, err = lease.LastHolder(tx, item.ID)
	}
	return a, err
}

// Holding is what says whether the task of a worktree is in progress, and whose it is.
type Holding struct {
	item  work.Item
	lease lease.Lease
	// Agent is the one that was named; its ID is 0 where it is not registered.
	Agent agent.Agent
}

// HoldingIn reads the holding of a worktree's task for an agent; it is zero when the worktree has no task, or the task no holder.
func HoldingIn(tx *registry.Tx, worktree, agentName string) (h Holding, err error) {
	const ofWorktree = `(SELECT item_id FROM worktrees WHERE ref = ?)`
	err = tx.Together(
		func() (err error) {
			h.item, err = work.Scan(tx.QueryRow(`SELECT `+work.Columns+` FROM items WHERE items.id = `+ofWorktree+` AND items.deleted_at IS NULL`, worktree))
			return err
		},
		func() (err error) {
			return tx.QueryRow(`SELECT agent_id, epoch FROM leases WHERE agent_id IS NOT NULL AND item_id = `+ofWorktree, worktree).Scan(&h.lease.AgentID, &h.lease.Token)
		},
		func() (err error) { h.Agent, err = agent.Lookup(tx, agentName); return err },
	)
	if registry.NoRows(err) || fault.Is(err, fault.KindNotFound) || fault.Is(err, fault.KindValidation) {
		return Holding{}, nil
	}
	return h, err
}

// Begun reports whether the task is in progress and the caller's. A report of that would then be a sign of life of the agent, and change
// nothing else.
func (h Holding) Begun(c Caller) bool {
	if h.Agent.ID == 0 || c.Agent == "" || c.Seen != (Seen{}) || h.item.Holds > 0 { // what holds it may be a bug, which it shows as blocked by
		return false
	}
	a := call{Caller: c, item: h.item, lease: h.lease, last: h.lease.AgentID, agent: h.Agent}
	verdict, _ := decide(a.standing(), toStart, a.caller())
	return verdict == same
}

// inSession reports whether the present claim, or the last one, was made in the caller's MCP session.
func (a call) inSession() bool {
	return a.SessionToken != 0 && a.SessionToken == a.lease.Token && a.item.State != work.StateOpen
}

// may decides whether the caller may do something; done is true when it is done
// already. A refusal is a Conflict fault that names the holder.
func (a call) may(tx *registry.Tx, do action) (done bool, err error) {
	if err := a.asSeen(); err != nil {
		return false, err
	}
	verdict, why := decide(a.standing(), do, a.caller())
	if verdict == refused {
		return false, a.refusal(tx, do, why)
	}
	return verdict == same, nil
}

func (a call) standing() standing { return standing{status: a.item.Status, claims: a.lease.Token} }

func (a call) caller() caller {
	by := caller{session: a.inSession(), force: a.Force}
	switch {
	case a.agent.ID == 0:
	case a.agent.ID == a.last:
		by.who = holder
	default:
		by.who = stranger
	}
	switch a.Token {
	case 0:
	case a.lease.Token:
		by.token = currentToken
	default:
		by.token = staleToken
	}
	return by
}

// event returns the actor for the history: the caller, whoever gets the credit for the work.
func (a call) event(why string) work.Event {
	e := work.Event{Agent: a.agent.ID, Why: why, Epoch: a.lease.Token}
	switch {
	case e.Agent != 0:
	case a.Client != "":
		e.Actor = a.Client
	case a.Force:
		e.Actor = actorPerson
	default:
		e.Actor = actorUnnamed
	}
	if a.Force && a.last != 0 && a.last != a.agent.ID {
		e.Why = strings.TrimPrefix(why+"; forced", "; ")
	}
	return e
}

// Actors that are not agents.
const (
	actorPerson  = "person"  // --force
	actorUnnamed = "unnamed" // a command without --agent
	actorMerge   = "merge"
)

// refusal returns the error for a decision to refuse.
func (a call) refusal(tx *registry.Tx, do action, why reason) error {
	who, err := a.lastName(tx)
	if err != nil {
		return err
	}
	id := a.item.Ref
	refuse := func(format string, args ...any) *fault.Fault { return fault.Conflict("task", id, format, args...) }
	switch why {
	case becauseStale:
		f := refuse("claim token %d of task %q is no longer good: it is %s", a.Token, id, a.now(who))
		if a.lease.Held() {
			return f.WithHint("leave the task to %q", who)
		}
		return f.WithHint("`agit tasks show %s` shows what became of it", id)
	case becauseUnnamed:
		return refuse("task %q has been claimed %s, and is %s: a call must name its agent", id, text.Count(int(a.lease.Token), "time", "times"), a.now(who)).
			WithHint("name the agent with --agent NAME, or give the claim token")
	case becauseFree:
		f := refuse("task %q is pending, so no agent is working on it", id)
		if do == toRelease || do == toHandOver {
			return f.WithHint("claim it first")
		}
		return f.WithHint("name the agent that does, with --agent NAME")
	case becauseFinished:
		return refuse("task %q is already %s", id, a.now(who)).WithHint("reopen it first if it is to be done again")
	case becauseUnfinished:
		return refuse("task %q is %s, not finished", id, a.now(who)).WithHint("to give a held task back, release it")
	case becauseBegun:
		return refuse("task %q was begun: it is %s, and has been claimed %s", id, a.now(who), text.Count(int(a.lease.Token), "time", "times")).
			WithHint("a task that was begun keeps its history; report it as failed with the result canceled if it is not wanted")
	}
	if do == toClaim {
		return refuse("task %q is already claimed by %q", id, who).WithHint("take another one with `agit next`")
	}
	verb := string(do) + " it"
	if do == toHandOver {
		verb = "hand it over"
	}
	return refuse("task %q is %s, not by %s", id, a.now(who), a.name()).WithHint("only its holder, or who has its claim token, may %s", verb)
}

// asSeen refuses a decision on a task that changed hands, or was claimed or finished anew, since it was looked at.
func (a call) asSeen() error {
	id, seen, stood := a.item.Ref, a.Seen, a.item.FinishedAt
	if a.lease.Held() {
		stood = a.lease.ClaimedAt
	}
	var f *fault.Fault
	switch {
	case seen.Holder != "" && seen.Holder != a.lease.AgentName:
		f = fault.Conflict("task", id, "task %q is no longer held by %q as you saw it: it is %s", id, seen.Holder, a.now(a.lease.AgentName))
	case !seen.Stood.IsZero() && !seen.Stood.Equal(stood):
		f = fault.Conflict("task", id, "task %q was taken up anew since you looked at it: it is %s", id, a.now(a.lease.AgentName))
	default:
		return nil
	}
	return f.WithHint("look at it again, and decide anew")
}

// now describes the task's present state for a refusal.
func (a call) now(who string) string {
	by := func(verb string) string {
		if who == "" {
			return verb
		}
		return fmt.Sprintf("%s by %q", verb, who)
	}
	switch {
	case a.lease.Held():
		return by("held") + " since " + a.lease.ClaimedAt.Format(time.RFC3339)
	case a.item.State == work.StateOpen:
		return "pending"
	}
	return by(a.item.Status)
}

func (a call) name() string {
	if name := cmp.Or(a.agent.Name, a.Client); name != "" {
		return strconv.Quote(name)
	}
	return "whoever asks"
}

func (a call) lastName(tx *registry.Tx) (string, error) {
	if a.lease.Held() || a.last == 0 {
		return a.lease.AgentName, nil
	}
	return agent.NameOf(tx, a.last)
}

// MayEdit refuses a change of a task, other than of its status, to a caller that
// may not make it.
func MayEdit(tx *registry.Tx, item work.Item, c Caller) error {
	a, err := ask(tx, item, c)
	if err != nil {
		return err
	}
	_, err = a.may(tx, toEdit)
	return err
}
