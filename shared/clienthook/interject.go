package clienthook

import (
	"encoding/json"
	"slices"
)

// hearing holds, by client, the moments at which the client puts a hook's output into its conversation:
// https://code.claude.com/docs/en/hooks, https://developers.openai.com/codex/hooks, https://geminicli.com/docs/hooks,
// https://cursor.com/docs/agent/hooks. A Stop hook of Claude Code may return a reason to continue the turn.
var hearing = map[string][]Moment{
	"claude-code": {SessionStart, Prompt, ToolEnd, TurnEnd},
	"codex":       {SessionStart, Prompt, ToolEnd},
	"gemini":      {SessionStart, Prompt, ToolEnd},
	"cursor":      {SessionStart, ToolEnd},
}

// Hears reports whether a client puts a hook's output at a moment into the conversation.
func Hears(client string, m Moment) bool { return slices.Contains(hearing[client], m) }

// Interject returns the line that puts a text into the conversation of a client that Hears at this moment. named is the event's name for
// clients that did not send one. At the end of a turn the text makes the turn continue.
func (e Event) Interject(m Moment, named, text string) ([]byte, error) {
	if m != TurnEnd {
		return e.Answer(named, text)
	}
	line, err := json.Marshal(map[string]string{"decision": "block", "reason": text})
	return append(line, '\n'), err
}
