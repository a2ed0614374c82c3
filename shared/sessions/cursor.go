package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/registry/sidefile"
)

// Cursor reads Cursor: the rows bubbleId:… and composerData:… of the table cursorDiskKV in
// globalStorage/state.vscdb, and the transcripts of its command line, projects/DIR/agent-transcripts.
//
// The database has many gigabytes, so it is read by ranges of keys, and further on by the
// numbers of rows: a row that is written again has a new number. Its other table holds tokens
// and is never read. Transcripts have no times: their rows are dated by the file.
type Cursor struct{}

// Client is the name of the client.
func (Cursor) Client() string { return "cursor" }

// Find lists the databases and the transcripts.
func (Cursor) Find(home Home, problem func(string, error)) (found []Source) {
	for _, user := range editorFolders(home, "Cursor") {
		found = append(found, logged(files(filepath.Join(user, "globalStorage"), problem, "state.vscdb"))...)
	}
	root := home.Env("CURSOR_CONFIG_DIR", filepath.Join(home.Dir, ".cursor"))
	const transcripts = "*/agent-transcripts/"
	return append(found, files(filepath.Join(root, "projects"), problem,
		transcripts+"*.jsonl", transcripts+"*/*.jsonl", transcripts+"*/*/*.jsonl", transcripts+"*/*/*/*.jsonl")...)
}

