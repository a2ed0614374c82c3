package git_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// A replacement in the repository changes neither what is shown nor what is read, because other bytes land.
func TestReplacementsAreNotShown(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Commit("first", "a", "landed\n", "b", "shown\n")
	r.Git("replace", r.Git("rev-parse", "HEAD:a"), r.Git("rev-parse", "HEAD:b"))
	read, err := r.Repo().Output(t.Context(), git.Options{}, "show", "HEAD:a")
	if err != nil || string(read) != "landed\n" {
		t.Errorf("read %q, %v", read, err)
	}
	var shown, told strings.Builder
	if err := r.Repo().Show(git.Options{}, nil, &shown, &told, "show", "HEAD:a"); err != nil || shown.String() != "landed\n" {
		t.Errorf("shown %q, %v %s", shown.String(), err, told.String())
	}
}
