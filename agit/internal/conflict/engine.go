package conflict

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/agit/internal/conflict/pack"
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
	e.mu.Lock()
	if m = e.repos[repo.CommonDir]; m == nil {
		m = &memo{turn: make(chan struct{}, 1)}
		m.give()
		e.repos[repo.CommonDir] = m
	}
	e.mu.Unlock()
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

// cache is what is remembered of a repository between scans. Everything in it
// can be worked out again; it is only ever replaced as a whole.
type cache struct {
	Format        int
	SettingsFiles []string
	Worktrees     map[string]*rememberedState // by ref
	Merges        map[string]mergetree.Merge  // by commits and circumstances
	Hunks         map[string]mergetree.Hunks  // by blobs
	Uses          map[string][]foundUse       // by what both sides changed
	Attributes    knownAttributes             // of the default branch
	Key           [sha256.Size]byte           // what Report answers to
	Report        *Report
}

// cacheFormat changes with the types above and with what they mean.
const cacheFormat = 5

func newCache() *cache {
	return &cache{Format: cacheFormat, Worktrees: map[string]*rememberedState{}, Merges: map[string]mergetree.Merge{}, Hunks: map[string]mergetree.Hunks{}, Uses: map[string][]foundUse{}}
}

// cacheFile is the path of the file that remembers a repository's scans; "" when they are not remembered.
func (e *Engine) cacheFile(repo Repo) string {
	if e.cacheDir == "" {
		return ""
	}
	name := repo.UID
	if name == "" {
		name = repo.CommonDir
	}
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(e.cacheDir, hex.EncodeToString(sum[:12])+".scan")
}

// loadCache reads the cache. An unusable cache counts as an empty one.
func loadCache(file string) *cache {
	c := newCache()
	buf, err := os.ReadFile(file)
	if err != nil || pack.Decode(buf, c) != nil || c.Format != cacheFormat {
		return newCache()
	}
	return c
}

// save replaces the file in one step, so that readers and other writers never see half of it. A failure to write only costs time.
func (c *cache) save(file string) {
	if file == "" {
		return
	}
	if os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(file), "scan-*")
	if err != nil {
		return
	}
	_, err = f.Write(pack.Append(nil, c))
	if closeErr := f.Close(); err != nil || closeErr != nil || os.Rename(f.Name(), file) != nil {
		os.Remove(f.Name())
	}
}
