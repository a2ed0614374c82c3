package setup

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lab is a project and a home for tests, with programs that are only names.
type lab struct {
	*testing.T
	home, project, bin string
}

func newLab(t *testing.T) lab {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := lab{t, filepath.Join(root, "home"), filepath.Join(root, "app"), filepath.Join(root, "bin")}
	for _, dir := range []string{l.home, l.project, l.bin} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range Servers {
		for _, program := range []string{name, name + "-mcp"} {
			if err := os.WriteFile(filepath.Join(l.bin, program+programSuffixes()[0]), nil, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("PATH", l.bin)
	return l
}

func (l lab) setup(o Options) *Setup {
	if o.Scope == "" {
		o.Scope = Project
	}
	getenv := func(name string) string {
		if name == "PATH" {
			return l.bin
		}
		return ""
	}
	return &Setup{Dir: l.project, Home: l.home, Suite: filepath.Join(l.home, ".agit"), Getenv: getenv, Options: o}
}

func (l lab) apply(o Options) Report {
	l.Helper()
	r, err := l.setup(o).Apply(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	return r
}

// tree returns every file and folder below a folder, with its content.
func (l lab) tree(dir string) map[string]string {
	l.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || strings.HasPrefix(path, filepath.Join(l.home, ".agit")) {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if e.IsDir() {
			all[rel] = "a folder"
			return nil
		}
		text, err := os.ReadFile(path)
		info, _ := e.Info()
		all[rel] = info.Mode().String() + "\n" + string(text)
		return err
	})
	if err != nil {
		l.Fatal(err)
	}
	return all
}

func (l lab) write(path, text string, mode os.FileMode) {
	l.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		l.Fatal(err)
	}
}

// fixtures are clients' files as people and programs leave them, by path.
var fixtures = map[string]map[string]string{
	"tabs and comments": {".mcp.json": "{\n\t// team\n\t\"mcpServers\": {\n\t\t\"x\": {\"command\": \"x\"} // mine\n\t}\n}\n"},
	"CRLF": {
		".mcp.json": "{\r\n  \"mcpServers\": {}\r\n}\r\n", ".codex/config.toml": "model = \"x\"\r\n\r\n# end\r\n", "AGENTS.md": "# App\r\n\r\ntext\r\n",
		".claude/settings.json": "{\r\n\t\"hooks\": {\r\n\t\t\"SessionStart\": []\r\n\t}\r\n}",
	},
	"byte order marks": {".cursor/mcp.json": "\ufeff{\n  \"a\": 1\n}\n", "AGENTS.md": "\ufeff# App\n", ".gemini/settings.json": "\ufeff{}"},
	"no final newline": {".mcp.json": "{\"mcpServers\":{\"x\":{}}}", ".codex/config.toml": "model = \"x\"", "CLAUDE.md": "text", "AGENTS.md": "text"},
	"trailing commas":  {".zed/settings.json": "// zed\n{\n  \"a\": [1,],\n  \"context_servers\": {\n    \"x\": {\"command\": \"x\",},\n  },\n}\n", "opencode.jsonc": "{\n  \"mcp\": {},\n}\n"},
	"minified":         {".vscode/mcp.json": `{"inputs":[],"servers":{"x":{"type":"stdio","command":"x"}}}`, ".claude/settings.json": `{"permissions":{"allow":[]}}`},
	"duplicate keys":   {".mcp.json": "{\n  \"mcpServers\": {\"x\": {}},\n  \"mcpServers\": {\"y\": {}}\n}\n"},
	"empty files":      {".mcp.json": "", ".codex/config.toml": "", ".codex/hooks.json": "\n", ".cursor/hooks.json": " \n", "AGENTS.md": "", "CLAUDE.md": "\n", "opencode.json": ""},
	"empty objects":    {".mcp.json": "{}", ".cursor/mcp.json": "{ }\n", ".claude/settings.json": "{\n}\n", ".codex/hooks.json": "{\n  \"hooks\": {}\n}\n"},
	"their hooks": {
		".claude/settings.json": "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"echo\"}]}, // first\n    ],\n    \"PostToolUse\": [ ]\n  },\n}\n",
		".cursor/hooks.json":    "{\"version\": 1, \"hooks\": {\"sessionStart\": [{\"command\": \"echo\"}]}}\n",
	},
	"their servers in TOML":   {".codex/config.toml": "[mcp_servers.x]\ncommand = \"x\" # x\n\n[mcp_servers.x.env]\nK = \"v\"\n\n\n# tail\n"},
	"an array of tables":      {".codex/config.toml": "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"x\"\n"},
	"a block of another tool": {"AGENTS.md": "<!-- BEGIN OTHER -->\nx\n<!-- END OTHER -->", "CLAUDE.md": "# App\n\n\n\n"},
	"it imports AGENTS.md":    {"CLAUDE.md": "@AGENTS.md\n", "GEMINI.md": "- @./AGENTS.md for all\n"},
	"Gemini reads AGENTS.md":  {".gemini/settings.json": "{\n  \"context\": {\"fileName\": [\"AGENTS.md\", \"GEMINI.md\"]}\n}\n"},
	"their agents":            {"opencode.json": "{\n  \"agent\": {\"brainstorm\": {\"mode\": \"primary\", \"prompt\": \"x\"}}\n}\n", ".claude/agents/spec-agent.md": "mine\n"},
	"their skill":             {".agents/skills/structured-review/SKILL.md": "mine\n", ".agents/skills/other/SKILL.md": "other\n"},
	"odd indentation":         {".mcp.json": "{ \"a\": 1,\n      \"mcpServers\":\n {\n \"x\": {} }}\n"},
	"comments only":           {".zed/settings.json": "// nothing\n{\n  // yet\n}\n// at all\n", ".codex/config.toml": "# nothing\n"},
	"unicode and escapes":     {".mcp.json": "{\n  \"\\u006dcpServers\": {\"日本\": {\"command\": \"</script>\\u2028\"}}\n}\n"},
	"many blank lines":        {".mcp.json": "\n\n{\n\n\n}\n\n\n", "AGENTS.md": "# App\n\n\n\n", ".codex/config.toml": "\n\n\n"},
	"deep containers":         {".claude/settings.json": "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": []}], \"SubagentStop\": null}}\n"},
	"broken":                  {".mcp.json": "{\"mcpServers\": ", ".codex/config.toml": "a = \n", "AGENTS.md": "<!-- agit:end -->\n", ".cursor/mcp.json": "[]", ".vscode/mcp.json": `{"servers": null}`},
}

