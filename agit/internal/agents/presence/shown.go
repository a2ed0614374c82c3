package presence

import (
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/timestamp"
)

// rested is how long a session that waits for a person or is idle may be silent before it is taken to be gone: a night and a day.
const rested = 24 * time.Hour

// farewell is how long after its end a session's last calls may arrive.
const farewell = time.Minute

// statement is what an agent said, as it is kept.
type statement struct {
	host       string
	state      State
	since      time.Time
	at         time.Time // when it was last confirmed
	quietUntil time.Time // zero when silence means something
	note       string
	source     Source
	session    string
}

// known is what the registry holds about an agent in a place besides its statements.
type known struct {
	status   string    // of the agent's row
	lastSeen time.Time // when it last called anything
	busy     bool      // it holds a claim, or the place is a worktree of its own
	alone    bool      // it has no other session than those in the place
	left     time.Time // when the last session that it had anywhere ended, zero where it had none
	leftBy   Source    // how that is known
}

// shown derives the state that people see from the statements about an agent in a place, in any order, and from what the registry holds. Of
// several sessions the one that needs a person comes first, then one at work. Where no session is, an agent whose sessions elsewhere have
// all ended is gone.
func shown(now time.Time, host string, staleAfter time.Duration, statements []statement, k known) Shown {
	var best Shown
	open := 0
	for _, s := range statements {
		if s.state != Gone && s.host == host {
			open++
		}
	}
	for _, s := range statements {
		one := judged(now, host, staleAfter, s, k, open == 1 && k.alone)
		if best.State == "" || rank[one.State] < rank[best.State] ||
			rank[one.State] == rank[best.State] && one.Since.After(best.Since.Time) {
			best = one
		}
	}
	if best.State == "" && k.alone && !k.left.IsZero() && !k.lastSeen.After(k.left.Add(farewell)) {
		return Shown{State: Gone, Since: timestamp.Of(k.left), Source: k.leftBy}
	}
	ended := best.Since.Time // it, or a later session of the agent elsewhere
	if k.left.After(ended) {
		ended = k.left
	}
	if best.State == "" || best.State == Gone && k.alone && k.lastSeen.After(ended.Add(farewell)) {
		return concluded(now, staleAfter, k)
	}
	return best
}

// rests is how long an idle session counts as one beside others: a closed terminal sends nothing.
const rests = time.Hour

// awake counts the sessions that clients have open in a place now.
func awake(now time.Time, host string, staleAfter time.Duration, statements []statement, k known) (n int) {
	for _, s := range statements {
		state := judged(now, host, staleAfter, s, k, false).State
		if state != Gone && (state != Idle || now.Sub(s.at) < rests) && s.source == Hook {
			n++
		}
	}
	return n
}

// rank orders the states of several sessions.
var rank = map[State]int{Waiting: 0, Working: 1, Idle: 2, Gone: 3}

// judged returns the state of one session. only means that the agent has no other session on this host, so that whatever it calls is a sign
// of this one.
func judged(now time.Time, host string, staleAfter time.Duration, s statement, k known, only bool) Shown {
	told := Shown{State: s.state, Since: timestamp.Of(s.since), Note: s.note, Source: s.source}
	if s.state == Gone || s.host != host {
		return told
	}
	heard, patience := s.at, rested
	if s.state == Working {
		patience = staleAfter
		if only && k.lastSeen.After(heard) {
			heard = k.lastSeen
		}
	}
	if patience == 0 {
		return told
	}
	until := heard.Add(patience)
	if s.state == Working && s.quietUntil.After(until) {
		until = s.quietUntil
	}
	if now.After(until) {
		return Shown{State: Gone, Since: timestamp.Of(heard), Source: Silence}
	}
	told.Until = until
	return told
}

// concluded is the state of an agent that nothing was said about.
func concluded(now time.Time, staleAfter time.Duration, k known) Shown {
	c := Shown{State: Idle, Since: timestamp.Of(k.lastSeen), Source: Silence}
	switch {
	case staleAfter > 0 && k.lastSeen.Add(staleAfter).Before(now), k.status == agent.StatusDisconnected:
		c.State = Gone
		return c
	case k.status == agent.StatusActive && k.busy && k.alone:
		c.State = Working
	}
	if staleAfter > 0 {
		c.Until = k.lastSeen.Add(staleAfter)
	}
	return c
}
