package obstacle

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/git"
)

// A client's own files are not work, unless a person has such a file, or they are worktrees.
func TestClientFiles(t *testing.T) {
	t.Parallel()
	main := t.TempDir()
	for _, name := range []string{".opencode/package.json", ".claude/settings.local.json"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(main, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(main, name), []byte("main"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{
		".opencode/package.json":            true, // whatever main has
		".opencode/package-lock.json":       true,
		".opencode/.gitignore":              true,
		".opencode/node_modules/a/index.js": true,
		".opencode/plan.md":                 true,
		".claude/settings.local.json":       false, // main's differs: a person brought it
		".claude/todo.json":                 true,
		".claude/worktrees/sso/login.go":    false,
		".gemini/tmp/worktrees":             false,
		".codex/log":                        true,
		".aider.chat.history.md":            true,
		".aider":                            false,
		"data/.opencode/package.json":       false,
		".opencodes/package.json":           false,
		"notes.txt":                         false,
		".env":                              false,
		".vscode/settings.json":             false,
	} {
		if got := ofClient(&git.Repo{WorkTree: main}, name); got != want {
			t.Errorf("%s is a client's: %t", name, got)
		}
	}
	if !ofClient(&git.Repo{WorkTree: main, Bare: true}, ".claude/settings.local.json") {
		t.Error("a bare repository has no files of a person")
	}
	dir := t.TempDir()
	for _, name := range []string{".opencode/package.json", ".opencode/worktrees/x", "secret.txt"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("here"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := precious(&git.Repo{WorkTree: main}, dir, []string{".opencode/", ".opencode/package.json", "secret.txt"})
	if len(got) != 2 || got[0] != ".opencode/worktrees/x" || got[1] != "secret.txt" {
		t.Errorf("precious are %q", got)
	}
}
