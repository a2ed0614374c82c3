package setup

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// hookOf returns a hook of Claude Code by the name of its item.
func hookOf(t *testing.T, name string) hookPart {
	t.Helper()
	r := recipeOf("claude-code")
	for _, e := range r.Hooks.Events {
		if e.Name == name {
			return hookPart{recipe: r, event: e}
		}
	}
	t.Fatalf("there is no hook %s", name)
	return hookPart{}
}

// TestHookLines: a hook of ours is recognized by what it runs, however its path is written.
func TestHookLines(t *testing.T) {
	t.Parallel()
	p := hookOf(t, "check")
	for command, want := range map[string]struct {
		program         string
		readable, exact bool
	}{
		"agit check --hook":                               {"agit", true, true},
		"/opt/agit check --hook":                          {"/opt/agit", true, true},
		"agit  check   --hook ":                           {"agit", true, true},
		`"/sp ace/agit" check --hook`:                     {"/sp ace/agit", true, true},
		`'/home/o'\''brien/agit' check --hook`:            {"/home/o'brien/agit", true, true},
		`'/a(1)/agit' check --hook`:                       {"/a(1)/agit", true, true},
		`'/a$b c/agit' check --hook`:                      {"/a$b c/agit", true, true},
		"/home/o'brien/agit check --hook":                 {"/home/o'brien/agit", false, true},
		"/a(1)/agit check --hook":                         {"/a(1)/agit", false, true},
		"/a&b/agit check --hook":                          {"/a&b/agit", false, true},
		`"/a $b/agit" check --hook`:                       {"/a $b/agit", false, true},
		`"/a "b/agit" check --hook`:                       {`/a "b/agit`, false, true},
		"agit check --hook --new":                         {"agit", true, false},
		"agit.exe check --hook":                           {"agit.exe", true, true},
		"agit check":                                      {},
		"agit check --hooks":                              {},
		"/opt/other check --hook":                         {},
		"echo x && agit check --hook":                     {},
		"cd /x && /usr/bin/agit check --hook":             {},
		"memoryd hook session-start --client claude-code": {},
		"": {},
	} {
		l, ok := p.line(map[string]any{"command": command})
		switch {
		case ok != (want.program != ""):
			t.Errorf("%q is the hook: %v", command, ok)
		case ok && (l.program != want.program || l.readable() != want.readable || p.exact(l) != want.exact):
			t.Errorf("%q is read as %+v, readable %v, exact %v", command, l, l.readable(), p.exact(l))
		}
	}
	if l, ok := p.line(map[string]any{"command": "/a b/agit", "args": []any{"check", "--hook"}}); !ok || !l.readable() || !p.exact(l) {
		t.Errorf("a hook whose arguments stand in a list: %+v, %v", l, ok)
	}
}

// TestAnyShellReadsHooks: the shell starts the program, wherever it lies.
func TestAnyShellReadsHooks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its shell quotes otherwise")
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	r := recipeOf("cursor")
	for _, name := range []string{"plain", "sp ace", "o'brien", "a(1)", "a&b", "a$b", "a;b", "a b$c", `a"b`, "a`b", `a\b`, "a*b", "ä"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		program := filepath.Join(dir, "agit")
		gittest.WriteProgram(t, program, "#!/bin/sh\nprintf '%s' \"$*\"\n")
		s := &Setup{Getenv: func(string) string { return "" }, programs: map[string]string{"agit": program}, onPath: map[string]bool{}}
		e := event{"check", "preToolUse", "Write", "agit", "check --hook", 5}
		command := s.hookCommand(r, e)
		if out, err := exec.Command(sh, "-c", command).CombinedOutput(); err != nil || string(out) != "check --hook" {
			t.Errorf("%s: %q, %v", command, out, err)
		}
		if l, ok := (hookPart{recipe: r, event: e}).line(map[string]any{"command": command}); !ok || l.program != program || !l.readable() {
			t.Errorf("%s is not known again: %+v, %v", command, l, ok)
		}
	}
}

