package transport_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// shared are limits that several clients keep together, each by its own clock.
type shared map[string]time.Duration

func (s shared) Left(_ context.Context, bucket string) (time.Duration, error) {
	return max(s[""], s[bucket]), nil
}

func (s shared) Hold(_ context.Context, bucket string, d time.Duration) error {
	s[bucket] = d
	return nil
}

// TestOtherProcessesObeyALimit: a client asks nothing while one that another client was
// told lasts, and says until when if that is longer than its patience.
func TestOtherProcessesObeyALimit(t *testing.T) {
	t.Parallel()
	kept, account := shared{}, ""
	with := func(patience time.Duration) func(*transport.Options) {
		return func(o *transport.Options) {
			o.Patience = patience
			o.Limits = func(of string) transport.Limits {
				account = of
				return kept
			}
		}
	}
	told := begin(t, with(time.Minute), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "90")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	if _, err := told.client.Do(t.Context(), transport.Request{Op: "try", Path: "x"}); !provider.Is(err, provider.RateLimited) || kept[""] != 90*time.Second {
		t.Fatalf("%v, kept %v", err, kept)
	}
	if want := "linear " + told.client.Base(); account != want {
		t.Errorf("kept for %q, not %q", account, want)
	}
	other := begin(t, with(time.Minute), nil)
	if _, err := other.client.Do(t.Context(), transport.Request{Op: "try", Path: "x"}); !provider.Is(err, provider.RateLimited) || other.served.Load() != 0 {
		t.Errorf("%v after %d requests", err, other.served.Load())
	}
	patient := begin(t, with(time.Hour), nil)
	start := patient.clock.Now()
	if _, err := patient.client.Do(t.Context(), transport.Request{Op: "try", Path: "x"}); err != nil || patient.clock.Now().Sub(start) != 90*time.Second {
		t.Errorf("%v after %s", err, patient.clock.Now().Sub(start))
	}
}
