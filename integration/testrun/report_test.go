package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// at is a moment some seconds into a run.
func at(seconds float64) time.Time {
	return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
}

// fed returns what a report prints of events, and the report.
func fed(events ...event) (string, *report) {
	var out bytes.Buffer
	r := newReport(&out)
	for _, e := range events {
		r.add(e)
	}
	return out.String(), r
}

func TestClosingLines(t *testing.T) {
	t.Parallel()
	out, r := fed(
		event{Action: "start", Package: "p"},
		event{Action: "run", Package: "p", Test: "TestA"},
		event{Action: "output", Package: "p", Test: "TestA", Output: "=== RUN   TestA\n"},
		event{Action: "pass", Package: "p", Test: "TestA", Elapsed: 1},
		event{Action: "output", Package: "p", Output: "PASS\n"},
		event{Action: "output", Package: "p", Output: "ok  \tp\t1.2s\n"},
		event{Action: "pass", Package: "p", Elapsed: 1.2},
	)
	if out != "ok  \tp\t1.2s\n" {
		t.Errorf("it prints %q", out)
	}
	if r.finished != 1 || len(r.live) != 0 {
		t.Errorf("%d packages ended and %d tests are left", r.finished, len(r.live))
	}
}

func TestFailureIsPrintedAtOnce(t *testing.T) {
	t.Parallel()
	events := []event{
		{Action: "start", Package: "p"},
		{Action: "run", Package: "p", Test: "TestA"},
		{Action: "run", Package: "p", Test: "TestB"},
		{Action: "output", Package: "p", Test: "TestA", Output: "=== RUN   TestA\n"},
		{Action: "output", Package: "p", Test: "TestA", Output: "a.go:1: wrong\n"},
		{Action: "output", Package: "p", Test: "TestB", Output: "b.go:1: a note\n"},
		{Action: "fail", Package: "p", Test: "TestA"},
	}
	if out, _ := fed(events...); out != "a.go:1: wrong\n" {
		t.Errorf("it prints %q", out)
	}
}

// A panic ends the package: it is shown with the output of the tests that were running.
func TestPanic(t *testing.T) {
	t.Parallel()
	out, r := fed(
		event{Action: "start", Package: "p"},
		event{Action: "run", Package: "p", Test: "TestA", Time: at(1)},
		event{Action: "output", Package: "p", Test: "TestA", Output: "panic: wrong\n"},
		event{Action: "output", Package: "p", Output: "FAIL\tp\t0.1s\n"},
		event{Action: "fail", Package: "p"},
	)
	if out != "panic: wrong\nFAIL\tp\t0.1s\n" {
		t.Errorf("it prints %q", out)
	}
	if len(r.live) != 0 {
		t.Errorf("still running: %v", r.names())
	}
}

func TestBuildFailure(t *testing.T) {
	t.Parallel()
	out, _ := fed(
		event{Action: "build-output", ImportPath: "p", Output: "p.go:1: undefined\n"},
		event{Action: "build-fail", ImportPath: "p"},
		event{Action: "start", Package: "p"},
		event{Action: "output", Package: "p", Output: "FAIL\tp [build failed]\n"},
		event{Action: "fail", Package: "p"},
	)
	if out != "p.go:1: undefined\nFAIL\tp [build failed]\n" {
		t.Errorf("it prints %q", out)
	}
}

