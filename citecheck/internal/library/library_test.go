package library

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
)

func library(t *testing.T, files ...string) *Library {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, filepath.FromSlash(Usual))
	for _, name := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("# "+name+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l, err := Open(Options{From: root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestFind(t *testing.T) {
	l := library(t, "a.md", "deep/foo.md", "deep/er/bar.md", "other/bar.md", "UPPER.MD", "note.txt", ".hidden/x.md", "dots.in.name.md")
	entries, err := l.Entries()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	if got := strings.Join(ids, " "); got != "UPPER a deep/er/bar deep/foo dots.in.name other/bar" {
		t.Fatalf("ids %s", got)
	}
	for name, want := range map[string]string{
		"a": "a", "A": "a", "a.md": "a", "deep/foo": "deep/foo", "foo": "deep/foo", "FOO.md": "deep/foo", "er/bar": "deep/er/bar",
		"upper": "UPPER", "dots.in.name": "dots.in.name", Usual + "/a.md": "a", filepath.Join(l.Dir, "deep", "foo.md"): "deep/foo",
	} {
		if e, err := l.Find(l.Root, name); err != nil || e.ID != want {
			t.Errorf("%q is %q: %v", name, e.ID, err)
		}
	}
	for name, said := range map[string]string{
		"bar": "may mean deep/er/bar, other/bar", "fooo": `did you mean "deep/foo"`, "": "names no memory", "note.txt": "does not exist",
		"../../../etc/passwd.md": "does not exist", "/etc/passwd": "does not exist", "a\x00": "names no memory", ".hidden/x": "does not exist",
	} {
		if e, err := l.Find(l.Root, name); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%q is %q: %v", name, e.ID, err)
		}
	}
}

// Links may be ids, names, or paths relative to where they stand.
func TestResolve(t *testing.T) {
	entries := []Entry{{ID: "a"}, {ID: "deep/a"}, {ID: "deep/b"}, {ID: "deep/er/c"}, {ID: "x/b"}}
	for _, tc := range []struct{ from, name, want string }{
		{"x/b", "a", "a"}, {"deep/b", "a", "deep/a"}, {"deep/b", "../a.md", "a"}, {"deep/b", "./a", "deep/a"}, {"a", "deep/b", "deep/b"},
		{"a", "er/c", "deep/er/c"}, {"a", "c", "deep/er/c"}, {"a", "b", "deep/b x/b"}, {"x/b", "b", "x/b"}, {"a", "../b", ""}, {"a", "nothing", ""},
		{"a", ".serena/memories/deep/b.md", "deep/b"}, {"a", `deep\b`, "deep/b"}, {"a", "/deep/b", "deep/b"}, {"a", "DEEP/B", "deep/b"},
	} {
		var got []string
		for _, i := range Resolve(entries, tc.from, tc.name) {
			got = append(got, entries[i].ID)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%q in %q: %v, want %q", tc.name, tc.from, got, tc.want)
		}
	}
}

// An entry that is not a regular file inside the folder is reported and never read.
func TestOddFiles(t *testing.T) {
	l := library(t, "good.md")
	outside := filepath.Join(l.Root, "secret.md")
	if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"inside.md": "good.md", "outside.md": outside, "dangling.md": "nowhere.md"} {
		if err := os.Symlink(to, filepath.Join(l.Dir, name)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Mkdir(filepath.Join(l.Dir, "folder.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.Dir, "huge.md"), make([]byte, memoryfile.MaxSize+1), 0o644); err != nil {
		t.Fatal(err)
	}
	entries, err := l.Entries()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Map(t.Context(), l, entries, memoryfile.All, func(d Doc) string {
		return fmt.Sprintf("%s %v %s", d.ID, d.Memory != nil, d.Problem)
	})
	want := []string{
		"dangling false the symbolic link leaves the folder of memories or leads nowhere", "good true ",
		`huge false "huge.md" is larger than 4 MB`, "inside true ", "outside false the symbolic link leaves the folder of memories or leads nowhere",
	}
	if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%v\n%s", err, strings.Join(got, "\n"))
	}
}

func TestNearest(t *testing.T) {
	var entries []Entry
	for i := range 200 {
		entries = append(entries, Entry{ID: fmt.Sprintf("topic/note-number-%03d", i)})
	}
	entries = append(entries, Entry{ID: "api/versioning-rules"}, Entry{ID: "security/input-validation"})
	for name, want := range map[string]string{
		"versoning-rules": "api/versioning-rules", "api/versioning-rule.md": "api/versioning-rules", "input-validaton": "security/input-validation", "zebra": "",
	} {
		if got := Nearest(entries, name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
