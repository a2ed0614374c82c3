//go:build unix

package checkout

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git/gittest"
)

// lay makes entries of a folder: "a/b=text" is a file, "a->b" a link, "a/" a folder, "a|" a pipe. A "!" before a file makes it executable.
func lay(t *testing.T, dir string, entries ...string) {
	t.Helper()
	for _, e := range entries {
		mode := fs.FileMode(0o640)
		if strings.HasPrefix(e, "!") {
			e, mode = e[1:], 0o751
		}
		var err error
		at := func(name string) string {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			return path
		}
		if name, link, ok := strings.Cut(e, "->"); ok {
			err = os.Symlink(link, at(name))
		} else if name, text, ok := strings.Cut(e, "="); ok {
			path := at(name)
			if err = os.WriteFile(path, []byte(text), mode); err == nil {
				err = os.Chmod(path, mode)
			}
		} else if name, ok := strings.CutSuffix(e, "|"); ok {
			err = syscall.Mkfifo(at(name), 0o600)
		} else {
			err = os.MkdirAll(filepath.Join(dir, e), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// laid lists the entries of a folder in the same form, without folders that have entries.
func laid(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			if inside, err := os.ReadDir(path); err != nil || len(inside) > 0 {
				return err
			}
			all = append(all, name+"/")
		case info.Mode()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			all = append(all, name+"->"+link)
			return err
		default:
			text, err := os.ReadFile(path)
			if info.Mode()&0o111 != 0 {
				name = "!" + name
			}
			all = append(all, name+"="+string(text))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Files are copied with their modes beside those that exist; what leads out of either folder, or is not a file, is left out and named.
func TestCopyIncluded(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	lay(t, outside, "secret=s")
	for _, c := range []struct {
		name               string
		source, target     []string
		files, left, after []string
	}{
		{"files in folders", []string{"a=1", "!b/c/run=2", "b/d=3"}, nil, []string{"a", "b/c/run", "b/d"}, nil, []string{"a=1", "!b/c/run=2", "b/d=3"}},
		{"only those that are named", []string{"a=1", "b=2"}, nil, []string{"b"}, nil, []string{"b=2"}},
		{"one that exists", []string{"a=1", "b=2"}, []string{"a=mine"}, []string{"a", "b"}, nil, []string{"a=mine", "b=2"}},
		{"one that is gone", []string{"b=2"}, nil, []string{"a", "b"}, nil, []string{"b=2"}},
		{"links", []string{"a=1", "d/up->../a", "d/near->f", "d/f=2"}, nil, []string{"d/up", "d/near"}, nil, []string{"d/near->f", "d/up->../a"}},
		{"a link that exists", []string{"a=1", "l->a"}, []string{"l->b"}, []string{"l"}, nil, []string{"l->b"}},
		{"links that lead out", []string{"out->" + "../" + filepath.Base(outside) + "/secret", "abs->" + outside + "/secret", "none->nowhere", "b=2"}, nil, []string{"out", "abs", "none", "b"}, []string{"out", "abs", "none"}, []string{"b=2"}},
		{"an absolute link to a file beside", []string{"a=1", "l->HERE/a"}, nil, []string{"l"}, []string{"l"}, []string{}},
		{"a pipe", []string{"p|", "b=2"}, nil, []string{"p", "b"}, []string{"p"}, []string{"b=2"}},
		{"below a file", []string{"d/e/f=1", "b=2"}, []string{"d=mine"}, []string{"d/e/f", "b"}, []string{"d/e/f"}, []string{"b=2", "d=mine"}},
		{"below a file in a folder", []string{"d/e/f=1"}, []string{"d/e=mine"}, []string{"d/e/f"}, []string{"d/e/f"}, []string{"d/e=mine"}},
		{"below a link that leads out", []string{"d/e/f=1", "b=2"}, []string{"d->" + outside}, []string{"d/e/f", "b"}, []string{"d/e/f"}, []string{"b=2", "d->" + outside}},
		{"below a link to a folder", []string{"d/f=1"}, []string{"d->real", "real/"}, []string{"d/f"}, nil, []string{"d->real", "real/f=1"}},
	} {
		from, to := t.TempDir(), t.TempDir()
		for i, e := range c.source {
			c.source[i] = strings.ReplaceAll(e, "HERE", from)
		}
		lay(t, from, c.source...)
		lay(t, to, c.target...)
		left, err := copyIncluded(from, to, c.files)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.left, left); diff != "" {
			t.Errorf("%s: left out %s", c.name, diff)
		}
		for _, made := range []string{"b", "b/c", "d"} {
			if info, err := os.Lstat(filepath.Join(to, made)); err == nil && info.IsDir() {
				ordinary(t, filepath.Join(to, made))
			}
		}
		got := laid(t, to)
		if diff := cmp.Diff(c.after, append([]string{}, got...)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	if got := laid(t, outside); len(got) != 1 {
		t.Errorf("outside there are %q", got)
	}
	here := t.TempDir()
	for _, c := range []struct{ from, to, words string }{{here + "/none", here, "open"}, {here, here + "/none", "open"}} {
		if _, err := copyIncluded(c.from, c.to, []string{"a"}); err == nil || !strings.Contains(err.Error(), c.words) || !strings.Contains(err.Error(), "none") {
			t.Errorf("from %s to %s: %v", c.from, c.to, err)
		}
	}
	lay(t, here, "a=1", "full/")
	if os.Geteuid() != 0 {
		if err := os.Chmod(here+"/full", 0o555); err != nil {
			t.Fatal(err)
		}
		if _, err := copyIncluded(here, here+"/full", []string{"a"}); err == nil || !strings.Contains(err.Error(), `copy "a"`) {
			t.Errorf("into a folder that cannot be written: %v", err)
		}
	}
}

func TestBlocked(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	lay(t, dir, "file=1", "d/file=1", "d/e/", "out->"+outside, "in->d", "tofile->file", "none->nowhere")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, want := range map[string]bool{
		"x": false, "file": false, "file/x": true, "d/x": false, "d/e/x": false, "d/file/x": true, "d/file/x/y": true, "no/x": false, "no/y/x": false, "file/y/x": true,
		"out/x": true, "out/y/x": true, "in/x": false, "in/e/x": false, "tofile/x": true, "none/x": true,
	} {
		if got := blocked(root, name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// Files that .worktreeinclude names and git ignores are copied, by the rules of the commit where it has some, else by those in the working tree.
func TestIncluded(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	r := gittest.New(t)
	r.Commit("none", ".gitignore", "*.env\nbuild/\n.worktrees/\n", "tracked.txt", "t\n")
	without := r.Head()
	r.Commit("env", ".worktreeinclude", "*.env\n*.txt\nother\n")
	env := r.Head()
	r.Commit("build", ".worktreeinclude", "build/\n")
	build := r.Head()
	r.Git("checkout", "--quiet", "--orphan", "linked")
	if err := os.Remove(r.Path(".worktreeinclude")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/hostname", r.Path(".worktreeinclude")); err != nil {
		t.Fatal(err)
	}
	r.Git("add", ".worktreeinclude")
	r.Git("commit", "-qm", "leads out")
	leadsOut := r.Head()
	r.Git("checkout", "--quiet", "--force", "main")
	r.Remove(".worktreeinclude")
	lay(t, r.Dir, "a.env=1", "sub/b.env=2", "new.txt=3", "build/out=4", ".worktrees/w/c.env=5", ".worktrees2/d.env=6", "other/x=7")
	r.At(r.Path("other")).Git("init", "--quiet")
	const base = "*.env\n"
	for _, c := range []struct {
		name, lying, commit string
		want                []string
	}{
		{"no rules", "", "", nil},
		{"no rules in the commit", "", without, nil},
		{"rules that lie there", base, "", []string{".worktrees2/d.env", "a.env", "sub/b.env"}},
		{"and in place of those the commit lacks", base, without, []string{".worktrees2/d.env", "a.env", "sub/b.env"}},
		{"of a commit", "", env, []string{".worktrees2/d.env", "a.env", "sub/b.env"}},
		{"of a later commit", base, build, []string{"build/out"}},
		{"a link that leads out", base, leadsOut, nil},
		{"what git does not ignore", "new.txt\n", "", nil},
		{"what does not exist", "nothing\n", "", nil},
		{"what is tracked", "tracked.txt\n", "", nil},
		{"rules of two kinds", "*.env\nbuild/\n", "", []string{".worktrees2/d.env", "a.env", "build/out", "sub/b.env"}},
	} {
		if err := os.RemoveAll(r.Path(".worktreeinclude")); err != nil {
			t.Fatal(err)
		}
		if c.lying != "" {
			r.Write(".worktreeinclude", c.lying)
		}
		i := Inclusion{Repo: r.Repo(), Branch: "main", Trees: r.Path(".worktrees")}
		if c.commit != "" {
			i.Committed = r.Repo().Committed(c.commit, IncludeFile)
		}
		from, got, bare, err := i.files(t.Context())
		if err != nil || bare || from != i.Repo.WorkTree {
			t.Errorf("%s: from %s, bare %t, %v", c.name, from, bare, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		to := t.TempDir()
		var said []string
		if err := i.Copy(t.Context(), to, func(s string) { said = append(said, s) }); err != nil || len(said) != 0 || len(laid(t, to)) != len(c.want) {
			t.Errorf("%s: %v, said %q, copied %q", c.name, err, said, laid(t, to))
		}
		if key, err := i.Key(t.Context()); err != nil || (key == "") != (c.want == nil) {
			t.Errorf("%s: key %q, %v", c.name, key, err)
		}
	}
	r.Remove(".worktreeinclude")
	if err := os.Symlink("/etc/hostname", r.Path(".worktreeinclude")); err != nil {
		t.Fatal(err)
	}
	if _, files, _, err := (Inclusion{Repo: r.Repo()}).files(t.Context()); files != nil || err != nil {
		t.Errorf("rules behind a link that leads out: %q, %v", files, err)
	}
	r.Remove(".worktreeinclude")
	lay(t, r.Dir, "pipe.env->/nowhere", ".worktreeinclude=pipe.env\n")
	var said []string
	i := Inclusion{Repo: r.Repo(), Branch: "main", Trees: r.Path(".worktrees")}
	if err := i.Copy(t.Context(), t.TempDir(), func(s string) { said = append(said, s) }); err != nil ||
		fmt.Sprint(said) != "[.worktreeinclude: not copied, because it is not a file of the repository's folder: pipe.env]" {
		t.Errorf("%q, %v", said, err)
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "agit-include-*")); err != nil || len(left) != 0 {
		t.Errorf("%q are left, %v", left, err)
	}
}

// The key follows the names, sizes, modes and times of the files.
func TestKeyOfInclusion(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Commit("one", ".gitignore", "*.env\n", ".worktreeinclude", "*.env\n")
	key := func() string {
		t.Helper()
		k, err := Inclusion{Repo: r.Repo(), Branch: "main", Trees: r.Path(".worktrees")}.Key(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	seen := map[string]string{}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"none", func() error { return nil }},
		{"one", func() error { lay(t, r.Dir, "a.env=1"); return nil }},
		{"executable", func() error { return os.Chmod(r.Path("a.env"), 0o751) }},
		{"larger", func() error {
			info, err := os.Stat(r.Path("a.env"))
			if err == nil {
				err = os.WriteFile(r.Path("a.env"), []byte("12"), 0o640)
			}
			if err == nil {
				err = os.Chtimes(r.Path("a.env"), info.ModTime(), info.ModTime())
			}
			return err
		}},
		{"another name", func() error { return os.Rename(r.Path("a.env"), r.Path("b.env")) }},
		{"two", func() error { lay(t, r.Dir, "c.env=1"); return nil }},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		k := key()
		if before, twice := seen[k]; twice {
			t.Errorf("%s has the key of %s", step.name, before)
		}
		if seen[k] = step.name; key() != k {
			t.Errorf("%s: the key changes", step.name)
		}
	}
	if seen[""] != "none" {
		t.Errorf("the empty key is that of %q", seen[""])
	}
}
