package github

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// betweenWrites is the pause that GitHub requests between changes
// (https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api).
const betweenWrites = time.Second

// betweenRefusals is the wait after a refusal without a time, as GitHub requests.
const betweenRefusals = time.Minute

// judge classifies an answer. GitHub refuses too many requests with 403 or 429, with or without the time to retry.
func (c *Client) judge(r *transport.Response) transport.Verdict {
	said := ""
	if r.Status >= http.StatusMultipleChoices {
		said = message(r.Body)
	}
	if v, judged := judgeGraph(r); judged {
		return v
	}
	switch s := r.Status; {
	case s == http.StatusNotModified && r.Request.Header.Get("If-None-Match") != "":
		return transport.Good
	case s == http.StatusForbidden || s == http.StatusTooManyRequests:
		if hold, limited := c.limited(r, said); limited {
			return transport.Limited(r, provider.GitHub, hold)
		}
		v := transport.VerdictByStatus(r, provider.GitHub, said)
		if _, address, _ := strings.Cut(r.Header.Get("X-GitHub-SSO"), "url="); strings.TrimSpace(address) != "" && v.Err != nil {
			v.Err = v.Err.Hint("the organization wants a single sign-on for this token: open %s", strings.TrimSpace(address))
		}
		return v
	case s == http.StatusMovedPermanently || s == http.StatusTemporaryRedirect || s == http.StatusPermanentRedirect:
		if c.here(r.Header.Get("Location")) {
			e := provider.Fail(provider.NotFound, nil, "GitHub could not %s: it has moved", r.Request.Op).
				Hint("`pmsync connect github` connects the project anew, if it is the repository that has another name")
			e.Code = r.Header.Get("Location")
			return transport.Verdict{Err: e}
		}
	case s == http.StatusUnavailableForLegalReasons:
		return transport.Verdict{Err: provider.Fail(provider.Forbidden, nil, "GitHub does not show this for legal reasons, and could not %s", r.Request.Op)}
	case s == http.StatusUnauthorized:
		v := transport.VerdictByStatus(r, provider.GitHub, said)
		v.Err = v.Err.Hint("log in with `gh auth login`, set GITHUB_TOKEN, or %s", provider.GitHub.Store())
		return v
	}
	v := transport.VerdictByStatus(r, provider.GitHub, said)
	if v.Err != nil {
		return v
	}
	c.slowed.Store(0)
	if r.Request.Bucket == write {
		v.Hold, v.Bucket = betweenWrites, write
	}
	if r.Header.Get("X-RateLimit-Remaining") == "0" { // the next request would be refused
		if hold := reset(r); hold > 0 {
			v.Hold, v.Bucket = hold, ""
		}
	}
	return v
}

// limited reports whether an answer is a rate limit, and how long to wait: the named time, otherwise until the hourly limit resets,
// otherwise a minute, doubled after each consecutive refusal.
func (c *Client) limited(r *transport.Response, said string) (time.Duration, bool) {
	if hold, ok := transport.RetryAfter(r); ok {
		return hold, true
	}
	if r.Header.Get("X-RateLimit-Remaining") == "0" {
		if hold := reset(r); hold > 0 {
			return hold, true
		}
		return betweenRefusals, true
	}
	said = strings.ToLower(said)
	if r.Status != http.StatusTooManyRequests && !strings.Contains(said, "rate limit") && !strings.Contains(said, "abuse") {
		return 0, false
	}
	return betweenRefusals << min(c.slowed.Add(1)-1, 5), true
}

// reset returns the time until the limit resets; 0 when the answer does not name it.
func reset(r *transport.Response) time.Duration {
	at, err := strconv.ParseInt(strings.TrimSpace(r.Header.Get("X-RateLimit-Reset")), 10, 64)
	if err != nil || at <= 0 {
		return 0
	}
	return r.Until(time.Unix(at, 0)) + time.Second // the header has whole seconds
}

// here reports whether an address is below the one that gets the credentials.
func (c *Client) here(address string) bool {
	base, err := url.Parse(c.http.Base())
	u, bad := url.Parse(address)
	return err == nil && bad == nil && address != "" && (u.Host == "" || u.Host == base.Host && u.Scheme == base.Scheme)
}

// message returns GitHub's error message: a sentence, and the field of an invalid value.
func message(body []byte) string {
	var answer struct {
		Message string
		Errors  json.RawMessage
	}
	if json.Unmarshal(transport.Trim(body), &answer) != nil {
		return ""
	}
	var details []struct{ Field, Code, Message string }
	_ = json.Unmarshal(answer.Errors, &details) // some answers have texts there, which add nothing
	for _, d := range details {
		parts := strings.Join(strings.Fields(d.Field+" "+d.Code+" "+d.Message), " ")
		if parts != "" {
			answer.Message += "; " + parts
		}
	}
	return answer.Message
}
