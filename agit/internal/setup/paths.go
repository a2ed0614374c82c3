package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// roots are the folders with which recipes' paths begin.
func roots(project, home string, getenv func(string) string) map[string]string {
	or := func(name, fallback string) string {
		if path := getenv(name); filepath.IsAbs(path) {
			return path
		}
		return fallback
	}
	xdg := or("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	config, zed := xdg, filepath.Join(xdg, "zed")
	switch runtime.GOOS {
	case "darwin":
		config = filepath.Join(home, "Library", "Application Support")
	case "windows":
		config = or("APPDATA", filepath.Join(home, "AppData", "Roaming"))
		zed = filepath.Join(config, "Zed")
	}
	vscode := filepath.Join(config, "Code")
	if !exists(vscode) {
		for _, like := range []struct{ folder, program string }{{"Code - Insiders", "code-insiders"}, {"VSCodium", "codium"}} {
			if exists(filepath.Join(config, like.folder)) || lookPath("code", getenv("PATH")) == "" && lookPath(like.program, getenv("PATH")) != "" {
				vscode = filepath.Join(config, like.folder)
				break
			}
		}
	}
	claude := or("CLAUDE_CONFIG_DIR", filepath.Join(home, ".claude"))
	state := filepath.Join(home, ".claude.json")
	if claude == getenv("CLAUDE_CONFIG_DIR") {
		state = filepath.Join(claude, ".claude.json")
	}
	return map[string]string{
		"project": project, "home": home, "xdg": xdg, "config": config, "zed": zed,
		"claude": claude, "claude-state": state, "codex": or("CODEX_HOME", filepath.Join(home, ".codex")),
		"gemini": filepath.Join(or("GEMINI_CLI_HOME", home), ".gemini"), "vscode": vscode,
	}
}

// path returns a recipe's path with its root filled in; "" stays "".
func (s *Setup) path(template string) string {
	root, rest, ok := strings.Cut(strings.TrimPrefix(template, "{"), "}")
	if !ok {
		return ""
	}
	return filepath.Join(s.roots[root], filepath.FromSlash(rest))
}

// firstOf returns the first path that exists, else the first of all.
func (s *Setup) firstOf(templates []string) string {
	for _, t := range templates {
		if _, err := os.Lstat(s.path(t)); err == nil {
			return s.path(t)
		}
	}
	if len(templates) == 0 {
		return ""
	}
	return s.path(templates[0])
}

// lookPath finds a program in the folders of a PATH; it returns "" when none has it.
func lookPath(name, path string) string {
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue
		}
		for _, suffix := range programSuffixes() {
			candidate := filepath.Join(folder, name+suffix)
			if info, err := os.Stat(candidate); err == nil && runnable(info) {
				return candidate
			}
		}
	}
	return ""
}

func programSuffixes() []string {
	if runtime.GOOS == "windows" {
		return []string{".exe", ".cmd", ".bat"}
	}
	return []string{""}
}

func runnable(info os.FileInfo) bool {
	return info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0)
}

// samePlace reports whether two paths lead to one file.
func samePlace(a, b string) bool { return a != "" && b != "" && real(a) == real(b) }

// follow returns the target of a path. Links may not lead out of the project or the home folder, unless their target was named.
func (s *Setup) follow(path string) (string, error) {
	at, rest := path, ""
	for {
		where, err := filepath.EvalSymlinks(at)
		if err == nil {
			where = filepath.Join(where, rest)
			if !s.mayWrite(where) {
				return "", fault.Conflict("file", path, "%q is a link that leads outside, to %q", path, where).WithHint("name that with --through to write there")
			}
			return where, nil
		}
		if info, lerr := os.Lstat(at); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return "", fault.Conflict("file", path, "%q is a link to a file that does not exist", at)
		}
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(at) == at {
			return "", fault.Operation(err, "look at %q", path)
		}
		at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest)
	}
}

func (s *Setup) mayWrite(place string) bool {
	inside := append([]string{s.Home, s.roots["claude"], s.roots["codex"], s.roots["xdg"], s.roots["config"], s.roots["gemini"]}, s.Options.Through...)
	if s.Options.Scope == Project {
		inside = append([]string{s.Dir}, s.Options.Through...)
		if rel, err := filepath.Rel(real(s.Dir), place); err != nil || !filepath.IsLocal(rel) { // a client that has only user files
			for _, r := range recipes() {
				if len(r.Servers.Project) == 0 && slices.Contains(s.Options.Clients, r.Name) && s.firstOf(r.Servers.User) == place {
					return true
				}
			}
		}
	}
	for _, folder := range inside {
		if folder == "" {
			continue
		}
		if rel, err := filepath.Rel(real(folder), place); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
