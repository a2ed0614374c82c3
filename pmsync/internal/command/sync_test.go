package command

import (
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/shared/term"
)

// TestPrintResult: a note that the other direction told already is not told again, and counts are.
func TestPrintResult(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		r    sync.Result
		told []string
	}{
		"a note\n":              {sync.Result{Direction: "push", Notes: []string{"a note"}}, nil},
		"":                      {sync.Result{Direction: "push", Notes: []string{"a note"}}, []string{"a note"}},
		"another\n":             {sync.Result{Direction: "push", Notes: []string{"a note", "another"}}, []string{"a note"}},
		"pushed: 2 sent\n":      {sync.Result{Direction: "push", Sent: 2, Notes: []string{"a note"}}, []string{"a note"}},
		"pushed: nothing new\n": {sync.Result{Direction: "push"}, []string{"a note"}},
	} {
		s, _, out, errs := term.Test()
		if err := printResult(s, c.r, c.told); err != nil || out.String()+errs.String() != want {
			t.Errorf("%+v: %q, %q, %v", c, out, errs, err)
		}
	}
}
