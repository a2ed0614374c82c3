package web

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/loopback"
)

// fixed is a model with one fixed answer.
type fixed struct {
	runs chan bool // true when watching begins, false when it stops
	news chan string
}

func (fixed) Document(_ context.Context, q Question) (any, error) {
	if q.View != "state" {
		return nil, fault.NotFound("view", q.View)
	}
	return q, nil
}

func (fixed) Paint(context.Context, string, string) (*Paint, error) {
	return &Paint{Headline: hostile, At: "14:02", Sections: []Section{{ID: "needs", Title: hostile, Columns: []string{hostile}, Rows: [][]string{{hostile, hostile}}}}}, nil
}

func (fixed) Act(_ context.Context, a Action) (any, error) { return a, nil }

func (f fixed) Run(ctx context.Context) {
	f.runs <- true
	<-ctx.Done()
	f.runs <- false
}

func (f fixed) Since(ctx context.Context, _, version string) (string, error) {
	if version == "" {
		return "1", nil
	}
	select {
	case version = <-f.news:
		return version, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (fixed) Rest() {}

// acting is a model whose changes run until they are stopped, and then clean up.
type acting struct {
	fixed
	begun   chan bool
	ordered *atomic.Bool
}

func (a acting) Act(ctx context.Context, _ Action) (any, error) {
	close(a.begun)
	<-ctx.Done()
	runtime.Gosched()
	a.ordered.Store(true)
	return nil, ctx.Err()
}

// The end of the server stops a running change and waits until it has cleaned up.
func TestChangesEndInOrder(t *testing.T) {
	m := acting{fixed{make(chan bool), make(chan string)}, make(chan bool), &atomic.Bool{}}
	address := make(chan string, 1)
	s := New(m, Options{Actions: true, Listening: func(base, _ string) { address <- base }})
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	base, _, _ := strings.Cut(<-address, "/#")
	r, err := http.NewRequestWithContext(t.Context(), "POST", base+"/api/action", strings.NewReader(`{"do": "merge"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	go func() {
		if answer, err := http.DefaultClient.Do(r); err == nil {
			answer.Body.Close()
		}
	}()
	<-m.begun
	end()
	if err := <-served; err != nil || !m.ordered.Load() {
		t.Errorf("%v; things are in order: %t", err, m.ordered.Load())
	}
}

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>`

// serve starts a page on a port of its own.
func serve(t *testing.T, o Options) (s *Server, base string) {
	t.Helper()
	s = New(fixed{make(chan bool), make(chan string)}, o)
	server := httptest.NewUnstartedServer(s.Handler())
	server.Config.ConnContext = s.peers.ConnContext
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(s.hub.close)
	return s, server.URL
}

func get(t *testing.T, method, url string, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(`{"do": "merge"}`))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

func TestWhoIsRefused(t *testing.T) {
	s, base := serve(t, Options{})
	host := strings.TrimPrefix(base, "http://")
	token := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+s.token) }
	with := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { token(r); r.Header.Set(name, value) }
	}
	at := func(name string) func(*http.Request) {
		return func(r *http.Request) { token(r); r.Host = name }
	}
	for _, c := range []struct {
		name, method, path string
		change             func(*http.Request)
		want               int
	}{
		{"the page", "GET", "/", nil, 200},
		{"a script", "GET", "/static/app.js", nil, 200},
		{"a file that is not there", "GET", "/static/app.go", nil, 404},
		{"a way out of the folder", "GET", "/static/../page.go", nil, 404},
		{"a view that is not there", "GET", "/nothing", nil, 404},
		{"with the token", "GET", "/api/state", token, 200},
		{"no token", "GET", "/api/state", nil, 401},
		{"no token for the stream", "GET", "/api/events", nil, 401},
		{"no token for an action", "POST", "/api/action", nil, 401},
		{"another token", "GET", "/api/state", with("Authorization", "Bearer "+s.token+"x"), 401},
		{"a token without its scheme", "GET", "/api/state", with("Authorization", s.token), 401},
		{"a document that is not there", "GET", "/api/nothing", token, 404},
		{"an action where none is allowed", "POST", "/api/action", token, 403},
		{"a method that is not there", "DELETE", "/api/state", token, 405},
		{"a page's own name for this address", "GET", "/api/state", at("evil.example:80"), 421},
		{"that name for the page", "GET", "/", at("evil.example"), 421},
		{"that name for a script", "GET", "/static/app.js", at("evil.example"), 421},
		{"a name that begins like ours", "GET", "/", at("127.0.0.1.evil.example"), 421},
		{"localhost", "GET", "/api/state", at("localhost"), 200},
		{"the other family", "GET", "/api/state", at("[::1]:3846"), 200},
		{"our own origin", "GET", "/api/state", with("Origin", "http://"+host), 200},
		{"another origin", "GET", "/api/state", with("Origin", "https://evil.example"), 403},
		{"another port of this machine", "GET", "/api/state", with("Origin", "http://127.0.0.1:1"), 403},
		{"an origin that is hidden", "GET", "/api/state", with("Origin", "null"), 403},
		{"a link on another page", "GET", "/", with("Sec-Fetch-Site", "cross-site"), 403},
		{"another port's page", "GET", "/static/app.js", with("Sec-Fetch-Site", "same-site"), 403},
		{"typed", "GET", "/", with("Sec-Fetch-Site", "none"), 200},
		{"our own page", "GET", "/api/state", with("Sec-Fetch-Site", "same-origin"), 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, body := get(t, c.method, base+c.path, c.change)
			if answer.StatusCode != c.want {
				t.Errorf("%s %s: %d %s, want %d", c.method, c.path, answer.StatusCode, body, c.want)
			}
			for name, want := range map[string]string{
				"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
				"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
			} {
				if c.want != 405 && answer.Header.Get(name) != want {
					t.Errorf("%s: %q", name, answer.Header.Get(name))
				}
			}
			if answer.Header.Get("Set-Cookie") != "" || answer.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Error("a cookie, or leave for another page")
			}
		})
	}
}

