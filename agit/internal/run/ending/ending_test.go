package ending

import (
	"testing"
	"time"
)

// An error is classified by the words and codes that clients and services print.
func TestRead(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 1, 0, 0, 0, time.UTC)
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 11, day, hour, minute, 0, 0, time.UTC) }
	for _, test := range []struct {
		r     Report
		kind  Kind
		until time.Time
	}{
		{Report{Text: "You've hit your session limit · resets 3pm"}, UsageLimit, at(26, 15, 0)},
		{Report{Text: "You've hit your session limit · resets 12:30am (UTC)"}, UsageLimit, at(27, 0, 30)},
		{Report{Text: "Claude usage limit reached|" + "1795658400"}, UsageLimit, time.Unix(1795658400, 0)},
		{Report{Text: "You've hit your usage limit. Upgrade or try again at 8:30 PM."}, UsageLimit, at(26, 20, 30)},
		{Report{Text: "You've hit your usage limit. Try again in 2 days 3 hours."}, UsageLimit, at(28, 4, 0)},
		{Report{Text: "You've hit your usage limit, try again at Nov 28th, 2026 8:30 PM."}, UsageLimit, at(28, 20, 30)},
		{Report{Text: "Your credit balance is too low to access the API"}, UsageLimit, time.Time{}},
		{Report{Status: 429, Text: "limit", Until: at(26, 2, 0)}, RateLimit, at(26, 2, 0)},
		{Report{Status: 429, Text: "limit", Until: at(25, 2, 0)}, RateLimit, time.Time{}}, // the time has passed
		{Report{Text: `429 {"type":"error","error":{"type":"rate_limit_error"}} retry after 90`}, RateLimit, at(26, 1, 1).Add(30 * time.Second)},
		{Report{Text: `RESOURCE_EXHAUSTED "retryDelay":"34s"`}, RateLimit, at(26, 1, 0).Add(34 * time.Second)},
		{Report{Text: "Repeated 529 Overloaded", Name: "server_error"}, RateLimit, time.Time{}},
		{Report{Text: "API Error: 500 oops"}, RateLimit, time.Time{}},
		{Report{Text: "API Error: 401"}, Login, time.Time{}},
		{Report{Status: 401}, Login, time.Time{}},
		{Report{Text: "invalid x-api-key"}, Login, time.Time{}},
		{Report{Text: "Please run /login"}, Login, time.Time{}},
		{Report{Text: "getaddrinfo ENOTFOUND api.example.com"}, Network, time.Time{}},
		{Report{Text: "Internal error: Cannot connect to API"}, Network, time.Time{}},
		{Report{Text: "Was there a typo in the url or port?"}, Network, time.Time{}},
		{Report{Name: "error_max_turns"}, Exhausted, time.Time{}},
		{Report{Text: "prompt is too long: 210000 tokens"}, Exhausted, time.Time{}},
		{Report{Name: "refusal"}, Refusal, time.Time{}},
		{Report{Text: "it broke in line 429"}, "", time.Time{}},
		{Report{Text: ""}, "", time.Time{}},
		{Report{Text: "authentication failed"}, Login, time.Time{}},
		{Report{Text: "connect ECONNREFUSED 127.0.0.1:5432"}, Network, time.Time{}},
		{Report{Text: "503 service unavailable"}, RateLimit, time.Time{}},
		{Report{Text: "see the billing page"}, UsageLimit, time.Time{}},
		// The same words of a program are likely a test's.
		{Report{Printed: true, Text: "FAIL src/authentication.test.ts"}, "", time.Time{}},
		{Report{Printed: true, Text: "FAIL src/billing/quota_test.go"}, "", time.Time{}},
		{Report{Printed: true, Text: "connect ECONNREFUSED 127.0.0.1:5432"}, "", time.Time{}},
		{Report{Printed: true, Text: "expected 200, got status 401 unauthorized"}, "", time.Time{}},
		{Report{Printed: true, Text: "error: 503 service unavailable"}, "", time.Time{}},
		{Report{Printed: true, Text: "✗ rate limiter: keeps the dns cache"}, "", time.Time{}},
		{Report{Printed: true, Text: "You've hit your usage limit. Try again in 2 days 3 hours."}, UsageLimit, at(28, 4, 0)},
		{Report{Printed: true, Text: "Claude usage limit reached|" + "1795658400"}, UsageLimit, time.Unix(1795658400, 0)},
		{Report{Printed: true, Text: "Error: you exceeded your current quota"}, UsageLimit, time.Time{}},
		{Report{Printed: true, Text: "API Error: 401"}, Login, time.Time{}},
		{Report{Printed: true, Text: "Invalid API key · Please run /login"}, Login, time.Time{}},
		{Report{Printed: true, Text: "API Error: 529 Overloaded"}, RateLimit, time.Time{}},
		{Report{Printed: true, Text: "429 Too Many Requests"}, RateLimit, time.Time{}},
		{Report{Printed: true, Text: "getaddrinfo ENOTFOUND api.example.com"}, Network, time.Time{}},
	} {
		kind, until := Read(test.r, now)
		if kind != test.kind || !until.Equal(test.until) {
			t.Errorf("%+v: %q until %s, want %q until %s", test.r, kind, until, test.kind, test.until)
		}
	}
}

// An end that passes by itself, or that the client or the user caused, does not count as an attempt.
func TestBlame(t *testing.T) {
	t.Parallel()
	for kind, want := range map[Kind][2]bool{
		UsageLimit: {true, true}, RateLimit: {true, true}, Network: {true, true}, Login: {false, true}, Denied: {false, true}, Budget: {false, true},
		Refusal: {}, Exhausted: {}, Silence: {}, TimeLimit: {}, Crash: {}, Nothing: {}, Broken: {}, Gate: {}, Done: {}, "": {},
	} {
		if got := [2]bool{kind.Waits(), kind.Blameless()}; got != want {
			t.Errorf("%s: it waits and is blameless: %v, want %v", kind, got, want)
		}
		if (kind == "") != (kind.Words() == "") {
			t.Errorf("%q has the words %q", kind, kind.Words())
		}
	}
}

func FuzzFindTime(f *testing.F) {
	for _, s := range []string{"resets 3pm (Europe/Berlin)", "in 2 days 3 hours", "try again at Nov 28th, 2026 8:30 PM", "1795658400", "2026-11-26T03:00:00Z", "retryDelay: 1e9"} {
		f.Add(s)
	}
	now := time.Date(2026, 11, 26, 1, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, said string) {
		if _, until := Read(Report{Status: 429, Text: said}, now); !until.IsZero() && (until.Before(now) || until.After(now.Add(furthest))) {
			t.Errorf("%q: %s", said, until)
		}
	})
}
