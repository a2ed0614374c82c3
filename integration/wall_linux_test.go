package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
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

// wallHome is a work home whose agents and gates are behind bubblewrap.
func wallHome(t *testing.T, tasks ...string) (h *home, client, played string) {
	t.Helper()
	needWall(t)
	h, client, played = workHome(t, tasks...)
	h.ok("agit", "config", "set", "work.sandbox", "bwrap")
	h.ok("agit", "config", "set", "work.sandbox_write", played)
	return h, client, played
}

// planted fails when something was written into the home, which no one but an agent's code would.
func (h *home) planted(by string) {
	h.t.Helper()
	if found, _ := filepath.Glob(filepath.Join(h.userHome(), "planted*")); len(found) > 0 {
		h.t.Errorf("%s wrote %v", by, found)
	}
}

// TestWallAroundWhatRunsLater lets an agent write what others run for it: a hook of git at the commit of what it left, a hook before the
// merge, the gate, and the gate of a person's merge.
func TestWallAroundWhatRunsLater(t *testing.T) {
	t.Parallel()
	h, _, played := wallHome(t, "leaves: it")
	hook := filepath.Join(h.repo, ".git", "hooks", "pre-commit")
	must(t, os.MkdirAll(filepath.Dir(hook), 0o755))
	gittest.WriteProgram(t, hook, "#!/bin/sh\n[ ! -e later.sh ] || sh later.sh commit\n")
	h.ok("agit", "config", "set", "gate", "sh later.sh gate")
	h.ok("agit", "config", "set", "hooks.pre_merge", "sh later.sh hook")
	client := filepath.Join(h.dir, "leaves.sh")
	must(t, os.WriteFile(client, []byte(`cat >/dev/null; printf 'echo "$1" >>"$AGIT_PLAYED/later"; echo x >"$HOME/planted-$1"; cat "$HOME/.ssh/id" >>"$AGIT_PLAYED/later"; echo x >"$(git rev-parse --git-common-dir)/hooks/post-merge"; true\n' >later.sh
`), 0o755))
	h.plant(".ssh/id")
	out, errs, code := h.run("agit", "work", "app", "--agent", "ann", "--tasks", "1", "--", "sh", client)
	if code != 0 || h.status("T-1") != "completed" {
		t.Fatalf("%d %s%s\n%s", code, out, errs, h.logs())
	}
	ran, err := os.ReadFile(filepath.Join(played, "later"))
	if err != nil || string(ran) != "commit\nhook\ngate\n" {
		t.Errorf("what ran: %q, %v", ran, err)
	}
	h.planted("what ran for the agent")
	if _, err := os.Lstat(filepath.Join(h.repo, ".git", "hooks", "post-merge")); err == nil {
		t.Error("it made a hook")
	}

	// The same by hand: the wall is the configuration's, whoever merges.
	tree := h.ok("agit", "spawn", "app", "--agent", "bob", "--json", "--jq", ".path")
	must(t, os.WriteFile(filepath.Join(tree, "bob.txt"), []byte("x\n"), 0o644))
	h.ok("git", "-C", tree, "add", "bob.txt")
	h.ok("git", "-C", tree, "-c", "core.hooksPath=/dev/null", "commit", "-qm", "bob")
	h.ok("agit", "merge", tree)
	h.planted("a person's merge")
	if ran, err := os.ReadFile(filepath.Join(played, "later")); err != nil || string(ran) != "commit\nhook\ngate\nhook\ngate\n" {
		t.Errorf("what ran: %q, %v", ran, err)
	}
}

