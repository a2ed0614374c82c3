package index

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Edit is the work of one session on a file in one folder.
type Edit struct {
	ID     string         `json:"session"`
	Client string         `json:"client"`
	Title  string         `json:"title,omitempty"` // the session's first prompt
	Tree   string         `json:"folder"`          // the working tree, as the session named it
	Branch string         `json:"branch,omitempty"`
	At     timestamp.Time `json:"at"`    // the last edit
	Edits  int            `json:"edits"` // how many there were
	File   string         `json:"file"`  // the client's file with the edit
}

// mostEdits bounds how many edits of one file are looked at, the newest first.
const mostEdits = 2000

// Edits returns at most n edits of a file of a project, the newest first. project is the main folder of its repository, rel the path in a
// working tree, with slashes. Edits in worktrees, even deleted ones, count for the file; a file in a subfolder whose path ends alike does
// not.
func (x *Index) Edits(ctx context.Context, project, rel string, n int) (all []Edit, err error) {
	type key struct {
		lineage int64
		tree    string
	}
	at, trees := map[key]int{}, map[string]bool{}
	var lineages []int64
	err = x.file.Each(ctx, func(scan func(...any) error) error {
		var e Edit
		var lineage, ms int64
		var whole, of string
		if err := scan(&lineage, &e.ID, &e.Client, &ms, &whole, &e.Branch, &e.File, &of); err != nil {
			return err
		}
		e.Tree = strings.TrimSuffix(filepath.ToSlash(whole), "/"+rel)
		mine, ok := trees[e.Tree]
		if !ok {
			mine = treeOf(project, e.Tree, of)
			trees[e.Tree] = mine
		}
		if !mine {
			return nil
		}
		if i, ok := at[key{lineage, e.Tree}]; ok {
			all[i].Edits++
			return nil
		}
		if len(all) < n {
			at[key{lineage, e.Tree}] = len(all)
			e.At, e.Edits = timestamp.Of(time.UnixMilli(ms)), 1
			all, lineages = append(all, e), append(lineages, lineage)
		}
		return nil
	}, `SELECT s.lineage, s.name, s.client, e.at, e.path, e.branch, f.path, p.project FROM entries e JOIN transcripts s ON s.id = e.session JOIN places p ON p.id = e.place JOIN files f ON f.id = e.file WHERE e.path <> '' AND e.kind = ? AND e.path LIKE ? ESCAPE '\' ORDER BY e.at DESC LIMIT ?`,
		int(sessions.Edit), "%/"+escapeLike(path.Clean(rel)), mostEdits)
	for i := range all {
		if err == nil {
			all[i].Title, _, err = x.title(ctx, lineages[i])
		}
	}
	return all, err
}

// treeOf reports whether a folder is the root of a working tree of a project. A folder that is gone counts if the session that edited there
// was of the project. If it lay within the project's own folder, its path must also contain "worktrees", as in .claude/worktrees.
func treeOf(project, tree, sessionOf string) bool {
	tree = filepath.FromSlash(tree)
	if _, err := os.Stat(tree); err != nil {
		below, inside := strings.CutPrefix(tree, project+string(filepath.Separator))
		return sessionOf == project && (!inside || strings.Contains(below, "worktrees"))
	}
	repo, err := git.Find(tree)
	if err != nil || repo.MainFolder() != project {
		return false
	}
	real, err := filepath.EvalSymlinks(tree)
	return err == nil && real == repo.WorkTree
}
