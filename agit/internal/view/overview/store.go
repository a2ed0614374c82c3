package overview

import (
	"context"
	"crypto/rand"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/view/distance"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/shared/registry"
)

// Version identifies a moment of a Store. A version of another process, of an ended one, and "" are older than every other version.
type Version string

// Change lists what has changed since a version.
type Change struct {
	Version Version `json:"version"`
	All     bool    `json:"all"`             // the version was another process's, or ""
	Parts   []Part  `json:"parts,omitempty"` // in any order; nil when All is set
}

// Options are what a Store reads through.
type Options struct {
	DB           *registry.DB
	Conflicts    *conflict.Store
	Landings     *land.Store // nil shows none
	Meter        distance.Meter
	Sweeper      seen.Sweeper
	StaleAfter   time.Duration // silence after which an agent is gone
	ReleaseAfter time.Duration // silence after which its claims expire; 0 means never
	Costs        *costs.Store  // nil shows none
}

// Store answers for one registry.
type Store struct {
	Options
	repos    *repo.Store
	spending *spending
	run      string // prefix of this process's versions

	mu       sync.Mutex
	seq      int64            // number of the last change
	views    map[string]*view // by project
	git      map[int64]*gitSide
	watching bool          // Run is noticing changes
	wake     chan struct{} // holds one value when Run has work to do
}

// view is a project that a caller is watching.
type view struct {
	project string
	turn    sync.Mutex // held while its rows are read

	// guarded by Store.mu
	state   State
	input   input
	parts   map[Part]int64 // when each changed last
	read    bool           // state has been read
	stale   bool           // rows were committed since it was read
	asked   time.Time
	changed chan struct{} // closed at the next change
}

// New returns a Store. Run makes it notice changes; without Run each call of State reads anew.
func New(o Options) *Store {
	return &Store{
		Options: o, repos: &repo.Store{DB: o.DB, DefaultBranch: o.Conflicts.BranchOf},
		spending: &spending{costs: o.Costs, days: cache[costs.Today]{}, tasks: cache[map[string]costs.Sum]{}},
		run:      rand.Text()[:8], views: map[string]*view{}, git: map[int64]*gitSide{}, wake: make(chan struct{}, 1),
	}
}

// State returns the state of a project by id or name, or of all projects with a repository on this host when project is "". It does not
// wait for git: values that were not scanned yet are unknown. An unknown project is a NotFound fault.
func (s *Store) State(ctx context.Context, project string) (State, error) {
	v := s.view(project)
	s.mu.Lock()
	fresh := v.read && !v.stale && s.watching
	state := v.state
	s.mu.Unlock()
	if fresh {
		return state, nil
	}
	if err := s.refresh(ctx, v); err != nil {
		return State{}, err
	}
	s.poke()
	s.mu.Lock()
	defer s.mu.Unlock()
	return v.state, nil
}

// Looked is State while Run is active, and otherwise Scanned, because git would not be scanned.
func (s *Store) Looked(ctx context.Context, project string) (State, error) {
	s.mu.Lock()
	watching := s.watching
	s.mu.Unlock()
	if watching {
		return s.State(ctx, project)
	}
	return s.Scanned(ctx, project)
}

