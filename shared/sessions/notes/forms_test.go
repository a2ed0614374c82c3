package notes

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"":                                "[]  0 ",
		"Text.\n":                         "[]  0 Text.",
		"# A  title\nText.":               "[] A title 0 # A  title|Text.",
		"#no title\nText.":                "[]  0 #no title|Text.",
		"Text.\n# Late":                   "[]  0 Text.|# Late",
		"\ufeff# A\r\nText.\r\n":          "[] A 0 # A|Text.",
		"---\ntitle: A\n---\nText.":       "[] A 0 Text.",
		"---\r\ntitle: A\r\n---\r\nText.": "[] A 0 Text.",
		"---\ntitle: A\n---":              "[] A 0 ",
		"---\ntitle: A\nText.":            "[]  0 ---|title: A|Text.",
		"---\ntitle: A\n----\nText.":      "[]  0 ---|title: A|----|Text.",
		"---\nname: n\ndescription: d\ntitle: t\n---\nText.": "[] t 0 Text.",
		"---\nname: n\ndescription: d\n---\nText.":           "[] d 0 Text.",
		"---\nname: n\n---\n# Other\nText.":                  "[] n 0 # Other|Text.",
		"---\ntype: a\nmetadata:\n  type: b\n---\nText.":     "[a]  0 Text.",
		"---\nmetadata:\n  type: b\n---\nText.":              "[b]  0 Text.",
		"---\nmetadata:\n  type: 7\n---\nText.":              "[]  0 Text.",
		"---\nmodified: 2026-11-02\n---\nText.":              "[]  1793577600 Text.",
		"---\nmodified: 2026-11-02T10:00:00Z\n---\nText.":    "[]  1793613600 Text.",
		"---\nmodified: lately\n---\nText.":                  "[]  0 Text.",
		"---\ntitle: A\n: broken\n---\nText.":                "[]  0 Text.",
		"a <!-- b --> c":                                     "[]  0 a  c",
		"a <!-- b\n\nc --> d":                                "[]  0 a  d",
		"a <system-reminder>b</system-reminder>":             "[]  0 a",
		"One.\n\nRead it; " + Told + ".\n\nTwo.":             "[]  0 One.||Two.",
		"One.\n\nSee `memoryd history show x`.\n\n\n\nTwo.":  "[]  0 One.||||Two.",
		"memory_recall with id reads it":                     "[]  0 ",
	} {
		n := parse(given)
		at := int64(0)
		if !n.At.IsZero() {
			at = n.At.Unix()
		}
		if got := fmt.Sprintf("[%s] %s %d %s", n.Type, n.Title, at, strings.ReplaceAll(n.Text, "\n", "|")); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
	if n := parse("# " + strings.Repeat("a", 300)); len(n.Title) > 200 {
		t.Errorf("a title of %d bytes", len(n.Title))
	}
}

func TestWithoutLinks(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "", "# A\n- [b](b.md)\n": "", "# A\n\n## B\n": "", "# A\nSaid.\n- [b](b.md)\n": "# A\nSaid.", "Said.\n": "Said.", "- [b](https://b.io)\n": "- [b](https://b.io)", "- b.md)\n": "- b.md)", "  # A\n  Said.\n": "# A\n  Said.",
	} {
		if got := withoutLinks(given); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

func TestFactsAndTimes(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "", "a": "a", "a\n": "a\n", `a` + "\n" + `["b","c"]`: "a\n- b\n- c", "\n" + `["b"]`: "\n- b", `a` + "\n" + `["b"`: "a\n[\"b\"", "a\n[7]": "a\n[7]", "a\n[]": "a",
	} {
		if got := facts(given); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
	at := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	for given, want := range map[string]time.Time{"2026-11-02T10:00:00Z": at, "2026-11-02 10:00:00": at, "2026-11-02T10:00:00.000": at, "": {}, "x": {}} {
		if got := when(given); !got.Equal(want) {
			t.Errorf("%q: %v, want %v", given, got, want)
		}
	}
}

func TestWhichFilesAreNotes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"a.md": "A.", "deep/b.md": "# B\nB.", "c.txt": "C.", ".hidden/d.md": "D.", "deep/.hidden/d.md": "D.", "empty.md": "<!-- made -->", "unwanted.md": "U.", ".dot.md": "E.", "long.md": strings.Repeat("x", MostBytes+9)} {
		sessionstest.Write(t, filepath.Join(dir, "."+"root", name), content)
	}
	root := filepath.Join(dir, ".root")
	if err := os.Symlink(filepath.Join(root, "a.md"), filepath.Join(root, "linked.md")); err != nil {
		t.Log(err)
	}
	all, err := files(root, func(rel string) bool { return rel != "unwanted.md" })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range all {
		got = append(got, fmt.Sprint(n.ID, " ", n.Title, " ", len(n.Text)))
		if n.File != filepath.Join(root, filepath.FromSlash(n.ID)+".md") || n.At.IsZero() {
			t.Errorf("%+v", n)
		}
	}
	if diff := cmp.Diff([]string{".dot .dot 2", "a a 2", "deep/b B 6", fmt.Sprint("long long ", MostBytes)}, got); diff != "" {
		t.Error(diff)
	}
	if all, err = files(filepath.Join(dir, "none"), func(string) bool { return true }); len(all) != 0 || !os.IsNotExist(err) {
		t.Errorf("of no folder: %v %v", all, err)
	}
}

func TestFirstFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, test := range map[string][2]string{
		"a folder":       {"{\"cwd\":\"/x\"}\n", "/x"},
		"behind others":  {"{broken\n{}\n{\"cwd\":7}\n{\"cwd\":\"/x\"}\n{\"cwd\":\"/y\"}\n", "/x"},
		"in line 20":     {strings.Repeat("{}\n", 19) + "{\"cwd\":\"/x\"}\n", "/x"},
		"in line 21":     {strings.Repeat("{}\n", 20) + "{\"cwd\":\"/x\"}\n", ""},
		"nowhere":        {"{}\n", ""},
		"an empty one":   {"{\"cwd\":\"\"}\n", ""},
		"a long line":    {"{\"a\":\"" + strings.Repeat("x", 1<<19) + "\",\"cwd\":\"/x\"}\n", "/x"},
		"a line too big": {"{\"a\":\"" + strings.Repeat("x", 1<<20) + "\",\"cwd\":\"/x\"}\n", ""},
	} {
		path := filepath.Join(dir, name)
		sessionstest.Write(t, path, test[0])
		if got := firstFolder(path); got != test[1] {
			t.Errorf("%s: %q, want %q", name, got, test[1])
		}
	}
	if got := firstFolder(filepath.Join(dir, "none")); got != "" {
		t.Errorf("of no file: %q", got)
	}
}