func TestFirstPaintNeedsNoScript(t *testing.T) {
	s, base := serve(t, Options{})
	if _, body := get(t, "GET", base+"/", nil); !loopback.Peers().ByToken() {
		if strings.Contains(body, "<script>alert") || strings.Contains(body, "<img src=x") {
			t.Errorf("a text became markup: %s", body)
		}
		for _, want := range []string{"as of 14:02", "&lt;script&gt;alert(1)", `aria-current="page"`, `<th scope="row">`} {
			if !strings.Contains(body, want) {
				t.Errorf("%q is not in %s", want, body)
			}
		}
		if strings.Contains(body, s.token) {
			t.Error("the page gives the token away")
		}
	}
	s.peers = loopback.Owner{} // as on a system that does not report the owner of a connection
	if _, body := get(t, "GET", base+"/", nil); strings.Contains(body, "14:02") || !strings.Contains(body, "agit web --open") {
		t.Errorf("a page for anyone: %s", body)
	}
	if _, body := get(t, "GET", base+"/once/"+s.once, nil); !strings.Contains(body, "14:02") || !strings.Contains(body, s.token) {
		t.Errorf("the address that works once does not: %s", body)
	}
	for _, secret := range []string{"x", "%20"} {
		if answer, _ := get(t, "GET", base+"/once/"+secret, nil); answer.StatusCode != http.StatusGone {
			t.Errorf("once/%s: %d", secret, answer.StatusCode)
		}
	}
}

