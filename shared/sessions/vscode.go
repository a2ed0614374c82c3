package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/registry/sidefile"
)

// VSCode reads the chats of VS Code, in four forms: the extension's own transcripts, which are all that newer releases keep;
// chatSessions/ID.jsonl, a log of changes; chatSessions/ID.json; and one key in state.vscdb of old releases. If a chat has
// both files, the log is read; the database is read only when no other form exists.
type VSCode struct{}

// Client is the name of the client.
func (VSCode) Client() string { return "vscode" }

// Find lists the chats of every workspace, and those without one.
func (v VSCode) Find(home Home, problem func(string, error)) (found []Source) {
	for _, user := range editorFolders(home, "Code", "Code - Insiders", "VSCodium") {
		storage := filepath.Join(user, "workspaceStorage")
		list, err := os.ReadDir(storage)
		if err != nil && !os.IsNotExist(err) {
			problem(storage, err)
		}
		for _, one := range list {
			if one.IsDir() {
				found = append(found, v.workspace(filepath.Join(storage, one.Name()), problem)...)
			}
		}
		found = append(found, v.chats(filepath.Join(user, "globalStorage", "emptyWindowChatSessions"), problem)...)
	}
	return found
}

func (v VSCode) workspace(dir string, problem func(string, error)) []Source {
	found := v.chats(filepath.Join(dir, "chatSessions"), problem)
	var read fs.FileInfo
	for _, name := range []string{"GitHub.copilot-chat", "github.copilot-chat"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || os.SameFile(read, info) {
			continue // both names can be of one folder
		}
		read = info
		found = append(found, files(filepath.Join(dir, name, "transcripts"), problem, "*.jsonl")...)
	}
	if len(found) == 0 {
		if _, err := os.Stat(filepath.Join(dir, "chatSessions")); err != nil {
			return logged(files(dir, problem, "state.vscdb"))
		}
	}
	return found
}

func (v VSCode) chats(dir string, problem func(string, error)) []Source {
	logs := files(dir, problem, "*.jsonl")
	have := map[string]bool{}
	for _, l := range logs {
		have[strings.TrimSuffix(l.Path, "l")] = true
	}
	for _, f := range files(dir, problem, "*.json") {
		if !have[f.Path] {
			logs = append(logs, f)
		}
	}
	return whole(logs)
}

type vscodeChat struct {
	ID       string            `json:"sessionId"`
	Created  json.RawMessage   `json:"creationDate"`
	Requests []json.RawMessage `json:"requests"`
}

type vscodeRequest struct {
	ID       string            `json:"requestId"`
	Message  json.RawMessage   `json:"message"`
	Time     json.RawMessage   `json:"timestamp"`
	Model    string            `json:"modelId"`
	Response []json.RawMessage `json:"response"`
	Result   struct {
		Error struct {
			Message string `json:"message"`
		} `json:"errorDetails"`
	} `json:"result"`
}

type vscodePart struct {
	Kind    string          `json:"kind"`
	Value   json.RawMessage `json:"value"`
	Content struct {
		Value string `json:"value"`
	} `json:"content"`
	URI struct {
		Scheme string `json:"scheme"`
		Path   string `json:"path"`
		FS     string `json:"fsPath"`
	} `json:"uri"`
	Edit     bool   `json:"isEdit"`
	Call     string `json:"toolCallId"`
	Specific struct {
		Kind    string          `json:"kind"`
		Command string          `json:"command"`
		Line    json.RawMessage `json:"commandLine"`
		State   struct {
			Exit *int `json:"exitCode"`
		} `json:"terminalCommandState"`
		Output struct {
			Text string `json:"text"`
		} `json:"terminalCommandOutput"`
	} `json:"toolSpecificData"`
}

