package worker

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/run/ending"
	"github.com/agit-suite/agit/shared/fault"
)

func TestCommandLines(t *testing.T) {
	place := Place{Dir: "/w", Roots: []string{"/r/.git", `/r/.git/worktrees/a"b`}, Brief: "do it", File: "/b.md"}
	for name, test := range map[string]struct {
		client  string
		plain   []string
		session string
		more    []string
		want    string
		stdin   string
		file    bool
	}{
		"claude":          {client: "claude", want: "claude -p --output-format stream-json --verbose --permission-mode acceptEdits --mcp-config {\"mcpServers\":{}} --permission-prompt-tool mcp__agit_permit__ask --allowedTools mcp__agit,mcp__memoryd", stdin: "do it"},
		"claude again":    {client: "claude", session: "S", more: []string{"--model", "opus"}, want: "claude --resume S -p --output-format stream-json --verbose --permission-mode acceptEdits --mcp-config {\"mcpServers\":{}} --permission-prompt-tool mcp__agit_permit__ask --allowedTools mcp__agit,mcp__memoryd --model opus", stdin: "do it"},
		"codex":           {client: "codex", more: []string{"-m", "x"}, want: `codex exec --json -c sandbox_mode="workspace-write" -c sandbox_workspace_write.writable_roots=["/r/.git","/r/.git/worktrees/a\"b"] -m x -`, stdin: "do it"},
		"codex again":     {client: "codex", session: "S", want: `codex exec resume S --json -c sandbox_mode="workspace-write" -c sandbox_workspace_write.writable_roots=["/r/.git","/r/.git/worktrees/a\"b"] -`, stdin: "do it"},
		"opencode":        {client: "opencode", want: "opencode run --format json --auto --dir /w", stdin: "do it"},
		"opencode again":  {client: "opencode", session: "S", want: "opencode run --session S --format json --auto --dir /w", stdin: "do it"},
		"gemini":          {client: "gemini", session: "S", want: "gemini --resume S --skip-trust --approval-mode yolo -o stream-json", stdin: "do it"},
		"cursor":          {client: "cursor", more: []string{"--model", "x"}, want: "agent -p --force --trust --output-format stream-json --model x do it"},
		"copilot":         {client: "copilot", more: []string{"--model", "x"}, session: "S", want: "copilot --resume=S --output-format json --allow-all-tools --no-ask-user --model x -p do it"},
		"a script":        {plain: []string{"./agent.sh", "-v"}, want: "./agent.sh -v", stdin: "do it"},
		"a script's file": {plain: []string{"aider", "--message-file", "{brief}"}, want: "aider --message-file /b.md", file: true},
		"its argument":    {plain: []string{"amp", "-x", "{prompt}"}, want: "amp -x do it"},
	} {
		t.Run(name, func(t *testing.T) {
			var c Client
			if test.plain != nil {
				c = Plain(test.plain)
			} else {
				var err error
				if c, err = Find(test.client); err != nil {
					t.Fatal(err)
				}
			}
			p := place
			p.Session = test.session
			l := c.Line(p, test.more)
			if d := cmp.Diff(test.want, strings.Join(l.Command, " ")); d != "" {
				t.Error(d)
			}
			if l.Stdin != test.stdin || l.File != test.file {
				t.Errorf("it reads %q, file %v", l.Stdin, l.File)
			}
			if again := c.Line(p, test.more); !cmp.Equal(again, l) {
				t.Errorf("another time it is %+v", again)
			}
		})
	}
	if _, err := Find("claud"); !fault.Is(err, fault.KindValidation) || !strings.Contains(fault.From(err).Hint, "claude") {
		t.Errorf("an unknown client: %v", err)
	}
}

// A person resumes a session in the client's own program if its options are known; a session is never an option.
func TestOpened(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"claude": "claude --resume s-1", "codex": "codex resume s-1", "opencode": "opencode --session s-1", "gemini": "gemini --resume s-1",
		"cursor": "agent --resume s-1", "copilot": "copilot --resume=s-1", "goose": ""} {
		c, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		line, err := c.Opened("s-1")
		if strings.Join(line, " ") != want || err != nil {
			t.Errorf("%s: %q, %v", name, line, err)
		}
		for _, odd := range []string{"", "--dangerous", "a b", "a\n"} {
			if line, err := c.Opened(odd); err == nil {
				t.Errorf("%s with %q: %q", name, odd, line)
			}
		}
		if want != "" && c.Open[len(c.Open)-1] == "{session}" && line[len(line)-1] != "s-1" {
			t.Errorf("the table was changed: %q", c.Open)
		}
	}
}