func TestWhatAPageAsksFor(t *testing.T) {
	s, base := serve(t, Options{})
	auth := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+s.token) }
	for query, want := range map[string]overview.Filter{
		"": {}, "?most=many": {}, "?most=400": {Most: 400},
		"?q=log+in&state=in+progress&epic=-": {Words: "log in", State: "in progress", Epic: overview.NoEpic},
		"?type=decision&by=decay":            {Type: "decision", Order: "decay"},
	} {
		_, body := get(t, "GET", base+"/api/state"+query, auth)
		var got Question
		if err := json.Unmarshal([]byte(body), &got); err != nil || got.Filter != want {
			t.Errorf("%s asks for %+v (%v)", query, got.Filter, err)
		}
	}
}

func TestSameDocumentIsNotSentAgain(t *testing.T) {
	s, base := serve(t, Options{})
	auth := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+s.token) }
	answer, _ := get(t, "GET", base+"/api/state?id=1", auth)
	again, body := get(t, "GET", base+"/api/state?id=1", func(r *http.Request) { auth(r); r.Header.Set("If-None-Match", answer.Header.Get("ETag")) })
	if again.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("%d %s", again.StatusCode, body)
	}
}

func TestActions(t *testing.T) {
	s, base := serve(t, Options{Actions: true})
	auth := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+s.token) }
	if answer, body := get(t, "POST", base+"/api/action", auth); answer.StatusCode != 200 || !strings.Contains(body, `"do":"merge"`) {
		t.Errorf("%d %s", answer.StatusCode, body)
	}
	for _, bad := range []string{`{`, `{"do": "merge", "force": true}`, `{"why": "` + strings.Repeat("x", maxAction) + `"}`} {
		answer, _ := get(t, "POST", base+"/api/action", func(r *http.Request) { auth(r); r.Body = io.NopCloser(strings.NewReader(bad)); r.ContentLength = -1 })
		if answer.StatusCode != http.StatusBadRequest {
			t.Errorf("%.40s: %d", bad, answer.StatusCode)
		}
	}
}

// listen opens a stream and returns a reader of its lines.
func listen(t *testing.T, s *Server, base string) *bufio.Reader {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("stream: %s", answer.Status)
	}
	lines := bufio.NewReader(answer.Body)
	until(t, lines, "event: open")
	return lines
}

func until(t *testing.T, lines *bufio.Reader, want string) {
	t.Helper()
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("waiting for %q: %v", want, err)
		}
		if strings.TrimSpace(line) == want {
			return
		}
	}
}

// The registry is watched only while a page is open; a change is announced to all pages without its content.
func TestPagesAreToldOfChanges(t *testing.T) {
	s, base := serve(t, Options{})
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.hub.whileWatched(ctx, time.Nanosecond, s.model.Run)
	}()
	m := s.model.(fixed)
	one, two := listen(t, s, base), listen(t, s, base)
	if !<-m.runs {
		t.Fatal("stopped before it began")
	}
	m.news <- "2"
	m.news <- "3" // to whichever of them waits
	s.hub.changed()
	until(t, one, "event: changed")
	until(t, two, "event: changed")
	s.hub.mu.Lock()
	for st := range s.hub.streams {
		close(st.end)
	}
	clear(s.hub.streams)
	signal(s.hub.wake)
	s.hub.mu.Unlock()
	if <-m.runs {
		t.Error("looked again")
	}
	end()
	<-ended
}

func TestStreamsAreFew(t *testing.T) {
	s, base := serve(t, Options{})
	for range maxStreams {
		if s.hub.open() == nil {
			t.Fatal("too few")
		}
	}
	answer, _ := get(t, "GET", base+"/api/events", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+s.token) })
	if answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one more: %d", answer.StatusCode)
	}
}

// A page that stopped reading is disconnected and does not delay the others.
func TestSlowReaderIsLetGo(t *testing.T) {
	s, base := serve(t, Options{})
	s.writeLimit, s.ping = time.Millisecond, time.Microsecond // pings fill the system's buffers
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetReadBuffer(1)
	if _, err := io.WriteString(conn, "GET /api/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+s.token+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	for !s.hub.watched() {
		<-s.hub.wake
	}
	for s.hub.watched() { // the end of the stream wakes this loop
		<-s.hub.wake
	}
}
