package index

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

// where returns the sessions with their folders, their parents in the lineage and whether subagents made their entries.
func (h *home) where() string {
	h.t.Helper()
	var all []string
	err := h.x.file.Each(h.t.Context(), func(scan func(...any) error) error {
		var client, name, folder, branch string
		err := scan(&client, &name, &folder, &branch)
		all = append(all, strings.TrimSpace(client+" "+name+" "+folder+" "+branch))
		return err
	}, `SELECT DISTINCT s.client, s.name, p.folder, e.branch FROM entries e JOIN transcripts s ON s.id = e.session JOIN places p ON p.id = e.place ORDER BY s.client, s.name, p.folder, e.branch`)
	if err != nil {
		h.t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

// check compares the content of the index.
func (h *home) check(what, entries, tokens, where string) {
	h.t.Helper()
	if diff := cmp.Diff(strings.TrimSpace(entries), h.entries()); diff != "" {
		h.t.Errorf("%s: entries: %s", what, diff)
	}
	if diff := cmp.Diff(strings.TrimSpace(where), h.where()); diff != "" {
		h.t.Errorf("%s: where: %s", what, diff)
	}
	if diff := cmp.Diff(tokens, h.tokens()); diff != "" {
		h.t.Errorf("%s: tokens: %s", what, diff)
	}
	var troubles string
	h.get(`SELECT coalesce(group_concat(path || ': ' || problem), '') FROM files WHERE problem <> ''`, &troubles)
	if troubles != "" {
		h.t.Errorf("%s: %s", what, troubles)
	}
}

const noTokens = "0 in, 0 out, 0 read, 0+0 written by "

func copilotEvent(id, at, kind string, data row) row {
	return row{"type": kind, "id": id, "timestamp": "2026-11-20T10:00:" + at + "Z", "parentId": nil, "data": data}
}

func copilotTalk() []row {
	return []row{
		copilotEvent("1", "00.000", "session.start", row{"sessionId": "cp1", "selectedModel": "gpt-6", "context": row{"cwd": "/x/app", "branch": "main"}}),
		copilotEvent("2", "01.000", "user.message", row{"content": "Fix the login"}),
		copilotEvent("3", "02.000", "assistant.message", row{"messageId": "m", "content": "", "toolRequests": []row{{"toolCallId": "c1", "name": "bash"}}}),
		copilotEvent("4", "03.000", "tool.execution_start", row{"toolCallId": "c1", "toolName": "bash", "arguments": row{"command": "go test ./..."}}),
		copilotEvent("5", "04.000", "tool.execution_complete", row{"toolCallId": "c1", "success": false, "error": row{"message": "FAIL login"}}),
		copilotEvent("6", "05.000", "tool.execution_start", row{"toolCallId": "c2", "toolName": "edit", "arguments": row{"path": "login.go", "old_str": "a", "new_str": "b"}}),
		copilotEvent("7", "05.500", "tool.execution_start", row{"toolCallId": "c3", "toolName": "view", "arguments": row{"path": "other.go"}}),
		copilotEvent("8", "06.000", "session.context_changed", row{"cwd": "/x/app/tree", "branch": "fix"}),
		copilotEvent("9", "07.000", "assistant.message", row{"messageId": "m2", "content": "Fixed it"}),
	}
}

const loginTalk = `prompt Fix the login
command! go test ./...
error! FAIL login
edit /x/app/login.go
answer Fixed it`

func TestCopilot(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const path = ".copilot/session-state/folder/events.jsonl"
	all := copilotTalk()
	h.write(path, sessionstest.Lines(all[:4]...)+`{"type":"tool.exec`) // torn
	h.update()
	h.write(path, sessionstest.Lines(all...))
	h.update()
	const where = "copilot cp1 /x/app main\ncopilot cp1 /x/app/tree fix"
	h.check("in two steps", loginTalk, noTokens, where)
	h.write(".copilot/session-state/cp1.jsonl", sessionstest.Lines(all...)) // an older release's file of the same session
	h.update()
	h.check("its copy", loginTalk, noTokens, where)
}

func TestVSCodeTranscripts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const storage = ".config/Code/User/workspaceStorage/abc/"
	h.write(storage+"workspace.json", `{"folder":"file:///x/my%20app"}`)
	talk := copilotTalk()
	talk[0] = copilotEvent("1", "00.000", "session.start", row{"sessionId": "vs1", "producer": "copilot-chat"})
	h.write(storage+"GitHub.copilot-chat/transcripts/vs1.jsonl", sessionstest.Lines(append(talk[:7:7], talk[8])...))
	h.update()
	h.check("a transcript", strings.Replace(loginTalk, "/x/app/", "/x/my app/", 1), noTokens, "vscode vs1 /x/my app")
}

func vscodeRequest(id string, at int, response ...any) row {
	return row{"requestId": id, "timestamp": at, "modelId": "copilot/gpt-6", "message": row{"text": "Ask " + id, "parts": []row{}}, "response": response}
}

func TestVSCodeChats(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const storage = ".config/Code/User/workspaceStorage/abc/"
	h.write(storage+"workspace.json", `{"folder":"file:///x/app"}`)
	response := []any{
		row{"value": "I look. "}, row{"kind": "thinking", "value": "hidden"},
		row{"kind": "toolInvocationSerialized", "toolCallId": "t1", "toolSpecificData": row{"kind": "terminal", "commandLine": row{"original": "make", "toolEdited": "make -j"},
			"terminalCommandState": row{"exitCode": 2}, "terminalCommandOutput": row{"text": "no rule"}}},
		row{"kind": "textEditGroup", "uri": row{"scheme": "file", "path": "/x/app/a.go", "fsPath": "/x/app/a.go"}, "edits": []any{}},
		row{"kind": "textEditGroup", "uri": row{"scheme": "untitled", "path": "Untitled-1"}},
		row{"kind": "markdownContent", "content": row{"value": "Done."}},
	}
	first := vscodeRequest("r1", 1763632800000, response...)
	const chat = `prompt Ask r1
command! make -j
error! no rule
edit /x/app/a.go
answer I look. Done.`
	h.write(storage+"chatSessions/s1.json", sessionstest.Lines(row{"version": 3, "sessionId": "s1", "creationDate": 1763632700000, "requests": []row{first}}))
	h.update()
	h.check("a document", chat, noTokens, "vscode s1 /x/app")

	// The log of changes replaces the document, which results from it.
	log := []row{
		{"kind": 0, "v": row{"sessionId": "s1", "creationDate": 1763632700000, "inputState": row{"a": 1}, "requests": []row{vscodeRequest("r1", 1763632800000)}}},
		{"kind": 2, "k": []any{"requests", 0, "response"}, "v": []any{row{"value": "I lo"}}},
		{"kind": 1, "k": []any{"inputState", "inputText"}, "v": "typed"},
		{"kind": 2, "k": []any{"requests", 0, "response"}, "i": 0, "v": response},
		{"kind": 2, "k": []any{"requests"}, "v": []row{vscodeRequest("r2", 1763632900000)}},
		{"kind": 1, "k": []any{"requests", 1, "result"}, "v": row{"errorDetails": row{"message": "too long"}}},
		{"kind": 3, "k": []any{"requests", 0, "modelId"}},
		{"kind": 1, "k": []any{"requests", 90, "modelId"}, "v": "x"}, // leads nowhere
	}
	h.write(storage+"chatSessions/s1.jsonl", sessionstest.Lines(log...)+"{\"kind\":1,\"k\":[\"reque")
	h.update()
	h.check("a log", chat+"\nprompt Ask r2\nerror! too long", noTokens, "vscode s1 /x/app")
	h.write(".config/Code/User/globalStorage/emptyWindowChatSessions/e1.json", `{"sessionId":"e1","creationDate":1763600000000,"requests":[{"message":"Without a window","response":[]}]}`)
	h.update()
	h.check("without a folder", "prompt Without a window\n"+chat+"\nprompt Ask r2\nerror! too long", noTokens, "vscode e1\nvscode s1 /x/app")
}

func TestVSCodeDatabases(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const storage = ".config/VSCodium/User/workspaceStorage/abc/"
	h.write(storage+"workspace.json", `{"folder":"file:///x/app"}`)
	db := sessionstest.NewDatabase(t, h.path(storage+"state.vscdb"), `CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`)
	db.Run(`INSERT INTO ItemTable VALUES ('secret://token', 'never')`)
	h.update()
	h.check("without chats", "", noTokens, "")
	db.Run(`INSERT INTO ItemTable VALUES ('interactive.sessions', ?)`, []byte(`[{"sessionId":"o1","creationDate":1700000000000,"requests":[{"message":{"text":"Old"},"response":[{"value":"Answer"}]}]}]`))
	h.update()
	h.check("an old database", "prompt Old\nanswer Answer", noTokens, "vscode o1 /x/app")
	h.write(storage+"chatSessions/o1.json", `{"sessionId":"o1","creationDate":1700000000000,"requests":[{"message":{"text":"Old"},"response":[]}]}`)
	h.update()
	h.check("taken over", "prompt Old", noTokens, "vscode o1 /x/app")
}

func TestQwen(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	base := func(id, at, kind string, more row) row {
		return row{"type": kind, "uuid": id, "sessionId": "q1", "timestamp": "2026-11-20T10:00:" + at + "Z", "cwd": "/x/app", "gitBranch": "main"}.With(more)
	}
	parts := func(all ...row) row { return row{"message": row{"role": "x", "parts": all}} }
	h.write(".qwen/projects/-x-app/chats/q1.jsonl", sessionstest.Lines(
		base("1", "01.000", "user", parts(row{"text": "Fix the login"})),
		base("2", "02.000", "assistant", parts(row{"text": "hidden", "thought": true}, row{"functionCall": row{"id": "c1", "name": "run_shell_command", "args": row{"command": "go test ./..."}}}).
			With(row{"model": "qwen3", "usageMetadata": row{"promptTokenCount": 100, "cachedContentTokenCount": 40, "candidatesTokenCount": 7, "thoughtsTokenCount": 2}})),
		base("3", "03.000", "tool_result", parts(row{"functionResponse": row{"id": "c1", "response": row{"error": "FAIL login"}}}).
			With(row{"toolCallResult": row{"callId": "c1", "status": "error", "resultDisplay": "FAIL login"}})),
		base("4", "04.000", "assistant", parts(row{"functionCall": row{"id": "c2", "name": "edit", "args": row{"file_path": "login.go"}}})),
		base("5", "05.000", "system", row{"subtype": "ui_telemetry"}),
		base("6", "06.000", "assistant", parts(row{"text": "Fixed it"}))))
	h.write(".qwen/projects/-x-app/other.jsonl", "{}")
	h.update()
	h.check("a chat", loginTalk, "60 in, 9 out, 40 read, 0+0 written by qwen3", "qwen q1 /x/app main")
}

func TestAmp(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	message := func(id int, role string, content []row, more row) row {
		return row{"role": role, "messageId": id, "content": content}.With(more)
	}
	thread := row{"v": 3, "id": "T-1", "created": 1763632800000, "env": row{"initial": row{"trees": []row{{"uri": "file:///x/app", "repository": row{"ref": "refs/heads/main"}}}}},
		"messages": []row{
			message(0, "user", []row{{"type": "text", "text": "Fix the login"}}, row{"meta": row{"sentAt": 1763632801000}}),
			message(1, "assistant", []row{{"type": "thinking", "thinking": "hidden"}, {"type": "tool_use", "id": "c1", "name": "Bash", "input": row{"cmd": "go test ./..."}}},
				row{"usage": row{"model": "claude-opus", "inputTokens": 10, "outputTokens": 5, "cacheReadInputTokens": 30, "cacheCreationInputTokens": 20, "timestamp": "2025-11-20T10:00:02.000Z"}}),
			message(2, "user", []row{{"type": "tool_result", "toolUseID": "c1", "run": row{"status": "done", "result": row{"output": "FAIL login", "exitCode": 1}}}}, row{}),
			message(3, "assistant", []row{{"type": "tool_use", "id": "c2", "name": "edit_file", "input": row{"path": "/x/app/login.go"}}, {"type": "text", "text": "Fixed it"}}, row{}),
		}}
	h.write(".local/share/amp/threads/T-1.json", sessionstest.Lines(thread))
	h.update()
	h.check("a thread", loginTalk, "10 in, 5 out, 30 read, 20+0 written by claude-opus", "amp T-1 /x/app main")
	thread["usageLedger"] = row{"events": []row{{"id": "e1", "timestamp": "2025-11-20T10:00:02.000Z", "model": "claude-opus", "tokens": row{"input": 11, "output": 6}, "toMessageId": 1},
		{"id": "e2", "timestamp": "2025-11-20T10:00:03.000Z", "model": "claude-haiku", "tokens": row{"input": 100, "output": 1}}}}
	h.write(".local/share/amp/threads/T-1.json", sessionstest.Lines(thread))
	h.update()
	h.check("with a ledger", loginTalk, "111 in, 7 out, 30 read, 20+0 written by claude-haiku,claude-opus", "amp T-1 /x/app main")
	h.write(".local/share/amp/threads/T-1.json", `{"id":"T-1","messages":[`) // torn while it is written
	h.update()
	h.check("torn", "", noTokens, "")
}

func TestGoose(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	db := sessionstest.NewDatabase(t, h.path(".local/share/goose/sessions/sessions.db"), `
CREATE TABLE sessions (id TEXT PRIMARY KEY, description TEXT, session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL, updated_at TIMESTAMP, accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL, role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL)`)
	db.Run(`INSERT INTO sessions VALUES ('g1', '', 'user', '/x/app', '2026-11-20 10:00:09', 90, 12)`)
	say := func(id int, role string, parts ...row) {
		content := strings.TrimSpace(sessionstest.Lines(row{"c": parts}))
		db.Run(`INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp) VALUES (?, 'g1', ?, ?, ?)`, fmt.Sprint("m", id), role, strings.TrimSuffix(strings.TrimPrefix(content, `{"c":`), "}"), 1763632800+id)
	}
	say(1, "user", row{"type": "text", "text": "Fix the login"})
	say(2, "assistant", row{"type": "toolRequest", "id": "c1", "toolCall": row{"status": "success", "value": row{"name": "developer__shell", "arguments": row{"command": "go test ./..."}}}})
	say(3, "user", row{"type": "toolResponse", "id": "c1", "toolResult": row{"status": "success", "value": row{"isError": true, "content": []row{{"type": "text", "text": "FAIL login"}}}}})
	h.update()
	h.check("so far", "prompt Fix the login\ncommand! go test ./...\nerror! FAIL login", "90 in, 12 out, 0 read, 0+0 written by ", "goose g1 /x/app")
	say(4, "assistant", row{"type": "toolRequest", "id": "c2", "toolCall": row{"value": row{"name": "developer__text_editor", "arguments": row{"command": "str_replace", "path": "login.go"}}}},
		row{"type": "toolRequest", "id": "c3", "toolCall": row{"value": row{"name": "developer__text_editor", "arguments": row{"command": "view", "path": "seen.go"}}}})
	say(5, "assistant", row{"type": "text", "text": "Fixed it"})
	db.Run(`UPDATE sessions SET accumulated_input_tokens = 200`)
	h.update()
	h.check("further on", loginTalk, "200 in, 12 out, 0 read, 0+0 written by ", "goose g1 /x/app")

	h.write(".local/share/goose/sessions/old.jsonl", sessionstest.Lines(row{"working_dir": "/x/old", "description": "d"},
		row{"role": "user", "created": 1700000000, "content": []row{{"type": "text", "text": "Long ago"}}}))
	h.update()
	h.check("an older file", "prompt Long ago\n"+loginTalk, "200 in, 12 out, 0 read, 0+0 written by ", "goose g1 /x/app\ngoose old /x/old")
}

func TestClineAndRoo(t *testing.T) {
	t.Parallel()
	modern := func(h *home) {
		const dir = ".cline/data/sessions/s1/"
		h.write(dir+"s1.json", `{"session_id":"s1","cwd":"/x/app","model":"m1"}`)
		h.write(dir+"s1.messages.json", sessionstest.Lines(row{"version": 1, "agent": "lead", "sessionId": "s1", "messages": []row{
			{"id": "1", "role": "user", "ts": 1763632800000, "content": "Fix the login"},
			{"id": "2", "role": "assistant", "ts": 1763632801000, "content": []row{{"type": "tool_use", "id": "c1", "name": "execute_command", "input": row{"command": "go test ./..."}}},
				"metrics": row{"inputTokens": 10, "outputTokens": 5, "cacheReadTokens": 4, "cacheWriteTokens": 3, "cost": 0.5}},
			{"id": "3", "role": "user", "ts": 1763632802000, "content": []row{{"type": "tool_result", "tool_use_id": "c1", "is_error": true, "content": "FAIL login"}}},
			{"id": "4", "role": "assistant", "ts": 1763632803000, "content": []row{{"type": "tool_use", "id": "c2", "name": "replace_in_file", "input": row{"path": "login.go"}}, {"type": "text", "text": "Fixed it"}}},
		}}))
	}
	task := func(h *home, dir string) {
		h.write(dir+"/api_conversation_history.json", `[
{"role":"user","content":[{"type":"text","text":"<task>\nFix the login\n</task>"},{"type":"text","text":"<environment_details>\n# Files"}]},
{"role":"assistant","content":[{"type":"text","text":"<execute_command>\n<command>go test ./...</command>\n</execute_command>"}]},
{"role":"user","content":[{"type":"text","text":"[execute_command for 'go test'] Result:"},{"type":"text","text":"FAIL"}]},
{"role":"assistant","content":[{"type":"text","text":"<replace_in_file>\n<path>login.go</path>\n<diff>a</diff></replace_in_file>"}]},
{"role":"assistant","content":[{"type":"text","text":"Fixed it"}]}]`)
		h.write(dir+"/ui_messages.json", `[{"ts":1763632801000,"type":"say","say":"api_req_started","text":"{\"tokensIn\":10,\"tokensOut\":5,\"cacheWrites\":3,\"cacheReads\":4,\"cost\":0.5}"},{"ts":1763632801001,"say":"text","text":"x"}]`)
	}
	const used = "10 in, 5 out, 4 read, 3+0 written by m1"
	old := "prompt Fix the login\ncommand go test ./...\nprompt FAIL\nedit /x/app/login.go\nanswer Fixed it"
	for name, test := range map[string]struct {
		make           func(*home)
		entries, where string
	}{
		"a session of Cline": {modern, loginTalk, "cline s1 /x/app"},
		"a task of Cline": {func(h *home) {
			const root = ".config/Code/User/globalStorage/saoudrizwan.claude-dev/"
			h.write(root+"state/taskHistory.json", `[{"id":"1763632800000","ts":1763632800000,"cwdOnTaskInitialization":"/x/app","modelId":"m1"}]`)
			task(h, root+"tasks/1763632800000")
		}, old, "cline 1763632800000 /x/app"},
		"a task of Roo": {func(h *home) {
			const dir = ".vscode-server/data/User/globalStorage/rooveterinaryinc.roo-cline/tasks/0199-ab"
			h.write(dir+"/history_item.json", `{"id":"0199-ab","ts":1763632800000,"workspace":"/x/app","model":"m1"}`)
			task(h, dir)
		}, old, "roo 0199-ab /x/app"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			test.make(h)
			h.update()
			h.check(name, test.entries, used, test.where)
			h.update()
			h.check("again", test.entries, used, test.where)
		})
	}
}

