package conformance

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agit-suite/agit/integration/mcpclient"
)

const firstLine = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// send makes a request; header is a list of names and values.
func send(t testing.TB, method, url, body string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		} else {
			r.Header.Set(header[i], header[i+1])
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func body(t testing.TB, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// open begins a session and returns its id.
func open(t testing.TB, url string) string {
	t.Helper()
	r := send(t, "POST", url, firstLine)
	id := r.Header.Get("Mcp-Session-Id")
	if r.StatusCode != http.StatusOK || id == "" {
		t.Fatalf("initialize: %s %q", r.Status, body(t, r))
	}
	_ = body(t, r)
	return id
}

// Trap 5: no request that a web page can send is answered.
func TestForeignRequests(t *testing.T) {
	for _, transport := range []string{"http", "sse"} {
		s := serve(t, transport)
		port := mustPort(t, s.URL)
		for _, tc := range []struct {
			name, host, origin string
			status             int
		}{
			{"program", "", "", 200},
			{"localhost", "localhost:" + port, "", 200},
			{"IPv6", "[::1]:" + port, "", 200},
			{"local page", "", "http://localhost:6274", 200},
			{"local page by address", "", "http://127.0.0.1:6274", 200},
			{"foreign page", "", "https://evil.example", 403},
			{"foreign page with our name in front", "", "http://localhost.evil.example", 403},
			{"foreign page with our name as user", "", "http://localhost@evil.example", 403},
			{"user and our name", "", "http://evil@localhost", 403},
			{"sandboxed page", "", "null", 403},
			{"extension", "", "chrome-extension://abc", 403},
			{"rebound name", "evil.example:" + port, "", 403},
			{"rebound name with our name in front", "127.0.0.1.evil.example", "", 403},
			{"other address", "192.168.1.7:" + port, "", 403},
		} {
			t.Run(transport+"/"+tc.name, func(t *testing.T) {
				var header []string
				if tc.host != "" {
					header = append(header, "Host", tc.host)
				}
				if tc.origin != "" {
					header = append(header, "Origin", tc.origin)
				}
				method := "POST"
				if transport == "sse" {
					method = "GET"
				}
				r := send(t, method, s.URL, firstLine, header...)
				if r.StatusCode != tc.status {
					t.Errorf("got %s, want %d", r.Status, tc.status)
				}
				if allow := r.Header.Get("Access-Control-Allow-Origin"); allow != "" {
					t.Errorf("pages of %q may read the answer", allow)
				}
			})
		}
	}
}

func mustPort(t testing.TB, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

func TestBoundToThisMachine(t *testing.T) {
	s := serve(t, "http")
	if !strings.HasPrefix(s.URL, "http://127.0.0.1:") {
		t.Fatalf("it listens on %s", s.URL)
	}
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		ip, _, _ := net.ParseCIDR(a.String())
		if ip == nil || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
			continue
		}
		conn, err := net.DialTimeout("tcp", net.JoinHostPort(ip.String(), mustPort(t, s.URL)), time.Second)
		if err == nil {
			_ = conn.Close()
			t.Errorf("it can be reached at %s", ip)
		}
	}
}

// Trap 6: sessions are checked, and gone after DELETE.
func TestSessionLifecycle(t *testing.T) {
	s := serve(t, "http")
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	id := open(t, s.URL)
	for _, tc := range []struct {
		what, method, id string
		status           int
	}{
		{"its session", "POST", id, 200},
		{"no session", "POST", "", 400},
		{"a well-formed foreign id", "POST", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", 404},
		{"no session to end", "DELETE", "", 400},
		{"end it", "DELETE", id, 200},
		{"ended", "POST", id, 404},
		{"ended already", "DELETE", id, 404},
		{"ended stream", "GET", id, 404},
		{"no stream without a session", "GET", "", 400},
	} {
		var header []string
		if tc.id != "" {
			header = []string{"Mcp-Session-Id", tc.id}
		}
		if r := send(t, tc.method, s.URL, ping, header...); r.StatusCode != tc.status {
			t.Errorf("%s: got %s, want %d", tc.what, r.Status, tc.status)
		}
	}
}

func TestBadHTTPRequests(t *testing.T) {
	s := serve(t, "http")
	id := open(t, s.URL)
	session := []string{"Mcp-Session-Id", id}
	for _, tc := range []struct {
		what, method, path, body string
		header                   []string
		status                   int
		says                     string
	}{
		{"not JSON", "POST", "", `{`, session, 400, "-32700"},
		{"batch", "POST", "", `[]`, session, 400, "-32600"},
		{"a form", "POST", "", `{}`, append(session, "Content-Type", "text/plain"), 415, ""},
		{"no type", "POST", "", `{}`, append(session, "Content-Type", ""), 415, ""},
		{"too long", "POST", "", `{"x":"` + strings.Repeat("a", 5<<20) + `"}`, session, 413, ""},
		{"PUT", "PUT", "", `{}`, session, 405, ""},
		{"elsewhere", "POST", "/x", `{}`, session, 404, ""},
		{"unknown revision", "POST", "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, append(session, "MCP-Protocol-Version", "2031-01-01"), 400, "2025-11-25"},
		{"revision without sessions", "POST", "", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, []string{"MCP-Protocol-Version", "2026-07-28"}, 400, "2025-11-25"},
		{"GET for no stream", "GET", "", "", append(session, "Accept", "application/json"), 406, ""},
	} {
		r := send(t, tc.method, s.URL+tc.path, tc.body, tc.header...)
		text := body(t, r)
		if r.StatusCode != tc.status || !strings.Contains(text, tc.says) {
			t.Errorf("%s: got %s %q, want %d with %q", tc.what, r.Status, text, tc.status, tc.says)
		}
	}
	if r := send(t, "POST", s.URL, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, session...); r.StatusCode != 200 {
		t.Errorf("the server does not go on: %s", r.Status)
	}
}

func TestPortTaken(t *testing.T) {
	for _, transport := range []string{"http", "sse"} {
		s := serve(t, transport)
		port := mustPort(t, s.URL)
		out, err := exec.Command(fixture, "-transport", transport, "-port", port).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "port "+port+" on 127.0.0.1 is already in use") || !strings.Contains(string(out), "--port") {
			t.Errorf("got %v, %s", err, out)
		}
	}
}

// events reads an event stream and returns the data of each message.
func events(r *http.Response) <-chan string {
	out := make(chan string, 100)
	go func() {
		defer close(out)
		lines := bufio.NewScanner(r.Body)
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				out <- data
			}
		}
	}()
	return out
}

