package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// script is an agent: it answers a method with lines, in which ID stands for the request's id.
type script struct {
	answers map[string][]string
	then    []string // the line after each answer of ours
	got     []string // requests and answers, in order
	after   func(method string)
}

func (s *script) run(in io.Reader, out io.Writer) {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		s.got = append(s.got, strings.TrimSpace(line))
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal([]byte(line), &m)
		key := m.Method
		if key == "" {
			key = "answer"
			if _, asked := s.answers["selected"]; asked && strings.Contains(line, `"outcome":"selected"`) {
				key = "selected"
			}
		}
		answers := s.answers[key]
		if m.Method == "" && len(s.then) > 0 {
			answers, s.then = s.then[:1], s.then[1:]
		}
		for _, answer := range answers {
			if answer == "CLOSE" {
				return
			}
			_, _ = io.WriteString(out, strings.ReplaceAll(answer, "ID", string(m.ID))+"\n")
		}
		if s.after != nil {
			s.after(m.Method)
		}
	}
}

// sent returns the first message sent that contains text.
func (s *script) sent(text string) string {
	for _, line := range s.got {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

const (
	hello    = `{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"2"},"agentCapabilities":{}}}`
	newOne   = `{"jsonrpc":"2.0","id":ID,"result":{"sessionId":"s1"}}`
	endTurn  = `{"jsonrpc":"2.0","id":ID,"result":{"stopReason":"end_turn"}}`
	empty    = `{"jsonrpc":"2.0","id":ID,"result":{}}`
	notFound = `{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"Method not found"}}`
)

func reported(kind, rest string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"` + kind + `"` + rest + `}}}`
}

func chunk(text string) string {
	quoted, _ := json.Marshal(text)
	return reported("agent_message_chunk", `,"content":{"type":"text","text":`+string(quoted)+`}`)
}

// speak runs a turn with a script and returns the result and the log.
func speak(t *testing.T, ctx context.Context, turn Turn, s *script) (Result, string) {
	t.Helper()
	for method, answer := range map[string]string{"initialize": hello, "session/new": newOne, "session/prompt": endTurn} {
		if _, given := s.answers[method]; !given {
			if s.answers == nil {
				s.answers = map[string][]string{}
			}
			s.answers[method] = []string{answer}
		}
	}
	toAgent, in := io.Pipe()
	out, fromAgent := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.run(toAgent, fromAgent)
		fromAgent.Close()
		_, _ = io.Copy(io.Discard, toAgent)
	}()
	var log bytes.Buffer
	turn.Log, turn.Dir = &log, "/w"
	r := turn.Speak(ctx, in, out)
	in.Close()
	<-done
	return r, log.String()
}

func TestTurn(t *testing.T) {
	t.Parallel()
	s := &script{answers: map[string][]string{
		"session/new":      {`{"jsonrpc":"2.0","id":ID,"result":{"sessionId":"s1","models":{"currentModelId":"m"},"modes":{"currentModeId":"x","availableModes":[{"id":"x"},{"id":"auto"}]}}}`},
		"session/set_mode": {empty},
		"session/prompt": {chunk("Let me "), chunk("look."), reported("tool_call", `,"toolCallId":"1","title":"ls","kind":"execute"`), reported("tool_call_update", `,"toolCallId":"1","status":"failed"`),
			reported("of_tomorrow", `,"x":[]`), reported("usage_update", `,"cost":{"amount":0.5,"currency":"USD"}`), reported("usage_update", `,"cost":null`), "warning: no message", chunk("Done.\nAll of it."),
			`{"jsonrpc":"2.0","id":ID,"result":{"stopReason":"end_turn","usage":{"inputTokens":10,"cachedWriteTokens":2,"cachedReadTokens":30,"outputTokens":5,"thoughtTokens":1}}}`},
	}}
	var told []Usage
	r, log := speak(t, t.Context(), Turn{Prompt: "do it", Modes: []string{"bypass", "auto"}, Version: "7", Update: func(u Usage) { told = append(told, u) },
		Servers: []Server{{Name: "agit", Command: "/bin/agit", Args: []string{"serve"}, Env: []string{"A=b=c"}}}}, s)
	used := Usage{Input: 12, Output: 6, Cached: 30, Cost: 0.5, Currency: "USD", Session: "s1"}
	want := Result{Agent: "a 2", Session: "s1", Begun: true, Acted: true, Calls: 1, Turns: 1, Stop: "end_turn", Message: "Done.\nAll of it.", Model: "m", Usage: used}
	if d := cmp.Diff(want, r); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Usage{{Cost: 0.5, Currency: "USD", Session: "s1"}, used}, told); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff("Let me look.\n[execute] ls\n[failed] ls\nwarning: no message\nDone.\nAll of it.\n", log); d != "" {
		t.Error(d)
	}
	for method, part := range map[string]string{
		"initialize": `"protocolVersion":1`, "session/new": `"mcpServers":[{"args":["serve"],"command":"/bin/agit","env":[{"name":"A","value":"b=c"}],"name":"agit"}]`,
		"session/set_mode": `"modeId":"auto"`, "session/prompt": `"text":"do it"`,
	} {
		if sent := s.sent(`"` + method + `"`); !strings.Contains(sent, part) {
			t.Errorf("%s: %s", method, sent)
		}
	}
}

// A session is resumed or loaded, or begun anew when the agent cannot do that or has forgotten it. Messages that a loaded session
// repeats are not reported again.
func TestSessions(t *testing.T) {
	t.Parallel()
	able := func(can string) []string {
		return []string{`{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":1,"agentCapabilities":` + can + `}}`}
	}
	for name, test := range map[string]struct {
		answers map[string][]string
		session string
		methods string
	}{
		"resumed":        {map[string][]string{"initialize": able(`{"loadSession":true,"sessionCapabilities":{"resume":{}}}`), "session/resume": {chunk("old"), empty}}, "s0", "session/resume"},
		"loaded":         {map[string][]string{"initialize": able(`{"loadSession":true}`), "session/load": {chunk("old"), empty}}, "s0", "session/load"},
		"loaded, not of": {map[string][]string{"initialize": able(`{"loadSession":true,"sessionCapabilities":{"resume":null}}`), "session/load": {empty}}, "s0", "session/load"},
		"cannot":         {map[string][]string{"initialize": able(`{"loadSession":false}`)}, "s1", "session/new"},
		"odd":            {map[string][]string{"initialize": able(`[7]`)}, "s1", "session/new"},
		"forgotten":      {map[string][]string{"initialize": able(`{"loadSession":true}`), "session/load": {notFound}}, "s1", "session/load session/new"},
	} {
		s := &script{answers: test.answers}
		r, log := speak(t, t.Context(), Turn{Prompt: "go on", Session: "s0"}, s)
		var methods []string
		for _, line := range s.got {
			var m struct{ Method string }
			_ = json.Unmarshal([]byte(line), &m)
			if m.Method != "initialize" && m.Method != "session/prompt" {
				methods = append(methods, m.Method)
			}
		}
		if r.Session != test.session || strings.Join(methods, " ") != test.methods || r.Message != "" || log != "" || r.Err != nil {
			t.Errorf("%s: %+v by %v, log %q", name, r, methods, log)
		}
	}
}

