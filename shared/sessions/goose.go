package sessions

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/registry/sidefile"
)

// Goose reads Goose: sessions/sessions.db, the tables sessions and messages, and the .jsonl of earlier releases. Messages are only added,
// so those after the last number are read. Token counts are kept for each session as a whole.
type Goose struct{}

// Client is the name of the client.
func (Goose) Client() string { return "goose" }

// Find lists the database and the older files.
func (Goose) Find(home Home, problem func(string, error)) (found []Source) {
	roots := []string{filepath.Join(home.Env("XDG_DATA_HOME", filepath.Join(home.Dir, ".local", "share")), "goose")}
	if root := home.Env("GOOSE_PATH_ROOT", ""); root != "" {
		roots = []string{filepath.Join(root, "data")}
	}
	roots = append(roots, filepath.Join(home.Dir, "Library", "Application Support", "Block.goose"))
	for _, root := range roots {
		dir := filepath.Join(root, "sessions")
		found = append(found, logged(files(dir, problem, "sessions.db"))...)
		found = append(found, files(dir, problem, "*.jsonl")...)
	}
	return found
}

type goosePart struct {
	Type string `json:"type"`
	Text string `json:"text"`
	ID   string `json:"id"`
	Call struct {
		Value struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"value"`
	} `json:"toolCall"`
	Result struct {
		Status string          `json:"status"`
		Error  json.RawMessage `json:"error"`
		Value  json.RawMessage `json:"value"`
	} `json:"toolResult"`
}

// Read emits the rows of the database or of an older file.
func (g Goose) Read(ctx context.Context, src Source, from Position, emit func(Row, Position) error) (Position, error) {
	if strings.HasSuffix(src.Path, ".jsonl") {
		return g.lines(ctx, src, from, emit)
	}
	db, err := sidefile.Foreign(ctx, src.Path)
	if err != nil {
		return from, err
	}
	defer db.Close()
	out := &sink{emit: emit, at: from}
	if src.UsageOnly {
		return from, gooseUsage(ctx, db, out)
	}
	kind := `''`
	if db.HasColumn(ctx, "sessions", "session_type") {
		kind = `coalesce(s.session_type, '')`
	}
	var newest int64
	if err := db.Get(ctx, `SELECT coalesce(max(id), 0) FROM messages`, nil, &newest); err != nil {
		return from, err
	}
	if newest < from.Offset {
		out.at.Offset = 0 // another database replaced it
	}
	err = db.Each(ctx, func(scan func(...any) error) error {
		var id, content, made string
		var number int64
		row, role, kind := Row{}, "", ""
		if err := scan(&number, &id, &row.Session, &role, &content, &made, &row.Folder, &kind); err != nil {
			return err
		}
		if row.At = moment(json.RawMessage(strconv.Quote(made))); row.At.IsZero() || len(content) > maxLine {
			out.at.Passed++
			return nil
		}
		row.Agent = kind == "sub_agent"
		if id == "" {
			id = row.Session + " " + strconv.FormatInt(number, 10)
		}
		gooseParts(row, id, role, json.RawMessage(content), out)
		return out.err
	}, `SELECT m.id, coalesce(m.message_id, ''), m.session_id, m.role, m.content_json,
		CAST(m.created_timestamp AS TEXT), coalesce(s.working_dir, ''), `+kind+`
		FROM messages m LEFT JOIN sessions s ON s.id = m.session_id WHERE m.id > ? ORDER BY m.id`, out.at.Offset)
	if err != nil {
		return out.at, err
	}
	out.at.Offset = newest
	return out.at, gooseUsage(ctx, db, out)
}

// gooseUsage emits the tokens of each session so far; the larger count wins.
func gooseUsage(ctx context.Context, db *sidefile.File, out *sink) error {
	for _, column := range []string{"accumulated_input_tokens", "accumulated_output_tokens"} {
		if !db.HasColumn(ctx, "sessions", column) {
			return nil
		}
	}
	return db.Each(ctx, func(scan func(...any) error) error {
		var row Row
		var changed string
		if err := scan(&row.Session, &row.Folder, &changed, &row.Tokens.Input, &row.Tokens.Output); err != nil {
			return err
		}
		row.Kind, row.Key, row.At = Usage, "usage "+row.Session, moment(json.RawMessage(strconv.Quote(changed)))
		if !row.At.IsZero() {
			out.put(row)
		}
		return out.err
	}, `SELECT id, coalesce(working_dir, ''), coalesce(CAST(updated_at AS TEXT), ''), coalesce(accumulated_input_tokens, 0), coalesce(accumulated_output_tokens, 0) FROM sessions WHERE coalesce(accumulated_input_tokens, 0) + coalesce(accumulated_output_tokens, 0) > 0`)
}

type gooseState struct{ Session, Folder string }

// lines reads a file of an older release, which begins with the session's own facts.
func (g Goose) lines(ctx context.Context, src Source, from Position, emit func(Row, Position) error) (Position, error) {
	s := resumed(from, gooseState{Session: strings.TrimSuffix(filepath.Base(src.Path), ".jsonl")})
	at, err := readLines(ctx, src, from, emit, noUsage, func(line []byte, out *sink) bool {
		var r struct {
			Folder  string          `json:"working_dir"`
			ID      string          `json:"id"`
			Role    string          `json:"role"`
			Created json.RawMessage `json:"created"`
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(line, &r) != nil {
			return false
		}
		if r.Folder != "" {
			s.Folder = r.Folder
			return true
		}
		row := Row{Session: s.Session, Folder: s.Folder, At: moment(r.Created)}
		if row.At.IsZero() || r.Role == "" {
			return false
		}
		id := r.ID
		if id == "" {
			id = s.Session + " " + row.At.Format(time.RFC3339Nano)
		}
		gooseParts(row, id, r.Role, r.Content, out)
		return true
	})
	return at.with(s), err
}

func gooseParts(row Row, id, role string, content json.RawMessage, out *sink) {
	var parts []json.RawMessage
	if json.Unmarshal(content, &parts) != nil {
		return
	}
	for n, raw := range parts {
		var p goosePart
		if json.Unmarshal(raw, &p) != nil {
			continue
		}
		key := "call " + row.Session + " " + p.ID
		switch p.Type {
		case "text":
			speaks(row, "said "+id+" "+strconv.Itoa(n)+" "+p.Text, role, p.Text, out)
		case "toolRequest":
			called(row, key, p.Call.Value.Name, p.Call.Value.Arguments, out)
		case "toolResponse":
			if text, failed := p.ended(); failed {
				failedWith(row, key, text, out)
			}
		}
	}
}

// ended returns the output of a call that failed.
func (p goosePart) ended() (text string, failed bool) {
	if p.Result.Status == "error" {
		text, _ = asText(p.Result.Error)
		return text, true
	}
	var value struct {
		Error   bool            `json:"isError"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(p.Result.Value, &value) == nil && value.Error {
		text, _ = asText(value.Content)
		return text, true
	}
	return "", false
}
