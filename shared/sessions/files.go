package sessions

import (
	"encoding/json"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// mostFiles bounds how many files of one client are looked at.
const mostFiles = 200_000

// files lists the files below root whose paths below it match one of the patterns of path.Match, as deep as these. Links are not followed.
// Unreadable files and folders are passed to problem.
func files(root string, problem func(string, error), patterns ...string) (found []Source) {
	deepest := 0
	for _, p := range patterns {
		deepest = max(deepest, strings.Count(p, "/"))
	}
	wanted := func(rel string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { ok, err := path.Match(p, rel); return ok && err == nil })
	}
	var walk func(dir, rel string, left int)
	walk = func(dir, rel string, left int) {
		list, err := os.ReadDir(dir)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				problem(dir, err)
			}
			return
		}
		for _, one := range list {
			at, below := filepath.Join(dir, one.Name()), path.Join(rel, one.Name())
			switch {
			case one.IsDir() && left > 0:
				walk(at, below, left-1)
			case one.Type().IsRegular() && len(found) < mostFiles && wanted(below):
				if info, err := one.Info(); err == nil {
					found = append(found, Source{Path: at, Size: info.Size(), Mod: info.ModTime()})
				}
			}
		}
	}
	walk(root, "", deepest)
	return found
}

const markBytes = 4096

// HashEnds hashes the first and the last bytes of the first length bytes of a file, to tell a file that was replaced from one that grew. It
// returns -1 for a file that cannot be read.
func HashEnds(path string, length int64) int64 {
	h := fnv.New64a()
	if length == 0 {
		return int64(h.Sum64() >> 1)
	}
	in, err := os.Open(path)
	if err != nil {
		return -1
	}
	defer in.Close()
	n := min(length, markBytes)
	if _, err = io.Copy(h, io.NewSectionReader(in, 0, n)); err == nil {
		_, err = io.Copy(h, io.NewSectionReader(in, length-n, n))
	}
	if err != nil {
		return -1
	}
	return int64(h.Sum64() >> 1)
}

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
