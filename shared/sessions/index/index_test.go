package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry/sidefile"
	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	if dir := os.Getenv(childHome); dir != "" {
		os.Exit(readAsAChild(dir))
	}
	os.Exit(m.Run())
}

type home struct {
	t   *testing.T
	dir string
	x   *Index
}

func newHome(t *testing.T) *home {
	t.Helper()
	h := &home{t: t, dir: t.TempDir()}
	x, err := Open(t.Context(), filepath.Join(h.dir, "agit", FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	h.x = x
	return h
}

func (h *home) path(name string) string { return filepath.Join(h.dir, name) }

// write writes a file of a client, at a time of its own.
func (h *home) write(name, content string) {
	h.t.Helper()
	sessionstest.Write(h.t, h.path(name), content)
}

func (h *home) append(name, content string) {
	h.t.Helper()
	old, err := os.ReadFile(h.path(name))
	if err != nil {
		h.t.Fatal(err)
	}
	h.write(name, string(old)+content)
}

func (h *home) update() {
	h.t.Helper()
	if err := h.x.Update(h.t.Context(), Options{Home: sessions.Home{Dir: h.dir}}); err != nil {
		h.t.Fatal(err)
	}
	h.sound()
}

// sound checks that the index of words holds those of all entries, and no others.
func (h *home) sound() {
	h.t.Helper()
	err := h.x.file.Change(h.t.Context(), func(tx *sidefile.Tx) error {
		return tx.Run(`INSERT INTO words (words, rank) VALUES ('integrity-check', 1)`)
	})
	if err != nil {
		h.t.Errorf("the words: %v", err)
	}
}

// holds returns the counts of the index: entries, answers, their input and output tokens, and sessions that are not copies of others.
func (h *home) holds() string {
	h.t.Helper()
	var entries, answers, in, out, lineages int
	h.get(`SELECT count(*), count(DISTINCT s.lineage) FROM entries e JOIN transcripts s ON s.id = e.session`, &entries, &lineages)
	h.get(`SELECT count(*), coalesce(sum(input), 0), coalesce(sum(output), 0) FROM answers`, &answers, &in, &out)
	return fmt.Sprintf("%d entries, %d answers, %d in, %d out, %d sessions", entries, answers, in, out, lineages)
}

func (h *home) get(query string, to ...any) {
	h.t.Helper()
	if err := h.x.file.Get(h.t.Context(), query, nil, to...); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) want(what, want string) {
	h.t.Helper()
	if diff := cmp.Diff(want, h.holds()); diff != "" {
		h.t.Errorf("%s: %s", what, diff)
	}
}

const (
	claudeA = ".claude/projects/-x-app/a.jsonl"
	claudeB = ".claude/projects/-x-app/b.jsonl"
)

// talk is a session with a prompt, an answer in two rows, a command that fails and an edit.
func talk(session, folder string) []sessionstest.Row {
	c := sessionstest.Claude{Session: session, Folder: folder, Branch: "main"}
	return []sessionstest.Row{
		c.User("u1", "2026-11-20T10:00:00.000Z", "Why does the invoice migration fail?"),
		c.Says("u2", "2026-11-20T10:00:01.000Z", "msg_1", "The column total is missing.", 5, 7),
		c.Calls("u3", "2026-11-20T10:00:02.000Z", "msg_1", "toolu_1", "Bash", sessionstest.Row{"command": "make migrate"}, 5, 9),
		c.Returns("u4", "2026-11-20T10:00:03.000Z", "toolu_1", "no such column: total", true),
		c.Calls("u5", "2026-11-20T10:00:04.000Z", "msg_2", "toolu_2", "Edit", sessionstest.Row{"file_path": folder + "/db/invoice.sql", "old_string": "a", "new_string": "b"}, 50, 70),
		c.Returns("u6", "2026-11-20T10:00:05.000Z", "toolu_2", "ok", false),
	}
}

const talkHolds = "5 entries, 2 answers, 55 in, 79 out, 1 sessions"

func TestRowsOfAnAnswerCountOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(claudeA, sessionstest.Lines(talk("a", "/x/app")...))
	h.update()
	h.want("one session", talkHolds)
	h.update()
	h.want("unchanged", talkHolds)
}

func TestForksCountOnce(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(i int) sessionstest.Row{
		"the same ids": func(int) sessionstest.Row { return sessionstest.Row{"sessionId": "b"} },
		"new uuids":    func(i int) sessionstest.Row { return sessionstest.Row{"sessionId": "b", "uuid": fmt.Sprint("n", i)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.write(claudeA, sessionstest.Lines(talk("a", "/x/app")...))
			var fork []sessionstest.Row
			for i, r := range talk("a", "/x/app") {
				fork = append(fork, r.With(change(i)))
			}
			fork = append(fork, sessionstest.Claude{Session: "b", Folder: "/x/app"}.Says("v1", "2026-11-20T11:00:00.000Z", "msg_9", "Another way.", 1, 1))
			h.write(claudeB, sessionstest.Lines(fork...))
			h.update()
			h.want("both", "6 entries, 3 answers, 56 in, 80 out, 1 sessions")
			for _, gone := range []string{claudeA, claudeB} { // whichever file held the rows first
				if err := os.Remove(h.path(gone)); err != nil {
					t.Fatal(err)
				}
				h.update()
				if gone == claudeA {
					h.want("the fork alone", "6 entries, 3 answers, 56 in, 80 out, 1 sessions")
				} else {
					h.want("none", "0 entries, 0 answers, 0 in, 0 out, 0 sessions")
				}
			}
		})
	}
}

func TestSideChainsYieldToTheConversation(t *testing.T) {
	t.Parallel()
	side := sessionstest.Row{"isSidechain": true, "agentId": "7"}
	c := sessionstest.Claude{Session: "a", Folder: "/x/app"}
	own := c.Says("u1", "2026-11-20T10:00:00.000Z", "msg_1", "One.", 5, 7)
	replay := c.Says("u2", "2026-11-20T10:00:09.000Z", "msg_1", "One.", 5, 90).With(side)
	for name, rows := range map[string][]sessionstest.Row{"before": {replay, own}, "after": {own, replay}} {
		h := newHome(t)
		h.write(claudeA, sessionstest.Lines(rows[0]))
		h.write(claudeB, sessionstest.Lines(rows[1]))
		h.update()
		h.want(name, "1 entries, 1 answers, 5 in, 7 out, 1 sessions")
	}
}

func TestFilesGrowTearShrinkAndAreReplaced(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	all := sessionstest.Lines(talk("a", "/x/app")...)
	torn := all[:len(all)-40]
	h.write(claudeA, torn)
	h.update()
	h.want("torn in the last line, which holds no entry", talkHolds)
	first := strings.Index(all, "\n") + 1
	h.write(claudeB, strings.ReplaceAll(all[:first+50], `"a"`, `"b"`))
	h.update()
	h.append(claudeA, all[len(torn):])
	h.update()
	h.want("whole", talkHolds)
	c := sessionstest.Claude{Session: "a", Folder: "/x/app"}
	h.append(claudeA, sessionstest.Lines(c.User("u9", "2026-11-21T10:00:00.000Z", "And now?")))
	h.update()
	h.want("grown", "6 entries, 2 answers, 55 in, 79 out, 1 sessions")
	h.write(claudeA, sessionstest.Lines(c.User("w1", "2026-11-22T10:00:00.000Z", "Short.")))
	h.update()
	h.want("shrunk; the copy of its first row stays", "2 entries, 0 answers, 0 in, 0 out, 2 sessions")
	other := sessionstest.Lines(c.User("w1", "2026-11-22T10:00:00.000Z", "Other."), c.User("w2", "2026-11-22T10:00:01.000Z", "Longer than what stood here before."))
	h.write(claudeA, other)
	h.update()
	h.want("replaced by a longer one", "3 entries, 0 answers, 0 in, 0 out, 2 sessions")
}

func TestUnknownRowsArePassedOver(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(claudeA, "[1]\nnull\n{\"no\": \"type\"}\n\n{broken\n"+sessionstest.Lines(talk("a", "/x/app")...))
	h.update()
	h.want("the rest", talkHolds)
	var passed int
	h.get(`SELECT passed FROM files`, &passed)
	if passed != 4 {
		t.Errorf("%d rows were passed over; 4 are not known", passed)
	}
}

func TestLongLines(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	rows := talk("a", "/x/app")
	rows[5] = rows[5].With(sessionstest.Row{"toolUseResult": sessionstest.Row{"originalFile": strings.Repeat(`long "text" \ é`, 3_000_000)}})
	h.write(claudeA, sessionstest.Lines(rows...))
	h.append(claudeA, sessionstest.Lines(sessionstest.Claude{Session: "a"}.User("z", "2026-11-21T10:00:00.000Z", "After it.")))
	h.update()
	h.want("after a line of 40 MB", "6 entries, 2 answers, 55 in, 79 out, 1 sessions")
}

func TestSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	secret := "ghp_" + strings.Repeat("aB3dE6gH9", 4)
	c := sessionstest.Claude{Session: "a", Folder: "/x/app"}
	h.write(claudeA, sessionstest.Lines(
		c.User("u1", "2026-11-20T10:00:00.000Z", "Use "+secret+" please"),
		c.User("u2", "2026-11-20T10:00:01.000Z", strings.Repeat("word ", 1596)+secret), // the cut is within it
		c.Calls("u3", "2026-11-20T10:00:02.000Z", "m", "t", "Bash", sessionstest.Row{"command": "curl -H 'Authorization: Bearer " + secret + "'"}, 1, 1),
		c.Returns("u4", "2026-11-20T10:00:03.000Z", "t", "refused "+secret, true)))
	h.update()
	h.want("the rest", "4 entries, 1 answers, 1 in, 1 out, 1 sessions")
	_ = h.x.Close()
	for _, ending := range []string{"", "-wal"} {
		data, _ := os.ReadFile(h.path("agit/" + FileName + ending))
		if strings.Contains(string(data), secret[:12]) {
			t.Errorf("the index%s holds a secret", ending)
		}
	}
}

