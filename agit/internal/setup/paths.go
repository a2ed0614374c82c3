package setup

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
