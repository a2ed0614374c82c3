package checkout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
)

// The line that hides the folder is added once, in a line of its own; a folder elsewhere needs none.
func TestExcludeFile(t *testing.T) {
	t.Parallel()
	const mark = "# agit: worktrees of agents\n"
	r := gittest.New(t)
	r.Commit("first", "a.txt", "1\n")
	exclude := r.Path(".git/info/exclude")
	for _, c := range []struct {
		name, dir, before, after string
	}{
		{"an empty file", ".worktrees", "", mark + "/.worktrees/\n"},
		{"after a line", ".worktrees", "*.log\n", "*.log\n" + mark + "/.worktrees/\n"},
		{"after a line without its end", ".worktrees", "*.log", "*.log\n" + mark + "/.worktrees/\n"},
		{"hidden already", ".worktrees", "a\n/.worktrees/\nb", "a\n/.worktrees/\nb"},
		{"hidden by the last line", ".worktrees", "a\n/.worktrees/", "a\n/.worktrees/"},
		{"hidden with another end of line", ".worktrees", "/.worktrees/\r\n", "/.worktrees/\r\n"},
		{"another is hidden", ".worktrees", "/.worktrees/x/\n", "/.worktrees/x/\n" + mark + "/.worktrees/\n"},
		{"below", "trees/of agents", "", mark + "/trees/of\\ agents/\n"},
		{"dots in its name", "..trees", "", mark + "/..trees/\n"},
		{"above", "..", "a\n", "a\n"},
		{"beside", "../trees", "a\n", "a\n"},
	} {
		if err := os.WriteFile(exclude, []byte(c.before), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := Hide(t.Context(), r.Repo(), r.Path(c.dir)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := r.Read(".git/info/exclude"); got != c.after {
			t.Errorf("%s: %q, want %q", c.name, got, c.after)
		}
	}
	if err := os.RemoveAll(filepath.Dir(exclude)); err != nil {
		t.Fatal(err)
	}
	if err := Hide(t.Context(), r.Repo(), r.Path(".worktrees")); err != nil || r.Read(".git/info/exclude") != mark+"/.worktrees/\n" {
		t.Errorf("without a folder: %v", err)
	}
	ordinary(t, exclude)
	ordinary(t, filepath.Dir(exclude))
	for _, refusing := range []string{".git/info", ".git/info/exclude"} {
		if err := os.RemoveAll(filepath.Dir(exclude)); err != nil {
			t.Fatal(err)
		}
		if refusing == ".git/info" {
			r.Write(refusing, "a file")
		} else if err := os.MkdirAll(exclude, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := Hide(t.Context(), r.Repo(), r.Path(".worktrees")); err == nil || !strings.Contains(err.Error(), "exclude") {
			t.Errorf("%s is in the way: %v", refusing, err)
		}
	}
	bare := gittest.NewBare(t)
	before, err := os.ReadFile(bare.Path("info/exclude"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err := Hide(t.Context(), bare.Repo(), bare.Path("trees")); err != nil {
		t.Error(err)
	}
	if after, err := os.ReadFile(bare.Path("info/exclude")); string(after) != string(before) || err != nil && !os.IsNotExist(err) {
		t.Errorf("of a bare repository: %q, %v", after, err)
	}
}

// A repository that takes exclusions back gets a .gitignore in the folder of the worktrees, and no other does.
func TestHideFromIncluders(t *testing.T) {
	t.Parallel()
	for rules, want := range map[string]bool{
		"": false, "*.log\n": false, "*\n!*/\n": true, "!*/\n": true, "# not!\n": false, "a!\n": false, "!other\n": false, "*\n!.worktrees/\n": true, "*\n!*.txt\n": false,
	} {
		r := gittest.New(t)
		r.Commit("first", "a.txt", "1\n")
		if rules != "" {
			r.Write(".gitignore", rules)
		}
		if err := Hide(t.Context(), r.Repo(), r.Path(".worktrees")); err != nil {
			t.Errorf("%q: %v", rules, err)
		}
		text, err := os.ReadFile(r.Path(".worktrees/.gitignore"))
		if got := err == nil; got != want || got && string(text) != "# agit: worktrees of agents\n*\n" {
			t.Errorf("%q: %q, %v, want one: %t", rules, text, err, want)
		}
		if want {
			ordinary(t, r.Path(".worktrees"))
			ordinary(t, r.Path(".worktrees/.gitignore"))
		}
		r.Write(".worktrees/w/file", "x")
		if status := r.Git("status", "--porcelain", "--untracked-files=all"); strings.Contains(status, "worktrees") {
			t.Errorf("%q: git shows\n%s", rules, status)
		}
		if rules == "" || rules == "*.log\n" {
			continue
		}
		if err := os.RemoveAll(r.Path(".worktrees")); err != nil {
			t.Fatal(err)
		}
		r.Write(".worktrees", "a file")
		if err := Hide(t.Context(), r.Repo(), r.Path(".worktrees")); want && (err == nil || !strings.Contains(err.Error(), ".worktrees")) {
			t.Errorf("%q, with a file in the way: %v", rules, err)
		}
	}
}

// A folder that is the repository's or git's own is not hidden, nor refused for what does not suffer from it.
func TestRefuse(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Commit("first", "src/a.txt", "1\n", ".worktrees/.gitignore", "*\n", "src*/.gitkeep", "", "deep/er/b", "1\n")
	inner := gittest.New(t)
	inner.Commit("inner", "b", "1\n")
	r.Git("update-index", "--add", "--cacheinfo", "160000,"+inner.Git("rev-parse", "HEAD")+",linked/w")
	r.Write("own/untracked", "x")
	r.Write(".git/info/exclude", "/./\n")
	for dir, why := range map[string]string{
		".": "is the repository itself", ".git": "belongs to git", ".git/trees": "belongs to git", "src": "has files of the repository", "deep": "has files of the repository",
		".worktrees": "", "src*": "", "linked": "", "own": "", "new": "", "..": "", "../.git": "",
	} {
		before := r.Read(".git/info/exclude")
		err := Hide(t.Context(), r.Repo(), r.Path(dir))
		if got := r.Read(".git/info/exclude"); why != "" && (err == nil || !strings.Contains(err.Error(), why) || got != before) || why == "" && err != nil {
			t.Errorf("%s: %v, %q; want %q", dir, err, got, why)
		}
	}
	if err := Refuse(t.Context(), gittest.NewBare(t).Repo(), "."); err != nil {
		t.Errorf("of a bare repository: %v", err)
	}
}

func TestEscapePattern(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"": "", "a/b": "a/b", `a\b`: `a\\b`, "*?": `\*\?`, "[x]": `\[x\]`, "!a": `\!a`, "a b#": `a\ b\#`, "grün": "grün", " ": `\ `} {
		if got := escapePattern(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}