// Read emits the rows of a chat, or of the chats of an old database.
func (v VSCode) Read(ctx context.Context, src Source, from Position, emit func(Row, Position) error) (Position, error) {
	if src.UsageOnly {
		return from, nil // no form holds token counts
	}
	dir := filepath.Dir(src.Path)
	out := &sink{emit: emit, at: from}
	switch filepath.Base(dir) {
	case "transcripts":
		begin := copilotState{Session: strings.TrimSuffix(filepath.Base(src.Path), ".jsonl"), Folder: workspaceFolder(filepath.Dir(filepath.Dir(dir)))}
		return readCopilot(ctx, src, from, begin, emit)
	case "chatSessions", "emptyWindowChatSessions":
		folder := workspaceFolder(filepath.Dir(dir))
		if strings.HasSuffix(src.Path, ".jsonl") {
			at, err := replayed(ctx, src, from, func(chat []byte) { vscodeRows(chat, src, folder, out) })
			return at, cmp.Or(err, out.err)
		}
		data, err := readWhole(src.Path)
		if err != nil {
			return from, err
		}
		if out.at.Offset = int64(len(data)); !json.Valid(data) {
			out.at.Passed++
		}
		vscodeRows(data, src, folder, out)
		return out.at, out.err
	}
	db, err := sidefile.Foreign(ctx, src.Path)
	if err != nil {
		return from, err
	}
	defer db.Close()
	var data []byte
	err = db.Get(ctx, `SELECT value FROM ItemTable WHERE key = 'interactive.sessions' AND length(value) <= ?`, []any{maxWhole}, &data)
	if errors.Is(err, sidefile.ErrNone) {
		return from, nil
	}
	if err != nil {
		return from, err
	}
	var chats []json.RawMessage
	if json.Unmarshal(data, &chats) != nil {
		out.at.Passed++
	}
	for _, chat := range chats {
		vscodeRows(chat, src, workspaceFolder(dir), out)
	}
	return out.at, out.err
}

// vscodeRows emits the rows of a chat. Requests of old releases have no time: they are dated by
// the chat, in order.
func vscodeRows(data []byte, src Source, folder string, out *sink) {
	var c vscodeChat
	if json.Unmarshal(data, &c) != nil {
		return
	}
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(src.Path), ".jsonl"), ".json")
	row := Row{Session: cmp.Or(c.ID, name), Folder: folder, At: cmp.Or(moment(c.Created), src.Mod, time.Unix(1, 0))}
	for i, raw := range c.Requests {
		var r vscodeRequest
		if json.Unmarshal(raw, &r) != nil {
			continue
		}
		if r.ID == "" {
			r.ID = fmt.Sprint(row.Session, " ", i)
		}
		row.At = cmp.Or(moment(r.Time), row.At.Add(time.Millisecond))
		row.Model = strings.TrimPrefix(r.Model, "copilot/")
		r.rows(row, out)
	}
}

func (r *vscodeRequest) rows(row Row, out *sink) {
	text, _ := asText(r.Message)
	var message struct {
		Text string `json:"text"`
	}
	if text == "" && json.Unmarshal(r.Message, &message) == nil {
		text = message.Text
	}
	speaks(row, "said "+r.ID, "user", text, out)
	var said strings.Builder
	for n, raw := range r.Response {
		var p vscodePart
		if json.Unmarshal(raw, &p) != nil {
			continue
		}
		if p.Kind == "" || p.Kind == "markdownContent" || p.Kind == "markdown" {
			value := p.Content.Value
			if value == "" {
				value, _ = asText(p.Value)
			}
			said.WriteString(value)
			continue
		}
		p.row(row, r.ID, n, out)
	}
	speaks(row, "answer "+r.ID, "assistant", said.String(), out)
	if message := r.Result.Error.Message; message != "" {
		failedWith(row, "request "+r.ID, message, out)
	}
}