func TestCursor(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	db := sessionstest.NewDatabase(t, h.path(".config/Cursor/User/globalStorage/state.vscdb"),
		`CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB); CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`)
	put := func(key string, value any) {
		db.Run(`INSERT INTO cursorDiskKV VALUES (?, ?)`, key, []byte(strings.TrimSpace(sessionstest.Lines(row{"v": value}))[5:]))
	}
	bubble := func(id string, more row) {
		value := strings.TrimSpace(sessionstest.Lines(row{"bubbleId": id}.With(more)))
		db.Run(`INSERT INTO cursorDiskKV VALUES (?, ?)`, "bubbleId:c1:"+id, []byte(value))
	}
	db.Run(`INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', 'never')`)
	db.Run(`INSERT INTO cursorDiskKV VALUES ('agentKv:blob:1', 'x'), ('composerData:c1', ?), ('bubbleId:c1:null', 'null')`,
		[]byte(`{"composerId":"c1","createdAt":1763632700000,"modelConfig":{"modelName":"sonnet"},"workspaceIdentifier":{"uri":{"scheme":"file","fsPath":"/x/app","path":"/x/app"}}}`))
	bubble("b1", row{"type": 1, "text": "Fix the login", "createdAt": "2026-11-20T10:00:01.000Z"})
	bubble("b2", row{"type": 2, "createdAt": "2026-11-20T10:00:02.000Z", "toolFormerData": row{"name": "run_terminal_cmd", "rawArgs": `{"command":"go test ./..."}`, "status": "error", "error": "FAIL login"}})
	bubble("b3", row{"type": 2, "createdAt": "2026-11-20T10:00:03.000Z", "toolFormerData": row{"name": "edit_file_v2", "params": `{"relativeWorkspacePath":"login.go"}`, "status": "completed"}})
	bubble("b4", row{"type": 2, "text": "Fix", "createdAt": "2026-11-20T10:00:04.000Z"})
	h.update()
	h.check("while it is written", strings.TrimSuffix(loginTalk, "ed it"), noTokens, "cursor c1 /x/app")
	bubble("b4", row{"type": 2, "text": "Fixed it", "createdAt": "2026-11-20T10:00:04.000Z"})
	h.update()
	h.check("further on", loginTalk, noTokens, "cursor c1 /x/app")
	if hits, err := h.x.Search(t.Context(), Query{Text: "fixed it"}); err != nil || len(hits) != 1 {
		t.Errorf("the longer text is not found: %v %v", hits, err)
	}
	db.Run(`DELETE FROM cursorDiskKV WHERE key IN ('bubbleId:c1:b3', 'bubbleId:c1:b4')`) // numbers of rows are used anew
	put("", nil)
	bubble("b5", row{"type": 1, "text": "And now?", "createdAt": "2026-11-20T10:00:05.000Z"})
	h.update()
	h.check("after rows were taken away", loginTalk+"\nprompt And now?", noTokens, "cursor c1 /x/app")
}

func TestCursorTranscripts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	folder := h.path("my_work.v2")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	name := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, strings.TrimPrefix(filepath.ToSlash(folder), "/"))
	talk := func(role, text string) row {
		return row{"role": role, "message": row{"content": []row{{"type": "text", "text": text}}}}
	}
	path := ".cursor/projects/" + name + "/agent-transcripts/t1/t1.jsonl"
	h.write(path, sessionstest.Lines(talk("user", "<user_query>\nFix the login\n</user_query>"), talk("assistant", "Go on?"), talk("user", "yes"), row{"type": "turn_ended"}))
	h.update()
	h.append(path, sessionstest.Lines(talk("user", "yes"), row{"role": "assistant", "message": row{"content": []row{{"type": "tool_use", "name": "Shell", "input": row{"command": "make"}}}}}))
	h.update()
	h.check("in two steps", "prompt Fix the login\nanswer Go on?\nprompt yes\nprompt yes\ncommand make", noTokens, "cursor t1 "+folder)
}
