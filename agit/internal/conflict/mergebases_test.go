package conflict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git/gittest"
)

// TestHistory compares with git merge-base --all on random histories.
func TestHistory(t *testing.T) {
	for seed := range 8 {
		random := rand.New(rand.NewPCG(uint64(seed), 3))
		r := gittest.New(t)
		tree := func(parents ...string) string {
			args := []string{"commit-tree", r.Git("hash-object", "-w", "-t", "tree", "/dev/null"), "-m", fmt.Sprint(random.Uint64())}
			for _, p := range parents {
				args = append(args, "-p", p)
			}
			return r.Git(args...)
		}
		commits := []string{tree()}
		for range 30 {
			parents := []string{commits[random.IntN(len(commits))]}
			if random.IntN(3) == 0 {
				if other := commits[random.IntN(len(commits))]; other != parents[0] {
					parents = append(parents, other)
				}
			}
			commits = append(commits, tree(parents...))
		}
		if seed%4 == 3 {
			commits = append(commits, tree()) // shares nothing
		}
		var tips []string
		for range 6 {
			tips = append(tips, commits[random.IntN(len(commits))])
		}
		tips = append(tips, commits[len(commits)-1])
		h, err := newAncestry(t.Context(), r.Repo(), tips)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range tips {
			for _, b := range tips {
				got, err := h.bases([]string{a}, []string{b})
				if err != nil {
					t.Fatal(err)
				}
				out, _ := r.TryGit("merge-base", "--all", a, b)
				want := strings.Fields(out)
				slices.Sort(want)
				got = slices.Sorted(slices.Values(got))
				if len(want)+len(got) > 0 && !cmp.Equal(want, got) {
					t.Errorf("seed %d: bases of %s and %s: %v, git says %v", seed, a, b, got, want)
				}
			}
		}
	}
}

func TestOverlap(t *testing.T) {
	ins := func(after int) Lines { return Lines{after + 1, after} }
	for _, tt := range []struct {
		a, b []Lines
		want string
		meet bool
	}{
		{[]Lines{{1, 3}}, []Lines{{5, 6}}, "", false},
		{[]Lines{{1, 3}}, []Lines{{4, 6}}, "+4", true}, // git merges only with an unchanged line between
		{[]Lines{{1, 3}}, []Lines{{3, 6}}, "3", true},
		{[]Lines{{1, 9}}, []Lines{{3, 4}, {6, 7}}, "3-4,6-7", true},
		{[]Lines{ins(2)}, []Lines{ins(2)}, "+3", true},
		{[]Lines{ins(2)}, []Lines{{3, 3}}, "+3", true},
		{[]Lines{ins(2)}, []Lines{{2, 2}}, "+3", true},
		{[]Lines{ins(2)}, []Lines{{4, 4}}, "", false},
		{nil, []Lines{{4, 4}}, "", false},
	} {
		for _, swap := range []bool{false, true} {
			a, b := tt.a, tt.b
			if swap {
				a, b = b, a
			}
			lines, meet := overlapping(changedLines{lines: a}, changedLines{lines: b})
			if got := FormatLines(lines); got != tt.want || meet != tt.meet {
				t.Errorf("overlap(%v, %v) = %q %v, want %q %v", a, b, got, meet, tt.want, tt.meet)
			}
		}
	}
}

func TestLines(t *testing.T) {
	all := []Lines{{3, 3}, {5, 9}, {12, 11}}
	if got := FormatLines(all); got != "3,5-9,+12" {
		t.Errorf("FormatLines = %q", got)
	}
}

func FuzzNamed(f *testing.F) {
	k := newCatalogue([]string{"src/a.go", "src/b/c.go", "README.md"})
	f.Add("fix src/a.go:12, [x]* and **/c.go")
	f.Fuzz(func(t *testing.T, text string) {
		k.judge(TaskText{Text: text}, []Announcement{{Agent: "a", Pattern: text}}, nil)
	})
}

func FuzzDisplay(f *testing.F) {
	f.Add("a\xff\n\"")
	f.Fuzz(func(t *testing.T, path string) {
		if shown := display(path); !plain(shown) && !strings.HasPrefix(shown, `"`) {
			t.Errorf("%q is shown as %q", path, shown)
		}
	})
}
