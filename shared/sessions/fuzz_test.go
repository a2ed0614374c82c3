package sessions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

// fuzz holds a reader to its promises whatever a file holds: it does not fail, its rows have a
// key and a time, and what it reads in two steps is what it reads in one.
func fuzz(f *testing.F, r sessions.Reader, name string, seeds ...string) {
	for _, seed := range seeds {
		f.Add(seed, len(seed)/2)
	}
	f.Fuzz(func(t *testing.T, content string, split int) {
		path := filepath.Join(t.TempDir(), name)
		read := func(content string, from sessions.Position, keys map[string]bool) sessions.Position {
			sessionstest.Write(t, path, content)
			at, err := r.Read(t.Context(), sessions.Source{Path: path, Size: int64(len(content))}, from, func(row sessions.Row, _ sessions.Position) error {
				if row.Key == "" || row.Kind == 0 || row.At.IsZero() {
					t.Errorf("%+v", row)
				}
				keys[row.Key] = true
				return nil
			})
			if err != nil || at.Offset < from.Offset || at.Offset > int64(len(content)) {
				t.Fatalf("%+v %v", at, err)
			}
			return at
		}
		whole, parts := map[string]bool{}, map[string]bool{}
		read(content, sessions.Position{}, whole)
		if split < 0 || split > len(content) {
			return
		}
		read(content, read(content[:split], sessions.Position{}, parts), parts)
		for key := range whole {
			if !parts[key] && !strings.HasPrefix(key, "count ") {
				t.Errorf("%q is not read in two steps", key)
			}
		}
	})
}

func FuzzClaude(f *testing.F) {
	c := sessionstest.Claude{Session: "a", Folder: "/x", Branch: "b"}
	fuzz(f, sessions.Claude{}, "a.jsonl", sessionstest.Lines(
		c.User("1", "2026-11-20T10:00:00.000Z", "Ask"), c.Says("2", "2026-11-20T10:00:01.000Z", "m", "Said", 1, 2),
		c.Calls("3", "2026-11-20T10:00:02.000Z", "m", "t", "Edit", sessionstest.Row{"file_path": "/a"}, 1, 2), c.Returns("4", "2026-11-20T10:00:03.000Z", "t", "no", true)),
		`{"type":"user","message":{"content":[{"type":"tool_use","input":7}]},"timestamp":"2026-11-20T10:00:00Z"}`, "{\"type\":\"user\"}\n{")
}

func FuzzCodex(f *testing.F) {
	fuzz(f, sessions.Codex{}, "rollout-1-a.jsonl", `{"timestamp":"2026-11-20T10:00:00Z","type":"session_meta","payload":{"id":"a","cwd":"/x","forked_from_id":"*"}}
{"timestamp":"2026-11-20T10:00:01Z","type":"response_item","payload":{"type":"function_call","call_id":"c","arguments":"{\"command\":[\"bash\",\"-lc\",\"ls\"]}"}}
{"timestamp":"2026-11-20T10:00:02Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"Exit code: 2"}}
{"timestamp":"2026-11-20T10:00:03Z","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":4}}}}
{"timestamp":"2026-11-20T10:00:04Z","type":"token_usage_record","payload":{"response_id":"r","usage":{}}}
`)
}

func FuzzGemini(f *testing.F) {
	fuzz(f, sessions.Gemini{}, "chats/session-a.jsonl", `{"sessionId":"g"}
{"id":"m","timestamp":"2026-11-20T10:00:00Z","type":"gemini","content":"a","tokens":{"input":1},"toolCalls":[{"id":"k","name":"replace","args":{"file_path":"/a"},"status":"error","result":[{}]}]}
{"$set":{"messages":[{"id":"n","timestamp":"2026-11-20T10:00:01Z","type":"user","content":[{"text":"b"}]}]}}
`)
}

func FuzzOpenCode(f *testing.F) {
	f.Add(`{"role":"assistant","time":{"created":1,"completed":2},"tokens":{"cache":{}}}`, `{"type":"tool","callID":"c","state":{"status":"error","input":{"command":"ls"}}}`)
	f.Add(`{"role":"user"}`, `{"type":"text","text":"a"}`)
	f.Fuzz(func(t *testing.T, message, part string) {
		path := filepath.Join(t.TempDir(), "opencode.db")
		db := sessionstest.NewOpenCode(t, path)
		db.Session("s", "", "/x")
		db.Raw("s", "m", message, part)
		_, err := sessions.OpenCode{}.Read(t.Context(), sessions.Source{Path: path}, sessions.Position{}, func(row sessions.Row, _ sessions.Position) error {
			if row.Key == "" || row.Kind == 0 {
				t.Errorf("%+v", row)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+".db", []byte(message), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _ = sessions.OpenCode{}.Read(t.Context(), sessions.Source{Path: path + ".db"}, sessions.Position{}, nil) // not a database: an error, no panic
	})
}
