package trial

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/conflict/scan"
)

const (
	oidA = "1111111111111111111111111111111111111111"
	oidB = "2222222222222222222222222222222222222222"
)

func TestParseMerges(t *testing.T) {
	clean := "1\x00" + oidA + "\x00\x00"
	conflict := "0\x00" + oidA + "\x00" +
		"100644 " + oidA + " 1\tf\x00100644 " + oidB + " 2\tf\x00100644 " + oidA + " 2\tn\x00100644 " + oidB + " 3\tn\x00\x00" +
		"1\x00f\x00Auto-merging\x00Auto-merging f\n\x00" +
		"1\x00f\x00CONFLICT (contents)\x00CONFLICT (content): Merge conflict in f\n\x00" +
		"1\x00n\x00CONFLICT (contents)\x00CONFLICT (add/add): Merge conflict in n\n\x00" +
		"2\x00e/new\x00d/new\x00CONFLICT (directory rename suggested)\x00...\n\x00\x00"
	got, err := parseMerges([]byte(clean + conflict + clean))
	if err != nil {
		t.Fatal(err)
	}
	want := []Merge{{Clean: true, Tree: oidA}, {Conflicts: []Conflict{
		{Kind: "contents", Paths: []string{"f"}, Base: []string{oidA}, Ours: []string{oidB}},
		{Kind: "add/add", Paths: []string{"n"}, Ours: []string{oidA}, Theirs: []string{oidB}},
		{Kind: "directory rename suggested", Paths: []string{"e/new", "d/new"}},
	}}, {Clean: true, Tree: oidA}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got, err = parseMerges([]byte(clean + conflict[:60]))
	if err == nil || len(got) != 1 {
		t.Errorf("an answer cut short: %d merges, %v", len(got), err)
	}
}

func TestParseDiffs(t *testing.T) {
	out := oidA + "\x00:100644 100755 " + oidA + " " + oidB + " M\x00a b\n\x00:100644 100644 " + oidA + " " + oidA + " R100\x00old\x00new\x00" + oidB + "\x00"
	got, err := parseDiffs([]byte(out))
	if err != nil {
		t.Fatal(err)
	}
	want := [][]Diff{{
		{Path: "a b\n", From: scan.Blob{Mode: 0o100644, OID: oidA}, To: scan.Blob{Mode: 0o100755, OID: oidB}},
		{Path: "new", OldPath: "old", From: scan.Blob{Mode: 0o100644, OID: oidA}, To: scan.Blob{Mode: 0o100644, OID: oidA}},
	}, nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []string{"x", "x\x00", ":\x00", ":100644 100644 a b M\x00f\x00", out[:len(out)-44]} {
		if got, err := parseDiffs([]byte(bad)); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
}

func FuzzParseMerges(f *testing.F) {
	f.Add([]byte("0\x00" + oidA + "\x00100644 " + oidA + " 1\tf\x00\x001\x00f\x00CONFLICT (contents)\x00text\x00\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		merges, err := parseMerges(out)
		for _, m := range merges {
			for _, c := range m.Conflicts {
				if len(c.Paths) == 0 && err == nil {
					t.Fatal("a conflict without a path")
				}
			}
		}
	})
}

func FuzzParseDiffs(f *testing.F) {
	f.Add([]byte(oidA + "\x00:100644 100644 " + oidA + " " + oidA + " R100\x00old\x00new\x00"))
	f.Fuzz(func(t *testing.T, out []byte) { parseDiffs(out) })
}

func FuzzParseMarks(f *testing.F) {
	f.Add([]byte(":1 " + oidA + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) { parseMarks(text) })
}

func FuzzTree(f *testing.F) {
	f.Add([]byte("100644 f\x00aaaaaaaaaaaaaaaaaaaa"), "f")
	f.Fuzz(func(t *testing.T, tree []byte, name string) { findInTree(tree, name, 20) })
}