func TestOfProject(t *testing.T) {
	t.Parallel()
	session := func(cwd string) string { return "{\"cwd\":\"" + cwd + "\"}\n" }
	for name, test := range map[string]struct {
		files  []string
		folder string
		want   bool
	}{
		"no sessions":                {nil, "/x/app", true},
		"no sessions, and a letter":  {nil, "/x/äpp", false},
		"no sessions, and a DEL":     {nil, "/x/\x7f", true},
		"its session":                {[]string{session("/x/app")}, "/x/app", true},
		"its session, with a letter": {[]string{session("/x/äpp")}, "/x/äpp", true},
		"another's":                  {[]string{session("/x-app")}, "/x/app", false},
		"another's and its own":      {[]string{session("/x-app"), session("/x/app")}, "/x/app", true},
		"one that names none":        {[]string{"{}\n"}, "/x/app", true},
		"another's and none":         {[]string{session("/x-app"), "{}\n"}, "/x/app", false},
	} {
		dir := t.TempDir()
		for i, content := range test.files {
			sessionstest.Write(t, filepath.Join(dir, fmt.Sprint(i, ".jsonl")), content)
		}
		if got := ofProject(dir, test.folder); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := sessions.Hyphenated("/a/Z_0.9-é"); got != "-a-Z-0-9--" {
		t.Error(got)
	}
}

// TestWhereVariablesPointTo reads each program's notes from the folder that its variable names.
func TestWhereVariablesPointTo(t *testing.T) {
	t.Parallel()
	p := place(t)
	name := filepath.Base(p.Folder)
	moved := func(rel string) string { return filepath.Join(p.Home.Dir, "moved", rel) }
	variables := map[string]string{"CLAUDE_CONFIG_DIR": moved("claude"), "CODEX_HOME": moved("codex"), "BASIC_MEMORY_CONFIG_DIR": moved("basic"), "ENGRAM_DATA_DIR": moved("engram"), "CLAUDE_MEM_DATA_DIR": moved("mem")}
	p.Home.Getenv = func(name string) string { return variables[name] }
	sessionstest.Write(t, moved("claude/projects/"+sessions.Hyphenated(p.Folder)+"/memory/a.md"), "Claude.")
	sessionstest.Write(t, moved("codex/memories/a.md"), "Codex.")
	sessionstest.Write(t, moved("kept/a.md"), "Basic.")
	sessionstest.Write(t, moved("basic/config.json"), `{"projects":{"a":{"path":"`+filepath.ToSlash(moved("kept"))+`"},"b":"relative","c":7,"d":{"path":7}}}`)
	sessionstest.NewDatabase(t, moved("engram/engram.db"), `CREATE TABLE observations (id INTEGER PRIMARY KEY, type TEXT, title TEXT, content TEXT, project TEXT, created_at TEXT)`).
		Run(`INSERT INTO observations VALUES (1, 'note', ' An  old ', 'Engram.', ?, '2026-11-01 10:00:00'), (2, NULL, NULL, NULL, ?, '2026-11-01 10:00:00'), (3, NULL, NULL, ?, ?, '2026-11-01 10:00:01')`, name, name, strings.Repeat("x", MostBytes+9), name)
	sessionstest.NewDatabase(t, moved("mem/claude-mem.db"), `CREATE TABLE observations (id INTEGER PRIMARY KEY, project TEXT, type TEXT, title TEXT, facts TEXT, narrative TEXT, created_at TEXT)`).
		Run(`INSERT INTO observations VALUES (1, ?, 'change', 'A', NULL, 'Mem.', '2026-11-01T10:00:00.000Z')`, name)
	got := strings.ReplaceAll(p.list(t), strings.Repeat("x", MostBytes), "LONG")
	if diff := cmp.Diff(`claude-memory a [] a: Claude.
codex-memory a [] a: Codex.
basic-memory a/a [] a: Basic.
engram 3 [] : LONG
engram 1 [note] An old: Engram.
claude-mem 1 [change] A: Mem.
`, got); diff != "" {
		t.Error(diff)
	}
	for _, f := range Read(t.Context(), p, nil, "engram") {
		if f.Source != "engram" {
			t.Errorf("%s was not asked for", f.Source)
		}
	}
	for off, left := range map[string]int{"claude-code": 4, "codex": 4, "claude-mem": 4, "engram": 4, "other": 5} {
		if all := Read(t.Context(), p, []string{off}, ""); len(all) != left {
			t.Errorf("without %s: %d sources", off, len(all))
		}
	}
	sessionstest.Write(t, moved("basic/config.json"), `{broken`)
	if got := p.list(t); !strings.Contains(got, "basic-memory: a problem\n") {
		t.Error(got)
	}
}

func TestTheNewestNotesAreKept(t *testing.T) {
	t.Parallel()
	p := place(t)
	e := sessionstest.NewDatabase(t, filepath.Join(p.Home.Dir, ".engram/engram.db"), `CREATE TABLE observations (id INTEGER PRIMARY KEY, type TEXT, title TEXT, content TEXT, project TEXT, created_at TEXT)`)
	e.Run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO observations SELECT i, '', 't', 'c', ?, strftime('%Y-%m-%d %H:%M:%S', 1793577600 + i, 'unixepoch') FROM n`, MostNotes+1, filepath.Base(p.Folder))
	all := Read(t.Context(), p, nil, "")
	if len(all) != 1 || len(all[0].Notes) != MostNotes || all[0].Notes[0].ID != fmt.Sprint(MostNotes+1) || all[0].Notes[MostNotes-1].ID != "2" {
		t.Fatalf("%d sources", len(all))
	}
	if names := Names(); len(names) != 7 || names[0] != "claude-memory" {
		t.Error(names)
	}
}
