package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// window is a tmux of its own with one window, in which a shell runs in a home's
// repository.
type window struct {
	*home
	socket string
}

// newWindow skips the test, saying so, where there is no tmux.
func newWindow(t testing.TB, h *home, width, height int) *window {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux, in which the screen is looked at, is not installed")
	}
	dir, err := os.MkdirTemp("", "tmux") // a socket's path must be short
	must(t, err)
	x := &window{h, filepath.Join(dir, "s")}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", x.socket, "kill-server").Run()
		os.RemoveAll(dir)
	})
	cmd := exec.Command("tmux", "-S", x.socket, "-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height), "bash", "--norc", "-i")
	cmd.Dir, cmd.Env = h.repo, append(append([]string{}, h.env...), "PS1=prompt> ", "HISTFILE=", "LANG=C.UTF-8", "TERM=tmux-256color")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("tmux cannot start here: %v %s", err, out)
	}
	x.until("prompt>")
	return x
}

func (x *window) tmux(args ...string) string {
	x.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", x.socket}, args...)...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %s: %v %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (x *window) keys(keys ...string) { x.tmux(append([]string{"send-keys"}, keys...)...) }

func (x *window) screen() string { return x.tmux("capture-pane", "-p") }

// until waits until the screen matches an expression, for as long as a busy machine may take.
func (x *window) until(expression string) string {
	x.t.Helper()
	want := regexp.MustCompile(expression)
	return x.untilShows(expression, func(screen string) bool { return want.MatchString(screen) })
}

func (x *window) untilShows(what string, good func(screen string) bool) string {
	x.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		screen := x.screen()
		if good(screen) {
			return screen
		}
		if time.Now().After(deadline) {
			x.t.Fatalf("%s did not come within %v:\n%s", what, patience, screen)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// resize makes the window another size, and waits until its last line is the screen's.
func (x *window) resize(width, height int) {
	x.t.Helper()
	x.tmux("resize-window", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height))
	x.untilShows("a screen of another size", func(s string) bool {
		lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
		return len(lines) == height && strings.Contains(lines[height-1], "? help") && strings.HasPrefix(lines[0], "app")
	})
}

// sane waits until the terminal is a shell's again: its modes, its screen, its cursor.
func (x *window) sane(mark string) {
	x.t.Helper()
	x.untilShows("the shell's prompt", func(s string) bool { // what is typed before is the program's
		return strings.HasSuffix(strings.TrimSpace(s), "prompt>") && strings.HasPrefix(x.tmux("display-message", "-p", "#{alternate_on}"), "0")
	})
	x.keys("stty -a | grep -qw -e -icanon && echo raw || echo "+mark+"-is-sane", "Enter")
	x.until(`(?m)^` + mark + `-is-sane`)
	if got := strings.TrimSpace(x.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}")); got != "0 1" {
		x.t.Errorf("after %s the terminal shows alternate screen and cursor %q", mark, got)
	}
}

// childOf is the process of the screen program.
func (x *window) childOf(t testing.TB) string {
	t.Helper()
	shell := strings.TrimSpace(x.tmux("display-message", "-p", "#{pane_pid}"))
	parent, err := exec.Command("pgrep", "-P", shell, "-x", "agit").Output()
	must(t, err)
	child, err := exec.Command("pgrep", "-P", strings.TrimSpace(string(parent)), "-x", "agit-top").Output()
	must(t, err)
	return strings.TrimSpace(string(child))
}

// TestTop uses the screen of agit top with real keys in a real terminal, while other
// processes change what it shows.
func TestTop(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		t.Run(strconv.Itoa(size[0]), func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.ok("agit", "add", ".", "--name", "app")
			x := newWindow(t, h, size[0], size[1])
			x.keys("agit top", "Enter")
			x.until("No agent works here yet")

			id := h.ok("agit", "tasks", "app", "--create", "Log in", "--jq", ".id")
			x.until("ready 1")
			tree := h.ok("agit", "spawn", "app", "--task", id, "--agent", "ann", "--jq", ".path")
			x.until(`(?m)^> ann +working`)
			must(t, os.WriteFile(filepath.Join(tree, "new.txt"), []byte("another line\n"), 0o644))
			x.until("1 changed")
			x.keys("d")
			x.until(`(?m)^\+another line`)
			x.keys("q")
			x.until("AGENTS 1")

			for _, other := range [][2]int{{60, 10}, {20, 5}, size} {
				x.resize(other[0], other[1])
			}
			x.until("AGENTS 1")

			x.keys("5", "w")
			x.until(`It is claimed by ann`)
			x.keys("q", "r")
			x.until("Release " + id + ", which ann holds")
			x.keys("y")
			x.until("is not gone and loses the claim")
			x.keys("y")
			x.until("released " + id)
			if got := h.ok("agit", "tasks", "show", id, "--jq", ".status"); got != "pending" {
				t.Errorf("the task is %s", got)
			}
			if got := h.ok("agit", "tasks", "show", id, "--json"); !strings.Contains(got, "released in agit top") {
				t.Errorf("its history does not say who released it: %s", got)
			}
			x.keys("q")
			x.sane("end")
		})
	}
}

