package mcpkit

import (
	"time"
)

// lookup finds a session and marks it as in use until leave.
func (s *Server) lookup(transport, id string) (session *Session, leave func(), ok bool) {
	s.mu.Lock()
	session = s.sessions[id]
	s.mu.Unlock()
	if session == nil || session.transport != transport {
		return nil, nil, false
	}
	leave, ok = session.enter()
	return session, leave, ok
}

// keep adds a session; the one that has been idle longest makes room for it.
func (s *Server) keep(session *Session) {
	s.mu.Lock()
	var oldest *Session
	if len(s.sessions) >= s.opts.MaxSessions {
		oldest = s.oldestLocked()
	}
	if oldest != nil {
		delete(s.sessions, oldest.id)
	}
	s.sessions[session.id] = session
	s.mu.Unlock()
	if oldest != nil {
		oldest.end()
	}
}

func (s *Server) oldestLocked() *Session {
	var oldest *Session
	var since time.Time
	for _, x := range s.sessions {
		if used, idle := x.idleSince(); idle && (oldest == nil || used.Before(since)) {
			oldest, since = x, used
		}
	}
	return oldest
}

// drop ends a session.
func (s *Server) drop(session *Session) {
	s.mu.Lock()
	delete(s.sessions, session.id)
	s.mu.Unlock()
	session.end()
}

// sweep ends the sessions that have been idle for longer than the TTL.
func (s *Server) sweep(now time.Time) {
	var stale []*Session
	s.mu.Lock()
	for id, x := range s.sessions {
		if used, idle := x.idleSince(); idle && now.Sub(used) > s.opts.SessionTTL {
			delete(s.sessions, id)
			stale = append(stale, x)
		}
	}
	s.mu.Unlock()
	for _, x := range stale {
		x.end()
	}
}

// startSweep sweeps regularly until the returned function is called.
func (s *Server) startSweep() (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	tick := time.NewTicker(max(s.opts.SessionTTL/4, 10*time.Millisecond))
	go func() {
		defer close(done)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				s.sweep(now)
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

// endSessions ends all of them, at shutdown.
func (s *Server) endSessions() {
	s.mu.Lock()
	all := s.sessions
	s.sessions = map[string]*Session{}
	s.mu.Unlock()
	for _, x := range all {
		x.end()
	}
}

// closeStreams ends the streams that only wait for changes, so that a shutdown does not wait for them.
func (s *Server) closeStreams() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.sessions {
		x.closeStream()
	}
}
