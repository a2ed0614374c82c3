package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// home is a HOME with a repository named app, for tests beyond the means of scripts.
type home struct {
	t    testing.TB
	dir  string
	repo string
	env  []string
}

func newHome(t testing.TB) *home {
	t.Helper()
	h := &home{t: t, dir: ownFolder(t)}
	h.repo, h.env = filepath.Join(h.dir, "app"), environment(filepath.Join(h.dir, "home"))
	t.Cleanup(func() { dropPlace(filepath.Join(h.dir, "home")) })
	must(t, os.MkdirAll(h.repo, 0o755))
	for name, lines := range map[string]int{"one.txt": 40, "two.txt": 40, "three.txt": 40} {
		must(t, os.WriteFile(filepath.Join(h.repo, name), []byte(strings.Repeat("a line of "+name+"\n", lines)), 0o644))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", "first"}} {
		h.ok("git", args...)
	}
	return h
}

// ownFolder returns a temporary folder without links in its path. Detached processes may still write there after the test: a push, the
// emptying of the trash, a client.
func ownFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "agit-test-")
	must(t, err)
	dir, err = filepath.EvalSymlinks(dir)
	must(t, err)
	t.Cleanup(func() {
		for range 600 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			<-time.After(100 * time.Millisecond)
		}
		t.Errorf("remove the folder: %v", err)
	})
	return dir
}

func (h *home) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	if name != "git" {
		name = filepath.Join(binaries, name)
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = h.repo, h.env
	return cmd
}

// ok runs a program that must succeed and returns its standard output.
func (h *home) ok(name string, args ...string) string {
	h.t.Helper()
	out, errs, code := h.run(name, args...)
	if code != 0 {
		h.t.Fatalf("%s %s: status %d\n%s%s", name, strings.Join(args, " "), code, out, errs)
	}
	return strings.TrimSpace(out)
}

// run runs a program to its end and returns its status; -1 for a killed program.
func (h *home) run(name string, args ...string) (out, errs string, code int) {
	h.t.Helper()
	cmd := h.command(h.t.Context(), name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		h.t.Fatalf("start %s: %v", name, err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// json runs agit with --json and decodes what it prints.
func (h *home) json(into any, args ...string) {
	h.t.Helper()
	out := h.ok("agit", append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		h.t.Fatalf("agit %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// fill creates n tasks in app.
func (h *home) fill(n int) {
	h.t.Helper()
	cmd := h.command(h.t.Context(), "agit", "tasks", "app", "--create", "-", "-o", "ndjson")
	cmd.Stdin = strings.NewReader(strings.Repeat("{\"description\":\"a task\"}\n", n))
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("create %d tasks: %v\n%.500s", n, err, out)
	}
}

// sound asserts that the registry's pages, indexes and references are whole.
func (h *home) sound() {
	h.t.Helper()
	var report struct{ Problems []string }
	h.json(&report, "db", "check")
	if len(report.Problems) > 0 {
		h.t.Errorf("the registry is damaged: %v", report.Problems)
	}
}
