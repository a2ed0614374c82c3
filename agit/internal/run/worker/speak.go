package worker

import (
	"context"
	"io"
	"os"
	"sync"
	"time"
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
