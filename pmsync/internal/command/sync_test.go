package command

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/shared/term"
)

// The result of each direction is one line; notes and errors follow, except notes that were printed before.
func TestPrintResults(t *testing.T) {
	s, _, out, errs := term.Test()
	if err := printResults(s, []sync.Result{{Direction: "pull", Created: 1, Notes: []string{"both", "one"}}, {Direction: "push", Sent: 2, Notes: []string{"both", "other"}}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"pulled: 1 new\npushed: 2 sent\n", "both\none\nother\n"}, []string{out.String(), errs.String()}); diff != "" {
		t.Error(diff)
	}
}

func TestPrintResult(t *testing.T) {
	for _, c := range []struct {
		r         sync.Result
		told      []string
		quiet     bool
		out, errs string
	}{
		{r: sync.Result{Direction: "pull", Created: 1, Updated: 2, Deleted: 3, Sent: 4, Waiting: 5, Conflicts: 6},
			out: "pulled: 1 new, 2 changed, 3 gone, 4 sent, 5 waiting, 6 in conflict\n", errs: "next: `pmsync conflicts` shows both values\n"},
		{r: sync.Result{Direction: "push", Created: 1, Updated: 2, Sent: 4}, out: "pushed: 4 sent\n"},
		{r: sync.Result{Direction: "full"}, out: "pulled all: nothing new\n"},
		{r: sync.Result{Direction: "pull"}, quiet: true},
		{r: sync.Result{Direction: "pull", Notes: []string{"one", "two"}}, told: []string{"two"}, errs: "one\n"},
		{r: sync.Result{Direction: "pull", Notes: []string{"one"}}, told: []string{"one"}},
		{r: sync.Result{Direction: "push", DryRun: true, Waiting: 2, Planned: []sync.Send{{Ticket: "A-1", Type: "status", To: "done"}, {Ticket: "A-2", Type: "title", From: "a\nb", To: "c"}}},
			out: "would push: 2 changes\n  A-1 status: done\n  A-2 title: a, b → c\n"},
		{r: sync.Result{Direction: "push", Errors: []string{"no rights"}}, out: "pushed: 1 failed\n", errs: "warning: no rights\n"},
	} {
		s, _, out, errs := term.Test()
		s.Quiet = c.quiet
		if err := printResult(s, c.r, c.told); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{c.out, c.errs}, []string{out.String(), errs.String()}); diff != "" {
			t.Errorf("%+v: %s", c.r, diff)
		}
	}
}