type cursorBubble struct {
	Type    int             `json:"type"`
	ID      string          `json:"bubbleId"`
	Text    string          `json:"text"`
	Raw     string          `json:"rawText"`
	Created json.RawMessage `json:"createdAt"`
	Time    json.RawMessage `json:"timestamp"`
	Folder  string          `json:"workspaceProjectDir"`
	Tool    *struct {
		Name   string          `json:"name"`
		Call   string          `json:"toolCallId"`
		Args   json.RawMessage `json:"rawArgs"`
		Params json.RawMessage `json:"params"`
		Status string          `json:"status"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	} `json:"toolFormerData"`
}

type cursorComposer struct {
	Created json.RawMessage `json:"createdAt"`
	Updated json.RawMessage `json:"lastUpdatedAt"`
	Model   struct {
		Name string `json:"modelName"`
	} `json:"modelConfig"`
	Workspace struct {
		URI json.RawMessage `json:"uri"`
	} `json:"workspaceIdentifier"`
	Conversation []json.RawMessage `json:"conversation"` // of older releases
	known        bool
}

// maxValue bounds the bytes of a value that is read.
const maxValue = 8 << 20

// Read emits the rows of the database or of a transcript.
func (c Cursor) Read(ctx context.Context, src Source, from Position, emit func(Row, Position) error) (Position, error) {
	if strings.HasSuffix(src.Path, ".jsonl") {
		return c.transcript(ctx, src, from, emit)
	}
	if src.UsageOnly {
		return from, nil // it has the counts of only a few answers
	}
	db, err := sidefile.Foreign(ctx, src.Path)
	if err != nil {
		return from, err
	}
	defer db.Close()
	out := &sink{emit: emit}
	r := cursorReader{db: db, out: out, composers: map[string]cursorComposer{}, at: src.Mod}
	var newest int64
	var last string
	err = db.Get(ctx, `SELECT rowid, key FROM cursorDiskKV ORDER BY rowid DESC LIMIT 1`, nil, &newest, &last)
	if errors.Is(err, sidefile.ErrNone) {
		return from, nil
	}
	if err != nil {
		return from, err
	}
	var key string
	if err := db.Get(ctx, `SELECT key FROM cursorDiskKV WHERE rowid = ?`, []any{from.Offset}, &key); err != nil || key != from.State {
		from.Offset = 0 // rows were deleted, so numbers start again
	}
	out.at = from
	for _, kind := range []string{"composerData", "bubbleId"} {
		if kind == "bubbleId" {
			if err := r.conversations(ctx, from.Offset); err != nil {
				return out.at, err
			}
		}
		where, args := cursorRange(kind, from.Offset)
		err := db.Each(ctx, func(scan func(...any) error) error {
			var key string
			var value []byte
			if err := scan(&key, &value); err != nil {
				return err
			}
			if !r.row(key, value) {
				out.at.Passed++
			}
			return out.err
		}, `SELECT key, CASE WHEN length(value) <= ? THEN value END FROM cursorDiskKV`+where, append([]any{maxValue}, args...)...)
		if err != nil {
			return out.at, err
		}
	}
	out.at.Offset, out.at.State = newest, last
	return out.at, nil
}

// cursorRange selects keys by their range. With an offset, it makes SQLite find the rows by number, which it would not choose itself.
func cursorRange(kind string, offset int64) (where string, args []any) {
	args = []any{kind + ":", kind + ";"}
	if offset == 0 {
		return ` WHERE key >= ? AND key < ? ORDER BY key`, args
	}
	return ` WHERE +key >= ? AND +key < ? AND rowid > ? ORDER BY rowid`, append(args, offset)
}

type cursorReader struct {
	db        *sidefile.File
	out       *sink
	composers map[string]cursorComposer
	at        time.Time // of the file
}

// conversations also reads the unchanged conversations of new bubbles.
func (r *cursorReader) conversations(ctx context.Context, offset int64) error {
	if offset == 0 {
		return nil // all were read
	}
	missing := map[string]bool{}
	where, args := cursorRange("bubbleId", offset)
	err := r.db.Each(ctx, func(scan func(...any) error) error {
		var key string
		err := scan(&key)
		id, _, _ := strings.Cut(strings.TrimPrefix(key, "bubbleId:"), ":")
		if _, ok := r.composers[id]; !ok {
			missing[id] = true
		}
		return err
	}, `SELECT key FROM cursorDiskKV`+where, args...)
	if err != nil {
		return err
	}
	for id := range missing {
		var data []byte
		err := r.db.Get(ctx, `SELECT value FROM cursorDiskKV WHERE key = ? AND length(value) <= ?`, []any{"composerData:" + id, maxValue}, &data)
		switch {
		case err == nil:
			r.composers[id] = parseComposer(data)
		case !errors.Is(err, sidefile.ErrNone):
			return err
		}
	}
	return nil
}

// row emits what a row holds, and reports whether its format is known.
func (r *cursorReader) row(key string, value []byte) bool {
	kind, id, _ := strings.Cut(key, ":")
	if kind == "composerData" {
		c := parseComposer(value)
		r.composers[id] = c
		for n, raw := range c.Conversation {
			var b cursorBubble
			if json.Unmarshal(raw, &b) != nil {
				continue
			}
			if b.ID == "" {
				b.ID = fmt.Sprint(id, " ", n)
			}
			r.bubble(c, id, b)
		}
		return c.known
	}
	id, bubble, _ := strings.Cut(id, ":")
	var b cursorBubble
	if len(value) == 0 || string(value) == "null" {
		return true
	}
	if json.Unmarshal(value, &b) != nil || b.Type == 0 {
		return false
	}
	if b.ID = bubble; bubble == "" {
		return false
	}
	r.bubble(r.composers[id], id, b)
	return true
}

func parseComposer(value []byte) (c cursorComposer) {
	c.known = json.Unmarshal(value, &c) == nil
	return c
}

func (r *cursorReader) bubble(c cursorComposer, session string, b cursorBubble) {
	row := Row{Session: session, Folder: b.Folder, Model: c.Model.Name}
	for _, raw := range []json.RawMessage{b.Created, b.Time, c.Updated, c.Created} {
		if row.At.IsZero() {
			row.At = moment(raw)
		}
	}
	row.At, row.Folder = cmp.Or(row.At, r.at), cmp.Or(row.Folder, c.folder())
	role := "assistant"
	if b.Type == 1 {
		role = "user"
	}
	row.Grows = true // it is written again as it goes on
	speaks(row, "bubble "+b.ID, role, cmp.Or(b.Text, b.Raw), r.out)
	row.Grows = false
	t := b.Tool
	if t == nil {
		return
	}
	key := "call " + b.ID
	for _, input := range []json.RawMessage{t.Args, t.Params} {
		seen := false
		called(row, key, t.Name, input, &sink{emit: func(call Row, _ Position) error {
			seen = true
			if call.Kind == Edit && call.Folder == "" && filepath.IsAbs(call.Path) {
				call.Folder = filepath.Dir(call.Path)
			}
			r.out.put(call)
			return nil
		}})
		if seen {
			break
		}
	}
	if t.Status == "error" {
		text, _ := asText(t.Error)
		if text == "" {
			text, _ = asText(t.Result)
		}
		failedWith(row, key, text, r.out)
	}
}

// folder returns the folder of the workspace of a conversation.
func (c cursorComposer) folder() string {
	var uri string
	if json.Unmarshal(c.Workspace.URI, &uri) == nil {
		return local(uri)
	}
	var parts struct {
		Scheme string `json:"scheme"`
		Path   string `json:"path"`
		FS     string `json:"fsPath"`
	}
	if json.Unmarshal(c.Workspace.URI, &parts) != nil || parts.Scheme != "" && parts.Scheme != "file" {
		return ""
	}
	return cmp.Or(parts.FS, parts.Path)
}

// transcript reads a file of the command line. The folder is found from the project's name, if a folder of this machine matches it.
func (c Cursor) transcript(ctx context.Context, src Source, from Position, emit func(Row, Position) error) (Position, error) {
	dir := filepath.Dir(src.Path)
	for filepath.Base(dir) != "agent-transcripts" && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	row := Row{Session: strings.TrimSuffix(filepath.Base(src.Path), ".jsonl"), Folder: folderNamed(filepath.Base(filepath.Dir(dir))), At: cmp.Or(src.Mod.UTC(), time.Unix(1, 0))}
	row.Agent = filepath.Base(filepath.Dir(src.Path)) == "subagents"
	number, _ := strconv.Atoi(from.State) // of the line, because lines may be equal
	at, err := readLines(ctx, src, from, emit, noUsage, func(line []byte, out *sink) bool {
		var r struct {
			Role    string `json:"role"`
			Type    string `json:"type"`
			Message struct {
				Content json.RawMessage `json:"content"`
			} `json:"message"`
		}
		number++
		if json.Unmarshal(line, &r) != nil || r.Role == "" && r.Type == "" {
			return false
		}
		for n, b := range blocks(r.Message.Content) {
			key := fmt.Sprintf("%s %d %d", row.Session, number, n)
			switch b.Type {
			case "text":
				speaks(row, "said "+key, r.Role, cursorSaid(b.Text), out)
			case "tool_use":
				called(row, "call "+key, b.Name, b.Input, out)
			}
		}
		if out.err != nil {
			number-- // the line is read again
		}
		return true
	})
	at.State = strconv.Itoa(number)
	return at, err
}

// cursorSaid returns a person's words without the client's additions.
func cursorSaid(text string) string {
	_, after, ok := strings.Cut(text, "<user_query>")
	if before, _, whole := strings.Cut(after, "</user_query>"); ok && whole {
		return before
	}
	return text
}

// folderNamed returns the folder of this machine whose path yields a name when every mark and letter outside A-Za-z0-9 becomes a hyphen; ""
// when there is none, or several.
func folderNamed(name string) string {
	name = strings.TrimPrefix(name, "-")
	found, looked := "", 0
	var walk func(dir, rest string) bool
	walk = func(dir, rest string) (again bool) {
		if rest == "" {
			again = found != ""
			found = dir
			return again
		}
		list, err := os.ReadDir(dir)
		if err != nil {
			return false
		}
		for _, e := range list {
			if looked++; looked > 5000 {
				return true
			}
			as := Hyphenated(e.Name())
			if !e.IsDir() || as != rest && !strings.HasPrefix(rest, as+"-") {
				continue
			}
			if walk(filepath.Join(dir, e.Name()), strings.TrimPrefix(strings.TrimPrefix(rest, as), "-")) {
				return true
			}
		}
		return false
	}
	if walk(string(filepath.Separator), name) {
		return ""
	}
	return found
}

// Hyphenated returns the name under which clients keep a folder: letters and digits of ASCII stay, and everything else becomes a hyphen, so
// that several folders can share a name.
func Hyphenated(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, name)
}
