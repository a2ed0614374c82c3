package setup

import (
	"cmp"
	"sync"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
)

// A recipe describes where a client reads which items, and in which form. Paths begin with the name of a root in braces (paths.go).
type recipe struct {
	Name     string
	Title    string
	Marks    []string // files and folders that show that the client is used
	Programs []string // programs on PATH that show it, too
	Desktop  bool     // it is started without the shell's PATH
	Servers  servers
	Hooks    hooks
	Skills   folders
	// OwnSkills are other folders where the client reads skills: a skill in one of them is not put in a second time.
	OwnSkills []folders
	Agents    agents
	Habits    habits
	Fill      filler
	Plugin    plugged // how to detect the suite's plugin
}

// filler is a project file with which the client fills the worktrees that it makes. It is put in only on request; the zero value stands for
// none.
type filler struct{ File, Text string }

// folders are a project's folder and the user's, "" for none.
type folders struct{ Project, User string }

func (f folders) of(s Scope) string {
	if s == User {
		return f.User
	}
	return f.Project
}

// servers is how a client registers MCP servers.
type servers struct {
	Project []string // the first existing file, else the first of all
	User    []string
	TOML    bool
	Key     string      // name of the object that holds the servers
	Seeds   edit.Object // initial content of a new file
	Entry   func(program string, args []string) edit.Object
}

func (s servers) of(scope Scope) []string {
	if scope == User {
		return s.User
	}
	return s.Project
}

// hooks is how a client is told which command to run at which event.
type hooks struct {
	folders
	Seeds   edit.Object
	Plugin  bool   // one file of ours does it
	Plugins string // the key of the servers' file that lists plugins, "" for none
	Events  []event
	// Worktrees are hooks that make worktrees for the client. They are put in only on request.
	Worktrees []event
	// Entry returns one element of an event's list.
	Entry func(e event, command string) edit.Object
}

// event is one hook: a command and when it runs.
type event struct {
	Name    string // of the item
	Event   string // the client's name of the event
	Matcher string
	Program string
	Args    string
	Seconds int
}

// agents is how a client's agent definitions are written.
type agents struct {
	folders
	Suffix string
	Write  func(name, description, prompt string) string
	// InServers is set when the servers' file may also hold definitions, below "agent".
	InServers bool
}

// habits is where a client reads instructions.
type habits struct {
	User   string // the file with the user's block
	Import string // project file that the client reads instead of AGENTS.md
	Also   []string
	Line   string // the line that makes it read AGENTS.md
	Within int    // how many bytes of the user's file it reads; 0 is all
}

const (
	// codexReads is how many bytes of a project's instructions Codex reads: the default of project_doc_max_bytes is 32 KiB
	// (https://developers.openai.com/codex/config-reference).
	codexReads = 32 << 10
	// windsurfReads is how many characters of global rules Windsurf reads (https://docs.windsurf.com/windsurf/cascade/memories).
	windsurfReads = 6000
)

// The file with the block of a project's habits.
const agentsMD = "{project}/AGENTS.md"

// shared is the folder of skills that most clients read.
var sharedSkills = folders{Project: "{project}/.agents/skills", User: "{home}/.agents/skills"}

