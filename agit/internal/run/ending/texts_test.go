package ending

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/cli/clitest"
)

// Each line of testdata/texts.txt is what a client or a service says; the golden file has its status, its kind, and when the limit is lifted.
func TestTexts(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/texts.txt")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 26, 13, 30, 0, 0, berlin)
	var s strings.Builder
	for said := range strings.Lines(string(data)) {
		said = strings.TrimSuffix(said, "\n")
		kind, until := Read(Report{Text: said}, now)
		at, found := FindTime(said, now)
		fmt.Fprintf(&s, "%s\n\t%d, %q, until %s; a time: %t, %s\n", said, statusIn(strings.ToLower(said)), kind, moment(until), found, moment(at))
	}
	clitest.Golden(t, "testdata/texts.golden", s.String())
}

func moment(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.Format(time.RFC3339Nano)
}

// A kind has words of its own.
func TestWords(t *testing.T) {
	t.Parallel()
	for kind, want := range map[Kind]string{
		UsageLimit: "usage limit", RateLimit: "rate limit or overload", Login: "not logged in", Network: "network", Refusal: "the model refused",
		Exhausted: "out of tokens or turns", Denied: "denied tool", Budget: "budget spent", Silence: "silence", TimeLimit: "time limit", Crash: "crash",
		Nothing: "nothing done", Broken: "worktree left broken", Gate: "failed gate", Done: "done", "other": "",
	} {
		if got := kind.Words(); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// A status and a code count as much as the text, and a time that is given more than one that is found in it.
func TestReports(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 1, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		r     Report
		kind  Kind
		until time.Duration // from now on, 0 for unknown
	}{
		{Report{Status: 400}, "", 0},
		{Report{Status: 401, Text: "try again in 5 minutes"}, Login, 0},
		{Report{Status: 403}, "", 0},
		{Report{Status: 429, Text: "in 5 minutes"}, RateLimit, 5 * time.Minute},
		{Report{Status: 429, Text: "in 5 minutes", Until: now.Add(time.Hour)}, RateLimit, time.Hour},
		{Report{Status: 429, Until: now}, RateLimit, 0},
		{Report{Status: 429, Until: now.Add(furthest)}, RateLimit, furthest},
		{Report{Status: 429, Until: now.Add(furthest + 1)}, RateLimit, 0},
		{Report{Status: 429, Until: now.Add(-1)}, RateLimit, 0},
		{Report{Status: 499}, "", 0},
		{Report{Status: 500}, RateLimit, 0},
		{Report{Status: 599}, RateLimit, 0},
		{Report{Status: 600}, "", 0},
		{Report{Status: 200, Text: "API Error: 401"}, "", 0},
		{Report{Name: "Authentication_Error"}, Login, 0},
		{Report{Name: "rate_limit_error", Text: "your quota"}, UsageLimit, 0},
		{Report{Name: "max_tokens", Text: "status 429"}, Exhausted, 0},
		{Report{Name: "refusal", Text: "connection reset"}, Network, 0},
	} {
		want := time.Time{}
		if c.until != 0 || c.r.Until.Equal(now) {
			want = now.Add(c.until)
		}
		if kind, until := Read(c.r, now); kind != c.kind || !until.Equal(want) {
			t.Errorf("%+v: %q until %s, want %q until %s", c.r, kind, moment(until), c.kind, moment(want))
		}
	}
}
