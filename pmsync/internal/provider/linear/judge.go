package linear

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// gqlError is an error of Linear. The HTTP status carries no information about it.
type gqlError struct {
	Message    string            `json:"message"`
	Path       []json.RawMessage `json:"path"`
	Extensions struct {
		Code    string `json:"code"`
		Type    string `json:"type"`
		Message string `json:"userPresentableMessage"`
	} `json:"extensions"`
}

// code returns the error's code in one spelling: Linear has one as code and one as type.
func (e gqlError) code() string {
	return strings.ToUpper(strings.ReplaceAll(cmp.Or(e.Extensions.Code, e.Extensions.Type), " ", "_"))
}

func (e gqlError) text() string { return cmp.Or(e.Extensions.Message, e.Message) }

// at returns the path of the error: issues, nodes, 3, assignee.
func (e gqlError) at() (parts []string) {
	for _, p := range e.Path {
		parts = append(parts, strings.Trim(string(p), `"`))
	}
	return parts
}

// judge classifies an answer. Linear's error is in extensions.code, whatever the status is; when only a part failed, it is beside the
// data.
func (c *Client) judge(r *transport.Response) transport.Verdict {
	var answer struct {
		Data   json.RawMessage `json:"data"`
		Errors []gqlError      `json:"errors"`
	}
	if r.Status != http.StatusOK || bytes.Contains(r.Body, []byte(`"errors"`)) {
		_ = json.Unmarshal(transport.Trim(r.Body), &answer) // a body that is not JSON has no errors
	}
	for _, e := range answer.Errors {
		if code := e.code(); code == "RATELIMITED" || code == "RATE_LIMITED" {
			return transport.Limited(r, provider.Linear, c.hold(r))
		}
	}
	c.refused.Store(0)
	data := len(answer.Data) > 0 && !bytes.Equal(answer.Data, []byte("null"))
	if len(answer.Errors) > 0 && !(data && r.Status == http.StatusOK) {
		err := c.failed(r.Request.Op, answer.Errors[0], r.Status)
		return transport.Verdict{Err: err, Retry: err.Reason == provider.Unavailable && r.Request.Safe}
	}
	if r.Status == http.StatusOK && r.IsJSON() {
		return transport.Verdict{Hold: exhausted(r)}
	}
	return transport.VerdictByStatus(r, provider.Linear, "")
}

// failed converts an error of Linear.
func (c *Client) failed(op string, e gqlError, status int) *provider.Error {
	reason := provider.Invalid
	switch code := e.code(); {
	case strings.HasPrefix(e.Message, "Entity not found"):
		reason = provider.NotFound
	case code == "AUTHENTICATION_ERROR" || code == "UNAUTHENTICATED" || status == http.StatusUnauthorized:
		reason = provider.Unauthorized
	case code == "FORBIDDEN" || code == "FEATURE_NOT_ACCESSIBLE" || code == "USAGE_LIMIT_EXCEEDED" || status == http.StatusForbidden:
		reason = provider.Forbidden
	case code == "INTERNAL_SERVER_ERROR" || code == "INTERNAL_ERROR" || code == "LOCK_TIMEOUT" || code == "NETWORK_ERROR" || status >= 500:
		reason = provider.Unavailable
	case code == "GRAPHQL_VALIDATION_FAILED" || code == "GRAPHQL_PARSE_FAILED" || code == "GRAPHQL_ERROR":
		reason = provider.Protocol
	}
	err := provider.Fail(reason, nil, "Linear refused to %s: %s", op, e.text())
	switch reason {
	case provider.Unauthorized:
		err = provider.Fail(reason, nil, "Linear refuses the API key: %s", e.text()).Hint("make a new one and %s", provider.Linear.Store())
	case provider.Unavailable:
		err = provider.Fail(reason, nil, "Linear failed to %s: %s", op, e.text())
	case provider.NotFound:
		err = provider.Fail(reason, nil, "Linear could not %s: %s", op, e.text())
	}
	err.Status, err.Code = status, e.code()
	return err
}

// exhausted returns the wait after an answer whose remaining limit is 0. The limits are leaky buckets, which refill evenly over an
// hour, so the next request need not wait the whole hour.
func exhausted(r *transport.Response) (hold time.Duration) {
	for _, b := range []struct {
		name string
		need float64
	}{
		{"Requests", 1}, {"Endpoint-Requests", 1}, {"Complexity", number(r.Header, "X-Complexity", 0)},
	} {
		left, limit := number(r.Header, "X-RateLimit-"+b.name+"-Remaining", -1), number(r.Header, "X-RateLimit-"+b.name+"-Limit", -1)
		if left < 0 || limit <= 0 || left >= b.need { // a missing header carries no information
			continue
		}
		hold = max(hold, min(time.Duration((b.need-left)/limit*float64(time.Hour)), resetOf(r, b.name)))
	}
	return hold
}

// hold returns the wait after a refusal: until the named time, otherwise longer after each consecutive refusal, up to an hour.
func (c *Client) hold(r *transport.Response) time.Duration {
	step := min(max(exhausted(r), 2*time.Second)<<min(c.refused.Add(1)-1, 12), time.Hour)
	named := time.Duration(0)
	for _, name := range []string{"Requests", "Complexity", "Endpoint-Requests"} {
		if ms := number(r.Header, "X-RateLimit-"+name+"-Reset", -1); ms > 0 && number(r.Header, "X-RateLimit-"+name+"-Remaining", 0) <= 0 {
			named = max(named, resetOf(r, name))
		}
	}
	if named > 0 {
		return min(named+time.Millisecond, time.Hour)
	}
	return step
}

// resetOf returns the time until a limit is full again, or an hour if unknown.
func resetOf(r *transport.Response, name string) time.Duration {
	ms := number(r.Header, "X-RateLimit-"+name+"-Reset", -1)
	if ms <= 0 {
		return time.Hour
	}
	return r.Until(time.UnixMilli(int64(ms)))
}

func number(h http.Header, name string, otherwise float64) float64 {
	if n, err := strconv.ParseFloat(strings.TrimSpace(h.Get(name)), 64); err == nil {
		return n
	}
	return otherwise
}
