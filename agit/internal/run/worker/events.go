package worker

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
)

// Said is what a client reported about its run.
type Said struct {
	Knows   bool     // its events are understood
	Final   bool     // its last event was received
	Failed  string   // its error; "" when it reports success or nothing
	Session string   // its session id, for resuming
	Message string   // its last message, as a summary of its work
	Denied  []string // actions that were denied

	Code     string    // the client's error code
	Status   int       // HTTP status of the error; 0 for none
	Until    time.Time // when a reported limit is lifted; zero for none
	Acted    bool      // the model wrote something or called a tool
	Unspoken bool      // the program did not speak the expected protocol
	Used     Used
	Answers  map[string]Used // usage by answer id, for a client that reports each answer; replaced by the totals
}

// Used is the usage of a run. A zero value was not reported.
type Used struct {
	Input    int64 // input tokens, not from the cache
	Output   int64
	Cached   int64   // input tokens from the service's cache
	Cost     float64 // of the client's session
	Currency string
	Model    string
	Turns    int // of the model, including tool results
}

// Events adds one event of a client to s. An unknown event changes nothing.
type Events func(event []byte, s *Said)

// Bounds of events. A tool result can be of any size; the events that matter are short.
const (
	longestEvent   = 8 << 20
	longestMessage = 4000
	mostDenied     = 10
)

// reader splits a client's output into events.
type reader struct {
	events  Events
	update  func(Used) // called with the usage so far; may be nil
	said    Said
	pending []byte
	skip    bool // skipping the rest of an overlong event
}

func (r *reader) add(p []byte) {
	if r.events == nil {
		return
	}
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		whole := end >= 0
		if !whole {
			end = len(p)
		}
		if r.skip = r.skip || len(r.pending)+end > longestEvent; !r.skip {
			r.pending = append(r.pending, p[:end]...)
		}
		p = p[min(len(p), end+1):]
		if whole {
			r.line()
		}
	}
}

func (r *reader) line() {
	line := bytes.TrimSpace(r.pending)
	if !r.skip && len(line) > 0 && line[0] == '{' {
		was := r.said.Used
		r.events(line, &r.said)
		if r.update != nil && r.said.Used != was {
			r.update(r.said.Used)
		}
	}
	r.pending, r.skip = r.pending[:0], false
	if cap(r.pending) > 1<<20 {
		r.pending = nil
	}
}

// result returns the report in a form that can be stored.
func (r *reader) result() Said {
	if r.events == nil {
		return Said{}
	}
	r.line()
	return r.said.stored()
}

// stored returns the report without secrets and within bounds.
func (s Said) stored() Said {
	s.Knows, s.Answers = true, nil
	s.Message = text.Cut(redact.Clean(strings.TrimSpace(s.Message)), longestMessage)
	s.Failed = text.Cut(redact.Clean(strings.TrimSpace(s.Failed)), longestMessage)
	s.Denied = slices.Clone(s.Denied)
	for i, d := range s.Denied {
		s.Denied[i] = text.Cut(redact.Clean(d), 200)
	}
	return s
}

func (s *Said) denied(what string) {
	if what != "" && len(s.Denied) < mostDenied && !slices.Contains(s.Denied, what) {
		s.Denied = append(s.Denied, what)
	}
}

