package index

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

// standing returns every file below the folder of a user except the suite's own: name, mode, time of the last change and content.
func (h *home) standing() map[string]string {
	h.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(h.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && e.Name() == "agit" {
			return fs.SkipDir
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		said := fmt.Sprint(info.Mode(), " ", info.ModTime().UnixNano())
		if !e.IsDir() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			said += fmt.Sprintf(" %x", sha256.Sum256(data))
		}
		all[path] = said
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

// moved copies a database that is open elsewhere, with its log. Connections of one process share their files beside the database; the copy
// keeps the client's apart from the reader's.
func (h *home) moved(from, to string) {
	h.t.Helper()
	for _, ending := range []string{"", "-wal", "-shm"} {
		data, err := os.ReadFile(from + ending)
		if err != nil {
			h.t.Fatal(err)
		}
		h.write(to+ending, string(data))
	}
}

// everyClient writes a session of each client. Databases look as if their client had them open, with a log.
func (h *home) everyClient() {
	h.t.Helper()
	apart := h.t.TempDir()
	h.write(claudeA, sessionstest.Lines(talk("a", "/x/app")...))
	h.write(rollout("p1"), sessionstest.Lines(codexTalk()...))
	h.write(".gemini/tmp/x/chats/session-g.jsonl", `{"sessionId":"g"}`+"\n"+`{"id":"m","timestamp":"2026-11-20T10:00:00Z","type":"user","content":"Ask Gemini"}`+"\n")
	open := sessionstest.NewOpenCode(h.t, filepath.Join(apart, "open.db"))
	open.Session("s", "", "/x/app")
	open.Message("s", "m", 5, row{"role": "user", "time": row{"created": 1763632800000}}, row{"type": "text", "text": "Ask opencode"})
	cursor := sessionstest.NewDatabase(h.t, filepath.Join(apart, "cursor.db"), `CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`)
	cursor.Run(`INSERT INTO cursorDiskKV VALUES ('bubbleId:c:b', ?)`, []byte(`{"type":1,"text":"Ask Cursor","createdAt":"2026-11-20T10:00:00Z"}`))
	h.write(".copilot/session-state/x/events.jsonl", sessionstest.Lines(copilotTalk()...))
	h.write(".config/Code/User/globalStorage/emptyWindowChatSessions/e.json", `{"sessionId":"e","creationDate":1763600000000,"requests":[{"message":"Ask VS Code"}]}`)
	goose := sessionstest.NewDatabase(h.t, filepath.Join(apart, "goose.db"), `CREATE TABLE sessions (id TEXT, working_dir TEXT); CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER)`)
	goose.Run(`INSERT INTO messages VALUES (1, NULL, 'g', 'user', '[{"type":"text","text":"Ask Goose"}]', 1763632800)`)
	h.write(".qwen/projects/x/chats/q.jsonl", `{"type":"user","timestamp":1763632800,"message":{"parts":[{"text":"Ask Qwen"}]}}`+"\n")
	h.write(".local/share/amp/threads/T-1.json", `{"id":"T-1","created":1763632800000,"messages":[{"role":"user","content":"Ask Amp"}]}`)
	h.write(".cline/data/tasks/1763632800000/api_conversation_history.json", `[{"role":"user","content":"Ask Cline"}]`)
	h.write(".config/Cursor/User/globalStorage/rooveterinaryinc.roo-cline/tasks/r/api_conversation_history.json", `[{"role":"user","content":"Ask Roo"}]`)
	h.moved(filepath.Join(apart, "open.db"), ".local/share/opencode/opencode.db")
	h.moved(filepath.Join(apart, "cursor.db"), ".config/Cursor/User/globalStorage/state.vscdb")
	h.moved(filepath.Join(apart, "goose.db"), ".local/share/goose/sessions/sessions.db")
}

func TestFilesOfClientsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.everyClient()
	var folders []string
	for path := range h.standing() { // opening for writing fails, except for a superuser
		mode := os.FileMode(0o400)
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			mode, folders = 0o500, append(folders, path)
		}
		if path != h.dir {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Cleanup(func() {
		for _, path := range folders {
			_ = os.Chmod(path, 0o700)
		}
	})
	before := h.standing()
	for range 2 {
		h.update()
	}
	var read int
	h.get(`SELECT count(DISTINCT s.client) FROM entries e JOIN transcripts s ON s.id = e.session`, &read)
	if all := len(sessions.Readers()); read != all {
		t.Errorf("%d of %d clients are read", read, all)
	}
	if _, err := h.x.Search(t.Context(), Query{Text: "ask"}); err != nil {
		t.Error(err)
	}
	k := For(h.path("agit"), h.dir, nil, nil)
	if _, err := k.States(t.Context()); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, h.standing()); diff != "" {
		t.Errorf("files were written, made or removed: %s", diff)
	}
}

// halting reads as Claude Code's reader does, and ends the context after some rows.
type halting struct {
	sessions.Claude
	stop func()
	left int
}

func (r *halting) Read(ctx context.Context, src sessions.Source, from sessions.Position, emit func(sessions.Row, sessions.Position) error) (sessions.Position, error) {
	return r.Claude.Read(ctx, src, from, func(row sessions.Row, at sessions.Position) error {
		if r.left--; r.left == 0 {
			r.stop()
		}
		return emit(row, at)
	})
}

func TestAnInterruptedReadingGoesOn(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	var rows []sessionstest.Row
	c := sessionstest.Claude{Session: "long", Folder: "/x/app"}
	for i := range 300 {
		rows = append(rows, c.User(fmt.Sprint("u", i), fmt.Sprintf("2026-11-20T10:%02d:%02d.000Z", i/60, i%60), fmt.Sprint("Ask ", i)))
	}
	h.write(claudeA, sessionstest.Lines(rows...))
	for want := 100; want <= 200; want += 100 {
		ctx, stop := context.WithCancel(t.Context())
		err := h.x.Update(ctx, Options{Home: sessions.Home{Dir: h.dir}, Readers: []sessions.Reader{&halting{stop: stop, left: 100}}})
		if err == nil {
			t.Error("it was not interrupted")
		}
		h.want("interrupted", fmt.Sprintf("%d entries, 0 answers, 0 in, 0 out, 1 sessions", want))
	}
	h.update()
	h.want("to the end", "300 entries, 0 answers, 0 in, 0 out, 1 sessions")
}
