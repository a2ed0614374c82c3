// Package land merges worktrees into the default branch: it makes the merge commit on trees, lets the pre_merge hooks judge it
// in a checkout, moves the branch by compare-and-swap with the files of the places where that is checked out, and then has
// remove take the worktree away. It never touches a file with local changes, and it writes no table.
//
// merge.go has Merge and the order of the steps; prepare.go (with mergetree.go and commit.go) makes the commit, and
// mergeconflict.go says who else changed the files in conflict; tempcheckout.go makes a checkout to judge it in; mergelock.go
// lets one process at a time go on; swap.go moves the branch; aftermerge.go ends the merge. Files that follow the branch:
// follow.go brings them along, localchanges.go and diskspace.go refuse before that can fail, resume.go finishes it after a
// kill. sync.go makes it all outlive a power cut, recover.go mends what was cut off. A Store is safe for concurrent use by any
// number of processes.
package land

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/proof"
	"github.com/agit-suite/agit/agit/internal/remove"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Store merges the worktrees of one registry.
type Store struct {
	trees    *worktree.Store
	removals *remove.Store
}

// New returns a Store over the rows of worktrees, and has it mend the merges that are cut off, and the removals
// that follow a merge.
func New(trees *worktree.Store, removals *remove.Store) *Store {
	s := &Store{trees, removals}
	trees.OnInterrupted(worktree.OpMerge, s.mend)
	trees.OnInterrupted(worktree.OpRemove, s.mendRemoval)
	return s
}

// journal is what recovery must know of a merge.
type journal struct {
	Before  worktree.Status `json:"before,omitempty"`  // status to go back to
	Target  string          `json:"target,omitempty"`  // full ref that it moves
	Old     string          `json:"old,omitempty"`     // its commit before
	New     string          `json:"new,omitempty"`     // and after
	Trees   []workingTree   `json:"trees,omitempty"`   // where it is checked out
	Scratch string          `json:"scratch,omitempty"` // temporary worktree
	Keep    bool            `json:"keep,omitempty"`    // leave the task as it is
}

// Request is a worktree to be merged into the default branch.
type Request struct {
	Repo     string // name or id; may be empty
	Worktree string // whatever names it, see Find
	By       string // the agent that asks; may be empty
	Message  string // of the merge commit; made when empty
	KeepTask bool   // leave the worktree's task as it is
}

// Merged is what a merge did.
type Merged struct {
	Worktree     worktree.Worktree `json:"worktree"`
	Into         string            `json:"into"`             // the default branch
	Commit       string            `json:"commit,omitempty"` // the merge commit; "" when all was there already
	FilesChanged int               `json:"files_changed"`
	Removed      bool              `json:"removed"`
	RestoreUntil *timestamp.Time   `json:"restore_until,omitempty"`
	// TaskOpen says why the worktree's task was not completed with it: a bug or a
	// person blocks it.
	TaskOpen string `json:"task_open,omitempty"`
	// Kept says why the worktree was not removed after its merge: its
	// agent went on working in it meanwhile.
	Kept []proof.Obstacle `json:"kept,omitempty"`
}

// Merge merges a worktree's branch into the default branch with a merge commit,
// then moves the worktree to the trash and completes its task. Everything is
// checked first; on a conflict nothing is changed but the worktree's status,
// and the error is a *MergeConflict.
func (s *Store) Merge(ctx context.Context, o Request) (out Merged, err error) {
	if o.Message, err = text.Body("message", o.Message); err != nil {
		return out, err
	}
	r, w, g, err := s.trees.Open(ctx, o.Repo, o.Worktree)
	if err != nil {
		return out, err
	}
	set := s.trees.Settings(r)
	p, err := s.prove(ctx, g, r, w)
	if err != nil {
		return out, err
	}
	end, err := worktree.Begin(w)
	if err != nil {
		return out, err
	}
	defer end()
	j := journal{Before: w.Status, Keep: o.KeepTask}
	err = s.trees.DB.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		if o.By != "" {
			if _, err := agent.Caller(tx, o.By); err != nil {
				return err
			}
		}
		return worktree.SetIntent(tx, w, worktree.OpMerge, w.Status, j)
	})
	if err != nil {
		return out, err
	}
	m := &merging{Store: s, g: g, r: r, w: w, set: set, o: o, tip: p.Head.OID, j: j}
	if err := m.run(ctx); err != nil {
		return out, m.giveUp(ctx, err)
	}
	out = Merged{Worktree: w, Into: set.DefaultBranch, Commit: m.j.New, FilesChanged: m.files}
	return m.conclude(context.WithoutCancel(ctx), out)
}

// prove proves that the worktree is what it seems and holds nothing that a
// merge would leave behind.
func (s *Store) prove(ctx context.Context, g *git.Repo, r repo.Repo, w worktree.Worktree) (*proof.Proof, error) {
	p, err := proof.Identify(ctx, s.trees, g, r, w)
	if err != nil {
		return nil, err
	}
	if p.Tree != nil {
		if err := p.CheckContent(ctx, g); err != nil {
			return nil, err
		}
		if p.Head.Ref != "refs/heads/"+w.Branch {
			p.Add(proof.Disagreement, nil, "it has %s checked out, not its branch %s", describeHead(p.Head), w.Branch)
		}
		if err := p.CheckIdle(ctx); err != nil {
			return nil, err
		}
	}
	if err := proof.Refuse(w, "merged", p.Obstacles); err != nil {
		return nil, err
	}
	if p.Head.OID == w.Base {
		return nil, worktree.Conflictf(w, "worktree %q has no commits, so there is nothing to merge", w.Ref).
			WithHint("commit its work on %q first", w.Branch)
	}
	return p, nil
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
	w     worktree.Worktree
	set   worktree.Settings
	o     Request
	tip   string
	j     journal
	files int
	moved bool // the default branch has the merge
}

// run makes the merge commit and moves the default branch to it, starting over
// when another merge or commit moves that first.
func (m *merging) run(ctx context.Context) error {
	const tries = 10 // each lost race means that another merge or commit got through
	for range tries {
		if done, err := m.attempt(ctx); err != nil || done {
			return err
		}
	}
	return worktree.Conflictf(m.w, "branch %q kept moving while worktree %q was being merged", m.set.DefaultBranch, m.w.Ref).WithHint("try again").Retry()
}

// attempt is one try, true when the merge is done. Merges of one repository take
// turns; only hooks, which may take minutes, run while others merge.
func (m *merging) attempt(ctx context.Context) (done bool, err error) {
	hooks := len(m.set.PreMerge) > 0
	if hooks {
		if there, err := m.prepare(ctx); err != nil || there {
			return there, err
		}
		if err := m.runHooks(ctx); err != nil {
			return false, err
		}
	}
	end, err := m.takeTurn(ctx)
	if err != nil {
		return false, err
	}
	defer end()
	if !hooks {
		if there, err := m.prepare(ctx); err != nil || there {
			return there, err
		}
	}
	return m.moveBranch(ctx)
}