// A client is driven by the protocol if a program for it is installed, otherwise by its command line, unless one of the two is
// requested.
func TestWays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		client    string
		way       Way
		installed string
		want      string // the program; "" for an error
		speaks    bool
		headless  bool
	}{
		"both":                         {"claude", Best, "claude claude-agent-acp", "claude-agent-acp", true, true},
		"the older program":            {"claude", Best, "claude claude-code-acp", "claude-code-acp", true, true},
		"one alone":                    {"claude", Best, "claude", "claude", false, false},
		"the other alone":              {"claude", Best, "claude-agent-acp", "claude-agent-acp", true, false},
		"none":                         {"claude", Best, "codex", "", false, false},
		"another name":                 {"claude-code", Best, "claude", "claude", false, false},
		"one that is both":             {"opencode", Best, "opencode", "opencode", true, true},
		"arguments":                    {"opencode", ByCommand, "opencode", "opencode", false, false},
		"the protocol is asked for":    {"claude", ByACP, "claude", "", false, false},
		"a client that rarely answers": {"gemini", Best, "gemini", "gemini", false, false},
		"and is asked to":              {"gemini", ByACP, "gemini", "gemini", true, false},
		"no command line":              {"goose", Best, "goose", "goose", true, false},
		"no command line, arguments":   {"goose", ByCommand, "goose", "", false, false},
	} {
		c, err := Find(test.client)
		if err != nil {
			t.Fatal(err)
		}
		c, err = c.At("/", test.way, func(program string) (string, error) {
			if strings.Contains(" "+test.installed+" ", " "+program+" ") {
				return "/bin/" + program, nil
			}
			return "", errors.New("not here")
		})
		if (err == nil) != (test.want != "") || err == nil && (filepath.Base(c.Command[0]) != test.want || c.Speaks != test.speaks || (c.Headless != nil) != test.headless) {
			t.Errorf("%s: %v, speaks %v, headless %v, %v", name, c.Command, c.Speaks, c.Headless, err)
		}
		if err == nil && test.headless {
			if h := c.AsCommand(); h.Speaks || h.Command[0] != "/bin/"+strings.Split(test.client, "-")[0] {
				t.Errorf("%s: its command line is %v", name, h.Command)
			}
		}
	}
}