// The time of a test is its own: subtests that ran one after the other are taken
// away, and those that ran beside others were never part of it.
func TestTimes(t *testing.T) {
	t.Parallel()
	_, r := fed(
		event{Action: "start", Package: "p"},
		event{Action: "run", Package: "p", Test: "TestA"},
		event{Action: "run", Package: "p", Test: "TestA/one"},
		event{Action: "pass", Package: "p", Test: "TestA/one", Elapsed: 2},
		event{Action: "run", Package: "p", Test: "TestA/two"},
		event{Action: "pause", Package: "p", Test: "TestA/two"},
		event{Action: "cont", Package: "p", Test: "TestA/two"},
		event{Action: "pass", Package: "p", Test: "TestA/two", Elapsed: 7},
		event{Action: "pass", Package: "p", Test: "TestA", Elapsed: 3},
		event{Action: "output", Package: "p", Output: "ok  \tp\t3.2s\n"},
		event{Action: "pass", Package: "p", Elapsed: 3.2},
		event{Action: "start", Package: "old"},
		event{Action: "run", Package: "old", Test: "TestB"},
		event{Action: "pass", Package: "old", Test: "TestB", Elapsed: 9},
		event{Action: "output", Package: "old", Output: "ok  \told\t(cached)\n"},
		event{Action: "pass", Package: "old", Elapsed: 9},
	)
	want := []took{{name{"p", "TestA/one"}, 2}, {name{"p", "TestA/two"}, 7}, {name{"p", "TestA"}, 1}}
	if diff := cmp.Diff(want, r.times, cmp.AllowUnexported(took{}, name{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRunning(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := newReport(&out)
	r.running(at(0))
	for _, e := range []event{
		{Action: "start", Package: "github.com/agit-suite/agit/shared/git", Time: at(1)},
		{Action: "run", Package: "github.com/agit-suite/agit/shared/git", Test: "TestA", Time: at(2)},
		{Action: "run", Package: "github.com/agit-suite/agit/shared/git", Test: "TestA/one", Time: at(3)},
		{Action: "run", Package: "github.com/agit-suite/agit/shared/git", Test: "TestB", Time: at(4)},
		{Action: "pause", Package: "github.com/agit-suite/agit/shared/git", Test: "TestB", Time: at(4)},
	} {
		r.add(e)
	}
	r.running(at(30))
	r.add(event{Action: "cont", Package: "github.com/agit-suite/agit/shared/git", Test: "TestB", Time: at(40)})
	r.running(at(60))
	want := "… 0s, 0 packages done; running: go builds the next tests\n" +
		"… 30s, 0 packages done; running: shared/git TestA/one 27s\n" +
		"… 1m0s, 0 packages done; running: shared/git TestA/one 57s, shared/git TestB 20s\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSlowest(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "times")
	for _, times := range [][]took{{{name{"p", "TestA"}, 1}, {name{"p", "TestB"}, 6}}, {{name{"q", "TestC"}, 3}}} {
		if err := appendTimes(file, times); err != nil {
			t.Fatal(err)
		}
	}
	saved, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Close()
	var out strings.Builder
	if err := printSlowest(&out, saved, 2); err != nil {
		t.Fatal(err)
	}
	want := "The 2 slowest of 3 tests took 9 s of 10 s (90 %):\n    6.0 s  60.0 %  p TestB\n    3.0 s  30.0 %  q TestC\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSlowestOfNothing(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := printSlowest(&out, strings.NewReader(""), 20); err != nil || !strings.HasPrefix(out.String(), "No test ran") {
		t.Errorf("%v, %q", err, out.String())
	}
	for _, bad := range []string{"1.0\tp\n", "soon\tp\tTestA\n"} {
		if err := printSlowest(&out, strings.NewReader(bad), 20); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// A real go test with a test that fails: the output is there and the error is go test's.
func TestRunOfGoTest(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a test")
	}
	t.Parallel()
	dir := t.TempDir()
	for file, text := range map[string]string{
		"go.mod":    "module example.com/m\n\ngo 1.26.0\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestGood(t *testing.T) {}\n\nfunc TestBad(t *testing.T) { t.Error(\"it is bad\") }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	r := newReport(&out)
	cmd, err := test(t.Context(), dir, []string{"./..."}, r, time.Hour)
	if !errors.As(err, new(*exec.ExitError)) || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("the error is %v", err)
	}
	for _, want := range []string{"it is bad\n", "FAIL\texample.com/m\t"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, &out)
		}
	}
}
