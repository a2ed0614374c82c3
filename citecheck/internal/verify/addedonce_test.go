package verify_test

import (
	"fmt"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// For many files at once, the writers of lines are the same as git names for each file.
func TestLastTouchedOfMany(t *testing.T) {
	repo := gittest.New(t)
	name := func(i int) string { return fmt.Sprintf("m/%d.md", i) }
	for i := range 6 {
		repo.Write(name(i), fmt.Sprintf("# %d\n\nfirst of %d\nsecond of %d\n", i, i, i))
		repo.Commit(fmt.Sprint("write ", i))
	}
	repo.Write("m/old.md", "# Old\n\nkept when the file\ngot its name\n")
	repo.Commit("old name")
	repo.Git("mv", "m/old.md", name(6))
	repo.Commit("new name")
	repo.Write(name(1), "# 1\n\nfirst of 1\nedited\n")
	repo.Commit("edit")
	repo.Git("rm", "--quiet", name(2))
	repo.Commit("remove")
	repo.Write(name(2), "# 2\n\nfirst of 2\nonce more\n")
	repo.Commit("again")
	repo.Git("checkout", "--quiet", "-b", "side")
	repo.Write(name(7), "# 7\n\nfrom a branch\nmerged\n")
	repo.Commit("branch")
	repo.Git("checkout", "--quiet", "-")
	repo.Write(name(8), "# 8\n\nmeanwhile\n\n")
	repo.Commit("meanwhile")
	repo.Git("merge", "--quiet", "--no-edit", "side")
	repo.Write(name(3), "# 3\n\nfirst of 3\nnot committed\n")
	repo.Write(name(9), "# 9\n\nnot\ntracked\n")

	c, err := verify.Open(t.Context(), repo.Dir, verify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	var places []verify.Source
	for i := range 10 {
		places = append(places, verify.Source{Path: name(i), Line: 3}, verify.Source{Path: name(i), Line: 4})
	}
	many, err := c.LastTouched(t.Context(), places)
	if err != nil {
		t.Fatal(err)
	}
	for i, place := range places {
		one, err := c.LastTouched(t.Context(), places[i:i+1])
		if err != nil {
			t.Fatal(err)
		}
		if one[0] != many[i] {
			t.Errorf("%s:%d: %q among many, %q alone", place.Path, place.Line, many[i], one[0])
		}
	}
}