// TestHooksOfOthersInOneGroup: taking ours out leaves a person's hook in the same group, and finds ours in every group.
func TestHooksOfOthersInOneGroup(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"behind ours": {
			`{"hooks":{"PreToolUse":[{"matcher":"Edit","hooks":[{"type":"command","command":"agit check --hook","timeout":5},{"type":"command","command":"mine"}]}]}}`,
			`{"hooks":{"PreToolUse":[{"matcher":"Edit","hooks":[{"type":"command","command":"mine"}]}]}}`},
		"in front of ours": {
			`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"mine"},{"type":"command","command":"agit check --hook","timeout":5}]}]}}`,
			`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"mine"}]}]}}`},
		"beside a group of ours": {
			`{"hooks":{"PreToolUse":[{"hooks":[{"command":"agit check --hook"}]},{"hooks":[{"command":"mine"},{"command":"/opt/agit check --hook"}]}]}}`,
			`{"hooks":{"PreToolUse":[{"hooks":[{"command":"mine"}]}]}}`},
		"another matcher and time": {`{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"command":"agit check --hook","timeout":60}]}],"Stop":[{"hooks":[{"command":"mine"}]}]}}`,
			`{"hooks":{"Stop":[{"hooks":[{"command":"mine"}]}]}}`},
		"other arguments are a person's": {`{"hooks":{"PreToolUse":[{"hooks":[{"command":"agit check --hook --agent ann"}]}]}}`,
			`{"hooks":{"PreToolUse":[{"hooks":[{"command":"agit check --hook --agent ann"}]}]}}`},
	} {
		l := newLab(t)
		path := filepath.Join(l.project, ".claude", "settings.json")
		l.write(path, c.before, 0o640)
		l.apply(Options{Remove: true})
		text, err := os.ReadFile(path)
		if err != nil || string(text) != c.after {
			t.Errorf("%s: %s, %v\nwant %s", name, text, err, c.after)
		}
	}
}

// TestAHookIsMendedInItsPlace: a path that a shell cannot read is rewritten, and what a person added beside it stays.
func TestAHookIsMendedInItsPlace(t *testing.T) {
	l := newLab(t)
	path := filepath.Join(l.project, ".cursor", "hooks.json")
	l.write(path, `{"version":1,"hooks":{"preToolUse":[{"matcher":"Write|Shell","command":"/gone (1)/agit check --hook","timeout":60},{"command":"mine"}]}}`, 0o644)
	o := Options{Clients: []string{"cursor"}}
	r, err := l.setup(o).Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if it := find(t, r, KindHook, "check"); it.State != Missing && it.State != Stale {
		t.Errorf("%+v", it)
	}
	l.write(path, `{"version":1,"hooks":{"preToolUse":[{"matcher":"Write|Shell","command":"/gone(1)/agit check --hook","timeout":60},{"command":"mine"}]}}`, 0o644)
	if it := find(t, l.apply(o), KindHook, "check"); it.State != Stale || it.Done != Updated || !strings.Contains(it.Why, "a shell does not read its path") {
		t.Errorf("%+v", it)
	}
	var read struct {
		Hooks map[string][]map[string]any
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"matcher": "Write|Shell", "command": filepath.Join(l.bin, "agit"+programSuffixes()[0]) + " check --hook", "timeout": 60.0}
	if diff := cmp.Diff(want, read.Hooks["preToolUse"][0]); diff != "" {
		t.Error(diff)
	}
}

// TestCodexHooksInItsConfiguration: a hook that config.toml already runs is not added.
func TestCodexHooksInItsConfiguration(t *testing.T) {
	l := newLab(t)
	config := filepath.Join(l.project, ".codex", "config.toml")
	l.write(config, "[[hooks.PreToolUse]]\nmatcher = \"Edit\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"agit check --hook\"\n", 0o644)
	if it := find(t, l.apply(Options{Clients: []string{"codex"}}), KindHook, "check"); it.State != Current || it.Why != "runs by "+config+" already" {
		t.Errorf("%+v", it)
	}
}

// TestImportsInCode: an import in fenced code or in a comment is not one.
func TestImportsInCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"@AGENTS.md\n": true, "- @./AGENTS.md for all\n": true, "# A\n\n@AGENTS.md": true,
		"```\n@AGENTS.md\n```\n": false, "~~~md\n@AGENTS.md\n~~~\n": false, "````\n```\n@AGENTS.md\n````\n": false, "```\nx\n```\n@AGENTS.md\n": true, "<!-- @AGENTS.md -->\n": false,
		"<!--\n@AGENTS.md\n-->\n": false, "<!-- x -->\n@AGENTS.md\n": true, "a <!-- b\n--> c\n@AGENTS.md\n": true, "> ```\n> @AGENTS.md\n> ```\n": false, "mail @AGENTS.md\n": false,
		"# A\n\n    @AGENTS.md\n": false, "\t@AGENTS.md\n": false, "    x\n    @AGENTS.md\n": false, "a\n    @AGENTS.md\n": true, "- a\n\n    - @AGENTS.md\n": true, "1. a\n\n    @AGENTS.md\n": true,
		"    x\n\n@AGENTS.md\n": true, "  @AGENTS.md\n": true,
	} {
		if got := importsAgents().MatchString(prose(text)); got != want {
			t.Errorf("%q imports it: %v, want %v", text, got, want)
		}
	}
}

