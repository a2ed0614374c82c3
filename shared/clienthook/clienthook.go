// Package clienthook holds what the hooks of all agent clients have in common: the JSON that a client writes to a hook's standard input,
// and the JSON with which a hook adds to the conversation. A hook must never fail its client and never hold it up: Listen and Within bound
// its cost.
package clienthook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/agent/seat"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// maxInput bounds the input from a client, in bytes.
const maxInput = 1 << 20

// Event is the input from a client. Claude Code, Codex and Gemini CLI send the first fields, Cursor the next two, Codex's notify the last
// two.
type Event struct {
	SessionID string    `json:"session_id"`
	Cwd       string    `json:"cwd"`
	Name      string    `json:"hook_event_name"`
	Reason    string    `json:"reason"`
	Source    string    `json:"source"` // of a session's start
	Tool      string    `json:"tool_name"`
	Input     toolInput `json:"tool_input"`
	Kind      string    `json:"notification_type"`
	Message   string    `json:"message"` // of a notification

	ConversationID string   `json:"conversation_id"`
	Workspaces     []string `json:"workspace_roots"`

	Type     string `json:"type"`
	ThreadID string `json:"thread-id"`
}

// toolInput holds the arguments of a tool call, as far as they are of use here.
type toolInput struct {
	files    []string
	command  string
	url      string
	question string
	digest   string // of the whole input
}

// UnmarshalJSON takes any shape: a tool without files is not a mistake.
func (in *toolInput) UnmarshalJSON(data []byte) error {
	var said struct {
		FilePath     string `json:"file_path"`
		FilePathJS   string `json:"filePath"`
		NotebookPath string `json:"notebook_path"`
		Path         string `json:"path"`
		Command      any    `json:"command"`
		Patch        string `json:"input"`
		URL          string `json:"url"`
		Question     string `json:"question"`
		Questions    []struct {
			Question string `json:"question"`
		} `json:"questions"`
	}
	in.digest = digest(data)
	if json.Unmarshal(data, &said) != nil {
		return nil
	}
	in.url, in.question = said.URL, said.Question
	if len(said.Questions) > 0 {
		in.question = said.Questions[0].Question
	}
	in.command = commandLine(said.Command)
	if path := cmp.Or(said.FilePath, said.FilePathJS, said.NotebookPath, said.Path); path != "" {
		in.files = []string{path}
		return nil
	}
	in.files = patched(said.Patch)
	switch command := said.Command.(type) {
	case string:
		in.files = append(in.files, patched(command)...)
	case []any:
		for _, word := range command {
			text, _ := word.(string)
			in.files = append(in.files, patched(text)...)
		}
	}
	return nil
}

// patched are the files that a patch of Codex's apply_patch tool changes.
func patched(patch string) (files []string) {
	for line := range strings.Lines(patch) {
		for _, mark := range []string{"*** Update File: ", "*** Delete File: ", "*** Add File: ", "*** Move to: "} {
			if file, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), mark); ok {
				files = append(files, strings.TrimSpace(file))
			}
		}
	}
	return files
}

// Conversation returns a short name for the client's conversation, or "" when the client named none.
func (e Event) Conversation() string {
	if e.SessionID == "" {
		return ""
	}
	return digest([]byte(e.SessionID))
}

// digest returns a short hash that names a longer text.
func digest(of []byte) string {
	sum := sha256.Sum256(of)
	return hex.EncodeToString(sum[:8])
}

// Seat returns the client of the event. An agent without a name takes the name of the client's seat.
func (e Event) Seat(client string) seat.Client {
	const longest = 200
	return seat.Client{Name: client, Conversation: text.Visible(e.SessionID, longest), Process: seat.Starter()}
}

// gitCommit matches a git commit among the commands of a line.
var gitCommit = text.Pattern{Expr: `\bgit\b[^;&|\n]*\bcommit\b`}

// Commits reports whether the tool is a command that commits.
func (e Event) Commits() bool { return gitCommit.Regexp().MatchString(e.Input.command) }

// Files returns the absolute paths of the files that the tool is about to change, or has changed.
func (e Event) Files() (files []string) {
	for _, file := range e.Input.files {
		if !filepath.IsAbs(file) {
			file = filepath.Join(e.Cwd, file)
		}
		files = append(files, file)
	}
	return files
}

// Listen reads the input from the client, and waits for it no longer than limit. Missing or malformed input is not an error, because the
// folder alone is enough. Cwd is dir when the client names no folder.
func Listen(ctx context.Context, s *term.Streams, dir string, limit time.Duration) Event {
	return Parse(Input(ctx, s, limit)).At(dir)
}

// Input returns what a client writes to standard input, nil when nothing comes within limit or a person would have to type it.
func Input(ctx context.Context, s *term.Streams, limit time.Duration) []byte {
	if s.InTTY {
		return nil
	}
	all := make(chan []byte, 1)
	go func() { // a client may leave the pipe open; the process ends before the read does
		read, _ := io.ReadAll(io.LimitReader(s.In, maxInput))
		all <- read
	}()
	select {
	case read := <-all:
		return read
	case <-time.After(limit):
	case <-ctx.Done():
	}
	return nil
}

// Parse reads the input from a client. When the document is cut off or malformed, the members before the fault count.
func Parse(said []byte) (e Event) {
	if json.Unmarshal(said, &e) != nil {
		e = Event{}
		_ = json.Unmarshal(whole(said), &e)
	}
	e.SessionID = cmp.Or(e.SessionID, e.ConversationID, e.ThreadID)
	if e.Cwd == "" && len(e.Workspaces) > 0 {
		e.Cwd = e.Workspaces[0]
	}
	return e
}

// At returns the event with dir as its folder if the client named none.
func (e Event) At(dir string) Event {
	if !filepath.IsAbs(e.Cwd) {
		e.Cwd = dir
	}
	return e
}

// whole returns the object at the beginning of a broken document, with the members that are complete and of the type that Event has.
func whole(broken []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(broken))
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	members := map[string]json.RawMessage{}
	for dec.More() {
		name, err := dec.Token()
		var value json.RawMessage
		key, isText := name.(string)
		if err != nil || !isText || dec.Decode(&value) != nil {
			break
		}
		one, _ := json.Marshal(map[string]json.RawMessage{key: value})
		if json.Unmarshal(one, &Event{}) == nil {
			members[key] = value
		}
	}
	object, _ := json.Marshal(members)
	return object
}

// Answer returns the line that puts a text into the conversation. moment is the event's name for clients that did not send one.
func (e Event) Answer(moment, text string) ([]byte, error) {
	said := map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": cmp.Or(e.Name, moment), "additionalContext": text}}
	if e.ConversationID != "" { // Cursor
		said = map[string]any{"additional_context": text}
	}
	line, err := json.Marshal(said)
	return append(line, '\n'), err
}

// Within runs fn and waits no longer than limit, even when fn is stuck in a call that cannot be cancelled: the process ends next.
func Within(ctx context.Context, limit time.Duration, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("it has a fault of its own: %v", p)
			}
		}()
		done <- fn(ctx)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("it took longer than %s", limit)
	}
}
