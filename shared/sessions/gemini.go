package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Gemini reads Gemini CLI: tmp/NAME/chats/session-*.jsonl, and .json of older releases.
//
// A .jsonl is a log: a message is written again, whole, whenever its calls or tokens change. Rows are therefore identified
// by the message's id, and the larger token count of an answer wins. A rewind removes messages from the conversation, but
// their tokens still count. The folder is recorded beside the chats, or in projects.json.
type Gemini struct{}

// Client is the name of the client.
func (Gemini) Client() string { return "gemini" }

// Find lists the chats.
func (Gemini) Find(home Home, problem func(string, error)) (found []Source) {
	root := filepath.Join(home.Env("GEMINI_CLI_HOME", home.Dir), ".gemini", "tmp")
	for _, ending := range []string{".jsonl", ".json"} {
		found = append(found, files(root, problem, "*/chats/*"+ending, "*/chats/*/*"+ending)...)
	}
	for i := range found {
		found[i].Whole = strings.HasSuffix(found[i].Path, ".json")
	}
	return found
}

type geminiState struct{ Session, Folder string }

type geminiRow struct {
	Session  string          `json:"sessionId"`
	ID       string          `json:"id"`
	Time     string          `json:"timestamp"`
	Type     string          `json:"type"`
	Content  json.RawMessage `json:"content"`
	Model    string          `json:"model"`
	Rewind   string          `json:"$rewindTo"`
	Set      *geminiSet      `json:"$set"`
	Messages []geminiRow     `json:"messages"`
	Folders  []string        `json:"directories"`
	Calls    []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Args struct {
			Command string `json:"command"`
			Path    string `json:"file_path"`
		} `json:"args"`
		Status string          `json:"status"`
		Result json.RawMessage `json:"result"`
		Shown  json.RawMessage `json:"resultDisplay"`
	} `json:"toolCalls"`
	Tokens *struct {
		Input    int64 `json:"input"`
		Output   int64 `json:"output"`
		Cached   int64 `json:"cached"`
		Thoughts int64 `json:"thoughts"`
		Tool     int64 `json:"tool"`
	} `json:"tokens"`
}

type geminiSet struct {
	Messages []geminiRow `json:"messages"`
}

// maxWhole bounds the bytes of a file that is read as one document.
const maxWhole = 64 << 20

// Read emits the rows of a chat.
func (g Gemini) Read(ctx context.Context, src Source, from Position, emit func(Row, Position) error) (Position, error) {
	var s geminiState
	if from.State == "" || json.Unmarshal([]byte(from.State), &s) != nil {
		s = geminiState{Folder: geminiFolder(src.Path)}
	}
	row := func(line []byte, out *sink) bool {
		var r geminiRow
		if json.Unmarshal(line, &r) != nil {
			return false
		}
		return s.row(r, out)
	}
	if src.Whole {
		data, err := readWhole(src.Path)
		if err != nil {
			return from, err
		}
		out := &sink{emit: emit, at: from}
		if !row(data, out) {
			out.at.Passed++
		}
		out.at.Offset = int64(len(data))
		return out.at, out.err
	}
	at, err := readLines(ctx, src, from, emit, holds(`"tokens"`, `"sessionId"`, `"directories"`), row)
	return at.with(s), err
}

// readWhole is a file that is one document of at most maxWhole bytes.
func readWhole(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxWhole+1))
	if err == nil && len(data) > maxWhole {
		err = errors.New("it is larger than 64 MB")
	}
	return data, err
}

func (s *geminiState) row(r geminiRow, out *sink) (known bool) {
	if r.Session != "" {
		known, s.Session = true, r.Session
		if s.Folder == "" && len(r.Folders) > 0 {
			s.Folder = r.Folders[0]
		}
	}
	messages := r.Messages
	if r.Set != nil {
		messages, known = r.Set.Messages, true
	}
	for _, m := range messages {
		s.message(m, out)
	}
	if r.ID != "" {
		s.message(r, out)
		return true
	}
	return known || r.Rewind != "" || len(messages) > 0
}

func (s *geminiState) message(m geminiRow, out *sink) {
	at, err := time.Parse(time.RFC3339Nano, m.Time)
	if err != nil || m.ID == "" {
		return
	}
	row := Row{Session: s.Session, At: at, Folder: s.Folder, Model: m.Model}
	if t := m.Tokens; t != nil {
		u := row
		cached := min(t.Cached, t.Input) // part of the input
		u.Kind, u.Key = Usage, "usage "+s.Session+" "+m.ID
		u.Tokens = Tokens{Input: t.Input - cached + t.Tool, Output: t.Output + t.Thoughts, CacheRead: cached, Reasoning: t.Thoughts}
		out.put(u)
	}
	text, _ := asText(m.Content)
	text = strings.TrimSpace(text)
	speaks(row, "said "+m.ID+" "+text, m.Type, text, out)
	for _, c := range m.Calls {
		call := row
		call.Key = "call " + c.ID
		switch {
		case editTools[c.Name] && c.Args.Path != "":
			call.Kind, call.Path = Edit, c.Args.Path
		case c.Args.Command != "":
			call.Kind, call.Text = Command, c.Args.Command
		default:
			continue
		}
		out.put(call)
		if c.Status == "error" {
			call.Kind, call.Failed, call.Path = Result, true, ""
			if call.Text, _ = asText(c.Shown); call.Text == "" {
				call.Text = string(c.Result)
			}
			out.put(call)
		}
	}
}

// geminiFolder returns the folder of the project that a chat's folder is for, "" if it is not recorded.
func geminiFolder(chat string) string {
	dir := filepath.Dir(chat)
	for filepath.Base(dir) != "chats" && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	dir = filepath.Dir(dir)
	if root, err := os.ReadFile(filepath.Join(dir, ".project_root")); err == nil {
		return strings.TrimSpace(string(root))
	}
	data, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(dir)), "projects.json"))
	var list struct {
		Projects map[string]string `json:"projects"`
	}
	if err == nil && json.Unmarshal(data, &list) == nil {
		for folder, name := range list.Projects {
			if name == filepath.Base(dir) {
				return folder
			}
		}
	}
	return ""
}
