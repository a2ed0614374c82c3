package sessions

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/text"
)

// Codex reads OpenAI's Codex: sessions/Y/M/D/rollout-TIME-ID.jsonl and archived_sessions.
//
// A session is identified by the id of its first row. A fork of older releases copies its parent's rows, so rows are
// identified by the conversation from which the forks descend. The tokens of an answer are a record with a response's id
// if the release writes those; else the counts that follow each answer, which are repeated with the same totals.
type Codex struct{}

// Client is the name of the client.
func (Codex) Client() string { return "codex" }

// Find lists the rollouts.
func (Codex) Find(home Home, problem func(string, error)) (found []Source) {
	root := home.Env("CODEX_HOME", filepath.Join(home.Dir, ".codex"))
	for _, folder := range []string{"sessions", "archived_sessions"} {
		found = append(found, files(filepath.Join(root, folder), problem, "rollout-*.jsonl", "*/rollout-*.jsonl", "*/*/rollout-*.jsonl", "*/*/*/rollout-*.jsonl")...)
	}
	return found
}

// codexState is what the rows of a rollout up to a place tell a reader about the later ones.
type codexState struct {
	ID      string
	Root    string // the session from which all its forks descend
	Parent  string
	Folder  string
	Branch  string
	Model   string
	Records bool // the release writes a record for each answer

	// Ended is the count at the end of the last read, which was emitted although its record may only have been written since.
	Ended *codexTokens `json:",omitempty"`
	// Counted is the last count, until it is known whether a record follows.
	Counted *codexCount `json:",omitempty"`
}

type codexCount struct {
	Row    Row
	Tokens codexTokens
}

