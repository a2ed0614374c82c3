package conflict

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/timestamp"
)

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

	settingsFiles []string // read in this run, or when the cache was made
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
	missing := r.homeless(ctx)
	key := r.key(states, skipped)
	reused := 0
	for _, s := range states {
		if s.reused {
			reused++
		}
	}
	if reused == len(states) && r.last.Report != nil && r.last.Key == key {
		again := *r.last.Report
		again.ScannedAt, again.ReusedWorktrees, again.NoDefaultBranch = timestamp.Of(r.start), reused, missing
		return &again, nil
	}
	c := newComparison(r, states)
	defer c.store.close()
	report, err := c.report(ctx)
	if err != nil {
		return nil, err
	}
	report.Skipped, report.ReusedWorktrees, report.NoDefaultBranch = append(skipped, c.skipped...), reused, missing
	r.remember(c, report, key)
	return report, nil
}

// remember makes the next run's cache from what this one used.
func (r *run) remember(c *comparison, report *Report, key [sha256.Size]byte) {
	next := newCache()
	next.SettingsFiles = r.last.SettingsFiles
	if r.settings != nil {
		next.SettingsFiles = r.settings.Files
	}
	for _, s := range c.states {
		next.Worktrees[s.worktree.Ref] = &s.rememberedState
	}
	next.Attributes = c.attributes
	if c.attributes.Commit == "" {
		next.Attributes = r.last.Attributes
	}
	next.Merges, next.Hunks, next.Uses = c.usedMerges, c.usedHunks, c.usedUses
	if r.options.Depth != DepthMerge || r.options.Worktree != "" { // the next whole scan needs the rest again
		next.Merges, next.Hunks, next.Uses = maps.Clone(r.last.Merges), maps.Clone(r.last.Hunks), maps.Clone(r.last.Uses)
		maps.Copy(next.Merges, c.usedMerges)
		maps.Copy(next.Hunks, c.usedHunks)
		maps.Copy(next.Uses, c.usedUses)
	}
	next.Key, next.Report = key, report
	r.next = next
}

// states reads the state of every worktree.
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
	store := &lazyObjects{run: r}
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
		if git.IsMissing(failed[i]) {
			return nil, nil, failed[i] // no worktree could be read
		}
		if failed[i] != nil {
			skipped = append(skipped, skip(worktrees[i], failed[i]))
			continue
		}
		states = append(states, s)
	}
	return states, skipped, nil
}

// skip returns a worktree that is left out because of err, with the cause.
func skip(w Worktree, err error) Skipped {
	f := *fault.From(err)
	f.Hint = ""
	return Skipped{ID: w.Ref, Reason: f.Error()}
}

func (r *run) state(ctx context.Context, w Worktree, store *lazyObjects) (*state, error) {
	if w.Commit != "" {
		return r.committedState(w), nil
	}
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
	snap, err := tree.Scan(ctx, last, func() (string, error) { return store.objects(ctx) })
	if err != nil {
		return nil, err
	}
	if known != nil && snap == last && known.Target == r.target {
		s.rememberedState, s.reused = *known, true
	} else {
		s.Snap, s.Target = snap, r.target
	}
	return s, nil
}

// committedState returns the state of a party that is only a commit.
func (r *run) committedState(w Worktree) *state {
	s := &state{worktree: w, repo: r.common}
	if known := r.last.Worktrees[w.Ref]; known != nil && known.Target == r.target && len(known.Snap.Commits) == 1 && known.Snap.Commits[0] == w.Commit {
		s.rememberedState, s.reused = *known, true
		return s
	}
	s.Snap = &scan.Snapshot{Commits: []string{w.Commit}}
	s.Snap.Digest, s.Snap.Settled = sha256.Sum256([]byte(w.Commit)), true
	s.Target = r.target
	return s
}

func (r *run) loadSettings(ctx context.Context) (*scan.Settings, error) {
	r.settingsOnce.Do(func() { r.settings, r.settingsErr = scan.LoadSettings(ctx, r.common) })
	return r.settings, r.settingsErr
}

// each calls fn for 0 … n-1 from as many goroutines as there are processors, but at most eight. The work is mostly file lookups in the
// kernel, which more goroutines do not speed up, and each goroutine holds an index in memory.
func (r *run) each(ctx context.Context, n int, fn func(context.Context, int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(2, min(runtime.GOMAXPROCS(0), 8)))
	for i := range n {
		g.Go(func() error { return fn(ctx, i) })
	}
	return g.Wait()
}

