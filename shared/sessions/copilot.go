package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"
)

// Copilot reads GitHub Copilot CLI: session-state/ID/events.jsonl, and ID.jsonl of older releases. The session's id is in the first event;
// the name of the folder may differ. Calls are events of their own, in addition to the requests in answers.
type Copilot struct{}

// Client is the name of the client.
func (Copilot) Client() string { return "copilot" }

// Find lists the logs of events.
func (Copilot) Find(home Home, problem func(string, error)) []Source {
	root := home.Env("COPILOT_HOME", filepath.Join(home.Dir, ".copilot"))
	return files(filepath.Join(root, "session-state"), problem, "*.jsonl", "*/events.jsonl")
}

// Read emits the rows of a log.
func (c Copilot) Read(ctx context.Context, src Source, from Position, emit func(Row, Position) error) (Position, error) {
	name := strings.TrimSuffix(filepath.Base(src.Path), ".jsonl")
	if name == "events" {
		name = filepath.Base(filepath.Dir(src.Path))
	}
	return readCopilot(ctx, src, from, copilotState{Session: name}, emit)
}

// copilotState is what the events up to a place tell a reader about the later ones.
type copilotState struct{ Session, Folder, Branch, Model string }

type copilotEvent struct {
	Type string          `json:"type"`
	ID   string          `json:"id"`
	Time string          `json:"timestamp"`
	Data json.RawMessage `json:"data"`
}

type copilotContext struct {
	Folder string `json:"cwd"`
	Branch string `json:"branch"`
}

type copilotData struct {
	Session   string          `json:"sessionId"`
	Context   *copilotContext `json:"context"`
	Model     string          `json:"selectedModel"`
	NewModel  string          `json:"newModel"`
	Folder    string          `json:"cwd"`
	Branch    string          `json:"branch"`
	Content   string          `json:"content"`
	Message   string          `json:"messageId"`
	Parent    string          `json:"parentToolCallId"`
	Call      string          `json:"toolCallId"`
	Tool      string          `json:"toolName"`
	Arguments json.RawMessage `json:"arguments"`
	Success   *bool           `json:"success"`
	Result    json.RawMessage `json:"result"`
	Error     json.RawMessage `json:"error"`
	Summary   string          `json:"summaryContent"`
}

// readCopilot reads a log of Copilot's events; begin holds the facts known beforehand.
func readCopilot(ctx context.Context, src Source, from Position, begin copilotState, emit func(Row, Position) error) (Position, error) {
	s := resumed(from, begin)
	at, err := readLines(ctx, src, from, emit, noUsage, func(line []byte, out *sink) bool {
		var e copilotEvent
		if json.Unmarshal(line, &e) != nil || e.Type == "" {
			return false
		}
		when, err := time.Parse(time.RFC3339Nano, e.Time)
		if err != nil || sane(when).IsZero() {
			return false
		}
		var d copilotData
		if len(e.Data) > 0 && json.Unmarshal(e.Data, &d) != nil {
			return true // members of other types belong to an event that is not read
		}
		s.event(e, d, when, out)
		return true
	})
	return at.with(s), err
}

func (s *copilotState) event(e copilotEvent, d copilotData, at time.Time, out *sink) {
	s.learn(e.Type, d)
	row := Row{Session: s.Session, Agent: d.Parent != "", At: at, Folder: s.Folder, Branch: s.Branch, Model: s.Model}
	key := "call " + s.Session + " " + d.Call
	switch e.Type {
	case "user.message":
		speaks(row, "said "+e.ID+" "+d.Content, "user", d.Content, out)
	case "assistant.message":
		speaks(row, "said "+e.ID+" "+d.Content, "assistant", d.Content, out)
	case "tool.execution_start":
		called(row, key, d.Tool, d.Arguments, out)
	case "tool.execution_complete":
		if d.Success != nil && !*d.Success {
			failedWith(row, key, copilotText(d), out)
		}
	case "session.compaction_complete":
		if row.Text = d.Summary; row.Text != "" {
			row.Kind, row.Key = Summary, "said "+e.ID+" "+d.Summary
			out.put(row)
		}
	}
}

// learn keeps the facts of an event that later events need.
func (s *copilotState) learn(kind string, d copilotData) {
	switch kind {
	case "session.start", "session.resume", "session.context_changed":
		s.Session = cmp.Or(d.Session, s.Session)
		if d.Context == nil {
			d.Context = &copilotContext{d.Folder, d.Branch}
		}
		if d.Context.Folder != "" {
			s.Folder, s.Branch = d.Context.Folder, d.Context.Branch
		}
	}
	s.Model = cmp.Or(d.NewModel, d.Model, s.Model)
}

// copilotText returns the output of a call that failed.
func copilotText(d copilotData) string {
	for _, raw := range []json.RawMessage{d.Error, d.Result} {
		var text string
		if json.Unmarshal(raw, &text) == nil && text != "" {
			return text
		}
		var o struct {
			Message  string `json:"message"`
			Content  string `json:"content"`
			Detailed string `json:"detailedContent"`
		}
		if json.Unmarshal(raw, &o) == nil {
			if text = cmp.Or(o.Message, o.Content, o.Detailed); text != "" {
				return text
			}
		}
	}
	return ""
}
