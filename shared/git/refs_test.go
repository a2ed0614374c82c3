package git_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestHeadAndRefs(t *testing.T) {
	ctx := context.Background()
	r := gittest.New(t)
	head, err := r.Repo().Head(ctx)
	if err != nil || head != (git.Head{Ref: "refs/heads/main"}) || head.Branch() != "main" {
		t.Fatalf("unborn: %+v, %v", head, err)
	}
	oid := r.Commit("first", "f", "x\n")
	r.Branch("topic/ünïcode")
	r.Branch("packed")
	r.Git("pack-refs", "--all")
	r.Branch("a/b")
	for ref, want := range map[string]string{
		"refs/heads/main": oid, "refs/heads/topic/ünïcode": oid, "refs/heads/packed": oid, "refs/heads/a/b": oid,
		"refs/heads/a": "", "refs/heads/a/b/c": "", "refs/heads/none": "", "HEAD": oid,
	} {
		if got, err := r.Repo().Resolve(ctx, ref); err != nil || got != want {
			t.Errorf("Resolve(%q) = %q, %v", ref, got, err)
		}
	}
	names, err := r.Repo().Branches(ctx)
	if diff := cmp.Diff([]string{"a/b", "main", "packed", "topic/ünïcode"}, names); diff != "" || err != nil {
		t.Error(diff, err)
	}
	r.Git("checkout", "--quiet", "--detach")
	if head, err := r.Repo().Head(ctx); err != nil || head != (git.Head{OID: oid}) {
		t.Errorf("detached: %+v, %v", head, err)
	}
	r.Write(".git/HEAD", "")
	if head, err := r.Repo().Head(ctx); err == nil || !strings.Contains(err.Error(), "names neither a branch nor a commit; write the branch") {
		t.Errorf("empty: %+v, %v", head, err)
	}
}

func TestDefaultBranch(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T) *gittest.Repo
		want string
	}{
		"unborn": {func(t *testing.T) *gittest.Repo { return gittest.New(t) }, "main"},
		"on a topic": {func(t *testing.T) *gittest.Repo {
			r := gittest.New(t)
			r.Commit("c")
			r.Git("checkout", "--quiet", "-b", "topic")
			return r
		}, "main"},
		"master": {func(t *testing.T) *gittest.Repo {
			r := gittest.New(t)
			r.Commit("c")
			r.Git("branch", "-m", "main", "master")
			r.Git("checkout", "--quiet", "-b", "topic")
			return r
		}, "master"},
		"neither": {func(t *testing.T) *gittest.Repo {
			r := gittest.New(t)
			r.Commit("c")
			r.Git("branch", "-m", "main", "trunk")
			return r
		}, "trunk"},
		"detached, one branch": {func(t *testing.T) *gittest.Repo {
			r := gittest.New(t)
			r.Commit("c")
			r.Git("branch", "-m", "main", "trunk")
			r.Git("checkout", "--quiet", "--detach")
			return r
		}, "trunk"},
		"what the remote says": {func(t *testing.T) *gittest.Repo {
			r := gittest.New(t)
			r.Commit("c")
			r.Branch("develop")
			r.Git("checkout", "--quiet", "develop")
			clone := r.At(gittest.TempDir(t))
			clone.Git("clone", "--quiet", r.Dir, ".")
			clone.Git("checkout", "--quiet", "-b", "main", "origin/main")
			return clone
		}, "develop"},
		"bare": {func(t *testing.T) *gittest.Repo {
			r := gittest.New(t)
			r.Commit("c")
			r.Git("checkout", "--quiet", "-b", "trunk")
			bare := r.At(gittest.TempDir(t))
			bare.Git("clone", "--quiet", "--bare", r.Dir, ".")
			return bare
		}, "trunk"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := c.make(t).Repo().DefaultBranch(context.Background()); err != nil || got != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
	r := gittest.New(t)
	r.Commit("c")
	r.Git("branch", "-m", "main", "one")
	r.Branch("two")
	r.Git("checkout", "--quiet", "--detach")
	if got, err := r.Repo().DefaultBranch(context.Background()); !fault.Is(err, fault.KindValidation) {
		t.Errorf("ambiguous: %q, %v", got, err)
	}
}

func TestRemoteURL(t *testing.T) {
	r := gittest.New(t)
	for _, step := range []struct{ name, url, want string }{
		{"", "", ""},
		{"fork", "git@example.org:me/x.git", "git@example.org:me/x.git"},
		{"origin", `https://example.org/a "b";c`, `https://example.org/a "b";c`},
	} {
		if step.name != "" {
			r.Git("remote", "add", step.name, step.url)
		}
		if got, err := r.Repo().RemoteURL(); err != nil || got != step.want {
			t.Errorf("after %q: %q, %v", step.name, got, err)
		}
	}
}

// worktreeList reads `git worktree list --porcelain -z`.
func worktreeList(out []byte) ([]git.Worktree, error) {
	var list []git.Worktree
	var w *git.Worktree
	for _, line := range git.Records(out) {
		if line == "" {
			w = nil
			continue
		}
		key, value, _ := strings.Cut(line, " ")
		if key == "worktree" {
			if value == "" {
				return nil, fmt.Errorf("git worktree list: worktree without a path")
			}
			list = append(list, git.Worktree{Path: value})
			w = &list[len(list)-1]
			continue
		}
		if w == nil {
			return nil, fmt.Errorf("git worktree list: %q before a worktree", line)
		}
		switch key {
		case "HEAD":
			if strings.Trim(value, "0") != "" {
				w.Head = value
			}
		case "branch":
			w.Branch = value
		case "bare":
			w.Bare = true
		case "locked":
			w.Locked, w.LockReason = true, value
		case "prunable":
			w.Prunable = value
		}
	}
	return list, nil
}

func TestWorktreesEqualsGit(t *testing.T) {
	r := gittest.New(t)
	r.Commit("c")
	r.Worktree("one")
	r.Git("worktree", "add", "--quiet", "--detach", r.Path("in side"))
	r.Git("worktree", "lock", "--reason", "on a stick", r.Path("in side"))
	want, err := worktreeList([]byte(r.Git("worktree", "list", "--porcelain", "-z")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Repo().Worktrees(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i].Name = ""
	}
	byPath := func(list []git.Worktree) map[string]git.Worktree {
		m := map[string]git.Worktree{}
		for _, w := range list {
			m[w.Path] = w
		}
		return m
	}
	if diff := cmp.Diff(byPath(want), byPath(got)); diff != "" {
		t.Error(diff)
	}
}

func TestValidBranchEqualsGit(t *testing.T) {
	r := gittest.New(t)
	for _, name := range []string{"a", "a/b", "-a", "a..b", "a b", "a\tb", "é", "a~", "a^", "a:", "a?", "a*", "a[", `a\`, "a//b", "/a", "a/",
		".a", "a/.b", "a.lock", "a.lock/b", "a.", "a@{b", "a@b", "HEAD", "a\x7f", "refs/heads/a", "a\"b", "$(x)", "a;b", "😀", ""} {
		_, err := r.TryGit("check-ref-format", "--branch", name)
		if got := git.ValidBranch(name); got != (err == nil) {
			t.Errorf("ValidBranch(%q) = %v, git: %v", name, got, err)
		}
	}
}
