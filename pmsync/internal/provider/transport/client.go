// Package transport is the one way in which pmsync talks to trackers. It adds
// the credentials, and sends them to the one host they were given for; waits as
// long as the tracker asks; repeats what can be repeated without a further
// effect; bounds what it reads and how long that takes; and takes secrets out of
// everything it says.
//
// The difference between trackers is a Judge: a function that reads an answer.
package transport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/fault"
)

// Options make a Client. Name, BaseURL, Authorize and Judge are needed.
type Options struct {
	Name      provider.Name
	BaseURL   string            // https://host or https://host/path; http only to this machine
	Authorize func(http.Header) // adds the credentials
	Secrets   []string          // what must never be shown: the secret, in each form it is sent in
	Judge     func(*Response) Verdict

	Attempts int           // of one request, 5 when 0
	Timeout  time.Duration // of one attempt, 30 s when 0
	Patience time.Duration // longest wait that a tracker may ask for, 2 min when 0
	MaxBody  int64         // bytes of an answer, 32 MB when 0

	// Limits returns the limits for a tracker and its address, which other processes share.
	// When Limits is nil, this client keeps its own.
	Limits       func(account string) Limits
	Clock        Clock             // System when nil
	RoundTripper http.RoundTripper // a pool of connections of its own when nil
	Log          *slog.Logger      // nothing is logged when nil
}

// Limits keeps for all processes how long a tracker wants no requests of a bucket ("": of
// all). It is safe for concurrent use.
type Limits interface {
	Left(ctx context.Context, bucket string) (time.Duration, error)
	Hold(ctx context.Context, bucket string, d time.Duration) error
}

// Client sends requests to one tracker. It is safe for concurrent use.
type Client struct {
	o     Options
	base  *url.URL
	http  *http.Client
	gates gates
	limit Limits
	stats counters
	skew  atomic.Int64 // nanoseconds that the tracker's clock is ahead of ours
}

// Request is one request. Path and Query are below the base URL; there is no way
// to name another host.
type Request struct {
	Op          string // what it is, in errors and logs: "read issues"
	Method      string // GET when empty
	Path        string // escaped
	Query       url.Values
	Body        any    // sent as JSON; nil for none
	ContentType string // application/json when empty
	Header      http.Header
	// Safe means that repeating the request has no further effect. GET and HEAD
	// always have none.
	Safe bool
	// Bucket names the limit that the request counts against, for trackers that
	// limit endpoints one by one.
	Bucket string
}

// Response is an answer, read whole.
type Response struct {
	Request *Request
	Status  int
	Header  http.Header
	Body    []byte
	At      time.Time // when it came, by the client's clock
}

// Stats are a client's sums since it was made.
type Stats struct {
	Requests int64
	Retries  int64
	Bytes    int64
	Waited   time.Duration // because the tracker asked for it, or before a retry
}

type counters struct{ requests, retries, bytes, waited atomic.Int64 }

// New makes a client. It sends nothing.
func New(o Options) (*Client, error) {
	base, err := parseBase(o.Name, o.BaseURL)
	if err != nil {
		return nil, err
	}
	o.Attempts = cmp.Or(o.Attempts, 5)
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.Patience = cmp.Or(o.Patience, 2*time.Minute)
	o.MaxBody = cmp.Or(o.MaxBody, 32<<20)
	o.Clock = cmp.Or[Clock](o.Clock, System{})
	if o.RoundTripper == nil {
		o.RoundTripper = dialer()
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	c := &Client{o: o, base: base, gates: gates{until: map[string]time.Time{}}}
	if o.Limits != nil {
		c.limit = o.Limits(string(o.Name) + " " + base.String())
	}
	c.http = &http.Client{Transport: o.RoundTripper,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c, nil
}

// parseBase accepts https anywhere and http on this machine only: a secret must
// not cross a network that others can read.
func parseBase(n provider.Name, text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(text), "/"))
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fault.Validation("url", "the address of %s must be like https://host, without a user, a query or a fragment", n.Title())
	case u.Scheme == "https", u.Scheme == "http" && IsHere(u.Hostname()):
		return u, nil
	}
	return nil, fault.Validation("url", "the address of %s must begin with https://", n.Title())
}

// IsHere reports whether a host is this machine.
func IsHere(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// dialer finds out quickly that there is no network, and keeps few connections.
func dialer() http.RoundTripper {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  0, // the attempt's own limit holds
		IdleConnTimeout:        60 * time.Second,
		MaxIdleConnsPerHost:    4,
		MaxConnsPerHost:        8,
		MaxResponseHeaderBytes: 1 << 20,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 5 * time.Second}, // finds dead connections
	}
}

// Now is the time by the client's clock.
func (c *Client) Now() time.Time { return c.o.Clock.Now() }

// ServerNow is the time by the tracker's clock, as far as its answers told it, to
// the second; ours before the first one. What is compared with a tracker's times
// is measured by the tracker's clock.
func (c *Client) ServerNow() time.Time { return c.Now().Add(time.Duration(c.skew.Load())) }

// Base is the address that the credentials go to.
func (c *Client) Base() string { return c.base.String() }

// Stats returns the sums so far.
func (c *Client) Stats() Stats {
	return Stats{Requests: c.stats.requests.Load(), Retries: c.stats.retries.Load(), Bytes: c.stats.bytes.Load(),
		Waited: time.Duration(c.stats.waited.Load())}
}

// CloseIdle ends connections that are not in use.
func (c *Client) CloseIdle() { c.http.CloseIdleConnections() }

