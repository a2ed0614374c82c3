package worktree

import (
	"context"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Merge is a worktree to be merged into the default branch.
type Merge struct {
	Repo     string // name or id; may be empty
	Worktree string // whatever names it, see Find
	By       string // the agent that asks; may be empty
	Message  string // of the merge commit; made when empty
	KeepTask bool   // leave the worktree's task as it is
}

// Merged is what a merge did.
type Merged struct {
	Worktree     Worktree   `json:"worktree"`
	Into         string     `json:"into"`             // the default branch
	Commit       string     `json:"commit,omitempty"` // the merge commit; "" when all was there already
	FilesChanged int        `json:"files_changed"`
	Removed      bool       `json:"removed"`
	RestoreUntil *time.Time `json:"restore_until,omitempty"`
	// TaskOpen says why the worktree's task was not completed with it: a bug or a
	// person blocks it.
	TaskOpen string `json:"task_open,omitempty"`
	// Kept says why the worktree was not removed after its merge: somebody
	// went on working in it meanwhile.
	Kept []Obstacle `json:"kept,omitempty"`
}

// Merge merges a worktree's branch into the default branch with a merge commit,
// then moves the worktree to the trash and completes its task. Everything is
// checked first; on a conflict nothing is changed but the worktree's status,
// and the error is a *MergeConflict.
func (s *Store) Merge(ctx context.Context, o Merge) (out Merged, err error) {
	if o.Message, err = text.Body("message", o.Message); err != nil {
		return out, err
	}
	r, w, g, err := s.open(ctx, o.Repo, o.Worktree)
	if err != nil {
		return out, err
	}
	set := s.settings(r)
	p, err := s.mergeable(ctx, g, r, w)
	if err != nil {
		return out, err
	}
	end, err := begin(w)
	if err != nil {
		return out, err
	}
	defer end()
	j := journal{Before: w.Status, Keep: o.KeepTask}
	err = s.db.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		if o.By != "" {
			if _, err := agent.Caller(tx, o.By); err != nil {
				return err
			}
		}
		return setIntent(tx, w, intentMerge, w.Status, j)
	})
	if err != nil {
		return out, err
	}
	m := &merging{Store: s, g: g, r: r, w: w, set: set, o: o, tip: p.head.OID, j: j}
	if err := m.run(ctx); err != nil {
		return out, m.giveUp(ctx, err)
	}
	out = Merged{Worktree: w, Into: set.DefaultBranch, Commit: m.j.New, FilesChanged: m.files}
	return m.conclude(context.WithoutCancel(ctx), out)
}

// mergeable proves that the worktree is what it seems and holds nothing that a
// merge would leave behind.
func (s *Store) mergeable(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) (*proof, error) {
	p, err := s.identify(ctx, g, r, w)
	if err != nil {
		return nil, err
	}
	if p.tree != nil {
		if err := s.checkContent(ctx, g, p); err != nil {
			return nil, err
		}
		if p.head.Ref != "refs/heads/"+w.Branch {
			p.add(Disagreement, nil, "it has %s checked out, not its branch %s", describeHead(p.head), w.Branch)
		}
		if err := p.idle(ctx); err != nil {
			return nil, err
		}
	}
	if err := refusal(w, "merged", p.obstacles); err != nil {
		return nil, err
	}
	if p.head.OID == w.Base {
		return nil, conflict(w, "worktree %q has no commits, so there is nothing to merge", w.Ref).
			WithHint("commit its work on %q first", w.Branch)
	}
	return p, nil
}

// idle looks for a git command that is at work in the worktree.
func (p *proof) idle(ctx context.Context) error {
	lock, err := busyIndex(ctx, p.tree)
	if err == nil && lock != "" {
		p.add(AtWork, nil, "a git command is at work in it (%s exists)", lock)
	}
	return err
}

func describeHead(h git.Head) string {
	if h.Ref == "" {
		return "commit " + h.OID
	}
	return "branch " + h.Branch()
}

// merging is one merge on its way.
type merging struct {
	*Store
	g     *git.Repo
	r     repo.Repo
	w     Worktree
	set   Settings
	o     Merge
	tip   string
	j     journal
	files int
	moved bool // the default branch has the merge
}

// run makes the merge commit and moves the default branch to it, starting over
// when somebody else moves that first.
func (m *merging) run(ctx context.Context) error {
	const tries = 10 // each lost race means that another merge or commit got through
	for range tries {
		if done, err := m.attempt(ctx); err != nil || done {
			return err
		}
	}
	return conflict(m.w, "branch %q kept moving while worktree %q was being merged", m.set.DefaultBranch, m.w.Ref).WithHint("try again").Retry()
}

// attempt is one try, true when the merge is done. Merges of one repository take
// turns; only hooks, which may take minutes, run while others merge.
func (m *merging) attempt(ctx context.Context) (done bool, err error) {
	if len(m.set.PreMerge) > 0 {
		if done, err := m.compose(ctx); err != nil || done {
			return done, err
		}
		end, err := m.turn(ctx)
		if err != nil {
			return false, err
		}
		defer end()
		return m.advance(ctx)
	}
	end, err := m.turn(ctx)
	if err != nil {
		return false, err
	}
	defer end()
	if done, err := m.compose(ctx); err != nil || done {
		return done, err
	}
	return m.advance(ctx)
}

// compose makes the merge commit on the default branch as it is now; true when
// that has all of the worktree's commits already.
func (m *merging) compose(ctx context.Context) (there bool, err error) {
	ref, old, err := targetOf(ctx, m.g, m.set.DefaultBranch)
	if err != nil {
		return false, err
	}
	if old == "" {
		return false, fault.Validation("default_branch", "repository %q has no branch %q, its default branch", m.r.Name, m.set.DefaultBranch).
			WithHint("`agit add %s` looks for it again; default_branch in the configuration names another", m.r.Path).About("repo", m.r.Name)
	}
	m.j.Target, m.j.Old, m.j.New = ref, old, ""
	if there, err := isAncestor(ctx, m.g, m.tip, old); err != nil || there {
		return there, err
	}
	if _, err := checkedOut(ctx, m.g, m.w, ref); err != nil {
		return false, err // said before a hook has run for minutes
	}
	return false, m.prepare(ctx)
}

// prepare makes the merge commit, which nothing refers to yet, and lets the
// pre_merge hooks judge it.
func (m *merging) prepare(ctx context.Context) error {
	tree, err := m.mergeTrees(ctx)
	if err != nil {
		return err
	}
	if m.j.New, err = m.commit(ctx, tree); err != nil {
		return err
	}
	changes, err := diffTree(ctx, m.g, m.j.Old, m.j.New)
	if err != nil {
		return err
	}
	m.files = len(changes)
	if len(m.set.PreMerge) == 0 {
		return nil
	}
	return m.inScratch(ctx, m.j.New, func(dir string, _ *git.Repo) error {
		if err := m.include(ctx, m.g, dir, folderOf(m.r, m.set)); err != nil {
			return err
		}
		hooked := m.w
		return m.runHooks(ctx, "pre_merge", m.set.PreMerge, m.set.HookTimeout, dir, hooked)
	})
}
