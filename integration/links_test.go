package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// The target of a committed link outside of a clone is neither shown to an agent nor written to for one.
func TestLinkedMemoriesOverMCP(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	h := newHome(t)
	private := filepath.Join(h.dir, "private", "docs")
	write(t, private, "notes.md", "# Notes\n\npalladium, see one.txt:1\n")
	must(t, os.MkdirAll(filepath.Join(h.repo, ".serena"), 0o755))
	must(t, os.Symlink(filepath.Join("..", "..", "private", "docs"), filepath.Join(h.repo, ".serena", "memories")))
	cmd := exec.Command(filepath.Join(binaries, "citecheck"), "serve")
	cmd.Dir, cmd.Env = h.repo, h.env
	client := mcpclient.Command(t, cmd)
	for tool, args := range map[string]map[string]any{
		"cite_search": {"query": "palladium"},
		"cite_add":    {"memory": "notes", "path": "one.txt", "line": 1},
		"cite_verify": {"memory": "notes"},
		"cite_health": {},
		"cite_graph":  {"memory": "notes"},
	} {
		var out map[string]any
		err := client.CallJSON(t.Context(), tool, args, &out)
		if err == nil || !strings.Contains(err.Error(), "leads outside of the repository") {
			t.Errorf("%s: %v, %v", tool, out, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(private, "notes.md")); err != nil || strings.Contains(string(text), "| File") {
		t.Errorf("what lies outside became %q, %v", text, err)
	}
}
