//go:build unix

package land

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// halfway is a working tree whose branch was moved by a process that was killed before its files had followed.
type halfway struct {
	*gittest.Repo
	t        *testing.T
	from, to string
	f        workingTree
}

func newHalfway(t *testing.T) *halfway {
	t.Helper()
	h := &halfway{Repo: gittest.New(t), t: t}
	h.link("old")
	h.from = h.Commit("from", "a.txt", "1\n", "gone.txt", "gone\n", "same.txt", "same\n")
	h.link("new")
	h.Remove("gone.txt")
	h.to = h.Commit("to", "a.txt", "one\ntwo\n", "new.txt", "new\nfile\n", "sub/deep.txt", "deep\n")
	h.f = workingTree{Path: h.Dir, GitDir: h.Path(".git"), Owner: "w-1"}
	return h
}

func (h *halfway) link(to string) {
	_ = os.Remove(h.Path("link"))
	if err := os.Symlink(to, h.Path("link")); err != nil {
		h.t.Skip(err)
	}
}

// cut puts files and index back to where they were, and the branch to where it was moved.
func (h *halfway) cut(locked bool) {
	h.t.Helper()
	h.Git("reset", "-q", "--hard", h.from)
	h.Git("update-ref", "refs/heads/main", h.to)
	if locked {
		if err := h.f.index().Take(h.t.Context(), "w-1", h.Dir); err != nil {
			h.t.Fatal(err)
		}
	}
}

// left fails when a lock or a copy of the index is left.
func (h *halfway) left(what string) {
	h.t.Helper()
	for _, name := range []string{"index.lock", "agit-w-1.index", "agit-w-1.index.lock"} {
		if !checkout.Gone(h.Path(".git/" + name)) {
			h.t.Errorf("%s: %s is left", what, name)
		}
	}
}

// However far the files have followed, whole or half written, they are brought up to the merge.
func TestFinish(t *testing.T) {
	t.Parallel()
	h := newHalfway(t)
	for i := range 18 {
		h.cut(true)
		if text := []string{"", "one\n", "one\ntwo\n"}[i%3]; text != "" {
			h.Write("a.txt", text)
		}
		if text := []string{"", "new\n", "new\nfile\n"}[i/3%3]; text != "" {
			h.Write("new.txt", text)
		}
		if i%2 == 0 {
			h.Remove("gone.txt")
			h.Write("sub/deep.txt", "deep\n")
		}
		if i%4 > 1 {
			h.link("new")
		}
		if i > 9 { // and the copy was begun
			h.Write(".git/agit-w-1.index", "half")
			h.Write(".git/agit-w-1.index.lock", "")
		}
		if err := h.f.finish(t.Context(), h.Repo.Repo(), h.from, h.to); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if status := h.Git("status", "--porcelain"); status != "" || h.Read("a.txt") != "one\ntwo\n" || !checkout.Gone(h.Path("gone.txt")) {
			t.Errorf("%d: %s", i, status)
		}
		h.left(fmt.Sprint(i))
	}
}

// Files that were changed since stay, and are changes after it.
func TestFinishKeepsChanges(t *testing.T) {
	t.Parallel()
	h := newHalfway(t)
	for name, c := range map[string]struct {
		change func()
		want   string
	}{
		"a file that the merge changes":         {func() { h.Write("a.txt", "mine\n") }, "M a.txt"},
		"one that it adds":                      {func() { h.Write("new.txt", "mine\n") }, "M new.txt"},
		"one that begins as it":                 {func() { h.Write("new.txt", "new\nfile\nand more\n") }, "M new.txt"},
		"one that it leaves alone":              {func() { h.Write("same.txt", "mine\n") }, "M same.txt"},
		"one that it deletes":                   {func() { h.Write("gone.txt", "mine\n") }, "?? gone.txt"},
		"a link":                                {func() { h.link("mine") }, "M link"},
		"a file in the place of a link":         {func() { h.Remove("link"); h.Write("link", "new") }, "T link"},
		"a file that git does not know of":      {func() { h.Write("other.txt", "mine\n") }, "?? other.txt"},
		"a folder in the place of a file":       {func() { h.Write("new.txt/x", "mine\n") }, "D new.txt"},
		"a file that was deleted":               {func() { h.Remove("same.txt") }, "D same.txt"},
		"one that the merge changes, by a link": {func() { h.Remove("a.txt"); _ = os.Symlink("same.txt", h.Path("a.txt")) }, "T a.txt"},
	} {
		h.cut(true)
		h.Write("a.txt", "one\ntwo\n")
		h.Write("new.txt", "new\nfile\n")
		h.Write("sub/deep.txt", "deep\n")
		h.Remove("gone.txt")
		h.link("new")
		if strings.Contains(name, "folder") {
			h.Remove("new.txt")
		}
		c.change()
		if err := h.f.finish(t.Context(), h.Repo.Repo(), h.from, h.to); err != nil {
			t.Errorf("%s: %v", name, err)
			_ = h.f.unlock()
		}
		if status := h.Git("status", "--porcelain"); status != c.want {
			t.Errorf("%s: %q, want %q", name, status, c.want)
		}
		if strings.Contains(name, "folder") && h.Read("new.txt/x") != "mine\n" {
			t.Errorf("%s: what is in it changed", name)
		}
		h.left(name)
		if err := os.RemoveAll(h.Path("new.txt")); err != nil {
			t.Fatal(err)
		}
		h.Git("reset", "-q", "--hard", h.to)
		h.Git("clean", "-fdq")
	}
}

// Without the lock, files follow only where neither the branch nor the index went on.
func TestFinishWithoutLock(t *testing.T) {
	t.Parallel()
	h := newHalfway(t)
	for name, c := range map[string]struct {
		do   func()
		want string
	}{
		"nothing since":      {func() {}, "one\ntwo\n"},
		"the branch went on": {func() { h.Git("commit", "-q", "--allow-empty", "-m", "on") }, "1\n"},
		"something staged":   {func() { h.Write("x", "x"); h.Git("add", "x") }, "1\n"},
	} {
		h.cut(false)
		c.do()
		if err := h.f.finish(t.Context(), h.Repo.Repo(), h.from, h.to); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := h.Read("a.txt"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		h.left(name)
	}
}
