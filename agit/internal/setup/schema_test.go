package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
)

// shape describes an object by its client's documentation: the members it may have, with the kind of their values, and those it must have.
type shape struct {
	may  map[string]string // string, number, bool, words, object, list
	must []string
}

// serverShapes are the shapes of one server, by client.
var serverShapes = map[string]shape{
	"claude-code": {map[string]string{"type": "stdio", "command": "string", "args": "words", "env": "object", "timeout": "number"}, []string{"command"}},
	"codex": {map[string]string{
		"command": "string", "args": "words", "env": "object", "env_vars": "words", "cwd": "string", "enabled": "bool", "required": "bool",
		"startup_timeout_sec": "number", "tool_timeout_sec": "number", "enabled_tools": "words", "disabled_tools": "words",
	}, []string{"command"}},
	"cursor":   {map[string]string{"type": "stdio", "command": "string", "args": "words", "env": "object", "envFile": "string"}, []string{"command"}},
	"vscode":   {map[string]string{"type": "stdio", "command": "string", "args": "words", "env": "object", "envFile": "string", "cwd": "string"}, []string{"type", "command"}},
	"opencode": {map[string]string{"type": "local", "command": "words", "cwd": "string", "environment": "object", "enabled": "bool", "timeout": "number"}, []string{"type", "command"}},
	"gemini":   {map[string]string{"command": "string", "args": "words", "env": "object", "cwd": "string", "timeout": "number", "trust": "bool", "includeTools": "words", "excludeTools": "words"}, []string{"command"}},
	"windsurf": {map[string]string{"command": "string", "args": "words", "env": "object", "disabled": "bool", "disabledTools": "words"}, []string{"command"}},
	"zed":      {map[string]string{"command": "string", "args": "words", "env": "object", "enabled": "bool", "source": "string"}, []string{"command", "args"}},
}

