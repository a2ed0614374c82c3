package costs

import (
	"maps"
	"slices"
	"time"

	"github.com/agit-suite/agit/shared/clienthook"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions/usage"
	"github.com/agit-suite/agit/shared/timestamp"
)

// span is a period of time; a zero end means that it has not ended.
type span struct{ from, to time.Time }

func (s span) holds(at time.Time) bool {
	return !at.Before(s.from.Add(-margin)) && (s.to.IsZero() || !at.After(s.to.Add(margin)))
}

// talk is a conversation of a client with an agent of the suite.
type talk struct {
	span
	agent string
}

// claim is a task that an agent held.
type claim struct {
	span
	task, title string
}

// talks maps the conversations of clients to agents of this machine, and holds the agents' claims. It is read from the sessions that
// clients' hooks began.
type talks struct {
	by     map[string][]talk  // by the short name of a conversation, the latest last
	claims map[string][]claim // by agent
}

// loadTalks reads the conversations that answers since a time belong to, and the claims that were held since then. The zero time means all.
func loadTalks(tx *registry.Tx, of []usage.Answer, since time.Time) (*talks, error) {
	t := &talks{by: map[string][]talk{}, claims: map[string][]claim{}}
	asked := map[string]bool{}
	for _, a := range of {
		for _, id := range append([]string{a.Session}, a.Own...) {
			asked[conversation(id)] = true
		}
	}
	err := among(slices.Sorted(maps.Keys(asked)), "client", since, func(where string, args ...any) error {
		_, err := registry.Collect(tx, func(row registry.Scanner) (none struct{}, err error) {
			var client string
			var one talk
			err = scanSpan(row, &one.span, &client, &one.agent)
			t.by[client] = append(t.by[client], one)
			return none, err
		}, `SELECT started_at, NULLIF(ended_at, ''), client, agent FROM session_times WHERE host = ? AND client <> '' AND agent <> '' AND `+where+` ORDER BY id`,
			append([]any{registry.Host()}, args...)...)
		return err
	})
	if err != nil || len(of) == 0 {
		return t, err
	}
	where, args := "0 = 0", []any(nil)
	if !since.IsZero() { // those of items that are held, or whose status changed since then, are more than enough
		where = `item_id IN (SELECT item_id FROM leases WHERE agent_id IS NOT NULL UNION ALL SELECT item_id FROM item_history WHERE field = 'status' AND at >= ?)`
		args = []any{registry.FormatTime(since.Add(-margin))}
	}
	_, err = registry.Collect(tx, func(row registry.Scanner) (none struct{}, err error) {
		var agent string
		var one claim
		err = scanSpan(row, &one.span, &agent, &one.task, &one.title)
		t.claims[agent] = append(t.claims[agent], one)
		return none, err
	}, `SELECT claimed_at, ended_at, agent, task, title FROM claim_times WHERE `+where, args...)
	return t, err
}

// conversation returns the name of a client's session among those that its hooks began.
func conversation(id string) string { return clienthook.Event{SessionID: id}.Conversation() }

// among reads what has one of some values in a column, in parts that are small enough for any engine. For the zero time, which means that
// all is asked for, it reads everything at once.
func among(values []string, column string, since time.Time, read func(where string, args ...any) error) error {
	if since.IsZero() {
		return read("0 = 0")
	}
	for part := range slices.Chunk(values, mostAsked) {
		in, args := registry.In(part)
		if err := read(column+" IN ("+in+")", args...); err != nil {
			return err
		}
	}
	return nil
}

// mostAsked is how many values one statement asks for.
const mostAsked = 500

func scanSpan(row registry.Scanner, s *span, more ...any) error {
	var from timestamp.Time
	var to registry.Null[timestamp.Time]
	err := row.Scan(append([]any{&from, &to}, more...)...)
	s.from, s.to = from.Time, to.V.Time
	return err
}

// agent returns the agent of a session at a time; "" when it was none of the suite's.
func (t *talks) agent(e *entry) string {
	if len(t.by) == 0 {
		return ""
	}
	for _, id := range append([]string{e.Session}, e.Own...) {
		for _, one := range slices.Backward(t.by[conversation(id)]) {
			if one.holds(e.At) {
				return one.agent
			}
		}
	}
	return ""
}

// claimed returns the only task that an agent held at a time; "" when it held none or several.
func (t *talks) claimed(agent string, at time.Time) (task, title string) {
	for _, one := range t.claims[agent] {
		switch {
		case !one.holds(at) || one.task == task:
		case task != "":
			return "", ""
		default:
			task, title = one.task, one.title
		}
	}
	return task, title
}