type codexRow struct {
	Time    string          `json:"timestamp"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

type codexTokens struct {
	Input     int64 `json:"input_tokens"`
	Cached    int64 `json:"cached_input_tokens"`
	Output    int64 `json:"output_tokens"`
	Reasoning int64 `json:"reasoning_output_tokens"`
	Total     int64 `json:"total_tokens"`
}

func (t codexTokens) tokens() Tokens {
	cached := min(t.Cached, t.Input) // part of the input
	return Tokens{Input: t.Input - cached, Output: t.Output, CacheRead: cached, Reasoning: t.Reasoning}
}

type codexPayload struct {
	ID     string `json:"id"`
	Folder string `json:"cwd"`
	Fork   string `json:"forked_from_id"`
	Git    struct {
		Branch string `json:"branch"`
	} `json:"git"`
	Model     string          `json:"model"`
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Message   string          `json:"message"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Call      string          `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Action    struct {
		Command []string `json:"command"`
	} `json:"action"`
	Response string       `json:"response_id"`
	Usage    *codexTokens `json:"usage"`
	Info     *struct {
		Total codexTokens  `json:"total_token_usage"`
		Last  *codexTokens `json:"last_token_usage"`
	} `json:"info"`
}

// Read emits the rows of a rollout.
func (c Codex) Read(ctx context.Context, src Source, from Position, emit func(Row, Position) error) (Position, error) {
	s := resumed(from, codexState{})
	release := func(out *sink) {
		if s.Counted != nil && !s.Records {
			out.put(s.Counted.Row)
		}
		if out.err == nil {
			s.Counted = nil
		}
	}
	counts := holds(`"session_meta"`, `"turn_context"`, `"token_usage_record"`, `"token_count"`)
	at, err := readLines(ctx, src, from, emit, counts, func(line []byte, out *sink) bool {
		var r codexRow
		var p codexPayload
		if json.Unmarshal(line, &r) != nil || r.Type == "" || len(r.Payload) == 0 {
			return false
		}
		if json.Unmarshal(r.Payload, &p) != nil {
			return true // a payload with unexpected field types holds none of our fields
		}
		when, err := time.Parse(time.RFC3339Nano, r.Time)
		if err != nil {
			return false
		}
		base := Row{Session: s.ID, Parent: s.Parent, At: when, Folder: s.Folder, Branch: s.Branch, Model: s.Model}
		switch r.Type {
		case "session_meta":
			if s.ID == "" { // a copy of the parent's follows in old forks
				s.ID, s.Parent, s.Folder, s.Branch = p.ID, p.Fork, p.Folder, p.Git.Branch
				s.Root = codexRoot(src.Path, p.ID, p.Fork)
			}
		case "turn_context":
			s.Folder, s.Model = cmp.Or(p.Folder, s.Folder), cmp.Or(p.Model, s.Model)
		case "token_usage_record":
			if p.Usage == nil || p.Response == "" {
				return false
			}
			already := s.Ended != nil && s.Ended.Input == p.Usage.Input && s.Ended.Output == p.Usage.Output
			s.Records, s.Ended, s.Counted = true, nil, nil
			if !already {
				base.Kind, base.Key, base.Tokens = Usage, "response "+p.Response, p.Usage.tokens()
				out.put(base)
			}
		case "compacted":
			base.Kind, base.Text = Summary, p.Message
			base.Key = s.said(r.Time, p.Message)
			if p.Message != "" {
				out.put(base)
			}
		case "event_msg":
			if p.Type != "token_count" || p.Info == nil {
				return true
			}
			release(out)
			if t := p.Info.Last; t != nil && out.err == nil {
				base.Kind, base.Tokens = Usage, t.tokens()
				base.Key = fmt.Sprintf("count %s %v %v", s.Root, p.Info.Total, *t)
				s.Counted, s.Ended = &codexCount{base, *t}, nil
			}
		case "response_item":
			s.item(base, r.Time, p, out)
		}
		return true
	})
	if err == nil && s.Counted != nil && !s.Records && s.Counted.Row.Tokens.possible() {
		if err = emit(s.Counted.Row, at); err == nil {
			s.Ended = &s.Counted.Tokens
		}
	}
	if err == nil {
		s.Counted = nil
	}
	return at.with(s), err
}

// said returns the key of a text. Forks may copy it with another time.
func (s codexState) said(at, text string) string {
	if s.Root != s.ID {
		at = ""
	}
	return "said " + s.Root + " " + at + " " + text
}

func (s codexState) item(row Row, at string, p codexPayload, out *sink) {
	row.Key = "call " + p.Call
	switch p.Type {
	case "message":
		text, _ := asText(p.Content)
		text = strings.TrimSpace(text)
		speaks(row, s.said(at, text), p.Role, text, out)
	case "function_call", "local_shell_call":
		row.Kind, row.Text = Command, codexCommand(p)
		switch {
		case strings.HasPrefix(row.Text, "apply_patch"):
			patched(row, row.Text, out)
		case row.Text != "":
			out.put(row)
		}
	case "custom_tool_call":
		patched(row, p.Input, out)
	case "function_call_output", "custom_tool_call_output":
		row.Kind = Result
		row.Text, row.Failed = codexOutput(p.Output)
		out.put(row)
	}
}

// codexCommand returns the command of a shell call, "" for another tool.
func codexCommand(p codexPayload) string {
	command := p.Action.Command
	var arguments struct {
		Command json.RawMessage `json:"command"`
		Cmd     string          `json:"cmd"`
	}
	if p.Arguments != "" && json.Unmarshal([]byte(p.Arguments), &arguments) == nil {
		var one string
		switch {
		case arguments.Cmd != "":
			return arguments.Cmd
		case json.Unmarshal(arguments.Command, &one) == nil:
			return one
		case json.Unmarshal(arguments.Command, &command) != nil:
			return ""
		}
	}
	return shellLine(command)
}

// patched emits an edit for each file that a patch names.
func patched(row Row, patch string, out *sink) {
	key := row.Key
	for line := range strings.Lines(patch) {
		for _, mark := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "} {
			if path, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), mark); ok {
				row.Kind, row.Text, row.Path, row.Key = Edit, "", path, key+" "+path
				out.put(row)
			}
		}
	}
}

var exitCode = text.Pattern{Expr: `(?m)^(?:Exit code: |Process exited with code |exited )(-?[0-9]+)`}

// codexOutput returns the output of a call that failed.
func codexOutput(raw json.RawMessage) (said string, failed bool) {
	var structured struct {
		Output   string          `json:"output"`
		Content  json.RawMessage `json:"content"`
		Success  *bool           `json:"success"`
		Metadata struct {
			Exit *int `json:"exit_code"`
		} `json:"metadata"`
	}
	said, _ = asText(raw)
	body := raw
	if strings.HasPrefix(said, "{") {
		body = json.RawMessage(said)
	}
	if json.Unmarshal(body, &structured) == nil {
		if structured.Output != "" {
			said = structured.Output
		} else if len(structured.Content) > 0 {
			said, _ = asText(structured.Content)
		}
		if structured.Metadata.Exit != nil {
			return said, *structured.Metadata.Exit != 0
		}
		if structured.Success != nil {
			return said, !*structured.Success
		}
	}
	found := exitCode.Regexp().FindStringSubmatch(said[:min(len(said), 400)])
	return said, found != nil && found[1] != "0"
}

// codexRoot follows forks back to the session from which they descend, by the first rows of the parents' files.
func codexRoot(path, id, parent string) string {
	top := filepath.Dir(path)
	for filepath.Base(top) != "sessions" && filepath.Base(top) != "archived_sessions" && top != filepath.Dir(top) {
		top = filepath.Dir(top)
	}
	top = filepath.Dir(top)
	root := id
	for range 20 {
		if parent == "" || strings.ContainsAny(parent, `*?[]/\`) {
			return root
		}
		root = parent
		parent = ""
		for _, pattern := range []string{"sessions/*/*/*/", "archived_sessions/", "archived_sessions/*/*/*/"} {
			found, _ := filepath.Glob(filepath.Join(top, pattern+"rollout-*-"+root+".jsonl"))
			if len(found) > 0 {
				parent = codexFork(found[0])
				break
			}
		}
	}
	return root
}

// codexFork returns the session that a rollout was forked from, "" for none.
func codexFork(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	l := lines{r: bufio.NewReaderSize(file, lineBuffer)}
	line, _, err := l.next()
	var r struct {
		Payload struct {
			Fork string `json:"forked_from_id"`
		} `json:"payload"`
	}
	if err != nil || json.Unmarshal(line, &r) != nil {
		return ""
	}
	return r.Payload.Fork
}