// moments are the events that clients know. Clients silently ignore an unknown name.
var moments = map[string][]string{
	"claude-code": {"SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest", "Notification", "Stop"},
	"codex":       {"SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest", "Stop"},
	"cursor":      {"sessionStart", "sessionEnd", "beforeSubmitPrompt", "preToolUse", "postToolUse", "stop"},
	"gemini":      {"SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "Notification"},
}

func (s shape) check(value any) (problems []string) {
	o, ok := value.(map[string]any)
	if !ok {
		return []string{"it is not an object"}
	}
	for _, name := range s.must {
		if _, has := o[name]; !has {
			problems = append(problems, name+" is missing")
		}
	}
	for name, v := range o {
		kind, known := s.may[name]
		if !known || !isKind(v, kind) {
			problems = append(problems, fmt.Sprintf("%s is %v", name, v))
		}
	}
	return problems
}

func isKind(v any, kind string) bool {
	switch kind {
	case "string":
		word, ok := v.(string)
		return ok && word != ""
	case "number":
		_, ok := v.(float64)
		return ok
	case "bool":
		_, ok := v.(bool)
		return ok
	case "object":
		_, ok := v.(map[string]any)
		return ok
	case "words":
		list, ok := v.([]any)
		return ok && !slices.ContainsFunc(list, func(e any) bool { _, ok := e.(string); return !ok })
	}
	return v == kind // a word of the format itself
}

// Every client gets servers and hooks in the shape that it reads, in a project and for the user.
func TestShapes(t *testing.T) {
	for _, scope := range []Scope{Project, User} {
		l := newLab(t)
		l.apply(Options{Clients: Names(), Scope: scope})
		s := l.setup(Options{Clients: Names(), Scope: scope})
		if err := s.prepare(); err != nil {
			t.Fatal(err)
		}
		for _, r := range recipes() {
			checkServers(t, s, r)
			if file := s.path(r.Hooks.of(scope)); file != "" && !r.Hooks.Plugin {
				checkHooks(t, r, file)
			}
		}
	}
}

func checkServers(t *testing.T, s *Setup, r *recipe) {
	t.Helper()
	file := s.firstOf(r.Servers.of(s.Options.Scope))
	if file == "" {
		file = s.firstOf(r.Servers.User)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	servers, err := serverPart{recipe: r}.all(string(data))
	if err != nil || len(servers) != len(Servers) {
		t.Errorf("%s: %v, %v", r.Name, servers, err)
	}
	for name, value := range servers {
		for _, problem := range serverShapes[r.Name].check(value) {
			t.Errorf("%s, %s: %s", r.Name, name, problem)
		}
		program, args := commandOf(value)
		if filepath.IsAbs(program) != r.Desktop {
			t.Errorf("%s starts %s", r.Name, program)
		}
		if !slices.Equal(args, []string{"serve", "--tools", "core"}) {
			t.Errorf("%s: %v", r.Name, args)
		}
	}
}

func checkHooks(t *testing.T, r *recipe, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	j, err := edit.ParseJSON(string(data))
	if err != nil {
		t.Fatal(err)
	}
	value, _ := j.Get("hooks")
	all, _ := value.(map[string]any)
	if len(all) < 3 {
		t.Errorf("%s has the hooks %v", r.Name, all)
	}
	command := shape{map[string]string{"type": "command", "command": "string", "timeout": "number", "name": "string"}, []string{"type", "command"}}
	group := shape{map[string]string{"matcher": "string", "hooks": "list"}, nil}
	flat := shape{map[string]string{"matcher": "string", "command": "string", "timeout": "number"}, []string{"command"}}
	for event, list := range all {
		if !slices.Contains(moments[r.Name], event) {
			t.Errorf("%s has no moment %s", r.Name, event)
		}
		for _, element := range list.([]any) {
			if r.Name == "cursor" {
				for _, problem := range flat.check(element) {
					t.Errorf("%s, %s: %s", r.Name, event, problem)
				}
				continue
			}
			o := element.(map[string]any)
			hooks := o["hooks"].([]any)
			delete(o, "hooks")
			for _, problem := range append(group.check(o), command.check(hooks[0])...) {
				t.Errorf("%s, %s: %s", r.Name, event, problem)
			}
		}
	}
	if strings.HasPrefix(filepath.Base(file), "hooks") && r.Name == "cursor" {
		if version, _ := j.Get("version"); version != 1.0 {
			t.Errorf("%s: version %v", file, version)
		}
	}
}

// Codex trusts a hook by its text. This text has been the same since the first version; a change would make Codex ask every user again.
func TestCodexHooksAreConstant(t *testing.T) {
	l := newLab(t)
	s := l.setup(Options{})
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	r := recipeOf("codex")
	var got []string
	for _, e := range r.Hooks.Events {
		got = append(got, s.hookCommand(r, e))
	}
	want := []string{"memoryd hook session-start --client codex", "memoryd hook session-end --client codex", "memoryd hook tool --client codex", "agit check --hook",
		"agit hook session-start --client codex", "agit hook user-prompt-submit --client codex", "agit hook pre-tool-use --client codex",
		"agit hook post-tool-use --client codex", "agit hook permission-request --client codex", "agit hook stop --client codex", "agit hook session-end --client codex"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Skills and definitions have the front matter that clients require.
func TestContent(t *testing.T) {
	for _, name := range skillNames {
		front, _, ok := strings.Cut(strings.TrimPrefix(embedded("skills/"+name+"/SKILL.md"), "---\n"), "\n---\n")
		if !ok || !strings.HasPrefix(front, "name: "+name+"\ndescription: ") || strings.Count(front, "\n") != 1 || len(front) > 1024 {
			t.Errorf("%s: %q", name, front)
		}
	}
	for _, name := range agentNames {
		description, prompt := definition(embedded("agents/" + name + ".md"))
		if description == "" || strings.Contains(description, ": ") || !strings.HasPrefix(prompt, "You ") {
			t.Errorf("%s: %q, %q", name, description, prompt)
		}
		doc, err := edit.ParseTOML(codexAgent(name, description, prompt))
		if err != nil || doc["developer_instructions"] != prompt {
			t.Errorf("%s for Codex: %v", name, err)
		}
	}
}
