package sessions

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Claude reads Claude Code: projects/DIR/SESSION.jsonl, and SESSION/subagents/agent-ID.jsonl.
//
// DIR does not identify the project, because several folders have the same DIR, and a session changes folders. A fork
// copies the rows of its parent, with the same or with new uuids, and names no parent. A row is therefore identified by
// the ids of the message and the call, a prompt by its time and text. An answer is written as several rows with the same
// usage each.
type Claude struct{}

// Client is the name of the client.
func (Claude) Client() string { return "claude-code" }

// Find lists the transcripts.
func (Claude) Find(home Home, problem func(string, error)) (found []Source) {
	root := filepath.Join(home.Env("CLAUDE_CONFIG_DIR", filepath.Join(home.Dir, ".claude")), "projects")
	return files(root, problem, "*/*.jsonl", "*/*/subagents/*.jsonl")
}

type claudeRow struct {
	Type, UUID, Session, Time string
	Folder, Branch            string
	Agent, Request            string
	Side, Meta, Compact       bool
	APIError                  bool
	Cost                      float64
	Message                   *claudeMessage
}

type claudeMessage struct {
	ID, Model string
	Said      []byte // the content where it is a text, as it stands in the row
	Blocks    []claudeBlock
	Usage     *claudeUsage
}

type claudeUsage struct {
	Input, Output, CacheRead, CacheCreation int64
	Speed                                   string
	M5, H1                                  int64
}

type claudeBlock struct {
	Type, ID, Name          string
	Command, Path, Notebook string // of the input
	Call                    string
	Text, Content           []byte // as they stand in the row
	Error                   bool
}

// decode reads a row, and its message into message; only leaves its content out. It reports whether the format is known.
func (r *claudeRow) decode(line []byte, message *claudeMessage, only bool) bool {
	s := document(line, func(s *scan) {
		s.members(func(name []byte) {
			switch string(name) {
			case "type":
				s.text(&r.Type)
			case "uuid":
				s.text(&r.UUID)
			case "sessionId":
				s.text(&r.Session)
			case "timestamp":
				s.text(&r.Time)
			case "cwd":
				s.text(&r.Folder)
			case "gitBranch":
				s.text(&r.Branch)
			case "isSidechain":
				s.yes(&r.Side)
			case "agentId":
				s.text(&r.Agent)
			case "requestId":
				s.text(&r.Request)
			case "isMeta":
				s.yes(&r.Meta)
			case "isCompactSummary":
				s.yes(&r.Compact)
			case "isApiErrorMessage":
				s.yes(&r.APIError)
			case "costUSD":
				s.number(&r.Cost)
			case "message":
				if s.peek() == '{' {
					r.Message = message
				}
				s.members(func(name []byte) { message.member(s, string(name), only) })
			}
		})
	})
	return !s.bad && !s.odd && r.Type != ""
}

func (m *claudeMessage) member(s *scan, name string, only bool) {
	switch name {
	case "id":
		s.text(&m.ID)
	case "model":
		s.text(&m.Model)
	case "content":
		switch {
		case only:
		case s.peek() == '"':
			m.Said = s.raw()
		case s.peek() == '[':
			s.elements(func() { m.block(s) })
		}
	case "usage":
		var u claudeUsage
		if s.peek() == '{' {
			m.Usage = &u
		}
		s.members(func(name []byte) {
			switch string(name) {
			case "input_tokens":
				s.whole(&u.Input)
			case "output_tokens":
				s.whole(&u.Output)
			case "cache_read_input_tokens":
				s.whole(&u.CacheRead)
			case "cache_creation_input_tokens":
				s.whole(&u.CacheCreation)
			case "speed":
				s.text(&u.Speed)
			case "cache_creation":
				s.members(func(name []byte) {
					switch string(name) {
					case "ephemeral_5m_input_tokens":
						s.whole(&u.M5)
					case "ephemeral_1h_input_tokens":
						s.whole(&u.H1)
					}
				})
			}
		})
	}
}

// block reads a block of a content. One with unexpected types, of the input of an unknown tool, is left out.
func (m *claudeMessage) block(s *scan) {
	var b claudeBlock
	odd := s.odd
	s.odd = false
	s.members(func(name []byte) {
		switch string(name) {
		case "type":
			s.text(&b.Type)
		case "text":
			b.Text = s.rawText()
		case "id":
			s.text(&b.ID)
		case "name":
			s.text(&b.Name)
		case "input":
			s.members(func(name []byte) {
				switch string(name) {
				case "command":
					s.text(&b.Command)
				case "file_path":
					s.text(&b.Path)
				case "notebook_path":
					s.text(&b.Notebook)
				}
			})
		case "tool_use_id":
			s.text(&b.Call)
		case "content":
			b.Content = s.raw()
		case "is_error":
			s.yes(&b.Error)
		}
	})
	if !s.odd {
		m.Blocks = append(m.Blocks, b)
	}
	s.odd = odd
}

