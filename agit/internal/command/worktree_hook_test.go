package command

import (
	"os"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/term"
)

// A client's request that is not JSON, or has no name, is refused with words, whichever of the two is wrong.
func TestCreateForClientRefused(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"cwd": "/app"}`: "standard input does not name the worktree to make",
		`{"name": `:       "standard input is not the JSON of a worktree to make: unexpected EOF",
	} {
		env := &cli.Env{Dir: t.TempDir(), Streams: &term.Streams{In: strings.NewReader(input)}}
		err := runWorktreeHook(t.Context(), &worktreeHookOptions{env: env, Deed: "create"})
		if f := fault.From(err); f == nil || f.Kind != fault.KindValidation || f.Message != want || f.Hint != wishHint {
			t.Errorf("%s: %v", input, err)
		}
	}
}

// A plain worktree is made where the client makes it, at the remote's default branch or at HEAD, and entered again when it exists.
func TestPlainTrees(t *testing.T) {
	t.Parallel()
	g := gittest.New(t)
	first := g.Commit("first", "a.txt", "a\n")
	make := func(name, at string) (*gittest.Repo, error) {
		path, err := plainTree(t.Context(), wishedTree{Name: name, Cwd: at})
		return g.At(path), err
	}
	for _, again := range []bool{false, true} {
		tree, err := make("fix/it", g.Dir)
		if err != nil || tree.Dir != g.Path(".claude/worktrees/fix+it") || tree.Head() != first || tree.Git("branch", "--show-current") != "worktree-fix+it" {
			t.Errorf("again %t: %s, %v", again, tree.Dir, err)
		}
	}
	second := g.Commit("second", "b.txt", "b\n")
	g.Git("branch", "worktree-kept", first)
	if tree, err := make("kept", g.Path(".claude/worktrees/fix+it")); err != nil || tree.Dir != g.Path(".claude/worktrees/kept") || tree.Head() != first {
		t.Errorf("of a branch that exists: %s, %v", tree.Dir, err)
	}
	if tree, err := make("new", g.Dir); err != nil || tree.Head() != second {
		t.Errorf("at HEAD: %s, %v", tree.Dir, err)
	}
	g.Git("update-ref", "refs/remotes/origin/main", first)
	g.Git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	if tree, err := make("remote", g.Dir); err != nil || tree.Head() != first {
		t.Errorf("at the remote's: %s, %v", tree.Dir, err)
	}
	for _, name := range []string{"..", "a b", "x.lock"} {
		if _, err := make(name, g.Dir); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := make("x", t.TempDir()); err == nil {
		t.Error("outside of a repository")
	}
	if err := os.WriteFile(g.Path(".claude/worktrees/busy"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := make("busy", g.Dir); err == nil || !strings.Contains(err.Error(), "make worktree ") {
		t.Errorf("at a file: %v", err)
	}
}
