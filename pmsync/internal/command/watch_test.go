package command

import (
	"errors"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

// TestPause: by day a round comes within the time that was given; at night, after some
// that brought nothing, rarely, and never more often than was asked for.
func TestPause(t *testing.T) {
	day, night, early := time.Date(2026, 11, 24, 14, 0, 0, 0, time.Local), time.Date(2026, 11, 24, 23, 0, 0, 0, time.Local), time.Date(2026, 11, 24, 5, 59, 0, 0, time.Local)
	for _, c := range []struct {
		every  time.Duration
		quiet  int
		at     time.Time
		random float64
		want   time.Duration
	}{
		{time.Minute, 0, day, 0, time.Minute}, {time.Minute, 0, day, 1, 54 * time.Second}, {time.Minute, 500, day, 0.5, 57 * time.Second},
		{time.Minute, 10, night, 0, time.Minute}, {time.Minute, 11, night, 0, 2 * time.Minute}, {time.Minute, 12, early, 0, 4 * time.Minute},
		{time.Minute, 500, night, 0, 15 * time.Minute}, {time.Minute, 500, night.Add(7 * time.Hour), 0, time.Minute}, {time.Hour, 500, night, 0, time.Hour},
	} {
		if got := pause(c.every, c.quiet, c.at, c.random); got != c.want {
			t.Errorf("every %s, after %d quiet rounds, at %s: %s, not %s", c.every, c.quiet, c.at.Format(time.TimeOnly), got, c.want)
		}
	}
}

func TestRound(t *testing.T) {
	away, refused := fault.Provider(nil, "no answer"), fault.Validation("key", "the key is refused")
	none := sync.Result{Direction: "pull"}
	for _, c := range []struct {
		results []sync.Result
		failure error
		quiet   int
		out     string
		err     error
	}{
		{[]sync.Result{none, none}, nil, 5, "", nil},
		{nil, away, 4, "", nil},
		{[]sync.Result{none}, away, 4, "", nil},
		{nil, refused, 4, "", refused},
		{nil, errors.ErrUnsupported, 4, "", errors.ErrUnsupported},
		{[]sync.Result{{Direction: "pull", Created: 1}}, away, 0, "pulled: 1 new\n", nil},
		{[]sync.Result{{Direction: "pull", Created: 1}}, refused, 0, "pulled: 1 new\n", refused},
		{[]sync.Result{none, {Direction: "push", Sent: 1}}, nil, 0, "pushed: 1 sent\n", nil},
		{[]sync.Result{{Direction: "pull", Updated: 1}, none}, nil, 0, "pulled: 1 changed\n", nil},
		{[]sync.Result{{Direction: "pull", Deleted: 1}}, nil, 0, "pulled: 1 gone\n", nil},
		{[]sync.Result{{Direction: "pull", Conflicts: 1}}, nil, 0, "pulled: 1 in conflict\n", nil},
		{[]sync.Result{{Direction: "push", Errors: []string{"no rights"}}}, nil, 0, "pushed: 1 failed\n", nil},
	} {
		s, _, out, errs := term.Test()
		o := &watchOptions{syncOptions: syncOptions{where: where{env: &cli.Env{Streams: s}}}}
		quiet, err := o.round(c.results, c.failure, 4)
		if quiet != c.quiet || !errors.Is(err, c.err) || out.String() != c.out {
			t.Errorf("%+v, %v: %d rounds without news, %v, %q", c.results, c.failure, quiet, err, out)
		}
		if warned := errs.String() == "warning: no answer\n"; warned != errors.Is(c.failure, away) {
			t.Errorf("%+v, %v: %q", c.results, c.failure, errs)
		}
	}
}
