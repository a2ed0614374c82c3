package sessions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
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
func (c Claude) Find(home Home, problem func(string, error)) (found []Source) {
	root := filepath.Join(home.env("CLAUDE_CONFIG_DIR", filepath.Join(home.Dir, ".claude")), "projects")
	return files(c.Client(), root, 4, ".jsonl", problem, func(rel string) bool {
		parts := strings.Split(rel, "/")
		return len(parts) == 2 || len(parts) >= 4 && parts[2] == "subagents"
	})
}

type claudeRow struct {
	Type     string         `json:"type"`
	UUID     string         `json:"uuid"`
	Session  string         `json:"sessionId"`
	Time     string         `json:"timestamp"`
	Folder   string         `json:"cwd"`
	Branch   string         `json:"gitBranch"`
	Side     bool           `json:"isSidechain"`
	Agent    string         `json:"agentId"`
	Request  string         `json:"requestId"`
	Meta     bool           `json:"isMeta"`
	Compact  bool           `json:"isCompactSummary"`
	APIError bool           `json:"isApiErrorMessage"`
	Cost     float64        `json:"costUSD"`
	Message  *claudeMessage `json:"message"`
}

type claudeMessage struct {
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"`
	Usage   *struct {
		Input         int64  `json:"input_tokens"`
		Output        int64  `json:"output_tokens"`
		CacheRead     int64  `json:"cache_read_input_tokens"`
		CacheCreation int64  `json:"cache_creation_input_tokens"`
		Speed         string `json:"speed"`
		Cache         *struct {
			M5 int64 `json:"ephemeral_5m_input_tokens"`
			H1 int64 `json:"ephemeral_1h_input_tokens"`
		} `json:"cache_creation"`
	} `json:"usage"`
}

type claudeBlock struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	ID    string `json:"id"`
	Name  string `json:"name"`
	Input struct {
		Command  string `json:"command"`
		Path     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
	} `json:"input"`
	Call    string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	Error   bool            `json:"is_error"`
}

// Read emits the rows of a transcript.
func (c Claude) Read(ctx context.Context, src Source, from Position, emit func(Row, Position) error) (Position, error) {
	name := strings.TrimSuffix(filepath.Base(src.Path), ".jsonl")
	sub := filepath.Base(filepath.Dir(src.Path)) == "subagents"
	if sub {
		name = filepath.Base(filepath.Dir(filepath.Dir(src.Path)))
	}
	var short []byte
	return readLines(ctx, src, from, emit, holds(`"usage"`), func(line []byte, put func(Row) error) (bool, error) {
		var r claudeRow
		if src.UsageOnly {
			short = withoutTexts(short[:0], line)
			line = short
		}
		if json.Unmarshal(line, &r) != nil || r.Type == "" {
			return false, nil
		}
		if r.Message == nil {
			return true, nil
		}
		at, err := time.Parse(time.RFC3339Nano, r.Time)
		if err != nil {
			return false, nil
		}
		base := Row{Session: r.Session, Agent: r.Side || sub || r.Agent != "", At: at, Folder: r.Folder, Branch: r.Branch, Model: r.Message.Model}
		if base.Session == "" {
			base.Session = name
		}
		return true, r.rows(base, src.UsageOnly, put)
	})
}

