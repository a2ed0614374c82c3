package watch

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/timestamp"
)

func clock(minute int) timestamp.Time {
	return timestamp.Time{Time: time.Date(2026, 11, 25, 9, minute, 0, 0, time.UTC)}
}

// line shows every field of an event.
func line(e Event) string {
	since := ""
	if e.Since != nil {
		since = " since " + e.Since.Format("15:04")
	}
	return fmt.Sprintf("%s at %s: agent %q repo %q worktree %q %q task %q %q state %q%s note %q question %q: %s", e.Kind, e.At.Format("15:04"),
		e.Agent, e.Repo, e.Worktree, e.Name, e.Task, e.TaskName, e.State, since, e.Note, e.Question, e.Text)
}

// Every change of an agent's state, and of one piece of work, with the event that it is, or none.
func TestEvents(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	show := func(title string, events []Event) {
		for _, e := range events {
			text := string(e.Kind) + ", " + e.Text
			if title[0] == '#' {
				text = line(e)
			}
			fmt.Fprintf(&all, "%s: %s\n", title, text)
		}
		if len(events) == 0 {
			fmt.Fprintf(&all, "%s: nothing\n", title)
		}
	}
	var agents []presence.Presence
	for _, state := range []presence.State{presence.Working, presence.Waiting, presence.Idle, presence.Gone} {
		for _, note := range []string{"", "q-7: shell: make"} {
			agents = append(agents, presence.Presence{AgentID: 1, RepoID: 2, WorktreeID: 3, Agent: "ann", Repo: "app", Worktree: "w-1", Name: "login",
				Shown: presence.Shown{State: state, Note: note, Source: presence.Work, Since: clock(5)}})
		}
	}
	work := Piece{key: [2]int64{3, 4}, Repo: "app", Worktree: "w-1", Name: "login", Agent: "ann", Task: "T-1", TaskName: "Log in"}
	as := func(p presence.Presence) string {
		return cmp.Or(string(p.State), "unknown") + " " + cmp.Or(p.Note, "-")
	}
	for _, now := range agents {
		s := Snapshot{at: clock(9), agents: []presence.Presence{now}, pieces: []Piece{work}}
		show("# "+as(now), s.now())
		show("new -> "+as(now), s.since(Snapshot{}))
		for _, before := range agents {
			show(as(before)+" -> "+as(now), s.since(Snapshot{agents: []presence.Presence{before}}))
		}
	}

	pieces := []Piece{{}}
	for _, change := range []func(*Piece){
		func(p *Piece) { p.status = "active" }, func(p *Piece) { p.status = "conflict" }, func(p *Piece) { p.status = "completed" },
		func(p *Piece) { p.state = "in_progress" }, func(p *Piece) { p.state = "completed" }, func(p *Piece) { p.state = "failed" },
		func(p *Piece) { p.landing = verdict{id: 1, state: "running"} }, func(p *Piece) { p.landing = verdict{id: 1, state: "returned", gate: "failed", why: "exit 1"} },
		func(p *Piece) { p.landing = verdict{id: 2, state: "returned", why: "main moved"} }, func(p *Piece) { p.landing = verdict{id: 2, state: "returned"} },
		func(p *Piece) { p.review = verdict{id: 1, state: "waiting"} }, func(p *Piece) { p.review = verdict{id: 2, state: "waiting"} },
		func(p *Piece) { p.review = verdict{id: 1, state: "returned", why: "a test is missing"} }, func(p *Piece) { p.review = verdict{id: 1, state: "returned"} },
		func(p *Piece) {
			p.status, p.review, p.landing = "completed", verdict{id: 1, state: "waiting"}, verdict{id: 1, state: "returned"}
		},
		func(p *Piece) {
			p.status, p.state, p.review = "conflict", "failed", verdict{id: 2, state: "returned", why: "no"}
		},
		func(p *Piece) {
			p.landing, p.review = verdict{id: 1, state: "returned"}, verdict{id: 1, state: "waiting"}
		},
		func(p *Piece) { p.landing, p.state = verdict{id: 1, state: "landed"}, "completed" },
	} {
		one := work
		change(&one)
		pieces = append(pieces, one)
	}
	is := func(p Piece) string {
		return fmt.Sprintf("%s %s landing %d %s review %d %s", cmp.Or(p.status, "-"), cmp.Or(p.state, "-"), p.landing.id, p.landing.state, p.review.id, p.review.state)
	}
	for _, now := range pieces[1:] {
		s := Snapshot{at: clock(9), pieces: []Piece{now}}
		show("# "+is(now), s.now())
		for _, before := range pieces {
			if events := s.since(Snapshot{pieces: []Piece{before}}); len(events) > 0 {
				show(is(before)+" -> "+is(now), events)
			}
		}
	}
	clitest.Golden(t, filepath.Join("testdata", "events.txt"), all.String())
}

