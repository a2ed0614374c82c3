package clienthook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// Moment is what happens in a client's conversation, whatever the client calls it.
type Moment string

// The moments.
const (
	SessionStart Moment = "session-start"
	Prompt       Moment = "prompt"      // a person said something, a turn begins
	ToolStart    Moment = "tool-start"  // a tool is going to run
	ToolEnd      Moment = "tool-end"    // it ran, or failed
	Question     Moment = "question"    // a person is asked for a permission or an answer
	Answered     Moment = "answered"    // and has answered
	TurnEnd      Moment = "turn-end"    // the agent has nothing more to do
	SessionEnd   Moment = "session-end" // the conversation is closed
	Unknown      Moment = ""            // an event that does not show what the agent does
)

// moments maps the event names of clients, folded, to moments.
var moments = map[string]Moment{
	"sessionstart": SessionStart,

	"userpromptsubmit": Prompt, "beforesubmitprompt": Prompt, "beforeagent": Prompt, "precompact": Prompt, "prompt": Prompt, "busy": Prompt,

	"pretooluse": ToolStart, "beforetool": ToolStart,
	"posttooluse": ToolEnd, "posttoolusefailure": ToolEnd, "aftertool": ToolEnd,

	"permissionrequest": Question, "permissionasked": Question, "questionasked": Question, "elicitation": Question,
	"permissiondenied": Answered, "permissionreplied": Answered, "questionreplied": Answered, "questionrejected": Answered, "elicitationresult": Answered,

	"stop": TurnEnd, "stopfailure": TurnEnd, "afteragent": TurnEnd, "agentturncomplete": TurnEnd, "idle": TurnEnd,

	"sessionend": SessionEnd,
}

// asking are the client tools that put a question to a person; no other event shows it.
var asking = map[string]bool{"askuserquestion": true, "exitplanmode": true, "requestuserinput": true, "askuser": true}

// Moment returns what happens in the conversation. It reads the client's own name of the event, in any spelling, or named, the event that
// the hook was called with, when the client sent none that is known.
func (e Event) Moment(named string) Moment {
	name := cmp.Or(fold(e.Name), fold(e.Type))
	if name == "" || moments[name] == Unknown && name != "notification" {
		name = fold(named)
	}
	if name == "notification" {
		return e.notification()
	}
	switch m := moments[name]; {
	case m == ToolStart && asking[fold(e.Tool)]:
		return Question
	case m == SessionStart && e.Source == "compact":
		return Prompt // the turn continues
	default:
		return m
	}
}

// notification returns Question for a notification that a person has to answer, else Unknown. Notifications of an idle client do not count:
// they come a minute late, and also while the client thinks.
func (e Event) notification() Moment {
	switch kind := fold(e.Kind); {
	case strings.HasPrefix(kind, "permission"), strings.HasPrefix(kind, "elicitationdialog"), kind == "toolpermission":
		return Question
	case kind == "" && strings.Contains(strings.ToLower(e.Message), "permission"):
		return Question
	}
	return Unknown
}

// fold maps the spellings of clients to one: preToolUse, PreToolUse, pre_tool_use.
func fold(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_. ", r) {
			return -1
		}
		return r
	}, name))
}

// Call names the tool call of the event; "" when the event is not about one.
func (e Event) Call() string {
	if e.Tool == "" {
		return ""
	}
	return text.Cut(e.Tool, 64) + "/" + e.Input.digest
}

// Asks returns the question that a person is asked, in a few words.
func (e Event) Asks() string {
	in := e.Input
	switch {
	case in.question != "":
		return in.question
	case fold(e.Tool) == "exitplanmode":
		return "go on with its plan?"
	case e.Tool == "":
		return e.Message
	case in.command != "" && len(in.files) == 0:
		return fmt.Sprintf("run %q?", in.command)
	case len(in.files) > 0:
		return "change " + e.short(in.files[0]) + "?"
	case in.url != "":
		return "fetch " + in.url + "?"
	}
	return "use " + e.Tool + "?"
}

// short returns a file's path relative to the client's folder, if the file lies in it.
func (e Event) short(file string) string {
	if rel, err := filepath.Rel(e.Cwd, file); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return file
}

// commandLine returns the command of a shell tool, which is given as a line or as its words.
func commandLine(command any) string {
	switch c := command.(type) {
	case string:
		return strings.TrimSpace(c)
	case []any:
		var line []string
		for _, word := range c {
			if w, ok := word.(string); ok {
				line = append(line, w)
			}
		}
		if len(line) == 3 && strings.HasSuffix(line[0], "sh") && strings.HasPrefix(line[1], "-") && strings.HasSuffix(line[1], "c") {
			return line[2] // bash -lc LINE
		}
		return strings.Join(line, " ")
	}
	return ""
}

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
