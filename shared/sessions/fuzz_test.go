package sessions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

// fuzz checks the promises of a reader on any content: it does not fail, its rows have a key and a time, and reading in two steps has the
// same result as reading in one.
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

func FuzzCopilot(f *testing.F) {
	fuzz(f, sessions.Copilot{}, "a/events.jsonl", `{"type":"session.start","timestamp":"2026-11-20T10:00:00Z","data":{"sessionId":"a","context":{"cwd":"/x"}}}
{"type":"user.message","id":"1","timestamp":"2026-11-20T10:00:01Z","data":{"content":"Ask"}}
{"type":"tool.execution_start","id":"2","timestamp":"2026-11-20T10:00:02Z","data":{"toolCallId":"c","toolName":"apply_patch","arguments":"*** Begin Patch\n*** Add File: a\n"}}
{"type":"tool.execution_complete","id":"3","timestamp":"2026-11-20T10:00:03Z","data":{"toolCallId":"c","success":false,"result":{"content":"no"}}}
`)
}

func FuzzQwen(f *testing.F) {
	fuzz(f, sessions.Qwen{}, "q.jsonl", `{"type":"assistant","timestamp":1763632800,"message":{"parts":[{"text":"a"},{"functionCall":{"id":"c","name":"edit","args":{"file_path":"/a"}}}]},"usageMetadata":{"promptTokenCount":3}}
{"type":"tool_result","timestamp":"2026-11-20T10:00:02Z","message":{"parts":[{"functionResponse":{"id":"c","response":{"error":"no"}}}]}}
`)
}

func FuzzAmp(f *testing.F) {
	fuzz(f, sessions.Amp{}, "T-1.json", `{"id":"T-1","created":1763632800000,"messages":[{"messageId":1,"role":"user","content":"Ask","usage":{"model":"m","inputTokens":1}},7,{"role":"user","content":[{"type":"tool_result","run":{"status":"error","error":{"message":"no"}}}]}],"usageLedger":{"events":[{"toMessageId":1,"tokens":{"input":3}}]}}`)
}

func FuzzCline(f *testing.F) {
	fuzz(f, sessions.Cline{}, "tasks/1763632800000/api_conversation_history.json", `[{"role":"user","content":[{"type":"text","text":"<task>Ask</task>"}]},{"role":"assistant","content":"Say <apply_diff><args><file><path>a.go</path></file></args></apply_diff>"},{"role":"user","content":[{"type":"tool_result","is_error":true,"content":[{"text":"no"}]}]}]`)
}

func FuzzRooUsage(f *testing.F) {
	fuzz(f, sessions.Roo{}, "tasks/a/ui_messages.json", `[{"ts":1763632801000,"say":"api_req_started","text":"{\"tokensIn\":10}"},{"say":"api_req_started","text":"{"}]`)
}

func FuzzGooseLines(f *testing.F) {
	fuzz(f, sessions.Goose{}, "g.jsonl", `{"working_dir":"/x"}
{"role":"user","created":1763632800,"content":[{"type":"text","text":"Ask"}]}
{"role":"assistant","created":1763632801,"content":[{"type":"toolRequest","id":"c","toolCall":{"value":{"name":"developer__shell","arguments":{"command":["bash","-lc","ls"]}}}},{"type":"toolResponse","id":"c","toolResult":{"status":"error","error":"no"}}]}
`)
}

func FuzzCursorTranscript(f *testing.F) {
	fuzz(f, sessions.Cursor{}, "agent-transcripts/a/a.jsonl", `{"role":"user","message":{"content":[{"type":"text","text":"<user_query>Ask</user_query>"}]}}
{"role":"assistant","message":{"content":[{"type":"tool_use","name":"Write","input":{"path":"/a"}}]}}
`)
}

func FuzzVSCodeLog(f *testing.F) {
	fuzz(f, sessions.VSCode{}, "chatSessions/a.jsonl", `{"kind":0,"v":{"sessionId":"a","requests":[]}}
{"kind":2,"k":["requests"],"v":[{"requestId":"r","message":{"text":"Ask"},"response":[{"value":"Said"}]}]}
{"kind":1,"k":["requests",0,"response",1],"v":{"kind":"textEditGroup","uri":{"path":"/a"}}}
{"kind":3,"k":["requests",0]}
{"kind":2,"k":["requests",0,"response"],"i":-1,"v":7}
`)
}

func FuzzVSCodeDocument(f *testing.F) {
	fuzz(f, sessions.VSCode{}, "chatSessions/a.json", `{"sessionId":"a","creationDate":1,"requests":[{"message":"Ask","response":[{"kind":"toolInvocationSerialized","toolSpecificData":{"kind":"terminal","command":"ls","terminalCommandState":{"exitCode":1}}}]}]}`)
}

// FuzzDatabases checks the promises of the readers of databases on any value.
func FuzzDatabases(f *testing.F) {
	f.Add(`{"createdAt":1763632800000,"conversation":[{"type":1,"text":"Old"}]}`, `{"type":2,"text":"Said","createdAt":"x","toolFormerData":{"name":"edit_file","params":"{\"target_file\":\"/a\"}","status":"error"}}`)
	f.Add(`[]`, `[{"type":"text","text":"a"},{"type":"toolRequest","toolCall":{"value":{"name":"shell","arguments":{"command":"ls"}}}}]`)
	f.Add(`{`, `[{"sessionId":"a","requests":[{"message":"Ask"}]}]`)
	f.Fuzz(func(t *testing.T, first, second string) {
		dir := t.TempDir()
		read := func(r sessions.Reader, path string) {
			_, err := r.Read(t.Context(), sessions.Source{Path: path, Mod: time.Unix(1763632800, 0)}, sessions.Position{}, func(row sessions.Row, _ sessions.Position) error {
				if row.Key == "" || row.Kind == 0 || row.At.IsZero() {
					t.Errorf("%+v", row)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		editor := sessionstest.NewDatabase(t, filepath.Join(dir, "state.vscdb"), `CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB); CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)`)
		editor.Run(`INSERT INTO cursorDiskKV VALUES ('composerData:c', ?), ('bubbleId:c:b', ?)`, []byte(first), []byte(second))
		editor.Run(`INSERT INTO ItemTable VALUES ('interactive.sessions', ?)`, []byte(second))
		read(sessions.Cursor{}, filepath.Join(dir, "state.vscdb"))
		read(sessions.VSCode{}, filepath.Join(dir, "state.vscdb"))
		goose := sessionstest.NewDatabase(t, filepath.Join(dir, "sessions.db"), `CREATE TABLE sessions (id TEXT, working_dir TEXT); CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER)`)
		goose.Run(`INSERT INTO messages VALUES (1, NULL, 'g', 'user', ?, 1763632800)`, second)
		read(sessions.Goose{}, filepath.Join(dir, "sessions.db"))
	})
}