// An agent is told apart by its place, and its event names the work of its worktree.
func TestEventsOfPlaces(t *testing.T) {
	t.Parallel()
	here := func(agent, repo, worktree int64, state presence.State) presence.Presence {
		return presence.Presence{AgentID: agent, RepoID: repo, WorktreeID: worktree, Agent: fmt.Sprint("a", agent), Shown: presence.Shown{State: state}}
	}
	before := Snapshot{agents: []presence.Presence{here(1, 1, 1, presence.Working), here(1, 1, 2, presence.Idle), here(1, 2, 1, presence.Idle), here(2, 1, 1, presence.Idle)}}
	now := Snapshot{agents: []presence.Presence{here(1, 1, 1, presence.Idle), here(1, 1, 2, presence.Gone), here(1, 2, 1, presence.Gone), here(2, 1, 1, presence.Gone), here(3, 1, 0, presence.Waiting)},
		pieces: []Piece{{key: [2]int64{0, 9}, Task: "T-9"}, {key: [2]int64{1, 8}, Task: "T-8", TaskName: "eight"}}}
	now.agents[4].Repo = "app"
	now.agents[4].Note = "which port?"
	var got []string
	for _, e := range now.since(before) {
		got = append(got, string(e.Kind)+" "+e.Agent+" "+e.Task+" "+e.TaskName+" "+e.Text+" "+e.Question)
	}
	want := []string{"idle a1 T-8 eight a1 is idle ", "waiting a3   a3 is waiting for you in app: which port? "}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	if asked := now.asking(); len(asked) != 1 || asked[0].Agent != "a3" {
		t.Errorf("asking are %+v", asked)
	}
}

// The reason for a returned piece is cut to a line.
func TestWhyNotIsShort(t *testing.T) {
	t.Parallel()
	p := Piece{landing: verdict{state: "returned", why: strings.Repeat("a", 201)}}
	if got := p.whyNot(); len(got) > 204 || !strings.HasPrefix(got, strings.Repeat("a", 190)) || got == p.landing.why {
		t.Errorf("%d bytes: %q", len(got), got)
	}
	p.landing.why = strings.Repeat("a", 200)
	if got := p.whyNot(); got != p.landing.why {
		t.Errorf("%q", got)
	}
}

// A snapshot is read again when the first agent's silence changes its state, and at least each hour.
func TestRest(t *testing.T) {
	t.Parallel()
	until := func(minutes ...int) Snapshot {
		s := Snapshot{at: clock(10), agents: []presence.Presence{{}}}
		for _, m := range minutes {
			s.agents = append(s.agents, presence.Presence{Shown: presence.Shown{Until: clock(m).Time}})
		}
		return s
	}
	const more = 10 * time.Millisecond
	for want, s := range map[time.Duration]Snapshot{time.Hour: until(), 2 * time.Minute: until(15, 12, 20), 0: until(9, 12), time.Minute: until(11)} {
		if got := s.rest(); got != want+more {
			t.Errorf("%s, want %s", got, want+more)
		}
	}
}

func TestAbout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o              Options
		repo, worktree int64
		want           bool
	}{
		{Options{}, 1, 0, true}, {Options{Repos: []int64{1}}, 1, 5, true}, {Options{Repos: []int64{1}}, 2, 1, false},
		{Options{Worktrees: []int64{5}}, 1, 5, true}, {Options{Worktrees: []int64{5}}, 5, 6, false}, {Options{Worktrees: []int64{0}}, 1, 0, false},
		{Options{Repos: []int64{2}, Worktrees: []int64{5}}, 1, 5, true}, {Options{Repos: []int64{2}, Worktrees: []int64{5}}, 2, 6, true},
	} {
		if got := c.o.about(c.repo, c.worktree); got != c.want {
			t.Errorf("%+v about %d, %d: %t", c.o, c.repo, c.worktree, got)
		}
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"": "[waiting idle gone completed failed review landed returned]", "waiting": "[waiting]", "done": "[idle gone completed failed review landed]",
		"landed idle": "[landed idle]", "returned": "[returned]", "any": "[waiting idle gone completed failed review landed returned]",
	} {
		if got, err := Kinds(strings.Fields(words)); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v", words, got, err)
		}
	}
	if _, err := Kinds([]string{"idle", "nothing"}); err == nil || !strings.HasPrefix(err.Error(), `"nothing" is not something to wait for`) {
		t.Errorf("%v", err)
	}
	for _, word := range Words() {
		if _, err := Kinds([]string{word}); err != nil {
			t.Errorf("%s: %v", word, err)
		}
	}
}
