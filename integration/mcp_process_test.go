package integration

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// Every line of standard output is one answer, whatever the calls do: hooks that print, refusals, malformed messages. Logs go to
// standard error. The calls are made one after the other, because a short one overtakes a long one.
func TestMCPStdoutIsTheProtocol(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const secret = "hunter2-in-a-parameter"
	write(t, filepath.Join(w.home, ".agit"), "config.toml", "[hooks]\npost_spawn = [\"echo noise; echo more noise >&2\"]\n")
	input := hello +
		callLine(1, "agit_register_agent", args{"name": "ann", "type": "claude"}) +
		callLine(2, "agit_create_task", args{"repo": "app", "description": secret, "id": "one"}) +
		callLine(3, "agit_spawn_worktree", args{"repo": "app", "task": "one"}) +
		callLine(4, "agit_repo_status", args{"repo": secret}) +
		callLine(5, "agit_list_tasks", args{"repo": "app", "limit": secret}) +
		"not JSON\n[]\n" +
		callLine(6, "no_such_tool", args{}) +
		`{"jsonrpc":"2.0","id":7,"method":"no/such/method"}` + "\n" +
		`{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"agit://repos/` + secret + `"}}` + "\n"
	out, errs := w.inTurn(t, input)

	answered := map[string]int{}
	for line := range strings.Lines(out) {
		var m struct {
			JSONRPC string
			ID      json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" {
			t.Fatalf("standard output holds %q", line)
		}
		answered[string(m.ID)]++
	}
	for id := range 9 {
		if answered[fmt.Sprint(id)] != 1 {
			t.Errorf("request %d has %d answers", id, answered[fmt.Sprint(id)])
		}
	}
	if answered["null"] != 2 {
		t.Errorf("%d answers to what was not a request, want 2", answered["null"])
	}
	if !strings.Contains(errs, "noise") {
		t.Errorf("the hook did not run: %s", errs)
	}
	checkLog(t, errs, secret)
}

// logLine is the log of a call on standard error.
type logLine struct {
	Timestamp string
	Level     string
	Msg       string
	Tool      string
	AgentName *string
	Duration  *float64
	Result    string
}

func checkLog(t *testing.T, errs, secret string) {
	t.Helper()
	if strings.Contains(errs, secret) {
		t.Errorf("a parameter is logged:\n%s", errs)
	}
	calls := map[string]logLine{}
	for line := range strings.Lines(errs) {
		if !strings.HasPrefix(line, "{") {
			continue // what a hook said
		}
		var l logLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if _, err := time.Parse("2006-01-02T15:04:05.000Z", l.Timestamp); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		if l.Msg == "call" {
			if l.AgentName == nil || l.Duration == nil || *l.Duration < 0 || l.Level == "" {
				t.Errorf("incomplete: %s", line)
			}
			calls[l.Tool] = l
		}
	}
	for tool, want := range map[string]logLine{
		"agit_create_task":    {Level: "info", Result: "ok"},
		"agit_spawn_worktree": {Level: "info", Result: "ok"},
		"agit_repo_status":    {Level: "warn", Result: "NotFoundError"},
		"agit_list_tasks":     {Level: "warn", Result: "ValidationError in a parameter"},
		"agit://repos/{name}": {Level: "warn", Result: "NotFoundError"},
	} {
		l := calls[tool]
		if l.Level != want.Level || l.Result != want.Result || l.AgentName == nil || *l.AgentName != "ann" {
			t.Errorf("the log line of %s is %+v", tool, l)
		}
	}
}

// An input pipe that closes at once still gets every answer, even for a last line without a newline.
func TestMCPEndOfInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const n = 20
	var input strings.Builder
	input.WriteString(hello)
	for i := range n {
		input.WriteString(callLine(i+1, "agit_create_task", args{"repo": "app", "description": "x", "id": fmt.Sprint("t", i)}))
	}
	input.WriteString(strings.TrimSuffix(callLine(n+1, "agit_list_tasks", args{"repo": "app", "limit": 200}), "\n")) // no end of line
	out, _ := w.oneShot(t, input.String())
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != n+2 {
		t.Errorf("%d answers, want %d", len(lines), n+2)
	}
	var tasks struct{ Tasks []taskDoc }
	if w.read(t, &tasks, "tasks", "app", "--limit", "0"); len(tasks.Tasks) != n {
		t.Errorf("%d tasks, want %d", len(tasks.Tasks), n)
	}
}

// A signal during a spawn: the call is answered, done or undone, the exit is clean, and no half-made worktree is left.
func TestMCPTerminated(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		signal syscall.Signal
		hook   string
		left   int // worktrees
	}{
		{"SIGTERM and a short call", syscall.SIGTERM, "sleep 0.1", 1},
		{"SIGINT and a short call", syscall.SIGINT, "sleep 0.1", 1},
		{"SIGTERM and a call without end", syscall.SIGTERM, "sleep 60", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			write(t, filepath.Join(w.home, ".agit"), "config.toml", "[hooks]\npost_spawn = [\"touch ../../begun; "+tc.hook+"\"]\n")
			cmd := w.program("serve")
			in, out := pipes(t, cmd)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(in, hello)
			answer(t, out, 0)
			_, _ = io.WriteString(in, callLine(1, "agit_spawn_worktree", args{"repo": "app", "branch": "mine"}))
			within(t, "the hook begins", func() bool { return exists(w.repo + "/begun") })
			began := time.Now()
			if err := cmd.Process.Signal(tc.signal); err != nil {
				t.Fatal(err)
			}
			answer(t, out, 1)
			rest, _ := io.ReadAll(out)
			if err := cmd.Wait(); err != nil || len(rest) > 0 {
				t.Errorf("exit %v after %v, and then %q", err, time.Since(began), rest)
			}
			var state struct {
				Repos []struct{ Worktrees []worktreeDoc }
			}
			w.read(t, &state, "status", "--no-scan")
			trees := state.Repos[0].Worktrees
			if len(trees) != tc.left || exists(w.repo+"/.worktrees/mine-*") != (tc.left == 1) {
				t.Errorf("left behind: %+v", trees)
			}
			w.agit(t, "doctor")
		})
	}
}

