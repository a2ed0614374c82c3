package setup

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The commands that a shell or env runs, and whether they lead to a server of the suite.
func TestStartedPrograms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string // its words, joined by |
		want    string
		direct  bool
		serves  bool
	}{
		{"agit|serve", "agit|serve", true, true},
		{"/opt/agit|serve|--tools|core", "/opt/agit|serve|--tools|core", true, true},
		{`C:\x\agit.exe|serve`, `C:\x\agit.exe|serve`, true, true},
		{"agit-mcp", "agit-mcp", true, true},
		{"agit", "agit", false, false},
		{"agit|status|serve", "agit|status|serve", false, false},
		{"agit|--db|x|serve", "agit|--db|x|serve", false, true},
		{"agit|--db|x", "agit|--db|x", false, false},
		{"notagit|serve", "notagit|serve", false, false},
		{"memoryd|serve", "memoryd|serve", false, false},
		{"env|A=b|-i|agit|serve", "agit|serve", false, true},
		{"env", "", false, false},
		{"env|A=b", "", false, false},
		{"sh|-c|agit serve", "agit|serve", false, true},
		{"bash|-l|-c|exec agit serve", "agit|serve", false, true},
		{"zsh|-lc| agit serve ", "agit|serve", false, true},
		{"bash|-l|-e|-c|agit serve|-x", "agit|serve", false, true},
		{"bash|-c|agit serve|-c", "agit|serve", false, true},
		{"bash|--norc|-c|agit serve", "agit|serve", false, true},
		{"fish|--norc|agit serve", "fish|agit serve", false, false},
		{"sh|-c|", "", false, false},
		{"sh|agit serve", "sh|agit serve", false, false},
		{"sh|x|agit serve", "sh|x|agit serve", false, false},
		{"sh|-c|agit 'serve", "sh|-c|agit 'serve", false, false},
		{"sh|-c", "sh|-c", false, false},
		{"env|sh|-c|env A=b agit serve", "agit|serve", false, true},
		{"env|env|env|env|env|agit|serve", "env|agit|serve", false, false},
	} {
		words := strings.Split(c.command, "|")
		program, args := unwrapped(words[0], words[1:])
		if got := strings.Join(append([]string{program}, args...), "|"); got != c.want {
			t.Errorf("%s is %s, want %s", c.command, got, c.want)
		}
		list := []any{}
		for _, w := range words[1:] {
			list = append(list, w)
		}
		value := map[string]any{"command": words[0], "args": list}
		if startsDirectly(value, "agit") != c.direct || serves(value, "agit") != c.serves || !isServer(value) {
			t.Errorf("%s: directly %t, at all %t", c.command, startsDirectly(value, "agit"), serves(value, "agit"))
		}
	}
	for address, want := range map[string]bool{
		"http://127.0.0.1:3847/mcp": true, "http://localhost:3847/mcp/": true, "http://[::1]:3847/sse": true, "http://127.0.0.1:3847/": false, "http://127.0.0.1:3848/mcp": false, "http://example.com:3847/mcp": false, "http://127.0.0.1/mcp": false, ":": false,
	} {
		for _, key := range []string{"url", "serverUrl", "httpUrl", "uri"} {
			if value := map[string]any{key: address}; serves(value, "agit") != want || !isServer(value) {
				t.Errorf("%s %s leads to it: %t", key, address, !want)
			}
		}
	}
	for name, c := range map[string]struct {
		value   any
		program string
		args    []string
		server  bool
	}{
		"a list":        {map[string]any{"command": []any{"agit", "serve"}}, "agit", []string{"serve"}, true},
		"one word":      {map[string]any{"command": []any{"agit"}}, "agit", []string{}, true},
		"an empty list": {map[string]any{"command": []any{}}, "", nil, true},
		"an object":     {map[string]any{"command": map[string]any{"path": "agit", "args": []any{"serve", 7}}}, "agit", []string{"serve", ""}, true},
		"approvals":     {map[string]any{"disabled": false}, "", nil, false},
		"a number":      {7, "", nil, true},
	} {
		program, args := commandOf(c.value)
		if d := cmp.Diff(c.args, args); d != "" || program != c.program || isServer(c.value) != c.server {
			t.Errorf("%s: %q %q, a server %t", name, program, args, isServer(c.value))
		}
	}
}

