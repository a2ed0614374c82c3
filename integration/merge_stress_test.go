package integration

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestMergesAtOnce merges worktrees from several processes at once, round after round, and compares with a model: a worktree merges
// exactly when no worktree merged since its creation changed a line that it changed. Of those that changed one line, one merges and the
// others are refused with 4, without any change.
func TestMergesAtOnce(t *testing.T) {
	t.Parallel()
	rounds, width := 4, 5
	if testing.Short() {
		rounds, width = 1, 3
	}
	if os.Getenv("AGIT_SOAK") != "" {
		rounds = 60
	}
	h := newHome(t)
	lines := make([]string, 60)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i)
	}
	h.write("shared.txt", lines)
	h.ok("git", "add", ".")
	h.ok("git", "commit", "-qm", "shared")
	h.ok("agit", "add", ".", "--name", "app")
	chance := rand.New(rand.NewPCG(3, 14))
	for round := range rounds {
		where := []string{"clean", "dirty", "elsewhere"}[round%3]
		switch where {
		case "dirty":
			must(t, os.WriteFile(filepath.Join(h.repo, "two.txt"), []byte("local\n"), 0o644))
		case "elsewhere":
			h.ok("git", "switch", "-q", "--detach")
		}
		base := slices.Clone(lines)
		claims := map[int][]int{} // line → the worktrees that change it
		for i := range width {
			line := 4 * chance.IntN(width) // few lines, so that some collide; far apart, so that others do not
			claims[line] = append(claims[line], i)
			h.ok("agit", "spawn", "app", "--branch", fmt.Sprintf("r%d-%d", round, i), "--quiet")
			changed := slices.Clone(base)
			changed[line] = fmt.Sprintf("round %d by %d", round, i)
			path := h.ok("git", "worktree", "list", "--porcelain")
			path = treeOf(path, fmt.Sprintf("r%d-%d", round, i))
			must(t, os.WriteFile(filepath.Join(path, "shared.txt"), []byte(strings.Join(changed, "\n")+"\n"), 0o644))
			h.ok("git", "-C", path, "commit", "-qam", "work")
		}
		codes := make([]int, width)
		said := make([]string, width)
		var all sync.WaitGroup
		for i := range width {
			all.Go(func() { _, said[i], codes[i] = h.run("agit", "merge", "app", fmt.Sprintf("r%d-%d", round, i)) })
		}
		all.Wait()
		for line, rivals := range claims {
			var in []int
			for _, i := range rivals {
				switch {
				case codes[i] == 0:
					in = append(in, i)
				case codes[i] != 4 || !strings.Contains(said[i], "conflicts with main in 1 file: shared.txt"):
					t.Errorf("round %d (%s), worktree %d: status %d: %s", round, where, i, codes[i], said[i])
				}
			}
			if len(in) != 1 {
				t.Errorf("round %d (%s): of %v, which change line %d, %v went in", round, where, rivals, line, in)
				continue
			}
			lines[line] = fmt.Sprintf("round %d by %d", round, in[0])
		}
		if got := h.ok("git", "show", "main:shared.txt"); got != strings.Join(lines, "\n") {
			t.Fatalf("round %d (%s): main is not what went in:\n%s", round, where, got)
		}
		if where == "elsewhere" {
			h.ok("git", "switch", "-q", "main")
		}
		if dirty := h.ok("git", "status", "--porcelain", "-uno"); dirty != map[string]string{"dirty": "M two.txt"}[where] {
			t.Errorf("round %d (%s): status %q", round, where, dirty)
		}
		h.ok("git", "checkout", "-q", "two.txt")
		for i := range width { // the refused worktrees still have their work, and are then removed
			if codes[i] == 4 {
				h.ok("agit", "cleanup", "app", "--worktree", fmt.Sprintf("r%d-%d", round, i), "--abandon-work", "--yes")
			}
		}
		h.ok("agit", "doctor")
	}
	h.ok("git", "fsck", "--strict")
	h.sound()
}

// treeOf returns the folder of a branch from `git worktree list --porcelain`.
func treeOf(list, branch string) (path string) {
	for line := range strings.Lines(list) {
		if at, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree "); ok {
			path = at
		}
		if strings.TrimSpace(line) == "branch refs/heads/"+branch {
			return path
		}
	}
	return ""
}

func (h *home) write(name string, lines []string) {
	h.t.Helper()
	must(h.t, os.WriteFile(filepath.Join(h.repo, name), []byte(strings.Join(lines, "\n")+"\n"), 0o644))
}