// A server that listens stops as cleanly, with streams open.
func TestMCPTerminatedWhileListening(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, transport := range []string{"http", "sse"} {
		server := w.listen(t, transport)
		c := mcpclient.HTTP
		if transport == "sse" {
			c = mcpclient.SSE
		}
		if err := c(t, server.URL).Subscribe(t.Context(), &mcp.SubscribeParams{URI: "agit://repos"}); err != nil {
			t.Fatal(err)
		}
		if err := server.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		state, err := server.Cmd.Process.Wait()
		if err != nil || state.ExitCode() != 0 {
			t.Errorf("%s: %v, %v", transport, state, err)
		}
	}
}

func exists(file string) bool {
	found, err := filepath.Glob(file)
	return err == nil && len(found) == 1
}

func pipes(t testing.TB, cmd *exec.Cmd) (io.WriteCloser, *bufio.Reader) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	return in, bufio.NewReader(out)
}

// answer reads the next line, which must answer the request id.
func answer(t testing.TB, out *bufio.Reader, id int) []byte {
	t.Helper()
	line, err := out.ReadBytes('\n')
	if err != nil || !bytes.Contains(line, fmt.Appendf(nil, `"id":%d,`, id)) {
		t.Fatalf("answer to %d: %v %s", id, err, line)
	}
	return line
}

func TestMCPPortInUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u, err := url.Parse(w.listen(t, "http").URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, transport := range []string{"http", "sse"} {
		cmd := w.program("serve", "--transport", transport, "--port", u.Port())
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 4 || !strings.Contains(string(out), "port "+u.Port()+" on 127.0.0.1 is already in use") {
			t.Errorf("exit %d: %s", cmd.ProcessState.ExitCode(), out)
		}
	}
	if u.Hostname() != "127.0.0.1" || u.Path != "/mcp" {
		t.Errorf("it listens on %s", u)
	}
}

func TestMCPServeFlags(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for line, status := range map[string]int{
		"--transport pigeon":            2,
		"--port 99999 --transport http": 2,
		"--port 4000":                   2,
		"--tools nothing":               2,
		"--nonsense":                    2,
		"extra":                         2,
	} {
		cmd := w.program(append([]string{"serve"}, strings.Fields(line)...)...)
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != status || bytes.Count(out, []byte("\n")) > 3 {
			t.Errorf("serve %s: exit %d: %s", line, cmd.ProcessState.ExitCode(), out)
		}
	}
}

// A page in the user's browser can neither send requests nor read answers: foreign host names and origins are refused first.
func TestMCPForeignRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := w.listen(t, "http")
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, value string
		status      int
	}{
		{"Host", "127.0.0.1:" + u.Port(), 200},
		{"Host", "localhost:" + u.Port(), 200},
		{"Host", "evil.example:" + u.Port(), 403},
		{"Host", "127.0.0.1.evil.example", 403},
		{"Origin", "http://localhost:3000", 200},
		{"Origin", "https://evil.example", 403},
		{"Origin", "null", 403},
		{"Origin", "http://127.0.0.1.evil.example", 403},
		{"Sec-Fetch-Site", "none", 200},
		{"Sec-Fetch-Site", "cross-site", 403},
	} {
		r, text, err := post(t.Context(), server.URL, strings.SplitAfter(hello, "\n")[0], tc.name, tc.value)
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode != tc.status || r.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %s: %s %s, want %d", tc.name, tc.value, r.Status, text, tc.status)
		}
	}
	sse := w.listen(t, "sse")
	r, text, err := post(t.Context(), strings.Replace(sse.URL, "/sse", "/message?sessionId=x", 1), "{}", "Origin", "https://evil.example")
	if err != nil || r.StatusCode != 403 {
		t.Errorf("%v %s", err, text)
	}
}

// A session over HTTP keeps the agent that registered in it; no other session sees that.
func TestMCPSessionsRememberTheirAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := w.listen(t, "http")
	ann, bob, nobody := mcpclient.HTTP(t, server.URL), mcpclient.HTTP(t, server.URL), mcpclient.HTTP(t, server.URL)
	ann.MustCall(t, "agit_register_agent", args{"name": "ann", "type": "x"}, nil)
	bob.MustCall(t, "agit_register_agent", args{"name": "bob", "type": "x"}, nil)
	seen := map[string]bool{}
	for _, c := range []*mcpclient.Client{ann, bob, nobody, mcpclient.HTTP(t, server.URL)} {
		var made, claimed taskDoc
		c.MustCall(t, "agit_create_task", args{"repo": "app", "description": "x"}, &made)
		c.MustCall(t, "agit_claim_task", args{"task_id": made.ID}, &claimed)
		if claimed.Agent == "" || claimed.Agent != made.BookedOn.Agent || seen[claimed.Agent] {
			t.Errorf("%+v after %v", claimed, seen)
		}
		seen[claimed.Agent] = true
	}
	if !seen["ann"] || !seen["bob"] {
		t.Errorf("booked on %v", seen)
	}
	// Over HTTP the server's folder is not the client's.
	if f := ann.MustFail(t, "agit_add_repo", args{"path": "app"}); f.Kind != "ValidationError" || f.Field != "path" {
		t.Errorf("got %+v", f)
	}
}
