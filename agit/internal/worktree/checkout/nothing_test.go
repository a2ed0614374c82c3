package checkout_test

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// A branch that only moved to commits of others has no work; a branch that was landed by hand has.
func TestNothingDone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(r *gittest.Repo)
		want bool
	}{
		"nothing":           {func(*gittest.Repo) {}, true},
		"a commit":          {func(r *gittest.Repo) { r.Commit("work", "w", "1\n") }, false},
		"merged main":       {func(r *gittest.Repo) { r.Git("merge", "-q", "main") }, true},
		"rebased":           {func(r *gittest.Repo) { r.Git("rebase", "-q", "main") }, true},
		"reset":             {func(r *gittest.Repo) { r.Git("reset", "-q", "--hard", "main") }, true},
		"reset back":        {func(r *gittest.Repo) { r.Git("reset", "-q", "--hard", "main~2") }, true},
		"moved by plumbing": {func(r *gittest.Repo) { r.Git("update-ref", "refs/heads/side", "main") }, true},
		"landed by hand": {func(r *gittest.Repo) {
			r.Commit("work", "w", "1\n")
			r.Git("rebase", "-q", "main")
			r.Git("push", "-q", ".", "side:main")
		}, false},
		"without a reflog": {func(r *gittest.Repo) {
			r.Git("merge", "-q", "main")
			r.Git("reflog", "expire", "--expire=all", "refs/heads/side")
		}, false},
	} {
		r := gittest.New(t)
		r.Commit("zero", "a", "0\n")
		r.Commit("first", "a", "1\n")
		r.Git("branch", "-f", "keep", "HEAD")
		base := r.Head()
		r.Git("checkout", "-q", "-b", "side")
		r.Git("checkout", "-q", "main")
		r.Commit("main goes on", "b", "1\n")
		r.Git("checkout", "-q", "side")
		c.do(r)
		got, err := checkout.NothingDone(t.Context(), r.Repo(), "side", base, r.Git("rev-parse", "side"), r.Git("rev-parse", "main"))
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
