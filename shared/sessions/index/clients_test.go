package index

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

type row = sessionstest.Row

// entries returns the entries of the index, in order: "kind text", with a mark for failures.
func (h *home) entries() string {
	h.t.Helper()
	var all []string
	err := h.x.file.Each(h.t.Context(), func(scan func(...any) error) error {
		var kind int
		var text string
		var failed bool
		err := scan(&kind, &text, &failed)
		mark := ""
		if failed {
			mark = "!"
		}
		all = append(all, kindName(kind)+mark+" "+text)
		return err
	}, `SELECT kind, text, failed FROM entries ORDER BY at, id`)
	if err != nil {
		h.t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

// tokens returns the sums over all answers.
func (h *home) tokens() string {
	h.t.Helper()
	var in, out, read, m5, h1 int64
	var models string
	h.get(`SELECT coalesce(sum(input), 0), coalesce(sum(output), 0), coalesce(sum(cache_read), 0), coalesce(sum(cache_5m), 0), coalesce(sum(cache_1h), 0), (SELECT coalesce(group_concat(model), '') FROM (SELECT DISTINCT model FROM answers ORDER BY model)) FROM answers`, &in, &out, &read, &m5, &h1, &models)
	return fmt.Sprintf("%d in, %d out, %d read, %d+%d written by %s", in, out, read, m5, h1, models)
}

func codex(at, kind string, payload row) row {
	return row{"timestamp": "2026-11-20T10:00:" + at + "Z", "type": kind, "payload": payload}
}

func count(at string, total, last int) row {
	use := func(n int) row {
		return row{"input_tokens": n, "cached_input_tokens": n / 2, "output_tokens": n / 10, "reasoning_output_tokens": 1, "total_tokens": n + n/10}
	}
	return codex(at, "event_msg", row{"type": "token_count", "info": row{"total_token_usage": use(total), "last_token_usage": use(last)}})
}

func said(at, role, text string) row {
	return codex(at, "response_item", row{"type": "message", "role": role, "content": []row{{"type": "input_text", "text": text}}})
}

func rollout(id string) string {
	return ".codex/sessions/2026/11/20/rollout-2026-11-20T10-00-00-" + id + ".jsonl"
}

func codexTalk() []row {
	return []row{
		codex("00.000", "session_meta", row{"id": "p1", "session_id": "other", "cwd": "/x/app", "git": row{"branch": "main"}}),
		codex("00.100", "turn_context", row{"cwd": "/x/app", "model": "gpt-6"}),
		said("01.000", "user", "<environment_context>…"),
		said("01.100", "user", "Fix the login"),
		codex("01.200", "event_msg", row{"type": "user_message", "message": "Fix the login"}),
		codex("02.000", "response_item", row{"type": "function_call", "name": "shell", "call_id": "c1", "arguments": `{"command":["bash","-lc","go test ./..."]}`}),
		codex("03.000", "response_item", row{"type": "function_call_output", "call_id": "c1", "output": "Exit code: 1\nOutput:\nFAIL login"}),
		codex("04.000", "response_item", row{"type": "custom_tool_call", "name": "apply_patch", "call_id": "c2", "input": "*** Begin Patch\n*** Update File: login.go\n@@\n-a\n+b\n*** Add File: /x/app/new.go\n*** End Patch"}),
		codex("05.000", "response_item", row{"type": "custom_tool_call_output", "call_id": "c2", "output": `{"output":"Success","metadata":{"exit_code":0}}`}),
		count("06.000", 100, 100),
		count("06.100", 100, 100), // repeated
		said("07.000", "assistant", "Fixed it"),
		count("08.000", 300, 200),
	}
}

const codexHolds = `prompt Fix the login
command! go test ./...
error! Exit code: 1
Output:
FAIL login
edit /x/app/login.go
edit /x/app/new.go
answer Fixed it`

func TestCodex(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rollout("p1"), sessionstest.Lines(codexTalk()...))
	h.update()
	if diff := cmp.Diff(codexHolds, h.entries()); diff != "" {
		t.Error(diff)
	}
	const used = "150 in, 30 out, 150 read, 0+0 written by gpt-6"
	if diff := cmp.Diff(used, h.tokens()); diff != "" {
		t.Errorf("repeated totals: %s", diff)
	}

	// A fork of an old release: a copy of all rows, written at another time.
	copied := []row{codex("00.000", "session_meta", row{"id": "f1", "forked_from_id": "p1", "cwd": "/x/app"})}
	for _, r := range codexTalk() {
		copied = append(copied, r.With(row{"timestamp": "2026-11-21T09:00:00.000Z"}))
	}
	h.write(rollout("f1"), sessionstest.Lines(append(copied, count("59.000", 700, 400))...))
	// A fork of a newer release: only its own part, with totals that start at the parent's.
	h.write(rollout("f2"), sessionstest.Lines(
		codex("00.000", "session_meta", row{"id": "f2", "forked_from_id": "f1", "cwd": "/x/app"}),
		said("50.000", "user", "And the logout"), count("59.500", 800, 100)))
	h.update()
	if diff := cmp.Diff("400 in, 80 out, 400 read, 0+0 written by ,gpt-6", h.tokens()); diff != "" {
		t.Errorf("forks: %s", diff)
	}
	var lineages int
	h.get(`SELECT count(DISTINCT lineage) FROM transcripts`, &lineages)
	if lineages != 1 {
		t.Errorf("%d lineages", lineages)
	}

	// A release with records of answers: its counts repeat the records.
	usage := row{"input_tokens": 50, "cached_input_tokens": 20, "output_tokens": 5}
	h.write(rollout("n1"), sessionstest.Lines(
		codex("00.000", "session_meta", row{"id": "n1", "cwd": "/x/app"}),
		codex("01.000", "turn_context", row{"model": "gpt-6"}),
		count("02.000", 50, 50), codex("02.100", "token_usage_record", row{"response_id": "r1", "usage": usage}),
		codex("03.000", "token_usage_record", row{"response_id": "r2", "usage": usage}), count("03.100", 100, 50)))
	h.append(rollout("n1"), sessionstest.Lines(codex("04.000", "token_usage_record", row{"response_id": "r2", "usage": usage})))
	h.update()
	h.append(rollout("n1"), sessionstest.Lines(count("05.000", 100, 50), codex("05.500", "turn_context", row{"model": "gpt-7"}), codex("06.000", "token_usage_record", row{"response_id": "r3", "usage": usage})))
	h.update()
	if diff := cmp.Diff("490 in, 95 out, 460 read, 0+0 written by ,gpt-6,gpt-7", h.tokens()); diff != "" {
		t.Errorf("records: %s", diff)
	}
}

func TestGemini(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	tokens := row{"input": 1000, "output": 300, "cached": 200, "thoughts": 50, "tool": 5, "total": 1355}
	answer := row{"id": "m2", "timestamp": "2026-11-20T10:00:02.000Z", "type": "gemini", "model": "gemini-3-pro", "content": "Running it", "tokens": tokens}
	calls := []row{
		{"id": "k1", "name": "run_shell_command", "args": row{"command": "npm test"}, "status": "error", "resultDisplay": "2 failed"},
		{"id": "k2", "name": "replace", "args": row{"file_path": "/x/web/a.ts"}, "status": "success"},
	}
	user := row{"id": "m1", "timestamp": "2026-11-20T10:00:01.000Z", "type": "user", "content": []row{{"text": "Run the tests"}}}
	h.write(".gemini/projects.json", `{"projects":{"/x/web":"web"}}`)
	h.write(".gemini/tmp/web/chats/session-2026-11-20-aa.jsonl", sessionstest.Lines(
		row{"sessionId": "g1", "projectHash": "h", "startTime": "2026-11-20T10:00:00.000Z"},
		user, answer, answer.With(row{"toolCalls": calls}), // the answer is written twice
		row{"$set": row{"messages": []row{user, answer}}}, row{"$rewindTo": "m1"}, row{"what": "is this"}))
	h.write(".gemini/tmp/old/.project_root", "/x/old\n")
	h.write(".gemini/tmp/old/chats/session-old.json", sessionstest.Lines(row{"sessionId": "g0", "messages": []row{
		{"id": "o1", "timestamp": "2026-11-19T10:00:00.000Z", "type": "user", "content": "An older one"}}}))
	h.update()
	if diff := cmp.Diff("prompt An older one\nprompt Run the tests\nanswer Running it\ncommand! npm test\nerror! 2 failed\nedit /x/web/a.ts", h.entries()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("805 in, 350 out, 200 read, 0+0 written by gemini-3-pro", h.tokens()); diff != "" {
		t.Error(diff)
	}
	var passed int
	var folders string
	h.get(`SELECT sum(passed), (SELECT group_concat(folder) FROM (SELECT folder FROM places ORDER BY folder)) FROM files`, &passed, &folders)
	if passed != 1 || folders != "/x/old,/x/web" {
		t.Errorf("%d passed over, in %s", passed, folders)
	}
}

const openCodeFile = ".local/share/opencode/opencode.db"

func openCodeAnswer(created, completed int64) row {
	return row{"role": "assistant", "modelID": "glm-5", "time": row{"created": created, "completed": completed}, "path": row{"cwd": "/x/api"}, "cost": 0.25,
		"tokens": row{"input": 10, "output": 20, "reasoning": 5, "cache": row{"read": 3, "write": 4}}}
}

func TestOpenCode(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	db := sessionstest.NewOpenCode(t, h.path(openCodeFile)) // stays open: its log is not folded in
	parts := []row{
		{"type": "text", "text": "Done"},
		{"type": "tool", "tool": "bash", "callID": "t1", "state": row{"status": "completed", "input": row{"command": "make"}, "output": "boom", "metadata": row{"exit": 2}}},
		{"type": "patch", "files": []string{"/x/api/main.go"}},
	}
	db.Session("s1", "", "/x/api")
	db.Message("s1", "m1", 1000, row{"role": "user", "time": row{"created": 1000}}, row{"type": "text", "text": "Build it"}, row{"type": "text", "text": "made up", "synthetic": true})
	db.Message("s1", "m2", 2000, openCodeAnswer(2000, 0), row{"type": "text", "text": "Do"})
	before := listing(t, h.path(".local"))
	h.update()
	if diff := cmp.Diff("prompt Build it", h.entries()); diff != "" {
		t.Errorf("an answer that is being written: %s", diff)
	}
	db.Message("s1", "m2", 3000, openCodeAnswer(2000, 2900), parts...)
	db.Session("s2", "", "/x/api") // a fork: the same messages with other ids
	db.Message("s2", "n1", 5000, row{"role": "user", "time": row{"created": 1000}}, row{"type": "text", "text": "Build it"})
	db.Message("s2", "n2", 5000, openCodeAnswer(2000, 2900), parts...)
	h.update()
	if diff := cmp.Diff("prompt Build it\nanswer Done\ncommand! make\nerror! boom\nedit /x/api/main.go", h.entries()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("10 in, 25 out, 3 read, 4+0 written by glm-5", h.tokens()); diff != "" {
		t.Error(diff)
	}
	h.want("the fork is of its parent's lineage", "5 entries, 1 answers, 10 in, 25 out, 1 sessions")
	if diff := cmp.Diff(before, listing(t, h.path(".local"))); diff != "" {
		t.Errorf("files were made beside the client's: %s", diff)
	}
}

func listing(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Neither content nor time of the clients' files ever changes.
func TestClientsFilesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(claudeA, sessionstest.Lines(talk("a", "/x/app")...))
	h.write(rollout("p1"), sessionstest.Lines(codexTalk()...))
	db := sessionstest.NewOpenCode(t, h.path(openCodeFile))
	db.Session("s1", "", "/x/api")
	db.Message("s1", "m1", 1000, row{"role": "user", "time": row{"created": 1000}}, row{"type": "text", "text": "Build it"})
	for _, file := range []string{openCodeFile, openCodeFile + "-wal", openCodeFile + "-shm"} { // as a crash leaves them: a log of no process
		data, err := os.ReadFile(h.path(file))
		if err != nil {
			t.Fatal(err)
		}
		h.write(strings.Replace(file, "opencode.db", "opencode-dev.db", 1), string(data))
	}
	if err := os.Remove(h.path(".local/share/opencode/opencode-dev.db-shm")); err != nil {
		t.Fatal(err)
	}
	state := func() (all []string) {
		for _, path := range append(listing(t, h.path(".local")), append(listing(t, h.path(".claude")), listing(t, h.path(".codex"))...)...) {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprint(path, info.Size(), info.ModTime(), info.Mode()))
		}
		return all
	}
	before := state()
	h.update()
	if diff := cmp.Diff(before, state()); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(h.entries(), "Build it") {
		t.Error("the log was not read")
	}
}

func TestWhatMayNotBeReadIsKeptAndTriedAgain(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	h := newHome(t)
	h.write(claudeA, sessionstest.Lines(talk("a", "/x/app")...))
	h.write(rollout("p1"), sessionstest.Lines(codexTalk()...))
	h.update()
	folder := h.path(".codex/sessions")
	if err := os.Chmod(folder, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o700) })
	was := h.holds()
	h.update()
	h.want("a folder without rights", was)
	_ = os.Chmod(folder, 0o700)
	h.append(rollout("p1"), sessionstest.Lines(said("30.000", "user", "More")))
	if err := os.Chmod(h.path(rollout("p1")), 0); err != nil {
		t.Fatal(err)
	}
	h.update()
	_ = os.Chmod(h.path(rollout("p1")), 0o600)
	h.update()
	if !strings.Contains(h.entries(), "prompt More") {
		t.Error("a file that could not be read is not tried again")
	}
	if found := (sessions.Codex{}).Find(sessions.Home{Dir: "/nowhere"}, func(path string, err error) { t.Errorf("%s: %v", path, err) }); len(found) != 0 {
		t.Errorf("%v", found)
	}
}
