package command

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
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

// The results of the directions that ended well are printed before the failure of another one.
func TestPrintedDirections(t *testing.T) {
	pulled, partial, pushed := sync.Result{Direction: "pull", Status: sync.Success, Created: 1}, sync.Result{Direction: "push", Status: sync.Partial}, sync.Result{Direction: "push", Status: sync.Success, Sent: 2}
	refused := fault.Provider(nil, "the key is refused")
	for _, c := range []struct {
		verb    string
		results []sync.Result
		failure error
		json    bool
		out     string
		err     error
	}{
		{"pull", nil, refused, false, "", refused},
		{"sync", nil, refused, true, "", refused},
		{"pull", []sync.Result{pulled}, nil, false, "pulled: 1 new\n", nil},
		{"pull", []sync.Result{pulled}, nil, true, "direction", nil},
		{"sync", []sync.Result{pulled}, refused, false, "pulled: 1 new\n", refused},
		{"sync", []sync.Result{pulled}, refused, true, "pull", refused},
		{"sync", []sync.Result{pulled, pushed}, nil, true, "pull push", nil},
		{"sync", []sync.Result{pulled, pushed}, nil, false, "pulled: 1 new\npushed: 2 sent\n", nil},
		{"sync", []sync.Result{pulled, partial}, nil, false, "pulled: 1 new\npushed: nothing new\n", cli.ExitStatus(fault.ExitFailure)},
		{"push", []sync.Result{partial}, nil, false, "pushed: nothing new\n", cli.ExitStatus(fault.ExitFailure)},
	} {
		run := clitest.NewRun(t)
		streams, _, out, _ := term.Test()
		run.Streams, run.Globals.JSON = streams, c.json
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		o := &syncOptions{where: where{env: run.Env}}
		err := o.print(t.Context(), c.verb, c.results, c.failure)
		if !errors.Is(err, c.err) {
			t.Errorf("%s of %d results ends with %v, not %v", c.verb, len(c.results), err, c.err)
		}
		got := out.String()
		if c.json && got != "" {
			var document map[string]any
			if err := json.Unmarshal([]byte(got), &document); err != nil {
				t.Fatal(err)
			}
			keys := slices.Sorted(maps.Keys(document))
			keys = slices.DeleteFunc(keys, func(k string) bool { return k != "pull" && k != "push" && k != "direction" })
			got = strings.Join(keys, " ")
		}
		if got != c.out {
			t.Errorf("%s of %d results prints %q, not %q", c.verb, len(c.results), got, c.out)
		}
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
			out: "pulled: 1 new, 2 changed, 3 gone, 4 sent, 5 waiting, 6 in conflict\n", errs: "next: `pmsync conflicts --all` shows both values\n"},
		{r: sync.Result{Direction: "push", Created: 1, Updated: 2, Sent: 4}, out: "pushed: 4 sent\n"},
		{r: sync.Result{Direction: "full"}, out: "pulled all: nothing new\n"},
		{r: sync.Result{Direction: "pull"}, quiet: true},
		{r: sync.Result{Direction: "pull", Notes: []string{"one", "two"}}, told: []string{"two"}, errs: "one\n"},
		{r: sync.Result{Direction: "pull", Notes: []string{"one"}}, told: []string{"one"}},
		{r: sync.Result{Direction: "push", DryRun: true, Waiting: 2, Planned: []sync.Send{{Ticket: "A-1", Type: "status", To: "done"}, {Ticket: "A-2", Type: "title", From: "a\nb", To: "c"}}},
			out: "would push: 2 changes\n  A-1 status: done\n  A-2 title: a, b → c\n"},
		{r: sync.Result{Direction: "push", DryRun: true, Planned: []sync.Send{{Ticket: "A-1", Type: "labels", From: "a", To: "a\nb\nc"}, {Ticket: "A-2", Type: "description", From: "x\n\ny", To: "x\n\nz\n\ny"},
			{Ticket: "A-3", Type: "description", From: "x\nold\nz", To: "x\nnew\nz"}, {Ticket: "A-4", Type: "description", To: "one"}, {Ticket: "A-5", Type: "comment", To: "one\ntwo"}}},
			out: "would push: 5 changes\n  A-1 labels: a → a, b, c\n  A-2 description:\n    + z\n    + \n  A-3 description:\n    - old\n    + new\n  A-4 description: one\n  A-5 comment:\n    + one\n    + two\n"},
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

// A push, and a pull without news, take out secrets that were reported before; a pull that failed after some tickets did not.
func TestBrought(t *testing.T) {
	for _, c := range []struct {
		verb string
		r    []sync.Result
		want bool
	}{
		{"pull", []sync.Result{{Direction: "pull", Created: 1}}, true}, {"pull", []sync.Result{{Direction: "full", Updated: 1}}, true},
		{"pull", []sync.Result{{Direction: "pull", Unchanged: 1}}, false}, {"push", []sync.Result{{Direction: "push", Updated: 1, Sent: 1}}, false},
		{"pull", nil, true}, {"sync", nil, true}, {"push", nil, false}, {"sync", []sync.Result{{Direction: "pull"}}, false},
	} {
		if brought(c.verb, c.r) != c.want {
			t.Errorf("%s %+v: %t", c.verb, c.r, !c.want)
		}
	}
}

func TestNoSprints(t *testing.T) {
	for tracker, want := range map[provider.Name]string{"local": "`pmsync ticket update ID --sprint NAME` begins one", "": "begins one", provider.Asana: "Asana has no sprints", provider.Jira: "`pmsync pull` fetches those of Jira"} {
		if got := noSprints(tracker); !strings.HasSuffix(got, want) {
			t.Errorf("%q: %s", tracker, got)
		}
	}
}