// The reason for a run's end comes from the client's error. The last lines of a program without events count only when they are not
// about the task.
func TestReasons(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 1, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		o    Outcome
		want ending.Kind
	}{
		"good":                 {Outcome{Ending: Exited, Said: Said{Knows: true, Final: true}}, ending.Done},
		"a program":            {Outcome{Ending: Exited}, ending.Done},
		"an error":             {Outcome{Ending: Exited, Said: Said{Knows: true, Final: true, Failed: "it broke"}}, ending.Crash},
		"a limit":              {Outcome{Ending: Exited, Status: 1, Said: Said{Knows: true, Final: true, Failed: "no", Status: 429}}, ending.RateLimit},
		"cut off":              {Outcome{Ending: Exited, Said: Said{Knows: true}}, ending.Crash},
		"a login, in a line":   {Outcome{Ending: Exited, Status: 1, Last: []string{"x", "Error: not logged in"}}, ending.Login},
		"a test of a login":    {Outcome{Ending: Exited, Status: 1, Last: []string{"FAIL authentication.test.ts", "1 failed"}}, ending.Crash},
		"a refusal, in a line": {Outcome{Ending: Exited, Status: 1, Last: []string{"refusal"}}, ending.Crash},
		"lines long before":    {Outcome{Ending: Exited, Status: 1, Last: []string{"not logged in", "a", "b", "c"}}, ending.Crash},
		"lines of a good run":  {Outcome{Ending: Exited, Last: []string{"not logged in"}}, ending.Done},
		"too long":             {Outcome{Ending: Limited}, ending.TimeLimit},
		"too silent":           {Outcome{Ending: Idled}, ending.Silence},
		"stopped":              {Outcome{Ending: Stopped}, ""},
		"a signal":             {Outcome{Ending: Exited, Status: -1, Signal: "SIGKILL"}, ending.Crash},
	} {
		if got, _ := test.o.Reason(now); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// TestEvents reads recorded output of clients.
func TestEvents(t *testing.T) {
	for name, test := range map[string]struct {
		client string
		lines  []string
		want   Said
	}{
		"claude": {"claude", []string{
			`{"type":"system","subtype":"init","session_id":"s1","cwd":"/w"}`,
			`{"type":"assistant","message":{"content":[{"type":"text","text":"I look."},{"type":"tool_use","name":"Bash"}]},"session_id":"s1"}`,
			`{"type":"user","message":{"content":[{"type":"tool_result","content":"x"}]}}`,
			`{"type":"result","subtype":"success","is_error":false,"result":"It is done.","session_id":"s1","permission_denials":[]}`},
			Said{Final: true, Session: "s1", Message: "It is done.", Acted: true}},
		"claude, denied": {"claude", []string{
			`{"type":"result","subtype":"success","is_error":false,"result":"I could not.","session_id":"s1","permission_denials":[{"tool_name":"Bash","tool_input":{"command":"make test"}},{"tool_name":"Bash","tool_input":{"command":"make test"}}]}`},
			Said{Final: true, Session: "s1", Message: "I could not.", Denied: []string{"Bash make test"}}},
		"claude, a limit": {"claude", []string{`{"type":"system","subtype":"init","session_id":"s1","model":"opus"}`, `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1795658400}}`,
			`{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You've hit your session limit","session_id":"s1","total_cost_usd":0.5,"num_turns":3,"usage":{"input_tokens":7,"cache_creation_input_tokens":3,"cache_read_input_tokens":100,"output_tokens":20}}`},
			Said{Final: true, Session: "s1", Message: "You've hit your session limit", Failed: "You've hit your session limit", Status: 429, Until: time.Unix(1795658400, 0),
				Used: Used{Input: 10, Output: 20, Cached: 100, Cost: 0.5, Currency: "USD", Model: "opus", Turns: 3}}},
		"claude, each answer once": {"claude", []string{
			`{"type":"system","subtype":"init","session_id":"s1","model":"claude-opus-4-6"}`,
			`{"type":"assistant","message":{"id":"m1","usage":{"input_tokens":5,"cache_creation_input_tokens":7,"cache_read_input_tokens":100,"output_tokens":1},"content":[]}}`,
			`{"type":"assistant","message":{"id":"m1","usage":{"input_tokens":5,"cache_creation_input_tokens":7,"cache_read_input_tokens":100,"output_tokens":9},"content":[]}}`,
			`{"type":"assistant","message":{"id":"m2","usage":{"input_tokens":3,"output_tokens":2},"content":[]}}`},
			Said{Session: "s1", Acted: true, Used: Used{Input: 15, Output: 11, Cached: 100, Model: "claude-opus-4-6"}}},
		"claude, its totals win": {"claude", []string{
			`{"type":"assistant","message":{"id":"m1","model":"claude-haiku-4-5","usage":{"input_tokens":5,"output_tokens":1},"content":[]}}`,
			`{"type":"result","subtype":"success","num_turns":2,"total_cost_usd":0.5,"usage":{"input_tokens":50,"cache_creation_input_tokens":1,"output_tokens":10}}`},
			Said{Final: true, Acted: true, Used: Used{Input: 51, Output: 10, Turns: 2, Cost: 0.5, Currency: "USD", Model: "claude-haiku-4-5"}}},
		"claude, near a limit": {"claude", []string{`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1795658400}}`}, Said{}},
		"claude, API error": {"claude", []string{`{"type":"result","subtype":"success","is_error":true,"result":"API Error: 401","session_id":"s1"}`},
			Said{Final: true, Session: "s1", Message: "API Error: 401", Failed: "API Error: 401"}},
		"claude, too many turns": {"claude", []string{`{"type":"result","subtype":"error_max_turns","is_error":true,"session_id":"s1"}`},
			Said{Final: true, Session: "s1", Failed: "error_max_turns", Code: "error_max_turns"}},
		"claude, cut off": {"claude", []string{`{"type":"system","subtype":"init","session_id":"s1"}`, `{"type":"assi`}, Said{Session: "s1"}},
		"codex": {"codex", []string{`{"type":"thread.started","thread_id":"t1"}`, `{"type":"turn.started"}`,
			`{"type":"item.completed","item":{"type":"agent_message","text":"All tests pass."}}`, `{"type":"turn.completed","usage":{}}`},
			Said{Final: true, Session: "t1", Message: "All tests pass.", Acted: true, Used: Used{Turns: 1}}},
		"codex, failed": {"codex", []string{`{"type":"thread.started","thread_id":"t1"}`, `{"type":"error","message":"again 1/5"}`, `{"type":"turn.failed","error":{"message":"401 Unauthorized"}}`},
			Said{Final: true, Session: "t1", Failed: "401 Unauthorized"}},
		"codex, tried again": {"codex", []string{`{"type":"turn.started"}`, `{"type":"error","message":"again 1/5"}`, `{"type":"turn.completed","usage":{"input_tokens":1000,"cached_input_tokens":800,"output_tokens":50}}`}, Said{Final: true, Used: Used{Input: 200, Cached: 800, Output: 50, Turns: 1}}},
		"opencode": {"opencode", []string{`{"type":"step_start","sessionID":"ses_1","part":{}}`, `{"type":"tool_use","sessionID":"ses_1","part":{"tool":"bash","state":{"status":"completed"}}}`,
			`{"type":"step_finish","sessionID":"ses_1","part":{"reason":"tool-calls"}}`, `{"type":"step_start","sessionID":"ses_1","part":{}}`, `{"type":"text","sessionID":"ses_1","part":{"text":"Done."}}`,
			`{"type":"step_finish","sessionID":"ses_1","part":{"reason":"stop","cost":0.25,"tokens":{"input":10,"output":5,"reasoning":2,"cache":{"read":90,"write":3}}}}`},
			Said{Final: true, Session: "ses_1", Message: "Done.", Acted: true, Used: Used{Input: 13, Output: 7, Cached: 90, Cost: 0.25, Currency: "USD", Turns: 2}}},
		"opencode, stopped at a question": {"opencode", []string{`{"type":"step_start","sessionID":"ses_1","part":{}}`,
			`{"type":"tool_use","sessionID":"ses_1","part":{"tool":"bash","state":{"status":"error","error":"The user rejected permission to use this specific tool call."}}}`,
			`{"type":"step_finish","sessionID":"ses_1","part":{"reason":"tool-calls"}}`}, Said{Session: "ses_1", Denied: []string{"bash"}, Acted: true, Used: Used{Turns: 1}}},
		"opencode, error": {"opencode", []string{`{"type":"error","sessionID":"ses_1","error":{"name":"APIError","data":{"message":"no credit","statusCode":429}}}`}, Said{Final: true, Session: "ses_1", Failed: "no credit", Code: "APIError", Status: 429}},
		"gemini": {"gemini", []string{`{"type":"init","session_id":"g1"}`, `{"type":"message","role":"user","content":"brief"}`, `{"type":"message","role":"assistant","content":"It ","delta":true}`,
			`{"type":"message","role":"assistant","content":"works.","delta":true}`, `{"type":"result","status":"success"}`}, Said{Final: true, Session: "g1", Message: "It works.", Acted: true}},
		"gemini, error": {"gemini", []string{`{"type":"result","status":"error","error":{"type":"x","message":"turn limit"}}`}, Said{Final: true, Failed: "turn limit"}},
		"copilot":       {"copilot", []string{`{"type":"assistant.message","data":{"content":"Did it."}}`, `{"type":"result","sessionId":"c1","exitCode":0}`}, Said{Final: true, Session: "c1", Message: "Did it."}},
		"copilot, not":  {"copilot", []string{`{"type":"result","sessionId":"c1","exitCode":1}`}, Said{Final: true, Session: "c1", Failed: "it answered with an error"}},
		"no events":     {"claude", []string{"not JSON", "{}", `{"type":7}`, ""}, Said{}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Find(test.client)
			if err != nil {
				t.Fatal(err)
			}
			test.want.Knows = true
			text := strings.Join(test.lines, "\n")
			for _, step := range []int{1, 7, len(text) + 1} {
				r := reader{events: c.Events}
				for rest := text; rest != ""; {
					n := min(step, len(rest))
					r.add([]byte(rest[:n]))
					rest = rest[n:]
				}
				if d := cmp.Diff(test.want, r.result()); d != "" {
					t.Errorf("in steps of %d: %s", step, d)
				}
			}
		})
	}
}