// recipes returns the recipe of each client. Most commands of agit do not need this table.
var recipes = sync.OnceValue(func() []*recipe {
	return []*recipe{
		{
			Name: "claude-code", Title: "Claude Code", Programs: []string{"claude"},
			Marks: []string{"{project}/.claude", "{project}/.mcp.json", "{project}/CLAUDE.md", "{claude}", "{claude-state}"},
			Servers: servers{
				Project: []string{"{project}/.mcp.json"}, User: []string{"{claude-state}"},
				Key: "mcpServers", Entry: typedEntry,
			},
			Hooks:  hooks{folders: folders{"{project}/.claude/settings.json", "{claude}/settings.json"}, Events: append(claudeEvents("claude-code", "Edit|Write|MultiEdit|NotebookEdit"), state("claude-code", "Notification")), Worktrees: []event{worktreeCreate}, Entry: groupedHook},
			Skills: folders{"{project}/.claude/skills", "{claude}/skills"},
			Agents: agents{folders: folders{"{project}/.claude/agents", "{claude}/agents"}, Suffix: ".md", Write: namedAgent},
			Habits: habits{User: "{claude}/CLAUDE.md", Import: "{project}/CLAUDE.md", Also: []string{"{project}/.claude/CLAUDE.md"}, Line: "@AGENTS.md"},
			Plugin: plugged{JSON: []string{"{claude}/settings.json", "{project}/.claude/settings.json", "{project}/.claude/settings.local.json"}, Brings: []Kind{KindServer, KindHook, KindSkill, KindAgent}},
		},
		{
			Name: "codex", Title: "Codex", Programs: []string{"codex"},
			Marks: []string{"{project}/.codex", "{codex}"},
			Servers: servers{
				Project: []string{"{project}/.codex/config.toml"}, User: []string{"{codex}/config.toml"},
				TOML: true, Key: "mcp_servers", Entry: commandEntry,
			},
			// Codex asks the user again when a command changes, so the command holds no path and no version.
			Hooks:  hooks{folders: folders{"{project}/.codex/hooks.json", "{codex}/hooks.json"}, Events: claudeEvents("codex", "apply_patch|Edit|Write"), Entry: groupedHook},
			Skills: sharedSkills,
			Agents: agents{folders: folders{"{project}/.codex/agents", "{codex}/agents"}, Suffix: ".toml", Write: codexAgent},
			Habits: habits{User: "{codex}/AGENTS.md", Within: codexReads},
			Fill:   filler{"{project}/.codex/environments/environment.toml", codexEnvironment},
			Plugin: plugged{TOML: "{codex}/config.toml", Brings: []Kind{KindServer, KindHook, KindSkill}},
		},
		{
			Name: "cursor", Title: "Cursor", Programs: []string{"cursor", "cursor-agent"}, Desktop: true,
			Marks:   []string{"{project}/.cursor", "{home}/.cursor", "{config}/Cursor"},
			Servers: servers{Project: []string{"{project}/.cursor/mcp.json"}, User: []string{"{home}/.cursor/mcp.json"}, Key: "mcpServers", Entry: commandEntry},
			Hooks: hooks{
				folders: folders{"{project}/.cursor/hooks.json", "{home}/.cursor/hooks.json"}, Seeds: edit.Object{{Key: "version", Value: 1}},
				Events: cursorEvents, Entry: flatHook,
			},
			Fill:   filler{"{project}/.cursor/worktrees.json", cursorWorktrees},
			Skills: sharedSkills,
			Agents: agents{folders: folders{"{project}/.cursor/agents", "{home}/.cursor/agents"}, Suffix: ".md", Write: namedAgent},
		},
		{
			Name: "vscode", Title: "VS Code", Programs: []string{"code", "code-insiders"}, Desktop: true,
			Marks:   []string{"{project}/.vscode", "{vscode}", "{home}/.vscode", "{home}/.vscode-insiders"},
			Servers: servers{Project: []string{"{project}/.vscode/mcp.json"}, User: []string{"{vscode}/User/mcp.json"}, Key: "servers", Entry: typedEntry},
			Skills:  sharedSkills,
			Agents:  agents{folders: folders{Project: "{project}/.github/agents"}, Suffix: ".agent.md", Write: describedAgent},
		},
		{
			Name: "opencode", Title: "opencode", Programs: []string{"opencode"},
			Marks: []string{"{project}/.opencode", "{project}/opencode.json", "{project}/opencode.jsonc", "{xdg}/opencode"},
			Servers: servers{
				Project: []string{"{project}/opencode.json", "{project}/opencode.jsonc", "{project}/.opencode/opencode.json", "{project}/.opencode/opencode.jsonc"},
				User:    []string{"{xdg}/opencode/opencode.json", "{xdg}/opencode/opencode.jsonc"},
				Key:     "mcp", Entry: opencodeEntry, Seeds: edit.Object{{Key: "$schema", Value: "https://opencode.ai/config.json"}},
			},
			Hooks:  hooks{folders: folders{"{project}/.opencode/plugins/agit.js", "{xdg}/opencode/plugins/agit.js"}, Plugin: true, Plugins: "plugin"},
			Skills: sharedSkills, OwnSkills: []folders{{"{project}/.opencode/skills", "{xdg}/opencode/skills"}, {"{project}/.claude/skills", "{claude}/skills"}},
			Agents: agents{folders: folders{"{project}/.opencode/agents", "{xdg}/opencode/agents"}, Suffix: ".md", Write: opencodeAgent, InServers: true},
			Habits: habits{User: "{xdg}/opencode/AGENTS.md"},
		},
		{
			Name: "gemini", Title: "Gemini CLI", Programs: []string{"gemini"},
			Marks:   []string{"{project}/.gemini", "{project}/GEMINI.md", "{gemini}"},
			Servers: servers{Project: []string{"{project}/.gemini/settings.json"}, User: []string{"{gemini}/settings.json"}, Key: "mcpServers", Entry: commandEntry},
			Hooks:   hooks{folders: folders{"{project}/.gemini/settings.json", "{gemini}/settings.json"}, Events: geminiEvents, Entry: geminiHook},
			Skills:  sharedSkills,
			Agents:  agents{folders: folders{"{project}/.gemini/agents", "{gemini}/agents"}, Suffix: ".md", Write: namedAgent},
			Habits:  habits{User: "{gemini}/GEMINI.md", Import: "{project}/GEMINI.md", Line: "@./AGENTS.md"},
			Plugin:  plugged{Folder: "{gemini}/extensions/agit", Brings: []Kind{KindServer, KindHook, KindSkill}},
		},
		{
			Name: "windsurf", Title: "Windsurf", Programs: []string{"windsurf"}, Desktop: true,
			Marks:   []string{"{project}/.windsurf", "{home}/.codeium/windsurf"},
			Servers: servers{User: []string{"{home}/.codeium/windsurf/mcp_config.json"}, Key: "mcpServers", Entry: commandEntry},
			Skills:  sharedSkills,
			Habits:  habits{User: "{home}/.codeium/windsurf/memories/global_rules.md", Within: windsurfReads},
		},
		{
			Name: "zed", Title: "Zed", Programs: []string{"zed", "zeditor"}, Desktop: true,
			Marks:   []string{"{project}/.zed", "{zed}"},
			Servers: servers{Project: []string{"{project}/.zed/settings.json"}, User: []string{"{zed}/settings.json"}, Key: "context_servers", Entry: zedEntry},
		},
	}
})

// Names returns the names of all clients.
func Names() (names []string) {
	for _, r := range recipes() {
		names = append(names, r.Name)
	}
	return names
}

// otherNames are other names of clients, used by `agit work` and by people.
var otherNames = map[string]string{"claude": "claude-code", "gemini-cli": "gemini", "cursor-agent": "cursor", "code": "vscode"}

// NameOf returns the name that setup uses for a client, given any of its names.
func NameOf(name string) string {
	return cmp.Or(otherNames[name], name)
}

func recipeOf(name string) *recipe {
	name = NameOf(name)
	for _, r := range recipes() {
		if r.Name == name {
			return r
		}
	}
	return nil
}
