// Package ending determines why the run of an agent's client ended: the agent failed at its task, or the client could not work at all.
// It reads the client's error, as text and as codes, and finds the time at which a limit is lifted. All functions are pure. ending.go
// has the kinds and their words, until.go parses times.
package ending

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/text"
)

// Kind is a reason for the end of a run.
type Kind string

// The kinds. The zero Kind means that the reason is unknown.
const (
	UsageLimit Kind = "usage_limit" // subscription, credit or quota used up
	RateLimit  Kind = "rate_limit"  // too many requests, or the service is overloaded
	Login      Kind = "login"       // the client has no valid login or key
	Network    Kind = "network"     // the service could not be reached
	Refusal    Kind = "refusal"     // the model refused the task
	Exhausted  Kind = "exhausted"   // out of tokens or turns
	Denied     Kind = "denied"      // a tool that the agent needed was denied
	Budget     Kind = "budget"      // the user's own budget is spent
	Silence    Kind = "silence"     // it printed nothing for too long
	TimeLimit  Kind = "time_limit"  // it took longer than it may
	Crash      Kind = "crash"       // it ended with an error of its own
	Nothing    Kind = "nothing"     // it exited without an error and did nothing
	Broken     Kind = "broken"      // its worktree is in a state from which nothing can land
	Gate       Kind = "gate"        // its work failed the gate
	Done       Kind = "done"        // its work is good
)

var words = map[Kind]string{
	UsageLimit: "usage limit", RateLimit: "rate limit or overload", Login: "not logged in", Network: "network", Refusal: "the model refused",
	Exhausted: "out of tokens or turns", Denied: "denied tool", Budget: "budget spent", Silence: "silence", TimeLimit: "time limit", Crash: "crash",
	Nothing: "nothing done", Broken: "worktree left broken", Gate: "failed gate", Done: "done",
}

// Words describes a kind for people.
func (k Kind) Words() string { return words[k] }

// Waits reports whether the cause passes by itself, so that the same client works again later.
func (k Kind) Waits() bool { return k == UsageLimit || k == RateLimit || k == Network }

// Blameless reports whether the cause is independent of the task, so that the run does not count as an attempt.
func (k Kind) Blameless() bool { return k.Waits() || k == Login || k == Denied || k == Budget }

// Report holds the details of an end.
type Report struct {
	Text   string // the client's own error text
	Name   string // its error code, such as "rate_limit_error"
	Status int    // HTTP status; 0 for none
	Until  time.Time
	// Printed is set for a line that a program printed. It may be of a test that the agent ran, or a path, so that fewer words count than in
	// an error of the client's own, and no code of a service but behind "API error".
	Printed bool
}

// Read returns the kind of a reported error and the time at which a limit is lifted; the zero time when that is unknown.
func Read(r Report, now time.Time) (k Kind, until time.Time) {
	if k = kindOf(r); !k.Waits() {
		return k, time.Time{}
	}
	if until = r.Until; until.IsZero() {
		until, _ = FindTime(r.Text, now)
	}
	if until.Before(now) || until.After(now.Add(furthest)) {
		until = time.Time{}
	}
	return k, until
}

// furthest is the latest plausible end of a limit. A later time is a parsing error.
const furthest = 32 * 24 * time.Hour

func kindOf(r Report) Kind {
	said := strings.ToLower(r.Name + " " + r.Text)
	matches := func(sure, likely *text.Pattern) bool {
		return sure.Regexp().MatchString(said) || !r.Printed && likely.Regexp().MatchString(said)
	}
	status := cmp.Or(r.Status, statusIn(said))
	if r.Printed && !strings.Contains(said, "api error") {
		status = 0
	}
	switch {
	case matches(&usage, &likelyUsage):
		return UsageLimit
	case exhausted.Regexp().MatchString(said): // before overload, because both texts name limits
		return Exhausted
	case status == 401 || matches(&login, &likelyLogin):
		return Login
	case status == 429 || status >= 500 && status < 600 || matches(&rate, &likelyRate):
		return RateLimit
	case matches(&network, &likelyNetwork):
		return Network
	case refusal.Regexp().MatchString(said):
		return Refusal
	}
	return ""
}

// Messages of clients and services, in lower case. The likely ones are also found in what tests and builds print.
var (
	usage         = text.Pattern{Expr: `usage limit|session limit|weekly limit|(5|five)-hour limit|hit your limit|quota exceeded|exceeded your (current )?quota|credit balance|out of credits?|no credits?\b|insufficient (funds|balance|credit)|payment required|spend(ing)? limit`}
	likelyUsage   = text.Pattern{Expr: `limit reached|quota|billing`}
	rate          = text.Pattern{Expr: `rate.?limit(ed|s? (reached|exceeded|error)|_error|_exceeded)|too many requests|\boverloaded|resource.?exhausted`}
	likelyRate    = text.Pattern{Expr: `rate.?limit|overloaded|server_error|internal server error|bad gateway|service unavailable|temporarily unavailable|gateway time-?out|at capacity`}
	login         = text.Pattern{Expr: `invalid (x-)?api.?key|incorrect api key|api key not valid|no api key|missing api key|not logged in|not authenticated|please (run )?/?log ?in|login required|oauth token (has )?expired`}
	likelyLogin   = text.Pattern{Expr: `unauthori[sz]ed|authentication|auth_required|/login|oauth token|token (has )?expired`}
	network       = text.Pattern{Expr: `enotfound|eai_again|getaddrinfo|typo in the url|could not resolve host|no such host|network is unreachable|stream disconnected`}
	likelyNetwork = text.Pattern{Expr: `econnrefused|econnreset|etimedout|connection refused|connection reset|connection error|(could not|cannot) connect|unable to connect|could not resolve|network error|fetch failed|socket hang up|request timed out|dns`}
	exhausted     = text.Pattern{Expr: `max_turn|max_tokens|max_output|max.?turns|turn limit|maximum (number of )?turns|error_max|context (window|length)|prompt is too long|context_length|out of tokens|too many tokens`}
	refusal       = text.Pattern{Expr: `\brefusal\b|content policy|usage policy|flagged|content_filter|safety`}
	statuses      = text.Pattern{Expr: `(?:api error:? |status(?: code)?:? ?|http[ /][0-9.]* ?|error:? |code:? ?)\(?(4[0-9]{2}|5[0-9]{2})\b|^\s*(4[0-9]{2}|5[0-9]{2}) [a-z{]`}
)

// statusIn finds an HTTP status in an error text; 0 for none.
func statusIn(said string) int {
	m := statuses.Regexp().FindStringSubmatch(strings.TrimSpace(said))
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1] + m[2]) // only digits
	return n
}
