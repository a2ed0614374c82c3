// Package edits finds who edited a file, by what agents' clients keep of their sessions: also
// agents that nobody registered, and work that is not committed. It writes nothing but the index
// of sessions, and is safe for concurrent use.
package edits

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/sessions/index"
)

// Edit is what one session did to a file in one working tree, and what happened to it.
type Edit struct {
	index.Edit
	// Commit is the first commit of the tree that changes the file after the edit; "" when there
	// is none.
	Commit string `json:"commit,omitempty"`
	// Uncommitted is set when the file differs from the tree's commit, and the edit is younger
	// than the last commit that changes the file.
	Uncommitted bool `json:"uncommitted,omitempty"`
}

// Finder finds edits.
type Finder struct {
	Kept index.Kept
	// Wait bounds how long the index is brought up to date; 0 is until all is read.
	Wait time.Duration
}

// Of returns the newest edits of the file at rel, a path with slashes in a working tree of the
// repository whose main folder is main: at most n, the newest first. It makes no index where
// clients keep nothing.
func (f Finder) Of(ctx context.Context, main, rel string, n int) ([]Edit, error) {
	if f.Kept.Nothing() {
		return nil, nil
	}
	x, err := f.Kept.OpenWithin(ctx, f.Wait)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	found, err := x.Edits(ctx, main, rel, n)
	if err != nil {
		return nil, err
	}
	all, trees := make([]Edit, len(found)), map[string]tree{}
	for i, e := range found {
		t, ok := trees[e.Tree]
		if !ok {
			t = treeAt(ctx, filepath.FromSlash(e.Tree), main, rel)
			trees[e.Tree] = t
		}
		all[i] = Edit{Edit: e}
		all[i].Commit, all[i].Uncommitted = t.became(e.At.Time)
	}
	return all, nil
}

// tree is what git knows of a file in one working tree.
type tree struct {
	changed bool     // it differs from the tree's commit
	commits []commit // that change it, the newest first
}

type commit struct {
	id string
	at time.Time
}

// mostCommits bounds how many commits of a file are looked at.
const mostCommits = 500

// treeAt asks git about a file. For a tree that is gone, it looks at the main folder's commits.
func treeAt(ctx context.Context, folder, main, rel string) (t tree) {
	repo, err := git.Find(folder)
	gone := err != nil
	if gone {
		if repo, err = git.Find(main); err != nil {
			return t
		}
	}
	out, err := repo.Run(ctx, "log", "--format=%H %ct", "-n", strconv.Itoa(mostCommits), "HEAD", "--", ":(literal,top)"+rel)
	if err == nil { // a repository without a commit has none
		for line := range strings.Lines(out) {
			id, seconds, _ := strings.Cut(strings.TrimSpace(line), " ")
			if at, err := strconv.ParseInt(seconds, 10, 64); err == nil {
				t.commits = append(t.commits, commit{id, time.Unix(at, 0)})
			}
		}
	}
	if !gone {
		out, err = repo.Run(ctx, "status", "--porcelain", "--untracked-files=all", "--ignored=no", "--", ":(literal,top)"+rel)
		t.changed = err == nil && out != ""
	}
	return t
}

// became returns the commit that holds an edit made at a time, or that no commit does yet. Commits have whole seconds.
func (t tree) became(at time.Time) (id string, uncommitted bool) {
	for _, c := range t.commits {
		if c.at.Before(at.Truncate(time.Second)) {
			break
		}
		id = c.id
	}
	return id, id == "" && t.changed
}
