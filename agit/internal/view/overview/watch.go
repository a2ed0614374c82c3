package overview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// The polling intervals. A person does not notice a quarter of a second, and an idle screen must cost almost nothing.
const (
	collect  = 100 * time.Millisecond // changes that are committed together are shown together
	apart    = 250 * time.Millisecond // between two reads of the rows
	statRest = 500 * time.Millisecond // between two checks of HEAD, index and reflogs
	agingOut = 15 * time.Second       // for states that change by silence
	interest = 30 * time.Second       // a view without a request for this long is not kept current
	// Uncommitted edits are found only by comparing files: one worktree at a time, the shown ones first, with a pause many times as
	// long as the comparison took.
	sweepRest  = 300
	leastSweep = 250 * time.Millisecond
	// A scan follows a change, with a pause a few times as long as the scan took.
	scanRest = 5
)

// gitSide is the scanned state of a repository's files, guarded by Store.mu.
type gitSide struct {
	found  scan
	dirty  bool      // something changed since found
	signed uint64    // signature of HEADs, indexes and reflogs
	next   time.Time // when it may be scanned again
	shown  map[string]bool
	turn   int // position of the sweep
}

// Run notices commits of other processes and changes in worktrees until ctx ends; it is called once per process. It checks nothing
// while no caller is watching.
func (s *Store) Run(ctx context.Context) error {
	s.mu.Lock()
	s.watching = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.watching = false
		s.mu.Unlock()
	}()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.DB.Watch(ctx, func() { s.heard(nil) }, s.heard) })
	g.Go(func() error { s.keepUp(ctx); return nil })
	g.Go(func() error { s.watchGit(ctx); return nil })
	g.Go(func() error { s.sweep(ctx); return nil })
	err := g.Wait()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// heard marks the views that commits affect. An empty list means that everything may have changed, because another file is at the
// registry's path.
func (s *Store) heard(changes []registry.Change) {
	s.mu.Lock()
	for _, v := range s.views {
		v.stale = true
		if len(changes) == 0 {
			s.moved(v, PartHeader) // the page's other views may have changed too
		}
		for _, c := range changes {
			if page := Part(c.Topic); c.Topic != registry.TopicPush && !firstScreen[c.Topic] {
				s.moved(v, page)
			}
		}
	}
	s.mu.Unlock()
	s.poke()
}

// firstScreen are the topics that affect a State's own parts.
var firstScreen = map[string]bool{registry.TopicRepos: true, registry.TopicWorktrees: true, registry.TopicAgents: true,
	registry.TopicTasks: true, registry.TopicConflicts: true}

// keepUp reads the rows of stale views and scans changed repositories.
func (s *Store) keepUp(ctx context.Context) {
	aging := time.NewTicker(agingOut)
	defer aging.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-aging.C:
			s.age()
		case <-s.wake:
		}
		if !pause(ctx, collect) {
			return
		}
		for _, v := range s.looked() {
			s.mu.Lock()
			stale := v.stale || !v.read
			s.mu.Unlock()
			if stale {
				_ = s.refresh(ctx, v) // a view that was never readable is read by its caller
			}
		}
		for _, r := range s.dirty() {
			s.scan(ctx, r)
		}
		if !pause(ctx, apart-collect) {
			return
		}
	}
}

// age marks every view as stale, because an agent's silence causes no event.
func (s *Store) age() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.views {
		v.stale = true
	}
}

// looked returns the views that callers are watching; others are dropped.
func (s *Store) looked() (all []*view) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for project, v := range s.views {
		if time.Since(v.asked) < interest {
			all = append(all, v)
		} else {
			delete(s.views, project)
		}
	}
	return all
}

// dirty returns the changed repositories of watched views that may be scanned now. A repository in its pause is scanned later.
func (s *Store) dirty() (all []repo.Repo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.views {
		for _, r := range v.input.repos {
			g := s.git[r.ID]
			if g == nil || !g.dirty {
				continue
			}
			if rest := time.Until(g.next); rest > 0 {
				time.AfterFunc(rest, s.poke)
				continue
			}
			g.dirty = false
			all = append(all, r)
		}
	}
	return all
}

// scan runs git on a repository and shows the result.
func (s *Store) scan(ctx context.Context, r repo.Repo) {
	began := time.Now()
	found := s.ask(ctx, r)
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.git[r.ID]
	if g == nil {
		g = &gitSide{}
		s.git[r.ID] = g
	}
	g.next = time.Now().Add(max(apart, scanRest*time.Since(began)))
	found.since = g.found.since
	found.remember(r, began)
	g.found = found
	for _, v := range s.views {
		if v.read && v.state.Problem == "" {
			s.derive(v)
		}
	}
}

