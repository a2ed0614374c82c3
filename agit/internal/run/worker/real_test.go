package worker

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// packages are the clients that npm distributes.
var packages = map[string]string{"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex", "copilot": "@github/copilot",
	"gemini": "@google/gemini-cli", "opencode": "opencode-ai"}

// TestRealCommandLines installs the clients that npm distributes and looks for each option of their command lines in their own help.
func TestRealCommandLines(t *testing.T) {
	root := os.Getenv("AGIT_CLIENTS")
	if root == "" {
		t.Skip("`make check-clients` installs clients from npm and asks them")
	}
	if _, err := os.Stat(filepath.Join(root, "node_modules")); err != nil {
		root = t.TempDir()
		args := []string{"install", "--prefix", root, "--no-audit", "--no-fund"}
		for _, p := range packages {
			args = append(args, p)
		}
		if out, err := exec.Command("npm", args...).CombinedOutput(); err != nil {
			t.Skipf("npm could not install the clients: %v\n%s", err, out)
		}
	}
	hidden := map[string]bool{"--permission-prompt-tool": true} // Claude Code takes it, and leaves it out of its help; TestRealNight asks by it
	option := regexp.MustCompile(`^--?[A-Za-z]`)
	for name := range packages {
		t.Run(name, func(t *testing.T) {
			c, err := Find(name)
			if err != nil {
				t.Fatal(err)
			}
			lines := [][]string{c.Command}
			resumed := append(append([]string{}, c.Command[:c.Words]...), c.Resume...)
			lines = append(lines, append(resumed, c.Command[c.Words:]...))
			for i, line := range lines {
				words := c.Command[1:c.Words]
				if i == 1 && len(c.Resume) > 0 && !strings.HasPrefix(c.Resume[0], "-") {
					words = append(append([]string{}, words...), c.Resume[0])
				}
				help := says(t, root, c.Command[0], append(append([]string{}, words...), "--help"))
				for _, arg := range line[1:] {
					arg, _, _ = strings.Cut(arg, "=")
					if option.MatchString(arg) && !hidden[arg] && !regexp.MustCompile(`(?m)(^|[\s,])`+regexp.QuoteMeta(arg)+`\b`).MatchString(help) {
						t.Errorf("the help of %s %s does not have %s", c.Command[0], strings.Join(words, " "), arg)
					}
				}
			}
			t.Log(strings.TrimSpace(says(t, root, c.Command[0], []string{"--version"})))
		})
	}
}

// says returns the output of an installed client.
func says(t *testing.T, root, name string, args []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(root, "node_modules", ".bin", name), args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=1", "COLUMNS=200")
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return string(out)
}
