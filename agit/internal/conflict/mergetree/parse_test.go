package mergetree

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/conflict/scan"
)

const (
	oidA = "1111111111111111111111111111111111111111"
	oidB = "2222222222222222222222222222222222222222"
)

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