// Read emits the rows of a transcript.
func (c Claude) Read(ctx context.Context, src Source, from Position, emit func(Row, Position) error) (Position, error) {
	name := strings.TrimSuffix(filepath.Base(src.Path), ".jsonl")
	sub := filepath.Base(filepath.Dir(src.Path)) == "subagents"
	if sub {
		name = filepath.Base(filepath.Dir(filepath.Dir(src.Path)))
	}
	var message claudeMessage
	return readLines(ctx, src, from, emit, holds(`"usage"`), func(line []byte, out *sink) bool {
		var r claudeRow
		message = claudeMessage{Blocks: message.Blocks[:0]}
		if !r.decode(line, &message, src.UsageOnly) {
			return false
		}
		if r.Message == nil {
			return true
		}
		at, err := time.Parse(time.RFC3339Nano, r.Time)
		if err != nil {
			return false
		}
		base := Row{Session: cmp.Or(r.Session, name), Agent: r.Side || sub || r.Agent != "", At: at, Folder: r.Folder, Branch: r.Branch, Model: r.Message.Model}
		r.rows(base, src.UsageOnly, out)
		return true
	})
}

func (r *claudeRow) rows(base Row, only bool, out *sink) {
	m := r.Message
	if r.Type == "assistant" && m.Usage != nil && m.Model != "<synthetic>" {
		row := base
		row.Kind, row.Key, row.Answer = Usage, "usage "+m.ID+" "+r.Request, m.ID
		if m.ID == "" {
			row.Key = "usage " + r.UUID
		}
		u := m.Usage
		row.Tokens = Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, Cache5m: u.CacheCreation, Cost: r.Cost}
		if u.M5+u.H1 == u.CacheCreation {
			row.Tokens.Cache5m, row.Tokens.Cache1h = u.M5, u.H1
		}
		if u.Speed == "fast" {
			row.Model += "-fast" // it has a price of its own
		}
		out.put(row)
	}
	if only || r.Meta || r.APIError {
		return
	}
	if m.Said != nil {
		r.said(base, unquote(m.Said), out)
		return
	}
	for _, b := range m.Blocks {
		r.block(base, b, out)
	}
}

func (r *claudeRow) block(row Row, b claudeBlock, out *sink) {
	switch b.Type {
	case "text":
		if b.Text != nil {
			r.said(row, unquote(b.Text), out)
		}
	case "tool_use":
		row.Key = "call " + b.ID
		switch path := b.Path + b.Notebook; {
		case editTools[b.Name] && path != "":
			row.Kind, row.Path = Edit, path
		case b.Command != "":
			row.Kind, row.Text = Command, b.Command
		default:
			return
		}
		out.put(row)
	case "tool_result":
		row.Kind, row.Key, row.Failed = Result, "call "+b.Call, b.Error
		if b.Error {
			row.Text, _ = asText(b.Content)
		}
		out.put(row)
	}
}

// editTools are the tools of clients that change a file that they name.
var editTools = map[string]bool{
	"Edit": true, "MultiEdit": true, "Write": true, "NotebookEdit": true,
	"edit": true, "write": true, "multiedit": true, "replace": true, "write_file": true,
}

// said emits what a person or the model wrote.
func (r *claudeRow) said(row Row, said string, out *sink) {
	said = strings.TrimSpace(said)
	row.Text = said
	switch {
	case said == "":
		return
	case r.Compact:
		row.Kind, row.Key = Summary, "said "+r.Time+" "+said
	case r.Type == "assistant":
		row.Kind, row.Key = Answer, "said "+r.Message.ID+" "+said
	case r.Type == "user" && !generated(said):
		row.Kind, row.Key = Prompt, "said "+r.Time+" "+said
	default:
		return
	}
	out.put(row)
}

// generated reports whether the client made a message in a person's name: the record of a command that the client itself answered, or a
// reminder.
func generated(said string) bool {
	return slices.ContainsFunc([]string{"<command-name>", "<command-message>", "<local-command", "<system-reminder>", "<bash-stdout>", "<task-notification>", "Caveat: The messages below", "[Request interrupted", "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<permissions instructions>", "<INSTRUCTIONS>"},
		func(mark string) bool { return strings.HasPrefix(said, mark) })
}

// asText returns the text of a content, which is a text or a list of parts with texts.
func asText(raw json.RawMessage) (string, bool) {
	var text string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text, true
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", false
	}
	for _, p := range parts {
		text += p.Text
	}
	return text, false
}

// holds reports whether a line can hold usage, because it contains one of some marks.
func holds(marks ...string) func(line []byte) bool {
	list := make([][]byte, len(marks))
	for i, m := range marks {
		list[i] = []byte(m)
	}
	return func(line []byte) bool {
		return slices.ContainsFunc(list, func(mark []byte) bool { return bytes.Contains(line, mark) })
	}
}

// readLines calls row for each whole line of a source; row reports whether the line's format is known. When only usage is wanted, it calls
// row only for the lines that counts accepts.
func readLines(ctx context.Context, src Source, from Position, emit func(Row, Position) error, counts func(line []byte) bool, row func(line []byte, out *sink) bool) (Position, error) {
	file, err := os.Open(src.Path)
	if err != nil {
		return from, err
	}
	defer file.Close()
	if _, err := file.Seek(from.Offset, io.SeekStart); err != nil {
		return from, err
	}
	l, out := newLines(file, from.Offset), &sink{emit: emit, at: from}
	for {
		line, over, err := l.next()
		switch {
		case errors.Is(err, io.EOF):
			return out.at, nil
		case err != nil:
			return out.at, err
		case src.UsageOnly && !over && !counts(line):
		case over, len(line) > 0 && !row(line, out) && out.err == nil:
			out.at.Passed++
		}
		if out.err != nil {
			return out.at, out.err
		}
		out.at.Offset = l.offset
		if err := ctx.Err(); err != nil {
			return out.at, err
		}
	}
}
