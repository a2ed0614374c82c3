package setup

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The folders of clients follow the environment where it names full paths.
func TestRoots(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("other systems have other folders")
	}
	home := t.TempDir()
	usual := map[string]string{"project": "/p", "home": home, "xdg": home + "/.config", "config": home + "/.config", "zed": home + "/.config/zed", "claude": home + "/.claude", "claude-state": home + "/.claude.json",
		"codex": home + "/.codex", "gemini": home + "/.gemini", "vscode": home + "/.config/Code"}
	for name, c := range map[string]struct{ env, differ map[string]string }{
		"nothing": {},
		"all": {map[string]string{"XDG_CONFIG_HOME": "/x", "CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/d", "GEMINI_CLI_HOME": "/g", "APPDATA": "/a"},
			map[string]string{"xdg": "/x", "config": "/x", "zed": "/x/zed", "vscode": "/x/Code", "claude": "/c", "claude-state": "/c/.claude.json", "codex": "/d", "gemini": "/g/.gemini"}},
		"relative paths":   {env: map[string]string{"XDG_CONFIG_HOME": "x", "CLAUDE_CONFIG_DIR": "c", "CODEX_HOME": "./d", "GEMINI_CLI_HOME": "g"}},
		"the usual folder": {map[string]string{"CLAUDE_CONFIG_DIR": home + "/.claude"}, map[string]string{"claude-state": home + "/.claude/.claude.json"}},
	} {
		want := map[string]string{}
		for root, path := range usual {
			want[root] = path
		}
		for root, path := range c.differ {
			want[root] = path
		}
		if d := cmp.Diff(want, roots("/p", home, func(name string) string { return c.env[name] })); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	bin := t.TempDir()
	path := func(name string) string { return map[string]string{"PATH": bin}[name] }
	for _, step := range []struct{ program, folder string }{{"codium", "VSCodium"}, {"code-insiders", "Code - Insiders"}, {"code", "Code"}} { // each goes before the former ones
		if err := os.WriteFile(filepath.Join(bin, step.program), nil, 0o755); err != nil {
			t.Fatal(err)
		}
		if got := roots("/p", home, path)["vscode"]; got != filepath.Join(home, ".config", step.folder) {
			t.Errorf("with %s: %s", step.program, got)
		}
	}
}

