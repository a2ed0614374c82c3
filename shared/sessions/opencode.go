package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/registry/sidefile"
)

// OpenCode reads opencode's databases, opencode*.db: the tables session, message and part, and
// no other. A fork copies messages with new ids, so rows are known by their times and texts,
// calls by their own id. Messages and parts change while they are written; only those that are
// finished are read, by the time of their last change.
type OpenCode struct{}

// Client is the name of the client.
func (OpenCode) Client() string { return "opencode" }

// Find lists the databases.
func (OpenCode) Find(home Home, problem func(string, error)) (found []Source) {
	root := filepath.Join(home.Env("XDG_DATA_HOME", filepath.Join(home.Dir, ".local", "share")), "opencode")
	return logged(files(root, problem, "opencode*.db"))
}

type openCodeMessage struct {
	Role  string `json:"role"`
	Model string `json:"modelID"`
	Time  struct {
		Created   int64 `json:"created"`
		Completed int64 `json:"completed"`
	} `json:"time"`
	Path struct {
		Folder string `json:"cwd"`
	} `json:"path"`
	Cost   float64 `json:"cost"`
	Tokens *struct {
		Input     int64 `json:"input"`
		Output    int64 `json:"output"`
		Reasoning int64 `json:"reasoning"`
		Cache     struct {
			Read  int64 `json:"read"`
			Write int64 `json:"write"`
		} `json:"cache"`
	} `json:"tokens"`
	Summary json.RawMessage `json:"summary"`
}

type openCodePart struct {
	Type      string   `json:"type"`
	Text      string   `json:"text"`
	Synthetic bool     `json:"synthetic"`
	Call      string   `json:"callID"`
	Tool      string   `json:"tool"`
	Files     []string `json:"files"`
	State     struct {
		Status string `json:"status"`
		Input  struct {
			Command string `json:"command"`
			Path    string `json:"filePath"`
		} `json:"input"`
		Error    string `json:"error"`
		Output   string `json:"output"`
		Metadata struct {
			Exit *int `json:"exit"`
		} `json:"metadata"`
	} `json:"state"`
}

// Read emits the rows that changed since the position, whose offset is a time in milliseconds.
func (o OpenCode) Read(ctx context.Context, src Source, from Position, emit func(Row, Position) error) (Position, error) {
	db, err := sidefile.Foreign(ctx, src.Path)
	if err != nil {
		return from, err
	}
	defer db.Close()
	var newest int64
	if err := db.Get(ctx, `SELECT coalesce(max(time_updated), 0) FROM message`, nil, &newest); err != nil {
		return from, err
	}
	if newest < from.Offset {
		from.Offset = 0 // another database replaced it
	}
	at, out := from, &sink{emit: emit, at: from}
	for _, table := range []struct {
		query string
		texts bool
		emit  func(row Row, m openCodeMessage, data, id string, out *sink)
	}{
		{`SELECT m.session_id, coalesce(s.parent_id, ''), s.directory, m.time_updated, m.data, m.data, m.id FROM message m JOIN session s ON s.id = m.session_id WHERE m.time_updated >= ? ORDER BY m.time_updated, m.id`, false, openCodeUsage},
		{`SELECT p.session_id, coalesce(s.parent_id, ''), s.directory, p.time_updated, m.data, p.data, p.id FROM part p JOIN message m ON m.id = p.message_id JOIN session s ON s.id = p.session_id WHERE max(p.time_updated, m.time_updated) >= ? ORDER BY p.time_updated, p.id`, true, openCodeRows},
	} {
		if table.texts && src.UsageOnly {
			continue
		}
		err := db.Each(ctx, func(scan func(...any) error) error {
			var row Row
			var changed int64
			var message, data, id string
			if err := scan(&row.Session, &row.Parent, &row.Folder, &changed, &message, &data, &id); err != nil {
				return err
			}
			var m openCodeMessage
			if json.Unmarshal([]byte(message), &m) != nil {
				at.Passed++
				return nil
			}
			if m.Role == "assistant" && m.Time.Completed == 0 {
				return nil // it is being written
			}
			row.Folder = cmp.Or(m.Path.Folder, row.Folder)
			row.At, row.Model, row.Agent = time.UnixMilli(m.Time.Created), m.Model, row.Parent != ""
			table.emit(row, m, data, id, out)
			return out.err
		}, table.query, from.Offset)
		if err != nil {
			return from, err
		}
	}
	at.Offset = newest
	return at, nil
}

// made returns when a message was made and finished, which a fork copies.
func (m openCodeMessage) made() string {
	return strconv.FormatInt(m.Time.Created, 10) + " " + strconv.FormatInt(m.Time.Completed, 10)
}

func openCodeUsage(row Row, m openCodeMessage, _, _ string, out *sink) {
	if t := m.Tokens; t != nil && m.Role == "assistant" {
		row.Kind, row.Key = Usage, "usage "+m.made()+" "+m.Model
		row.Tokens = Tokens{Input: t.Input, Output: t.Output + t.Reasoning, CacheRead: t.Cache.Read, Cache5m: t.Cache.Write, Reasoning: t.Reasoning, Cost: m.Cost}
		out.put(row)
	}
}

func openCodeRows(row Row, m openCodeMessage, data, _ string, out *sink) {
	var p openCodePart
	if json.Unmarshal([]byte(data), &p) != nil {
		return
	}
	switch p.Type {
	case "text":
		row.Text = strings.TrimSpace(p.Text)
		row.Key = "said " + m.made() + " " + row.Text
		switch {
		case p.Synthetic || row.Text == "" || generated(row.Text):
			return
		case string(m.Summary) == "true":
			row.Kind = Summary
		case m.Role == "user":
			row.Kind = Prompt
		default:
			row.Kind = Answer
		}
		out.put(row)
	case "patch":
		for _, path := range p.Files {
			row.Kind, row.Path, row.Key = Edit, path, "patch "+m.made()+" "+path
			out.put(row)
		}
	case "tool":
		p.tool(row, out)
	}
}

func (p openCodePart) tool(row Row, out *sink) {
	if p.State.Status != "completed" && p.State.Status != "error" || p.State.Input.Command == "" {
		return // edits are in patches
	}
	row.Kind, row.Key, row.Text = Command, "call "+p.Call, p.State.Input.Command
	out.put(row)
	if exit := p.State.Metadata.Exit; p.State.Status == "error" || exit != nil && *exit != 0 {
		failedWith(row, row.Key, cmp.Or(p.State.Error, p.State.Output), out)
	}
}
