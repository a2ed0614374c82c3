package conflict

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// Engine compares worktrees. It needs git and no registry.
type Engine struct {
	cacheDir string

	mu    sync.Mutex
	repos map[string]*memo // by cache key
}

// memo is what a long-lived process remembers of a repository. Its lock makes
// scans of one repository wait for each other: the second then finds that
// nothing changed.
type memo struct {
	sync.Mutex
	cache *cache
}

// New gives an engine that remembers scans in cacheDir; empty remembers them in
// this process only.
func New(cacheDir string) *Engine { return &Engine{cacheDir: cacheDir, repos: map[string]*memo{}} }

// Scan compares the given worktrees of one repository. A worktree that cannot be
// read is left out and named in the report; Scan fails only when the repository
// itself cannot be used.
func (e *Engine) Scan(ctx context.Context, repo Repo, worktrees []Worktree, o Options) (*Report, error) {
	if o.Depth == "" {
		o.Depth = DepthMerge
	}
	common, err := commonRepo(repo.CommonDir)
	if err != nil {
		return nil, err
	}
	m := e.memo(repo)
	m.Lock()
	defer m.Unlock()
	file := e.cacheFile(repo)
	if m.cache == nil {
		m.cache = loadCache(file)
	}
	r := &run{repo: repo, common: common, options: o, last: m.cache, start: time.Now(), scratch: e.cacheDir}
	if o.NoCache {
		r.last = newCache()
	}
	report, err := r.scan(ctx, worktrees)
	if err != nil {
		return nil, err
	}
	if r.next != nil {
		m.cache = r.next
		r.next.save(file)
	}
	return report, nil
}

// Changed says whether Scan would find any of the worktrees changed since it ran
// last: the stat sweep alone.
func (e *Engine) Changed(ctx context.Context, repo Repo, worktrees []Worktree) (bool, error) {
	common, err := commonRepo(repo.CommonDir)
	if err != nil {
		return false, err
	}
	m := e.memo(repo)
	m.Lock()
	defer m.Unlock()
	if m.cache == nil {
		m.cache = loadCache(e.cacheFile(repo))
	}
	r := &run{repo: repo, common: common, last: m.cache, start: time.Now(), settingsFiles: m.cache.SettingsFiles}
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
	tree, err := r.openTree(w)
	if err != nil {
		return known == nil // Scan left it out as well
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
		m = &memo{}
		e.repos[repo.CommonDir] = m
	}
	return m
}

// run is one scan.
type run struct {
	repo    Repo
	common  *git.Repo
	options Options
	last    *cache
	next    *cache // nil when last still holds
	start   time.Time
	target  string // tip of the default branch, "" when there is none
	scratch string // where throwaway stores are made; "" for the system's place

	settingsFiles []string // those read now, or when the cache was made
	settingsOnce  sync.Once
	settings      *scan.Settings
	settingsErr   error
}

func (r *run) scan(ctx context.Context, worktrees []Worktree) (*Report, error) {
	var err error
	if r.target, err = r.defaultTip(ctx); err != nil {
		return nil, err
	}
	states, skipped, err := r.states(ctx, worktrees)
	if err != nil {
		return nil, err
	}
	key := r.key(states, skipped)
	reused := 0
	for _, s := range states {
		if s.reused {
			reused++
		}
	}
	if reused == len(states) && r.last.Report != nil && r.last.Key == key {
		again := *r.last.Report
		again.ScannedAt, again.ReusedWorktrees = r.start.UTC(), reused
		return &again, nil
	}
	c := &comparison{run: r, states: states, hunks: map[string]hunkSet{}}
	defer c.close()
	report, err := c.report(ctx)
	if err != nil {
		return nil, err
	}
	report.Skipped, report.ReusedWorktrees = append(skipped, c.skipped...), reused
	r.remember(c, report, key)
	return report, nil
}

// remember makes the cache of the next run from what this one used.
func (r *run) remember(c *comparison, report *Report, key [sha256.Size]byte) {
	next := newCache()
	next.SettingsFiles = r.last.SettingsFiles
	if r.settings != nil {
		next.SettingsFiles = r.settings.Files
	}
	for _, s := range c.states {
		next.Worktrees[s.worktree.Ref] = &s.memory
	}
	next.Merges, next.Hunks = c.usedMerges, c.usedHunks
	if r.options.Depth != DepthMerge || r.options.Worktree != "" { // the next whole scan wants the rest again
		next.Merges, next.Hunks = maps.Clone(r.last.Merges), maps.Clone(r.last.Hunks)
		maps.Copy(next.Merges, c.usedMerges)
		maps.Copy(next.Hunks, c.usedHunks)
	}
	next.Key, next.Report = key, report
	r.next = next
}

