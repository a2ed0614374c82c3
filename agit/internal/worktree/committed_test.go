package worktree

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestSettingsFilesOfACommitAreListedOnce(t *testing.T) {
	r := gittest.New(t)
	first := r.Commit("first", ".agit.toml", "gate = \"true\"\n")
	second := r.Commit("second")
	elsewhere := *r.Repo()
	elsewhere.Alternates = []string{"objects"}
	s := &Store{}
	files := s.committed(r.Repo(), first)
	if s.committed(r.Repo(), first) != files {
		t.Error("the commit is read twice")
	}
	if s.committed(&elsewhere, first) == files {
		t.Error("the objects of another folder are not looked up")
	}
	if s.committed(r.Repo(), second) == files {
		t.Error("another commit has the same files")
	}
	branch := s.committed(r.Repo(), "refs/heads/main")
	if s.committed(r.Repo(), "refs/heads/main") == branch {
		t.Error("a branch has the same files for ever")
	}
	if i := s.Inclusion(r.Repo(), repo.Repo{Path: r.Dir}, Settings{}, second); i.Committed != s.committed(r.Repo(), second) {
		t.Error("what worktrees get is read apart")
	}
	if i := s.Inclusion(r.Repo(), repo.Repo{Path: r.Dir}, Settings{}, ""); i.Committed != nil {
		t.Error("no commit has files")
	}
}