func (r *claudeRow) rows(base Row, only bool, put func(Row) error) error {
	m := r.Message
	if r.Type == "assistant" && m.Usage != nil && m.Model != "<synthetic>" {
		row := base
		row.Kind, row.Key, row.Answer = Usage, "usage "+m.ID+" "+r.Request, m.ID
		if m.ID == "" {
			row.Key = "usage " + r.UUID
		}
		u := m.Usage
		row.Tokens = Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, Cache5m: u.CacheCreation, Cost: r.Cost}
		if u.Cache != nil && u.Cache.M5+u.Cache.H1 == u.CacheCreation {
			row.Tokens.Cache5m, row.Tokens.Cache1h = u.Cache.M5, u.Cache.H1
		}
		if u.Speed == "fast" {
			row.Model += "-fast" // it has a price of its own
		}
		if err := put(row); err != nil {
			return err
		}
	}
	if only || r.Meta || r.APIError {
		return nil
	}
	if text, ok := asText(m.Content); ok {
		return r.said(base, text, put)
	}
	var blocks []json.RawMessage
	if json.Unmarshal(m.Content, &blocks) != nil {
		return nil
	}
	for _, raw := range blocks {
		var b claudeBlock
		if json.Unmarshal(raw, &b) != nil {
			continue // an input with unexpected field types belongs to an unknown tool
		}
		if err := r.block(base, b, put); err != nil {
			return err
		}
	}
	return nil
}

func (r *claudeRow) block(row Row, b claudeBlock, put func(Row) error) error {
	switch b.Type {
	case "text":
		return r.said(row, b.Text, put)
	case "tool_use":
		row.Key = "call " + b.ID
		switch path := b.Input.Path + b.Input.Notebook; {
		case editTools[b.Name] && path != "":
			row.Kind, row.Path = Edit, path
		case b.Input.Command != "":
			row.Kind, row.Text = Command, b.Input.Command
		default:
			return nil
		}
		return put(row)
	case "tool_result":
		row.Kind, row.Key, row.Failed = Result, "call "+b.Call, b.Error
		if b.Error {
			row.Text, _ = asText(b.Content)
		}
		return put(row)
	}
	return nil
}

// editTools are the tools of clients that change a file that they name.
var editTools = map[string]bool{
	"Edit": true, "MultiEdit": true, "Write": true, "NotebookEdit": true,
	"edit": true, "write": true, "multiedit": true, "replace": true, "write_file": true,
}

// said emits what a person or the model wrote.
func (r *claudeRow) said(row Row, said string, put func(Row) error) error {
	said = strings.TrimSpace(said)
	if said == "" {
		return nil
	}
	row.Text = said
	switch {
	case r.Compact:
		row.Kind, row.Key = Summary, "said "+r.Time+" "+said
	case r.Type == "assistant":
		row.Kind, row.Key = Answer, "said "+r.Message.ID+" "+said
	case r.Type == "user" && !generated(said):
		row.Kind, row.Key = Prompt, "said "+r.Time+" "+said
	default:
		return nil
	}
	return put(row)
}

// generated reports whether the client made a message in a person's name: the record of a command that the client itself answered, or a
// reminder.
func generated(said string) bool {
	for _, mark := range []string{"<command-name>", "<command-message>", "<local-command", "<system-reminder>", "<bash-stdout>", "<task-notification>", "Caveat: The messages below", "[Request interrupted", "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<permissions instructions>", "<INSTRUCTIONS>"} {
		if strings.HasPrefix(said, mark) {
			return true
		}
	}
	return false
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
func readLines(ctx context.Context, src Source, from Position, emit func(Row, Position) error, counts func(line []byte) bool, row func(line []byte, put func(Row) error) (bool, error)) (Position, error) {
	file, err := open(src.Path)
	if err != nil {
		return from, err
	}
	defer file.Close()
	if _, err := file.Seek(from.Offset, io.SeekStart); err != nil {
		return from, err
	}
	l, at := newLines(file, from.Offset), from
	put := func(r Row) error { return emit(r, at) }
	for {
		line, over, err := l.next()
		switch {
		case errors.Is(err, io.EOF):
			return at, nil
		case err != nil:
			return at, err
		case over:
			at.Passed++
		case src.UsageOnly && !counts(line):
		case len(line) > 0:
			known, err := row(line, put)
			if err != nil {
				return at, err
			}
			if !known {
				at.Passed++
			}
		}
		at.Offset = l.offset
		if err := ctx.Err(); err != nil {
			return at, err
		}
	}
}
