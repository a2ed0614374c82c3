package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func (l lab) read(path string) string {
	l.Helper()
	text, err := os.ReadFile(filepath.Join(l.project, path))
	if err != nil {
		l.Fatal(err)
	}
	return string(text)
}

// TestWhoseAServerIs: the command of an entry named agit decides whether the entry is ours, and what setup does with it.
func TestWhoseAServerIs(t *testing.T) {
	entry := func(inner string) string { return `{"mcpServers":{"agit":{` + inner + `}}}` }
	for name, c := range map[string]struct {
		text    string
		put     string // what setup does with it
		removed bool   // whether --remove takes it out
	}{
		"as setup writes it":          {entry(`"type":"stdio","command":"agit","args":["serve"]`), "", true},
		"the core set":                {entry(`"command":"agit","args":["serve","--tools","core"]`), "", true},
		"with keys of its client":     {entry(`"command":"agit","args":["serve"],"disabledTools":["x"],"env":{"A":"b"}`), "", true},
		"its program moved":           {entry(`"command":"/gone/agit","args":["serve"]`), Updated, true},
		"its program by its file":     {entry(`"command":"agit-mcp","args":["serve"]`), "", true},
		"other arguments":             {entry(`"command":"agit","args":["serve","--read-only"]`), "", false},
		"another command of agit":     {entry(`"command":"agit","args":["status"]`), Kept, false},
		"agit without arguments":      {entry(`"command":"agit"`), Kept, false},
		"another program":             {entry(`"command":"other","args":["serve"]`), Kept, false},
		"a name that ends like it":    {entry(`"command":"/opt/notagit","args":["serve"]`), Kept, false},
		"a team's variable":           {entry(`"command":"${workspaceFolder}/tools/agit","args":["serve"]`), Kept, false},
		"one that is not known here":  {entry(`"command":"${UNKNOWN_THERE}/agit","args":["serve"]`), "", false},
		"the home folder":             {entry(`"command":"~/gone/agit","args":["serve"]`), Kept, false},
		"a path inside the project":   {entry(`"command":"./tools/agit","args":["serve"]`), Kept, false},
		"its address":                 {entry(`"type":"http","url":"http://127.0.0.1:3847/mcp"`), "", false},
		"the address of another one":  {entry(`"type":"http","url":"http://127.0.0.1:3848/mcp"`), Kept, false},
		"the address of another host": {entry(`"type":"http","url":"http://example.com:3847/mcp"`), Kept, false},
		"through a shell":             {entry(`"command":"bash","args":["-lc","exec agit serve"]`), "", false},
		"through env":                 {entry(`"command":"env","args":["A=b","agit","serve"]`), "", false},
		"with an option in front":     {entry(`"command":"agit","args":["--db","x.db","serve"]`), "", false},
	} {
		l := newLab(t)
		l.write(filepath.Join(l.project, ".mcp.json"), c.text, 0o600)
		o := Options{Clients: []string{"claude-code"}, Servers: []string{"agit"}}
		if it := find(t, l.apply(o), KindServer, "agit"); it.Done != c.put {
			t.Errorf("%s: setting it up is %q (%s %s), want %q", name, it.Done, it.State, it.Why, c.put)
		}
		if c.put != Updated && l.read(".mcp.json") != c.text {
			t.Errorf("%s: it was rewritten: %s", name, l.read(".mcp.json"))
		}
		o.Remove = true
		it := find(t, l.apply(o), KindServer, "agit")
		_, err := os.Stat(filepath.Join(l.project, ".mcp.json"))
		if gone := it.Done == Removed; gone != c.removed || gone != os.IsNotExist(err) && c.put != Updated {
			t.Errorf("%s: removing it is %q (%s), want %v", name, it.Done, it.Why, c.removed)
		}
	}
}

