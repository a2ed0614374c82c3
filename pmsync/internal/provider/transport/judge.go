package transport

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/redact"
)

// Verdict is what an answer means.
type Verdict struct {
	Err   *provider.Error // nil: it is what was asked for
	Retry bool            // sending it again may help and does no harm
	// Hold keeps requests of the bucket ("": all) back for so long, also those
	// that are not asked yet, and also after an answer that was good.
	Hold   time.Duration
	Bucket string
}

// Good is the verdict on an answer that is what was asked for.
var Good = Verdict{}

// Limited is the verdict on an answer that says to come back later. Such a
// request had no effect.
func Limited(r *Response, n provider.Name, hold time.Duration) Verdict {
	if hold <= 0 {
		hold = time.Second
	}
	e := provider.Fail(provider.RateLimited, nil, "%s allows no further requests for %s", n.Title(), hold.Round(time.Second))
	e.RetryAt = r.At.Add(hold)
	return Verdict{Err: e, Retry: true, Hold: hold}
}

// VerdictByStatus is what an answer means by its status alone, with message as the
// tracker's own words. Judges use it for what they do not know better.
func VerdictByStatus(r *Response, n provider.Name, message string) Verdict {
	fail := func(reason provider.Reason, format string, args ...any) Verdict {
		text := fmt.Sprintf(format, args...)
		if message != "" {
			text += ": " + message
		}
		return Verdict{Err: provider.Fail(reason, nil, "%s", text)}
	}
	op, title := r.Request.Op, n.Title()
	switch s := r.Status; {
	case s >= 200 && s < 300:
		return Good
	case s == http.StatusUnauthorized:
		v := fail(provider.Unauthorized, "%s refuses the credentials", title)
		v.Err = v.Err.Hint("make a new token and %s", n.Store())
		return v
	case s == http.StatusForbidden:
		return fail(provider.Forbidden, "%s does not let this account %s", title, op)
	case s == http.StatusNotFound || s == http.StatusGone:
		return fail(provider.NotFound, "%s could not %s: it does not exist, or this account may not see it", title, op)
	case s == http.StatusConflict || s == http.StatusPreconditionFailed:
		return fail(provider.Changed, "%s could not %s because it was changed meanwhile", title, op)
	case s == http.StatusTooManyRequests:
		hold, _ := RetryAfter(r)
		return Limited(r, n, hold)
	case s == http.StatusRequestTimeout || s >= 500:
		v := fail(provider.Unavailable, "%s failed to %s (status %d)", title, op, s)
		v.Retry = r.Request.Safe
		if hold, ok := RetryAfter(r); ok {
			v.Hold = hold
		}
		if !r.Request.Safe {
			v.Err.Reason = provider.Uncertain
		}
		return v
	case s >= 300 && s < 400:
		return fail(provider.Protocol, "%s answered with a redirection (status %d), which is not followed because it would carry the credentials elsewhere", title, s)
	}
	return fail(provider.Invalid, "%s refused to %s (status %d)", title, op, r.Status)
}

// RetryAfter reads the header of that name (RFC 9110, section 10.2.3): seconds, or a date, which is judged
// by the tracker's own clock. It is false where there is none, or one that is neither. More than
// LongestHold is LongestHold.
func RetryAfter(r *Response) (time.Duration, bool) {
	text := strings.TrimSpace(r.Header.Get("Retry-After"))
	if text == "" {
		return 0, false
	}
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 {
		return bounded(s * float64(time.Second)), true
	}
	if at, err := http.ParseTime(text); err == nil {
		return r.Until(at), true
	}
	return 0, false
}

// LongestHold is how long a tracker may hold requests back: one that asks for more by mistake must not stop a project for good.
const LongestHold = time.Hour

// bounded is a number of nanoseconds within 0 and LongestHold.
func bounded(ns float64) time.Duration {
	if !(ns < float64(LongestHold)) {
		return LongestHold
	}
	return time.Duration(max(ns, 0))
}

// Until is how long from the answer's own time to at, 0 when that is past and LongestHold at most.
func (r *Response) Until(at time.Time) time.Duration {
	return bounded(float64(at.Sub(r.ServerTime())))
}

// ServerTime is the tracker's time of the answer, ours when it does not say.
func (r *Response) ServerTime() time.Time {
	if at, err := http.ParseTime(r.Header.Get("Date")); err == nil {
		return at
	}
	return r.At
}

// IsJSON reports whether the answer is declared as JSON.
func (r *Response) IsJSON() bool {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return kind == "application/json" || strings.HasSuffix(kind, "+json")
}

// Decode reads the answer's JSON into v. An answer that is not JSON, or cut short, is a
// Protocol error.
func (r *Response) Decode(n provider.Name, v any) error {
	if err := json.Unmarshal(Trim(r.Body), v); err != nil {
		return provider.Fail(provider.Protocol, nil, "%s answered the request to %s with something else than its API describes: %s",
			n.Title(), r.Request.Op, decodeError(err))
	}
	return nil
}

// decodeError describes what is wrong without the text itself, which may hold anything.
func decodeError(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Sprintf("a %s where %q is", wrong.Value, wrong.Field)
	}
	return "it is not whole JSON"
}

// Trim takes a byte order mark off, which some servers send.
func Trim(body []byte) []byte { return bytes.TrimPrefix(body, []byte("\ufeff")) }