func TestProjectsByGitNotByFolderName(t *testing.T) {
	t.Parallel()
	g := gittest.New(t)
	g.Write("a.txt", "a\n")
	g.Commit("one", "a.txt")
	tree := filepath.Join(g.Dir, ".claude/worktrees/fix")
	g.Git("worktree", "add", "-q", "-b", "fix", tree)
	main := ProjectOf(g.Dir)
	for folder, want := range map[string]string{
		tree: main, g.Dir: main, filepath.Join(g.Dir, "gone/deeper"): main,
		filepath.Join(g.Dir, ".claude/worktrees/removed"): main,
		"/nowhere/app": "/nowhere/app", "relative": "", "": "",
	} {
		if got := ProjectOf(folder); got != want {
			t.Errorf("%q is of %q; %q is right", folder, got, want)
		}
	}
	h := newHome(t)
	c := sessionstest.Claude{Session: "a", Folder: tree}
	h.write(claudeA, sessionstest.Lines( // two projects whose folders have one name, and a session that enters a worktree
		c.User("u1", "2026-11-20T10:00:00.000Z", "In the worktree"),
		c.User("u2", "2026-11-20T10:00:01.000Z", "Elsewhere").With(sessionstest.Row{"cwd": "/nowhere/my_repo", "sessionId": "b"})))
	h.update()
	hits, err := h.x.Search(t.Context(), Query{Projects: []string{main}})
	if err != nil || len(hits) != 1 || hits[0].Text != "In the worktree" {
		t.Errorf("%+v %v", hits, err)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(claudeA, sessionstest.Lines(talk("a", "/x/app")...))
	c := sessionstest.Claude{Session: "c", Folder: "/y/web", Branch: "css"}
	h.write(".claude/projects/-y-web/c.jsonl", sessionstest.Lines(
		c.User("c1", "2026-11-23T10:00:00.000Z", "Make the button blue"),
		c.Calls("c2", "2026-11-23T10:00:01.000Z", "msg_c", "toolu_c", "Write", sessionstest.Row{"file_path": "/y/web/src/app.css", "content": "a"}, 1, 1)))
	h.update()
	day := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		q    Query
		want string
	}{
		"a question":         {Query{Text: "why did the migrations fail"}, "a prompt"},
		"an error":           {Query{Text: "no such column total"}, "a error"},
		"other words beside": {Query{Text: "button colour purple"}, "c prompt"},
		"nothing":            {Query{Text: "kubernetes"}, ""},
		"quotes":             {Query{Text: `"blue" OR (`}, "c prompt"},
		"only asks":          {Query{Text: "what is it?"}, "c prompt, a prompt"},
		"the newest first":   {Query{}, "c prompt, a prompt"},
		"a client":           {Query{Client: "codex"}, ""},
		"since":              {Query{Since: day}, "c prompt"},
		"a file":             {Query{File: "src/app.css"}, "c edit"},
		"a whole path":       {Query{File: "/y/web/src/app.css"}, "c edit"},
		"an end of a name":   {Query{File: "pp.css"}, ""},
		"a command":          {Query{Command: "migrate"}, "a command"},
		"failed":             {Query{Failed: true, Limit: 1}, "a error"},
		"a failed command":   {Query{Failed: true, Command: "make"}, "a command"},
		"no projects":        {Query{Projects: []string{}}, ""},
		"a limit":            {Query{Limit: 1}, "c prompt"},
	} {
		hits, err := h.x.Search(t.Context(), test.q)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got []string
		for _, hit := range hits {
			got = append(got, hit.ID+" "+hit.Kind)
		}
		if diff := cmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestShowAndHandoff(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	rows := talk("abc-1", "/x/app")
	c := sessionstest.Claude{Session: "abc-1", Folder: "/x/app", Branch: "fix"}
	for i := range 300 {
		rows = append(rows, c.User(fmt.Sprint("q", i), fmt.Sprintf("2026-11-21T10:%02d:%02d.000Z", i/60, i%60), fmt.Sprint(i)+strings.Repeat(" é Ask", 100)))
	}
	h.write(claudeA, sessionstest.Lines(rows...))
	h.write(claudeB, sessionstest.Lines(sessionstest.Claude{Session: "abd"}.User("x", "2026-11-01T10:00:00.000Z", "Other")))
	h.update()
	s, err := h.x.Show(t.Context(), "abc", 1000)
	if err != nil {
		t.Fatal(err)
	}
	if s.ID != "abc-1" || s.Branch != "fix" || s.Title != "Why does the invoice migration fail?" || s.Failures != 1 || s.Left != 0 || len(s.Entries) != 305 ||
		s.Tokens != (Tokens{Input: 55, Output: 79, CacheRead: 800, CacheWrite: 60}) || strings.Join(s.Edited, " ") != "/x/app/db/invoice.sql" || len(s.Files) != 1 {
		s.Entries = nil
		t.Errorf("%+v", s)
	}
	brief := s.Handoff()
	if len(brief) > HandoffBytes {
		t.Errorf("the brief has %d bytes", len(brief))
	}
	for _, part := range []string{"abc-1 of claude-code", "branch fix", "not instructions", "The column total is missing.", "db/invoice.sql", "make migrate", "no such column: total", "299"} {
		if !strings.Contains(brief, part) {
			t.Errorf("the brief lacks %q:\n%s", part, brief)
		}
	}
	if s, err = h.x.Show(t.Context(), "abc-1", 2); err != nil || len(s.Entries) != 2 || s.Left != 303 || !strings.HasPrefix(s.Entries[1].Text, "299") {
		t.Errorf("%+v %v", s.Left, err)
	}
	for id, want := range map[string]string{"ab": "2 sessions begin", "zz": "zz", "": "session"} {
		if _, err := h.x.Show(t.Context(), id, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestAnIndexThatIsDamagedOrOldIsMadeAnew(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"damaged": strings.Repeat("no database ", 500), "empty": ""} {
		path := filepath.Join(t.TempDir(), FileName)
		sessionstest.Write(t, path, content)
		x, err := Open(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		err = x.file.Change(t.Context(), func(tx *sidefile.Tx) error { return tx.Run(`PRAGMA user_version = 7777`) })
		_ = x.Close()
		if err != nil {
			t.Fatal(err)
		}
		if x, err = Open(t.Context(), path); err != nil {
			t.Errorf("%s, then of another version: %v", name, err)
			continue
		}
		_ = x.Close()
	}
}

func TestAClientThatIsTurnedOffIsForgotten(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(claudeA, sessionstest.Lines(talk("a", "/x/app")...))
	h.update()
	k := For(h.path("agit"), h.dir, nil, []string{"claude-code"})
	x, err := k.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	_ = x.Close()
	h.want("nothing is left", "0 entries, 0 answers, 0 in, 0 out, 0 sessions")
}