// claudeEvents reads Claude Code's stream-json. After an API error the result has the subtype "success" and is_error.
func claudeEvents(event []byte, s *Said) {
	var e struct {
		Type      string      `json:"type"`
		Subtype   string      `json:"subtype"`
		SessionID string      `json:"session_id"`
		IsError   bool        `json:"is_error"`
		Result    string      `json:"result"`
		Reason    string      `json:"terminal_reason"`
		Status    any         `json:"api_error_status"`
		Model     string      `json:"model"`
		Turns     int         `json:"num_turns"`
		Cost      any         `json:"total_cost_usd"`
		Usage     claudeUsage `json:"usage"`
		Limit     struct {
			Status string `json:"status"`
			Resets any    `json:"resetsAt"`
		} `json:"rate_limit_info"`
		LimitStatus string `json:"status"`
		Resets      any    `json:"resetsAt"`
		Denials     []struct {
			Tool  string          `json:"tool_name"`
			Input json.RawMessage `json:"tool_input"`
		} `json:"permission_denials"`
		Message struct {
			ID      string          `json:"id"`
			Model   string          `json:"model"`
			Content json.RawMessage `json:"content"`
			Usage   claudeUsage     `json:"usage"`
		} `json:"message"`
	}
	if json.Unmarshal(event, &e) != nil {
		return
	}
	s.Session, s.Used.Model = cmp.Or(e.SessionID, s.Session), cmp.Or(e.Model, s.Used.Model)
	switch e.Type {
	case "rate_limit_event":
		for _, resets := range []any{e.Resets, e.Limit.Resets} {
			if at, ok := resets.(float64); ok && at > 0 && (e.LimitStatus == "rejected" || e.Limit.Status == "rejected") {
				s.Until = time.Unix(int64(at), 0)
			}
		}
	case "assistant":
		s.Final, s.Failed, s.Acted = false, "", true // the run continues
		s.answered(e.Message.ID, e.Message.Usage.used())
		s.Used.Model = cmp.Or(s.Used.Model, e.Message.Model)
		var parts []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if json.Unmarshal(e.Message.Content, &parts) == nil {
			for _, part := range parts {
				if part.Type == "text" && strings.TrimSpace(part.Text) != "" {
					s.Message = part.Text
				}
			}
		}
	case "result":
		s.Final, s.Failed, s.Code, s.Status = true, "", "", 0
		s.Message = cmp.Or(e.Result, s.Message)
		if e.IsError || e.Subtype != "success" {
			s.Failed = firstOf(e.Result, e.Reason, e.Subtype, "an error")
			if e.Subtype != "success" {
				s.Code = e.Subtype
			}
			if status, ok := e.Status.(float64); ok {
				s.Status = int(status)
			}
		}
		if all := e.Usage.used(); all != (Used{}) { // the totals; missing if a run failed at once
			s.Used.Input, s.Used.Output, s.Used.Cached = all.Input, all.Output, all.Cached
			s.Answers = nil
		}
		s.Used.Turns = e.Turns
		if cost, ok := e.Cost.(float64); ok {
			s.Used.Cost, s.Used.Currency = cost, "USD"
		}
		for _, d := range e.Denials {
			s.denied(strings.TrimSpace(d.Tool + " " + argument(d.Input)))
		}
	}
}

// claudeUsage is the usage that Claude Code reports for one answer or for a run.
type claudeUsage struct {
	Input   int64 `json:"input_tokens"`
	Output  int64 `json:"output_tokens"`
	Cached  int64 `json:"cache_read_input_tokens"`
	Written int64 `json:"cache_creation_input_tokens"`
}

func (u claudeUsage) used() Used {
	return Used{Input: u.Input + u.Written, Output: u.Output, Cached: u.Cached}
}

// answered counts an answer by its id: a client reports it again while it grows.
func (s *Said) answered(id string, u Used) {
	if id == "" || u == (Used{}) {
		return
	}
	was := s.Answers[id]
	if s.Answers == nil {
		s.Answers = map[string]Used{}
	}
	s.Answers[id] = u
	s.Used.Input += u.Input - was.Input
	s.Used.Output += u.Output - was.Output
	s.Used.Cached += u.Cached - was.Cached
}

// argument returns a short form of a tool call's argument.
func argument(input json.RawMessage) string {
	var of map[string]any
	if json.Unmarshal(input, &of) != nil {
		return ""
	}
	for _, name := range []string{"command", "file_path", "path", "url"} {
		if value, ok := of[name].(string); ok {
			return value
		}
	}
	return ""
}

// codexEvents reads the events of codex exec --json.
func codexEvents(event []byte, s *Said) {
	var e struct {
		Type     string `json:"type"`
		ThreadID string `json:"thread_id"`
		Message  string `json:"message"`
		Error    struct {
			Message string `json:"message"`
		} `json:"error"`
		Item struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"item"`
		Usage struct {
			Input  int64 `json:"input_tokens"`
			Cached int64 `json:"cached_input_tokens"`
			Output int64 `json:"output_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(event, &e) != nil {
		return
	}
	switch e.Type {
	case "thread.started":
		s.Session = e.ThreadID
	case "turn.started":
		s.Final, s.Failed = false, ""
	case "item.completed":
		s.Acted = true
		if e.Item.Type == "agent_message" && e.Item.Text != "" {
			s.Message = e.Item.Text
		}
	case "turn.completed":
		s.Final, s.Failed = true, ""
		s.Used.Input += e.Usage.Input - min(e.Usage.Cached, e.Usage.Input) // Codex includes cached tokens in the input
		s.Used.Cached += e.Usage.Cached
		s.Used.Output += e.Usage.Output
		s.Used.Turns++
	case "turn.failed":
		s.Final, s.Failed = true, firstOf(e.Error.Message, s.Failed, "the turn failed")
	case "error":
		s.Failed = firstOf(e.Message, e.Error.Message, "an error")
	}
}

