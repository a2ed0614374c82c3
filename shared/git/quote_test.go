package git_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// git reads a quoted path as the path, and prints the same form itself.
func TestQuoteIsGits(t *testing.T) {
	repo := gittest.New(t)
	repo.Commit("first", "a", "a\n")
	oid := repo.Git("rev-parse", "HEAD:a")
	for _, path := range []string{"tab\there", "line\nfeed", `quote"and\back`, "é", "\x01\x7f", "bell\a\b\v\f\r", "\xff"} {
		info := strings.NewReader("100644 " + oid + "\t" + git.Quote(path) + "\n")
		if _, err := repo.Repo().Output(t.Context(), git.Options{Stdin: info}, "update-index", "--index-info"); err != nil {
			t.Fatal(err)
		}
		if got := repo.Git("-c", "core.quotePath=true", "ls-files", "-z", "--", ":(literal)"+path); strings.TrimSuffix(got, "\x00") != path {
			t.Errorf("%q was read as %q", path, got)
		}
		if got := repo.Git("-c", "core.quotePath=true", "ls-files", "--", ":(literal)"+path); got != git.Quote(path) {
			t.Errorf("git prints %s, Quote %s", got, git.Quote(path))
		}
	}
}
