package clienthook

import (
	"fmt"
	"path/filepath"
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
	Answered     Moment = "answered"    // and answered
	TurnEnd      Moment = "turn-end"    // the agent has nothing more to do
	SessionEnd   Moment = "session-end" // the conversation is closed
	Unknown      Moment = ""            // none that says what the agent does
)

// moments are the names that clients have for them, folded.
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

// asking are the tools of clients that put a question to a person; they say so in no
// other way.
var asking = map[string]bool{"askuserquestion": true, "exitplanmode": true, "requestuserinput": true, "askuser": true}

// Moment is what happens, by the client's own name of the event, in any spelling; named
// is the one that the hook was called with, which counts where the client says none.
func (e Event) Moment(named string) Moment {
	name := fold(e.Name)
	if name == "" {
		name = fold(e.Type)
	}
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
		return Prompt // a turn goes on
	default:
		return m
	}
}

// notification tells those that a person has to answer from the others. That a client is
// idle is said a minute late, and while it thinks.
func (e Event) notification() Moment {
	switch kind := fold(e.Kind); {
	case strings.HasPrefix(kind, "permission"), strings.HasPrefix(kind, "elicitationdialog"), kind == "toolpermission":
		return Question
	case kind == "" && strings.Contains(strings.ToLower(e.Message), "permission"):
		return Question
	}
	return Unknown
}

// fold makes the spellings of clients one: preToolUse, PreToolUse, pre_tool_use.
func fold(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_. ", r) {
			return -1
		}
		return r
	}, name))
}

// Call names the call of a tool that the event is about, "" where it is about none.
func (e Event) Call() string {
	if e.Tool == "" {
		return ""
	}
	return text.Cut(e.Tool, 64) + "/" + e.Input.digest
}

// Asks is what a person is asked, in a few words.
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

// short is a file's path from the client's folder, where it lies in it.
func (e Event) short(file string) string {
	if rel, err := filepath.Rel(e.Cwd, file); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return file
}

// commandLine is the command of a shell tool, which is a line or its words.
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