// The program of a hook's command, with or without the quotes of a shell.
func TestProgramOfAHook(t *testing.T) {
	t.Parallel()
	p := hookPart{event: event{"check", "PreToolUse", "Write", "agit", "check --hook", 5}}
	for _, c := range []struct {
		command, args, program, rest string
		readable, quoted, exact      bool
	}{
		{"agit check --hook", "", "agit", "check --hook", true, false, true},
		{"  agit   check\t--hook  --more ", "", "agit", "check --hook --more", true, false, false},
		{"/opt/agit check --hook", "", "/opt/agit", "check --hook", true, false, true},
		{"'/my folder/agit' check --hook", "", "/my folder/agit", "check --hook", true, true, true},
		{`"/my folder/agit" check --hook`, "", "/my folder/agit", "check --hook", true, false, true},
		{`"$HOME/agit" check --hook`, "", "$HOME/agit", "check --hook", false, false, true},
		{`/my\ folder/agit check --hook`, "", "/my folder/agit", "check --hook", false, false, true},
		{"/it's/agit check --hook", "", "/it's/agit", "check --hook", false, false, true},
		{"agit", "check|--hook", "agit", "check --hook", true, false, true},
		{"agit", "check|--hook|x", "agit", "check --hook x", true, false, false},
		{"agit", "check", "", "", false, false, false},
		{"agit", "check|--other", "", "", false, false, false},
		{"other", "check|--hook", "", "", false, false, false},
		{"agit check --hooked", "", "", "", false, false, false},
		{"agit  status", "", "", "", false, false, false},
		{"notagit check --hook", "", "", "", false, false, false},
		{"cd x && agit check --hook", "", "", "", false, false, false},
		{" check --hook", "", "", "", false, false, false},
		{"", "", "", "", false, false, false},
	} {
		hook := map[string]any{"command": c.command}
		if c.args != "" {
			list := []any{}
			for word := range strings.SplitSeq(c.args, "|") {
				list = append(list, word)
			}
			hook["args"] = list
		}
		l, ok := p.line(hook)
		if ok != (c.program != "") {
			t.Errorf("%q %q is a hook of ours: %t (%+v)", c.command, c.args, ok, l)
		}
		if ok && (l.program != c.program || l.rest != c.rest || l.readable() != c.readable || l.quoted() != c.quoted || p.exact(l) != c.exact) {
			t.Errorf("%q %q: %+v, readable %t, quoted %t, exact %t", c.command, c.args, l, l.readable(), l.quoted(), p.exact(l))
		}
	}
	for part, want := range map[string]string{"a": "a", "": "", "'a b'": "a b", `"a b"`: "a b", "a b": "", `"it's"`: "it's", `"it's`: "", `"`: "", `C:\x`: `C:x`, "''": ""} {
		got, ok := oneWord(part)
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("%q is the word %q (%t), want %q", part, got, ok, want)
		}
	}
	value := []any{map[string]any{"matcher": "x", "hooks": []any{map[string]any{"command": "a"}, map[string]any{"type": "prompt"}, map[string]any{"command": "b"}}}, map[string]any{"command": "c", "hooks": []any{map[string]any{"command": "d"}}}, 7}
	var commands []string
	for _, h := range hooksIn(value) {
		commands = append(commands, h["command"].(string))
	}
	if got := strings.Join(commands, " "); got != "a b c d" {
		t.Errorf("the hooks are %q", got)
	}
}

