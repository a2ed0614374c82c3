package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/text"
)

// Cline reads Cline: data/sessions/ID/ID.messages.json, with its manifest beside it, and the tasks of the extension in every editor:
// tasks/ID/api_conversation_history.json, and ui_messages.json with the token counts. All are written whole.
type Cline struct{}

const (
	clineExtension = "saoudrizwan.claude-dev"
	rooExtension   = "rooveterinaryinc.roo-cline"
	apiHistory     = "api_conversation_history.json"
	shownMessages  = "ui_messages.json"
)

// Client is the name of the client.
func (Cline) Client() string { return "cline" }

// Find lists sessions and tasks.
func (Cline) Find(home Home, problem func(string, error)) []Source {
	data := home.Env("CLINE_DATA_DIR", filepath.Join(home.Env("CLINE_DIR", filepath.Join(home.Dir, ".cline")), "data"))
	sessions := home.Env("CLINE_SESSION_DATA_DIR", filepath.Join(data, "sessions"))
	found := whole(files(sessions, problem, "*/*.messages.json"))
	found = append(found, tasksIn(data, problem, apiHistory, shownMessages)...)
	return append(found, extensionTasks(home, clineExtension, problem, apiHistory, shownMessages)...)
}

// Roo reads Roo Code, which keeps its tasks as Cline did: tasks/ID in the storage of the extension, with history_item.json.
type Roo struct{ Cline }

// Client is the name of the client.
func (Roo) Client() string { return "roo" }

// Find lists the tasks.
func (Roo) Find(home Home, problem func(string, error)) []Source {
	found := extensionTasks(home, rooExtension, problem, apiHistory, shownMessages)
	return append(found, tasksIn(filepath.Join(home.Dir, ".roo"), problem, apiHistory, shownMessages)...)
}

type clineMessage struct {
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Time    json.RawMessage `json:"ts"`
	Metrics *struct {
		Input      int64   `json:"inputTokens"`
		Output     int64   `json:"outputTokens"`
		CacheRead  int64   `json:"cacheReadTokens"`
		CacheWrite int64   `json:"cacheWriteTokens"`
		Cost       float64 `json:"cost"`
	} `json:"metrics"`
}

// Read emits the rows of a file of messages in a folder named by its session's id.
func (Cline) Read(_ context.Context, src Source, from Position, emit func(Row, Position) error) (Position, error) {
	data, err := readWhole(src.Path)
	if err != nil {
		return from, err
	}
	from.Offset = int64(len(data))
	dir, base := filepath.Split(src.Path)
	row := taskBegins(filepath.Clean(dir), src)
	var messages []json.RawMessage
	if strings.HasSuffix(base, ".messages.json") {
		var doc struct {
			Session  string            `json:"sessionId"`
			Agent    string            `json:"agent"`
			Messages []json.RawMessage `json:"messages"`
		}
		if json.Unmarshal(data, &doc) != nil {
			from.Passed++
			return from, nil
		}
		messages, row.Session = doc.Messages, cmp.Or(doc.Session, row.Session)
		row.Agent = doc.Agent != "" && doc.Agent != "lead"
	} else if json.Unmarshal(data, &messages) != nil {
		from.Passed++
		return from, nil
	}
	out := &sink{emit: emit, at: from}
	for i, raw := range messages {
		var m clineMessage
		if base == shownMessages {
			clineUsage(row, i, raw, out)
			continue
		}
		if json.Unmarshal(raw, &m) != nil || m.Role == "" {
			out.at.Passed++
			continue
		}
		row.At = cmp.Or(moment(m.Time), row.At.Add(time.Millisecond)) // in order
		m.rows(row, i, out)
	}
	return out.at, out.err
}