var errTooLarge = errors.New("the answer is larger than the limit")

// readBounded reads at most limit bytes and fails beyond.
func readBounded(from io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err == nil && int64(len(body)) > limit {
		return body[:limit], errTooLarge
	}
	return body, err
}

// verdict judges one attempt.
func (c *Client) verdict(r *Request, resp *Response, err error) Verdict {
	if err == nil {
		return c.judged(r, resp)
	}
	title := c.o.Name.Title()
	text := c.clean(plainError(err))
	switch {
	case errors.Is(err, errTooLarge):
		return Verdict{Err: provider.Fail(provider.Protocol, nil, "%s answered the request to %s with more than %d MB", title, r.Op, c.o.MaxBody>>20)}
	case neverSent(err):
		e := provider.Fail(provider.Offline, nil, "%s is not reachable at %s: %s", title, c.base.Host, text)
		return Verdict{Err: e.Hint("the tickets here can be read and changed meanwhile; the next `pmsync push` sends it")}
	case !r.Safe:
		return Verdict{Err: c.uncertain(r, errors.New(text))}
	}
	return Verdict{Err: provider.Fail(provider.Unavailable, nil, "%s did not answer the request to %s: %s", title, r.Op, text), Retry: true}
}

// judged is the tracker's own verdict, after what all have in common: an answer
// that claims success and is a page for people is none.
func (c *Client) judged(r *Request, resp *Response) Verdict {
	good := c.o.Judge(resp)
	if good.Err != nil {
		return good
	}
	if resp.Status >= 200 && resp.Status < 300 && len(resp.Body) > 0 && !json.Valid(Trim(resp.Body)) {
		e := provider.Fail(provider.Protocol, nil, "%s answered the request to %s with %s instead of JSON", c.o.Name.Title(), r.Op, kindOf(resp)).
			Hint("something between here and there may have answered, such as a sign-in page")
		v := Verdict{Err: e, Retry: r.Safe && resp.IsJSON(), Hold: good.Hold, Bucket: good.Bucket} // JSON that is cut short may be whole next time
		if !r.Safe {
			e.Reason = provider.Uncertain
		}
		return v
	}
	return good
}

func kindOf(r *Response) string {
	if r.IsJSON() {
		return "a part of a document"
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return cmp.Or(kind, "something")
}

func (c *Client) uncertain(r *Request, cause error) *provider.Error {
	e := provider.Fail(provider.Uncertain, nil, "%s did not say whether it did what was asked (%s): %v", c.o.Name.Title(), r.Op, cause)
	e.RetryAt = c.o.Clock.Now().Add(uncertainPause)
	return e
}

// uncertainPause is how long to wait before looking whether a write arrived.
const uncertainPause = 5 * time.Second

// finish cleans what goes out and adds what the client knows.
func (c *Client) finish(r *Request, v Verdict, resp *Response) *provider.Error {
	e := *v.Err
	f := *e.Fault
	f.Message, f.Hint = c.clean(f.Message), c.clean(f.Hint)
	e.Fault = &f
	if resp != nil && e.Status == 0 {
		e.Status = resp.Status
	}
	if v.Hold > 0 && e.RetryAt.IsZero() {
		e.RetryAt = c.o.Clock.Now().Add(v.Hold)
	}
	if e.Reason == provider.Uncertain && e.RetryAt.IsZero() {
		e.RetryAt = c.o.Clock.Now().Add(uncertainPause)
	}
	c.o.Log.Debug("request refused", "provider", c.o.Name, "op", r.Op, "status", e.Status, "reason", e.Reason, "retry", v.Retry)
	return &e
}

// clean takes secrets out of a text and bounds it.
func (c *Client) clean(text string) string {
	for _, s := range c.o.Secrets {
		if len(s) >= 4 {
			text = strings.ReplaceAll(text, s, redact.Marked("credential"))
		}
	}
	text = redact.Clean(text)
	if len(text) > 1000 {
		text = strings.ToValidUTF8(text[:1000], "") + "…"
	}
	return text
}

// plainError is the error without the address, which may carry a query.
func plainError(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	switch {
	case errors.Is(err, errTimeout), errors.Is(err, context.DeadlineExceeded):
		return errTimeout.Error()
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the connection ended before the answer did"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" { // the address is said already
		err = op.Err
	}
	return err.Error()
}

// neverSent reports whether the request certainly did not reach the tracker.
func neverSent(err error) bool {
	var dns *net.DNSError
	var op *net.OpError
	var host x509.HostnameError
	var unknown x509.UnknownAuthorityError
	var verify *tls.CertificateVerificationError
	switch {
	case errors.As(err, &dns), errors.As(err, &host), errors.As(err, &unknown), errors.As(err, &verify):
		return true
	case errors.As(err, &op):
		return op.Op == "dial" || op.Op == "proxyconnect"
	}
	return false
}

// backoff is the pause before attempt+1: half a second, doubled each time, up to
// half a minute, with a part left to chance so that many callers do not return
// together.
func backoff(attempt int) time.Duration {
	doubled := min(max(attempt-1, 0), 6) // an attempt that was only limited does not count
	d := min(500*time.Millisecond<<doubled, 30*time.Second)
	return d/2 + rand.N(d/2+1)
}