// Variables in paths, and the programs that a client could start.
func TestPrograms(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs have other names there")
	}
	dir := t.TempDir()
	for path, mode := range map[string]os.FileMode{"bin/agit": 0o755, "bin/plain": 0o644, "$odd": 0o755} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	s := &Setup{Dir: dir, Home: "/home/ann", Getenv: func(name string) string {
		return map[string]string{"PATH": "relative:" + filepath.Join(dir, "none") + ":" + filepath.Join(dir, "bin"), "TOOLS": dir}[name]
	}}
	for path, want := range map[string]string{
		"~": "/home/ann", "~/x": "/home/ann/x", `~\x`: `/home/ann\x`, "~ann/x": "~ann/x", "${workspaceFolder}/x": dir + "/x", "${workspaceRoot}": dir, "$CLAUDE_PROJECT_DIR": dir, "$PWD": dir, "${workspaceFolderBasename}": filepath.Base(dir), "${userHome}": "/home/ann", "$HOME": "/home/ann",
		"$USERPROFILE": "/home/ann", "a${pathSeparator}b": "a/b", "a${/}b": "a/b", "${env:TOOLS}/x": dir + "/x", "$TOOLS": dir, "${UNKNOWN:-usual}": "usual", "${TOOLS:-usual}": dir, "$UNKNOWN/x": "", "%APPDATA%": "", "$UNKNOWN$TOOLS": "",
	} {
		got, known := s.expand(path)
		if !known {
			got = ""
		}
		if got != want {
			t.Errorf("%s is %q, known %t, want %q", path, got, known, want)
		}
	}
	for path, want := range map[string]bool{"~/x": true, "$A": true, "a/${B}": true, "%A%/x": true, "100%/x": false, "/a/b": false, "a$b": false, filepath.Join(dir, "$odd"): false} {
		if got := hasVariable(path); got != want {
			t.Errorf("%s has a variable: %t", path, got)
		}
	}
	for program, want := range map[string]bool{"agit": true, "agit.exe": true, "plain": false, "none": false, "bin/agit": true, "./bin/agit": true, "bin/plain": false, "bin": false, filepath.Join(dir, "bin", "agit"): true, filepath.Join(dir, "none"): false, "$UNKNOWN/agit": true, "$TOOLS/bin/agit": true,
		"$TOOLS/none": false, "${workspaceFolder}/bin/agit": true} {
		if got := s.runs(program); got != want {
			t.Errorf("%s runs: %t", program, got)
		}
	}
	s.roots = map[string]string{"project": dir, "home": "/home/ann"}
	for template, want := range map[string]string{"{project}/a/b": filepath.Join(dir, "a", "b"), "{home}": "/home/ann", "": "", "plain": ""} {
		if got := s.path(template); got != want {
			t.Errorf("%s is %q, want %q", template, got, want)
		}
	}
	for want, templates := range map[string][]string{"": nil, filepath.Join(dir, "x"): {"{project}/x", "{project}/y"}, filepath.Join(dir, "bin"): {"{project}/x", "{project}/bin", "{project}/bin/agit"}} {
		if got := s.firstOf(templates); got != want {
			t.Errorf("the first of %q is %q, want %q", templates, got, want)
		}
	}
	if samePlace("", "") || samePlace(dir, "") || !samePlace(dir, filepath.Join(dir, ".")) || samePlace(dir, filepath.Join(dir, "bin")) {
		t.Error("places that are the same, or are not")
	}
}