// Changes during an interrupted stream are reported when it is restored.
func TestUpdatesSurviveReconnect(t *testing.T) {
	file := filepath.Join(t.TempDir(), "watched")
	s := serve(t, "http", "-watch", file)
	session := []string{"Mcp-Session-Id", open(t, s.URL)}
	subscribe := `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://watched-resource"}}`
	if r := send(t, "POST", s.URL, subscribe, session...); r.StatusCode != 200 {
		t.Fatal(r.Status)
	}
	for i := range 3 {
		if err := os.WriteFile(file, fmt.Append(nil, i), 0o600); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-events(stream(t, s.URL, session)):
			if !strings.Contains(got, "notifications/resources/updated") || !strings.Contains(got, "test://watched-resource") {
				t.Fatalf("got %s", got)
			}
		case <-time.After(endless):
			t.Fatal("no update")
		}
	}
}

// stream opens the session's stream; it closes with the subtest's connection.
func stream(t testing.TB, url string, session []string) *http.Response {
	t.Helper()
	r := send(t, "GET", url, "", session...)
	if r.StatusCode != 200 {
		t.Fatal(r.Status)
	}
	return r
}

// A newer stream of a session takes the place of the older.
func TestOneStreamPerSession(t *testing.T) {
	s := serve(t, "http")
	session := []string{"Mcp-Session-Id", open(t, s.URL)}
	first := events(stream(t, s.URL, session))
	second := events(stream(t, s.URL, session))
	select {
	case _, open := <-first:
		if open {
			t.Error("the first stream said something")
		}
	case <-time.After(endless):
		t.Error("the first stream stays open")
	}
	select {
	case <-second:
		t.Error("the second stream ended")
	case <-time.After(50 * time.Millisecond):
	}
}

// A call continues when its connection breaks: stopping could leave half of a merge.
func TestBrokenConnectionDoesNotCancel(t *testing.T) {
	s := serve(t, "http")
	session := []string{"Mcp-Session-Id", open(t, s.URL)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { cancel() }})
	r, _ := http.NewRequestWithContext(ctx, "POST", s.URL, strings.NewReader(callLine(1, "probe_register", `{"name":"x","pause":500}`)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(session[0], session[1])
	if resp, err := http.DefaultClient.Do(r); err == nil {
		_ = resp.Body.Close()
	}
	for deadline := time.Now().Add(endless); ; {
		got := body(t, send(t, "POST", s.URL, callLine(2, "probe_who", `{}`), session...))
		if strings.Contains(got, `"agent":"x"`) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the call was cut off: %s", got)
		}
	}
}

// Stopping is clean with streams open and calls running.
func TestStopHTTP(t *testing.T) {
	for _, transport := range []string{"http", "sse"} {
		t.Run(transport, func(t *testing.T) {
			cmd := exec.Command(fixture, "-transport", transport)
			s := mcpclient.Start(t, cmd)
			var c *mcpclient.Client
			if transport == "http" {
				c = mcpclient.HTTP(t, s.URL)
			} else {
				c = mcpclient.SSE(t, s.URL)
			}
			short := make(chan error, 1)
			go func() {
				params := &mcp.CallToolParams{Name: "probe_steps", Arguments: map[string]any{"steps": 2, "pause": 150}}
				params.SetProgressToken("short")
				_, err := c.CallTool(t.Context(), params)
				short <- err
			}()
			for len(c.Progress()) == 0 { // until it has begun
				c.MustCall(t, "probe_echo", map[string]any{"text": "x"}, nil)
			}
			began := time.Now()
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := <-short; err != nil {
				t.Errorf("the running call was lost: %v", err)
			}
			if _, err := cmd.Process.Wait(); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took >= endless {
				t.Errorf("it took %v to stop", took)
			}
		})
	}
}

func TestEndpointIsRelative(t *testing.T) {
	s := serve(t, "sse")
	r := send(t, "GET", s.URL, "")
	if got := <-events(r); !strings.HasPrefix(got, "/message?sessionId=") {
		t.Errorf("endpoint %q", got)
	}
	if r := send(t, "POST", strings.Replace(s.URL, "/sse", "/message?sessionId=nobody", 1), `{}`); r.StatusCode != 404 {
		t.Errorf("an unknown session: %s", r.Status)
	}
	if bytes.Contains([]byte(r.Header.Get("Content-Type")), []byte("json")) {
		t.Error("the stream is not an event stream")
	}
}
