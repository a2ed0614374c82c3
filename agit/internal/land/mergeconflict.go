package land

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// MergeConflict is a merge that git cannot do by itself. Nothing was changed but the worktree's status. Its chain holds the *fault.Fault
// that people see.
type MergeConflict struct {
	Worktree string
	Commit   string // that a rebase stopped at, with its first line; "" for all
	Files    []string
	Others   []Overlap
	shown
}

// Overlap is another worktree that changed files in conflict.
type Overlap struct {
	Worktree string   `json:"worktree_id"`
	Agent    string   `json:"agent,omitempty"`
	Branch   string   `json:"branch"`
	Merged   bool     `json:"merged"` // its changes are in the default branch
	Files    []string `json:"files"`
}

// Who names the worktree, its agent, and whether its work is merged, for use inside a sentence.
func (o Overlap) Who() string {
	who := o.Worktree
	if o.Agent != "" {
		who += " (agent " + o.Agent + ")"
	}
	if o.Merged {
		who += ", merged already,"
	}
	return who
}

// conflict names the files that git could not merge and who else changed them.
func (m *merging) conflict(ctx context.Context, files []string) error {
	files = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(files))), func(f string) bool { return f == "" })
	others := m.others(ctx, files)
	if len(others) == 0 { // no one changed the files in conflict, as after renaming a folder
		others = slices.DeleteFunc(m.others(ctx, folders(files)), func(o Overlap) bool { return !o.Merged })
	}
	what := fmt.Sprintf("worktree %q", m.w.Ref)
	if m.at != "" {
		what = m.at + " of " + what
	}
	why := fmt.Sprintf("%s conflicts with %s in %s: %s", what, m.with, text.Count(len(files), "file", "files"), text.Few(files))
	for _, o := range others {
		why += fmt.Sprintf("; %s changed %s", o.Who(), text.Few(o.Files))
	}
	then := ", then " + m.retry("try again")
	if m.j.Update {
		then = "" // that merge is the update
	}
	how := "resolve and commit there"
	if modules, err := m.g.Submodules(ctx, m.tip, files); err == nil && len(modules) > 0 {
		how = fmt.Sprintf("join both sides' commits inside %s, which git does not merge, and push there; then resolve and commit", text.Few(modules))
	}
	f := worktree.Conflictf(m.w, "%s", why).WithHint("merge %s into branch %s in %q, %s%s", m.with, m.w.Branch, m.w.Path, how, then)
	return &MergeConflict{m.w.Ref, m.at, files, others, shown{f}}
}

// retry returns what to do once the work is corrected. Shown work lands as it was shown: asked again, the same would be refused.
func (m *merging) retry(again string) string {
	if m.o.Shown {
		return fmt.Sprintf("`agit finish %s` shows it anew", m.w.Ref)
	}
	return again
}

// folders returns the folders of files, without the root.
func folders(files []string) (found []string) {
	for _, file := range files {
		if folder := path.Dir(file); folder != "." {
			found = append(found, folder)
		}
	}
	return found
}

// others finds the worktrees that changed some of the files: those still being worked on, and those whose merge is what this one conflicts
// with. It is only a help, so it leaves out whatever fails.
func (m *merging) others(ctx context.Context, files []string) []Overlap {
	if len(files) == 0 {
		return nil
	}
	var live, done []worktree.Worktree
	tips := map[int64]string{}
	var flat []Landing // without a merge commit that names them, or without trash
	err := m.Trees.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		if live, err = worktree.List(tx, worktree.Filter{RepoID: m.r.ID}); err != nil {
			return err
		}
		if all, err := worktree.Join(ctx, m.g, m.r, live); err == nil {
			live = all
		}
		const most = 50
		flat, err = registry.Collect(tx, scanLanding, landingSelection+`WHERE l.repo_id = ? AND l.state = 'landed' AND (l.strategy <> 'merge' OR w.made_by <> '')
			AND l.target_oid <> '' AND l.commit_oid <> '' AND l.finished_at >= ? ORDER BY l.id DESC LIMIT ?`, m.r.ID, registry.FormatTime(m.w.CreatedAt.Time), most)
		if err != nil {
			return err
		}
		kept, err := remove.Kept(tx, m.r.ID)
		for _, t := range kept {
			if t.Worktree.Status == worktree.Completed {
				done = append(done, t.Worktree)
				tips[t.Worktree.ID] = t.BranchOID
			}
		}
		return err
	})
	if err != nil {
		return nil
	}
	var found []Overlap
	literal := git.Options{Env: []string{"GIT_LITERAL_PATHSPECS=1"}}
	theirs := m.j.Old
	if m.update {
		theirs = m.tip
	}
	for _, w := range live {
		tree, err := w.Tree(m.g)
		if err != nil || w.Ref == m.w.Ref || checkout.SameFolder(w.Path, m.w.Path) {
			continue
		}
		out, err := tree.Output(ctx, literal, append([]string{"diff", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=dirty", "--merge-base", theirs, "--"}, files...)...)
		if err == nil && len(out) > 0 {
			found = append(found, Overlap{w.Ref, w.Agent, w.Branch, false, git.Records(out)})
		}
	}
	out, err := m.g.Output(ctx, literal, append([]string{"log", "--first-parent", "-m", "--format=%P", "--name-only", "-z",
		m.w.Base + ".." + theirs, "--"}, files...)...)
	if err != nil {
		return found
	}
	for _, w := range done {
		if changed := changedByMerge(git.Records(out), tips[w.ID]); len(changed) > 0 {
			found = append(found, Overlap{w.Ref, w.Agent, w.Branch, true, changed})
		}
	}
	for _, l := range flat {
		out, err := m.g.Output(ctx, literal, append([]string{"diff", "--name-only", "-z", "--no-ext-diff", l.TargetCommit, l.Commit, "--"}, files...)...)
		if err == nil && len(out) > 0 {
			found = append(found, Overlap{l.Worktree, l.Agent, l.Branch, true, git.Records(out)})
		}
	}
	return found
}

// changedByMerge picks from `git log --format=%P --name-only -z` the files of
// the merge whose second parent is tip.
func changedByMerge(records []string, tip string) []string {
	var files []string
	ours := false
	for _, record := range records {
		record = strings.TrimPrefix(record, "\n")
		parents := strings.Fields(record)
		if len(parents) > 0 && !slices.ContainsFunc(parents, func(p string) bool { return !git.IsOID(p) }) {
			ours = len(parents) > 1 && parents[1] == tip
			continue
		}
		if ours && record != "" {
			files = append(files, record)
		}
	}
	return files
}
