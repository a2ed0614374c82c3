package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The demo runs on any repository: with an odd path, files of empty or equal lines, and files with a merge driver.
func TestDemo(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("the demo is a script for bash")
	}
	t.Parallel()
	h := newHome(t)
	h.repo = filepath.Join(h.dir, "with a blank", "and one's quote")
	must(t, os.MkdirAll(h.repo, 0o755))
	for name, text := range map[string]string{
		".gitattributes": strings.Repeat("*.log merge=union\n", 25),
		"a.log":          strings.Repeat("merged by itself\n", 30),
		"b alike.txt":    strings.Repeat("alike\n", 30),
		"c empty.txt":    strings.Repeat("\n", 30),
		"d.txt":          strings.Repeat("\n", 29) + "the only line that says something\n",
		"e.txt":          strings.Repeat("x\n", 30),
		"f.txt":          strings.Repeat("y\n", 30),
	} {
		must(t, os.WriteFile(filepath.Join(h.repo, name), []byte(text), 0o644))
	}
	h.ok("git", "init", "-q")
	h.ok("git", "add", ".")
	h.ok("git", "commit", "-qm", "first")
	h.ok("git", "checkout", "-q", "--detach")
	script, err := filepath.Abs("../scripts/demo")
	must(t, err)
	cmd := exec.Command("bash", script, binaries, h.repo)
	cmd.Env, cmd.Dir = h.env, h.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := strings.Count(string(out), "\n"); n > 59 { // with the line of make before it, 60
		t.Errorf("the demo prints %d lines, which is more than a person reads:\n%s", n, out)
	}
	for _, odd := range []string{"\x1b", `\ `, "null", "its states", h.dir} {
		if strings.Contains(string(out), odd) {
			t.Errorf("the demo prints %q:\n%s", odd, out)
		}
	}
}
