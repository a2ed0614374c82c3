package conflict

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Store is the engine with the registry: it loads the active worktrees and saves the results. Only Store writes `worktree_scans`,
// `file_touches`, `conflict_pairs` and `file_claims`. It is safe for concurrent use by any number of processes.
type Store struct {
	DB *registry.DB
	// CacheDir is the folder that remembers scans between runs. It is agit's own and made when needed; its content can be deleted at any
	// time. When it is empty, only this process remembers scans.
	CacheDir string
	// Parties are patterns of remote-tracking branches that take part in addition to those of agents in the cloud (seen.Branches). Clones
	// lets other registered clones of the project on this machine take part.
	Parties []string
	Clones  bool
	// Home returns the branch that a repository's work lands on, and git's name of the remote whose branch it is, "" for the local one. A
	// nil Home means the local branch that is registered as the default one, for all.
	Home func(repo.Repo) (branch, remote string)
	// Share shares branches with other machines, if the repository is configured for that (worktree.Store.Share); may be nil.
	Share func(context.Context, repo.Repo) error

	once   sync.Once
	made   *Engine
	pushed sync.Map // time of a commit, by its name
}

// engine returns this store's engine, which remembers scans.
func (s *Store) engine() *Engine {
	s.once.Do(func() { s.made = New(s.CacheDir) })
	return s.made
}

// Scan compares the active worktrees of the repository with row id repoID, saves the result, and notifies the topic "conflicts" when it
// differs from the stored one. It returns NotFound when the repository is not registered, or when the requested worktree is not one that
// someone may be working in.
func (s *Store) Scan(ctx context.Context, repoID int64, o Options) (*Report, error) {
	if o.Share && s.Share != nil {
		if err := s.share(ctx, repoID); err != nil {
			return nil, err
		}
	}
	r, list, err := s.load(ctx, repoID)
	if err != nil {
		return nil, err
	}
	if o.With != "" {
		if list, o.Worktree, err = withBranch(ctx, r, list, o.With); err != nil {
			return nil, err
		}
	}
	if o.Worktree != "" && !slices.ContainsFunc(list, func(w Worktree) bool { return w.Ref == o.Worktree }) {
		return nil, fault.NotFound("worktree", o.Worktree).WithHint("`agit status` lists those that are in use")
	}
	report, err := s.engine().Scan(ctx, r, list, o)
	if err != nil {
		return nil, err
	}
	for _, skipped := range report.Skipped {
		if skipped.ID == o.Worktree {
			return nil, fault.Operation(nil, "worktree %q could not be scanned: %s", skipped.ID, skipped.Reason)
		}
	}
	return report, s.publish(ctx, r, list, report, o)
}

func (s *Store) share(ctx context.Context, repoID int64) error {
	r, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) (repo.Repo, error) { return repo.ByID(tx, repoID) })
	if registry.NoRows(err) {
		return nil // which is refused below
	}
	if err != nil {
		return err
	}
	return s.Share(ctx, r)
}

// withBranch adds a branch to the parties, unless a worktree has it checked out or it takes part already. It returns the ref of the
// branch's party.
func withBranch(ctx context.Context, r Repo, list []Worktree, name string) ([]Worktree, string, error) {
	common, err := commonRepo(r.CommonDir)
	if err != nil {
		return nil, "", err
	}
	short, oid, err := checkout.FindBranch(ctx, common, name)
	if err != nil {
		return nil, "", err
	}
	if oid == "" {
		return nil, "", fault.NotFound("branch", name).WithHint("`git branch --all` lists them; `git fetch` fetches new ones")
	}
	if i := slices.IndexFunc(list, func(w Worktree) bool { return w.Branch == short && w.Unread == "" }); i >= 0 {
		return list, list[i].Ref, nil
	}
	_, inRemote, _ := strings.Cut(short, "/")
	dates, err := seen.Pushed(ctx, common, []string{oid})
	return append(list, Worktree{Ref: short, Branch: short, Maker: cmp.Or(byOf(short), byOf(inRemote)), Commit: oid, Pushed: timestamp.Of(dates[oid])}), short, err
}

