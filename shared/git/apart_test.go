package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// apart moves the git directory of a repository away, and leaves a file or a link that leads there.
func apart(t *testing.T, link bool) (r *gittest.Repo, gitDir string) {
	t.Helper()
	r = gittest.New(t)
	r.Commit("first", "a", "1\n")
	gitDir = filepath.Join(gittest.TempDir(t), "store.git")
	if err := os.Rename(filepath.Join(r.Dir, ".git"), gitDir); err != nil {
		t.Fatal(err)
	}
	if link {
		if err := os.Symlink(gitDir, filepath.Join(r.Dir, ".git")); err != nil {
			t.Skip("symbolic links are not available")
		}
	} else {
		r.Write(".git", "gitdir: "+gitDir+"\n")
	}
	return r, gitDir
}

// A git directory apart from its files is not bare. Once its folder was noted, the folder is known as long as the note is true.
func TestGitDirectoryApart(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]bool{"file": false, "link": true} {
		r, gitDir := apart(t, link)
		side := r.Worktree("side")
		linked, err := git.Find(side.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if main, err := linked.Main(); err != nil || !main.Elsewhere || !main.Bare {
			t.Errorf("%s, not noted: %+v, %v", name, main, err)
		}
		own, err := git.Find(r.Dir)
		if err != nil || own.Bare || own.WorkTree != r.Dir || own.GitDir != gitDir {
			t.Fatalf("%s: %+v, %v", name, own, err)
		}
		if err := own.NoteFolder(); err != nil {
			t.Fatal(err)
		}
		if main, err := linked.Main(); err != nil || main.Bare || main.Elsewhere || main.WorkTree != r.Dir {
			t.Errorf("%s, noted: %+v, %v", name, main, err)
		}
		if err := os.Remove(filepath.Join(r.Dir, ".git")); err != nil {
			t.Fatal(err)
		}
		if main, err := linked.Main(); err != nil || !main.Elsewhere {
			t.Errorf("%s, no longer true: %+v, %v", name, main, err)
		}
	}
}

// An ordinary repository notes nothing.
func TestNoNoteOfAnOrdinaryFolder(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	if err := r.Repo().NoteFolder(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(r.Dir, ".git", "agit")); err == nil {
		t.Error("it noted its folder")
	}
}
