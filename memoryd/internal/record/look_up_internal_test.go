package record

import (
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
)

// A grading gets the whole name, the subject and the body of its commit; one that the repository does not have stays as it was given, with a
// warning in the result.
func TestGradingLooksUp(t *testing.T) {
	t.Parallel()
	g := gittest.New(t)
	oid := g.Commit("Add a page", "a", "a")
	for given, want := range map[string]Grading{
		oid[:8]: {Commit: oid, Subject: "Add a page"},
		"none":  {Commit: "none"},
	} {
		got := Grading{Commit: given}
		got.LookUp(t.Context(), g.Dir)
		warned := got.graded(booked{}).Warnings
		if got.Commit != want.Commit || got.Subject != want.Subject || (len(warned) == 1) != (given == "none") {
			t.Errorf("%s: %+v, %q", given, got, warned)
		}
	}
}
