package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/cli/clitest"
)

func asks(id, call, options string) string {
	return `{"jsonrpc":"2.0","id":"` + id + `","method":"session/request_permission","params":{"toolCall":` + call + `,"options":[` + options + `]}}`
}

const everyOption = `{"optionId":"aa","kind":"allow_always"},{"optionId":"ao","kind":"allow_once"},{"optionId":"ra","kind":"reject_always"},{"optionId":"ro","kind":"reject_once"}`

func helloWith(can string) string {
	return `{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":1,"agentInfo":{"name":"a"},"agentCapabilities":` + can + `}}`
}

func sessionWith(rest string) string {
	return `{"jsonrpc":"2.0","id":ID,"result":{"sessionId":"s1"` + rest + `}}`
}

// took is the duration of a call, and ofGo the words of Go's decoder about a type.
var (
	took = regexp.MustCompile(`, \d+s`)
	ofGo = regexp.MustCompile(`: cannot unmarshal.* \}`)
)

// Every conversation as a whole: each message to the agent, the log for people, what the caller is told, and the result.
func TestConversations(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	modes := sessionWith(`,"modes":{"currentModeId":"plan","availableModes":[{"id":"plan"},{"id":"auto"},{"id":"bypass"}]},"models":{"currentModelId":"large"}`)
	refused := `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no such mode"}}`
	eleven := []string{}
	for i := range 11 {
		eleven = append(eleven, asks(fmt.Sprintf("q%d", i), fmt.Sprintf(`{"kind":"edit","locations":[{"path":"/w/%d"}]}`, i), everyOption))
	}
	for _, c := range []struct {
		name    string
		turn    Turn
		decide  []Decision // in order; nil leaves Decide out
		next    []string
		answers map[string][]string
		then    []string // to each answer of ours, the next of these
	}{
		{name: "a plain one", turn: Turn{Prompt: "do it", Version: "7"}},
		{name: "with servers", turn: Turn{Prompt: "do it", Servers: []Server{{Name: "agit", Command: "/bin/agit"}, {Name: "other", Command: "o", Args: []string{"a", "b"}, Env: []string{"A=b=c", "EMPTY=", "BARE"}}}}},
		{name: "resumed", turn: Turn{Prompt: "go on", Session: "s0"}, answers: map[string][]string{"initialize": {helloWith(`{"loadSession":true,"sessionCapabilities":{"resume":{}}}`)}, "session/resume": {chunk("old"), empty}, "session/prompt": {chunk("new"), endTurn}}},
		{name: "loaded where resume is false", turn: Turn{Prompt: "go on", Session: "s0"}, answers: map[string][]string{"initialize": {helloWith(`{"loadSession":true,"sessionCapabilities":{"resume":false}}`)}, "session/load": {chunk("old"), reported("tool_call", `,"toolCallId":"1","title":"old"`), empty}, "session/prompt": {chunk("new"), endTurn}}},
		{name: "forgotten", turn: Turn{Prompt: "go on", Session: "s0"}, answers: map[string][]string{"initialize": {helloWith(`{"loadSession":true}`)}, "session/load": {notFound}, "session/prompt": {chunk("new"), endTurn}}},
		{name: "closed while it loads", turn: Turn{Prompt: "go on", Session: "s0"}, answers: map[string][]string{"initialize": {helloWith(`{"loadSession":true}`)}, "session/load": {"CLOSE"}}},
		{name: "the first mode of ours", turn: Turn{Prompt: "do it", Modes: []string{"dontAsk", "bypass", "auto"}}, answers: map[string][]string{"session/new": {modes}, "session/set_mode": {empty}}},
		{name: "the mode that it is in", turn: Turn{Prompt: "do it", Modes: []string{"plan", "auto"}}, answers: map[string][]string{"session/new": {modes}}},
		{name: "no mode of ours", turn: Turn{Prompt: "do it", Modes: []string{"dontAsk"}}, answers: map[string][]string{"session/new": {modes}}},
		{name: "a refused mode", turn: Turn{Prompt: "do it", Modes: []string{"auto", "bypass"}}, answers: map[string][]string{"session/new": {modes}, "session/set_mode": {refused}}},
		{name: "closed while it sets the mode", turn: Turn{Prompt: "do it", Modes: []string{"auto"}}, answers: map[string][]string{"session/new": {modes}, "session/set_mode": {"CLOSE"}}},
		{name: "messages, thoughts and tools", turn: Turn{Prompt: "do it"}, answers: map[string][]string{"session/prompt": {
			chunk("Let me look."), reported("tool_call", `,"toolCallId":"1","title":"Read","kind":"read","locations":[{"path":"/w/a.go"}]`), reported("tool_call_update", `,"toolCallId":"1","status":"completed"`),
			reported("tool_call_update", `,"toolCallId":"1","status":"completed"`), reported("tool_call", `,"toolCallId":"2","title":"make","kind":"execute"`), chunk(" \n"), chunk("Half"), chunk(" done."),
			reported("tool_call_update", `,"toolCallId":"2","status":"failed","content":[{"type":"content","content":{"type":"text","text":" "}},{"type":"content","content":{"type":"text","text":"exit status 2\nmore"}}]`),
			`{"jsonrpc":"2.0","method":"session/other","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"not ours"}}}}`,
			`{"jsonrpc":"2.0","method":"session/update","params":7}`, `{"jsonrpc":"2.0","method":"session/update","params":{"update":7}}`, "", "warning: it prints", chunk("All of it."), endTurn}}},
		{name: "only thoughts", turn: Turn{Prompt: "do it"}, answers: map[string][]string{"session/prompt": {reported("agent_thought_chunk", `,"content":{"type":"text","text":"hm"}`), endTurn}}},
		{name: "only a plan", turn: Turn{Prompt: "do it"}, answers: map[string][]string{"session/prompt": {reported("plan", `,"entries":[]`), endTurn}}},
		{name: "nothing", turn: Turn{Prompt: "do it"}, answers: map[string][]string{"session/prompt": {chunk(""), reported("of_tomorrow", ""), endTurn}}},
		{name: "usage", turn: Turn{Prompt: "do it"}, next: []string{"and that", "go on"}, answers: map[string][]string{"session/prompt": {
			reported("usage_update", `,"cost":{"amount":0.5,"currency":"USD"}`), reported("usage_update", `,"cost":{"amount":0.25,"currency":"USD"}`), reported("usage_update", `,"cost":{"amount":9}`), reported("usage_update", `,"cost":7`), reported("usage_update", ""),
			`{"jsonrpc":"2.0","id":ID,"result":{"stopReason":"end_turn","usage":{"inputTokens":10,"cachedWriteTokens":200,"cachedReadTokens":3000,"outputTokens":40000,"thoughtTokens":500000}}}`}}},
		{name: "permissions", turn: Turn{Prompt: "do it"}, decide: []Decision{{Allow: true}, {Allow: true, Always: true, Why: "a rule allows it"}, {Why: "it is away"}, {}},
			answers: map[string][]string{"session/prompt": {asks("q1", `{"kind":"execute","rawInput":{"command":"make"}}`, everyOption)}},
			then: []string{asks("q2", `{"kind":"fetch","rawInput":{"url":"https://e.com"}}`, everyOption), asks("q3", `{"kind":"read","locations":[{"path":"/w/a"},{"path":"/w/b"}]}`, everyOption), asks("q4", `{"title":"think"}`, everyOption),
				`{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}`}},
		{name: "no one decides", turn: Turn{Prompt: "do it"}, answers: map[string][]string{"session/prompt": {asks("q1", `{"kind":"execute","rawInput":{"command":"make"}}`, everyOption)}}, then: []string{`{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}`}},
		{name: "eleven denials", turn: Turn{Prompt: "do it"}, answers: map[string][]string{"session/prompt": eleven[:1]}, then: append(eleven[1:], `{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}`)},
		{name: "requests that are not known", turn: Turn{Prompt: "do it"}, answers: map[string][]string{"session/prompt": {`{"jsonrpc":"2.0","id":"q1","method":"fs/read_text_file","params":{}}`}},
			then: []string{`{"jsonrpc":"2.0","id":"q2","method":"session/request_permission","params":{"options":7}}`, `{"jsonrpc":"2.0","id":3,"result":{"stopReason":"refusal"}}`}},
		{name: "further turns", turn: Turn{Prompt: "do it"}, next: []string{"not\nso"}, answers: map[string][]string{"session/prompt": {chunk("I do ID."), endTurn}}},
		{name: "another program", turn: Turn{Prompt: "do it"}, answers: map[string][]string{"initialize": {"{}", "usage: agent PROMPT", "CLOSE"}}},
		{name: "closed during the turn", turn: Turn{Prompt: "do it"}, next: []string{"never"}, answers: map[string][]string{"session/prompt": {chunk("x"), "warning: it crashes", "CLOSE"}}},
		{name: "an error", turn: Turn{Prompt: "do it"}, next: []string{"never"}, answers: map[string][]string{"session/prompt": {`{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"Internal error","data":{"errorKind":"overloaded","status":529}}}`}}},
		{name: "no prompt", turn: Turn{}},
	} {
		var mu sync.Mutex // the callbacks come from several goroutines
		var told, written []string
		tell := func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprintf(format, args...))
		}
		turn := c.turn
		turn.Update = func(u Usage) { tell("usage %+v", u) }
		turn.Opened = func(session string) { tell("opened %s", session) }
		turn.Written = func(session string) { written = append(written, session) }
		if c.next != nil {
			turn.Next = func(context.Context) (text string) {
				if len(c.next) > 0 {
					text, c.next = c.next[0], c.next[1:]
				}
				tell("next %q", text)
				return text
			}
		}
		if c.decide != nil {
			turn.Decide = func(_ context.Context, r Request) (d Decision) {
				d, c.decide = c.decide[0], c.decide[1:]
				tell("decide %+v", r)
				return d
			}
		}
		s := &script{answers: c.answers, then: c.then}
		r, log := speak(t, t.Context(), turn, s)
		fmt.Fprintf(&all, "%s\n", c.name)
		for _, line := range s.got {
			var message any
			if err := json.Unmarshal([]byte(line), &message); err != nil {
				t.Fatal(err)
			}
			sorted, _ := json.Marshal(message)
			if c.turn.Version != "" || !strings.Contains(line, `"method":"initialize"`) { // the same for all
				fmt.Fprintf(&all, "\t> %s\n", ofGo.ReplaceAll(sorted, nil))
			}
		}
		for line := range strings.Lines(took.ReplaceAllString(log, "")) {
			fmt.Fprintf(&all, "\t| %s", line)
		}
		for _, line := range told {
			fmt.Fprintf(&all, "\t* %s\n", line)
		}
		failure := fmt.Sprintf("; written %q", written)
		if r.Err != nil {
			failure, r.Err = failure+fmt.Sprintf("; failure %+v", *r.Err), nil
		}
		fmt.Fprintf(&all, "\t= %+v%s\n", r, failure)
	}
	clitest.Golden(t, filepath.Join("testdata", "conversations.txt"), all.String())
}