// Every file gets its bytes back, whatever it held, and setting up twice has the effect of once.
func TestRemoveRestoresEveryByte(t *testing.T) {
	for name, files := range fixtures {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			for path, text := range files {
				l.write(filepath.Join(l.project, path), text, 0o640)
			}
			before, home := l.tree(l.project), l.tree(l.home)
			all := Options{Clients: Names()}
			l.apply(all)
			once := l.tree(l.project)
			for _, it := range l.apply(all).Items {
				if it.State == Missing || it.State == Stale || it.Done == Added || it.Done == Updated {
					t.Errorf("the second time: %s %s in %s is %s, %s %s", it.Kind, it.Name, it.File, it.State, it.Done, it.Why)
				}
			}
			if diff := cmp.Diff(once, l.tree(l.project)); diff != "" {
				t.Errorf("the second time changed something: %s", diff)
			}
			l.apply(Options{Clients: Names(), Remove: true, Servers: []string{"agit", "citecheck"}})
			l.apply(Options{Remove: true})
			l.apply(Options{Clients: []string{"windsurf"}, Remove: true})
			if diff := cmp.Diff(before, l.tree(l.project)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(home, l.tree(l.home)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Text that people write between set-up and removal stays.
func TestRemoveKeepsWhatCameLater(t *testing.T) {
	l := newLab(t)
	l.write(filepath.Join(l.project, "AGENTS.md"), "# App\n", 0o644)
	l.apply(Options{Clients: []string{"claude-code", "codex"}})
	edit := func(path, old, new string) {
		t.Helper()
		path = filepath.Join(l.project, path)
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), old) {
			t.Fatalf("%s: %v\n%s", path, err, text)
		}
		l.write(path, strings.Replace(string(text), old, new, 1), 0o644)
	}
	edit(".mcp.json", "    \"memoryd\"", "    \"own\": {\"command\": \"own\"}, // mine\n    \"memoryd\"")
	edit(".codex/config.toml", "[mcp_servers.memoryd]", "[own] # mine\nmodel = \"x\"\n\n[mcp_servers.memoryd]")
	edit("AGENTS.md", "<!-- agit:end -->\n", "<!-- agit:end -->\n\n## More\n")
	edit("AGENTS.md", "# App\n", "# The app\n")
	l.apply(Options{Remove: true})
	want := map[string]string{
		".": "a folder", ".codex": "a folder",
		".mcp.json":          "-rw-r--r--\n{\n  \"mcpServers\": {\n    \"own\": {\"command\": \"own\"} // mine\n  }\n}\n",
		".codex/config.toml": "-rw-r--r--\n[own] # mine\nmodel = \"x\"\n",
		"AGENTS.md":          "-rw-r--r--\n# The app\n\n## More\n",
	}
	got := l.tree(l.project)
	got[".codex/config.toml"] = strings.ReplaceAll(got[".codex/config.toml"], "\n\n", "\n") // a blank line may be theirs or ours
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Without its manifest, setup still finds its own entries.
func TestRemoveWithoutManifest(t *testing.T) {
	l := newLab(t)
	l.write(filepath.Join(l.project, ".mcp.json"), "{\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n", 0o644)
	before := l.tree(l.project)
	l.apply(Options{Clients: Names()})
	if err := os.Remove(filepath.Join(l.home, ".agit", manifestName)); err != nil {
		t.Fatal(err)
	}
	l.apply(Options{Remove: true})
	for path, text := range l.tree(l.project) {
		if strings.Contains(text, "memoryd") || strings.Contains(text, "agit") {
			t.Errorf("%s still holds\n%s", path, text)
		}
	}
	if got := l.tree(l.project)[".mcp.json"]; got != before[".mcp.json"] {
		t.Errorf("%q, want %q", got, before[".mcp.json"])
	}
}

// An older text of ours is replaced; a text that a person changed is not.
func TestOlderTextsAreReplaced(t *testing.T) {
	l := newLab(t)
	o := Options{Clients: []string{"codex"}}
	l.apply(o)
	skill := filepath.Join(l.project, ".agents", "skills", "structured-review", "SKILL.md")
	m, err := readManifest(filepath.Join(l.home, ".agit"))
	if err != nil {
		t.Fatal(err)
	}
	l.write(skill, "an older version\n", 0o644)
	m.Files[skill].Entries[0].Sum = sumOf("an older version\n")
	f := &file{place: skill, rec: m.Files[skill], dirty: true}
	if err := m.save(filepath.Join(l.home, ".agit"), []*file{f}, false); err != nil {
		t.Fatal(err)
	}
	if it := find(t, l.apply(o), KindSkill, "structured-review"); it.State != Stale || it.Done != Updated {
		t.Errorf("%+v", it)
	}
	l.write(skill, "mine\n", 0o644)
	if it := find(t, l.apply(o), KindSkill, "structured-review"); it.State != Current || it.Done != "" {
		t.Errorf("%+v", it)
	}
	l.apply(Options{Remove: true})
	if text, err := os.ReadFile(skill); err != nil || string(text) != "mine\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func find(t *testing.T, r Report, kind Kind, name string) Item {
	t.Helper()
	for _, it := range r.Items {
		if it.Kind == kind && it.Name == name {
			return it
		}
	}
	t.Fatalf("there is no %s %s", kind, name)
	return Item{}
}

// A file that was deleted and written anew by a person is theirs.
func TestDeletedFilesAreForgotten(t *testing.T) {
	l := newLab(t)
	path := filepath.Join(l.project, ".codex", "config.toml")
	o := Options{Clients: []string{"codex"}}
	l.apply(o)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	l.apply(o)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	l.write(path, "# mine\n", 0o644)
	l.apply(o)
	l.apply(Options{Remove: true})
	if text, err := os.ReadFile(path); err != nil || string(text) != "# mine\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// One file under two names gets one block.
func TestLinkedInstructions(t *testing.T) {
	for _, names := range [][2]string{{"AGENTS.md", "CLAUDE.md"}, {"CLAUDE.md", "AGENTS.md"}} {
		l := newLab(t)
		l.write(filepath.Join(l.project, names[0]), "# App\n", 0o644)
		if err := os.Symlink(names[0], filepath.Join(l.project, names[1])); err != nil {
			t.Skip(err)
		}
		before := l.tree(l.project)
		for range 2 {
			l.apply(Options{Clients: []string{"claude-code", "codex"}})
		}
		text := l.tree(l.project)[names[0]]
		if strings.Count(text, "agit:start") != 1 || !strings.Contains(text, "Working with agit") {
			t.Errorf("%s", text)
		}
		l.apply(Options{Remove: true})
		if diff := cmp.Diff(before, l.tree(l.project)); diff != "" {
			t.Error(diff)
		}
	}
}

// An item that several clients read is removed with the last of them.
func TestSharedFilesStayForOthers(t *testing.T) {
	l := newLab(t)
	before := l.tree(l.project)
	l.apply(Options{Clients: []string{"codex", "opencode"}})
	r := l.apply(Options{Clients: []string{"codex"}, Remove: true})
	for _, it := range []Item{find(t, r, KindSkill, "structured-review"), find(t, r, KindInstructions, "habits")} {
		if it.Done != Kept || it.Why != "is read by opencode too" {
			t.Errorf("%+v", it)
		}
	}
	if _, err := os.Stat(filepath.Join(l.project, ".codex")); !os.IsNotExist(err) {
		t.Error(err)
	}
	if r = l.apply(Options{Clients: []string{"opencode"}}); !r.Current {
		t.Errorf("opencode lost something: %+v", r.Items)
	}
	l.apply(Options{Clients: []string{"opencode"}, Remove: true})
	if diff := cmp.Diff(before, l.tree(l.project)); diff != "" {
		t.Error(diff)
	}
}

// Several runs at once have the result of one.
func TestRunsTakeTurns(t *testing.T) {
	l := newLab(t)
	l.write(filepath.Join(l.project, ".mcp.json"), "{\n  // mine\n}\n", 0o644)
	before := l.tree(l.project)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			r, err := l.setup(Options{Clients: Names()}).Apply(l.Context())
			if err != nil || !r.Current {
				t.Errorf("%v, %+v", err, r)
			}
		})
	}
	all.Wait()
	if text := l.tree(l.project)[".mcp.json"]; strings.Count(text, `"citecheck": {`) != 1 {
		t.Errorf("%s", text)
	}
	l.apply(Options{Remove: true})
	l.apply(Options{Clients: []string{"windsurf"}, Remove: true})
	if diff := cmp.Diff(before, l.tree(l.project)); diff != "" {
		t.Error(diff)
	}
}

// A file that another program writes meanwhile is left alone.
func TestChangedMeanwhile(t *testing.T) {
	l := newLab(t)
	path := filepath.Join(l.project, ".mcp.json")
	l.write(path, "{}\n", 0o644)
	s := l.setup(Options{Clients: []string{"claude-code"}})
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	s.records = &manifest{Files: map[string]*record{}}
	f := s.open(path)
	f.text = "{\"a\": 1}\n"
	l.write(path, "{\"b\": 2}\n", 0o644)
	if err := f.write(); err == nil || !strings.Contains(err.Error(), "meanwhile") {
		t.Error(err)
	}
	if text, _ := os.ReadFile(path); string(text) != "{\"b\": 2}\n" {
		t.Errorf("%q", text)
	}
}

// The block must leave room for the rest of AGENTS.md.
func TestHabitsAreShort(t *testing.T) {
	if n := len(embedded("habits.md")); n >= 1900 {
		t.Errorf("the block has %d bytes", n)
	}
}
