package notes

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}

// place is a project beside a home.
func place(t *testing.T) Place {
	t.Helper()
	g := gittest.New(t)
	return Place{Home: sessions.Home{Dir: t.TempDir()}, Folder: index.ProjectOf(g.Dir)}
}

func (p Place) write(t *testing.T, rel, content string) {
	t.Helper()
	sessionstest.Write(t, filepath.Join(p.Home.Dir, rel), content)
}

// list is what is found: "source id [type] title: text".
func (p Place) list(t *testing.T, off ...string) string {
	t.Helper()
	var b strings.Builder
	for _, f := range Read(t.Context(), p, off, "") {
		if f.Problem != nil {
			fmt.Fprintf(&b, "%s: a problem\n", f.Source)
		}
		for _, n := range f.Notes {
			if n.File == "" || n.At.IsZero() {
				t.Errorf("%s has no file or time", n.ID)
			}
			fmt.Fprintf(&b, "%s %s [%s] %s: %s\n", n.Source, n.ID, n.Type, n.Title, strings.ReplaceAll(n.Text, "\n", "|"))
		}
	}
	return b.String()
}

func TestFilesOfEachProgram(t *testing.T) {
	t.Parallel()
	p := place(t)
	if got := p.list(t); got != "" {
		t.Errorf("of none: %s", got)
	}
	secret := "ghp_" + strings.Repeat("aB3dE6gH9", 4)
	p.write(t, ".codex/memories/MEMORY.md", "# Handbook\nRun make.")
	p.write(t, ".codex/memories/raw_memories.md", "raw")
	p.write(t, ".basic-memory/config.json", `{"projects":{"main":"`+filepath.ToSlash(filepath.Join(p.Home.Dir, "basic"))+`","gone":{"path":"/nowhere/at/all"}}}`)
	p.write(t, "basic/notes/a.md", "---\ntitle: A note\ntype: note\npermalink: notes/a\n---\n- [fact] Text\n")
	sessionstest.Write(t, filepath.Join(p.Folder, ".serena/memories/arch/api.md"), "The API is REST.\n\n<claude-mem-context>\nmade\n</claude-mem-context>\n")
	sessionstest.Write(t, filepath.Join(p.Folder, ".serena/memories/made.md"), "<claude-mem-context>only\n\nthis</claude-mem-context>")
	sessionstest.Write(t, filepath.Join(p.Folder, "memory-bank/progress.md"), "Token "+secret+"\n\nFrom sessions, quoted; "+Told+".\n- x\n\nReal.")
	want := `codex-memory MEMORY [] Handbook: # Handbook|Run make.
serena arch/api [] arch/api: The API is REST.
memory-bank progress [] progress: Token REDACTED||Real.
basic-memory main/notes/a [note] A note: - [fact] Text
`
	got := p.list(t)
	if strings.Contains(got, secret[:12]) {
		t.Errorf("a secret is read: %s", got)
	}
	start := strings.Index(got, "Token ") + len("Token ")
	end := start + strings.Index(got[start:], "||")
	if diff := cmp.Diff(want, got[:start]+"REDACTED"+got[end:]); diff != "" {
		t.Error(diff)
	}
	if got := p.list(t, "serena", "codex", "basic-memory", "memory-bank"); got != "" {
		t.Errorf("turned off: %s", got)
	}
	if got := p.list(t, Off); got != "" {
		t.Errorf("all turned off: %s", got)
	}
}

