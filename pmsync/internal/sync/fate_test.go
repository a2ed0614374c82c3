package sync

import (
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// TestFate: only a refusal drops a change, but not after an attempt that is in doubt.
func TestFate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reason       provider.Reason
		fresh, doubt string
		stop         bool
	}{
		{provider.Offline, outbox.Pending, outbox.Sending, true},
		{provider.RateLimited, outbox.Pending, outbox.Sending, true},
		{provider.Unauthorized, outbox.Pending, outbox.Sending, true},
		{provider.Unavailable, outbox.Pending, outbox.Sending, false},
		{provider.Protocol, outbox.Pending, outbox.Sending, false},
		{provider.Uncertain, outbox.Sending, outbox.Sending, false},
		{provider.Forbidden, outbox.Failed, outbox.Sending, false},
		{provider.NotFound, outbox.Failed, outbox.Sending, false},
		{provider.Invalid, outbox.Failed, outbox.Failed, false},
		{provider.Ambiguous, outbox.Failed, outbox.Failed, false},
		{provider.Unsupported, outbox.Failed, outbox.Failed, false},
	} {
		e := provider.Fail(c.reason, nil, "no")
		for inDoubt, want := range map[bool]string{false: c.fresh, true: c.doubt} {
			if got, stop := fate(inDoubt, e); got != want || stop != c.stop {
				t.Errorf("%s, in doubt %v: %s, stop %v", c.reason, inDoubt, got, stop)
			}
		}
		e.InDoubt = true
		if got, stop := fate(true, e); got != outbox.Sending || stop != c.stop {
			t.Errorf("%s of a look: %s, stop %v", c.reason, got, stop)
		}
	}
}
