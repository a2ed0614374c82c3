package git_test

import (
	"errors"
	"os"
	"testing"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// A lost commit is not taken for the absence of a common one: git exits alike for both.
func TestNoMergeBase(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	first := repo.Commit("first", "a", "1\n")
	second := repo.Commit("second", "a", "2\n")
	third := repo.Commit("third", "a", "3\n")
	repo.Git("checkout", "-q", "--orphan", "other")
	other := repo.Commit("other", "b", "1\n")
	ask := func(a, b string) error {
		_, err := repo.Repo().Run(t.Context(), "merge-base", a, b)
		return err
	}
	if err := ask(first, third); err != nil || git.NoMergeBase(err) {
		t.Errorf("with a common commit: %v", err)
	}
	if err := ask(third, other); !git.NoMergeBase(err) {
		t.Errorf("without one: %v", err)
	}
	if err := os.Remove(repo.Path(".git/objects/" + second[:2] + "/" + second[2:])); err != nil {
		t.Fatal(err)
	}
	if err := ask(first, third); err == nil || git.NoMergeBase(err) {
		t.Errorf("with a lost commit between: %v", err)
	}
	if git.NoMergeBase(errors.New("another")) {
		t.Error("an error of another kind")
	}
}
