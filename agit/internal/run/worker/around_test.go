package worker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
)

// A changed file outside of a run's worktree is reported, and whether only the run can have changed it.
func TestTrespass(t *testing.T) {
	t.Parallel()
	before := Around{
		Branches: map[string]string{"main": "m1", "own": "o1", "ben": "b1", "gone": "g1"},
		Powers:   map[string]string{"hook pre-commit": "x"},
		Trees:    map[string]Tree{"/ben": {}, "/cyd": {}},
	}
	changed := map[string]Tree{"/ben": {Changes: map[string]string{"a": "1"}}, "/cyd": {Changes: map[string]string{"b": "1"}}}
	for name, c := range map[string]struct {
		branches map[string]string
		powers   map[string]string
		trees    map[string]Tree
		outside  map[string]string
		excused  string
		settled  bool
		has      bool
		sure     string
		perhaps  string
	}{
		"nothing":                       {},
		"its own branch":                {branches: map[string]string{"own": "o2"}},
		"main, by a person perhaps":     {branches: map[string]string{"main": "m2"}, perhaps: "branch main was moved"},
		"main, with the run's commits":  {branches: map[string]string{"main": "m2"}, has: true, sure: "branch main was moved"},
		"main, by a landing":            {branches: map[string]string{"main": "m2"}, has: true, settled: true},
		"another agent's, which works":  {branches: map[string]string{"ben": "b2"}, excused: "ben"},
		"another's, with its commits":   {branches: map[string]string{"ben": "b2"}, has: true, sure: "branch ben was moved"},
		"a branch deleted":              {branches: map[string]string{"gone": ""}, perhaps: "branch gone was deleted"},
		"a branch more":                 {branches: map[string]string{"new": "n1"}},
		"a hook":                        {powers: map[string]string{"hook pre-commit": "y"}, sure: "hook pre-commit"},
		"a setting more":                {powers: map[string]string{"hook pre-commit": "x", "setting core.fsmonitor": "z"}, sure: "setting core.fsmonitor"},
		"files of another":              {trees: changed, excused: "/ben", perhaps: "another worktree, /cyd"},
		"files where others are active": {trees: changed, excused: "/ben /cyd"},
		"a person's own settings":       {outside: map[string]string{"setting core.hookspath in /home": "z"}, perhaps: "outside of the repository"},
	} {
		now := Around{Branches: map[string]string{}, Powers: before.Powers, Outside: c.outside, Trees: before.Trees}
		for k, v := range before.Branches {
			now.Branches[k] = v
		}
		for k, v := range c.branches {
			if now.Branches[k] = v; v == "" {
				delete(now.Branches, k)
			}
		}
		if c.powers != nil {
			now.Powers = c.powers
		}
		if c.trees != nil {
			now.Trees = c.trees
		}
		excused := map[string]bool{}
		for _, e := range strings.Fields(c.excused) {
			excused[e] = true
		}
		got := now.Since(before, "own", excused, func(string, string, string) bool { return c.settled }, func(string) bool { return c.has })
		for _, part := range []struct {
			found []string
			want  string
		}{{got.Sure, c.sure}, {got.Perhaps, c.perhaps}} {
			if text := strings.Join(part.found, "; "); (part.want == "") != (text == "") || !strings.Contains(text, part.want) {
				t.Errorf("%s: %q, want %q", name, text, part.want)
			}
		}
	}
}

