package clienthook

import (
	"encoding/json"
	"slices"
)

// hearing are the moments at which a client puts what a hook prints into its conversation, by the client:
// https://code.claude.com/docs/en/hooks, https://developers.openai.com/codex/hooks, https://geminicli.com/docs/hooks,
// https://cursor.com/docs/agent/hooks. A Stop hook of Claude Code may say why the turn goes on.
var hearing = map[string][]Moment{
	"claude-code": {SessionStart, Prompt, ToolEnd, TurnEnd},
	"codex":       {SessionStart, Prompt, ToolEnd},
	"gemini":      {SessionStart, Prompt, ToolEnd},
	"cursor":      {SessionStart, ToolEnd},
}

// Hears reports whether a client puts what its hook prints at a moment into the conversation.
func Hears(client string, m Moment) bool { return slices.Contains(hearing[client], m) }

// Interject is the line that puts a text into the conversation of a client that Hears at this moment. named is the event's name where the
// client did not say it. At the end of a turn the turn goes on with the text.
func (e Event) Interject(m Moment, named, text string) ([]byte, error) {
	if m != TurnEnd {
		return e.Answer(named, text)
	}
	line, err := json.Marshal(map[string]string{"decision": "block", "reason": text})
	return append(line, '\n'), err
}
