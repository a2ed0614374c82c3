package usage

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

// world is a home with sessions of Claude Code.
type world struct {
	*testing.T
	home string
	k    Kept
}

func newWorld(t *testing.T) *world {
	t.Parallel()
	home := t.TempDir()
	w := &world{T: t, home: home, k: For(filepath.Join(home, ".agit"), home, nil, nil)}
	w.k.Problem = func(path string, err error) { t.Errorf("%s: %v", path, err) }
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.home, ".claude/projects/-x", name) }

// put writes a transcript with a time of its own: files of tests change faster than clocks show.
func (w *world) put(name, content string, day int) {
	w.Helper()
	sessionstest.Write(w, w.path(name), content)
	at := time.Date(2026, 11, day, 0, 0, 0, len(content), time.UTC)
	if err := os.Chtimes(w.path(name), at, at); err != nil {
		w.Fatal(err)
	}
}

// read returns what counts, in lines "session output [agent]".
func (w *world) read(since time.Time) (lines []string) {
	w.Helper()
	all, err := w.k.Read(w.Context(), since)
	if err != nil {
		w.Fatal(err)
	}
	for _, a := range all {
		line := a.Session + " " + strings.Repeat("i", int(a.Tokens.Output))
		if a.Agent {
			line += " agent"
		}
		lines = append(lines, line)
	}
	return lines
}

func (w *world) want(got []string, want ...string) {
	w.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.Error(diff)
	}
}

