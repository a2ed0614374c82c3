package setup

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
)

// The shapes that clients give a server.

func commandEntry(program string, args []string) edit.Object {
	return edit.Object{{Key: "command", Value: program}, {Key: "args", Value: args}}
}

func typedEntry(program string, args []string) edit.Object {
	return append(edit.Object{{Key: "type", Value: "stdio"}}, commandEntry(program, args)...)
}

func zedEntry(program string, args []string) edit.Object {
	return append(commandEntry(program, args), edit.Member{Key: "env", Value: edit.Object{}})
}

func opencodeEntry(program string, args []string) edit.Object {
	return edit.Object{{Key: "type", Value: "local"}, {Key: "command", Value: append([]string{program}, args...)}, {Key: "enabled", Value: true}}
}

// commandOf reads the program and its arguments from any of these shapes.
func commandOf(value any) (program string, args []string) {
	o, ok := value.(map[string]any)
	if !ok {
		return "", nil
	}
	switch c := o["command"].(type) {
	case string:
		program, args = c, words(o["args"])
	case []any:
		if all := words(c); len(all) > 0 {
			program, args = all[0], all[1:]
		}
	case map[string]any: // Zed's older shape
		program, _ = c["path"].(string)
		args = words(c["args"])
	}
	return program, args
}

func words(value any) (all []string) {
	list, _ := value.([]any)
	for _, e := range list {
		word, _ := e.(string)
		all = append(all, word)
	}
	return all
}

// The shapes that clients give a hook.

func groupedHook(e event, command string) edit.Object {
	hook := edit.Object{{Key: "type", Value: "command"}, {Key: "command", Value: command}, {Key: "timeout", Value: e.Seconds}}
	return withMatcher(e, edit.Member{Key: "hooks", Value: []any{hook}})
}

func geminiHook(e event, command string) edit.Object {
	const millisecond = 1000 // in a second
	hook := edit.Object{{Key: "name", Value: e.Name}, {Key: "type", Value: "command"}, {Key: "command", Value: command}, {Key: "timeout", Value: e.Seconds * millisecond}}
	return withMatcher(e, edit.Member{Key: "hooks", Value: []any{hook}})
}

func flatHook(e event, command string) edit.Object {
	return withMatcher(e, edit.Member{Key: "command", Value: command}, edit.Member{Key: "timeout", Value: e.Seconds})
}

func withMatcher(e event, rest ...edit.Member) edit.Object {
	if e.Matcher == "" {
		return rest
	}
	return append(edit.Object{{Key: "matcher", Value: e.Matcher}}, rest...)
}

// Time limits of hooks. memoryd and agit check give up after three seconds; the clients' own limits come after that.
const (
	sessionSeconds = 10
	endSeconds     = 3 // Codex cuts a longer limit, with a warning
	toolSeconds    = 5
	// worktreeSeconds is Claude Code's own limit: the command ends earlier.
	worktreeSeconds = 600
)

// claudeEvents returns the events of Claude Code and of clients modelled on it.
func claudeEvents(client, edits string) []event {
	return eventsOf(client, occasions{"SessionStart", "SessionEnd", "PostToolUse", "PreToolUse"}, edits, endSeconds,
		"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest", "Stop", "SessionEnd")
}

var cursorEvents = eventsOf("cursor", occasions{"sessionStart", "sessionEnd", "postToolUse", "preToolUse"}, "Write", sessionSeconds,
	"sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUse", "stop", "sessionEnd")

// geminiEvents check after an edit: only then does Gemini CLI accept a hook's text.
var geminiEvents = eventsOf("gemini", occasions{"SessionStart", "SessionEnd", "AfterTool", "AfterTool"}, "write_file|replace", sessionSeconds,
	"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "Notification", "AfterAgent", "SessionEnd")

// occasions are a client's names of the events at which memoryd listens and edits are checked.
type occasions struct{ start, end, tool, edit string }

// eventsOf returns the hooks of a client: memoryd's, the check of the tools that edit, and what the agent is doing at the given states. At
// the session's end it waits for a number of seconds.
func eventsOf(client string, at occasions, edits string, endSeconds int, states ...string) []event {
	all := []event{
		{"session-start", at.start, "", "memoryd", "hook session-start --client " + client, sessionSeconds},
		{"session-end", at.end, "", "memoryd", "hook session-end --client " + client, endSeconds},
		{"tool", at.tool, "", "memoryd", "hook tool --client " + client, toolSeconds},
		{"check", at.edit, edits, "agit", "check --hook", toolSeconds},
	}
	for _, moment := range states {
		all = append(all, state(client, moment))
	}
	return all
}

// worktreeCreate is the hook with which Claude Code makes worktrees. It replaces the client's own way and fails closed: the command makes a
// plain worktree when it can make no other.
var worktreeCreate = event{"worktree-create", "WorktreeCreate", "", "agit", "worktree-hook create --client claude-code", worktreeSeconds}

// The files by which Cursor and Codex run a command in the worktrees that they make.
const (
	cursorWorktrees  = "{\n  \"setup-worktree\": [\"agit worktree-hook setup\"]\n}\n"
	codexEnvironment = "version = 1\nname = \"agit\"\n\n[setup]\nscript = \"agit worktree-hook setup\"\n"
)

// state returns the hook that reports what the agent is doing. Its command spells the event the same way for all clients.
func state(client, moment string) event {
	var name strings.Builder
	for i, r := range moment {
		if unicode.IsUpper(r) && i > 0 {
			name.WriteByte('-')
		}
		name.WriteRune(unicode.ToLower(r))
	}
	seconds := toolSeconds
	if moment == "SessionEnd" {
		seconds = endSeconds
	}
	return event{"state-" + name.String(), moment, "", "agit", "hook " + name.String() + " --client " + client, seconds}
}

// The shapes that clients give an agent definition.

func namedAgent(name, description, prompt string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: %s\n---\n%s", name, description, prompt)
}

func describedAgent(_, description, prompt string) string {
	return fmt.Sprintf("---\ndescription: %s\n---\n%s", description, prompt)
}

func opencodeAgent(_, description, prompt string) string {
	return fmt.Sprintf("---\ndescription: %s\nmode: all\n---\n%s", description, prompt)
}

func codexAgent(name, description, prompt string) string {
	return fmt.Sprintf("name = %q\ndescription = %q\ndeveloper_instructions = '''\n%s'''\n", name, description, strings.ReplaceAll(prompt, "'''", "\"\"\""))
}