// TestTopLeavesATerminal ends and stops the screen in every way: the shell goes on in a
// terminal as it was.
func TestTopLeavesATerminal(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("agit", "add", ".", "--name", "app")
	x := newWindow(t, h, 80, 24)
	start := func() {
		t.Helper()
		x.keys("clear", "Enter")
		x.until(`^prompt> *\n`)
		x.keys("agit top", "Enter")
		x.until("No agent works here yet")
	}
	start()
	x.keys("C-z")
	x.until("Stopped")
	x.sane("stop")
	x.keys("fg", "Enter")
	x.until("No agent works here yet")
	x.keys("?")
	x.until("j k, arrows")
	x.keys("q", "q")
	x.sane("quit")
	for _, signal := range []string{"TERM", "HUP", "INT", "KILL", "SEGV"} {
		start()
		must(t, exec.Command("kill", "-"+signal, x.childOf(t)).Run())
		x.sane(signal)
	}
	start()
	x.keys("g") // nothing is selected
	x.until("nothing is selected")
	x.keys("C-c")
	x.sane("interrupt")
	h.sound()
}

// TestTopGoesThere opens a shell in a worktree and comes back.
func TestTopGoesThere(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("agit", "add", ".", "--name", "app")
	tree := h.ok("agit", "spawn", "app", "--task", "Log in", "--agent", "ann", "--jq", ".path")
	h.env = append(h.env, "SHELL=/bin/sh")
	x := newWindow(t, h, 80, 24)
	x.keys("agit top", "Enter")
	x.until("> ann")
	x.keys("g")
	x.untilShows("a shell", func(s string) bool { return !strings.Contains(s, "AGENTS") })
	x.keys("pwd > "+filepath.Join(h.dir, "where")+"; exit", "Enter")
	x.until("AGENTS 1")
	where, err := os.ReadFile(filepath.Join(h.dir, "where"))
	must(t, err)
	if got := strings.TrimSpace(string(where)); got != tree {
		t.Errorf("the shell was in %q, not in %q", got, tree)
	}
	x.keys("q")
	x.sane("back")
}

// TestTopWithoutColour is bold, and nothing else, where NO_COLOR says so; and where the
// terminal cannot be drawn on, or there is none, it prints what status does.
func TestTopWithoutColour(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("agit", "add", ".", "--name", "app")
	h.ok("agit", "spawn", "app", "--task", "Log in", "--agent", "ann")
	x := newWindow(t, h, 80, 24)
	x.keys("NO_COLOR=1 agit top", "Enter")
	x.until("> ann")
	if raw := x.tmux("capture-pane", "-p", "-e"); regexp.MustCompile(`\x1b\[[0-9;]*\b(3[0-7]|4[0-7]|9[0-7])\b`).MatchString(raw) {
		t.Errorf("colour with NO_COLOR: %q", raw)
	} else if !strings.Contains(raw, "\x1b[1m") && !strings.Contains(raw, "\x1b[0;1m") {
		t.Errorf("nothing is bold: %q", raw)
	}
	x.keys("q")
	x.sane("plain")
	x.keys("clear; TERM=dumb agit top", "Enter")
	x.until("Worktrees: 1")
	if got, want := h.ok("agit", "top"), h.ok("agit", "status"); got != want {
		t.Errorf("without a terminal it prints\n%s\nand status\n%s", got, want)
	}
}