// A command is taken from any of its names; a list of arguments is written as a person would type it.
func TestCommandOf(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"command":"ls -l"}`:                                "ls -l",
		`{"command":["ls"]}`:                                 "ls",
		`{"command":["ls","a b"]}`:                           "ls 'a b'",
		`{"command":["bash","-c","ls; pwd"]}`:                "ls; pwd",
		`{"command":["bash","-l","x"]}`:                      "bash -l x",
		`{"command":["cc","abc","x"]}`:                       "cc abc x",
		`{"command":["bash","-lc","ls","x"]}`:                "bash -lc ls x",
		`{"command":["bash","-lc"]}`:                         "bash -lc",
		`{"command":[],"cmd":"ls"}`:                          "ls",
		`{"command":7,"commandLine":"ls"}`:                   "ls",
		`{"command":"","cmd":["pwd"],"commandLine":"never"}`: "pwd",
		`{"other":"ls"}`:                                     "",
	} {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(input), &fields); err != nil {
			t.Fatal(err)
		}
		if got := commandOf(fields); got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
}

func TestReadRequest(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]Request{
		`{"rawInput":{"file_path":"1","filePath":"2","path":"3","notebook_path":"4","filepath":"5","abs_path":"6"}}`: {Paths: []string{"1", "2", "3", "4", "5", "6"}},
		`{"rawInput":{"path":"","file_path":"a"},"locations":[{"path":""},{"path":"a"},{"path":"b"}]}`:               {Paths: []string{"a", "b"}},
		`{"rawInput":{"tool_name":"a","toolName":"b","tool":"c","name":"d"}}`:                                        {Tool: "a"},
		`{"rawInput":{"name":"d"},"title":"mcp__x__y"}`:                                                              {Tool: "d", Title: "mcp__x__y"},
		`{"rawInput":{"server":"s","name":"d"}}`:                                                                     {Tool: "mcp__s__d"},
		`{"title":"mcp_x y"}`:                                                                                        {Title: "mcp_x y"},
		`{"title":"mcp__x__y z"}`:                                                                                    {Title: "mcp__x__y z", Tool: "mcp__x__y"},
		"{\"title\":\"`ls`\",\"kind\":\"execute\",\"rawInput\":{\"command\":\"ls -l\"}}":                             {Title: "`ls`", Kind: "execute", Command: "ls -l"},
		"{\"title\":\"`ls`\",\"kind\":\"read\"}":                                                                     {Title: "`ls`", Kind: "read"},
	} {
		if d := cmp.Diff(want, readRequest(json.RawMessage(call))); d != "" {
			t.Errorf("%s: %s", call, d)
		}
	}
	for _, c := range []struct {
		tool, input string
		want        Request
	}{
		{"Bash", `{"command":"ls"}`, Request{Kind: "execute", Title: "Bash", Tool: "Bash", Command: "ls"}},
		{"Bash", `{}`, Request{Kind: "execute", Title: "Bash", Tool: "Bash"}},
		{"Edit", `{"file_path":"/w/a","name":"x"}`, Request{Kind: "edit", Title: "Edit", Tool: "Edit", Paths: []string{"/w/a"}}},
		{"WebFetch", `{"url":"https://e.com"}`, Request{Kind: "fetch", Title: "WebFetch", Tool: "WebFetch", URL: "https://e.com"}},
		{"Task", `{"command":"Task"}`, Request{Kind: "other", Title: "Task", Tool: "Task", Command: "Task"}},
	} {
		if d := cmp.Diff(c.want, ToolRequest(c.tool, json.RawMessage(c.input))); d != "" {
			t.Errorf("%s %s: %s", c.tool, c.input, d)
		}
	}
	for words, r := range map[string]Request{"fetch: u": {URL: "u", Paths: []string{"p"}}, "tool: a": {Paths: []string{"a"}}, "read: t": {Kind: "read", Tool: "t"}, "tool: ": {}} {
		if r.Words() != words {
			t.Errorf("%+v is %q, want %q", r, r.Words(), words)
		}
	}
}

// The log describes a call by its title, with the command, address or file that the title lacks.
func TestToolWords(t *testing.T) {
	t.Parallel()
	dir := filepath.FromSlash("/w")
	at := func(p string) string { return filepath.FromSlash("/w/" + p) }
	for _, c := range []struct {
		dir, want string
		r         Request
	}{
		{dir, "", Request{}},
		{dir, "Look", Request{Title: " Look\nagain"}},
		{dir, "Write b.go", Request{Title: "Write " + at("b.go"), Paths: []string{at("b.go")}}},
		{dir, "Write: b.go", Request{Title: "Write", Paths: []string{at("b.go"), at("c.go")}}},
		{"", "Write " + at("b.go"), Request{Title: "Write " + at("b.go")}},
		{dir, "b.go", Request{Paths: []string{at("b.go")}}},
		{dir, "make -k", Request{Title: "`make`", Command: "make -k\n"}},
		{dir, "Build: make", Request{Title: "Build", Command: "make"}},
		{dir, "Run make", Request{Title: "Run make", Command: "make"}},
		{dir, "Fetch: https://e.com", Request{Title: "Fetch", URL: "https://e.com", Paths: []string{at("b.go")}}},
		{dir, "Blank", Request{Title: "Blank", Command: " "}},
	} {
		if got := toolWords(c.r, c.dir); got != c.want {
			t.Errorf("%+v in %q: %q, want %q", c.r, c.dir, got, c.want)
		}
	}
	if got := firstLine("\n" + strings.Repeat("x", 201)); got != strings.Repeat("x", 200) {
		t.Errorf("the first line of a long text has %d bytes", len(got))
	}
	if got := indented(" a\nb\nc\n"); got != "a\n  b\n  c" {
		t.Errorf("%q", got)
	}
}

// Calls without an end are forgotten at a thousand.
func TestCallsWithoutAnEnd(t *testing.T) {
	t.Parallel()
	c := &conversation{turn: &Turn{Dir: "/w"}, out: writer{to: io.Discard}}
	call := func(i int) {
		body := json.RawMessage(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":%d,"title":"x"}`, i))
		c.notification(sdk.ClientMethodSessionUpdate, json.RawMessage(`{"update":`+string(body)+`}`))
	}
	for i := range mostTools {
		call(i)
	}
	if len(c.tools) != mostTools || c.result.Calls != mostTools {
		t.Errorf("%d calls are known, %d counted", len(c.tools), c.result.Calls)
	}
	if call(mostTools); len(c.tools) != 1 || c.result.Calls != mostTools+1 {
		t.Errorf("%d calls are known, %d counted", len(c.tools), c.result.Calls)
	}
}