// defaultTip returns the commit of the default branch, or of the remote's copy of it when there is no local branch.
func (r *run) defaultTip(ctx context.Context) (string, error) {
	if r.repo.DefaultBranch == "" {
		return "", nil
	}
	_, oid, err := checkout.DefaultBranch(ctx, r.common, r.repo.DefaultBranch, r.repo.Remote)
	return oid, err
}

// homeless returns why nothing is compared with the default branch: it was renamed or deleted. It returns "" for one without a commit yet.
func (r *run) homeless(ctx context.Context) string {
	if r.target != "" || r.repo.DefaultBranch == "" {
		return ""
	}
	if lost, err := checkout.Lost(ctx, r.common, r.repo.DefaultBranch); err != nil || !lost {
		return ""
	}
	return worktree.NoDefaultBranch(repo.Repo{Name: r.repo.Name, Path: r.common.MainFolder()}, r.repo.DefaultBranch).Error()
}

// key names everything a report depends on.
func (r *run) key(states []*state, skipped []Skipped) (key [sha256.Size]byte) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q %q %q\n", r.repo.Name, r.repo.DefaultBranch, r.repo.Remote, r.target, r.options.Depth, r.options.Worktree)
	for _, s := range states {
		fmt.Fprintf(sum, "%+v %x\n", s.worktree, s.Snap.Digest)
	}
	for _, s := range skipped {
		fmt.Fprintf(sum, "%q\n", s)
	}
	sum.Sum(key[:0])
	return key
}

// openTree opens a work tree, if it is one of this repository.
func (r *run) openTree(w Worktree) (*scan.Tree, error) {
	common := cmp.Or(w.Clone, r.common.CommonDir)
	repo, err := r.openRepo(w.Path, common)
	if err != nil {
		return nil, err
	}
	files := append(slices.Clip(r.settingsFiles), worktreeConfig(repo))
	if w.Clone != "" {
		files = append(files, filepath.Join(w.Clone, "config"), filepath.Join(w.Clone, "info", "attributes"))
	}
	load := func(ctx context.Context) (*scan.Settings, error) {
		s, err := r.loadSettings(ctx)
		if err == nil && (s.PerWorktree || w.Clone != "") {
			s, err = scan.LoadSettings(ctx, repo)
		}
		return s, err
	}
	return &scan.Tree{Repo: repo, Seed: scan.Seed(files), Load: load}, nil
}

// worktreeConfig is the path of a worktree's own settings file, if it has one.
func worktreeConfig(repo *git.Repo) string { return filepath.Join(repo.GitDir, "config.worktree") }

// openRepo finds the repository of a work tree. The ordinary case, a folder whose
// .git file leads to this repository, is read here in two steps: fifty of them
// are opened for every check of a file.
func (r *run) openRepo(path, commonDir string) (*git.Repo, error) {
	if text, err := os.ReadFile(filepath.Join(path, ".git")); err == nil {
		dir, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
		if ok && filepath.Dir(dir) == filepath.Join(commonDir, "worktrees") {
			if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
				return &git.Repo{GitDir: dir, CommonDir: commonDir, WorkTree: path}, nil
			}
		}
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil, fault.NotFound("folder", path)
	}
	repo, err := git.Find(path)
	if err != nil {
		return nil, err
	}
	if repo.Bare || !checkout.SameFolder(repo.WorkTree, path) || !checkout.SameFolder(repo.CommonDir, commonDir) {
		return nil, fault.Operation(nil, "%q is not a worktree of this repository any more", path)
	}
	return repo, nil
}

// withClones returns a repository whose git also reads the objects of the clones that worktrees belong to.
func withClones(common *git.Repo, list []Worktree) *git.Repo {
	reads := *common
	for _, w := range list {
		if objects := filepath.Join(w.Clone, "objects"); w.Clone != "" && !slices.Contains(reads.Alternates, objects) {
			reads.Alternates = append(reads.Alternates, objects)
		}
	}
	return &reads
}

func commonRepo(dir string) (*git.Repo, error) {
	repo, err := git.Find(dir)
	if err != nil && !fault.Is(err, fault.KindNotFound) {
		return nil, err
	}
	if err != nil || !checkout.SameFolder(repo.CommonDir, dir) {
		return nil, fault.Operation(nil, "the repository is no longer at %q", dir).WithHint("if it was moved, `agit add NEWPATH` links it again")
	}
	return repo, nil
}