// states looks at all worktrees.
func (r *run) states(ctx context.Context, worktrees []Worktree) ([]*state, []Skipped, error) {
	if r.settingsFiles = r.last.SettingsFiles; len(r.settingsFiles) == 0 {
		settings, err := r.loadSettings(ctx)
		if err != nil {
			return nil, nil, err
		}
		r.settingsFiles = settings.Files
	}
	found := make([]*state, len(worktrees))
	failed := make([]error, len(worktrees))
	store := &lazyStore{run: r}
	defer store.close()
	err := r.each(ctx, len(worktrees), func(ctx context.Context, i int) error {
		found[i], failed[i] = r.state(ctx, worktrees[i], store)
		return ctx.Err()
	})
	if err != nil {
		return nil, nil, err
	}
	var states []*state
	var skipped []Skipped
	for i, s := range found {
		if failed[i] != nil {
			skipped = append(skipped, Skipped{ID: worktrees[i].Ref, Reason: fault.From(failed[i]).Message})
			continue
		}
		states = append(states, s)
	}
	return states, skipped, nil
}

func (r *run) state(ctx context.Context, w Worktree, store *lazyStore) (*state, error) {
	tree, err := r.openTree(w)
	if err != nil {
		return nil, err
	}
	s := &state{worktree: w, repo: tree.Repo, tree: tree}
	known := r.last.Worktrees[w.Ref]
	var last *scan.Snapshot
	if known != nil {
		last = known.Snap
	}
	snap, err := tree.Scan(ctx, last, store.objects)
	if err != nil {
		return nil, err
	}
	if known != nil && snap == last && known.Target == r.target {
		s.memory, s.reused = *known, true
	} else {
		s.Snap, s.Target = snap, r.target
	}
	return s, nil
}

// openTree finds the work tree's repository and makes sure that it is the one
// that it should be.
func (r *run) openTree(w Worktree) (*scan.Tree, error) {
	info, err := os.Stat(w.Path)
	if err != nil || !info.IsDir() {
		return nil, fault.NotFound("folder", w.Path)
	}
	repo, err := git.Find(w.Path)
	if err != nil {
		return nil, err
	}
	if repo.Bare || !sameFolder(repo.WorkTree, w.Path) || !sameFolder(repo.CommonDir, r.repo.CommonDir) {
		return nil, fault.Operation(nil, "%q is not a worktree of this repository any more", w.Path)
	}
	files := append(slices.Clip(r.settingsFiles), worktreeConfig(repo))
	load := func(ctx context.Context) (*scan.Settings, error) {
		s, err := r.loadSettings(ctx)
		if err == nil && s.PerWorktree {
			s, err = scan.LoadSettings(ctx, repo)
		}
		return s, err
	}
	return &scan.Tree{Repo: repo, Seed: scan.Seed(files), Load: load}, nil
}

// worktreeConfig is where a worktree has settings of its own, if it has any.
func worktreeConfig(repo *git.Repo) string { return filepath.Join(repo.GitDir, "config.worktree") }

func (r *run) loadSettings(ctx context.Context) (*scan.Settings, error) {
	r.settingsOnce.Do(func() { r.settings, r.settingsErr = scan.LoadSettings(ctx, r.common) })
	return r.settings, r.settingsErr
}

// each calls fn for 0 … n-1 from as many goroutines as there are processors, but
// no more than eight: the work is the kernel's looking up of files, which more
// goroutines do not speed up, and each holds an index in memory.
func (r *run) each(ctx context.Context, n int, fn func(context.Context, int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(2, min(runtime.GOMAXPROCS(0), 8)))
	for i := range n {
		g.Go(func() error { return fn(ctx, i) })
	}
	return g.Wait()
}

// defaultTip is the commit the default branch is at; the remote's copy of the
// branch serves where there is no local one.
func (r *run) defaultTip(ctx context.Context) (string, error) {
	if r.repo.DefaultBranch == "" {
		return "", nil
	}
	for _, ref := range []string{"refs/heads/" + r.repo.DefaultBranch, "refs/remotes/origin/" + r.repo.DefaultBranch} {
		oid, err := r.common.Resolve(ctx, ref)
		if err != nil || oid != "" {
			return oid, err
		}
	}
	return "", nil
}

// key names everything a report depends on.
func (r *run) key(states []*state, skipped []Skipped) (key [sha256.Size]byte) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %v %q\n", r.repo.Name, r.target, r.options.Depth, r.options.Default, r.options.Worktree)
	for _, s := range states {
		fmt.Fprintf(sum, "%+v %x\n", s.worktree, s.Snap.Digest)
	}
	for _, s := range skipped {
		fmt.Fprintf(sum, "%q\n", s)
	}
	sum.Sum(key[:0])
	return key
}

func commonRepo(dir string) (*git.Repo, error) {
	repo, err := git.Find(dir)
	if err != nil {
		return nil, err
	}
	if !sameFolder(repo.CommonDir, dir) {
		return nil, fault.NotFound("repository", dir).WithHint("it was moved or deleted; agit doctor says more")
	}
	return repo, nil
}

// sameFolder compares folders by what they are, not by what they are called.
func sameFolder(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two)
}
