package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
)

// signals cancels a run's context on the first SIGINT or SIGTERM. The second one ends the process at once, as if it were not handled.
type signals struct {
	got    atomic.Value // os.Signal
	end    context.CancelFunc
	stages atomic.Pointer[func() bool]
}

// The handlers are installed once and not removed at the end of the run: each change costs a wake-up of the runtime's signal thread, and
// the process is about to end. running is the run that receives a signal.
var (
	handle  sync.Once
	running atomic.Pointer[signals]
)

func withSignals(parent context.Context) (context.Context, *signals) {
	ctx, cancel := context.WithCancel(parent)
	s := &signals{end: cancel}
	running.Store(s)
	return interruptible{ctx}, s
}

// interruptible is a run's context. Signals are handled once code waits for its end: before git or another program is started, and at once
// in a server. A command that only reads the registry never waits for it: a signal ends it as it ends any program, and SQLite drops what
// was not committed. That saves starting the runtime's signal thread, a tenth of a short command's time.
type interruptible struct{ context.Context }

func (c interruptible) Done() <-chan struct{} {
	handle.Do(install)
	return c.Context.Done()
}

func install() {
	ch := make(chan os.Signal, 1)
	// A closed pipe is an error of the write and not the end of the process,
	// which may have more to do than print. It is caught and not ignored,
	// because git would inherit an ignored signal.
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	go func() {
		for sig := range ch {
			if sig == syscall.SIGPIPE {
				continue
			}
			if s := running.Load(); s != nil && sig == os.Interrupt {
				if first := s.stages.Load(); first != nil && (*first)() {
					continue
				}
			}
			signal.Reset(os.Interrupt, syscall.SIGTERM)
			if s := running.Load(); s != nil {
				s.got.Store(sig)
				s.end()
			}
		}
	}()
}

// TwoStages makes the first Ctrl-C of a run close the returned channel, so that the command can finish its present step. The next one,
// SIGTERM, or the end of the terminal ends its context as in any other run. It must get the context that the command was given.
func TwoStages(ctx context.Context) <-chan struct{} {
	first := make(chan struct{})
	once := false
	stage := func() bool { // called by one goroutine
		if once {
			return false
		}
		once = true
		close(first)
		return true
	}
	if s := running.Load(); s != nil {
		s.stages.Store(&stage)
	}
	hangUp(ctx)
	return first
}

// caught returns the signal that ended the run, or nil.
func (s *signals) caught() os.Signal {
	sig, _ := s.got.Load().(os.Signal)
	return sig
}