// A link is followed as far as the project, the client folders of the user, or a folder that was named.
func TestLinks(t *testing.T) {
	l := newLab(t)
	elsewhere, named := filepath.Join(filepath.Dir(l.home), "elsewhere"), filepath.Join(filepath.Dir(l.home), "named")
	l.write(filepath.Join(elsewhere, "file"), "x", 0o600)
	l.write(filepath.Join(named, "file"), "x", 0o600)
	l.write(filepath.Join(l.project, "file"), "x", 0o600)
	l.write(filepath.Join(l.home, ".codeium", "windsurf", "mcp_config.json"), "{}", 0o600)
	for _, dir := range []string{l.project, l.home} {
		for name, to := range map[string]string{"out": elsewhere, "to-named": named, "nowhere": filepath.Join(dir, "gone"), "to-project": l.project, "to-home": l.home} {
			if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
				t.Skip(err)
			}
		}
	}
	short := strings.NewReplacer(l.project, "<app>", l.home, "<home>", filepath.Dir(l.home), "<up>")
	for _, c := range []struct {
		o          Options
		path, want string
	}{
		{Options{}, l.project + "/file", "<app>/file"},
		{Options{}, l.project + "/a/b/new", "<app>/a/b/new"},
		{Options{}, l.project + "/to-project/a/new", "<app>/a/new"},
		{Options{}, l.project + "/out/file", `"<app>/out/file" is a link that leads outside, to "<up>/elsewhere/file"; name that with --through to write there`},
		{Options{}, l.project + "/out/a/new", `"<app>/out/a/new" is a link that leads outside, to "<up>/elsewhere/a/new"; name that with --through to write there`},
		{Options{}, l.project + "/nowhere/a", `"<app>/nowhere" is a link to a file that does not exist`},
		{Options{}, l.project + "/nowhere", `"<app>/nowhere" is a link to a file that does not exist`},
		{Options{}, l.project + "/to-named/file", `"<app>/to-named/file" is a link that leads outside, to "<up>/named/file"; name that with --through to write there`},
		{Options{Through: []string{named}}, l.project + "/to-named/file", "<up>/named/file"},
		{Options{Through: []string{"", named + "/file"}}, l.project + "/to-named/file", "<up>/named/file"},
		{Options{Through: []string{named + "/file"}}, l.project + "/to-named/new", `"<app>/to-named/new" is a link that leads outside, to "<up>/named/new"; name that with --through to write there`},
		{Options{}, l.project + "/to-home/x", `"<app>/to-home/x" is a link that leads outside, to "<home>/x"; name that with --through to write there`},
		{Options{Scope: User}, l.home + "/x", "<home>/x"},
		{Options{Scope: User}, l.home + "/to-named/file", `"<home>/to-named/file" is a link that leads outside, to "<up>/named/file"; name that with --through to write there`},
		{Options{Scope: User, Through: []string{named}}, l.home + "/to-named/file", "<up>/named/file"},
		{Options{Scope: User}, l.project + "/file", `"<app>/file" is a link that leads outside, to "<app>/file"; name that with --through to write there`},
		{Options{}, l.home + "/.codeium/windsurf/mcp_config.json", `"<home>/.codeium/windsurf/mcp_config.json" is a link that leads outside, to "<home>/.codeium/windsurf/mcp_config.json"; name that with --through to write there`},
		{Options{Clients: []string{"zed", "windsurf"}}, l.home + "/.codeium/windsurf/mcp_config.json", "<home>/.codeium/windsurf/mcp_config.json"},
		{Options{Clients: []string{"windsurf"}}, l.home + "/.codeium/windsurf/other", `"<home>/.codeium/windsurf/other" is a link that leads outside, to "<home>/.codeium/windsurf/other"; name that with --through to write there`},
		{Options{Clients: []string{"cursor"}}, l.home + "/.cursor/mcp.json", `"<home>/.cursor/mcp.json" is a link that leads outside, to "<home>/.cursor/mcp.json"; name that with --through to write there`},
	} {
		s := l.setup(c.o)
		if err := s.prepare(); err != nil {
			t.Fatal(err)
		}
		got, err := s.follow(filepath.FromSlash(c.path))
		if err != nil {
			got = err.Error()
		}
		if got = filepath.ToSlash(short.Replace(got)); got != c.want {
			t.Errorf("%s with %+v: %s, want %s", short.Replace(c.path), c.o, got, c.want)
		}
	}
	s := l.setup(Options{})
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	s.records = &manifest{Files: map[string]*record{}}
	one := s.open(filepath.Join(l.project, "file"))
	for range 2 {
		if s.open(filepath.Join(l.project, "to-project", "file")) != one || len(s.order) != 1 {
			t.Error("two names of one file are two files")
		}
	}
}

