package checkout_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// TestInclusionOfBare copies into a checkout of a bare repository from the worktree that has the default branch.
func TestInclusionOfBare(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Commit("one", ".worktreeinclude", ".env\n", ".gitignore", ".env\n")
	bare := filepath.Join(gittest.TempDir(t), ".bare")
	r.Git("clone", "-q", "--bare", r.Dir, bare)
	at := r.At(bare)
	other := at.Worktree("other")
	other.Write(".env", "other\n")
	copied := func() (content string, key string, said []string) {
		t.Helper()
		i := checkout.Inclusion{Repo: at.Repo(), Branch: "main", Committed: at.Repo().Committed(at.Git("rev-parse", "main"), checkout.IncludeFile)}
		dir := t.TempDir()
		must(t, i.Copy(t.Context(), dir, func(s string) { said = append(said, s) }))
		key, err := i.Key(t.Context())
		must(t, err)
		text, err := os.ReadFile(filepath.Join(dir, ".env"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(text), key, said
	}
	if content, key, said := copied(); content != "" || key != "" || len(said) != 1 || !strings.Contains(said[0], "branch main") {
		t.Errorf("without a worktree of main: %q, key %q, said %q", content, key, said)
	}
	sentences := 0
	must(t, checkout.Inclusion{Repo: at.Repo(), Branch: "main"}.Copy(t.Context(), t.TempDir(), func(string) { sentences++ }))
	if sentences != 1 {
		t.Errorf("of the branch itself: %d sentences", sentences)
	}
	main := filepath.Join(gittest.TempDir(t), "main")
	at.Git("worktree", "add", "-q", main, "main")
	at.At(main).Write(".env", "main\n")
	content, key, said := copied()
	if content != "main\n" || key == "" || len(said) != 0 {
		t.Errorf("with a worktree of main: %q, key %q, said %q", content, key, said)
	}
	at.At(main).Write(".env", "changed\n")
	if _, now, _ := copied(); now == key {
		t.Error("the key stays the same when a file changes")
	}
}
