package sessions

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// editorFolders returns the User folders of the named editors that are based on VS Code ("Code", "Cursor"), on every system. They include
// servers, to which an editor elsewhere connects.
func editorFolders(home Home, names ...string) (all []string) {
	bases := []string{home.Env("XDG_CONFIG_HOME", filepath.Join(home.Dir, ".config")), filepath.Join(home.Dir, "Library", "Application Support")}
	if data := home.Env("APPDATA", ""); data != "" {
		bases = append(bases, data)
	}
	for _, name := range names {
		for _, base := range bases {
			all = append(all, filepath.Join(base, name, "User"))
		}
		if server, ok := map[string]string{"Code": ".vscode-server", "Code - Insiders": ".vscode-server-insiders", "Cursor": ".cursor-server"}[name]; ok {
			all = append(all, filepath.Join(home.Dir, server, "data", "User"))
		}
	}
	return all
}

// hosts are the editors whose extensions include agents.
var hosts = []string{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"}

// extensionTasks lists files of the name in the tasks of an extension, in every editor.
func extensionTasks(home Home, extension string, problem func(string, error), names ...string) (found []Source) {
	for _, user := range editorFolders(home, hosts...) {
		found = append(found, tasksIn(filepath.Join(user, "globalStorage", extension), problem, names...)...)
	}
	return found
}

func tasksIn(root string, problem func(string, error), names ...string) []Source {
	patterns := make([]string, len(names))
	for i, name := range names {
		patterns[i] = "*/" + name
	}
	return whole(files(filepath.Join(root, "tasks"), problem, patterns...))
}

// whole marks sources as files that are rewritten whole.
func whole(all []Source) []Source {
	for i := range all {
		all[i].Whole = true
	}
	return all
}

// workspaceFolder returns the folder of an editor's workspace storage, "" when it is not recorded or is on another machine.
func workspaceFolder(storage string) string {
	data, err := os.ReadFile(filepath.Join(storage, "workspace.json"))
	var w struct {
		Folder    string `json:"folder"`
		Workspace string `json:"workspace"`
	}
	if err != nil || json.Unmarshal(data, &w) != nil {
		return ""
	}
	if strings.HasPrefix(w.Folder, "vscode-remote:") && !strings.Contains(filepath.ToSlash(storage), "-server/") {
		return ""
	}
	if w.Folder == "" && w.Workspace != "" {
		if file := local(w.Workspace); file != "" {
			return filepath.Dir(file)
		}
	}
	return local(w.Folder)
}

// logged marks sources as databases, and includes their write-ahead logs in size and time.
func logged(all []Source) []Source {
	for i := range all {
		all[i].Database = true
		if log, err := os.Stat(all[i].Path + "-wal"); err == nil {
			all[i].Size += log.Size()
			if log.ModTime().After(all[i].Mod) {
				all[i].Mod = log.ModTime()
			}
		}
	}
	return all
}