// Scanned is State after a scan of all its repositories, for callers that look once.
func (s *Store) Scanned(ctx context.Context, project string) (State, error) {
	if _, err := s.State(ctx, project); err != nil {
		return State{}, err
	}
	v := s.view(project)
	s.mu.Lock()
	repos := v.input.repos
	s.mu.Unlock()
	for _, r := range repos {
		s.scan(ctx, r)
	}
	if err := s.refresh(ctx, v); err != nil {
		return State{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return v.state, ctx.Err()
}

// Since waits until a part of a project's state differs from a version, and returns the changed parts. It returns at once for "" and
// for a version of another process, and returns the context's error when that ends.
func (s *Store) Since(ctx context.Context, project string, version Version) (Change, error) {
	if _, err := s.State(ctx, project); err != nil {
		return Change{}, err
	}
	v := s.view(project)
	for {
		s.mu.Lock()
		v.asked = time.Now()
		now, changed := s.version(v), v.changed
		seq, own := s.parse(version)
		if !own {
			s.mu.Unlock()
			return Change{Version: now, All: true}, nil
		}
		var parts []Part
		for part, at := range v.parts {
			if at > seq {
				parts = append(parts, part)
			}
		}
		s.mu.Unlock()
		if len(parts) > 0 {
			slices.Sort(parts)
			return Change{Version: now, Parts: parts}, nil
		}
		keep := time.NewTimer(interest / 2)
		select {
		case <-changed:
		case <-keep.C: // the caller is still watching
		case <-ctx.Done():
		}
		keep.Stop()
		if ctx.Err() != nil {
			return Change{}, ctx.Err()
		}
	}
}

// Show sets the worktrees, by ref, that a screen shows now: they are checked for edits before others.
func (s *Store) Show(refs []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := map[string]bool{}
	for _, ref := range refs {
		shown[ref] = true
	}
	for _, g := range s.git {
		g.shown = shown
	}
}

func (s *Store) view(project string) *view {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.views[project]
	if v == nil {
		v = &view{project: project, parts: map[Part]int64{}, changed: make(chan struct{})}
		s.views[project] = v
	}
	v.asked = time.Now()
	return v
}

// version returns the view's newest version. The caller holds s.mu.
func (s *Store) version(v *view) Version {
	newest := int64(0)
	for _, at := range v.parts {
		newest = max(newest, at)
	}
	return Version(s.run + "." + strconv.FormatInt(newest, 10))
}

func (s *Store) parse(v Version) (seq int64, own bool) {
	run, number, _ := strings.Cut(string(v), ".")
	seq, err := strconv.ParseInt(number, 10, 64)
	return seq, run == s.run && err == nil
}

// refresh reads a view's rows and wakes the callers that wait for changes. When the registry cannot be read, the old state stays, with
// Problem set.
func (s *Store) refresh(ctx context.Context, v *view) error {
	v.turn.Lock()
	defer v.turn.Unlock()
	s.mu.Lock()
	v.stale = false // later commits make it stale again
	s.mu.Unlock()
	found, err := s.read(ctx, v.project)
	var today costs.Today
	var took map[string]costs.Sum
	if err == nil {
		today = s.spending.of(ctx, v.project, found)
		took = s.spending.byTask(ctx, v.project, found)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		v.stale = true
		if !v.read || ctx.Err() != nil {
			return err
		}
		old := v.state
		old.Problem = err.Error()
		s.put(v, old)
		return nil
	}
	v.input = input{rows: found, today: today, took: took, freedAfter: s.ReleaseAfter, sweep: s.sweepsOf(found)}
	s.derive(v)
	return nil
}

// derive makes a view's state from its rows and the available scans. The caller holds s.mu.
func (s *Store) derive(v *view) {
	v.input.scans = map[int64]scan{}
	for _, r := range v.input.repos {
		g := s.git[r.ID]
		if g == nil {
			g = &gitSide{dirty: true}
			s.git[r.ID] = g
		}
		v.input.scans[r.ID] = g.found
	}
	s.put(v, derive(v.input))
}

// put compares a new state with the old one, part by part.
func (s *Store) put(v *view, now State) {
	old := v.state
	var parts []Part
	for _, p := range []struct {
		name     Part
		old, now any
	}{
		{PartHeader, []any{old.Repos, old.Totals, old.Problem}, []any{now.Repos, now.Totals, now.Problem}},
		{PartNeeds, old.Needs, now.Needs}, {PartAgents, old.Agents, now.Agents}, {PartWorktrees, old.Worktrees, now.Worktrees},
		{PartConflicts, old.Conflicts, now.Conflicts}, {PartLandings, old.Landings, now.Landings}, {PartTasks, old.Tasks, now.Tasks},
	} {
		if !v.read || !reflect.DeepEqual(p.old, p.now) {
			parts = append(parts, p.name)
		}
	}
	v.state, v.read = now, true
	s.moved(v, parts...)
	v.state.Version = s.version(v)
}

// moved records that parts changed. The caller holds s.mu.
func (s *Store) moved(v *view, parts ...Part) {
	if len(parts) == 0 {
		return
	}
	s.seq++
	for _, p := range parts {
		v.parts[p] = s.seq
	}
	close(v.changed)
	v.changed = make(chan struct{})
}

// poke makes Run check for work.
func (s *Store) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
