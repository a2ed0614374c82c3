package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// TestAttributed merges in repositories whose working trees have other attributes than the commit that counts.
func TestAttributed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name              string
		committed, folder string // .gitattributes in the commit, and in the working tree
		in                func(r *gittest.Repo) *git.Repo
		clean             bool
	}{
		{"of the commit", "log merge=union\n", "", (*gittest.Repo).Repo, true},
		{"of the folder alone", "", "log merge=union\n", (*gittest.Repo).Repo, false},
		{"of the commit, against the folder's", "log merge=union\n", "log -merge\n", (*gittest.Repo).Repo, true},
		{"in a linked worktree", "log merge=union\n", "", func(r *gittest.Repo) *git.Repo { return r.Worktree("w").Repo() }, true},
		{"in a bare repository", "log merge=union\n", "", func(r *gittest.Repo) *git.Repo {
			dir := filepath.Join(gittest.TempDir(t), "bare.git")
			r.Git("clone", "-q", "--bare", r.Dir, dir)
			return r.At(dir).Repo()
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t)
			r.Commit("first", "dir/log", "1\n")
			r.Git("branch", "side")
			if c.committed != "" {
				r.Commit("attributes", "dir/.gitattributes", c.committed)
			}
			ours := r.Commit("ours", "dir/log", "1\nours\n")
			r.Git("checkout", "-q", "side")
			theirs := r.Commit("theirs", "dir/log", "1\ntheirs\n")
			r.Git("branch", "attributed", ours)
			if c.folder != "" {
				r.Write("dir/.gitattributes", c.folder)
			}
			repo := c.in(r)
			o, done, err := repo.Attributed(t.Context(), git.Options{}, ours)
			if err != nil {
				t.Fatal(err)
			}
			_, err = repo.Output(t.Context(), o, "merge-tree", "--write-tree", ours, theirs)
			if (err == nil) != c.clean {
				t.Errorf("merging is clean: %v, want %v (%v)", err == nil, c.clean, err)
			}
			done()
			if o.Dir == "" {
				return // git takes them from the commit by itself
			}
			if _, err := os.Stat(o.Dir); !os.IsNotExist(err) {
				t.Errorf("the folder %q stays: %v", o.Dir, err)
			}
		})
	}
}

func TestAttributeFiles(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	if err := os.Symlink("a/.gitattributes", r.Path(".gitattributes")); err != nil {
		t.Skip("there are no links here")
	}
	commit := r.Commit("first", "a/.gitattributes", "x text\n", "b/x.gitattributes", "x text\n", "c/d/.gitattributes", "y text\n")
	files, err := r.Repo().AttributeFiles(t.Context(), git.Options{}, commit)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	if diff := cmp.Diff([]string{"a/.gitattributes", "c/d/.gitattributes"}, paths); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