// The last message is kept up to its bound. A text after a tool call begins a new one, even when blanks come first.
func TestLastMessage(t *testing.T) {
	t.Parallel()
	c := &conversation{turn: &Turn{}, out: writer{to: io.Discard}}
	c.wrote(strings.Repeat("x", longestMessage-1))
	c.wrote("ab")
	c.wrote("c")
	c.wrote("d")
	if got := c.message.String(); len(got) != longestMessage || got[longestMessage-1] != 'c' {
		t.Errorf("%d bytes are kept, the last %q", len(got), got[len(got)-1])
	}
	c.fresh = true
	c.wrote(" ")
	c.wrote("new")
	if got := c.message.String(); got != "new" {
		t.Errorf("a new message is %d bytes long", len(got))
	}
	c.result.Stop, c.fresh = "end_turn", true
	c.wrote(" and late")
	if got := c.message.String(); got != "new and late" {
		t.Errorf("text after the end: %q", got)
	}
}

func TestUsageOfATurn(t *testing.T) {
	t.Parallel()
	before := Usage{Input: 1, Output: 2, Cached: 3, Cost: 0.5}
	for raw, want := range map[string]Usage{
		`{"inputTokens":10,"outputTokens":20,"thoughtTokens":300,"cachedReadTokens":4000,"cachedWriteTokens":50000}`: {Input: 50010, Output: 320, Cached: 4000, Cost: 0.5},
		`{"inputTokens":-1,"outputTokens":2e15,"cachedReadTokens":1.9}`:                                              {Output: 1e15, Cached: 1, Cost: 0.5},
		`{}`: {Cost: 0.5},
		`7`:  before,
		``:   before,
	} {
		got := before
		if got.read(json.RawMessage(raw)); got != want {
			t.Errorf("%s: %+v, want %+v", raw, got, want)
		}
	}
}

