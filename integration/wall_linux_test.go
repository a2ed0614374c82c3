package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// needWall skips a test where bubblewrap does not work: without it, or where user namespaces are off.
func needWall(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("bwrap", "--unshare-user-try", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true").CombinedOutput(); err != nil {
		t.Skipf("no sandbox can be made here (%v): %s", err, out)
	}
}

// plant writes files of a user, by their path in the home.
func (h *home) plant(files ...string) {
	h.t.Helper()
	for _, name := range files {
		file := filepath.Join(h.userHome(), filepath.FromSlash(name))
		must(h.t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(h.t, os.WriteFile(file, []byte("secret of "+name+"\n"), 0o600))
	}
}

// userHome is the folder that HOME names.
func (h *home) userHome() string {
	h.t.Helper()
	for i := len(h.env) - 1; i >= 0; i-- {
		if dir, ok := strings.CutPrefix(h.env[i], "HOME="); ok {
			return dir
		}
	}
	h.t.Fatal("there is no HOME")
	return ""
}

// TestWall lets an agent try to get past each wall. It does its task, and the host is as it was.
func TestWall(t *testing.T) {
	t.Parallel()
	needWall(t)
	h, _, played := workHome(t, "attack: it", "other: wait")
	attacker, err := filepath.Abs(filepath.Join("testdata", "wall", "attacker.sh"))
	must(t, err)
	h.plant(".ssh/id_ed25519", ".aws/credentials", ".config/gh/hosts.yml", ".netrc", ".profile", "vault/key")
	h.ok("agit", "config", "set", "work.sandbox", "bwrap")
	h.ok("agit", "config", "set", "work.sandbox_write", played)
	h.ok("agit", "config", "set", "work.sandbox_hide", "~/vault")
	h.ok("git", "branch", "agit/packed")
	h.ok("git", "gc", "-q")
	victim := h.ok("agit", "spawn", "app", "--agent", "bob", "--task", "T-2", "--json", "--jq", ".path")
	branch := h.ok("git", "-C", victim, "symbolic-ref", "--short", "HEAD")
	refs := h.ok("git", "for-each-ref", "--format=%(refname) %(objectname)")
	config, err := os.ReadFile(filepath.Join(h.repo, ".git", "config"))
	must(t, err)
	marker, err := os.OpenFile(filepath.Join(h.dir, "inherited"), os.O_CREATE|os.O_WRONLY, 0o600)
	must(t, err)
	defer marker.Close()
	h.env = append(h.env, "AGIT_VICTIM="+victim, "AGIT_VICTIM_BRANCH="+branch, fmt.Sprintf("AGIT_WORKER=%d", os.Getpid()))
	cmd := h.command(t.Context(), "agit", "work", "app", "--agent", "ann", "--tasks", "1", "--", "sh", attacker)
	cmd.ExtraFiles = []*os.File{nil, nil, nil, nil, nil, nil, marker} // descriptor 9
	said, err := cmd.CombinedOutput()
	if err != nil || h.status("T-1") != "completed" {
		t.Errorf("the task is %s: %v\n%s\n%s", h.status("T-1"), err, said, h.logs())
	}
	if got, err := os.ReadFile(filepath.Join(played, "got")); err == nil {
		t.Errorf("it got past:\n%s", got)
	}
	if stray := h.stray(); len(stray) > 0 {
		t.Errorf("it left %v", stray)
	}
	now := h.ok("git", "for-each-ref", "--format=%(refname) %(objectname)")
	for line := range strings.Lines(refs) {
		if !strings.HasPrefix(line, "refs/heads/main ") && !strings.Contains(now, strings.TrimSpace(line)) {
			t.Errorf("the ref %s is gone or moved:\n%s", line, now)
		}
	}
	if after, err := os.ReadFile(filepath.Join(h.repo, ".git", "config")); err != nil || string(after) != string(config) {
		t.Errorf("git's settings are now %s, %v", after, err)
	}
	if inherited, err := os.ReadFile(marker.Name()); err != nil || len(inherited) > 0 {
		t.Errorf("what it wrote to an inherited descriptor: %q, %v", inherited, err)
	}
	for _, file := range []string{filepath.Join(played, "hooked"), filepath.Join(h.userHome(), "planted"), filepath.Join(h.repo, "stolen.txt"), filepath.Join(victim, "stolen.txt")} {
		if _, err := os.Lstat(file); err == nil {
			t.Errorf("it made %s", file)
		}
	}
	h.ok("git", "fsck", "--strict")
}
