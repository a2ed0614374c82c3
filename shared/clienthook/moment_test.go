package clienthook_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/clienthook"
)

// The events that clients write to their hooks, from their documentation.
func TestMoments(t *testing.T) {
	for _, c := range []struct {
		named, said string
		want        clienthook.Moment
		asks        string
	}{
		{"", `{"hook_event_name":"SessionStart","source":"startup"}`, clienthook.SessionStart, ""},
		{"", `{"hook_event_name":"SessionStart","source":"compact"}`, clienthook.Prompt, ""},
		{"session-start", `{}`, clienthook.SessionStart, ""},
		{"pre-tool-use", ``, clienthook.ToolStart, ""},
		{"", `{"hook_event_name":"UserPromptSubmit","prompt":"go"}`, clienthook.Prompt, ""},
		{"", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`, clienthook.ToolStart, ""},
		{"", `{"hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_input":{"questions":[{"question":"Which port?"}]}}`, clienthook.Question, "Which port?"},
		{"", `{"hook_event_name":"PreToolUse","tool_name":"ExitPlanMode","tool_input":{"plan":"1. do"}}`, clienthook.Question, "go on with its plan?"},
		{"", `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":{}}`, clienthook.ToolEnd, ""},
		{"", `{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"npm install"}}`, clienthook.Question, `run "npm install"?`},
		{"", `{"hook_event_name":"PermissionRequest","tool_name":"shell","tool_input":{"command":["bash","-lc","npm install"]}}`, clienthook.Question, `run "npm install"?`},
		{"", `{"hook_event_name":"PermissionRequest","cwd":"/w","tool_name":"Write","tool_input":{"file_path":"/w/a/b.go"}}`, clienthook.Question, "change a/b.go?"},
		{"", `{"hook_event_name":"PermissionRequest","tool_name":"WebFetch","tool_input":{"url":"https://x.example"}}`, clienthook.Question, "fetch https://x.example?"},
		{"", `{"hook_event_name":"PermissionRequest","tool_name":"mcp__x__y","tool_input":{"a":1}}`, clienthook.Question, "use mcp__x__y?"},
		{"", `{"hook_event_name":"Notification","notification_type":"permission_prompt","message":"Claude needs your permission"}`, clienthook.Question, "Claude needs your permission"},
		{"", `{"hook_event_name":"Notification","message":"Claude needs your permission to use Bash"}`, clienthook.Question, "Claude needs your permission to use Bash"},
		{"", `{"hook_event_name":"Notification","notification_type":"idle_prompt","message":"Claude is waiting for your input"}`, clienthook.Unknown, ""},
		{"", `{"hook_event_name":"Notification","notification_type":"ToolPermission","message":"Allow?","details":{"type":"exec"}}`, clienthook.Question, "Allow?"},
		{"", `{"hook_event_name":"Stop","stop_hook_active":false}`, clienthook.TurnEnd, ""},
		{"", `{"hook_event_name":"SubagentStop"}`, clienthook.Unknown, ""},
		{"", `{"hook_event_name":"SessionEnd","reason":"logout"}`, clienthook.SessionEnd, ""},
		{"", `{"hook_event_name":"BeforeAgent","prompt":"go"}`, clienthook.Prompt, ""},
		{"", `{"hook_event_name":"AfterAgent"}`, clienthook.TurnEnd, ""},
		{"before-submit-prompt", `{"conversation_id":"c","hook_event_name":"beforeSubmitPrompt","workspace_roots":["/w"]}`, clienthook.Prompt, ""},
		{"stop", `{"conversation_id":"c","hook_event_name":"stop","status":"completed"}`, clienthook.TurnEnd, ""},
		{"notify", `{"type":"agent-turn-complete","thread-id":"t","cwd":"/w"}`, clienthook.TurnEnd, ""},
		{"something", `{"hook_event_name":"SomethingNew"}`, clienthook.Unknown, ""},
		{"stop", `not JSON`, clienthook.TurnEnd, ""},
	} {
		e := clienthook.Parse([]byte(c.said))
		if got := e.Moment(c.named); got != c.want {
			t.Errorf("%s %s: %q", c.named, c.said, got)
		}
		if c.want == clienthook.Question && e.Asks() != c.asks {
			t.Errorf("%s: asks %q", c.said, e.Asks())
		}
	}
}

// A tool's answer may be longer than the input limit: the members before the cut count.
func TestParseOfWhatIsCutOff(t *testing.T) {
	whole := `{"session_id":"s","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"message":7,"tool_response":{"out":"` + strings.Repeat("x", 100) + `"}}`
	e := clienthook.Parse([]byte(whole[:len(whole)-20]))
	if e.SessionID != "s" || e.Cwd != "/w" || e.Moment("") != clienthook.ToolEnd || e.Call() == "" {
		t.Errorf("%+v", e)
	}
	before := clienthook.Parse([]byte(`{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls"}}`))
	if e.Call() != before.Call() {
		t.Errorf("one call is named %q and %q", before.Call(), e.Call())
	}
	if e := clienthook.Parse([]byte(`{"type":"agent-turn-complete","thread-id":"t"}`)); e.SessionID != "t" {
		t.Errorf("%+v", e)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"session_id":"s","tool_input":{"command":["a",1]}}`)
	f.Add(`{"session_id":"s","cwd":`)
	f.Fuzz(func(t *testing.T, said string) {
		e := clienthook.Parse([]byte(said))
		_, _, _ = e.Moment(said), e.Asks(), e.Files()
		var whole clienthook.Event
		if json.Unmarshal([]byte(said), &whole) == nil && whole.SessionID != "" && whole.SessionID != e.SessionID {
			t.Errorf("%q: session %q", said, e.SessionID)
		}
	})
}
