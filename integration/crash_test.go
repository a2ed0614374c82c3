package integration

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKilledAnywhere kills spawn, merge and cleanup at random points and then lets doctor repair: registry, git and folders agree, no
// work is lost, no merge is left half-way.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	rounds := 24
	if testing.Short() {
		rounds = 4
	}
	h := newHome(t)
	h.ok("agit", "add", ".", "--name", "app")
	chance := rand.New(rand.NewPCG(7, 7))
	for round := range rounds {
		// A worktree with committed work that exists nowhere else.
		var tree struct {
			ID   string `json:"worktree_id"`
			Path string `json:"path"`
		}
		h.json(&tree, "spawn", "app", "--task", fmt.Sprintf("round %d", round))
		work := fmt.Sprintf("work-%d.txt", round)
		must(t, os.WriteFile(filepath.Join(tree.Path, work), []byte("precious\n"), 0o644))
		h.ok("git", "-C", tree.Path, "add", ".")
		h.ok("git", "-C", tree.Path, "commit", "-qm", "work of round "+fmt.Sprint(round))

		doomed := [][]string{
			{"spawn", "app", "--task", "doomed"},
			{"merge", "app", tree.ID},
			{"cleanup", "app", "--worktree", tree.ID, "--abandon-work", "--yes"},
		}[round%3]
		h.kill(time.Duration(5+chance.IntN(70))*time.Millisecond, doomed...)

		h.run("agit", "doctor", "--fix")
		if out, _, code := h.run("agit", "doctor"); code != 0 {
			t.Fatalf("round %d, %s: doctor is not content after its fix:\n%s", round, doomed[0], out)
		}
		if dirty := h.ok("git", "status", "--porcelain"); dirty != "" {
			t.Fatalf("round %d, %s: the main worktree is left dirty:\n%s", round, doomed[0], dirty)
		}
		h.agree(round)
		h.kept(round, tree.ID, tree.Path, work)
	}
	h.ok("git", "fsck", "--strict")
	h.sound()
}

// kill runs agit and kills it after a while if it still runs.
func (h *home) kill(after time.Duration, args ...string) {
	h.t.Helper()
	h.killed("agit", after, args...)
}

// killed is kill of any program.
func (h *home) killed(program string, after time.Duration, args ...string) {
	h.t.Helper()
	cmd := h.command(h.t.Context(), program, args...)
	must(h.t, cmd.Start())
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait() // killed or done: both are tested
	timer.Stop()
}

// agree asserts that registry, git and folders list the same worktrees.
func (h *home) agree(round int) {
	h.t.Helper()
	var state struct {
		Repos []struct {
			Worktrees []struct{ Path, Branch, Status string }
		}
	}
	h.json(&state, "status", "app", "--no-scan")
	listed := h.ok("git", "worktree", "list", "--porcelain")
	known := map[string]bool{}
	for _, w := range state.Repos[0].Worktrees {
		known[filepath.Base(w.Path)] = true
		if !strings.Contains(listed, w.Path) {
			h.t.Errorf("round %d: git does not know %s (%s)", round, w.Path, w.Status)
		}
		if _, err := os.Stat(w.Path); err != nil {
			h.t.Errorf("round %d: a row without a folder: %v", round, err)
		}
	}
	folders, err := os.ReadDir(filepath.Join(h.repo, ".worktrees"))
	must(h.t, err)
	for _, folder := range folders {
		if !known[folder.Name()] {
			h.t.Errorf("round %d: a folder without a row: %s", round, folder.Name())
		}
	}
}

// kept asserts that a round's work is in its worktree, merged, or restorable.
func (h *home) kept(round int, id, path, work string) {
	h.t.Helper()
	if _, err := os.Stat(filepath.Join(path, work)); err == nil {
		return
	}
	if _, err := os.Stat(filepath.Join(h.repo, work)); err == nil {
		return
	}
	h.ok("agit", "cleanup", "--restore", id)
	if _, err := os.Stat(filepath.Join(path, work)); err != nil {
		h.t.Errorf("round %d: the work is lost: %v", round, err)
	}
}
