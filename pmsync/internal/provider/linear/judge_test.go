package linear

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// TestHold: a refusal holds requests back until the time that it names, whatever was
// refused before. A refusal without a time holds them back longer each time.
func TestHold(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	answer := func(pairs ...string) *transport.Response {
		h := http.Header{"Date": {at.Format(http.TimeFormat)}}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return &transport.Response{Status: http.StatusBadRequest, Header: h, At: at}
	}
	in := func(d time.Duration) string { return strconv.FormatInt(at.Add(d).UnixMilli(), 10) }
	c := &Client{}
	for i, one := range []struct {
		headers  []string
		from, to time.Duration
	}{
		{nil, 2 * time.Second, 2 * time.Second},
		{nil, 4 * time.Second, 4 * time.Second},
		{[]string{"X-RateLimit-Requests-Reset", in(40 * time.Second), "X-RateLimit-Requests-Remaining", "0"}, 40 * time.Second, 41 * time.Second},
		{[]string{"X-RateLimit-Complexity-Reset", in(50 * time.Second)}, 50 * time.Second, 51 * time.Second},
		{[]string{"X-RateLimit-Requests-Reset", in(50 * time.Minute), "X-RateLimit-Requests-Remaining", "9",
			"X-RateLimit-Endpoint-Requests-Reset", in(time.Minute), "X-RateLimit-Endpoint-Requests-Remaining", "0"}, time.Minute, 61 * time.Second},
		{[]string{"X-RateLimit-Requests-Reset", in(3 * time.Hour)}, time.Hour, time.Hour},
	} {
		if got := c.hold(answer(one.headers...)); got < one.from || got > one.to {
			t.Errorf("answer %d holds back for %s, want %s to %s", i, got, one.from, one.to)
		}
	}
}
