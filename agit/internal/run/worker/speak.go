package worker

import (
	"cmp"
	"context"
	"io"
	"os"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/acp"
)

// Pipes connect a conversation to a program.
type Pipes struct {
	In  io.Writer // the program's standard input
	Out io.Reader // the program's standard output
	// Hold is called when a person is asked; the limits of the job pause until resume is called.
	Hold func() (resume func())
}

// conversation is a running Job.Speak. The zero value is for a job without one.
type conversation struct {
	out    io.Reader
	over   chan struct{} // closed when it has ended
	cancel context.CancelFunc
	in     *os.File

	mu      sync.Mutex
	said    Said
	ended   bool // by itself, not because it was stopped
	stopped bool
	holds   int
	since   time.Time // start of the first hold
	held    time.Duration
}

// begin starts the conversation once the program runs.
func (c *conversation) begin(r *running, in *os.File) {
	ctx, cancel := context.WithCancel(context.Background())
	c.over, c.cancel, c.in = make(chan struct{}), cancel, in
	go func() {
		defer close(c.over)
		said := r.job.Speak(ctx, Pipes{In: in, Out: c.out, Hold: c.hold})
		said = said.stored()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.said, c.ended = said, !c.stopped && said.Final
	}()
}

// leaveTime is how long a program has after its conversation to end by itself.
const leaveTime = 2 * time.Second

// leave closes the program's input after the conversation, which asks it to end. If it keeps running it is ended with the job.
func (c *conversation) leave(r *running) {
	c.in.Close()
	timer := time.NewTimer(min(leaveTime, r.job.Grace))
	defer timer.Stop()
	select {
	case r.exit = <-r.exited:
		r.over = true
	case <-timer.C:
	}
}

// stop ends the conversation and waits for that, for at most the grace. It first reads the last output of a program that has ended.
func (c *conversation) stop(ended bool, grace time.Duration) {
	if c.over == nil {
		return
	}
	if ended {
		select {
		case <-c.over:
		case <-time.After(drainTime):
		}
	}
	c.mu.Lock()
	c.stopped = true
	c.mu.Unlock()
	c.cancel()
	timer := time.NewTimer(max(grace, time.Second))
	defer timer.Stop()
	select {
	case <-c.over:
	case <-timer.C:
	}
	c.in.Close()
}

// result returns the report, and whether the conversation was completed. The program has ended.
func (c *conversation) result() (Said, bool) {
	<-c.over
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.said, c.ended
}

// hold stops the clock; holds may overlap.
func (c *conversation) hold() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holds++; c.holds == 1 {
		c.since = time.Now()
	}
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.holds--; c.holds == 0 {
			c.held += time.Since(c.since)
		}
	})
}

// asks reports whether the clock is stopped.
func (c *conversation) asks() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.holds > 0
}

// waited returns how long the clock was stopped.
func (c *conversation) waited() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holds > 0 {
		return c.held + time.Since(c.since)
	}
	return c.held
}

// heard records when the program last wrote output.
type heard struct {
	r   *running
	out io.Reader
}

func (h heard) Read(p []byte) (int, error) {
	n, err := h.out.Read(p)
	if n > 0 {
		h.r.heard.Store(time.Now().UnixNano())
	}
	return n, err
}

// Decide answers a permission request. hold stops the limits of the run while a person is asked.
type Decide func(ctx context.Context, r acp.Request, hold func() (resume func())) acp.Decision

// Speak returns a Job's conversation with a client that speaks the protocol. turn has what neither the client nor its place settles.
func (c Client) Speak(p Place, turn acp.Turn, decide Decide) func(context.Context, Pipes) Said {
	turn.Dir, turn.Prompt, turn.Session, turn.Modes = p.Dir, p.Brief, p.Session, c.Modes
	return func(ctx context.Context, pipes Pipes) Said {
		turn.Decide = func(ctx context.Context, r acp.Request) acp.Decision { return decide(ctx, r, pipes.Hold) }
		return saidBy(turn.Speak(ctx, pipes.In, pipes.Out))
	}
}

// saidBy converts the end of a conversation to a client's report.
func saidBy(r acp.Result) (s Said) {
	s = Said{Session: r.Session, Message: r.Message, Denied: r.Denied, Acted: r.Acted, Final: true}
	s.Used = Used{Input: r.Usage.Input, Output: r.Usage.Output, Cached: r.Usage.Cached, Cost: r.Usage.Cost, Currency: r.Usage.Currency, Model: r.Model}
	if r.Begun {
		s.Used.Turns = max(1, r.Turns)
	}
	if f := r.Err; f != nil {
		s.Failed, s.Code, s.Status = f.Message, f.Name, f.Status
		s.Final, s.Unspoken = !f.Broken, !r.Begun && (f.Broken || f.Code == methodNotFound)
		if f.Broken && r.Begun {
			s.Failed = ""
		}
		return s
	}
	if r.Stop != "end_turn" {
		s.Code, s.Failed = r.Stop, cmp.Or(stops[r.Stop], "the turn ended: "+r.Stop)
	}
	return s
}

// stops are the protocol's reasons for the end of a turn that is not complete, in words.
var stops = map[string]string{
	"max_tokens":        "it ran out of tokens",
	"max_turn_requests": "it ran out of turns",
	"refusal":           "the model refused to go on",
	"cancelled":         "the turn was cancelled",
}

// methodNotFound is JSON-RPC's code for an unknown method.
const methodNotFound = -32601
