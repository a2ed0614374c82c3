package check

import (
	"fmt"
	"strings"
	"testing"
)

// A citation whose file was renamed, or whose lines went to another file, is guarded
// there, although no one has rewritten it.
func TestRenamedCitationsAreGuarded(t *testing.T) {
	t.Parallel()
	engine := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintf(&b, "func work%d(a int) int {\n\treturn a*%d + offset%d\n}\n\n", i, i, i)
		}
		return b.String()
	}
	const memory = "# Q\n\n## Citations\n\n| File | Line | Snippet |\n|---|---|---|\n| src/q.go | 18 | `return a*5 + offset5` |\n"
	for name, c := range map[string]struct {
		strays, breaks, quiet func(write func(name, content string), remove func(string))
	}{
		"renamed and edited": {
			strays: func(write func(string, string), remove func(string)) {
				remove("src/q.go")
				write("src/engine.go", engine(1, 12))
			},
			breaks: func(write func(string, string), _ func(string)) {
				write("src/engine.go", strings.Replace(engine(1, 12), "return a*5 + offset5", "return completelyOther()", 1))
			},
			quiet: func(write func(string, string), _ func(string)) { write("src/engine.go", engine(1, 13)) },
		},
		"renamed and deleted": {
			strays: func(write func(string, string), remove func(string)) {
				remove("src/q.go")
				write("src/engine.go", engine(1, 12))
			},
			breaks: func(_ func(string, string), remove func(string)) { remove("src/engine.go") },
			quiet:  func(write func(string, string), _ func(string)) { write("src/unrelated.go", engine(20, 22)) },
		},
		"split and edited": {
			strays: func(write func(string, string), _ func(string)) {
				write("src/q.go", engine(1, 3)+engine(7, 12))
				write("src/other.go", engine(4, 6))
			},
			breaks: func(write func(string, string), _ func(string)) {
				write("src/other.go", strings.Replace(engine(4, 6), "a*5 + offset5", "a*5 + offsetFive*77 + zz", 1))
			},
			quiet: func(write func(string, string), _ func(string)) { write("src/other.go", engine(4, 6)+engine(30, 31)) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, repo := newService(t, false)
			repo.Write("src/q.go", engine(1, 12))
			repo.Write(".serena/memories/q.md", memory)
			repo.Commit("cited")
			c.strays(repo.Write, repo.Remove)
			base := repo.Commit("strays")
			failing := func(sum *Summary, err error) int {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				return sum.Failing(FailOn)
			}
			all := func() []Document {
				t.Helper()
				docs, err := s.All(t.Context(), Options{})
				if err != nil {
					t.Fatal(err)
				}
				return docs
			}
			c.quiet(repo.Write, repo.Remove)
			repo.Git("add", "--all")
			if n := failing(s.Staged(t.Context())); n != 0 {
				t.Errorf("the hook fails a change that breaks nothing: %d", n)
			}
			repo.Git("reset", "--hard", "--quiet")
			c.breaks(repo.Write, repo.Remove)
			repo.Git("add", "--all")
			if n := failing(s.Staged(t.Context())); n != 1 {
				t.Errorf("the hook sees %d broken", n)
			}
			repo.Commit("breaks")
			if n := failing(s.Verify(t.Context(), all(), Options{Since: base, NoRecord: true})); n != 1 {
				t.Errorf("a check since the base sees %d broken", n)
			}
			effects, err := s.Diff(t.Context(), all(), base, "HEAD", Options{})
			if err != nil || effects.Broken != 1 {
				t.Errorf("diff: %+v, %v", effects, err)
			}
		})
	}
}