func (s *Store) ask(ctx context.Context, r repo.Repo) (found scan) {
	g, err := r.Open()
	if err == nil {
		branch, remote := s.Conflicts.HomeOf(r)
		_, found.tip, err = checkout.DefaultBranch(ctx, g, branch, remote)
	}
	if err == nil {
		found.report, err = s.Conflicts.Scan(ctx, r.ID, conflict.Options{})
	}
	if err != nil {
		found.report, found.problem = nil, fault.From(err).Message
		return found
	}
	heads := make([]string, len(found.report.Touched))
	for i, t := range found.report.Touched {
		heads[i] = t.Head
	}
	found.distances, _ = s.Meter.Measure(ctx, g, r.UID, found.tip, heads) // missing values are unknown
	return found
}

// remember records when each conflict was first seen. For conflicts of the first scan the time is unknown.
func (found *scan) remember(r repo.Repo, now time.Time) {
	if found.report == nil {
		return
	}
	old := found.since
	found.since = map[string]time.Time{}
	before := *found
	before.since = nil
	for _, c := range conflicts(r, before, nil) {
		at, ok := old[c.Key()]
		if !ok && old != nil {
			at = now
		}
		found.since[c.Key()] = at
	}
}

// watchGit checks the files that git changes with every commit, checkout and add.
func (s *Store) watchGit(ctx context.Context) {
	for pause(ctx, statRest) {
		woken := false
		for _, v := range s.looked() {
			s.mu.Lock()
			in := v.input.rows
			s.mu.Unlock()
			for _, r := range in.repos {
				_, remote := s.Conflicts.HomeOf(r)
				now := sign(r, remote, in.worktrees)
				s.mu.Lock()
				if g := s.git[r.ID]; g != nil && g.signed != now {
					woken = woken || g.signed != 0
					g.dirty = g.dirty || g.signed != 0
					g.signed = now
				}
				s.mu.Unlock()
			}
		}
		if woken {
			s.age() // a folder may have been removed or restored
			s.poke()
		}
	}
}

// sign returns a number that changes when git changes something.
func sign(r repo.Repo, remote string, worktrees []worktree.Worktree) uint64 {
	sum := fnv.New64a()
	look := func(parts ...string) {
		if info, err := os.Stat(filepath.Join(parts...)); err == nil {
			fmt.Fprintf(sum, "%d %d ", info.ModTime().UnixNano(), info.Size())
		} else {
			fmt.Fprint(sum, "- ")
		}
	}
	look(r.CommonDir, "packed-refs")
	look(r.CommonDir, "worktrees") // git's list of added worktrees
	look(r.CommonDir, "refs", "heads", filepath.FromSlash(r.DefaultBranch))
	if remote != "" {
		look(r.CommonDir, "refs", "remotes", remote, filepath.FromSlash(r.DefaultBranch))
	}
	for _, w := range worktrees {
		if w.RepoID != r.ID {
			continue
		}
		dir, err := r.CommonDir, error(nil)
		if !w.Marks.Main {
			dir, err = git.ReadGitFile(filepath.Join(w.Path, ".git"))
		}
		fmt.Fprintf(sum, "%s %t ", w.Ref, err == nil)
		if err == nil {
			look(dir, "HEAD")
			look(dir, "index")
			look(dir, "logs", "HEAD")
		}
	}
	return max(1, sum.Sum64())
}

// sweep compares the files of one worktree after another with their last known state, to find edits without a commit.
func (s *Store) sweep(ctx context.Context) {
	rest := leastSweep
	for pause(ctx, rest) {
		began := time.Now()
		for _, v := range s.looked() {
			s.mu.Lock()
			in := v.input.rows
			s.mu.Unlock()
			for _, r := range in.repos {
				next, ok := s.sweepNext(r, in.worktrees)
				if !ok {
					continue
				}
				changed, err := s.Conflicts.Changed(ctx, r.ID, cmp.Or(next.Listed, next.Ref))
				if err == nil && changed {
					s.mu.Lock()
					s.git[r.ID].dirty = true
					s.mu.Unlock()
					s.poke()
				}
			}
		}
		rest = max(leastSweep, sweepRest*time.Since(began))
	}
}

// sweepNext returns the worktree to check now: every other time a shown one.
func (s *Store) sweepNext(r repo.Repo, worktrees []worktree.Worktree) (next worktree.Worktree, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.git[r.ID]
	if g == nil || g.dirty || g.found.report == nil {
		return next, false // it will be scanned soon
	}
	var here, shown []worktree.Worktree
	for _, w := range worktrees {
		if w.RepoID == r.ID && !w.Marks.Prunable {
			if here = append(here, w); g.shown[w.Ref] {
				shown = append(shown, w)
			}
		}
	}
	g.turn++
	switch {
	case len(here) == 0:
		return next, false
	case len(shown) > 0 && g.turn%2 == 0:
		return shown[g.turn/2%len(shown)], true
	}
	return here[g.turn%len(here)], true
}

// pause waits, and reports whether to continue.
func pause(ctx context.Context, d time.Duration) bool {
	wait := time.NewTimer(d)
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-wait.C:
		return true
	}
}
