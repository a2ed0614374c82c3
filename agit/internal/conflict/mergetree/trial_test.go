package mergetree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}

// bench is a repository with a store that borrows from it.
type bench struct {
	*testing.T
	*gittest.Repo
	*ObjectStore
}

func newBench(t *testing.T) bench {
	t.Helper()
	t.Parallel()
	g := gittest.New(t)
	g.Commit("first", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "src/b.txt", "b\n", "gone.txt", "gone\n")
	s, err := New(t.TempDir(), g.Repo().CommonDir, scan.SHA1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return bench{t, g, s}
}

// blob returns a text as git's blob.
func (b bench) blob(text string) scan.Blob {
	b.Helper()
	b.Write("hashed", text)
	oid := b.Git("hash-object", "hashed")
	b.Remove("hashed")
	return scan.Blob{Mode: 0o100644, OID: oid}
}

// disk writes a file with a text and returns its state.
func (b bench) disk(path, text string) File {
	b.Helper()
	b.Write("disk/"+path, text)
	return File{Path: path, To: b.blob(text), Disk: b.Path("disk/" + path)}
}

// files returns the files of a commit in the store: "mode path text".
func (b bench) files(commit string) (all []string) {
	b.Helper()
	out, err := b.Repo.Repo().Output(b.Context(), git.Options{Env: b.env()}, "ls-tree", "-r", "-z", commit)
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		meta, path, _ := strings.Cut(line, "\t")
		fields := strings.Fields(meta)
		text, err := b.Repo.Repo().Output(b.Context(), git.Options{Env: b.env()}, "cat-file", "blob", fields[2])
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, fields[0]+" "+path+" "+string(text))
	}
	return all
}

func (b bench) imported(commits ...Commit) ([]string, map[string]string) {
	b.Helper()
	oids, moved, err := b.Import(b.Context(), commits)
	if err != nil {
		b.Fatal(err)
	}
	return oids, moved
}

