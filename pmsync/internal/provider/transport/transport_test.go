package transport_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

const canary = "c4n4ry-s3cr3t-0123456789abcdef"

type fixture struct {
	client   *transport.Client
	clock    *providertest.Clock
	script   *providertest.Script
	log      *bytes.Buffer
	served   *atomic.Int64
	lastAuth *atomic.Value
}

func begin(t *testing.T, change func(*transport.Options), handle http.HandlerFunc) fixture {
	t.Helper()
	f := fixture{clock: providertest.NewClock(providertest.Start), script: &providertest.Script{}, log: &bytes.Buffer{}, served: &atomic.Int64{}, lastAuth: &atomic.Value{}}
	if handle == nil {
		handle = func(w http.ResponseWriter, r *http.Request) {
			f.served.Add(1)
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"good": "answer"}`)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.lastAuth.Store(r.Header.Get("Authorization"))
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not see the client go
		f.script.Play(w, r, nil, providertest.Own{}, handle)
	}))
	t.Cleanup(server.Close)
	o := transport.Options{Name: provider.Linear, BaseURL: server.URL + "/base", Clock: f.clock, Timeout: 20 * time.Second,
		Authorize: func(h http.Header) { h.Set("Authorization", "Basic "+canary) }, Secrets: []string{canary},
		Judge: func(r *transport.Response) transport.Verdict {
			return transport.VerdictByStatus(r, provider.Linear, string(r.Body))
		},
		Log: slog.New(slog.NewJSONHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	if change != nil {
		change(&o)
	}
	client, err := transport.New(o)
	if err != nil {
		t.Fatal(err)
	}
	f.client = client
	t.Cleanup(client.CloseIdle)
	return f
}

// TestOutcomes holds what becomes of each way of failing, for a request that can be
// repeated and for one that cannot.
func TestOutcomes(t *testing.T) {
	for kind, c := range map[providertest.Kind]struct {
		safe, unsafe provider.Reason // "" is success
		served       int64           // times that the unsafe request was done
	}{
		providertest.LostAnswer:  {"", provider.Uncertain, 1},
		providertest.Reset:       {"", provider.Uncertain, 0},
		providertest.CutBody:     {"", provider.Uncertain, 1},
		providertest.CutJSON:     {"", provider.Uncertain, 1},
		providertest.HTML:        {provider.Protocol, provider.Uncertain, 0},
		providertest.Broken:      {"", provider.Uncertain, 0},
		providertest.BadGateway:  {"", provider.Uncertain, 1},
		providertest.Unavailable: {"", provider.Uncertain, 0},
		providertest.Limited:     {"", "", 1},
		providertest.Expired:     {provider.Unauthorized, provider.Unauthorized, 0},
		providertest.Forbidden:   {provider.Forbidden, provider.Forbidden, 0},
		providertest.Redirect:    {provider.Protocol, provider.Protocol, 0},
	} {
		for _, safe := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, safe %v", kind, safe), func(t *testing.T) {
				f := begin(t, nil, nil)
				f.script.Add(providertest.Fault{Kind: kind})
				resp, err := f.client.Do(context.Background(), transport.Request{Op: "try", Method: "POST", Path: "x", Body: struct{}{}, Safe: safe})
				want := c.unsafe
				if safe {
					want = c.safe
				}
				if provider.ReasonOf(err) != want || (err == nil) != (want == "") {
					t.Errorf("%v, not %q", err, want)
				}
				if err == nil && string(resp.Body) != `{"good": "answer"}` {
					t.Errorf("answer %q", resp.Body)
				}
				if !safe && f.served.Load() != c.served {
					t.Errorf("it was done %d times, not %d", f.served.Load(), c.served)
				}
				var e *provider.Error
				if errors.As(err, &e) && e.Reason == provider.Uncertain && !e.RetryAt.After(f.clock.Now()) {
					t.Error("an uncertain outcome may be repeated at once")
				}
			})
		}
	}
}

func TestAttemptsEnd(t *testing.T) {
	f := begin(t, func(o *transport.Options) { o.Attempts = 4 }, nil)
	f.script.Add(providertest.Fault{Kind: providertest.Broken, Times: 100})
	_, err := f.client.Do(context.Background(), transport.Request{Op: "try", Path: "x"})
	if !provider.Is(err, provider.Unavailable) || f.client.Stats().Requests != 4 {
		t.Errorf("%v after %d requests", err, f.client.Stats().Requests)
	}
	f.script.Clear()
	f.script.Add(providertest.Fault{Kind: providertest.Reset, Times: 100})
	_, err = f.client.Do(context.Background(), transport.Request{Op: "try", Path: "x"})
	if n := f.client.Stats().Requests - 4; !provider.Is(err, provider.Unavailable) || n != 3 {
		t.Errorf("%v after %d requests that nothing answered", err, n)
	}
}

// roundTrip answers requests without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestDefaults: options that are left out have their documented defaults.
func TestDefaults(t *testing.T) {
	one := func(answer roundTrip) (transport.Stats, error) {
		t.Helper()
		client, err := transport.New(transport.Options{Name: provider.Linear, BaseURL: "https://tracker.example", Clock: providertest.NewClock(providertest.Start),
			Authorize: func(http.Header) {}, RoundTripper: answer,
			Judge: func(r *transport.Response) transport.Verdict {
				return transport.VerdictByStatus(r, provider.Linear, "")
			}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Do(t.Context(), transport.Request{Op: "try", Path: "x"})
		return client.Stats(), err
	}
	says := func(status int, header http.Header, body io.Reader) roundTrip {
		return func(r *http.Request) (*http.Response, error) {
			header.Set("Content-Type", "application/json")
			return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(body), Request: r}, nil
		}
	}
	if stats, err := one(says(http.StatusServiceUnavailable, http.Header{}, http.NoBody)); stats.Requests != 5 || !provider.Is(err, provider.Unavailable) {
		t.Errorf("%d attempts, not 5: %v", stats.Requests, err)
	}

	before := time.Now()
	_, err := one(func(r *http.Request) (*http.Response, error) {
		const attempt = 30 * time.Second
		if end, limited := r.Context().Deadline(); !limited || end.Sub(before) < attempt || time.Until(end) > attempt {
			t.Errorf("an attempt ends %s after it began, not %s", end.Sub(before), attempt)
		}
		return says(http.StatusOK, http.Header{}, strings.NewReader("{}"))(r)
	})
	if err != nil {
		t.Error(err)
	}

	for seconds, want := range map[string]provider.Reason{"120": "", "121": provider.RateLimited} {
		asked := 0
		_, err := one(func(r *http.Request) (*http.Response, error) {
			if asked++; asked == 1 {
				return says(http.StatusTooManyRequests, http.Header{"Retry-After": {seconds}}, http.NoBody)(r)
			}
			return says(http.StatusOK, http.Header{}, strings.NewReader("{}"))(r)
		})
		if want == "" && err != nil || want != "" && !provider.Is(err, want) {
			t.Errorf("asked to wait %s s: %v", seconds, err)
		}
	}

	const most = 32 << 20
	for size, want := range map[int64]provider.Reason{most: "", most + 1: provider.Protocol} {
		body := io.LimitReader(endless{}, size)
		if _, err := one(says(http.StatusOK, http.Header{}, body)); want == "" && err != nil || want != "" && !provider.Is(err, want) {
			t.Errorf("an answer of %d bytes: %v", size, err)
		}
	}

	client, err := transport.New(transport.Options{Name: provider.Linear, BaseURL: "https://tracker.example", Authorize: func(http.Header) {}})
	if err != nil {
		t.Fatal(err)
	}
	if now := client.Now(); now.Before(before) || now.After(time.Now()) {
		t.Errorf("the time is %s", now)
	}
}

// endless is white space, as JSON may have any amount of it.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestPatience waits as long as the tracker says, and says when to come back when
// that is too long.
func TestPatience(t *testing.T) {
	limited := func(after string) http.HandlerFunc {
		first := true
		return func(w http.ResponseWriter, r *http.Request) {
			if first {
				first = false
				w.Header().Set("Retry-After", after)
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "{}")
		}
	}
	f := begin(t, func(o *transport.Options) { o.Patience = time.Hour }, limited("1847"))
	if _, err := f.client.Do(context.Background(), transport.Request{Op: "try", Method: "POST", Path: "x"}); err != nil {
		t.Error(err)
	}
	if waited := f.clock.Now().Sub(providertest.Start); waited != 1847*time.Second || f.client.Stats().Waited != waited {
		t.Errorf("waited %s", waited)
	}
	f = begin(t, func(o *transport.Options) { o.Patience = time.Minute }, limited("1847"))
	_, err := f.client.Do(context.Background(), transport.Request{Op: "try", Path: "x"})
	var e *provider.Error
	if !errors.As(err, &e) || e.Reason != provider.RateLimited || !e.RetryAt.Equal(providertest.Start.Add(1847*time.Second)) {
		t.Errorf("%v", err)
	}
	if !f.clock.Now().Equal(providertest.Start) {
		t.Error("it waited though that was too long")
	}
	// Who comes back before that learns the same without a request.
	before := f.client.Stats().Requests
	if _, err = f.client.Do(context.Background(), transport.Request{Op: "try", Path: "x"}); !provider.Is(err, provider.RateLimited) || f.client.Stats().Requests != before {
		t.Errorf("%v after %d requests", err, f.client.Stats().Requests-before)
	}
}

// TestRetryAfter reads dates by the tracker's clock, not by ours.
func TestRetryAfter(t *testing.T) {
	at := func(text, date string) (time.Duration, bool) {
		r := &transport.Response{Header: http.Header{"Retry-After": {text}, "Date": {date}}, At: providertest.Start}
		return transport.RetryAfter(r)
	}
	server := providertest.Start.Add(-3 * time.Hour)
	for text, want := range map[string]time.Duration{
		"0": 0, "1847": 1847 * time.Second, " 2 ": 2 * time.Second, "0.5": 500 * time.Millisecond, "1e300": time.Hour, "99999999999": time.Hour,
		"Fri, 31 Dec 9999 23:59:59 GMT": time.Hour, "Thu, 01 Jan 1970 00:00:00 GMT": 0,
		server.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second, server.Add(-time.Hour).Format(http.TimeFormat): 0,
	} {
		if got, ok := at(text, server.Format(http.TimeFormat)); !ok || got != want {
			t.Errorf("%q is %s, %v, not %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "soon", "-1", "NaN"} {
		if got, ok := at(text, ""); ok && got != 0 {
			t.Errorf("%q is %s", text, got)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("1847", "Sat, 24 Oct 2026 21:50:00 GMT")
	f.Add("Sat, 24 Oct 2026 21:50:00 GMT", "")
	f.Fuzz(func(t *testing.T, text, date string) {
		d, _ := transport.RetryAfter(&transport.Response{Header: http.Header{"Retry-After": {text}, "Date": {date}}, At: providertest.Start})
		if d < 0 || d > transport.LongestHold {
			t.Errorf("%q is %s", text, d)
		}
	})
}

func TestBounds(t *testing.T) {
	f := begin(t, func(o *transport.Options) { o.MaxBody = 1 << 10 }, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"a": %q}`, strings.Repeat("x", 2<<10))
	})
	if _, err := f.client.Do(context.Background(), transport.Request{Op: "try", Path: "x"}); !provider.Is(err, provider.Protocol) {
		t.Errorf("an answer that is too large: %v", err)
	}
	for _, path := range []string{"issue/..", "issue/../x", "issue//x", "issue/", "./x", ""} {
		if _, err := f.client.Do(context.Background(), transport.Request{Op: "try", Path: path}); !provider.Is(err, provider.Invalid) {
			t.Errorf("the path %q: %v", path, err)
		}
	}
}

