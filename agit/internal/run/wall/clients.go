package wall

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// state is a folder in which a client keeps what it must not lose. In it only what Keeps names is written; other files are copied, so that the
// client may change them for the run, and other folders are read: settings there make the client run programs at any time later.
type state struct {
	Variable string   // that names the folder
	Folder   string   // below the home, when the variable is not set; or below the variable's, with Below
	Below    string   // in the variable's folder
	Keeps    []string // that are written; all of it when nil
	Fixed    []string // of a folder that is written whole: what is not
}

// states are the state folders of clients, as their documentation and their own files show them.
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

// beside are files of a client in the home itself.
var beside = map[string][]string{"claude": {".claude.json"}}

// largestCopy bounds a file that is copied into the wall.
const largestCopy = 16 << 20

// stateOf is how a client's state is seen.
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
			_ = os.Mkdir(p, 0o700) // so that what is written there stays
		}
	}
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		p := filepath.Join(folder, e.Name())
		info, err := os.Stat(p)
		if err != nil {
			continue // a link to nothing
		}
		m := mount{how: read, at: p}
		switch {
		case slices.Contains(s.Keeps, e.Name()):
			m.how = write
		case info.Mode().IsRegular() && info.Size() <= largestCopy:
			m.how = copied
		case !info.IsDir() && !info.Mode().IsRegular():
			continue // a socket, a device
		}
		if real := resolved(p); real != p {
			m.from = real
		}
		list = append(list, m)
	}
	return list
}