// taskBegins returns a row with the folder and the time of a task: from the manifest, the history item or the list of tasks. Without these
// the time comes from the id.
func taskBegins(dir string, src Source) Row {
	id := filepath.Base(dir)
	row := Row{Session: id, At: src.Mod}
	if ms, err := strconv.ParseInt(id, 10, 64); err == nil {
		row.At = cmp.Or(sane(time.UnixMilli(ms).UTC()), row.At)
	}
	type item struct {
		ID        string          `json:"id"`
		Time      json.RawMessage `json:"ts"`
		Folder    string          `json:"cwd"`
		Root      string          `json:"workspace_root"`
		Workspace string          `json:"workspace"`
		Began     string          `json:"cwdOnTaskInitialization"`
		Model     string          `json:"model"`
		ModelID   string          `json:"modelId"`
		Parent    string          `json:"parentTaskId"`
	}
	take := func(i item) {
		row.Folder = cmp.Or(row.Folder, i.Folder, i.Workspace, i.Began, i.Root)
		row.Parent, row.Model = i.Parent, i.Model+i.ModelID
	}
	for _, name := range []string{id + ".json", "history_item.json"} {
		var i item
		if data, err := os.ReadFile(filepath.Join(dir, name)); err == nil && json.Unmarshal(data, &i) == nil {
			take(i)
			return row
		}
	}
	var list []item
	if data, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(dir)), "state", "taskHistory.json")); err == nil && json.Unmarshal(data, &list) == nil {
		for _, i := range list {
			if i.ID == id {
				take(i)
			}
		}
	}
	return row
}

func (m *clineMessage) rows(row Row, i int, out *sink) {
	key := m.ID
	if key == "" {
		key = fmt.Sprint(row.Session, " ", i)
	}
	if u := m.Metrics; u != nil && m.Role == "assistant" {
		use := row
		use.Kind, use.Key = Usage, "usage "+key
		use.Tokens = Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, Cache5m: u.CacheWrite, Cost: u.Cost}
		out.put(use)
	}
	for n, b := range blocks(m.Content) {
		switch b.Type {
		case "text":
			clineText(row, key+" "+strconv.Itoa(n), m.Role, b.Text, out)
		case "tool_use":
			called(row, "call "+row.Session+" "+b.ID, b.Name, b.Input, out)
		case "tool_result":
			if text, failed := b.ended(); failed {
				failedWith(row, "call "+row.Session+" "+b.Call, text, out)
			}
		}
	}
}

var (
	// envelope matches the text that the extension puts around a person's words.
	envelope = text.Pattern{Expr: `(?s)<(?:task|feedback|user_message|answer)>(.*?)</(?:task|feedback|user_message|answer)>`}
	// inText matches calls of tools that older releases write into the answer.
	inText = text.Pattern{Expr: `(?s)<(execute_command|write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace)>\s*(?:<args>.*?)?<(command|path)>(.*?)</`}
)

// clineText emits a text of a message, without the extension's additions.
func clineText(row Row, key, role, said string, out *sink) {
	if role == "user" {
		if strings.HasPrefix(said, "<environment_details>") || strings.HasPrefix(said, "[") && strings.Contains(said, "] Result:") && !envelope.Regexp().MatchString(said) {
			return // the client's own, or what a tool returned
		}
		if own := envelope.Regexp().FindStringSubmatch(said); own != nil {
			said = own[1]
		}
		speaks(row, "said "+key+" "+said, role, said, out)
		return
	}
	at := len(said)
	for n, call := range inText.Regexp().FindAllStringSubmatchIndex(said, -1) {
		at = min(at, call[0])
		name, value := said[call[2]:call[3]], strings.TrimSpace(said[call[6]:call[7]])
		input, _ := json.Marshal(map[string]string{said[call[4]:call[5]]: value}) // cannot fail: only texts
		called(row, fmt.Sprintf("call %s %d", key, n), name, input, out)
	}
	speaks(row, "said "+key+" "+said[:at], role, said[:at], out)
}

// clineUsage emits the tokens of an answer, which only the displayed messages hold.
func clineUsage(row Row, i int, raw json.RawMessage, out *sink) {
	var m struct {
		Time json.RawMessage `json:"ts"`
		Say  string          `json:"say"`
		Text string          `json:"text"`
	}
	var u struct {
		Input  int64   `json:"tokensIn"`
		Output int64   `json:"tokensOut"`
		Writes int64   `json:"cacheWrites"`
		Reads  int64   `json:"cacheReads"`
		Cost   float64 `json:"cost"`
	}
	if json.Unmarshal(raw, &m) != nil || m.Say != "api_req_started" || json.Unmarshal([]byte(m.Text), &u) != nil {
		return
	}
	row.At = moment(m.Time)
	row.Kind, row.Key, row.Tokens = Usage, fmt.Sprintf("usage %s %s %d", row.Session, m.Time, i), Tokens{Input: u.Input, Output: u.Output, CacheRead: u.Reads, Cache5m: u.Writes, Cost: u.Cost}
	if !row.At.IsZero() && row.Tokens.Total() > 0 {
		out.put(row)
	}
}