// opencodeEvents reads the events of opencode run --format json. A step that does not end for a tool call is the last one, unless
// another step begins.
func opencodeEvents(event []byte, s *Said) {
	var e struct {
		Type    string `json:"type"`
		Session string `json:"sessionID"`
		Part    struct {
			Text   string `json:"text"`
			Reason string `json:"reason"`
			Tool   string `json:"tool"`
			State  struct {
				Status string `json:"status"`
				Error  string `json:"error"`
			} `json:"state"`
			Cost   float64 `json:"cost"`
			Tokens struct {
				Input     int64 `json:"input"`
				Output    int64 `json:"output"`
				Reasoning int64 `json:"reasoning"`
				Cache     struct {
					Read  int64 `json:"read"`
					Write int64 `json:"write"`
				} `json:"cache"`
			} `json:"tokens"`
		} `json:"part"`
		Error struct {
			Name string `json:"name"`
			Data struct {
				Message string `json:"message"`
				Status  int    `json:"statusCode"`
			} `json:"data"`
		} `json:"error"`
	}
	if json.Unmarshal(event, &e) != nil {
		return
	}
	s.Session = cmp.Or(e.Session, s.Session)
	switch e.Type {
	case "step_start":
		s.Final = false
	case "text":
		s.Message = cmp.Or(e.Part.Text, s.Message)
	case "tool_use":
		if e.Part.State.Status == "error" && strings.Contains(e.Part.State.Error, "rejected permission") {
			s.denied(e.Part.Tool)
		}
	case "step_finish":
		s.Final, s.Acted = e.Part.Reason != "tool-calls", true
		tokens := e.Part.Tokens
		s.Used.Input += tokens.Input + tokens.Cache.Write
		s.Used.Output += tokens.Output + tokens.Reasoning
		s.Used.Cached += tokens.Cache.Read
		s.Used.Turns++
		if e.Part.Cost > 0 {
			s.Used.Cost, s.Used.Currency = s.Used.Cost+e.Part.Cost, "USD"
		}
	case "error":
		s.Final, s.Failed = true, firstOf(e.Error.Data.Message, e.Error.Name, "an error")
		s.Code, s.Status = e.Error.Name, e.Error.Data.Status
	}
}

// geminiEvents reads Gemini CLI's stream-json, whose messages arrive in parts.
func geminiEvents(event []byte, s *Said) {
	var e struct {
		Type    string          `json:"type"`
		Session string          `json:"session_id"`
		Role    string          `json:"role"`
		Content string          `json:"content"`
		Delta   bool            `json:"delta"`
		Status  string          `json:"status"`
		Message string          `json:"message"`
		Error   json.RawMessage `json:"error"`
		Model   string          `json:"model"`
		Stats   struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
			Cached int64 `json:"cached"`
		} `json:"stats"`
	}
	if json.Unmarshal(event, &e) != nil {
		return
	}
	switch e.Type {
	case "init":
		s.Session, s.Used.Model = e.Session, e.Model
	case "message":
		if e.Role != "assistant" {
			s.Message = ""
			return
		}
		s.Acted = true
		if !e.Delta {
			s.Message = ""
		}
		if len(s.Message) < longestMessage {
			s.Message += e.Content
		}
	case "tool_use":
		s.Message, s.Final, s.Acted = "", false, true
	case "error":
		s.Failed = firstOf(e.Message, "an error")
	case "result":
		s.Final = true
		s.Used.Input, s.Used.Output, s.Used.Cached = e.Stats.Input-min(e.Stats.Cached, e.Stats.Input), e.Stats.Output, e.Stats.Cached
		if e.Status == "success" {
			s.Failed = ""
			return
		}
		var why struct {
			Message string `json:"message"`
		}
		_ = json.Unmarshal(e.Error, &why)
		s.Failed = firstOf(why.Message, s.Failed, e.Status, "an error")
	}
}

// copilotEvents reads the events of Copilot CLI.
func copilotEvents(event []byte, s *Said) {
	var e struct {
		Type     string `json:"type"`
		Session  string `json:"sessionId"`
		ExitCode *int   `json:"exitCode"`
		Data     struct {
			Content string `json:"content"`
			Message string `json:"message"`
		} `json:"data"`
	}
	if json.Unmarshal(event, &e) != nil {
		return
	}
	s.Session = cmp.Or(e.Session, s.Session)
	switch e.Type {
	case "assistant.message":
		s.Message = firstOf(e.Data.Content, s.Message)
	case "session.error":
		s.Failed = firstOf(e.Data.Message, "an error")
	case "result":
		s.Final = true
		if e.ExitCode == nil || *e.ExitCode != 0 {
			s.Failed = firstOf(s.Failed, "it answered with an error")
		} else {
			s.Failed = ""
		}
	}
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}

// Sentence describes the client's error in one sentence; "" for none.
func (s Said) Sentence() string {
	switch {
	case !s.Knows:
		return ""
	case s.Failed != "":
		return "the client says: " + text.FirstLine(s.Failed, 300)
	case !s.Final:
		return "the client ended without its last event"
	}
	return ""
}

// Denials describes the denied calls in one sentence; "" for none.
func (s Said) Denials() string {
	if len(s.Denied) == 0 {
		return ""
	}
	return fmt.Sprintf("the client was not allowed: %s", strings.Join(s.Denied, "; "))
}