// Settings, hooks and attributes that make git run programs are recorded; the branch settings that git itself writes are not.
func TestLookAround(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Commit("first", "a", "1\n", "b", "2\n")
	r.Git("config", "include.path", "more")
	r.Git("config", "core.hooksPath", ".git/elsewhere")
	look := func() Around {
		t.Helper()
		a, err := LookAround(t.Context(), r.Repo(), r.Dir, []string{r.Dir})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	none := func(string, string, string) bool { return false }
	before := look()
	r.Git("config", "branch.main.remote", "origin")
	if got := look().Since(before, "main", nil, none, nil); got.Told() != "" {
		t.Errorf("a branch's own setting: %s", got.Told())
	}
	for name, do := range map[string]func(){
		"setting core.fsmonitor":     func() { r.Git("config", "core.fsmonitor", "/bin/true") },
		"hook pre-commit":            func() { r.Write(".git/hooks/pre-commit", "#!/bin/sh\n") },
		"info/attributes":            func() { r.Write(".git/info/attributes", "* filter=x\n") },
		"replacement of":             func() { r.Git("replace", r.Git("rev-parse", "HEAD:a"), r.Git("rev-parse", "HEAD:b")) },
		"setting diff.external in ":  func() { r.Write(".git/more", "[diff]\n\texternal = echo\n") },
		".git/elsewhere/post-commit": func() { r.Write(".git/elsewhere/post-commit", "#!/bin/sh\n") },
	} {
		before := look()
		do()
		if got := look().Since(before, "main", nil, none, nil); len(got.Sure) != 1 || !strings.Contains(filepath.ToSlash(got.Sure[0]), name) || len(got.Perhaps) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	outside := t.TempDir() // a person may have changed these
	r.Git("config", "include.path", filepath.Join(outside, "more"))
	r.Git("config", "core.hooksPath", outside)
	before = look()
	for name, content := range map[string]string{"more": "[alias]\n\tx = y\n", "pre-push": "#!/bin/sh\n", "pre-push.sample": "x"} {
		if err := os.WriteFile(filepath.Join(outside, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := look().Since(before, "main", nil, none, nil)
	if len(got.Sure) > 0 || len(got.Perhaps) != 1 || !strings.Contains(got.Perhaps[0], "setting alias.x in ") || !strings.Contains(got.Perhaps[0], "pre-push") || strings.Contains(got.Perhaps[0], "sample") {
		t.Errorf("outside: %+v", got)
	}
}

// A run changed a checkout other than its own: its files, its uncommitted state and its branch.
func TestBeside(t *testing.T) {
	t.Parallel()
	was := Tree{Branch: "main", Head: "1", Changes: map[string]string{"mine": "x", "too": "x"}}
	for name, c := range map[string]struct {
		now  Tree
		told string
	}{
		"nothing":             {was, ""},
		"a file":              {Tree{Branch: "main", Head: "1", Changes: map[string]string{"mine": "x", "too": "y"}}, "has changes that it did not have before the run: too"},
		"thrown away":         {Tree{Branch: "main", Head: "1", Changes: map[string]string{"too": "x"}}, "lost changes that were not committed: mine"},
		"committed":           {Tree{Branch: "main", Head: "2"}, ""},
		"switched":            {Tree{Branch: "evil", Head: "1", Changes: was.Changes}, "was switched from branch main to branch evil during the run"},
		"detached":            {Tree{Head: "1", Changes: was.Changes}, "was switched from branch main to a detached commit during the run"},
		"switched and thrown": {Tree{Branch: "evil", Head: "1"}, "lost changes that were not committed: mine, too; was switched from branch main to branch evil during the run"},
	} {
		if got := strings.Join(c.now.Beside(was), "; "); got != c.told {
			t.Errorf("%s: %q, want %q", name, got, c.told)
		}
	}
}

// Git is not run in a folder whose .git leads elsewhere.
func TestForeignGitIsNotLookedAt(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Commit("first", "a", "1\n")
	w := r.Worktree("side")
	if _, err := LookAt(t.Context(), r.Repo(), w.Dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(w.Dir, ".git")); err != nil {
		t.Fatal(err)
	}
	gittest.NewAt(t, filepath.Join(w.Dir))
	if _, err := LookAt(t.Context(), r.Repo(), w.Dir); err == nil || !strings.Contains(err.Error(), "does not lead to its repository") {
		t.Errorf("%v", err)
	}
}