func TestFailureOf(t *testing.T) {
	t.Parallel()
	closed := "the agent closed its output before it answered"
	for name, c := range map[string]struct {
		err    error
		broken string
		deaf   bool
		want   Failure
	}{
		"not the agent's": {errors.New("no"), "it printed", true, Failure{Message: "no", Broken: true}},
		"words of all kinds": {&sdk.RequestError{Code: 1, Message: "bad", Data: map[string]any{"errorKind": "k", "errorName": "n", "status": 400, "message": "first", "details": "second", "error": "third"}}, "it printed", false,
			Failure{Message: "bad: first: second: third", Name: "k n", Code: 1, Status: 400}},
		"words that it has said": {&sdk.RequestError{Code: 1, Message: "bad input", Data: map[string]any{"message": "input", "details": "bad input"}}, "", false, Failure{Message: "bad input", Code: 1}},
		"a login":                {&sdk.RequestError{Code: authRequired, Message: "log in", Data: map[string]any{"errorName": "n", "status": "x"}}, "", false, Failure{Message: "log in", Name: "n auth_required", Code: authRequired}},
		"no more output":         {&sdk.RequestError{Code: 1, Message: "x", Data: map[string]any{"error": "peer disconnected before"}}, "", false, Failure{Message: closed, Code: 1, Broken: true}},
		"no longer reads":        {&sdk.RequestError{Code: 1, Message: "x"}, "it printed: usage", true, Failure{Message: "it printed: usage", Code: 1, Broken: true}},
	} {
		if d := cmp.Diff(c.want, *failureOf(c.err, c.broken, c.deaf)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// A prompt is reported once it is written; a text that only mentions the method is not one.
func TestWritten(t *testing.T) {
	t.Parallel()
	var in bytes.Buffer
	var told []string
	c := &conversation{turn: &Turn{Written: func(session string) { told = append(told, session) }}, in: &in}
	c.result.Session = "s1"
	prompt := string(promptMethod)
	for _, message := range []string{"{" + prompt + "}", strings.Repeat("x", promptBegins-len(prompt)) + prompt, strings.Repeat("x", promptBegins-len(prompt)+1) + prompt, "other"} {
		if n, err := c.Write([]byte(message)); n != len(message) || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
	if len(told) != 2 || told[0] != "s1" || c.ended() {
		t.Errorf("told %q, ended %t", told, c.ended())
	}
	closed, other := io.Pipe()
	closed.Close()
	c.in = other
	if _, err := c.Write([]byte(prompt)); err == nil || len(told) != 2 || !c.ended() {
		t.Errorf("%v, told %q, ended %t", err, told, c.ended())
	}
}

// The longest line is read; a line of one byte more is skipped.
func TestLongestLine(t *testing.T) {
	t.Parallel()
	for more, want := range map[int]int{0: longestLine, 1: 0} {
		var log bytes.Buffer
		c := &conversation{out: writer{to: &log}}
		if err := c.read(strings.NewReader(strings.Repeat("x", longestLine-1+more)+"\nshort"), io.Discard); !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		if got := log.Len() - len("short\n"); got != want {
			t.Errorf("%d bytes of a line of %d are read", got, longestLine+more)
		}
	}
	if err := (&conversation{}).read(strings.NewReader(`{"id":1}`), brokenWriter{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("nobody reads: %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