// A program of the suite is one only with its server beside it, and is named, or given by its path where the client lacks the PATH.
func TestProgramsOfTheSuite(t *testing.T) {
	l := newLab(t)
	suffix := programSuffixes()[0]
	for _, gone := range []string{"pmsync-mcp", "classify"} {
		if err := os.Remove(filepath.Join(l.bin, gone+suffix)); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		o    Options
		path string
		want map[string]string // by client and program
	}{
		"on PATH":     {Options{}, l.bin, map[string]string{"codex agit": "agit", "cursor agit": filepath.Join(l.bin, "agit"+suffix), "codex pmsync": "pmsync", "cursor classify": "classify"}},
		"off PATH":    {Options{}, "", map[string]string{"codex agit": filepath.Join(l.bin, "agit"+suffix), "cursor agit": filepath.Join(l.bin, "agit"+suffix)}},
		"portable":    {Options{Portable: true}, "", map[string]string{"codex agit": "agit", "cursor agit": "agit"}},
		"of the user": {Options{Scope: User}, l.bin, map[string]string{"codex memoryd": "memoryd", "zed memoryd": filepath.Join(l.bin, "memoryd"+suffix)}},
	} {
		s := l.setup(c.o)
		s.Getenv = func(name string) string { return map[string]string{"PATH": c.path}[name] }
		if err := s.prepare(); err != nil {
			t.Fatal(err)
		}
		for of, want := range c.want {
			client, program, _ := strings.Cut(of, " ")
			if got := s.program(recipeOf(client), program); got != want {
				t.Errorf("%s: %s starts it as %s, want %s", name, of, got, want)
			}
		}
		if d := cmp.Diff([]string{"agit", "citecheck", "memoryd"}, slices.Sorted(maps.Keys(s.programs))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if got := l.servers(Options{Clients: []string{"codex"}}); !slices.Equal(got, []string{"agit", "citecheck", "memoryd"}) {
		t.Errorf("without some of the programs it is about %q", got)
	}
	if got := l.servers(Options{Clients: []string{"codex"}, Servers: []string{"classify"}}); !slices.Equal(got, []string{"classify"}) {
		t.Errorf("a named server that is not installed: %q", got)
	}
}

// A server, hook, skill or agent that the user's own files bring is not put into the project, but into the user's.
func TestItemsThatTheUserHas(t *testing.T) {
	l := newLab(t)
	l.write(filepath.Join(l.home, ".claude", "settings.json"), `{"hooks":{"PreToolUse":[{"hooks":[{"command":"agit check --hook"}]}]}}`, 0o600)
	l.write(filepath.Join(l.project, ".claude", "settings.local.json"), `{"hooks":{"PostToolUse":[{"hooks":[{"command":"memoryd hook tool --client claude-code"}]}]}}`, 0o600)
	l.write(filepath.Join(l.home, ".claude.json"), `{"mcpServers":{"mine":{"command":"agit","args":["serve"]}},"projects":{"`+filepath.ToSlash(l.project)+`":{"mcpServers":{"other":{"command":"memoryd","args":["serve"]}}},"/x":{"mcpServers":{"other":{"command":"citecheck","args":["serve"]}}}}}`, 0o600)
	l.write(filepath.Join(l.home, ".claude", "agents", "brainstorm.md"), "mine\n", 0o600)
	l.write(filepath.Join(l.home, ".claude", "skills", "reflect", "SKILL.md"), "mine\n", 0o600)
	l.write(filepath.Join(l.project, "opencode.json"), `{"agent": {"spec-agent": {}}, "mcp": 1}`, 0o600)
	l.write(filepath.Join(l.home, ".config", "opencode", "opencode.json"), `{"agent": {"architect-plan": {}}}`, 0o600)
	l.write(filepath.Join(l.home, ".config", "opencode", "opencode.jsonc"), `{"agent": `, 0o600)
	l.write(filepath.Join(l.home, ".config", "opencode", "agents", "engineer-build.md"), "mine\n", 0o600)
	of := func(o Options) map[string]string {
		t.Helper()
		r, err := l.setup(o).Look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, it := range r.Items {
			if it.State == Current && it.Why != "" {
				all[string(it.Kind)+" "+it.Name] = filepath.ToSlash(strings.NewReplacer(l.project, "<app>", l.home, "<home>").Replace(it.Why))
			}
		}
		return all
	}
	want := map[string]string{
		"server agit": "is configured in <home>/.claude.json already", "server memoryd": "is configured in <home>/.claude.json already",
		"hook check": "runs by <home>/.claude/settings.json already", "hook tool": "runs by <app>/.claude/settings.local.json already",
		"agent brainstorm": "is in <home>/.claude/agents/brainstorm.md already", "skill reflect": "is in <home>/.claude/skills/reflect/SKILL.md already",
	}
	if d := cmp.Diff(want, of(Options{Clients: []string{"claude-code"}})); d != "" {
		t.Error(d)
	}
	want = map[string]string{
		"agent spec-agent": "is in <app>/opencode.json already", "agent architect-plan": "is in <home>/.config/opencode/opencode.json already",
		"agent engineer-build": "is in <home>/.config/opencode/agents/engineer-build.md already", "skill reflect": "is in <home>/.claude/skills/reflect/SKILL.md already",
	}
	if d := cmp.Diff(want, of(Options{Clients: []string{"opencode"}})); d != "" {
		t.Error(d)
	}
	want = map[string]string{"agent brainstorm": "exists and is kept", "skill reflect": "exists and is kept", "server agit": "is configured as mine already"}
	if d := cmp.Diff(want, of(Options{Clients: []string{"claude-code"}, Scope: User})); d != "" {
		t.Error(d)
	}
}

// A command is written into a person's hook without its other keys, and into that hook alone.
func TestOneHookOfAGroupIsMended(t *testing.T) {
	l := newLab(t)
	path := filepath.Join(l.project, ".claude", "settings.json")
	l.write(path, `{"hooks":{"PreToolUse":[{"matcher":"X","command":"none","hooks":[{"command":"mine"},{"command":"/gone/agit check --hook","timeout":60},{"command":"/gone/agit","args":["check","--hook"]}]}]}}`, 0o600)
	o := Options{Clients: []string{"claude-code"}, NoServers: true}
	s := l.setup(o)
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	s.records = &manifest{Files: map[string]*record{}}
	f := s.open(path)
	if err := hookOf(t, "check").put(s, f, "hook/check"); err != nil {
		t.Fatal(err)
	}
	want := `{"hooks":{"PreToolUse":[{"matcher":"X","command":"none","hooks":[{"command":"mine"},{"command":"agit check --hook","timeout":60},{"command":"/gone/agit","args":["check","--hook"]}]}]}}`
	if d := cmp.Diff(want, f.text); d != "" {
		t.Error(d)
	}
	f.text = `{"hooks":{"PreToolUse":[{"hooks":[{"command":"/gone/agit","args":["check","--hook"],"timeout":7}]}]}}`
	if err := hookOf(t, "check").put(s, f, "hook/check"); err != nil || f.text != `{"hooks":{"PreToolUse":[{"hooks":[{"command":"agit","args":["check","--hook"],"timeout":7}]}]}}` {
		t.Errorf("%s, %v", f.text, err)
	}
}

// A file of hooks that is not one is broken, and stays as it is.
func TestHooksThatAreNone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"hooks": []}`: `broken "hooks" is not an object`, `{"hooks": null}`: `broken "hooks" is not an object`, `{"hooks": {}}`: "missing ", "": "missing ", `{"hooks": {"PreToolUse": []}}`: "missing ",
	} {
		for _, remove := range []bool{false, true} {
			s := &Setup{Options: Options{Remove: remove}, Getenv: func(string) string { return "" }}
			f := &file{text: text}
			state, why := hookOf(t, "check").look(s, f)
			if got := string(state) + " " + why; got != want {
				t.Errorf("%q, removed %t: %s, want %s", text, remove, got, want)
			}
		}
	}
	s := &Setup{Getenv: func(string) string { return "" }}
	f := &file{path: "settings.json", text: "{"}
	p := hookOf(t, "check")
	state, why := p.look(s, f)
	if state != Broken || !strings.HasPrefix(why, "it cannot be read and is left alone: ") || p.ours(s, f, "") {
		t.Errorf("%s %s", state, why)
	}
	gone, reason, err := p.take(s, f, "")
	if put := p.put(s, f, ""); put == nil || err == nil || gone || reason != "" || f.text != "{" {
		t.Errorf("%v, %v, %q", put, err, f.text)
	}
}

// A block of a Markdown file is judged by its marks, its text and its place.
func TestBlocks(t *testing.T) {
	t.Parallel()
	yes, no := func() bool { return true }, func() bool { return false }
	also := func() string { return "elsewhere" }
	put := func(inner string) string {
		f := &file{path: "AGENTS.md"}
		if err := (block{inner: inner}).put(nil, f, "i/h"); err != nil {
			t.Fatal(err)
		}
		return f.text
	}
	now, edited := put("text\n"), strings.Replace(put("text\n"), "text", "mine", 1)
	for name, c := range map[string]struct {
		p      block
		text   string
		remove bool
		want   string // state, reason, and whether it is ours
	}{
		"none":                           {block{inner: "text\n"}, "# A\n", false, "missing| false"},
		"as it should be":                {block{inner: "text\n"}, now, false, "current| true"},
		"another version":                {block{inner: "new\n"}, now, false, "stale|was written by another version true"},
		"the other text":                 {block{inner: "new\n", or: "text\n", mark: "text"}, now, false, "current| true"},
		"neither text":                   {block{inner: "new\n", or: "newer\n", mark: "newer"}, now, false, "stale|was written by another version true"},
		"edited":                         {block{inner: "text\n"}, edited, false, "stale|was edited between its marks; --force replaces it false"},
		"edited to what it should be":    {block{inner: "mine\n"}, edited, false, "current| true"},
		"broken":                         {block{inner: "text\n"}, "<!-- agit:end -->\n", false, "broken"},
		"AGENTS.md itself":               {block{inner: "text\n", same: yes}, "", false, "current|is AGENTS.md false"},
		"AGENTS.md itself, to remove":    {block{inner: "text\n", same: yes}, now, true, "missing| true"},
		"another file":                   {block{inner: "text\n", same: no}, "", false, "missing| false"},
		"imported":                       {block{inner: "text\n", line: importsAgents()}, "@AGENTS.md\n", false, "current|imports it already false"},
		"imported in code":               {block{inner: "text\n", line: importsAgents()}, "```\n@AGENTS.md\n```\n", false, "missing| false"},
		"imported, and a block":          {block{inner: "text\n", line: importsAgents()}, "@AGENTS.md\n" + now, false, "current| true"},
		"elsewhere":                      {block{inner: "text\n", also: also}, "", false, "current|elsewhere false"},
		"elsewhere, to remove":           {block{inner: "text\n", also: also}, "", true, "missing| false"},
		"elsewhere and here":             {block{inner: "new\n", also: also}, now, false, "stale|was written by another version true"},
		"nowhere else":                   {block{inner: "text\n", also: func() string { return "" }}, "", false, "missing| false"},
		"just within":                    {block{inner: "text\n", within: len("12345\n" + strings.TrimSuffix(now, "\n"))}, "12345\n" + now, false, "current| true"},
		"beyond":                         {block{inner: "text\n", within: len(now) - 2}, "12345\n" + now, false, "stale|ends after the first " + strconv.Itoa(len(now)-2) + " bytes of the file, and a client reads no more true"},
		"beyond, but it begins the file": {block{inner: "text\n", within: len(now) - 2}, now, false, "current| true"},
	} {
		f := &file{text: c.text}
		state, why := c.p.look(&Setup{Options: Options{Remove: c.remove}}, f)
		got := string(state) + "|" + why
		if c.p.ours(nil, f, "") {
			got += " true"
		} else {
			got += " false"
		}
		if got != c.want && (c.want != "broken" || state != Broken || why == "" || !strings.HasSuffix(got, " false")) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for name, c := range map[string]struct {
		text  string
		force bool
		left  string
		gone  bool
		why   string
	}{
		"none": {"# A\n", false, "# A\n", false, ""}, "ours": {now, false, "", true, ""}, "edited": {edited, false, edited, false, forceTakes}, "edited, forced": {edited, true, "", true, ""},
	} {
		f := &file{text: c.text}
		gone, why, err := block{inner: "text\n"}.take(&Setup{Options: Options{Force: c.force}}, f, "i/h")
		if err != nil || gone != c.gone || why != c.why || strings.TrimSpace(f.text) != strings.TrimSpace(c.left) || f.blind != c.gone {
			t.Errorf("%s: %t %q %v, left %q", name, gone, why, err, f.text)
		}
	}
}

// An entry of an earlier tracker is current without one, and is not put back by a removal.
func TestOldPluginStates(t *testing.T) {
	t.Parallel()
	p := oldPlugin{"plugin"}
	for text, want := range map[string]State{`{"plugin":["file:///x/agent-tracker"]}`: Stale, `{"plugin":["x"]}`: Current, "": Current, "{": Current} {
		f := &file{text: text}
		if state, why := p.look(nil, f); state != want || (why != "") != (want == Stale) {
			t.Errorf("%s is %s: %s", text, state, why)
		}
		if f.err = errors.New("it is a folder"); p.stands(f) {
			t.Errorf("%s stands in a file that cannot be read", text)
		}
	}
	f := &file{text: `{"plugin":["file:///x/agent-tracker","x","file:///y/agent-tracker/z"]}`}
	if err := p.put(nil, f, ""); err != nil || f.text != `{"plugin":["x"]}` {
		t.Errorf("%s, %v", f.text, err)
	}
	if gone, why, err := p.take(nil, f, ""); gone || why != "" || err != nil || !p.ours(nil, f, "") {
		t.Errorf("%t, %q, %v", gone, why, err)
	}
}