// byOf returns the program that pushes branches with such a name, "" for people.
func byOf(branch string) string {
	if by := seen.OfBranch(branch); by != seen.Git {
		return string(by)
	}
	return ""
}

// Changed reports whether a scan would look at any worktree again, or at any of those with the given refs. It is the stat sweep alone,
// without git, and meant for watchers.
func (s *Store) Changed(ctx context.Context, repoID int64, only ...string) (bool, error) {
	r, list, err := s.load(ctx, repoID)
	if err != nil {
		return false, err
	}
	return s.engine().Changed(ctx, r, list, only...)
}

// HomeOf returns the branch that a repository's work lands on, and git's name of the remote whose branch it is, "" for the local one.
func (s *Store) HomeOf(r repo.Repo) (branch, remote string) {
	if s.Home == nil || r.Host != registry.Host() {
		return r.DefaultBranch, ""
	}
	return s.Home(r)
}

// BranchOf returns the branch that a repository's work lands on.
func (s *Store) BranchOf(r repo.Repo) string {
	branch, _ := s.HomeOf(r)
	return branch
}

// load reads a repository and the worktrees that someone may be working in, whoever made them.
func (s *Store) load(ctx context.Context, repoID int64) (r Repo, list []Worktree, err error) {
	a, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) (Around, error) { return s.Around(tx, repoID) })
	if err != nil {
		return a.in.repo, nil, err
	}
	list, err = s.trees(ctx, a)
	return a.in.repo, list, err
}

// Around is what the registry holds of a repository and of the other clones of its project on this machine.
type Around struct {
	in     clone
	others []clone
}

// clone is a repository with its worktrees in the registry, and the folders of these.
type clone struct {
	repo  Repo
	list  []Worktree
	known []string
}

// Around reads what NearOthers needs of the registry.
func (s *Store) Around(tx *registry.Tx, repoID int64) (a Around, err error) {
	var all []repo.Repo
	err = tx.Together(
		func() (err error) { a.in, err = s.registered(tx, repoID); return err },
		func() (err error) {
			if s.Clones {
				all, err = repo.All(tx)
			}
			return err
		},
	)
	for _, other := range all {
		if err != nil {
			break
		}
		if other.ProjectID == a.in.repo.ProjectID && other.ID != repoID && other.Machine == "" {
			var one clone
			one, err = s.registered(tx, other.ID)
			a.others = append(a.others, one)
		}
	}
	return a, err
}

// trees returns the worktrees of a repository and of the other clones of its project, including those that git lists and the registry
// lacks.
func (s *Store) trees(ctx context.Context, of Around) ([]Worktree, error) {
	list, err := s.withSeen(ctx, of.in.repo, of.in.list, of.in.known)
	if err == nil {
		list, err = withClonesOf(ctx, of.others, list)
	}
	return list, err
}

// withClonesOf adds the worktrees of the other clones of the project. Of a clone that cannot be read they are the main checkout and those of
// the registry, each with the reason.
func withClonesOf(ctx context.Context, clones []clone, list []Worktree) ([]Worktree, error) {
	for _, c := range clones {
		var trees []Worktree
		var clone, unread string
		common, err := commonRepo(c.repo.CommonDir)
		if err == nil {
			clone = common.CommonDir
			trees, err = seenIn(ctx, common, c.known)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			main := strings.TrimSuffix(c.repo.CommonDir, string(filepath.Separator)+".git")
			trees, clone, unread = []Worktree{{Ref: filepath.Base(main), Path: main, Main: true}}, "", fault.From(err).Message
		}
		for _, w := range append(c.list, trees...) {
			w.ID, w.Ref, w.Clone, w.CloneName, w.Unread = 0, c.repo.Name+"/"+w.Ref, clone, c.repo.Name, unread
			list = append(list, w)
		}
	}
	return list, nil
}