// TestOtherKeysStay: keys that a client or a person added to an entry survive its repair, forced or not; so do a table's subtables.
func TestOtherKeysStay(t *testing.T) {
	for _, force := range []bool{false, true} {
		l := newLab(t)
		l.write(filepath.Join(l.project, ".mcp.json"), "{\n  \"mcpServers\": {\n    \"agit\": {\n      \"command\": \"/gone/agit\", // mine\n      \"env\": {\"AGIT_AGENT\": \"ann\"},\n      \"args\": [\"serve\"]\n    }\n  }\n}\n", 0o644)
		l.write(filepath.Join(l.project, ".zed/settings.json"), `{"context_servers":{"agit":{"command":{"path":"/gone/agit","args":["serve"],"env":{"A":"b"}},"source":"custom"}}}`, 0o644)
		l.write(filepath.Join(l.project, "opencode.json"), `{"mcp":{"agit":{"type":"local","command":["/gone/agit","serve"],"enabled":false}}}`, 0o644)
		l.write(filepath.Join(l.project, ".codex/config.toml"), "[mcp_servers.agit]\ncommand = \"/gone/agit\" # moved\nargs = [\n  \"serve\", # it\n]\nstartup_timeout_sec = 20\n\n[mcp_servers.agit.tools.agit_begin]\napproval_mode = \"approve\"\n", 0o644)
		l.apply(Options{Clients: []string{"claude-code", "zed", "opencode", "codex"}, Servers: []string{"agit"}, Force: force})
		zed := filepath.Join(l.bin, "agit"+programSuffixes()[0])
		for path, want := range map[string]string{
			".mcp.json":          "{\n  \"mcpServers\": {\n    \"agit\": {\n      \"command\": \"agit\", // mine\n      \"env\": {\"AGIT_AGENT\": \"ann\"},\n      \"args\": [\"serve\"]\n    }\n  }\n}\n",
			".zed/settings.json": `{"context_servers":{"agit":{"command":{"path":"` + zed + `","args":["serve"],"env":{"A":"b"}},"source":"custom"}}}`,
			"opencode.json":      `{"mcp":{"agit":{"type":"local","command":["agit","serve"],"enabled":false}}}`,
			".codex/config.toml": "[mcp_servers.agit]\ncommand = \"agit\" # moved\nargs = [\"serve\"]\nstartup_timeout_sec = 20\n\n[mcp_servers.agit.tools.agit_begin]\napproval_mode = \"approve\"\n",
		} {
			if diff := cmp.Diff(want, l.read(path)); diff != "" {
				t.Errorf("%s: %s", path, diff)
			}
		}
	}
}

// TestApprovalsAreNotAServer: a client keeps approvals under a server's name. The user's server still counts, and a server that is put
// beside the approvals leaves them in place when it is taken out.
func TestApprovalsAreNotAServer(t *testing.T) {
	const approvals = "[mcp_servers.agit.tools.agit_begin]\napproval_mode = \"approve\"\n"
	l := newLab(t)
	l.write(filepath.Join(l.project, ".codex/config.toml"), approvals, 0o644)
	const leftover = "{\n  \"mcpServers\": {\n    \"agit\": {}\n  }\n}\n"
	l.write(filepath.Join(l.project, ".mcp.json"), `{"mcpServers":{"agit":{"disabled":false}}}`, 0o644)
	l.write(filepath.Join(l.project, ".cursor/mcp.json"), leftover, 0o644)
	o := Options{Clients: []string{"codex", "claude-code", "cursor"}, Servers: []string{"agit"}}
	l.apply(o)
	for _, path := range []string{".codex/config.toml", ".mcp.json", ".cursor/mcp.json"} {
		if text := l.read(path); !strings.Contains(text, "serve") {
			t.Errorf("%s: the server was not put in: %s", path, text)
		}
	}
	if r := l.apply(o); !r.Current {
		t.Errorf("the second time: %+v", r.Items)
	}
	l.apply(Options{Servers: []string{"agit"}, Remove: true})
	if text := l.read(".codex/config.toml"); text != approvals {
		t.Errorf("left: %q", text)
	}
	if text := l.read(".mcp.json"); text != `{"mcpServers":{"agit":{"disabled":false}}}` {
		t.Errorf("left: %q", text)
	}
	if text := l.read(".cursor/mcp.json"); text != leftover {
		t.Errorf("left: %q", text)
	}
	l.write(filepath.Join(l.home, ".codex/config.toml"), "[mcp_servers.agit]\ncommand = \"agit\"\nargs = [\"serve\"]\n", 0o644)
	o.Clients = []string{"codex"}
	if it := find(t, l.apply(o), KindServer, "agit"); it.State != Current || l.read(".codex/config.toml") != approvals {
		t.Errorf("%+v", it)
	}
}