// The readable form of items.
func TestRows(t *testing.T) {
	t.Parallel()
	root, home := filepath.FromSlash("/home/ann/app"), filepath.FromSlash("/home/ann")
	at := func(p string) string { return filepath.Join(root, filepath.FromSlash(p)) }
	item := func(kind Kind, name, file string, edit func(*Item)) Item {
		it := Item{Clients: []string{"codex"}, Kind: kind, Name: name, File: at(file), State: Current}
		if edit != nil {
			edit(&it)
		}
		return it
	}
	rows := Group([]Item{
		item(KindServer, "agit", "a.json", nil), item(KindServer, "memoryd", "a.json", nil), item(KindServer, "pmsync", "b.json", nil), item(KindServer, "citecheck", "a.json", func(it *Item) { it.State = Stale }),
		item(KindHook, "check", "a.json", nil), item(KindServer, "classify", "a.json", func(it *Item) { it.Why = "so" }), item(KindServer, "x", "a.json", func(it *Item) { it.Done = Added }), item(KindServer, "y", "a.json", func(it *Item) { it.Clients = []string{"zed"} }),
		item(KindSkill, "one", "skills/one/SKILL.md", nil), item(KindSkill, "two", "skills/two/SKILL.md", nil), item(KindSkill, "three", "skills/three/SKILL.md", nil), item(KindAgent, "p", "agents/p.md", nil), item(KindAgent, "q", "agents/q.md", nil),
	})
	var got []string
	for _, r := range rows {
		got = append(got, r.Items()+" in "+filepath.ToSlash(r.Where(root, home))+": "+r.State(true)+" "+r.State(false))
	}
	want := []string{"server agit, memoryd in a.json: current current", "server pmsync in b.json: current current", "server citecheck in a.json: stale stale", "hook check in a.json: current current", "server classify in a.json: current current", "server x in a.json: current added", "server y in a.json: current current",
		"3 skills in skills: current current", "agent p, q in agents: current current"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	row := Row{Item: Item{File: filepath.Join(home, "x")}, Files: []string{filepath.Join(home, "x")}}
	if got := filepath.ToSlash(row.Where(root, home) + " " + row.Where(home, home)); got != "~/x ~/x" {
		t.Errorf("%q", got)
	}
	if got := short(filepath.FromSlash("/opt/x"), home); got != filepath.FromSlash("/opt/x") {
		t.Errorf("%q", got)
	}
	if got := Tops([]string{"a.json", "b/c", "b/d/e", "f/g", "a.json"}); strings.Join(got, " ") != "a.json b/ f/" {
		t.Errorf("%q", got)
	}
}

// Code and comments of a Markdown text are blanked; every line keeps its position.
func TestProse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\nb\n":                                 "a\nb\n",
		"a\n```\ncode\n```\nb\n":                 "a\n\n\n\nb\n",
		"~~~\ncode\n```\nstill\n~~~\nb\n":        "\n\n\n\n\nb\n",
		"````\n```\ncode\n````\nb\n":             "\n\n\n\nb\n",
		"```\ncode\n``` x\nstill\n":              "\n\n\n\n",
		"> ```\n> code\n> ```\nb\n":              "\n\n\nb\n",
		"a <!-- x --> b <!-- y --> c\n":          "a  b  c\n",
		"a <!-- x\ny\n--> b\n":                   "a \n\n b\n",
		"<!--\n```\n-->\nb\n":                    "\n\n\nb\n",
		"a\n\n    code\n    more\nb\n":           "a\n\n\n\nb\n",
		"a\n    not code\n":                      "a\n    not code\n",
		"\tcode\n":                               "\n",
		"- item\n\n    of it\n\nb\n\n    code\n": "- item\n\n    of it\n\nb\n\n\n",
		"1. item\n\n    of it\n":                 "1. item\n\n    of it\n",
		"~~~\ncode\n~~~ \t\nb\n":                 "\n\n\nb\n",
		"```\ncode\n`````\nb\n":                  "\n\n\nb\n",
		"```\ncode\n``` ~\nstill\n":              "\n\n\n\n",
		"```go\r\ncode\r\n```\r\nb\r\n":          "\n\n\nb\r\n",
		"a <!-- x --> ```\nb\n":                  "a  ```\nb\n",
		"    code\n\n    more\nb\n":              "\n\n\nb\n",
		"a\n\n\tcode\n":                          "a\n\n\n",
		"```\nnever closed\n":                    "\n\n",
		"<!-- never closed\nb\n":                 "\n\n",
	} {
		if d := cmp.Diff(want, prose(text)); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}
