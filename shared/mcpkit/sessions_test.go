package mcpkit

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

func TestSweep(t *testing.T) {
	var ended atomic.Int32
	s := New(Info{Name: "test"}, Options{SessionTTL: time.Minute, SessionEnd: func(*Session) { ended.Add(1) }})
	idle, busy := s.newSession(HTTP, "idle"), s.newSession(HTTP, "busy")
	s.keep(idle)
	s.keep(busy)
	leave, ok := busy.enter()
	if !ok {
		t.Fatal("a new session cannot be used")
	}
	s.sweep(time.Now().Add(30 * time.Second))
	if ended.Load() != 0 {
		t.Fatal("a session ended before its time")
	}
	s.sweep(time.Now().Add(2 * time.Minute))
	if _, _, ok := s.lookup(HTTP, "idle"); ok || ended.Load() != 1 {
		t.Error("the idle session goes on")
	}
	if _, ok := idle.enter(); ok {
		t.Error("an ended session can be used")
	}
	leave()
	s.sweep(time.Now().Add(30 * time.Second))
	if _, again, ok := s.lookup(HTTP, "busy"); !ok {
		t.Error("a session ended that was in use a moment ago")
	} else {
		again()
	}
	if _, _, ok := s.lookup(SSE, "busy"); ok {
		t.Error("a session answers on a foreign transport")
	}
	s.endSessions()
	if ended.Load() != 2 {
		t.Errorf("%d sessions ended, want 2", ended.Load())
	}
}

func TestMostSessions(t *testing.T) {
	s := New(Info{Name: "test"}, Options{MaxSessions: 3})
	open := func(i int) *Session {
		x := s.newSession(HTTP, fmt.Sprint(i))
		x.used = time.Unix(int64(i), 0)
		s.keep(x)
		return x
	}
	oldest, busy := open(2), open(1)
	leave, _ := busy.enter()
	for i := 3; i < 10; i++ {
		open(i)
	}
	if len(s.sessions) != 3 {
		t.Errorf("%d sessions are kept, want 3", len(s.sessions))
	}
	select {
	case <-oldest.Ended():
	default:
		t.Error("the one that was idle longest goes on")
	}
	if _, _, ok := s.lookup(HTTP, "1"); !ok {
		t.Error("a session in use had to go")
	}
	leave()
}
