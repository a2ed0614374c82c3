package trial

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFailedTests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		printed string
		want    []string
	}{
		{"ok\n--- FAIL: TestA (0.01s)\n    a_test.go:3: no\n--- FAIL: TestB (0.01s)\n    --- FAIL: TestB/part (0.00s)\nFAIL", []string{"TestA", "TestB/part"}},
		{"FAILED tests/test_a.py::test_one - assert 1 == 2\r", []string{"tests/test_a.py::test_one"}},
		{"test a::b ... ok\ntest a::c ... FAILED", []string{"a::c"}},
		{"  ● sums › of two\n  ✕ adds numbers (3 ms)", []string{"sums › of two", "adds numbers"}},
		{"not ok 2 - logs in\nok 3 - logs out", []string{"logs in"}},
		{"SessionTest > keeps() FAILED", []string{"SessionTest > keeps()"}},
		{"[ERROR]   SessionTest.keeps:12 expected: <1>", []string{"SessionTest.keeps:12"}},
		{"rspec ./spec/a_spec.rb:3 # A", []string{"./spec/a_spec.rb:3"}},
		{"FAIL: test_x (tests.T.test_x)", []string{"test_x"}},
		{"make: *** [test] Error 1", nil},
	} {
		if diff := cmp.Diff(c.want, failedTests(strings.Split(c.printed, "\n"))); diff != "" {
			t.Errorf("%q:\n%s", c.printed, diff)
		}
	}
}

func FuzzFailedTests(f *testing.F) {
	f.Add("--- FAIL: TestA/b (0.01s)\n--- FAIL: TestA")
	f.Fuzz(func(t *testing.T, printed string) {
		names := failedTests(strings.Split(printed, "\n"))
		if len(names) > mostTests {
			t.Errorf("%d names", len(names))
		}
		for _, n := range names {
			if n == "" || !strings.Contains(printed, n) {
				t.Errorf("%q was not printed", n)
			}
		}
	})
}
