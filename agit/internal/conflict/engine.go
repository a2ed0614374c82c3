package conflict

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Engine compares worktrees. It needs git and no registry.
type Engine struct {
	cacheDir string

	mu    sync.Mutex
	repos map[string]*memo // by common dir
}

// memo is what a long-lived process remembers of a repository. Scans of one
// repository wait for each other: the second then finds that nothing changed.
type memo struct {
	turn  chan struct{} // holds one token; its taker may use the other fields
	cache *cache
}

// take waits for the caller's turn at a repository, and reads what is remembered of it unless this process does. The caller ends its turn by
// give.
func (e *Engine) take(ctx context.Context, repo Repo) (m *memo, known *cache, err error) {
	m = e.memo(repo)
	select {
	case <-m.turn:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	if m.cache != nil {
		return m, m.cache, nil
	}
	return m, loadCache(e.cacheFile(repo)), nil
}

func (m *memo) give() { m.turn <- struct{}{} }

// begin waits for the caller's turn at a repository and returns a run there. The caller ends its turn by give.
func (e *Engine) begin(ctx context.Context, repo Repo, worktrees []Worktree) (r *run, m *memo, err error) {
	common, err := commonRepo(repo.CommonDir)
	if err != nil {
		return nil, nil, err
	}
	m, known, err := e.take(ctx, repo)
	if err != nil {
		return nil, nil, err
	}
	m.cache = known
	return &run{repo: repo, common: withClones(common, worktrees), last: known, start: time.Now(), scratch: e.cacheDir}, m, nil
}

// lastReport returns the report of the last scan, nil when there was none.
func (e *Engine) lastReport(ctx context.Context, repo Repo) (*Report, error) {
	m, known, err := e.take(ctx, repo)
	if err != nil {
		return nil, err
	}
	defer m.give()
	return known.Report, nil
}

// New returns an engine that remembers scans in cacheDir; empty remembers them in
// this process only.
func New(cacheDir string) *Engine { return &Engine{cacheDir: cacheDir, repos: map[string]*memo{}} }

// Scan compares the given worktrees of one repository. A worktree that cannot be
// read is left out and named in the report; Scan fails only when the repository
// itself cannot be used.
func (e *Engine) Scan(ctx context.Context, repo Repo, worktrees []Worktree, o Options) (*Report, error) {
	if o.Depth == "" {
		o.Depth = DepthMerge
	}
	r, m, err := e.begin(ctx, repo, worktrees)
	if err != nil {
		return nil, err
	}
	defer m.give()
	r.options = o
	if o.NoCache {
		r.last = newCache()
	}
	report, err := r.scan(ctx, worktrees)
	if err != nil {
		return nil, err
	}
	if r.next != nil {
		m.cache = r.next
		r.next.save(e.cacheFile(repo))
	}
	return report, nil
}

// Changed reports whether Scan would find any of the worktrees changed since its last run. It only does the stat sweep. With refs it looks
// at the files of those worktrees only.
func (e *Engine) Changed(ctx context.Context, repo Repo, worktrees []Worktree, only ...string) (bool, error) {
	r, m, err := e.begin(ctx, repo, worktrees)
	if err != nil {
		return false, err
	}
	defer m.give()
	r.settingsFiles = r.last.SettingsFiles
	if r.target, err = r.defaultTip(ctx); err != nil {
		return false, err
	}
	if r.last.Report == nil {
		return true, nil
	}
	for ref := range r.last.Worktrees {
		if !slices.ContainsFunc(worktrees, func(w Worktree) bool { return w.Ref == ref }) {
			return true, nil
		}
	}
	if len(only) > 0 {
		worktrees = slices.DeleteFunc(slices.Clone(worktrees), func(w Worktree) bool { return !slices.Contains(only, w.Ref) })
	}
	var changed atomic.Bool
	err = r.each(ctx, len(worktrees), func(ctx context.Context, i int) error {
		if !changed.Load() && !r.unchanged(ctx, worktrees[i]) {
			changed.Store(true)
		}
		return nil
	})
	return changed.Load(), err
}

func (r *run) unchanged(ctx context.Context, w Worktree) bool {
	known := r.last.Worktrees[w.Ref]
	if w.Commit != "" {
		return r.committedState(w).reused
	}
	tree, err := r.openTree(w)
	if err != nil {
		return known == nil // Scan left it out, too
	}
	if known == nil || known.Target != r.target {
		return false
	}
	same, err := tree.Unchanged(ctx, known.Snap)
	return same && err == nil
}

func (e *Engine) memo(repo Repo) *memo {
	e.mu.Lock()
	defer e.mu.Unlock()
	m := e.repos[repo.CommonDir]
	if m == nil {
		m = &memo{turn: make(chan struct{}, 1)}
		m.give()
		e.repos[repo.CommonDir] = m
	}
	return m
}