func TestMemoryOfClaude(t *testing.T) {
	t.Parallel()
	p := place(t)
	dir := ".claude/projects/" + sessions.Hyphenated(p.Folder)
	fact := "---\nname: dates\ndescription: Dates are in UTC\nmodified: 2026-11-02T10:00:00Z\nmetadata:\n  type: feedback\n---\nWe store dates in UTC.\n"
	p.write(t, dir+"/memory/dates.md", fact)
	p.write(t, dir+"/memory/MEMORY.md", "# Memory\n- [Dates](dates.md) — in UTC\n")
	const found = "claude-memory dates [feedback] Dates are in UTC: We store dates in UTC.\n"
	if got := p.list(t); got != found {
		t.Errorf("%q", got)
	}
	read := Read(t.Context(), p, nil, "claude-memory")
	if at := read[0].Notes[0].At; !at.Equal(time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("it was changed at %v", at)
	}
	p.write(t, dir+"/memory/MEMORY.md", "# Memory\nThe index itself says this.\n- [Dates](dates.md)\n")
	if got := p.list(t); !strings.Contains(got, "MEMORY [] Memory: # Memory|The index itself says this.\n") {
		t.Errorf("%q", got)
	}

	// Another folder has the same name there: its sessions show which one it is.
	other := sessionstest.Claude{Session: "a", Folder: t.TempDir()}
	p.write(t, dir+"/a.jsonl", sessionstest.Lines(other.User("1", "2026-11-20T10:00:00.000Z", "Ask")))
	if got := p.list(t); got != "" {
		t.Errorf("of another project: %q", got)
	}
	mine := sessionstest.Claude{Session: "b", Folder: filepath.Join(p.Folder, "sub")}
	p.write(t, dir+"/b.jsonl", sessionstest.Lines(mine.User("1", "2026-11-20T10:00:00.000Z", "Ask")))
	if got := p.list(t); !strings.Contains(got, found) {
		t.Errorf("with a session of its own: %q", got)
	}
	p.write(t, ".claude/settings.json", `{"autoMemoryDirectory":"~/kept"}`)
	p.write(t, "kept/x.md", "Moved.")
	if got := p.list(t); got != "claude-memory x [] x: Moved.\n" {
		t.Errorf("where the settings put it: %q", got)
	}
}

func TestDatabases(t *testing.T) {
	t.Parallel()
	p := place(t)
	name := filepath.Base(p.Folder)
	e := sessionstest.NewDatabase(t, filepath.Join(p.Home.Dir, ".engram/engram.db"), `CREATE TABLE observations (id INTEGER PRIMARY KEY, session_id TEXT, type TEXT, title TEXT, content TEXT, project TEXT, scope TEXT, created_at TEXT, updated_at TEXT, deleted_at TEXT)`)
	for i, r := range [][]any{{"decision", "Dates", "UTC always", strings.ToUpper(name), "project", nil}, {"pattern", "Gone", "x", name, "project", "2026-01-01"}, {"pattern", "Other", "x", "other", "project", nil}, {"preference", "Mine", "Short words", "other", "personal", nil}} {
		e.Run(`INSERT INTO observations VALUES (?, 's', ?, ?, ?, ?, ?, '2026-11-01 10:00:00', '2026-11-02 10:00:00', ?)`, append([]any{i + 1}, r...)...)
	}
	c := sessionstest.NewDatabase(t, filepath.Join(p.Home.Dir, ".claude-mem/claude-mem.db"), `CREATE TABLE observations (id INTEGER PRIMARY KEY, project TEXT, text TEXT, type TEXT, title TEXT, facts TEXT, narrative TEXT, created_at TEXT)`)
	c.Run(`INSERT INTO observations VALUES (1, ?, NULL, 'bugfix', 'Cache', '["It was cold","Now warm"]', 'The cache was cold.', '2026-11-03T10:00:00.000Z'), (2, ?, 'Old form', 'change', 'Older', NULL, NULL, '2026-11-01T10:00:00.000Z'), (3, 'other', 'x', 'change', 'x', NULL, NULL, '')`, name, name)
	want := `engram 4 [preference] Mine: Short words
engram 1 [decision] Dates: UTC always
claude-mem 1 [bugfix] Cache: The cache was cold.|- It was cold|- Now warm
claude-mem 2 [change] Older: Old form
`
	if diff := cmp.Diff(want, p.list(t)); diff != "" {
		t.Error(diff)
	}
	before := p.standing(t)
	p.list(t)
	if diff := cmp.Diff(before, p.standing(t)); diff != "" {
		t.Errorf("files were written, made or removed: %s", diff)
	}
	p.write(t, ".engram2/engram.db", "not a database at all")
	p.Home.Getenv = func(name string) string {
		if name == "ENGRAM_DATA_DIR" {
			return filepath.Join(p.Home.Dir, ".engram2")
		}
		return ""
	}
	if got := p.list(t); !strings.HasPrefix(got, "engram: a problem\nclaude-mem") {
		t.Errorf("%q", got)
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("---\ntitle: a\nmetadata: {type: 7}\n---\n# B\n")
	f.Add("---\n---")
	f.Add("<!-- a --> b\n\n`memoryd history show x`")
	f.Fuzz(func(t *testing.T, body string) {
		n := parse(body)
		if strings.Contains(n.Text, Told) || strings.Contains(n.Title, "\n") || len(n.Title) > 200 {
			t.Errorf("%+v", n)
		}
	})
}

// standing is every file below the home, with the time of its last change and its size.
func (p Place) standing(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(p.Home.Dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil {
			all[path] = fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
