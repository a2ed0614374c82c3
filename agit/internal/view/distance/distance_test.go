package distance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func FuzzCount(f *testing.F) {
	f.Add([]byte("aaa\n1\t2\ta b\n-\t-\tpic\nbbb (from ccc)\n3\t4\tx\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		found := map[string]Distance{"aaa": {}, "bbb": {}}
		if count(out, found); len(found) != 2 {
			t.Errorf("%v", found)
		}
	})
}

// The distances are those that git computes, one branch at a time.
func TestMeasure(t *testing.T) {
	x := gittest.New(t)
	g := x.Repo()
	sh := func(args ...string) string { return x.Git(args...) }
	commit := func(branch, file, text string) {
		t.Helper()
		x.Checkout(branch)
		x.Write(file, text)
		sh("add", "-A")
		sh("commit", "-qm", "Change "+file)
	}
	x.Commit("first")
	main := sh("symbolic-ref", "--short", "HEAD")
	commit(main, "a", "1\n2\n3\n")
	sh("branch", "old")
	sh("branch", "side")
	commit("side", "s", "s\n")
	commit(main, "a", "1\n2\n4\n")
	for _, branch := range []string{"one", "two", "none", "merged", "crossed"} {
		sh("branch", branch)
	}
	commit("one", "b", strings.Repeat("x\n", 10))
	commit("one", "a", "1\n")
	commit("two", "c", "c\x00binary")
	commit("merged", "m", "m\n")
	sh("checkout", "-q", main)
	sh("merge", "-q", "--no-ff", "-m", "Merge m", "merged")
	commit(main, "d", "d\n")
	sh("checkout", "-q", "crossed")
	sh("merge", "-q", "-m", "Take side", "side") // side left before the others did
	sh("checkout", "-q", "one")
	sh("merge", "-q", "-m", "Update", main)

	target := sh("rev-parse", main)
	branches := []string{"old", "side", "one", "two", "none", "merged", "crossed", main}
	var tips []string
	for _, b := range branches {
		tips = append(tips, sh("rev-parse", b))
	}
	m := Meter{filepath.Join(t.TempDir(), "cache")}
	check := func(tips []string, missing string) {
		t.Helper()
		found, err := m.Measure(t.Context(), g, "r", target, append([]string{missing}, tips...))
		if err != nil {
			t.Fatal(err)
		}
		for i, tip := range tips {
			numbers := strings.Fields(sh("rev-list", "--left-right", "--count", target+"..."+tip))
			want := fmt.Sprint(numbers[1], " ahead, ", numbers[0], " behind, ", shortstat(sh("diff", "--no-renames", "--numstat", target+"..."+tip)), ", ", sh("log", "-1", "--format=%s", tip))
			d := found[tip]
			got := fmt.Sprint(d.Ahead, " ahead, ", d.Behind, " behind, ", d.Files, " files +", d.Insertions, " -", d.Deletions, ", ", d.Subject)
			if got != want {
				t.Errorf("%s: %s, git says %s", branches[i], got, want)
			}
		}
	}
	check(tips, tips[0])
	again := m.read("r", target)
	if len(again) != len(uniq(tips)) {
		t.Errorf("%d distances are kept", len(again))
	}
	if m.read("r", tips[0]) != nil || m.read("other", target) != nil {
		t.Error("distances are kept for another target, or another repository")
	}
	// Cached distances are used: git would not find these commits.
	found, err := m.Measure(t.Context(), &git.Repo{WorkTree: t.TempDir()}, "r", target, tips)
	if err != nil || cmp.Diff(again, found) != "" {
		t.Errorf("%v, %v", found, err)
	}
	if err := os.WriteFile(m.path("r"), []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	check(tips, tips[1])
}

func uniq(list []string) map[string]bool {
	set := map[string]bool{}
	for _, s := range list {
		set[s] = true
	}
	return set
}

// shortstat sums the lines of numstat.
func shortstat(numstat string) string {
	files, added, deleted := 0, 0, 0
	for line := range strings.Lines(numstat) {
		var a, d int
		_, _ = fmt.Sscan(strings.ReplaceAll(line, "-", "0"), &a, &d)
		files, added, deleted = files+1, added+a, deleted+d
	}
	return fmt.Sprint(files, " files +", added, " -", deleted)
}
