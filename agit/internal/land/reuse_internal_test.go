package land

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// Only a whole linked checkout of the repository, in which nothing is underway, is brought to another commit; then it is like a new one.
func TestReuse(t *testing.T) {
	t.Parallel()
	main, other := gittest.New(t), gittest.New(t)
	first := main.Commit("one", "a.txt", "1\n", ".gitignore", "*.log\n")
	second := main.Commit("two", "a.txt", "2\n")
	other.Commit("one", "a.txt", "1\n")
	kept, foreign := main.Worktree("kept"), other.Worktree("foreign")
	kept.Write("sub/x", "x")
	m := &merging{g: main.Repo()}
	plain := t.TempDir()
	for name, c := range map[string]struct {
		at     string
		lock   string
		refuse bool // before anything is changed
	}{
		"a folder of no repository":    {at: plain},
		"the main checkout":            {at: main.Dir, refuse: true},
		"a folder in it":               {at: kept.Path("sub"), refuse: true},
		"a checkout of another one":    {at: foreign.Dir, refuse: true},
		"one in which a merge is made": {at: kept.Dir, lock: "MERGE_HEAD", refuse: true},
		"one without its index":        {at: kept.Dir},
	} {
		if c.lock != "" {
			c.lock = filepath.Join(kept.Repo().GitDir, c.lock)
			if err := os.WriteFile(c.lock, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if scratch, err := m.reuse(t.Context(), c.at, first); scratch != nil || err == nil || (err == errNotPlain) != c.refuse { //nolint:errorlint // this very error
			t.Errorf("%s: %v, %v", name, scratch, err)
		}
		if c.lock != "" {
			_ = os.Remove(c.lock)
		}
	}
	for _, commit := range []string{first, second, first} {
		if _, err := checkout.CopyIndex(kept.Repo().GitDir, keptIndex()); err != nil {
			t.Fatal(err)
		}
		kept.Write("a.txt", "changed\n")
		kept.Write("x.log", "ignored\n")
		kept.Write("new/y", "new\n")
		scratch, err := m.reuse(t.Context(), kept.Dir, commit)
		if err != nil || scratch.WorkTree != kept.Dir {
			t.Fatal(err)
		}
		if kept.Head() != commit || kept.Git("status", "--porcelain", "--ignored") != "" || kept.Read("a.txt") != map[string]string{first: "1\n", second: "2\n"}[commit] {
			t.Errorf("at %s: %s", kept.Head(), kept.Git("status", "--porcelain", "--ignored"))
		}
	}
	if _, err := checkout.CopyIndex(kept.Repo().GitDir, keptIndex()); err != nil {
		t.Fatal(err)
	}
	if _, err := m.reuse(t.Context(), kept.Dir, "none"); err == nil {
		t.Error("brought to a commit that does not exist")
	}
	if m.plainFiles() != nil {
		t.Error("a checkout with all files holds more")
	}
	for _, key := range []string{"extensions.worktreeConfig", "core.sparseCheckout"} {
		main.Git("config", key, "true")
		if err := (&merging{g: main.Repo()}).plainFiles(); err != errNotPlain { //nolint:errorlint // this very error
			t.Errorf("with %s: %v", key, err)
		}
		main.Git("config", key, "false")
		if err := (&merging{g: main.Repo()}).plainFiles(); err != nil {
			t.Errorf("without %s: %v", key, err)
		}
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	for ahead, want := range map[int]time.Duration{1: 40 * time.Millisecond, 3: 120 * time.Millisecond, 10: 400 * time.Millisecond, 11: 400 * time.Millisecond, 100: 400 * time.Millisecond} {
		if got := pause(ahead); got != want {
			t.Errorf("%d: %s", ahead, got)
		}
	}
}
