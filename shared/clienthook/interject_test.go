package clienthook

import "testing"

// A hook adds text only where its client listens, and in the client's form.
func TestInterject(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		client, named, said string
		want                string // "" where the client would not hear it
	}{
		{"claude-code", "", `{"hook_event_name":"PostToolUse","session_id":"s"}`, `{"hookSpecificOutput":{"additionalContext":"go left","hookEventName":"PostToolUse"}}`},
		{"claude-code", "", `{"hook_event_name":"UserPromptSubmit"}`, `{"hookSpecificOutput":{"additionalContext":"go left","hookEventName":"UserPromptSubmit"}}`},
		{"claude-code", "", `{"hook_event_name":"Stop"}`, `{"decision":"block","reason":"go left"}`},
		{"claude-code", "", `{"hook_event_name":"PreToolUse"}`, ""},
		{"claude-code", "", `{"hook_event_name":"SessionEnd"}`, ""},
		{"codex", "", `{"hook_event_name":"Stop"}`, ""},
		{"codex", "post-tool-use", `{}`, `{"hookSpecificOutput":{"additionalContext":"go left","hookEventName":"post-tool-use"}}`},
		{"gemini", "", `{"hook_event_name":"AfterTool"}`, `{"hookSpecificOutput":{"additionalContext":"go left","hookEventName":"AfterTool"}}`},
		{"cursor", "", `{"hook_event_name":"postToolUse","conversation_id":"c"}`, `{"additional_context":"go left"}`},
		{"cursor", "", `{"hook_event_name":"beforeSubmitPrompt","conversation_id":"c"}`, ""},
		{"opencode", "", `{"hook_event_name":"PostToolUse"}`, ""},
		{"", "", `{"hook_event_name":"PostToolUse"}`, ""},
	} {
		e := Parse([]byte(test.said))
		m := e.Moment(test.named)
		if !Hears(test.client, m) {
			if test.want != "" {
				t.Errorf("%s does not hear at %s", test.client, test.said)
			}
			continue
		}
		if line, err := e.Interject(m, test.named, "go left"); err != nil || string(line) != test.want+"\n" {
			t.Errorf("%s at %s: %s %v", test.client, test.said, line, err)
		}
	}
}
