package worker

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestJudge(t *testing.T) {
	before := Tree{Branch: "agit/a", Head: "1111111111111"}
	tree := func(branch, head, busy string, dirty ...string) Tree {
		after := Tree{Branch: branch, Head: head, Busy: busy, Changes: map[string]string{}}
		for _, path := range dirty {
			after.Changes[path] = "?"
		}
		return after
	}
	good := Outcome{Ending: Exited}
	said := func(s Said) Outcome { s.Knows = true; return Outcome{Ending: Exited, Said: s} }
	for name, test := range map[string]struct {
		outcome Outcome
		after   Tree
		good    bool
		dirt    bool
		why     string
	}{
		"committed":                 {good, tree("agit/a", "2", ""), true, false, ""},
		"said and committed":        {said(Said{Final: true}), tree("agit/a", "2", ""), true, false, ""},
		"nothing":                   {good, tree("agit/a", "1111111111111", ""), false, false, "committed nothing and changed nothing"},
		"only changes":              {good, tree("agit/a", "1111111111111", "", "a.go"), false, true, "left changes in a.go"},
		"commit and changes":        {good, tree("agit/a", "2", "", "a.go", "b.go"), false, true, "left changes in a.go, b.go"},
		"failed though committed":   {Outcome{Ending: Exited, Status: 2}, tree("agit/a", "2", ""), false, false, "exit status 2"},
		"killed":                    {Outcome{Ending: Exited, Status: -1, Signal: "SIGKILL"}, tree("agit/a", "2", ""), false, false, "SIGKILL"},
		"limit":                     {Outcome{Ending: Limited, Signal: "SIGTERM"}, tree("agit/a", "2", ""), false, false, "limit"},
		"idle":                      {Outcome{Ending: Idled}, tree("agit/a", "2", ""), false, false, "printed nothing"},
		"without its last event":    {said(Said{}), tree("agit/a", "2", ""), false, false, "without its last event"},
		"says that it failed":       {said(Said{Final: true, Failed: "no credit\nat all"}), tree("agit/a", "2", ""), false, false, "no credit"},
		"detached":                  {good, tree("", "2", ""), false, false, "HEAD detached"},
		"another branch":            {good, tree("main", "2", ""), false, false, "branch main"},
		"half a rebase":             {good, tree("agit/a", "2", "rebase", "a.go"), false, false, "rebase half done"},
		"half a rebase, on no HEAD": {good, tree("", "1111111111111", "rebase"), false, false, "rebase half done"},
	} {
		t.Run(name, func(t *testing.T) {
			v := Judge(test.outcome, "agit/a", before, test.after)
			if v.Good != test.good || v.Dirt != test.dirt || !strings.Contains(v.Why, test.why) || test.good != (v.Why == "") {
				t.Errorf("%+v", v)
			}
		})
	}
}

func TestTree(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-C", dir}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil && args[0] != "merge" {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	look := func() Tree {
		t.Helper()
		tree, err := LookAt(t.Context(), repoAt(t, dir), dir)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	git("init", "-q", "-b", "main")
	write("a", "1\n")
	git("add", "a")
	git("commit", "-q", "-m", "one")
	clean := look()
	if clean.Branch != "main" || clean.Head == "" || len(clean.Changes) != 0 || clean.Busy != "" || clean.Locked != "" {
		t.Errorf("%+v", clean)
	}
	write("a", "2\n")
	write("b", "new\n")
	dirty := look()
	if got := strings.Join(dirty.Since(clean), " "); got != "a b" {
		t.Errorf("changed: %s", got)
	}
	write("b", "newer than that\n")
	if got := strings.Join(look().Since(dirty), " "); got != "b" {
		t.Errorf("changed again: %s", got)
	}
	git("checkout", "-q", "-b", "side")
	git("commit", "-q", "-am", "two")
	git("checkout", "-q", "main")
	write("a", "3\n")
	git("commit", "-q", "-am", "three")
	git("merge", "side")
	if got := look(); got.Busy != "a merge" || len(got.Changes) == 0 {
		t.Errorf("%+v", got)
	}
	git("merge", "--abort")
	git("checkout", "-q", "--detach")
	write(".git/index.lock", "")
	if got := look(); got.Branch != "" || got.Busy != "" || got.Locked == "" {
		t.Errorf("%+v", got)
	}
	if roots, err := Roots(repoAt(t, dir), dir); err != nil || len(roots) != 1 {
		t.Errorf("%v %v", roots, err)
	}
}