// TestWallKilled kills the worker, or stops it, while its agent waits behind the wall with programs in sessions of their own: nothing
// runs on, and the next start lands the task.
func TestWallKilled(t *testing.T) {
	t.Parallel()
	needWall(t)
	for _, way := range []string{"kill -9", "SIGTERM"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			h, _, played := wallHome(t, "waits: it")
			client := filepath.Join(h.dir, "waits.sh")
			must(t, os.WriteFile(client, []byte(`cat >/dev/null
if [ ! -e "$AGIT_PLAYED/up" ]; then
	trap 'touch "$AGIT_PLAYED/asked"; exit 1' TERM
	setsid sh -c 'trap "" TERM; while :; do echo x >>"$AGIT_PLAYED/alive"; sleep 0.05; done' </dev/null >/dev/null 2>&1 &
	touch "$AGIT_PLAYED/up"
	while :; do sleep 0.05; done
fi
echo done >$AGIT_TASK.txt; git add $AGIT_TASK.txt; git commit -qm done
`), 0o755))
			cmd, said := h.worker("--agent", "ann", "--until-empty", "--", "sh", client)
			h.await(filepath.Join(played, "up"))
			h.await(filepath.Join(played, "alive"))
			if way == "kill -9" {
				must(t, cmd.Process.Kill())
			} else {
				must(t, cmd.Process.Signal(syscall.SIGTERM))
			}
			_ = cmd.Wait()
			within(t, "nothing of it runs", func() bool { return len(h.stray()) == 0 })
			if _, err := os.Stat(filepath.Join(played, "asked")); way == "SIGTERM" && err != nil {
				t.Errorf("the client was not asked to end: %v\n%s", err, said)
			}
			if out, errs, code := h.run("agit", "work", "app", "--agent", "ann", "--until-empty", "--json", "--", "sh", client); code != 0 || !strings.Contains(out, `"landed":1`) {
				t.Errorf("the next start: %d %s%s", code, out, errs)
			}
		})
	}
}

// TestWallOverTheProtocol lets agents of the protocol work behind the wall: their conversation goes through it, with questions and a
// session that is gone on with.
func TestWallOverTheProtocol(t *testing.T) {
	t.Parallel()
	h, _, _ := wallHome(t, "good: one", "asks: two", "limit: three")
	h.ok("agit", "config", "set", "work.ask_for", "0s")
	out, errs, code := h.run("agit", "work", "app", "--agent", "ann", "--until-empty", "--attempts", "1", "--json", "--env", "ACP_*", "--acp", "--", "fakeacp")
	if code != 0 || !strings.Contains(out, `"landed":3`) {
		t.Errorf("%d %s%s\n%s", code, out, errs, h.logs())
	}
}

// TestWallRefused starts nothing without the wall that is wanted, by the configuration or by the flag; doctor says the same.
func TestWallRefused(t *testing.T) {
	t.Parallel()
	h, client, played := workHome(t, "good: one")
	bin := filepath.Join(h.dir, "bin")
	must(t, os.MkdirAll(bin, 0o755))
	gittest.WriteProgram(t, filepath.Join(bin, "bwrap"), "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
	for i, setting := range h.env {
		if path, ok := strings.CutPrefix(setting, "PATH="); ok {
			h.env[i] = "PATH=" + bin + string(filepath.ListSeparator) + path
		}
	}
	refused := func(args ...string) {
		t.Helper()
		out, errs, code := h.run("agit", args...)
		for _, part := range []string{"the sandbox is not available: bwrap: No permissions to create new namespace", "allow user namespaces"} {
			if !strings.Contains(errs, part) {
				t.Errorf("agit %q lacks %q: %s%s", args, part, out, errs)
			}
		}
		if code != 5 {
			t.Errorf("agit %q: status %d", args, code)
		}
	}
	refused("work", "app", "--agent", "ann", "--until-empty", "--sandbox", "bwrap", "--", client)
	h.ok("agit", "config", "set", "work.sandbox", "bwrap")
	refused("work", "app", "--agent", "ann", "--until-empty", "--", client)
	if ran, _ := filepath.Glob(filepath.Join(played, "*")); len(ran) > 0 || h.status("T-1") != "pending" {
		t.Errorf("it ran: %v, the task is %s", ran, h.status("T-1"))
	}
	tree := h.ok("agit", "spawn", "app", "--agent", "bob", "--json", "--jq", ".path")
	must(t, os.WriteFile(filepath.Join(tree, "bob.txt"), []byte("x\n"), 0o644))
	h.ok("git", "-C", tree, "add", "bob.txt")
	h.ok("git", "-C", tree, "commit", "-qm", "bob")
	refused("merge", tree)
	if out, _, code := h.run("agit", "doctor"); code != 1 || !strings.Contains(out, "sandbox") || !strings.Contains(out, "is not available") {
		t.Errorf("doctor: %d %s", code, out)
	}
	h.ok("agit", "work", "app", "--agent", "ann", "--until-empty", "--sandbox", "none", "--land", "never", "--", client)
	h.ok("agit", "config", "set", "work.sandbox", "none")
	if out := h.ok("agit", "doctor"); !strings.Contains(out, "there is no wall around agents") {
		t.Errorf("doctor: %s", out)
	}
}