func TestLongEvents(t *testing.T) {
	c, _ := Find("claude")
	r := reader{events: c.Events}
	r.add([]byte(`{"type":"user","x":"`))
	for range 20 {
		r.add([]byte(strings.Repeat("x", 1<<20)))
	}
	if len(r.pending) > longestEvent {
		t.Errorf("it keeps %d bytes", len(r.pending))
	}
	r.add([]byte("\"}\n" + `{"type":"result","subtype":"success","result":"ok"}` + "\n"))
	if got := r.result(); !got.Final || got.Message != "ok" {
		t.Errorf("%+v", got)
	}
}

func FuzzEvents(f *testing.F) {
	f.Add(`{"type":"result","subtype":"success","permission_denials":[{"tool_input":[]}]}` + "\n")
	f.Add(`{"type":"item.completed","item":{"type":"agent_message","text":3}}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range Clients() {
			c, _ := Find(name)
			r := reader{events: c.Events}
			r.add([]byte(text))
			if got := r.result(); len(got.Message) > longestMessage+8 {
				t.Errorf("%s: %d bytes", name, len(got.Message))
			}
		}
	})
}

func TestEnvironment(t *testing.T) {
	c, _ := Find("claude")
	env := []string{"PATH=/bin", "HOME=/h", "LC_ALL=de", "AGIT_HOME=/a", "GITHUB_TOKEN=aaaaaaaa", "AWS_SECRET_ACCESS_KEY=bbbbbbbb", "ANTHROPIC_API_KEY=cccccccc",
		"SSH_AUTH_SOCK=/s", "MY_SETTING=1", "TERM=xterm", "npm_config__authToken=dddddddd", "npm_config_registry=http://r", "CLAUDE_CODE_MAX_RETRIES=5", "OTHER_TOKEN=eeeeeeee"}
	kept, secrets := c.Environment(env, []string{"MY_*", "OTHER_TOKEN"})
	got := strings.Join(kept, " ")
	for _, want := range []string{"PATH=/bin", "HOME=/h", "LC_ALL=de", "AGIT_HOME=/a", "ANTHROPIC_API_KEY=cccccccc", "MY_SETTING=1", "TERM=dumb", "npm_config_registry=http://r",
		"CLAUDE_CODE_MAX_RETRIES=5", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1", "GIT_TERMINAL_PROMPT=0", "OTHER_TOKEN=eeeeeeee"} {
		if !strings.Contains(" "+got+" ", " "+want+" ") {
			t.Errorf("it lacks %s: %s", want, got)
		}
	}
	for _, no := range []string{"aaaa", "bbbb", "dddd", "SSH_AUTH_SOCK", "xterm", "RETRIES=1"} {
		if strings.Contains(got, no) {
			t.Errorf("it has %s: %s", no, got)
		}
	}
	if d := cmp.Diff([]string{"cccccccc", "eeeeeeee"}, secrets); d != "" {
		t.Error(d)
	}
}

// A client that would run everything is told to ask when it can be answered, even over the user's own setting.
func TestAsking(t *testing.T) {
	t.Parallel()
	c, _ := Find("opencode")
	for speaks, want := range map[bool]string{true: `OPENCODE_PERMISSION={"bash":"ask","edit":"ask","webfetch":"ask","external_directory":"ask"}`, false: `OPENCODE_PERMISSION="allow"`} {
		c.Speaks = speaks
		kept, _ := c.Environment([]string{`OPENCODE_PERMISSION="allow"`}, nil)
		kept = slices.DeleteFunc(kept, func(v string) bool { return !strings.HasPrefix(v, "OPENCODE_PERMISSION=") })
		if d := cmp.Diff([]string{want}, kept); d != "" {
			t.Errorf("over the protocol: %v: %s", speaks, d)
		}
	}
}
