package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"
)

// Qwen reads Qwen Code: projects/DIR/chats/SESSION.jsonl. DIR is not read for the project. Parts
// that are thoughts are left out.
type Qwen struct{}

// Client is the name of the client.
func (Qwen) Client() string { return "qwen" }

// Find lists the chats.
func (Qwen) Find(home Home, problem func(string, error)) []Source {
	root := home.Env("QWEN_HOME", filepath.Join(home.Dir, ".qwen"))
	return files(filepath.Join(root, "projects"), problem, "*/chats/*.jsonl")
}

type qwenRow struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	UUID    string `json:"uuid"`
	Session string `json:"sessionId"`
	Folder  string `json:"cwd"`
	Branch  string `json:"gitBranch"`
	Model   string `json:"model"`
	Message *struct {
		Parts []json.RawMessage `json:"parts"`
	} `json:"message"`
	Usage *struct {
		Prompt   int64 `json:"promptTokenCount"`
		Answer   int64 `json:"candidatesTokenCount"`
		Cached   int64 `json:"cachedContentTokenCount"`
		Thoughts int64 `json:"thoughtsTokenCount"`
	} `json:"usageMetadata"`
	Result *struct {
		Call   string          `json:"callId"`
		Status string          `json:"status"`
		Error  json.RawMessage `json:"error"`
		Shown  json.RawMessage `json:"resultDisplay"`
	} `json:"toolCallResult"`
}

type qwenPart struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought"`
	Call    *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string `json:"id"`
		Response struct {
			Error json.RawMessage `json:"error"`
		} `json:"response"`
	} `json:"functionResponse"`
}

// Read emits the rows of a chat.
func (q Qwen) Read(ctx context.Context, src Source, from Position, emit func(Row, Position) error) (Position, error) {
	name := strings.TrimSuffix(filepath.Base(src.Path), ".jsonl")
	return readLines(ctx, src, from, emit, holds(`"usageMetadata"`), func(line []byte, out *sink) bool {
		var r qwenRow
		var t struct {
			Time json.RawMessage `json:"timestamp"`
		}
		if json.Unmarshal(line, &r) != nil || json.Unmarshal(line, &t) != nil || r.Type == "" {
			return false
		}
		at := moment(t.Time)
		if at.IsZero() {
			return false
		}
		r.Session = cmp.Or(r.Session, name)
		r.rows(at, out)
		return true
	})
}

func (r *qwenRow) rows(at time.Time, out *sink) {
	row := Row{Session: r.Session, At: at, Folder: r.Folder, Branch: r.Branch, Model: r.Model}
	id := r.UUID
	if id == "" {
		id = r.Session + " " + at.Format(time.RFC3339Nano)
	}
	if u := r.Usage; u != nil && r.Type == "assistant" {
		use, cached := row, min(u.Cached, u.Prompt) // part of the prompt
		use.Kind, use.Key = Usage, "usage "+id
		use.Tokens = Tokens{Input: u.Prompt - cached, Output: u.Answer + u.Thoughts, CacheRead: cached, Reasoning: u.Thoughts}
		out.put(use)
	}
	if c := r.Result; c != nil && c.Status == "error" {
		text, _ := asText(c.Shown)
		if text == "" {
			text, _ = asText(c.Error)
		}
		failedWith(row, "call "+r.Session+" "+c.Call, text, out)
	}
	if r.Message == nil || r.Type == "system" {
		return
	}
	var said []string
	for _, raw := range r.Message.Parts {
		var p qwenPart
		if json.Unmarshal(raw, &p) != nil || p.Thought {
			continue
		}
		if p.Text != "" {
			said = append(said, p.Text)
		}
		if p.Call != nil {
			called(row, "call "+r.Session+" "+p.Call.ID, p.Call.Name, p.Call.Args, out)
		}
		if p.Response != nil && len(p.Response.Response.Error) > 0 && r.Result == nil {
			text, _ := asText(p.Response.Response.Error)
			failedWith(row, "call "+r.Session+" "+p.Response.ID, text, out)
		}
	}
	text := strings.Join(said, "\n")
	speaks(row, "said "+id+" "+text, r.Type, text, out)
}
