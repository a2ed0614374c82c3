package land

import (
	"context"
	"errors"
	"slices"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// Preview is what a merge would do.
type Preview struct {
	Worktree   worktree.Worktree `json:"worktree"`
	Into       string            `json:"into"`
	IntoCommit string            `json:"into_commit"`
	Tip        string            `json:"tip"`
	Strategy   Strategy          `json:"strategy"`
	There      bool              `json:"there"` // the branch has all of it already
	Files      []string          `json:"files"` // that it would change
	// Conflicts are the files that git cannot merge, in a rebase at Commit; Others changed them too.
	Conflicts []string   `json:"conflicts"`
	Commit    string     `json:"conflict_commit,omitempty"`
	Others    []Overlap  `json:"others,omitempty"`
	InTheWay  []InTheWay `json:"in_the_way,omitempty"`
	Gate      []string   `json:"gate,omitempty"`  // that would judge it
	Hooks     []string   `json:"hooks,omitempty"` // before that
	Ahead     int        `json:"ahead"`           // places before it in the queue, with a gate
}

// Fails reports whether the merge would be refused.
func (p Preview) Fails() bool { return len(p.Conflicts)+len(p.InTheWay) > 0 }

// InTheWay are local changes, where the branch is checked out, that a merge would overwrite.
type InTheWay struct {
	Path  string   `json:"path"` // of the folder
	Files []string `json:"files"`
}

// Preview returns what Land would do, and changes nothing: git writes into an object store that is thrown away. A refusal
// of Land before the merge is an error here too.
func (s *Store) Preview(ctx context.Context, o Request) (out Preview, err error) {
	v, err := git.CurrentVersion(ctx)
	if err != nil {
		return out, err
	}
	if !v.AtLeast(2, 38) || withoutMergeTree {
		return out, fault.Operation(nil, "a merge cannot be tried without writing to the repository before git 2.38, and this is %s", v).
			WithHint("update git")
	}
	m := &merging{Store: s, deed: merged, dry: true}
	if err := m.plan(ctx, o); err != nil {
		if m.w.Row() && !m.w.Status.Live() { // Land opens it first, and reports it
			err = m.w.Over()
		}
		return out, err
	}
	err = s.Trees.DB.Read(ctx, func(tx *registry.Tx) error {
		if err := m.uncontested(tx); err != nil || m.set.Land == worktree.LandPR { // there a merge may open a pull request instead
			return err
		}
		waits, err := m.waits(tx)
		if err != nil {
			return err
		}
		return m.mayLand(waits)
	})
	if err != nil {
		return out, err
	}
	store, err := mergetree.New("", m.g.CommonDir, scan.HashOf(m.tip))
	if err != nil {
		return out, err
	}
	defer store.Close()
	m.objects = git.Options{Env: []string{"GIT_OBJECT_DIRECTORY=" + store.Objects()}}
	out = Preview{Worktree: m.w, Into: m.target, Tip: m.tip, Strategy: m.strategy, Gate: m.gate, Hooks: m.set.PreMerge, Files: []string{}, Conflicts: []string{}}
	out.There, err = m.prepare(ctx)
	out.IntoCommit = m.j.Old
	if conflict, is := errors.AsType[*MergeConflict](err); is {
		out.Conflicts, out.Commit, out.Others = conflict.Files, conflict.Commit, conflict.Others
		return out, nil
	}
	if err != nil || out.There {
		return out, err
	}
	for _, c := range m.changes {
		out.Files = append(out.Files, c.Path)
	}
	if out.InTheWay, err = m.inTheWay(ctx); err != nil || len(m.gate) == 0 {
		return out, err
	}
	err = s.Trees.DB.Read(ctx, func(tx *registry.Tx) error {
		list, err := underWay(tx, m.r.ID)
		out.Ahead = len(slices.DeleteFunc(list, func(l Landing) bool { return len(l.Gate) == 0 || s.abandoned(l) }))
		return err
	})
	return out, err
}

// inTheWay finds the local changes that the merge would overwrite.
func (m *merging) inTheWay(ctx context.Context) (all []InTheWay, err error) {
	if m.remote != "" {
		return nil, nil // the branch here would not move then
	}
	trees, err := workingTreesOn(ctx, m.g, m.w, m.j.Target)
	if err != nil {
		return nil, err
	}
	for _, t := range trees {
		files := t.untouchable(m.changes)
		dirty, err := t.dirty(ctx, t.repo(m.g), m.changes)
		if err != nil {
			return nil, git.Fault(err, "look for changes in %q", t.Path)
		}
		files = append(files, slices.DeleteFunc(dirty, func(f string) bool { return slices.Contains(files, f) })...)
		if len(files) > 0 {
			all = append(all, InTheWay{t.Path, files})
		}
	}
	return all, nil
}

// look is worktree.Store.Open for callers that must change nothing: it does not mend what was left half done.
func (m *merging) look(ctx context.Context) error {
	var err error
	if m.o.Found != nil {
		m.found = *m.o.Found
	} else if m.found, err = registry.Read(ctx, m.Trees.DB, func(tx *registry.Tx) (worktree.Found, error) {
		return m.Trees.FindToOpen(tx, m.o.Repo, m.o.Worktree)
	}); err != nil {
		return err
	}
	m.r, m.w = m.found.Repo, m.found.Worktree
	if err := worktree.Idle(m.w); err != nil && m.dry {
		return err
	}
	if m.g, err = m.r.Open(); err == nil && !m.w.Row() {
		m.w.Base, err = worktree.LeftAt(ctx, m.g, m.Trees.Settings(m.r), m.w.Head)
	}
	return err
}