func (p *vscodePart) row(row Row, request string, n int, out *sink) {
	switch {
	case p.Kind == "textEditGroup" || p.Kind == "notebookEditGroup" || p.Kind == "codeblockUri" && p.Edit:
		if p.URI.Scheme != "" && p.URI.Scheme != "file" && p.URI.Scheme != "vscode-remote" {
			return
		}
		if row.Path = cmp.Or(p.URI.FS, drive(p.URI.Path)); row.Path != "" {
			row.Kind, row.Key = Edit, "edit "+request+" "+row.Path
			out.put(row)
		}
	case p.Specific.Kind == "terminal" || p.Specific.Kind == "terminal2":
		var line struct {
			Original string `json:"original"`
			Tool     string `json:"toolEdited"`
			User     string `json:"userEdited"`
		}
		row.Text = p.Specific.Command
		if json.Unmarshal(p.Specific.Line, &line) == nil {
			row.Text = cmp.Or(line.User, line.Tool, line.Original, row.Text)
		}
		if row.Text == "" {
			return
		}
		row.Kind, row.Key = Command, fmt.Sprintf("call %s %s", request, p.Call)
		if p.Call == "" {
			row.Key = fmt.Sprintf("call %s %d", request, n)
		}
		out.put(row)
		if exit := p.Specific.State.Exit; exit != nil && *exit != 0 {
			failedWith(row, row.Key, p.Specific.Output.Text, out)
		}
	}
}

// mutation is one line of a log of changes: 0 is the whole document, 1 sets the value at a path, 2 cuts a list at an index and appends to
// it, 3 removes.
type mutation struct {
	Kind  int             `json:"kind"`
	Path  []any           `json:"k"`
	Value json.RawMessage `json:"v"`
	Index *int            `json:"i"`
}

// mostRequests bounds the length of a list that a log makes.
const mostRequests = 20_000

// replayed reads a log of changes and calls with the resulting document. It keeps only the parts of a chat that are read: its id, time and
// requests.
func replayed(ctx context.Context, src Source, from Position, with func(document []byte)) (Position, error) {
	var document any
	size := 0
	at, err := readLines(ctx, src, Position{Passed: from.Passed}, nil, noUsage, func(line []byte, _ *sink) bool {
		var m mutation
		if json.Unmarshal(line, &m) != nil {
			return false
		}
		if m.Kind == 0 {
			document, size = nil, 0
		}
		if size += len(line); size > maxWhole {
			return false // what follows is left out
		}
		var value any
		if len(m.Value) > 0 && json.Unmarshal(m.Value, &value) != nil {
			return false
		}
		if m.Kind == 0 {
			chat, ok := value.(map[string]any)
			if !ok {
				return false
			}
			for name := range chat {
				if !ofChat(name) {
					delete(chat, name)
				}
			}
			document = chat
			return true
		}
		if len(m.Path) == 0 || document == nil {
			return false
		}
		if name, ok := m.Path[0].(string); !ok || !ofChat(name) {
			return true
		}
		changed, ok := m.apply(document, m.Path, value)
		document = changed
		return ok
	})
	if err != nil || document == nil {
		return at, err
	}
	data, err := json.Marshal(document)
	if err == nil {
		with(data)
	}
	return at, err
}

func ofChat(name string) bool {
	return name == "sessionId" || name == "creationDate" || name == "requests"
}

// apply returns a node after the change at the path beneath it, and whether the path exists.
func (m *mutation) apply(node any, path []any, value any) (any, bool) {
	if len(path) == 0 {
		switch m.Kind {
		case 1:
			return value, true
		case 2:
			list, _ := node.([]any)
			if m.Index != nil {
				list = list[:max(0, min(*m.Index, len(list)))]
			}
			more, _ := value.([]any)
			if len(list)+len(more) > mostRequests {
				return node, false
			}
			return append(list, more...), true
		}
		return node, false
	}
	last := len(path) == 1 && m.Kind == 3
	switch at := path[0].(type) {
	case string:
		object, ok := node.(map[string]any)
		if !ok {
			if node != nil {
				return node, false
			}
			object = map[string]any{}
		}
		if last {
			delete(object, at)
			return object, true
		}
		changed, ok := m.apply(object[at], path[1:], value)
		object[at] = changed
		return object, ok
	case float64:
		list, _ := node.([]any)
		i := int(at)
		if i < 0 || i >= mostRequests || i > len(list) {
			return node, false
		}
		if last {
			if i < len(list) {
				list[i] = nil
			}
			return list, true
		}
		if i == len(list) {
			list = append(list, nil)
		}
		changed, ok := m.apply(list[i], path[1:], value)
		list[i] = changed
		return list, ok
	}
	return node, false
}
