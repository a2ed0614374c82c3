package session

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// sweepMost bounds how many sessions one start closes: each takes a summary and perhaps memories. The next start closes more.
const sweepMost = 20

// leftOpen is what a start knows about sessions that were left open.
type leftOpen struct {
	ended map[string]bool // the ended servers of this host
	any   bool            // there are such sessions, in any project
}

// reach returns the write scope of closing them along the way.
func (l leftOpen) reach() registry.Scope {
	if l.any {
		return registry.Everything
	}
	return registry.Named
}

// leftOpen finds open sessions whose server on this host has ended, or that were silent for long. It checks locks, so it is not part of a
// transaction.
func (s *Store) leftOpen(ctx context.Context) (l leftOpen, err error) {
	l, err = registry.Read(ctx, s.DB, openIn)
	for server := range l.ended {
		if server == s.Server || s.DB.Present(server) {
			delete(l.ended, server)
		}
	}
	l.any = l.any || len(l.ended) > 0
	return l, err
}

// leftOpenIn is leftOpen inside a transaction on a server, which knows who runs.
func (s *Store) leftOpenIn(tx *registry.Tx) (l leftOpen, err error) {
	var running map[string]bool
	err = tx.Together(
		func() (err error) { l, err = openIn(tx); return err },
		func() (err error) { running, err = registry.Running(tx); return err },
	)
	maps.DeleteFunc(l.ended, func(server string, _ bool) bool { return server == s.Server || running[server] })
	l.any = l.any || len(l.ended) > 0
	return l, err
}

// openIn returns the servers of this host that have open sessions as ended, and whether any session was silent for long.
func openIn(tx *registry.Tx) (l leftOpen, err error) {
	l.ended = map[string]bool{}
	var first string // when the one was heard of that is silent for longest
	_, err = registry.Collect(tx, func(row registry.Scanner) (server string, err error) {
		var heard string
		if err = row.Scan(&server, &heard); err == nil && server != "" {
			l.ended[server] = true
		}
		if first == "" || heard < first {
			first = heard
		}
		return server, err
	}, `SELECT CASE WHEN host = ? THEN COALESCE(server, '') ELSE '' END AS server, MIN(last_event_at) FROM sessions WHERE status = 'active' GROUP BY 1`, registry.Host())
	l.any = first != "" && first < registry.FormatTime(tx.Now().Add(-silence))
	return l, err
}

// sweep closes the open sessions whose server has ended as interrupted, and those silent for a day as abandoned, in all projects and lanes.
// It returns those of the project.
func (s *Store) sweep(tx *registry.Tx, projectID int64, left leftOpen) (closed []Session, err error) {
	if !left.any {
		return nil, nil
	}
	silent := registry.FormatTime(tx.Now().Add(-silence))
	open, err := registry.Collect(tx, scan, `SELECT `+columns+joined+`WHERE s.status = 'active' AND s.last_event_at < ? ORDER BY s.last_event_at LIMIT ?`, silent, sweepMost)
	if err != nil {
		return nil, err
	}
	for server := range left.ended {
		of, err := registry.Collect(tx, scan, `SELECT `+columns+joined+`WHERE s.status = 'active' AND s.server = ? AND s.last_event_at >= ? LIMIT ?`, server, silent, sweepMost)
		if err != nil {
			return nil, err
		}
		open = append(open, of...)
	}
	for _, o := range open {
		status := Interrupted
		if tx.Now().Sub(o.LastEvent.Time) >= silence {
			status = Abandoned
		}
		if err := s.close(tx, &o, ending{status: status, at: o.LastEvent.Time}); err != nil {
			return nil, fmt.Errorf("close session %s: %w", o.ID, err)
		}
		if o.row.project == projectID {
			closed = append(closed, o)
		}
	}
	return closed, nil
}