// A change in the main checkout by another agent's landing, under the index's lock, does not count as stray work.
func TestStrayed(t *testing.T) {
	repo := gittest.New(t)
	dir := repo.Dir
	before, err := LookAt(t.Context(), repoAt(t, dir), dir)
	if err != nil {
		t.Fatal(err)
	}
	stray, lock := filepath.Join(dir, "stray.txt"), filepath.Join(dir, ".git", "index.lock")
	for _, path := range []string{stray, lock} {
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- errors.Join(os.Remove(stray), os.Remove(lock)) }()
	paths, err := Strayed(t.Context(), repoAt(t, dir), dir, before)
	if failed := <-ended; err != nil || failed != nil || len(paths) > 0 {
		t.Error(paths, err, failed)
	}
	if err := os.WriteFile(stray, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if paths, err := Strayed(t.Context(), repoAt(t, dir), dir, before); err != nil || !slices.Equal(paths, []string{"has changes that it did not have before the run: stray.txt"}) {
		t.Error(paths, err)
	}
}

// A landing that is half done, under the index's lock, is not taken for the state before a run; changes that stay are.
func TestAtRest(t *testing.T) {
	repo := gittest.New(t)
	dir := repo.Dir
	landing, lock := filepath.Join(dir, "landing.txt"), filepath.Join(dir, ".git", "index.lock")
	repo.Write("landing.txt", "")
	repo.Write(".git/index.lock", "")
	first := true
	found, err := untilStill(t.Context(), repoAt(t, dir), dir, func(tree Tree) bool {
		if first { // it ends after it was seen
			first = false
			if len(tree.Changes) != 1 || tree.Locked != lock {
				t.Errorf("%+v", tree)
			}
			if err := errors.Join(os.Remove(landing), os.Remove(lock)); err != nil {
				t.Fatal(err)
			}
		}
		return tree.Locked == "" && len(tree.Changes) == 0
	})
	if err != nil || len(found.Changes) > 0 || found.Locked != "" || first {
		t.Errorf("%+v, %v", found, err)
	}
	repo.Write("mine.txt", "")
	for range 2 {
		if found, err = AtRest(t.Context(), repoAt(t, dir), dir); err != nil || !slices.Equal(found.Paths(), []string{"mine.txt"}) {
			t.Errorf("%+v, %v", found, err)
		}
	}
	repo.Remove("mine.txt")
	repo.Write(".git/index.lock", "")
	ended := make(chan error, 1)
	go func() { ended <- os.Remove(lock) }()
	if found, err = AtRest(t.Context(), repoAt(t, dir), dir); err != nil || found.Locked != "" || <-ended != nil {
		t.Errorf("%+v, %v", found, err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := AtRest(stopped, repoAt(t, dir), dir); err == nil {
		t.Error("it goes on")
	}
}

func repoAt(t *testing.T, dir string) *git.Repo {
	t.Helper()
	r, err := git.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The line that explains a failure is shown, also where another follows; a client that ended its turn explains itself.
func TestOutcomeNamesTheCause(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]Outcome{
		"it ended with exit status 1, and printed: Error: not logged in": {Ending: Exited, Status: 1, Last: []string{"Error: not logged in", "bye"}},
		"it ended with exit status 1; its last line: 1 failed":           {Ending: Exited, Status: 1, Last: []string{"FAIL authentication.test.ts", "1 failed"}},
		"it ended with exit status 2; its last line: bye":                {Ending: Exited, Status: 2, Said: Said{Final: true}, Last: []string{"Error: not logged in", "bye"}},
	} {
		if got := o.String(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
