package wall

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// state is a folder with a client's persistent state. Only the entries in Keeps can be written. Other files are copied, so that the
// client may change them for the run. Other folders are read-only, because settings in them make the client run programs later.
type state struct {
	Variable string   // environment variable with the folder's path
	Folder   string   // below the home when the variable is not set, or below the variable's folder with Below
	Below    string   // in the variable's folder
	Keeps    []string // entries that can be written; nil means all
	Fixed    []string // entries of a writable folder that stay read-only
}

// states are the state folders of clients, by their documentation and by inspection of their files.
var states = map[string][]state{
	"claude": {{Variable: "CLAUDE_CONFIG_DIR", Folder: ".claude", Keeps: []string{"projects", "todos", "tasks", "sessions", "session-env", "shell-snapshots", "file-history", "plans",
		"statsig", "debug", "history.jsonl", ".credentials.json"}}},
	"codex": {{Variable: "CODEX_HOME", Folder: ".codex", Keeps: []string{"sessions", "archived_sessions", "log", "history.jsonl", "auth.json", "shell_snapshots"}}},
	"opencode": {
		{Variable: "XDG_DATA_HOME", Below: "opencode", Folder: ".local/share/opencode", Fixed: []string{"bin", "plugins"}},
		{Variable: "XDG_STATE_HOME", Below: "opencode", Folder: ".local/state/opencode"},
	},
	"gemini":  {{Folder: ".gemini", Keeps: []string{"tmp", "history", "oauth_creds.json", "google_accounts.json", "installation_id"}}},
	"cursor":  {{Folder: ".cursor", Keeps: []string{"chats", "projects"}}, {Folder: ".config/cursor", Keeps: []string{"auth.json"}}},
	"copilot": {{Folder: ".copilot", Keeps: []string{"session-state", "history-session-state", "logs"}}},
	"goose":   {{Variable: "XDG_DATA_HOME", Below: "goose", Folder: ".local/share/goose"}, {Variable: "XDG_STATE_HOME", Below: "goose", Folder: ".local/state/goose"}},
	"qwen":    {{Folder: ".qwen", Keeps: []string{"tmp", "projects", "oauth_creds.json", "installation_id"}}},
	"kimi":    {{Folder: ".kimi", Keeps: []string{"sessions", "credentials", "logs"}}},
	"auggie":  {{Folder: ".augment", Keeps: []string{"sessions", "session.json"}}},
	"droid":   {{Folder: ".factory", Keeps: []string{"sessions", "auth.json", "logs"}}},
	"vibe":    {{Folder: ".vibe", Keeps: []string{"logs", "sessions"}}},
}

// beside are files that a client keeps directly in the home folder.
var beside = map[string][]string{"claude": {".claude.json"}}

// largestCopy bounds a file that is copied into the sandbox.
const largestCopy = 16 << 20

// stateOf returns the mounts of a client's state.
func stateOf(client, home string, env []string) (list []mount) {
	for _, s := range states[client] {
		if folder := resolved(s.at(home, env)); folder != "" {
			list = append(list, s.mounts(folder)...)
		}
	}
	for _, name := range beside[client] {
		if p := resolved(filepath.Join(home, name)); p != "" {
			list = append(list, mount{how: copied, at: p}) // it names programs that the client starts
		}
	}
	return list
}

func (s state) at(home string, env []string) string {
	if p := lookUp(env, s.Variable); s.Variable != "" && filepath.IsAbs(p) {
		return filepath.Join(p, s.Below)
	}
	return filepath.Join(home, filepath.FromSlash(s.Folder))
}

func (s state) mounts(folder string) (list []mount) {
	if s.Keeps == nil {
		list = append(list, mount{how: write, at: folder})
		for _, name := range s.Fixed {
			if p := filepath.Join(folder, name); os.MkdirAll(p, 0o700) == nil {
				list = append(list, mount{how: read, at: p})
			}
		}
		return list
	}
	list = append(list, mount{how: fresh, at: folder})
	for _, name := range s.Keeps {
		if p := filepath.Join(folder, name); !exists(p) && !strings.Contains(strings.TrimPrefix(name, "."), ".") {
			_ = os.Mkdir(p, 0o700) // so that files written there persist
		}
	}
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		p := filepath.Join(folder, e.Name())
		info, err := os.Stat(p)
		if err != nil {
			continue // a dangling link
		}
		m := mount{how: read, at: p}
		switch {
		case slices.Contains(s.Keeps, e.Name()):
			m.how = write
		case info.Mode().IsRegular() && info.Size() <= largestCopy:
			m.how = copied
		case !info.IsDir() && !info.Mode().IsRegular():
			continue // a socket or a device
		}
		if real := resolved(p); real != p {
			m.from = real
		}
		list = append(list, m)
	}
	return list
}
