package change

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// clone is a repository that tests change.
type clone struct {
	t   *testing.T
	dir string
}

func newClone(t *testing.T) clone {
	t.Helper()
	c := clone{t, t.TempDir()}
	c.git("init", "-q", "-b", "main")
	return c
}

func (c clone) git(args ...string) string {
	c.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c clone) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

func (c clone) commit(subject string) string {
	c.t.Helper()
	c.git("add", "-A")
	c.git("commit", "-q", "--allow-empty", "-m", subject)
	return c.git("rev-parse", "HEAD")
}

func (c clone) of(given string) Change {
	c.t.Helper()
	got, err := Of(c.t.Context(), c.dir, given)
	if err != nil {
		c.t.Fatal(err)
	}
	return got
}

func TestBase(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	first := c.commit("first")
	if got := c.of("").Base; got != "" {
		t.Errorf("the base of the only commit is %q", got)
	}
	second := c.commit("second")
	if got := c.of("").Base; got != first {
		t.Errorf("on main with two commits the base is %q, not the first one, %s", got, first)
	}
	c.git("update-ref", "refs/remotes/origin/main", "HEAD")
	if got := c.of(""); got.Base != first || !got.Published {
		t.Errorf("on origin/main with two commits the change is %+v; it begins at the first one, %s", got, first)
	}
	c.git("switch", "-q", "-c", "work")
	c.commit("mine")
	if got := c.of(""); got.Base != second || got.Published {
		t.Errorf("on a branch the change is %+v; it begins where it left main, %s", got, second)
	}
	if got := c.of(first).Base; got != first {
		t.Errorf("the base is %q, not the one given, %s", got, first)
	}
	if _, err := Of(t.Context(), c.dir, "nowhere"); err == nil {
		t.Error("a base that does not exist is taken")
	}
	for range since {
		c.commit("more")
	}
	c.git("update-ref", "refs/remotes/origin/main", "HEAD")
	if got, want := c.of("").Base, c.git("rev-parse", "HEAD~20"); got != want {
		t.Errorf("on origin/main the base is %q, not the one 20 commits before, %s", got, want)
	}
}

func TestAdded(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	c.write("a.txt", "one\ntwo\nthree\nfour\n")
	c.write("gone.txt", "gone\n")
	c.write(".gitignore", "*.log\n")
	base := c.commit("first")
	c.write("a.txt", "one\n2\n2b\nthree\n+++ b/four\nfive\n")
	c.write("gone.txt", "")
	c.write("new.txt", "new\nlines\n")
	c.commit("second")
	c.write("a.txt", "one\n2\n2b\nthree\n+++ b/four\nfive\nsix\n")
	c.write("own.txt", "not added\n")
	c.write("own.log", "ignored\n")
	if err := os.Remove(filepath.Join(c.dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	got, err := c.of(base).Added(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Lines{"a.txt": {2: true, 3: true, 5: true, 6: true, 7: true}, "new.txt": {1: true, 2: true}, "own.txt": {1: true, 2: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Six lines that a file loses and another one gets are moved; five may be written again.
func TestMovedIsNotAdded(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	c.write("long.txt", "1\n2\n3\n4\n5\n6\n\nkept\na\nb\nc\nd\ne\n")
	base := c.commit("first")
	c.write("long.txt", "kept\n")
	c.write("moved.txt", "begins\n\t1\n2\n3\n4\n5\n6\nends\n")
	c.write("again.txt", "a\nb\nc\nd\ne\nf\n")
	c.commit("second")
	got, err := c.of(base).Added(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Lines{"long.txt": {}, "moved.txt": {1: true, 8: true}, "again.txt": {1: true, 2: true, 3: true, 4: true, 5: true, 6: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A line whose comment alone is another one is added, and its code is not.
func TestAddedCode(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	c.write("a.go", "x := 1 // one\ny := 2 // two\nz := 3\n")
	base := c.commit("first")
	c.write("a.go", "x := 1 // the first\ny := 3 // two\nz := 3 // three\n")
	c.commit("second")
	all, err := c.of(base).Added(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	code, err := c.of(base).AddedCode(t.Context())
	if diff := cmp.Diff([]map[string]Lines{{"a.go": {1: true, 2: true, 3: true}}, {"a.go": {2: true}}}, []map[string]Lines{all, code}); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	base := c.commit("first")
	if got, err := c.of(base).Subjects(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
	c.commit("Add a line")
	c.commit("Add another line")
	got, err := c.of(base).Subjects(t.Context())
	if err != nil || len(got) != 2 || !strings.HasSuffix(got[0], " Add another line") || !strings.HasSuffix(got[1], " Add a line") {
		t.Errorf("%q, %v", got, err)
	}
}

var manyDigits = regexp.MustCompile(`\d{6}`)

func FuzzParse(f *testing.F) {
	f.Add("+++ b/a.go\n@@ -1,2 +1,3 @@ func x\n-a\n-b\n+c\n+d\n+e\n")
	f.Add("@@ -1 +1 @@\n-a\n+b\n")
	f.Add("+++ b/a.go\n@@ -0,0 +1 @@\n++++ b/x\n")
	f.Fuzz(func(t *testing.T, diff string) {
		if manyDigits.MatchString(diff) {
			return // more lines than the test has time for
		}
		added, err := parse(diff, false)
		if err != nil {
			return
		}
		for file, lines := range added {
			for n := range lines {
				if n < 0 {
					t.Errorf("%s has line %d", file, n)
				}
			}
		}
	})
}
