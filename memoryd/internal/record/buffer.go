package record

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

const (
	// mostPending bounds the memory used and the writes lost when the process is killed; the write beyond it stores all.
	mostPending = 2000
	// closeTime is how long a stopping server waits for its last flush.
	closeTime = 5 * time.Second
)

// BufferOptions configure a Buffer.
type BufferOptions struct {
	// After is how long it keeps a write; at most five seconds are promised. With 0 it keeps none.
	After time.Duration
	// Timer returns a channel that receives a value after d. nil uses the clock.
	Timer func(d time.Duration) (due <-chan time.Time, stop func())
	Log   *slog.Logger
}

// Buffer takes tracking writes for a server and stores them together: when a push is announced, at the end of a session (Flush), when the
// server ends (Close), and at the latest five seconds after the first of them. Of several retrospectives of one commit, each later one
// replaces the fields that it sets. Uses and commits come from hooks, which store them at once. Bugs, and the halts that follow from them,
// are stored at once, after all earlier writes. A read through a Buffer includes its pending writes.
//
// It is safe for concurrent use. An accepted write is lost only when the process is killed before the next flush; while storing fails, it
// accepts none.
type Buffer struct {
	store *Store
	o     BufferOptions

	turn    chan struct{} // holds one token; its taker owns the fields below
	pending pending
	failing bool   // the last flush failed
	closed  bool   // writes go straight to the store
	disarm  func() // stops the timer and the watch; nil while nothing is pending
	running sync.WaitGroup
}

// NewBuffer puts a buffer in front of a store. Close it.
func NewBuffer(s *Store, o BufferOptions) *Buffer {
	if o.Timer == nil {
		o.Timer = func(d time.Duration) (<-chan time.Time, func()) {
			t := time.NewTimer(d)
			return t.C, func() { t.Stop() }
		}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	b := &Buffer{store: s, o: o, turn: make(chan struct{}, 1), closed: o.After <= 0}
	b.turn <- struct{}{}
	return b
}

// own waits for exclusive use of the buffer.
func (b *Buffer) own(ctx context.Context) (release func(), err error) {
	select {
	case <-b.turn:
		return func() { b.turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Flush stores all pending writes. Writes that could not be stored stay, and the error has the reason.
func (b *Buffer) Flush(ctx context.Context) error {
	release, err := b.own(ctx)
	if err != nil {
		return err
	}
	defer release()
	return b.flush(ctx)
}

// Close stores everything; later writes go straight to the store.
func (b *Buffer) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	release, err := b.own(ctx)
	if err != nil {
		return err
	}
	b.closed = true
	err = b.flush(ctx)
	b.rest()
	release()
	b.running.Wait()
	return err
}

// flush is Flush for the owner of the buffer.
func (b *Buffer) flush(ctx context.Context) error {
	if len(b.pending.writes) == 0 {
		return nil
	}
	n := len(b.pending.writes)
	err := b.write(ctx, b.pending.writes)
	if registry.IsConstraint(err) {
		err = b.flushEach(ctx)
	} else if err == nil {
		b.pending = pending{}
	}
	b.rest()
	if b.failing = err != nil; b.failing {
		b.o.Log.WarnContext(ctx, "storing buffered records failed, will be tried again", "records", len(b.pending.writes), "error", err)
		b.arm()
		return err
	}
	b.o.Log.DebugContext(ctx, "stored buffered records", "records", n)
	return nil
}

// flushEach stores the pending writes one by one after one of them was refused, so that the others are stored; the refused one is dropped
// and logged.
func (b *Buffer) flushEach(ctx context.Context) error {
	all := b.pending.writes
	b.pending = pending{}
	for i, w := range all {
		err := b.write(ctx, all[i:i+1])
		switch {
		case err == nil:
		case registry.IsConstraint(err):
			b.o.Log.ErrorContext(ctx, "a buffered record cannot be stored and is left out", "agentName", w.to.agent.Name, "error", err)
		default:
			for _, left := range all[i:] {
				b.pending.put(left)
			}
			return err
		}
	}
	return nil
}

func (b *Buffer) write(ctx context.Context, writes []*write) error {
	return b.store.DB.Write(ctx, reach(writes), func(tx *registry.Tx) error { return store(tx, writes, b.o.Log) })
}

// reach returns the scope of collected writes: their project, if they all have the same one.
func reach(writes []*write) registry.Scope {
	one := writes[0].to.project.ID
	if slices.ContainsFunc(writes, func(w *write) bool { return w.to.project.ID != one }) {
		return registry.Everything
	}
	return registry.Scope{Project: one}
}

// rest stops the timer and the watch.
func (b *Buffer) rest() {
	if b.disarm != nil {
		b.disarm()
		b.disarm = nil
	}
}

// arm schedules the next flush: when the first write is due, or when a push is announced.
func (b *Buffer) arm() {
	if b.disarm != nil || b.closed {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	b.disarm = cancel
	due, stop := b.o.Timer(b.o.After)
	pushed := make(chan struct{}, 1)
	b.running.Go(func() {
		defer stop()
		select {
		case <-ctx.Done():
			return
		case <-due:
		case <-pushed:
		}
		if err := b.Flush(ctx); err != nil && ctx.Err() == nil {
			b.o.Log.DebugContext(ctx, "flush", "error", err) // flush has logged the error
		}
	})
	b.running.Go(func() {
		err := b.store.DB.Watch(ctx, func() {}, func(changes []registry.Change) {
			if slices.ContainsFunc(changes, func(c registry.Change) bool { return c.Topic == registry.TopicPush }) {
				select {
				case pushed <- struct{}{}:
				default:
				}
			}
		})
		if err != nil && ctx.Err() == nil {
			b.o.Log.DebugContext(ctx, "listening for pushes", "error", err) // the timer stores them
		}
	})
}

// take adds a write to the pending ones: it calls add with the rows of the write's agent and project, in a snapshot of the registry. It
// flushes first when the buffer is full or the last flush failed.
func (b *Buffer) take(ctx context.Context, by By, add func(tx *registry.Tx, to booked) error) error {
	if err := by.check(); err != nil {
		return err
	}
	if err := b.known(ctx, by); err != nil {
		return err
	}
	if b.failing || len(b.pending.writes) >= mostPending {
		if err := b.flush(ctx); err != nil {
			return fault.From(err).Retry()
		}
	}
	err := b.store.DB.Read(ctx, func(tx *registry.Tx) error {
		to, err := by.find(tx)
		if err != nil {
			return err
		}
		return add(tx, to)
	})
	if err == nil {
		b.arm()
	}
	return err
}

// known creates the rows of a write's agent and project if they are missing. That is rare, so it is not buffered.
func (b *Buffer) known(ctx context.Context, by By) error {
	_, err := registry.Read(ctx, b.store.DB, by.find)
	if !fault.Is(err, fault.KindNotFound) {
		return err
	}
	_, err = registry.Write(ctx, b.store.DB, registry.Named, by.book)
	return err
}

// Pushed announces to every server that commits are about to be pushed, so that they store their buffers.
func (s *Store) Pushed(ctx context.Context, place project.Place) error {
	return s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		p, err := place.Find(tx)
		if err != nil && !fault.Is(err, fault.KindNotFound) {
			return err
		}
		tx.Changed(registry.TopicPush, p.ID, "")
		return tx.In(p.ID)
	})
}
