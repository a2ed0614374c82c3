package graphquery

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/registry/registrytest"
)

const (
	quick = `RETURN 1 AS n`
	heavy = `UNWIND range(1, 300000) AS x RETURN count(x) AS n`
)

// While two heavy queries run, a third waits and light queries are answered.
func TestHeavyQueriesTakeTurns(t *testing.T) {
	s := &Store{DB: registrytest.Open(t)}
	if _, err := s.Query(t.Context(), Ask{Text: heavy}); err != nil {
		t.Fatal(err)
	}
	for range heavyAtOnce {
		s.slots <- struct{}{}
	}
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		_, err := s.Query(ctx, Ask{Text: heavy})
		gone <- err
	}()
	if _, err := s.Query(t.Context(), Ask{Text: quick}); err != nil {
		t.Errorf("a quick query: %v", err)
	}
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("a query whose caller left while it waited: %v", err)
	}
	answered := make(chan error)
	go func() {
		_, err := s.Query(t.Context(), Ask{Text: heavy})
		answered <- err
	}()
	<-s.slots
	if err := <-answered; err != nil {
		t.Errorf("a query that waited: %v", err)
	}
	if len(s.slots) != heavyAtOnce-1 {
		t.Errorf("%d slots are taken, want %d", len(s.slots), heavyAtOnce-1)
	}
}

// A query that would run for years ends when its caller cancels, and frees its slot.
func TestQueryEndsWithItsCaller(t *testing.T) {
	s := &Store{DB: registrytest.Open(t)}
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		_, err := s.Query(ctx, Ask{Text: `UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y UNWIND range(1, 100000) AS z RETURN count(*) AS n`})
		gone <- err
	}()
	for tick := time.Tick(time.Millisecond); ; <-tick {
		if s.once.Do(func() { s.slots = make(chan struct{}, heavyAtOnce) }); len(s.slots) > 0 {
			break // it is under way
		}
	}
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if len(s.slots) != 0 {
		t.Error("its slot is not free")
	}
}
