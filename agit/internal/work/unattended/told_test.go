package unattended

import (
	"context"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/registry"
)

// people send messages to ann while an attempt of hers runs.
type people struct {
	*rows
	*told
	events []string
}

func newPeople(t *testing.T) *people {
	p := &people{rows: newRows(t)}
	a := p.begin(Begun)
	log, err := runlog.Create(t.TempDir(), "w-1", runlog.Work)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	crew := &Crew{news: make(chan struct{}), show: func(e Event) { p.events = append(p.events, e.Why) }}
	turn := &on{member: &member{Store: p.Store, crew: crew, agent: "ann"}, b: brief.Brief{Task: &brief.Task{ID: p.task.ID}},
		w: worktree.Worktree{Ref: "w-1", ItemID: p.item, AgentID: p.ann.ID}}
	p.told = turn.hear(a, log)
	return p
}

func (p *people) say(text string, now bool) message.Told {
	p.Helper()
	m, err := p.Messages.Tell(p.Context(), message.New{Agent: "ann", Text: text, AtOnce: now})
	if err != nil {
		p.Fatal(err)
	}
	return m
}

// undelivered are the messages that have not reached ann.
func (p *people) undelivered() string {
	p.Helper()
	list, err := p.Messages.List(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	var all []string
	for _, m := range list {
		all = append(all, string(m.State)+" "+m.Text)
	}
	return strings.Join(all, ", ")
}

// A run begins with the waiting messages, which count as delivered once the brief was written, and as waiting again when the run ends
// before that.
func TestMessagesComeBeforeTheBrief(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	if text, err := p.brief(t.Context(), "", "Sort the list."); err != nil || text != "Sort the list." {
		t.Errorf("%q, %v", text, err)
	}
	p.say("Leave the parser\nalone", false)
	if text, err := p.brief(t.Context(), "", "Sort the list."); err != nil || text != "## A person tells you\n- Leave the parser\n  alone\n\nSort the list." {
		t.Errorf("%q, %v", text, err)
	}
	if got := p.undelivered(); got != "sent Leave the parser\nalone" {
		t.Error(got)
	}
	if len(p.events) != 1 || p.events[0] != "a person told it: Leave the parser" {
		t.Errorf("%q", p.events)
	}
	p.write(func(tx *registry.Tx) error { return message.Ended(tx, p.a.Run, "") })
	if got := p.undelivered(); got != "waiting Leave the parser\nalone" {
		t.Error(got)
	}
	if _, err := p.brief(t.Context(), "", ""); err != nil {
		t.Fatal(err)
	}
	if len(p.events) != 1 {
		t.Errorf("it stands in the log twice: %q", p.events)
	}
	p.wrote(t.Context(), "s-1")
	if got := p.undelivered(); got != "" {
		t.Error(got)
	}
	for session, missed := range map[string]bool{"s-1": false, "s-2": true, "": true} {
		text, err := p.brief(t.Context(), session, "On.")
		if err != nil || strings.HasPrefix(text, "## A person told an earlier session at this task\n- Leave the parser") != missed || !strings.HasSuffix(text, "On.") {
			t.Errorf("session %q: %q, %v", session, text, err)
		}
	}
	p.t.number, p.t.w.AgentID = 2, p.ann.ID+1 // another try of the task
	if text, err := p.brief(t.Context(), "s-2", "On."); err != nil || text != "On." {
		t.Errorf("another try hears %q, %v", text, err)
	}
}

// An urgent message cuts the turn, once; the others wait for its end.
func TestMessagesForNowCutTheTurn(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	if p.next(t.Context()) != "" || p.interrupts(t.Context()) {
		t.Error("nothing was said")
	}
	p.say("Later", false)
	if p.interrupts(t.Context()) {
		t.Error("a message for later cuts the turn")
	}
	p.say("Stop", true)
	if !p.interrupts(t.Context()) || p.interrupts(t.Context()) || len(p.cut) != 1 {
		t.Error("a message for now cuts the turn once")
	}
	next := p.next(t.Context())
	if !strings.HasPrefix(next, "Later\n\nStop\n\n(A person told you this while you are at task "+p.task.ID+".") || len(p.cut) != 0 {
		t.Errorf("%q, %d", next, len(p.cut))
	}
	p.wrote(t.Context(), "s")
	m := p.say("Wait", true)
	if !p.interrupts(t.Context()) {
		t.Error("the second is not heard")
	}
	if _, err := p.Messages.Withdraw(t.Context(), m.ID, message.New{}.Caller); err != nil {
		t.Fatal(err)
	}
	if next := p.next(t.Context()); next != "Go on where you were." {
		t.Errorf("after a message that was withdrawn: %q", next)
	}
	if next := p.next(t.Context()); next != "" {
		t.Errorf("and then %q", next)
	}
}

// A client without turns is ended for an urgent message, and the messages that its hook passed on are in the log.
func TestListening(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.say("Mind the gap", false)
	if _, err := p.Messages.Take(t.Context(), p.ann.ID, p.a.Run); err != nil {
		t.Fatal(err)
	}
	p.say("Stop", true)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	<-p.listen(ctx, cancel)
	if ctx.Err() == nil {
		t.Error("the client goes on")
	}
	if len(p.events) != 1 || p.events[0] != "a person told it: Mind the gap" {
		t.Errorf("%q", p.events)
	}
}
