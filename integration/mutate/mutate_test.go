package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/integration/change"
)

func TestMutants(t *testing.T) {
	t.Parallel()
	const text = `package p

func less(a, b int) bool {
	return a < b
}

func count(all []int) (n int) {
	for _, x := range all {
		if x == 0 {
			continue
		}
		n++
	}
	return n
}
`
	var got []string
	for _, m := range mutants("p.go", []byte(text), nil) {
		got = append(got, m.place+" "+m.function+": "+oneLine([]byte(text[m.from:m.to]))+" -> "+oneLine([]byte(m.with)))
	}
	want := []string{
		"p.go:4 less: < -> <=",
		"p.go:9 count: x == 0 -> !(x == 0)", "p.go:9 count: == -> !=", "p.go:9 count: 0 -> (0+1)",
		"p.go:10 count: continue -> break",
		"p.go:12 count: n++ -> (nothing)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(mutants("p.go", []byte(text), []string{"less"})) != 1 {
		t.Error("a function that is not named is mutated")
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	s := sample{least: 70}
	for _, c := range []struct {
		killed, survived int
		good             bool
	}{{0, 0, true}, {0, 4, true}, {0, 5, false}, {7, 3, true}, {6, 4, true}, {5, 5, true}, {4, 6, false}, {69, 31, true}, {60, 40, false}, {70, 30, true}} {
		if err := s.judge(c.killed, c.survived); (err == nil) != c.good {
			t.Errorf("%d of %d: %v", c.killed, c.killed+c.survived, err)
		}
	}
}

func TestInTurn(t *testing.T) {
	t.Parallel()
	hat := func(names ...string) (all []candidate) {
		for _, name := range names {
			all = append(all, candidate{file: name})
		}
		return all
	}
	hats := [][]candidate{hat("a1", "a2", "a3", "a4"), {}, hat("b1"), hat("c1", "c2")}
	for _, c := range []struct {
		n    int
		want []string
	}{{2, []string{"a1", "b1"}}, {4, []string{"a2", "c1", "a3", "c2"}}, {9, []string{"a4"}}, {1, nil}} {
		var got []string
		for _, taken := range inTurn(hats, c.n) {
			got = append(got, taken.file)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%d (-want +got)\n%s", c.n, diff)
		}
	}
}

// A change of a small suite: a rule with a test beside it, one without, code that is not shipped, and older code.
func TestChange(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds tests")
	}
	dir := t.TempDir()
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.com",
		"GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.com", "GOFLAGS": "", "GOWORK": "off"} {
		t.Setenv(name, value)
	}
	t.Chdir(dir)
	run := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(files map[string]string) {
		t.Helper()
		for name, text := range files {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	run("init", "-q", "-b", "main")
	write(map[string]string{
		"go.mod":           "module example.com/suite\n\ngo 1.26.0\n",
		"tool/main.go":     "package main\n\nimport (\n\t\"example.com/suite/rule\"\n\t\"example.com/suite/bare\"\n)\n\nfunc main() { println(rule.Less(1, 2), bare.Even(2)) }\n",
		"rule/rule.go":     "package rule\n\nfunc Old(a int) bool { return a > 5 }\n",
		"tests/helper.go":  "package tests\n",
		"cmd/fake/main.go": "package main\n\nfunc main() {}\n",
	})
	run("add", ".")
	run("commit", "-qm", "first")
	write(map[string]string{
		"rule/rule.go":      "package rule\n\nfunc Old(a int) bool { return a > 5 }\n\nfunc Less(a, b int) bool { return a < b }\n",
		"rule/rule_test.go": "package rule\n\nimport \"testing\"\n\nfunc TestLess(t *testing.T) {\n\tif Less(1, 1) || !Less(1, 2) {\n\t\tt.Error(\"wrong\")\n\t}\n}\n",
		"bare/bare.go":      "package bare\n\nfunc Even(a int) bool { return a%2 == 0 }\n",
		"tests/helper.go":   "package tests\n\nfunc Same(a, b int) bool { return a == b }\n",
	})
	run("add", ".")
	run("commit", "-qm", "second")
	c, err := changeHere(t)
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	for _, m := range c {
		places = append(places, m.pkg+" "+m.place)
	}
	want := []string{"example.com/suite/bare bare.go:3", "example.com/suite/bare bare.go:3", "example.com/suite/bare bare.go:3", "example.com/suite/rule rule.go:5"}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	s := sample{limit: time.Minute, least: 70}
	if killed, survived := s.ask(t.Context(), c); killed != 1 || survived != 3 {
		t.Errorf("%d died and %d survived", killed, survived)
	}
	// A mutant that does not compile is not tried, and an endless one is dead.
	b := &baselines{limit: time.Minute, known: map[string]*baseline{}}
	less := c[3]
	less.with = "+"
	if v := b.try(t.Context(), less); v != unasked {
		t.Errorf("what does not compile is %d", v)
	}
	text := strings.Replace(string(less.text), "{ return a < b }", "{ for { a = min(a, b) }; return a < b }", 1)
	less.text, less.from, less.to, less.with = []byte(text), 0, 0, ""
	b.known[less.pkg].took = time.Millisecond
	if v := b.try(t.Context(), less); v != dead {
		t.Errorf("what never ends is %d", v)
	}
}

func changeHere(t *testing.T) ([]candidate, error) {
	t.Helper()
	c, err := change.Of(t.Context(), ".", "HEAD~1")
	if err != nil {
		return nil, err
	}
	return candidates(t.Context(), c)
}