// recognise closes the sessions whose server has ended as interrupted, so that readers see their true status. It writes only when there are
// any.
func (s *Store) recognise(ctx context.Context) error {
	left, err := s.leftOpen(ctx)
	if err != nil || len(left.ended) == 0 {
		return err
	}
	return s.DB.Write(ctx, registry.Everything, func(tx *registry.Tx) error {
		for server := range left.ended {
			if err := s.interrupt(tx, server, sweepMost); err != nil {
				return err
			}
		}
		return nil
	})
}

// Stop marks the open sessions of this server as interrupted, and stops its background work. It is called when the server ends.
func (s *Store) Stop(ctx context.Context) error {
	s.background.stop()
	if s.Server == "" {
		return nil
	}
	return s.DB.Write(ctx, registry.Everything, func(tx *registry.Tx) error { return s.interrupt(tx, s.Server, math.MaxInt32) })
}

// interrupt closes at most most open sessions of a server that has ended.
func (s *Store) interrupt(tx *registry.Tx, server string, most int) error {
	open, err := registry.Collect(tx, scan, `SELECT `+columns+joined+`WHERE s.status = 'active' AND s.server = ? LIMIT ?`, server, most)
	if err != nil {
		return err
	}
	for _, o := range open {
		if err := s.close(tx, &o, ending{status: Interrupted, at: o.LastEvent.Time}); err != nil {
			return err
		}
	}
	return nil
}

// warnMost bounds the sessions that a start warns of.
const warnMost = 3

// warn adds warnings about sessions of the project that were not ended: the agent's own first, those just closed, then the newest of any
// agent. Only for the session that resume_last takes is resume_last offered.
func (s *Store) warn(tx *registry.Tx, o *opened, in Start) error {
	said := map[string]bool{o.session.ID: true}
	if o.parent != nil {
		said[o.parent.ID] = true
	}
	own := o.session.row
	fresh := o.new && o.parent == nil
	if len(o.closed) == 0 && !(fresh && o.broken) { // almost always
		return nil
	}
	next, err := s.resumable(tx, o.project.ID, newSession{agent: own.agent, lane: own.lane, root: own.folder}, Start{Who: in.Who})
	if err != nil && !registry.NoRows(err) {
		return err
	}
	var left []Session
	if fresh {
		recent := registry.FormatTime(tx.Now().Add(-30 * 24 * time.Hour))
		for _, whose := range []string{`AND s.lane = ? `, `AND s.lane <> ? `} {
			some, err := registry.Collect(tx, scan, `SELECT `+columns+joined+untaken+whose+`AND s.last_event_at > ?`+newest, o.project.ID, own.lane, recent)
			if err != nil {
				return err
			}
			left = append(left, some...)
		}
	}
	all := append(slices.Clone(o.closed), left...)
	place := func(x Session) (place int) {
		if x.row.lane != own.lane {
			place += 2
		}
		if x.ID != next.ID {
			place++
		}
		return place
	}
	slices.SortStableFunc(all, func(a, b Session) int { return place(a) - place(b) })
	count := 0
	for _, x := range all {
		if said[x.ID] {
			continue
		}
		said[x.ID] = true
		if count++; count > warnMost {
			continue
		}
		how := "memoryd session resume " + x.ID
		if x.ID == next.ID && o.new {
			how = "resume_last"
		}
		o.warnings = append(o.warnings, called(x)+" "+fate(x, tx.Now())+"; "+how+" goes on from it")
	}
	if count > warnMost {
		o.warnings = append(o.warnings, text.Count(count-warnMost, "more session was", "more sessions were")+" not ended")
	}
	return nil
}

// fate returns how a session was broken off.
func fate(x Session, now time.Time) string {
	ago := spell(now.Sub(x.LastEvent.Time))
	if x.Status == Abandoned {
		return fmt.Sprintf("was silent for %s and is closed as abandoned", ago)
	}
	return fmt.Sprintf("was interrupted %s ago, when its server ended", ago)
}

// called names a session and its agent.
func called(x Session) string {
	return "session " + x.ID + behind(" of ", x.Agent)
}

// spell formats a duration roughly, for people.
func spell(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	}
	return fmt.Sprintf("%d min", max(0, int(d.Minutes()))) // negative after the clock was set back
}
