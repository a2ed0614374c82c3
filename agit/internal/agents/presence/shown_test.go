package presence

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/agent"
)

// The shown state follows from the stored one, its age, its place, and the registry. Times are minutes before now.
func TestShown(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ago := func(minutes float64) time.Time { return now.Add(-time.Duration(minutes * float64(time.Minute))) }
	const stale = 5 * time.Minute
	seen := func(minutes float64, status string, busy bool) known {
		return known{status: status, lastSeen: ago(minutes), busy: busy, alone: true}
	}
	leaver := func(left, lastSeen float64) known {
		k := seen(lastSeen, agent.StatusActive, true)
		k.left, k.leftBy = ago(left), Hook
		return k
	}
	hook := func(state State, since, at float64) statement {
		return statement{host: "here", state: state, since: ago(since), at: ago(at), source: Hook}
	}
	elsewhere := hook(Working, 600, 600)
	elsewhere.host = "there"
	running := hook(Working, 60, 40)
	running.quietUntil = ago(-20)
	ran := hook(Working, 60, 40)
	ran.quietUntil = ago(10)
	asking := hook(Waiting, 6, 6)
	asking.note = `run "npm install"?`
	work := hook(Working, 30, 1)
	work.source = Work
	for _, c := range []struct {
		name       string
		statements []statement
		known      known
		state      State
		since      float64
		source     Source
	}{
		{"at work", []statement{hook(Working, 20, 1)}, seen(1, agent.StatusActive, true), Working, 20, Hook},
		{"silent for too long", []statement{hook(Working, 20, 6)}, seen(6, agent.StatusActive, true), Gone, 6, Silence},
		{"silent, but it calls", []statement{hook(Working, 20, 6)}, seen(1, agent.StatusActive, true), Working, 20, Hook},
		{"a tool runs", []statement{running}, seen(40, agent.StatusActive, true), Working, 60, Hook},
		{"a tool ran for too long", []statement{ran}, seen(40, agent.StatusActive, true), Gone, 40, Silence},
		{"it asks", []statement{asking}, seen(6, agent.StatusActive, true), Waiting, 6, Hook},
		{"it asked this morning", []statement{hook(Waiting, 300, 300)}, seen(300, agent.StatusActive, true), Waiting, 300, Hook},
		{"it asked the day before yesterday", []statement{hook(Waiting, 3000, 3000)}, seen(3000, agent.StatusActive, true), Gone, 3000, Silence},
		{"idle since last night", []statement{hook(Idle, 700, 700)}, seen(700, agent.StatusActive, true), Idle, 700, Hook},
		{"it ended", []statement{hook(Gone, 3, 3)}, seen(3, agent.StatusActive, true), Gone, 3, Hook},
		{"it ended, with a last call", []statement{hook(Gone, 3, 3)}, seen(2.5, agent.StatusActive, true), Gone, 3, Hook},
		{"it ended, and came back without hooks", []statement{hook(Gone, 30, 30)}, seen(1, agent.StatusActive, true), Working, 1, Silence},
		{"it ended, and so did a later session elsewhere", []statement{hook(Gone, 30, 30)}, leaver(3, 2.5), Gone, 30, Hook},
		{"it ended, a later session elsewhere too, and it came back without hooks", []statement{hook(Gone, 30, 30)}, leaver(20, 1), Working, 1, Silence},
		{"another host's", []statement{elsewhere}, seen(600, agent.StatusActive, true), Working, 600, Hook},
		{"one session asks, one works", []statement{hook(Working, 2, 1), asking}, seen(1, agent.StatusActive, true), Waiting, 6, Hook},
		{"its client is idle, its worker is not", []statement{hook(Idle, 1, 1), work}, seen(1, agent.StatusActive, true), Working, 30, Work},
		{"one session ended, one is idle", []statement{hook(Gone, 1, 1), hook(Idle, 9, 9)}, seen(1, agent.StatusActive, true), Idle, 9, Hook},
		{"of two at work the later", []statement{hook(Working, 9, 1), hook(Working, 4, 1)}, seen(1, agent.StatusActive, true), Working, 4, Hook},
		{"two are silent, but one calls", []statement{hook(Working, 9, 6), hook(Working, 8, 7)}, seen(1, agent.StatusActive, true), Working, 1, Silence},
		{"without hooks, with a claim", nil, seen(1, agent.StatusActive, true), Working, 1, Silence},
		{"without hooks, without a claim", nil, seen(1, agent.StatusActive, false), Idle, 1, Silence},
		{"without hooks, done", nil, seen(1, agent.StatusIdle, true), Idle, 1, Silence},
		{"without hooks, silent", nil, seen(6, agent.StatusActive, true), Gone, 6, Silence},
		{"without hooks, swept", nil, seen(1, agent.StatusDisconnected, true), Gone, 1, Silence},
		{"it works elsewhere", nil, known{status: agent.StatusActive, lastSeen: ago(1), busy: true}, Idle, 1, Silence},
		{"its sessions elsewhere ended", nil, leaver(3, 2.5), Gone, 3, Hook},
		{"its sessions elsewhere ended, and it came back without hooks", nil, leaver(30, 1), Working, 1, Silence},
		{"its sessions elsewhere ended, and one here works", []statement{hook(Working, 2, 1)}, leaver(3, 2.5), Working, 2, Hook},
		{"its last session elsewhere ended, another goes on", nil, known{status: agent.StatusActive, lastSeen: ago(1), busy: true, left: ago(1), leftBy: Hook}, Idle, 1, Silence},
	} {
		got := shown(now, "here", stale, c.statements, c.known)
		if got.State != c.state || !got.Since.Equal(ago(c.since)) || got.Source != c.source {
			t.Errorf("%s: %s since %s by %s", c.name, got.State, now.Sub(got.Since.Time), got.Source)
		}
		if (got.State == Waiting) != (got.Note != "") && c.name == "it asks" {
			t.Errorf("%s: asks %q", c.name, got.Note)
		}
		// The state changes right after the foretold time, and not before.
		if got.Until.IsZero() {
			continue
		}
		if at := shown(got.Until, "here", stale, c.statements, c.known); at.State != got.State {
			t.Errorf("%s: %s too early", c.name, at.State)
		}
		if after := shown(got.Until.Add(time.Second), "here", stale, c.statements, c.known); after.State == got.State {
			t.Errorf("%s: still %s", c.name, after.State)
		}
	}
	if got := shown(now, "here", 0, []statement{hook(Working, 600, 600)}, seen(600, agent.StatusActive, true)); got.State != Working {
		t.Errorf("without a limit to silence: %s", got.State)
	}
}