func at(second int) string {
	return time.Date(2026, 11, 20, 10, 0, second, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
}

func TestAnAnswerCountsOnce(t *testing.T) {
	w := newWorld(t)
	c := sessionstest.Claude{Session: "a", Folder: "/x", Branch: "b"}
	// An answer is several rows with one message; the last row has the full output count.
	first := sessionstest.Lines(c.Says("1", at(1), "m1", "text", 1, 1), c.Calls("2", at(2), "m1", "t", "Bash", sessionstest.Row{"command": "ls"}, 1, 3))
	w.put("a.jsonl", first+sessionstest.Lines(c.Says("3", at(3), "m2", "text", 1, 2)), 20)
	// A fork copies rows, and continues with its own; it names no parent.
	f := sessionstest.Claude{Session: "0-fork", Folder: "/x", Branch: "b"}
	w.put("0-fork.jsonl", sessionstest.Lines(f.Says("1", at(1), "m1", "text", 1, 3), f.Says("9", at(9), "m9", "text", 1, 4)), 21)
	w.want(w.read(time.Time{}), "0-fork iii", "0-fork ii", "0-fork iiii") // one lineage
	all, _ := w.k.Read(t.Context(), time.Time{})
	if diff := cmp.Diff([]string{"0-fork", "a"}, all[0].Own); diff != "" {
		t.Error(diff)
	}
}

func TestAConversationCountsBeforeASideChain(t *testing.T) {
	w := newWorld(t)
	c := sessionstest.Claude{Session: "b", Folder: "/x"}
	side := c.Says("1", at(1), "m", "text", 1, 9).With(sessionstest.Row{"isSidechain": true})
	w.put("b.jsonl", sessionstest.Lines(side, c.Says("2", at(2), "m", "text", 1, 2), side), 20)
	w.put("a.jsonl", sessionstest.Lines(side), 20)
	again := side.With(sessionstest.Row{"requestId": "another"}) // replayed by a request of its own
	own := c.Says("3", at(3), "mine", "text", 1, 4).With(sessionstest.Row{"isSidechain": true})
	w.put("c.jsonl", sessionstest.Lines(again, own), 20)
	w.want(w.read(time.Time{}), "b ii", "b iiii agent")
	w.want(w.read(time.Time{}), "b ii", "b iiii agent") // from what was kept
}

func TestFilesThatGrowAreReadFromWhereTheyEnded(t *testing.T) {
	w := newWorld(t)
	c := sessionstest.Claude{Session: "a", Folder: "/x"}
	first := sessionstest.Lines(c.Says("1", at(1), "m1", "text", 1, 1))
	torn := sessionstest.Lines(c.Says("2", at(2), "m2", "text", 1, 2))
	w.put("a.jsonl", first+torn[:30], 20)
	w.want(w.read(time.Time{}), "a i")
	// Rows that were read before are not read again: the same bytes would count otherwise.
	w.put("a.jsonl", first+torn, 21)
	var from []int64
	w.k.Readers = []sessions.Reader{spy{Claude: sessions.Claude{}, from: &from}}
	w.want(w.read(time.Time{}), "a i", "a ii")
	w.want(w.read(time.Time{}), "a i", "a ii")
	if diff := cmp.Diff([]int64{int64(len(first))}, from); diff != "" {
		t.Error(diff)
	}
	// Another file in its place is read whole, even a longer one.
	w.put("a.jsonl", sessionstest.Lines(c.Says("5", at(5), "m5", "text", 1, 5), c.Says("6", at(6), "m6", "text", 1, 6), c.Says("7", at(7), "m7", "text", 1, 7)), 22)
	w.want(w.read(time.Time{}), "a iiiii", "a iiiiii", "a iiiiiii")
	if err := os.Remove(w.path("a.jsonl")); err != nil {
		t.Fatal(err)
	}
	w.want(w.read(time.Time{}))
}

// spy records the positions from which files are read.
type spy struct {
	sessions.Claude
	from *[]int64
}

func (s spy) Read(ctx context.Context, src sessions.Source, from sessions.Position, emit func(sessions.Row, sessions.Position) error) (sessions.Position, error) {
	*s.from = append(*s.from, from.Offset)
	return s.Claude.Read(ctx, src, from, emit)
}

func TestSince(t *testing.T) {
	w := newWorld(t)
	for day, name := range []string{"a", "b", "c"} {
		c := sessionstest.Claude{Session: name, Folder: "/x"}
		when := time.Date(2026, 11, 20+day, 12, 0, 0, 0, time.UTC)
		w.put(name+".jsonl", sessionstest.Lines(c.Says("1"+name, when.Format(time.RFC3339), "m"+name, "text", 1, day+1)), 21+day)
	}
	since := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	w.want(w.read(since), "b ii", "c iii")
	w.want(w.read(since), "b ii", "c iii") // from what was kept
	w.want(w.read(time.Time{}), "a i", "b ii", "c iii")
	// A file that was left out and grows keeps its earlier rows.
	c := sessionstest.Claude{Session: "a", Folder: "/x"}
	old, err := os.ReadFile(w.path("a.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	w.put("a.jsonl", string(old)+sessionstest.Lines(c.Says("9", "2026-11-25T00:00:00Z", "m9", "text", 1, 9)), 26)
	var from []int64
	w.k.Readers = []sessions.Reader{spy{Claude: sessions.Claude{}, from: &from}}
	w.want(w.read(since), "b ii", "c iii", "a iiiiiiiii")
	if diff := cmp.Diff([]int64{int64(len(old))}, from); diff != "" {
		t.Error(diff)
	}
}

func TestABrokenFileOfRowsIsMadeAnew(t *testing.T) {
	w := newWorld(t)
	c := sessionstest.Claude{Session: "a", Folder: "/x"}
	w.put("a.jsonl", sessionstest.Lines(c.Says("1", at(1), "m1", "text", 1, 1)), 20)
	if err := os.MkdirAll(filepath.Dir(w.k.Path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.k.Path, []byte(strings.Repeat("no database", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	w.want(w.read(time.Time{}), "a i")
	// When nothing can be kept, the answer is the same, and the reason is reported.
	var told []string
	w.k.Path = filepath.Join(w.path("a.jsonl"), "usage.db")
	w.k.Problem = func(path string, _ error) { told = append(told, path) }
	w.want(w.read(time.Time{}), "a i")
	if diff := cmp.Diff([]string{w.k.Path}, told); diff != "" {
		t.Error(diff)
	}
}

func TestClientsThatAreOff(t *testing.T) {
	w := newWorld(t)
	c := sessionstest.Claude{Session: "a", Folder: "/x"}
	w.put("a.jsonl", sessionstest.Lines(c.Says("1", at(1), "m1", "text", 1, 1)), 20)
	for _, off := range []string{"claude-code", "sessions"} {
		w.k = For(filepath.Join(w.home, ".agit"), w.home, nil, []string{off})
		w.want(w.read(time.Time{}))
	}
	w.k = For(filepath.Join(w.home, ".agit"), w.home, nil, []string{"codex"})
	w.want(w.read(time.Time{}), "a i")
}

func TestWhatCannotBeReadIsTold(t *testing.T) {
	w := newWorld(t)
	c := sessionstest.Claude{Session: "a", Folder: "/x"}
	w.put("a.jsonl", sessionstest.Lines(c.Says("1", at(1), "m1", "text", 1, 1)), 20)
	w.put("b.jsonl", sessionstest.Lines(c.Says("2", at(2), "m2", "text", 1, 2)), 20)
	w.want(w.read(time.Time{}), "a i", "a ii")
	w.put("b.jsonl", sessionstest.Lines(c.Says("2", at(2), "m2", "text", 1, 2), c.Says("3", at(3), "m3", "text", 1, 3)), 21)
	failed := errors.New("no")
	var told []string
	w.k.Problem = func(path string, err error) {
		if errors.Is(err, failed) {
			told = append(told, filepath.Base(path))
		}
	}
	w.k.Readers = []sessions.Reader{failing{err: failed}}
	w.want(w.read(time.Time{}), "a i", "a ii") // what was known counts
	if diff := cmp.Diff([]string{"b.jsonl"}, told); diff != "" {
		t.Error(diff)
	}
	w.k.Readers = nil
	w.want(w.read(time.Time{}), "a i", "a ii", "a iii") // and it is read again
}

type failing struct {
	sessions.Claude
	err error
}

func (f failing) Read(_ context.Context, _ sessions.Source, from sessions.Position, _ func(sessions.Row, sessions.Position) error) (sessions.Position, error) {
	return from, f.err
}

// TestReadersCountTheSame: reading usage alone emits the same usage rows as reading all of a file.
func TestReadersCountTheSame(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c := sessionstest.Claude{Session: "a", Folder: "/x", Branch: "b"}
	sessionstest.Write(t, filepath.Join(home, ".claude/projects/-x/a.jsonl"), sessionstest.Lines(c.User("0", at(0), `"usage" of what?`), c.Says("1", at(1), "m1", "text", 1, 1), c.Returns("2", at(2), "t", "no", true)))
	sessionstest.Write(t, filepath.Join(home, ".codex/sessions/2026/11/20/rollout-1-a.jsonl"), `{"timestamp":"2026-11-20T10:00:00Z","type":"session_meta","payload":{"id":"a","cwd":"/x"}}
{"timestamp":"2026-11-20T10:00:00Z","type":"turn_context","payload":{"model":"gpt-5.2-codex","cwd":"/y"}}
{"timestamp":"2026-11-20T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"token_count"}]}}
{"timestamp":"2026-11-20T10:00:02Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":9,"output_tokens":2,"total_tokens":11},"last_token_usage":{"input_tokens":9,"cached_input_tokens":4,"output_tokens":2,"total_tokens":11}}}}
{"timestamp":"2026-11-20T10:00:03Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":9,"output_tokens":2,"total_tokens":11},"last_token_usage":{"input_tokens":9,"cached_input_tokens":4,"output_tokens":2,"total_tokens":11}}}}
`)
	sessionstest.Write(t, filepath.Join(home, ".gemini/tmp/n/.project_root"), "/x")
	sessionstest.Write(t, filepath.Join(home, ".gemini/tmp/n/chats/session-1.jsonl"), `{"sessionId":"s","projectHash":"h","startTime":"2026-11-20T10:00:00Z"}
{"id":"1","timestamp":"2026-11-20T10:00:00Z","type":"user","content":"how many tokens"}
{"id":"2","timestamp":"2026-11-20T10:00:01Z","type":"gemini","model":"gemini-2.5-pro","content":"so","tokens":{"input":10,"output":2,"cached":3,"thoughts":1,"tool":0,"total":13}}
`)
	o := sessionstest.NewOpenCode(t, filepath.Join(home, ".local/share/opencode/opencode.db"))
	o.Session("s", "", "/x")
	o.Message("s", "m1", 5, sessionstest.Row{"role": "assistant", "modelID": "gpt-5", "time": sessionstest.Row{"created": 1, "completed": 2}, "cost": 0.5, "tokens": sessionstest.Row{"input": 7, "output": 8, "cache": sessionstest.Row{"read": 1, "write": 2}}},
		sessionstest.Row{"type": "text", "text": "said"})
	for _, r := range sessions.Readers() {
		sources := r.Find(sessions.Home{Dir: home}, func(path string, err error) { t.Errorf("%s: %v", path, err) })
		for _, src := range sources {
			read := func(only bool) (rows []sessions.Row) {
				src.UsageOnly = only
				if _, err := r.Read(t.Context(), src, sessions.Position{}, func(row sessions.Row, _ sessions.Position) error {
					if row.Kind == sessions.Usage {
						rows = append(rows, row)
					}
					return nil
				}); err != nil {
					t.Errorf("%s: %v", src.Path, err)
				}
				return rows
			}
			whole, only := read(false), read(true)
			if diff := cmp.Diff(whole, only); diff != "" || len(whole) == 0 {
				t.Errorf("%s, %d rows: %s", r.Client(), len(whole), diff)
			}
		}
	}
	all, err := For(filepath.Join(home, ".agit"), home, nil, nil).Read(t.Context(), time.Time{})
	if err != nil || len(all) != 4 { // Codex repeats a count
		t.Errorf("%d answers, %v", len(all), err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(nil))
	f.Add(encode([]row{{key: 1, answer: 2, session: "s", parent: "p", agent: true, at: -5, folder: "/x", branch: "b", model: "m", tokens: sessions.Tokens{Input: 1, Output: 2, CacheRead: 3, Cache5m: 4, Cache1h: 5, Reasoning: 6, Cost: 0.7}}, {session: "s"}}))
	f.Fuzz(func(t *testing.T, in []byte) {
		rows, ok := decode(in)
		if !ok {
			return
		}
		written := encode(rows)
		again, ok := decode(written)
		if !ok || !bytes.Equal(written, encode(again)) {
			t.Errorf("%v: %+v, then %+v", ok, rows, again)
		}
	})
}