func TestImport(t *testing.T) {
	b := newBench(t)
	head := b.Head()
	script := b.disk("run.sh", "#!/bin/sh\n")
	script.To.Mode = 0o100755
	if err := os.Symlink("a.txt", b.Path("disk/link")); err != nil {
		t.Fatal(err)
	}
	link := File{Path: "link", To: scan.Blob{Mode: 0o120000, OID: b.blob("a.txt").OID}, Disk: b.Path("disk/link")}
	stored := File{Path: "copy.txt", To: scan.Blob{Mode: 0o100644, OID: b.Git("rev-parse", "HEAD:src/b.txt")}}
	state := Commit{Parents: []string{head}, Files: []File{b.disk("a.txt", "new\n"), {Path: "gone.txt"}, {Path: "src/b.txt"}, b.disk("src", "a file now\n"), script, link, stored}}
	alone := Commit{Files: []File{b.disk("only \"quoted\"\n.txt", "x")}}
	merge := Commit{Parents: []string{head, head}}
	oids, moved := b.imported(state, alone, merge)
	if len(moved) > 0 {
		t.Errorf("moved: %v", moved)
	}
	want := []string{"100644 a.txt new\n", "100644 copy.txt b\n", "120000 link a.txt", "100755 run.sh #!/bin/sh\n", "100644 src a file now\n"}
	if diff := cmp.Diff(want, b.files(oids[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"100644 only \"quoted\"\n.txt x"}, b.files(oids[1])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again, _ := b.imported(state, alone, merge)
	if diff := cmp.Diff(oids, again); diff != "" {
		t.Errorf("the same states have other names (-want +got):\n%s", diff)
	}
	if _, err := b.TryGit("cat-file", "-e", oids[0]); err == nil {
		t.Error("the repository holds the commit")
	}
}

// TestImportOfAnotherContent: a file that no longer matches its state is reported with its new object.
func TestImportOfAnotherContent(t *testing.T) {
	b := newBench(t)
	changed, gone, folder := b.disk("changed", "before\n"), b.disk("gone", "x\n"), b.disk("folder", "y\n")
	b.Write("disk/changed", "after\n")
	b.Remove("disk/gone")
	b.Remove("disk/folder")
	if err := os.Mkdir(b.Path("disk/folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	oids, moved := b.imported(Commit{Parents: []string{b.Head()}, Files: []File{changed, gone, folder}}, Commit{Files: []File{gone, changed}})
	if diff := cmp.Diff(map[string]string{changed.To.OID: b.blob("after\n").OID, gone.To.OID: "", folder.To.OID: ""}, moved); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"100644 changed after\n"}, b.files(oids[1])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLargeOpaqueFile: a large file whose content does not matter is not copied; only the name of its content is.
func TestLargeOpaqueFile(t *testing.T) {
	b := newBench(t)
	large, small := b.disk("large.bin", strings.Repeat("x", largeFile+1)), b.disk("small.bin", strings.Repeat("y", largeFile))
	large.Opaque, small.Opaque = true, true
	oids, moved := b.imported(Commit{Files: []File{large, small}})
	got := b.files(oids[0])
	if len(moved) > 0 || len(got) != 2 || got[0] != "100644 large.bin content "+large.To.OID+"\n" || len(got[1]) < largeFile {
		t.Errorf("%v, %d files: %.80q", moved, len(got), got)
	}
}

func TestHunks(t *testing.T) {
	b := newBench(t)
	oid := func(text string) string { b.Write("stored", text); return b.Git("hash-object", "-w", "stored") }
	base := b.Git("rev-parse", "HEAD:a.txt")
	got, err := b.Hunks(t.Context(), []Texts{
		{base, oid("1\n2\nthree\n4\n5\n6\n7\n8\n9\n10\n")},
		{base, base},
		{base, oid("\x00\x01")},
		{base, oidA}, // no store has it
	})
	want := []Hunks{{Ranges: []git.Hunk{{OldStart: 3, OldLines: 1, NewStart: 3, NewLines: 1}, {OldStart: 9, OldLines: 0, NewStart: 10, NewLines: 1}}}, {}, {Binary: true}, {Binary: true}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestMerges(t *testing.T) {
	b := newBench(t)
	base := b.Head()
	side := func(name string, files ...string) string {
		b.Git("checkout", "--quiet", "-b", name, base)
		return b.Commit(name, files...)
	}
	near, same, far := side("near", "a.txt", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"), side("same", "a.txt", "1\n2\n3\n4\nFIVE\n6\n7\n8\n9\n"), side("far", "a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
	got, err := b.Merges(t.Context(), b.Repo.Repo(), base, [][2]string{{near, same}, {near, far}, {near, oidA}, {far, near}})
	if err != nil || len(got) != 4 {
		t.Fatalf("%v, %v", got, err)
	}
	if got[0].Clean || len(got[0].Conflicts) != 1 || got[0].Conflicts[0].Kind != "contents" || got[0].Conflicts[0].Paths[0] != "a.txt" {
		t.Errorf("one line: %+v", got[0])
	}
	if !got[1].Clean || got[1].Tree != got[3].Tree || got[1].Tree == "" {
		t.Errorf("two places: %+v and %+v", got[1], got[3])
	}
	if got[2].Failed == "" || got[2].Clean {
		t.Errorf("a commit that does not exist: %+v", got[2])
	}
	if _, err := b.TryGit("cat-file", "-e", got[1].Tree); err == nil {
		t.Error("the repository holds the merged tree")
	}
}

func TestDiffs(t *testing.T) {
	b := newBench(t)
	one := b.Head()
	b.Git("mv", "a.txt", "c.txt")
	two := b.Commit("moved")
	blob := scan.Blob{Mode: 0o100644, OID: b.Git("rev-parse", one+":a.txt")}
	for renames, want := range map[bool][][]Diff{
		true:  {{{Path: "c.txt", OldPath: "a.txt", From: blob, To: blob}}, nil},
		false: {{{Path: "a.txt", From: blob}, {Path: "c.txt", To: blob}}, nil},
	} {
		got, err := Diffs(t.Context(), b.Repo.Repo(), nil, [][2]string{{one, two}, {two, two}}, renames)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("renames %t: %v (-want +got):\n%s", renames, err, diff)
		}
	}
	if got, err := Diffs(t.Context(), b.Repo.Repo(), nil, nil, true); err != nil || got != nil {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Diffs(t.Context(), b.Repo.Repo(), nil, [][2]string{{one, oidA}}, true); err == nil {
		t.Error("a commit that does not exist is compared")
	}
}

func TestIndexDiff(t *testing.T) {
	b := newBench(t)
	b.Write("a.txt", "staged\n")
	b.Git("add", "a.txt")
	b.Write("src/b.txt", "not staged\n")
	got, err := IndexDiff(t.Context(), b.Repo.Repo(), b.Head(), scan.SHA1)
	want := []Diff{{Path: "a.txt", From: scan.Blob{Mode: 0o100644, OID: b.Git("rev-parse", "HEAD:a.txt")}, To: b.blob("staged\n")}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err := IndexDiff(t.Context(), b.Repo.Repo(), "", scan.SHA1); err != nil || len(got) != 3 {
		t.Errorf("against nothing: %v, %v", got, err)
	}
}

func TestBlobsAt(t *testing.T) {
	b := newBench(t)
	one := b.Head()
	b.Git("rm", "-q", "-r", "src")
	two := b.Commit("removed", "line\nbreak", "z")
	nested := scan.Blob{Mode: 0o100644, OID: b.Git("rev-parse", one+":src/b.txt")}
	broken := scan.Blob{Mode: 0o100644, OID: b.blob("z").OID}
	for file, want := range map[string]map[string]scan.Blob{
		"src/b.txt":   {one: nested},
		"src":         {one: {}, two: {}}, // a folder is not a file
		"nowhere/x":   {},
		"line\nbreak": {one: {}, two: broken},
	} {
		got, err := BlobsAt(t.Context(), b.Repo.Repo(), []string{one, two}, file)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", file, err, diff)
		}
	}
}

func TestContents(t *testing.T) {
	b := newBench(t)
	got, err := Contents(t.Context(), b.Repo.Repo(), b.ObjectStore, []string{"HEAD:a.txt", "HEAD:src/b.txt", "HEAD:src", "HEAD:none", oidA, "HEAD:line\nbreak"}, 5)
	if diff := cmp.Diff(map[string]string{"HEAD:src/b.txt": "b\n"}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestPickedAndSquash(t *testing.T) {
	b := newBench(t)
	base := b.Head()
	b.Git("checkout", "--quiet", "-b", "work")
	b.Commit("one", "one.txt", "1\n")
	tip := b.Commit("two", "two.txt", "2\n")
	squashed, err := b.Squash(t.Context(), b.Repo.Repo(), base, tip)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.files(squashed); len(got) != 5 {
		t.Errorf("%q", got)
	}
	b.Git("checkout", "--quiet", "main")
	b.Commit("meanwhile", "else.txt", "e\n")
	b.Git("cherry-pick", tip+"~1")
	for name, want := range map[string]bool{tip: false, tip + "~1": true} {
		if got, err := b.Picked(t.Context(), b.Repo.Repo(), "main", name); err != nil || got != want {
			t.Errorf("%s: %t, %v", name, got, err)
		}
	}
}

// TestTidyFolder: only stores that are older than a day are removed, and nothing else.
func TestTidyFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	old := time.Now().Add(-25 * time.Hour)
	for _, name := range []string{prefix + "old", prefix + "young", "other"} {
		path := filepath.Join(folder, name)
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if name != prefix+"young" {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	tidyFolder(folder)
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(left) != 2 || filepath.Base(left[0]) != prefix+"young" || filepath.Base(left[1]) != "other" {
		t.Errorf("%q, %v", left, err)
	}
}