// Do sends the request until it has an answer that the Judge accepts, and
// returns that. Else it returns a *provider.Error, or ctx's error.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	r.Method = cmp.Or(r.Method, http.MethodGet)
	for _, part := range strings.Split(r.Path, "/") {
		if part == "" || part == "." || part == ".." { // an id that leads to another endpoint
			return nil, provider.Fail(provider.Invalid, nil, "an id of %s is empty or has dots alone, which cannot be asked for to %s", c.o.Name.Title(), r.Op)
		}
	}
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = json.Marshal(r.Body); err != nil {
			return nil, err
		}
	}
	r.Safe = r.Safe || r.Method == http.MethodGet || r.Method == http.MethodHead
	var waited time.Duration
	for attempt := 1; ; attempt++ {
		w, err := c.gates.wait(ctx, c, &r, waited)
		waited += w
		if err != nil {
			return nil, err
		}
		resp, err := c.send(ctx, &r, body)
		if ctx.Err() != nil {
			if r.Safe || err != nil && neverSent(err) {
				return nil, context.Cause(ctx)
			}
			return nil, c.uncertain(&r, context.Cause(ctx)) // a write may have reached the tracker
		}
		v := c.verdict(&r, resp, err)
		if v.Hold > 0 {
			c.gates.close(v.Bucket, c.o.Clock.Now().Add(v.Hold))
			if c.limit != nil {
				if err := c.limit.Hold(context.WithoutCancel(ctx), v.Bucket, v.Hold); err != nil {
					return nil, err
				}
			}
		}
		if v.Err == nil {
			return resp, nil
		}
		e := c.finish(&r, v, resp)
		if e.Reason == provider.RateLimited && v.Retry {
			attempt-- // patience bounds these, not their number
		} else if !v.Retry || attempt >= c.o.Attempts || resp == nil && attempt >= silent {
			return nil, e
		}
		c.stats.retries.Add(1)
		if v.Hold > 0 {
			continue // the gate waits
		}
		pause := backoff(attempt)
		waited += pause
		if err := c.pause(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// Call sends the request as Do does and decodes the JSON of its answer, unless into is nil or the answer is that nothing changed.
func (c *Client) Call(ctx context.Context, r Request, into any) (*Response, error) {
	resp, err := c.Do(ctx, r)
	if err != nil || into == nil || resp.Status == http.StatusNotModified {
		return resp, err
	}
	return resp, resp.Decode(c.o.Name, into)
}

func (c *Client) pause(ctx context.Context, d time.Duration) error {
	c.stats.waited.Add(int64(d))
	return c.o.Clock.Wait(ctx, d)
}

// send makes one attempt and reads the whole answer.
func (c *Client) send(ctx context.Context, r *Request, sent []byte) (*Response, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.o.Timeout, errTimeout)
	defer cancel()
	u := c.base.JoinPath(r.Path)
	u.RawQuery = r.Query.Encode()
	req, err := http.NewRequestWithContext(ctx, r.Method, u.String(), bytes.NewReader(sent))
	if err != nil {
		return nil, err
	}
	if len(sent) > 0 {
		req.Header.Set("Content-Type", cmp.Or(r.ContentType, "application/json"))
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "pmsync")
	maps.Copy(req.Header, r.Header)
	c.o.Authorize(req.Header)

	began := c.o.Clock.Now()
	c.stats.requests.Add(1)
	answer, err := c.http.Do(req)
	if err != nil {
		c.o.Log.Debug("request failed", "provider", c.o.Name, "op", r.Op, "error", c.clean(err.Error()))
		return nil, err
	}
	defer answer.Body.Close()
	body, err := readBounded(answer.Body, c.o.MaxBody)
	c.stats.bytes.Add(int64(len(body)))
	at := c.o.Clock.Now()
	c.o.Log.Debug("request", "provider", c.o.Name, "op", r.Op, "status", answer.StatusCode, "bytes", len(body),
		"duration", at.Sub(began).Milliseconds())
	resp := &Response{Request: r, Status: answer.StatusCode, Header: answer.Header, Body: body, At: at}
	if date, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		c.skew.Store(int64(date.Sub(at)))
	}
	return resp, err
}

// gates hold requests back until the tracker takes them again: "" is every
// request, another name those of that bucket.
type gates struct {
	mu    sync.Mutex
	until map[string]time.Time
}

func (g *gates) close(bucket string, until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until.After(g.until[bucket]) {
		g.until[bucket] = until
	}
}

func (g *gates) open(buckets ...string) (at time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, b := range buckets {
		if g.until[b].After(at) {
			at = g.until[b]
		}
	}
	return at
}

// wait waits until the gates are open, unless that is longer than the client's
// patience: then the caller learns when to come back.
func (g *gates) wait(ctx context.Context, c *Client, r *Request, waited time.Duration) (time.Duration, error) {
	now := c.o.Clock.Now()
	at := g.open("", r.Bucket)
	if c.limit != nil {
		left, err := c.limit.Left(ctx, r.Bucket)
		if err != nil {
			return 0, err
		}
		if there := now.Add(left); left > 0 && there.After(at) {
			at = there
		}
	}
	d := at.Sub(now)
	if d <= 0 {
		return 0, nil
	}
	if waited+d > c.o.Patience {
		e := provider.Fail(provider.RateLimited, nil, "%s takes no further requests until %s", c.o.Name.Title(), at.UTC().Format(time.RFC3339))
		e.RetryAt = at
		return 0, e
	}
	return d, c.pause(ctx, d)
}

// silent is how many attempts there are when nothing answers, so that being
// offline is noticed soon.
const silent = 3

var errTimeout = errors.New("it took longer than its time limit")
