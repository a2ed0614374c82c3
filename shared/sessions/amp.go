package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// Amp reads Amp: threads/T-ID.json, each written whole. The token counts of answers are in a ledger, and the messages split them into cached
// and other tokens. Without a ledger the messages have the counts too.
type Amp struct{}

// Client is the name of the client.
func (Amp) Client() string { return "amp" }

// Find lists the threads.
func (Amp) Find(home Home, problem func(string, error)) []Source {
	root := home.Env("AMP_DATA_DIR", filepath.Join(home.Env("XDG_DATA_HOME", filepath.Join(home.Dir, ".local", "share")), "amp"))
	return whole(files(filepath.Join(root, "threads"), problem, "T-*.json"))
}

type ampThread struct {
	ID      string          `json:"id"`
	Created json.RawMessage `json:"created"`
	Env     struct {
		Initial struct {
			Trees []struct {
				URI        string `json:"uri"`
				Repository struct {
					Ref string `json:"ref"`
				} `json:"repository"`
			} `json:"trees"`
		} `json:"initial"`
	} `json:"env"`
	Messages []json.RawMessage `json:"messages"`
	Ledger   struct {
		Events []ampEvent `json:"events"`
	} `json:"usageLedger"`
}

type ampEvent struct {
	ID     string          `json:"id"`
	Time   json.RawMessage `json:"timestamp"`
	Model  string          `json:"model"`
	To     *int64          `json:"toMessageId"`
	Tokens struct {
		Input  int64 `json:"input"`
		Output int64 `json:"output"`
	} `json:"tokens"`
}

type ampMessage struct {
	ID      int64           `json:"messageId"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Meta    struct {
		Sent json.RawMessage `json:"sentAt"`
	} `json:"meta"`
	Usage *struct {
		Time          json.RawMessage `json:"timestamp"`
		Model         string          `json:"model"`
		Input         int64           `json:"inputTokens"`
		Output        int64           `json:"outputTokens"`
		CacheRead     int64           `json:"cacheReadInputTokens"`
		CacheCreation int64           `json:"cacheCreationInputTokens"`
	} `json:"usage"`
}

// Read emits the rows of a thread.
func (a Amp) Read(_ context.Context, src Source, from Position, emit func(Row, Position) error) (Position, error) {
	data, err := readWhole(src.Path)
	if err != nil {
		return from, err
	}
	from.Offset = int64(len(data))
	var t ampThread
	if json.Unmarshal(data, &t) != nil || len(t.Messages) == 0 {
		from.Passed++
		return from, nil
	}
	t.ID = cmp.Or(t.ID, strings.TrimSuffix(filepath.Base(src.Path), ".json"))
	row := Row{Session: t.ID, At: cmp.Or(moment(t.Created), src.Mod, time.Unix(1, 0))}
	if trees := t.Env.Initial.Trees; len(trees) > 0 {
		row.Folder, row.Branch = local(trees[0].URI), strings.TrimPrefix(trees[0].Repository.Ref, "refs/heads/")
	}
	caches, out := map[int64]ampMessage{}, &sink{emit: emit, at: from}
	for i, raw := range t.Messages {
		var m ampMessage
		if json.Unmarshal(raw, &m) != nil {
			out.at.Passed++
			continue
		}
		m.ID = cmp.Or(m.ID, int64(i))
		caches[m.ID] = m
		m.rows(&row, len(t.Ledger.Events) > 0, out)
	}
	for i, e := range t.Ledger.Events {
		use := row
		use.At = cmp.Or(moment(e.Time), row.At)
		use.Kind, use.Model, use.Key = Usage, e.Model, "usage "+t.ID+" "+e.ID
		if e.ID == "" {
			use.Key = fmt.Sprintf("usage %s %d", t.ID, i)
		}
		use.Tokens = Tokens{Input: e.Tokens.Input, Output: e.Tokens.Output}
		if e.To != nil && caches[*e.To].Usage != nil {
			u := caches[*e.To].Usage
			use.Tokens.CacheRead, use.Tokens.Cache5m = u.CacheRead, u.CacheCreation
		}
		out.put(use)
	}
	return out.at, out.err
}

// rows emits a message. row holds the time of the message before. A message has its own time if the client keeps one; otherwise it is dated
// a moment later, so that messages stay in order.
func (m *ampMessage) rows(row *Row, ledger bool, out *sink) {
	at := moment(m.Meta.Sent)
	if m.Usage != nil {
		at = moment(m.Usage.Time)
	}
	row.At = cmp.Or(at, row.At.Add(time.Millisecond))
	r := *row
	if u := m.Usage; u != nil {
		r.Model = u.Model
		if use := r; !ledger {
			use.Kind, use.Key = Usage, fmt.Sprintf("usage %s %d", r.Session, m.ID)
			use.Tokens = Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, Cache5m: u.CacheCreation}
			out.put(use)
		}
	}
	for _, b := range blocks(m.Content) {
		switch b.Type {
		case "text":
			speaks(r, fmt.Sprintf("said %s %d %s", r.Session, m.ID, b.Text), m.Role, b.Text, out)
		case "tool_use":
			called(r, "call "+r.Session+" "+b.ID, b.Name, b.Input, out)
		case "tool_result":
			if text, failed := b.ended(); failed {
				failedWith(r, "call "+r.Session+" "+b.Call+b.Call2, text, out)
			}
		}
	}
}

// ended returns the output of a call that failed.
func (b block) ended() (text string, failed bool) {
	if b.Run == nil {
		text, _ = asText(b.Content)
		return text, b.Error
	}
	var result struct {
		Exit   *int   `json:"exitCode"`
		Output string `json:"output"`
	}
	if b.Run.Status == "error" {
		var said struct {
			Message string `json:"message"`
		}
		if text, _ = asText(b.Run.Error); text == "" && json.Unmarshal(b.Run.Error, &said) == nil {
			text = said.Message
		}
		return text, true
	}
	if json.Unmarshal(b.Run.Result, &result) == nil && result.Exit != nil && *result.Exit != 0 {
		return result.Output, true
	}
	return "", false
}