// TestAServerUnderAnotherName is not configured twice, however its client reaches it.
func TestAServerUnderAnotherName(t *testing.T) {
	for value, want := range map[string]bool{
		`{"command":"agit","args":["serve"]}`:                            true,
		`{"type":"http","url":"http://127.0.0.1:3847/mcp"}`:              true,
		`{"serverUrl":"http://localhost:3847/sse"}`:                      true,
		`{"httpUrl":"http://[::1]:3847/mcp/"}`:                           true,
		`{"command":"env","args":["-i","A=b","/opt/agit","serve"]}`:      true,
		`{"command":"/bin/bash","args":["-l","-c","agit --db x serve"]}`: true,
		`{"command":"agit","args":["--log-level","debug","serve"]}`:      true,
		`{"url":"http://127.0.0.1:3847/other"}`:                          false,
		`{"url":"http://127.0.0.1:9999/mcp"}`:                            false,
		`{"url":"http://192.168.0.2:3847/mcp"}`:                          false,
		`{"command":"agit","args":["watch","serve"]}`:                    false,
		`{"command":"bash","args":["-c","agit status"]}`:                 false,
		`{"command":"bash","args":["-c","echo 'agit serve"]}`:            false,
		`{"command":"env","args":["A=b"]}`:                               false,
	} {
		l := newLab(t)
		text := `{"mcpServers":{"suite":` + value + `}}`
		l.write(filepath.Join(l.project, ".mcp.json"), text, 0o644)
		l.apply(Options{Clients: []string{"claude-code"}, Servers: []string{"agit"}})
		if got := l.read(".mcp.json") == text; got != want {
			t.Errorf("%s: left alone is %v, want %v", value, got, want)
		}
	}
}

// TestInlineTablesAreToldBeforehand: a table that cannot be added to is reported as broken by --check too, with what to do.
func TestInlineTablesAreToldBeforehand(t *testing.T) {
	l := newLab(t)
	l.write(filepath.Join(l.project, ".codex/config.toml"), "mcp_servers = { own = { command = \"own\" } }\n", 0o644)
	r, err := l.setup(Options{Clients: []string{"codex"}, Servers: []string{"agit"}}).Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if it := find(t, r, KindServer, "agit"); it.State != Broken || !strings.Contains(it.Why, "by hand: `agit setup codex --print`") ||
		!strings.Contains(it.Why, "mcp_servers, or a part of it, is written inline") {
		t.Errorf("%+v", it)
	}
}

// TestANewerManifestIsLeftAlone: the manifest of a newer agit is not overwritten, and nothing else is written then.
func TestANewerManifestIsLeftAlone(t *testing.T) {
	l := newLab(t)
	path := filepath.Join(l.home, ".agit", manifestName)
	const newer = `{"version": 2, "files": {}}`
	l.write(path, newer, 0o600)
	before := l.tree(l.project)
	for _, remove := range []bool{false, true} {
		if _, err := l.setup(Options{Clients: []string{"codex"}, Remove: remove}).Apply(t.Context()); err == nil || !strings.Contains(err.Error(), "newer") {
			t.Errorf("%v", err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != newer {
		t.Errorf("%q, %v", text, err)
	}
	if diff := cmp.Diff(before, l.tree(l.project)); diff != "" {
		t.Error(diff)
	}
}

// TestWhereClientsKeepTheirs: other editions of a client, and other places for its files.
func TestWhereClientsKeepTheirs(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	none := func(string) string { return "" }
	if got := roots("/p", home, none)["gemini"]; got != filepath.Join(home, ".gemini") {
		t.Error(got)
	}
	other := filepath.Join(home, "other")
	if got := roots("/p", home, func(name string) string { return map[string]string{"GEMINI_CLI_HOME": other}[name] })["gemini"]; got != filepath.Join(other, ".gemini") {
		t.Error(got)
	}
	config := filepath.Dir(roots("/p", home, none)["vscode"])
	if got := roots("/p", home, none)["vscode"]; got != filepath.Join(config, "Code") {
		t.Error(got)
	}
	for _, folder := range []string{"VSCodium", "Code - Insiders", "Code"} { // each goes before the former ones
		if err := os.MkdirAll(filepath.Join(config, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		if got := roots("/p", home, none)["vscode"]; got != filepath.Join(config, folder) {
			t.Errorf("%s, with %s", got, folder)
		}
	}
}
