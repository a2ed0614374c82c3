// Package sessionstest writes files as agents' clients write them, for tests of every module.
package sessionstest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Row is one row of a JSON Lines file.
type Row map[string]any

// With returns the row with some members replaced.
func (r Row) With(members Row) Row {
	out := Row{}
	for k, v := range r {
		out[k] = v
	}
	for k, v := range members {
		out[k] = v
	}
	return out
}

// Lines is a file of rows.
func Lines(rows ...Row) string {
	var b strings.Builder
	for _, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			panic(err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// Write writes a file and the folders above it.
func Write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Claude makes rows of one session of Claude Code.
type Claude struct {
	Session, Folder, Branch string
}

func (c Claude) row(kind, uuid, at string) Row {
	return Row{"type": kind, "uuid": uuid, "sessionId": c.Session, "timestamp": at, "cwd": c.Folder, "gitBranch": c.Branch, "version": "2.1.197", "isSidechain": false}
}

// User returns a person's question.
func (c Claude) User(uuid, at, text string) Row {
	return c.row("user", uuid, at).With(Row{"message": Row{"role": "user", "content": text}})
}

// Says returns a text of an answer; rows with one message id repeat its usage.
func (c Claude) Says(uuid, at, message, text string, in, out int) Row {
	return c.block(uuid, at, message, in, out, Row{"type": "text", "text": text})
}

// Calls returns a tool call within an answer.
func (c Claude) Calls(uuid, at, message, call, tool string, input Row, in, out int) Row {
	return c.block(uuid, at, message, in, out, Row{"type": "tool_use", "id": call, "name": tool, "input": input})
}

func (c Claude) block(uuid, at, message string, in, out int, block Row) Row {
	return c.row("assistant", uuid, at).With(Row{"message": Row{
		"id": message, "role": "assistant", "model": "claude-opus-4-6", "content": []Row{block},
		"usage": Row{"input_tokens": in, "output_tokens": out, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 400,
			"cache_creation": Row{"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20}},
	}})
}

// Returns returns the result of a call.
func (c Claude) Returns(uuid, at, call, text string, failed bool) Row {
	return c.row("user", uuid, at).With(Row{"toolUseResult": "Error: " + text, "message": Row{
		"role": "user", "content": []Row{{"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed}},
	}})
}