// A failure is reported in the agent's words.
func TestFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answers map[string][]string
		want    Failure
		begun   bool
	}{
		"an error": {map[string][]string{"session/prompt": {`{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"Internal error","data":{"errorKind":"server_error","details":"529 Overloaded","status":529}}}`}},
			Failure{Message: "Internal error: 529 Overloaded", Name: "server_error", Status: 529, Code: -32603}, true},
		"a login": {map[string][]string{"session/new": {`{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"Authentication required"}}`}},
			Failure{Message: "Authentication required", Name: "auth_required", Code: -32000}, false},
		"an end":            {map[string][]string{"session/prompt": {chunk("x"), "CLOSE"}}, Failure{Message: "the agent closed its output before it answered", Code: -32603, Broken: true}, true},
		"another program":   {map[string][]string{"initialize": {"usage: agent PROMPT", "CLOSE"}}, Failure{Message: "the program does not speak the Agent Client Protocol; it printed: usage: agent PROMPT", Code: -32603, Broken: true}, false},
		"another version":   {map[string][]string{"initialize": {`{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":2}}`}}, Failure{Message: "the agent speaks another version of the protocol than 1"}, false},
		"no id":             {map[string][]string{"session/new": {empty}}, Failure{Message: "the agent began a session without an id"}, false},
		"an unknown method": {map[string][]string{"initialize": {notFound}}, Failure{Message: "Method not found", Code: -32601}, false},
	} {
		r, _ := speak(t, t.Context(), Turn{Prompt: "do it"}, &script{answers: test.answers})
		if r.Err == nil || r.Begun != test.begun {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		if d := cmp.Diff(test.want, *r.Err); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// A turn that is stopped is cancelled first; pending permission requests are answered with cancelled.
func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	s := &script{answers: map[string][]string{
		"session/prompt": {`{"jsonrpc":"2.0","id":"q1","method":"session/request_permission","params":{"toolCall":{"kind":"execute","rawInput":{"command":"x"}},"options":[{"optionId":"no","kind":"reject_once"}]}}`},
		"session/cancel": {`{"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}}`},
	}}
	go func() { <-asked; cancel() }()
	r, _ := speak(t, ctx, Turn{Prompt: "do it", Decide: func(ctx context.Context, _ Request) Decision {
		close(asked)
		<-ctx.Done()
		return Decision{Allow: true}
	}}, s)
	if r.Stop != "cancelled" || r.Err != nil || s.sent("session/cancel") == "" {
		t.Errorf("%+v %q", r, s.got)
	}
	if answer := s.sent(`"id":"q1"`); answer != "" && !strings.Contains(answer, `"outcome":"cancelled"`) {
		t.Errorf("the request got %s", answer)
	}
}

// A permission request is answered with the option that matches the decision.
func TestPermission(t *testing.T) {
	t.Parallel()
	all := `{"optionId":"a","kind":"allow_always"},{"optionId":"b","kind":"allow_once"},{"optionId":"c","kind":"reject_once"}`
	for name, test := range map[string]struct {
		options  string
		decision Decision
		want     string
	}{
		"allowed":         {all, Decision{Allow: true}, `"optionId":"b"`},
		"always":          {all, Decision{Allow: true, Always: true}, `"optionId":"a"`},
		"denied":          {all, Decision{}, `"optionId":"c"`},
		"only always":     {`{"optionId":"a","kind":"allow_always"}`, Decision{Allow: true}, `"optionId":"a"`},
		"no such option":  {`{"optionId":"a","kind":"allow_always"}`, Decision{}, `"outcome":"cancelled"`},
		"denied for ever": {`{"optionId":"d","kind":"reject_always"}`, Decision{}, `"optionId":"d"`},
	} {
		s := &script{answers: map[string][]string{
			"session/prompt": {`{"jsonrpc":"2.0","id":"q1","method":"session/request_permission","params":{"toolCall":{"kind":"execute","rawInput":{"command":"make it"}},"options":[` + test.options + `]}}`},
			"answer":         {`{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}`},
		}}
		var asked Request
		r, log := speak(t, t.Context(), Turn{Prompt: "do it", Decide: func(_ context.Context, r Request) Decision { asked = r; return test.decision }}, s)
		if got := s.sent(`"id":"q1"`); !strings.Contains(got, test.want) || asked.Command != "make it" {
			t.Errorf("%s: %s for %+v", name, got, asked)
		}
		if denied := len(r.Denied) == 1; denied == test.decision.Allow || denied != strings.Contains(log, "[denied] shell: make it") {
			t.Errorf("%s: %v %q", name, r.Denied, log)
		}
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]Request{
		`{"kind":"execute","title":"ls","rawInput":{"command":"ls -l"}}`:                                        {Kind: "execute", Title: "ls", Command: "ls -l"},
		`{"kind":"execute","rawInput":{"command":["bash","-lc","git status"]}}`:                                 {Kind: "execute", Command: "git status"},
		`{"kind":"execute","rawInput":{"command":["git","commit","-m","a; b"]}}`:                                {Kind: "execute", Command: "git commit -m 'a; b'"},
		`{"kind":"execute","title":"` + "`make`" + `"}`:                                                         {Kind: "execute", Title: "`make`", Command: "make"},
		`{"kind":"edit","rawInput":{"file_path":"/w/a"},"locations":[{"path":"/w/a"},{"path":"/w/b"},{"x":1}]}`: {Kind: "edit", Paths: []string{"/w/a", "/w/b"}},
		`{"kind":"edit","rawInput":{"changes":{"/w/c":{}}}}`:                                                    {Kind: "edit", Paths: []string{"/w/c"}},
		`{"kind":"fetch","rawInput":{"url":"https://e.com"}}`:                                                   {Kind: "fetch", URL: "https://e.com"},
		`{"kind":"other","title":"mcp__agit__begin (x)"}`:                                                       {Kind: "other", Title: "mcp__agit__begin (x)", Tool: "mcp__agit__begin"},
		`{"kind":"other","rawInput":{"server":"agit","tool":"begin"}}`:                                          {Kind: "other", Tool: "mcp__agit__begin"},
		`{"kind":7,"title":[],"rawInput":"x","locations":{}}`:                                                   {},
	} {
		if d := cmp.Diff(want, readRequest(json.RawMessage(call))); d != "" {
			t.Errorf("%s: %s", call, d)
		}
	}
	for words, r := range map[string]Request{"shell: ls": {Command: "ls"}, "fetch: u": {URL: "u"}, "edit: a, b": {Kind: "edit", Paths: []string{"a", "b"}}, "tool: X": {Title: "X"}} {
		if r.Words() != words {
			t.Errorf("%+v is %q, want %q", r, r.Words(), words)
		}
	}
}

// An overlong message is skipped, and the next ones are read.
func TestLongLines(t *testing.T) {
	t.Parallel()
	s := &script{answers: map[string][]string{"session/prompt": {chunk(strings.Repeat("x", longestLine)), chunk("short"), endTurn}}}
	if r, _ := speak(t, t.Context(), Turn{Prompt: "do it"}, s); r.Message != "short" || r.Stop != "end_turn" {
		t.Errorf("%d bytes, %+v", len(r.Message), r.Err)
	}
}

// Whatever an agent prints, the turn ends with its output.
func FuzzSpeak(f *testing.F) {
	f.Add(hello+"\n"+newOne, chunk("x"))
	f.Add("{}", reported("tool_call", `,"title":7`))
	f.Fuzz(func(t *testing.T, first, second string) {
		in, out := io.Pipe()
		go func() {
			for i, line := range []string{first, second} {
				_, _ = fmt.Fprintln(out, strings.ReplaceAll(line, "ID", fmt.Sprint(i+1)))
			}
			out.Close()
		}()
		if r := (&Turn{Dir: "/w", Prompt: "x", Log: io.Discard}).Speak(t.Context(), io.Discard, in); r.Err == nil && r.Stop == "" {
			t.Errorf("%+v", r)
		}
	})
}

// A program that ends without reading a message does not speak the protocol. Its output is the reason, even if it arrives late.
func TestProgramThatDoesNotListen(t *testing.T) {
	t.Parallel()
	for printed, want := range map[string]string{
		"usage: agent PROMPT\n": "the program does not speak the Agent Client Protocol; it printed: usage: agent PROMPT",
		"":                      "the agent closed its output before it answered",
	} {
		toAgent, in := io.Pipe()
		out, fromAgent := io.Pipe()
		_ = toAgent.Close()
		written := make(chan struct{})
		go func() {
			<-written
			_, _ = io.WriteString(fromAgent, printed)
			_ = fromAgent.Close()
		}()
		turn := Turn{Prompt: "do it", Dir: "/w", Log: io.Discard}
		r := turn.Speak(t.Context(), writes{in, func() { close(written) }}, out)
		if r.Err == nil || !r.Err.Broken || r.Err.Message != want || r.Begun {
			t.Errorf("it printed %q: %+v, %+v", printed, r, r.Err)
		}
	}
}

// writes calls first after each write.
type writes struct {
	to    io.Writer
	first func()
}

func (w writes) Write(b []byte) (int, error) {
	n, err := w.to.Write(b)
	w.first()
	return n, err
}
