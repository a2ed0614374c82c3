package git

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
	got, err := ParseMerges([]byte(clean + conflict + clean))
	if err != nil {
		t.Fatal(err)
	}
	want := []Merge{{Clean: true, Tree: oidA}, {Conflicts: []MergeConflict{
		{Kind: "contents", Paths: []string{"f"}, Base: []string{oidA}, Ours: []string{oidB}},
		{Kind: "add/add", Paths: []string{"n"}, Ours: []string{oidA}, Theirs: []string{oidB}},
		{Kind: "directory rename suggested", Paths: []string{"e/new", "d/new"}},
	}}, {Clean: true, Tree: oidA}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got, err = ParseMerges([]byte(clean + conflict[:60]))
	if err == nil || len(got) != 1 {
		t.Errorf("an answer cut short: %d merges, %v", len(got), err)
	}
}

func FuzzParseMerges(f *testing.F) {
	f.Add([]byte("0\x00" + oidA + "\x00100644 " + oidA + " 1\tf\x00\x001\x00f\x00CONFLICT (contents)\x00text\x00\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		merges, err := ParseMerges(out)
		for _, m := range merges {
			for _, c := range m.Conflicts {
				if len(c.Paths) == 0 && err == nil {
					t.Fatal("a conflict without a path")
				}
			}
		}
	})
}
