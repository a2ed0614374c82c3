package unattended

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// errTold ends a client driven by its command line, to pass on a person's urgent message.
var errTold = errors.New("a person interrupted it with a message")

// told passes the messages of people to a run's agent.
type told struct {
	t   *on
	a   Attempt
	log *runlog.Log
	cut chan struct{} // receives when the present turn must be cancelled

	mu      sync.Mutex
	written bool            // all messages taken have been written to the agent
	logged  map[string]bool // ids of messages that are in the log
	cutting bool            // a turn was cancelled, and its message was not taken yet
}

// hear starts passing messages on.
func (t *on) hear(a Attempt, log *runlog.Log) *told {
	return &told{t: t, a: a, log: log, cut: make(chan struct{}, 1), written: true, logged: map[string]bool{}}
}

// brief returns the text that a run begins with. It starts with the waiting messages for the agent, and those that another session of its
// client got.
func (o *told) brief(ctx context.Context, session, text string) (string, error) {
	var only int64
	if o.t.number > 0 { // messages to another try are not for this one
		only = o.t.w.AgentID
	}
	missed, err := registry.Read(ctx, o.t.DB, func(tx *registry.Tx) ([]message.Message, error) {
		return message.Missed(tx, o.t.w.ItemID, only, session)
	})
	if err != nil {
		return "", err
	}
	fresh, err := o.take(ctx)
	if err != nil {
		return "", err
	}
	return toldFirst(missed, fresh, text), nil
}

// take takes the waiting messages. They are written to the agent next.
func (o *told) take(ctx context.Context) ([]message.Message, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	list, err := o.t.Messages.Take(ctx, o.t.w.AgentID, o.a.Run)
	if len(list) > 0 {
		o.written, o.cutting = false, false
	}
	select {
	case <-o.cut: // it was for the messages taken now
	default:
	}
	o.note(list)
	return list, err
}

// note puts messages into the log, each once; o.mu is held.
func (o *told) note(list []message.Message) {
	for _, m := range list {
		if o.logged[m.ID] {
			continue
		}
		o.logged[m.ID] = true
		o.log.Note("a person tells %s: %s", o.t.agent, m.Text)
		o.t.tell(Event{What: EventNote, TaskID: o.t.b.Task.ID, Worktree: o.t.w.Ref, Why: "a person told it: " + text.FirstLine(m.Text, 200)})
	}
}

// noteHooks logs the messages that a hook of the client has passed on.
func (o *told) noteHooks(ctx context.Context) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if list, err := o.t.Messages.Of(ctx, o.a.Run); err == nil {
		o.note(list)
	}
}

// wrote notes that the messages taken were written to the agent.
func (o *told) wrote(ctx context.Context, session string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.written {
		return
	}
	if err := o.t.Messages.Deliver(context.WithoutCancel(ctx), o.a.Run, session); err != nil {
		o.t.tell(Event{What: EventNote, Why: "that a message was delivered could not be kept: " + fault.From(err).Message})
		return
	}
	o.written = true
}

// next returns the prompt of a conversation's next turn, "" for none.
func (o *told) next(ctx context.Context) string {
	list, err := o.take(ctx)
	if err != nil {
		o.t.tell(Event{What: EventNote, Why: "what people told it could not be read: " + fault.From(err).Message})
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(list) == 0 {
		if o.cutting { // its message was withdrawn meanwhile
			o.cutting = false
			return "Go on where you were."
		}
		return ""
	}
	texts := text.Each(list, func(m message.Message) string { return m.Text })
	return fmt.Sprintf("%s\n\n(A person told you this while you are at task %s. Go on with the task with that in mind, commit the work, then stop.)",
		strings.Join(texts, "\n\n"), o.t.b.Task.ID)
}

// hearEvery is how often to look for messages when no change was reported.
const hearEvery = 2 * time.Second

// listen cuts the agent's turn when an urgent message of a person comes, until ctx ends; stop ends a client that has no turns. The channel
// is closed when listen has ended.
func (o *told) listen(ctx context.Context, stop func()) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { o.noteHooks(context.WithoutCancel(ctx)) }()
		tick := time.NewTicker(hearEvery)
		defer tick.Stop()
		for {
			news := o.t.crew.heard() // before looking
			o.noteHooks(ctx)
			if o.interrupts(ctx) && stop != nil {
				stop()
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-news:
			case <-tick.C:
			}
		}
	}()
	return done
}

// interrupts reports whether an urgent message waits for the agent, and cuts its turn then.
func (o *told) interrupts(ctx context.Context) bool {
	o.mu.Lock() // no message is taken between the look and the cut
	defer o.mu.Unlock()
	_, atOnce, err := o.t.Messages.Waits(ctx, o.t.w.AgentID)
	if err != nil || !atOnce || o.cutting {
		return false
	}
	o.cutting = true
	select {
	case o.cut <- struct{}{}:
	default:
	}
	return true
}

// toldFirst puts people's messages before a brief.
func toldFirst(missed, fresh []message.Message, brief string) string {
	var s strings.Builder
	list := func(title string, of []message.Message) {
		if len(of) == 0 {
			return
		}
		fmt.Fprintf(&s, "## %s\n", title)
		for _, m := range of {
			fmt.Fprintf(&s, "- %s\n", strings.ReplaceAll(m.Text, "\n", "\n  "))
		}
		s.WriteString("\n")
	}
	list("A person told an earlier session at this task", missed)
	list("A person tells you", fresh)
	return s.String() + brief
}