// seenIn returns the main checkout of a repository, and the worktrees that git lists outside the known folders.
func seenIn(ctx context.Context, common *git.Repo, known []string) (list []Worktree, err error) {
	trees, err := seen.Others(ctx, common, known)
	for _, t := range trees {
		if !t.Prunable { // the folder of a prunable one is gone
			list = append(list, Worktree{Ref: t.Name, Branch: t.Branch, Path: t.Path, Maker: string(t.Maker), Main: t.Main})
		}
	}
	return list, err
}

// withSeen adds the worktrees that git lists and agit did not make, the main checkout, and branches of remotes that are in flight.
func (s *Store) withSeen(ctx context.Context, r Repo, list []Worktree, known []string) ([]Worktree, error) {
	common, err := commonRepo(r.CommonDir)
	if err != nil {
		return nil, err
	}
	trees, err := seenIn(ctx, common, known)
	if err != nil {
		return nil, err
	}
	list, trees = moved(common, list, trees)
	branches, err := s.inFlight(ctx, common)
	return slices.Concat(list, trees, branches), err
}

// moved puts the worktrees of the registry whose folder is gone at the place of the seen tree on their branch, as after `git worktree move`.
// A tree whose entry git did not make for them was made since.
func moved(g *git.Repo, list, trees []Worktree) (rows, others []Worktree) {
	rows = slices.Clone(list)
	others = slices.DeleteFunc(trees, func(t Worktree) bool {
		i := slices.IndexFunc(rows, func(w Worktree) bool {
			return !t.Main && t.Branch != "" && w.Branch == t.Branch && checkout.MadeFor(g, t.Ref, w.Path, w.Ref) && checkout.Gone(w.Path)
		})
		if i >= 0 {
			rows[i].Path = t.Path
		}
		return i >= 0
	})
	return rows, others
}

// inFlight returns the remote branches that no worktree has and whose last commit is not old. Commit times are kept, since they never
// change.
func (s *Store) inFlight(ctx context.Context, common *git.Repo) ([]Worktree, error) {
	branches, err := seen.Branches(ctx, common, s.Parties)
	if err != nil || len(branches) == 0 {
		return nil, err
	}
	var unknown []string
	for _, b := range branches {
		if _, known := s.pushed.Load(b.Commit); !known {
			unknown = append(unknown, b.Commit)
		}
	}
	dates, err := seen.Pushed(ctx, common, unknown)
	if err != nil {
		return nil, err
	}
	for commit, at := range dates {
		s.pushed.Store(commit, at)
	}
	var list []Worktree
	for _, b := range branches {
		_, local, _ := strings.Cut(b.Name, "/")
		at, known := s.pushed.Load(b.Commit)
		if when, _ := at.(time.Time); known && time.Since(when) < seen.InFlight {
			list = append(list, Worktree{Ref: b.Name, Branch: b.Name, Maker: byOf(local), Commit: b.Commit, Pushed: timestamp.Of(when)})
		}
	}
	return list, nil
}

// registered reads the repository, its registered worktrees in which someone may be working, and the folders of all its registered
// worktrees.
func (s *Store) registered(tx *registry.Tx, repoID int64) (c clone, err error) {
	var row repo.Repo
	var rows []worktree.Worktree
	err = tx.Together(
		func() (err error) { row, err = repo.ByID(tx, repoID); return err },
		func() (err error) { rows, err = worktree.List(tx, worktree.Filter{RepoID: repoID}); return err },
	)
	if registry.NoRows(err) {
		return c, fault.NotFound("repo", "").WithHint("`agit repos` lists the registered ones")
	}
	if err != nil {
		return c, err
	}
	c.repo = Repo{ID: row.ID, ProjectID: row.ProjectID, UID: row.UID, Name: row.Name, CommonDir: row.CommonDir}
	c.repo.DefaultBranch, c.repo.Remote = s.HomeOf(row)
	for _, w := range rows {
		c.known = append(c.known, w.Path) // even while the worktree is being made or removed
		switch w.Status {
		case worktree.Active, worktree.Stale, worktree.Conflict:
			c.list = append(c.list, Worktree{ID: w.ID, Ref: w.Ref, Branch: w.Branch, Path: w.Path, Agent: w.Agent, Maker: string(w.Maker)})
		}
	}
	return c, nil
}