func TestInterrupted(t *testing.T) {
	for _, safe := range []bool{true, false} {
		started := make(chan struct{})
		f := begin(t, nil, func(_ http.ResponseWriter, r *http.Request) {
			close(started)
			<-r.Context().Done()
		})
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			<-started
			cancel()
		}()
		_, err := f.client.Do(ctx, transport.Request{Op: "try", Method: "POST", Path: "x", Body: struct{}{}, Safe: safe})
		if safe && !errors.Is(err, context.Canceled) || !safe && !provider.Is(err, provider.Uncertain) {
			t.Errorf("safe %v: %v", safe, err)
		}
	}
}

// TestSecretsStay has the tracker repeat the secret in every way, and looks for it
// in all that is said.
func TestSecretsStay(t *testing.T) {
	for name, handle := range map[string]http.HandlerFunc{
		"in an error": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "you sent "+r.Header.Get("Authorization"), 400)
		},
		"in a redirection": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://example.com/?k="+canary, 302)
		},
		"in a page": func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>"+canary) },
		"in a broken answer": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"k": "%s`, canary)
		},
		"in a status line": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", canary)
			w.WriteHeader(503)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := begin(t, nil, handle)
			_, err := f.client.Do(context.Background(), transport.Request{Op: "try", Path: "x"})
			if err == nil {
				t.Fatal("no error")
			}
			for where, text := range map[string]string{"error": fmt.Sprintf("%v %+v %#v", err, err, err), "log": f.log.String()} {
				if strings.Contains(text, canary) {
					t.Errorf("the %s shows the secret: %s", where, text)
				}
			}
			if f.lastAuth.Load() != "Basic "+canary {
				t.Error("the secret did not arrive")
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	for address, good := range map[string]bool{
		"https://example.com": true, "https://example.com/a/b/": true, "http://127.0.0.1:80": true, "http://localhost": true, "http://[::1]:1": true,
		"http://example.com": false, "http://127.0.0.1.example.com": false, "ftp://example.com": false, "example.com": false, "": false,
		"https://user@example.com": false, "https://example.com?a=b": false, "https://example.com#a": false, "https://": false, "//example.com": false,
	} {
		_, err := transport.New(transport.Options{Name: provider.Jira, BaseURL: address})
		if (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestBackslashSecretForms(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte("ann:" + canary))
	f := begin(t, func(o *transport.Options) { o.Secrets = append(o.Secrets, encoded) }, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "header was "+encoded, http.StatusTeapot)
	})
	_, err := f.client.Do(context.Background(), transport.Request{Op: "try", Path: "x"})
	if err == nil || strings.Contains(err.Error(), encoded) {
		t.Errorf("%v", err)
	}
}
