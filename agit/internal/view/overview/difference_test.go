package overview

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestParseDiff(t *testing.T) {
	out := "diff --git a/go.mod b/go.mod\nindex 1..2 100644\n--- a/go.mod\n+++ b/go.mod\n@@ -1,2 +1,2 @@ module\n module x\n-go 1.25\n+go 1.26\n\\ No newline at end of file\n" +
		"diff --git a/a b.txt b/a b.txt\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/a b.txt\t\n@@ -0,0 +1 @@\n+++ plus\n" +
		"diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n" +
		"diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n--- minus\n" +
		"diff --git a/pic.png b/pic.png\nindex 1..2\nBinary files a/pic.png and b/pic.png differ\n" +
		"diff --git \"a/t\\tb\" \"b/t\\tb\"\nold mode 100644\nnew mode 100755\n" +
		"diff --git a/empty b/empty\nnew file mode 100644\n"
	want := []DiffFile{
		{Path: "go.mod", Change: "modified", Added: 1, Removed: 1, Hunks: []Hunk{{At: "@@ -1,2 +1,2 @@ module", Lines: []string{" module x", "-go 1.25", "+go 1.26", "\\ No newline at end of file"}}}},
		{Path: "a b.txt", Change: "added", Added: 1, Hunks: []Hunk{{At: "@@ -0,0 +1 @@", Lines: []string{"+++ plus"}}}},
		{Path: "new", From: "old", Change: "renamed", Hunks: []Hunk{}},
		{Path: "gone", Change: "deleted", Removed: 1, Hunks: []Hunk{{At: "@@ -1 +0,0 @@", Lines: []string{"--- minus"}}}},
		{Path: "pic.png", Change: "modified", Binary: true, Hunks: []Hunk{}},
		{Path: "t\tb", Change: "modified", Hunks: []Hunk{}},
		{Path: "empty", Change: "added", Hunks: []Hunk{}},
	}
	if diff := cmp.Diff(want, parseDiff(out)); diff != "" {
		t.Error(diff)
	}
}

// A lost commit is not taken for the absence of a common one.
func TestComparedWithALostCommit(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Commit("first", "a", "1\n")
	r.Branch("old")
	lost := r.Commit("second", "a", "2\n")
	r.Commit("third", "a", "3\n")
	if d, _, err := compared(t.Context(), r.Repo(), worktree.Settings{DefaultBranch: "old"}, ""); err != nil || len(d.Files) != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	if err := os.Remove(r.Path(".git/objects/" + lost[:2] + "/" + lost[2:])); err != nil {
		t.Fatal(err)
	}
	if _, _, err := compared(t.Context(), r.Repo(), worktree.Settings{DefaultBranch: "old"}, ""); err == nil || strings.Contains(err.Error(), "in common") {
		t.Error(err)
	}
}

// Only the beginning of a long new file is shown, with a note that there is more.
func TestLongNewFiles(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"whole": untrackedSize, "long": untrackedSize + 1} {
		if err := os.WriteFile(filepath.Join(dir, name), bytes.Repeat([]byte("1234567\n"), size/8+1)[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		var d Difference
		if err := d.addUntracked(dir, []string{name}); err != nil || d.Cut != (name == "long") || d.Files[0].Added != untrackedSize/8 {
			t.Errorf("%s: %v, cut %t, %d lines", name, err, d.Cut, d.Files[0].Added)
		}
	}
}

// os/exec copies a program's output through ReadFrom if the writer has it.
func TestLimitedOfAProcess(t *testing.T) {
	t.Parallel()
	shown := &limited{most: 10}
	cmd := exec.Command("git", "help", "--all", "--no-verbose")
	cmd.Stdout = shown
	if err := cmd.Run(); err != nil || shown.kept.Len() != 10 || !shown.cut {
		t.Errorf("%d bytes, cut %v, %v", shown.kept.Len(), shown.cut, err)
	}
}

func FuzzParseDiff(f *testing.F) {
	f.Add("diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n")
	f.Add("@@ -1 +1 @@\ndiff --git \"\n--- \"\\\n")
	f.Fuzz(func(t *testing.T, out string) {
		for _, file := range parseDiff(out) {
			lines := 0
			for _, h := range file.Hunks {
				lines += len(h.Lines)
			}
			if file.Added+file.Removed > lines {
				t.Errorf("%q: +%d -%d of %d lines", file.Path, file.Added, file.Removed, lines)
			}
		}
	})
}