// TestLongInstructions: when a client reads only the first part of a file, the block is within that part, and taking it out restores every
// byte.
func TestLongInstructions(t *testing.T) {
	for name, before := range map[string]string{
		"plain": "# A\n\n" + strings.Repeat("a rule of some words\n", 2000), "front matter": "---\ntitle: A\n---\n" + strings.Repeat("a rule of some words\n", 2000), "CRLF": "\ufeff# A\r\n" + strings.Repeat("a rule of some words\r\n", 2000),
	} {
		l := newLab(t)
		path := filepath.Join(l.project, "AGENTS.md")
		l.write(path, before, 0o644)
		o := Options{Clients: []string{"codex"}}
		l.apply(o)
		b, err := edit.FindBlock(l.read("AGENTS.md"))
		if err != nil || b == nil || b.End() > codexReads {
			t.Fatalf("%s: %+v, %v", name, b, err)
		}
		if r := l.apply(o); !r.Current {
			t.Errorf("%s: the second time: %+v", name, r.Items)
		}
		l.apply(Options{Remove: true})
		if got := l.read("AGENTS.md"); got != before {
			t.Errorf("%s: %d bytes came back of %d", name, len(got), len(before))
		}
	}
	l := newLab(t) // it grew since
	o := Options{Clients: []string{"codex"}}
	l.write(filepath.Join(l.project, "AGENTS.md"), "# A\n", 0o644)
	l.apply(o)
	grown := strings.Replace(l.read("AGENTS.md"), "# A\n", "# A\n"+strings.Repeat("a rule of some words\n", 2000), 1)
	l.write(filepath.Join(l.project, "AGENTS.md"), grown, 0o644)
	if it := find(t, l.apply(o), KindInstructions, "habits"); it.State != Stale || it.Done != Updated {
		t.Errorf("%+v", it)
	}
	if b, err := edit.FindBlock(l.read("AGENTS.md")); err != nil || b == nil || b.End() > codexReads {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestNothingStaysWithoutTheNote: in another clone, without the manifest, everything that setup made is removed too: containers, files and folders
// that hold nothing else.
func TestNothingStaysWithoutTheNote(t *testing.T) {
	l := newLab(t)
	before := l.tree(l.project)
	l.apply(Options{Clients: Names()})
	if err := os.Remove(filepath.Join(l.home, ".agit", manifestName)); err != nil {
		t.Fatal(err)
	}
	l.apply(Options{Remove: true})
	if diff := cmp.Diff(before, l.tree(l.project)); diff != "" {
		t.Error(diff)
	}
}

// TestReasons: a failure is reported with the system's reason.
func TestReasons(t *testing.T) {
	t.Parallel()
	_, err := os.ReadFile(filepath.Join(t.TempDir(), "missing"))
	if got := plain(err); !strings.Contains(got, "no such file") && !strings.Contains(got, "cannot find") {
		t.Error(got)
	}
}

func TestGroupsOfHooks(t *testing.T) {
	t.Parallel()
	p := hookPart{event: event{Event: "Stop"}}
	for settings, want := range map[string]bool{
		`{}`:                                                        false,
		`{"hooks": []}`:                                             false,
		`{"hooks": {"Stop": {}}}`:                                   false,
		`{"hooks": {"Stop": []}}`:                                   false,
		`{"hooks": {"Stop": [{}]}}`:                                 false,
		`{"hooks": {"Stop": ["hooks"]}}`:                            false,
		`{"hooks": {"Start": [{"hooks": 1}]}}`:                      false,
		`{"hooks": {"Stop": [{"command": "x"}]}}`:                   false,
		`{"hooks": {"Stop": [{"hooks": null}]}}`:                    false,
		`{"hooks": {"Stop": [{"hooks": []}]}}`:                      true,
		`{"hooks": {"Stop": [{"command": "x"}, 7, {"hooks": []}]}}`: true,
	} {
		j, err := edit.ParseJSON(settings)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.inGroups(j); got != want {
			t.Errorf("%s: %t", settings, got)
		}
	}
}
