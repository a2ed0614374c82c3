package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The comment of each benchmark names the measured operation and the baseline, because the page uses only these words.
func TestBenchmarksSayWhat(t *testing.T) {
	all, err := benchmarks(filepath.Join("..", ".."))
	if err != nil || len(all) < 40 {
		t.Fatalf("%d benchmarks, %v", len(all), err)
	}
	seen := map[string]bool{}
	for _, b := range all {
		if !strings.Contains(b.Does, "beside") {
			t.Errorf("%s %s: the first sentence of its comment does not say beside what it is measured: %q", b.Folder, b.Name, b.Does)
		}
		if key := b.Folder + b.Name; seen[key] {
			t.Errorf("%s %s is listed twice", b.Folder, b.Name)
		} else {
			seen[key] = true
		}
	}
}

func TestPage(t *testing.T) {
	one := result{benchmark: benchmark{"agit/internal/task", "BenchmarkNext", "claiming a task, beside a bare write"}}
	one.read(`goos: linux
cpu: Some Processor
BenchmarkNext
BenchmarkNext/one_project
BenchmarkNext/one_project-2         	     200	   2805000 ns/op	         1.500 x-write
    next_test.go:1: a word of its own
BenchmarkNext/every|project
BenchmarkNext/every|project-2       	     200	         0 ns/op	         0.08600 x-write	       683.0 files
BenchmarkNextTask-2                 	     200	     10000 ns/op
PASS
`)
	alone := result{benchmark: benchmark{"shared/cli", "BenchmarkMain", "a start, beside cobra"}}
	alone.read("BenchmarkMain-16 \t 10 \t 900 ns/op\t 12.34 x-cobra\t 3 merge-x-unsynced\n")
	failed := result{benchmark: benchmark{"shared/cli", "BenchmarkBroken", "what fails, beside nothing"}, Failure: "it failed: no | disk"}
	p := page{repeat: "2s", began: time.Now(), results: []result{one, alone, failed}}
	got := p.String()
	for _, want := range []string{
		"## agit\n", "cores of Some Processor, 2s each",
		"| claiming a task, beside a bare write | | | | `agit/internal/task` Next |\n",
		"| – one project | 1.50 x-write | 2.81 ms |  | |\n",
		`| – every\|project | 0.09 x-write |  | 683 files | |` + "\n",
		"| a start, beside cobra | 12.3 x-cobra, 3 merge-x-unsynced | 900 ns |  | `shared/cli` Main |\n",
		`| what fails, beside nothing | **no result**: it failed: no \| disk | | | ` + "`shared/cli` Broken |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(got, "NextTask") || t.Failed() {
		t.Error(got)
	}
}

// A run of some benchmarks keeps the rows of the others, and those of benchmarks that fail, and states how many.
func TestKeptRows(t *testing.T) {
	t.Chdir(t.TempDir())
	page := "## good\n\n| head | benchmark |\n|---|---|\n" +
		"| other, beside nothing | | | | `good` Other |\n| – part | 2.00 x-one | 5 ms |  | |\n| – more | 3.00 x-one | 6 ms |  | |\n" +
		"| bad, beside nothing | 4.00 x-one | 7 ms |  | `good` Bad |\n" +
		"| worse, beside nothing | **no result**: it failed long ago | | | `good` Worse |\n" +
		"| gone, beside nothing | 8 x-one | 7 ms |  | `good` Gone |\n"
	write(t, map[string]string{
		"page.md":     page,
		"go.work":     "go 1.26.0\n\nuse (\n\t./good\n)\n",
		"good/go.mod": "module example.com/good\n\ngo 1.26.0\n",
		"good/good_test.go": `package good

import (
	"testing"
	"time"
)

// BenchmarkOther: other, beside nothing.
func BenchmarkOther(b *testing.B) {}

// BenchmarkBad: bad, beside nothing.
func BenchmarkBad(b *testing.B) { b.Fatal("it is bad") }

// BenchmarkWorse: worse, beside nothing.
func BenchmarkWorse(b *testing.B) { b.Fatal("it is worse") }

// BenchmarkGood: good, beside nothing.
func BenchmarkGood(b *testing.B) { for b.Loop() { time.Now() }; b.ReportMetric(1, "x-one") }
`,
	})
	t.Setenv("BENCHTIME", "1x")
	if failed, err := run(t.Context(), []string{"page.md", "Bad|Worse|Good"}); err != nil || failed != 2 {
		t.Fatalf("%d failed, %v", failed, err)
	}
	got, err := os.ReadFile("page.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n2 of the 4 benchmarks were not measured in this run; their rows are those of an earlier one.\n",
		"| other, beside nothing | | | | `good` Other |\n| – part | 2.00 x-one | 5 ms |  | |\n| – more | 3.00 x-one | 6 ms |  | |\n",
		"| bad, beside nothing | 4.00 x-one | 7 ms |  | `good` Bad |\n",
		"| worse, beside nothing | **no result**: it failed: it is worse | | | `good` Worse |\n",
		"| good, beside nothing | 1 x-one | ",
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(string(got), "Gone") {
		t.Errorf("a benchmark that does not exist kept its row:\n%s", got)
	}
}

func TestReason(t *testing.T) {
	for out, want := range map[string]string{
		"BenchmarkX\n    x_test.go:12: the disk is full\n--- FAIL: BenchmarkX\nFAIL\n": "the disk is full",
		"panic: runtime error\ngoroutine 1\n":                                          "goroutine 1",
	} {
		if got := reason([]byte(out)); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}

// A benchmark that fails, one that does not end and one that does not compile cost
// their own rows only.
func TestRunnerSurvives(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{
		"go.mod": "module example.com/suite\n\ngo 1.26.0\n",
		"good/good_test.go": `package good

import (
	"testing"
	"time"
)

func BenchmarkGood(b *testing.B) { for b.Loop() { time.Now() }; b.ReportMetric(1, "x-one") }
func BenchmarkBad(b *testing.B) { b.Fatal("it is bad") }
func BenchmarkSkipped(b *testing.B) { b.Skip("nothing to measure here") }
func BenchmarkEndless(b *testing.B) { <-time.After(time.Hour) }
`,
		"broken/broken_test.go": "package broken\n\nfunc BenchmarkBroken( {}\n",
	})
	r := runner{work: t.TempDir(), repeat: "1x"}
	for _, c := range []struct{ folder, name, failure string }{
		{"broken", "BenchmarkBroken", "does not compile"},
		{"good", "BenchmarkBad", "it failed: it is bad"},
		{"good", "BenchmarkSkipped", "it was skipped: nothing to measure here"},
		{"good", "BenchmarkEndless", "it took longer than 1s"},
		{"good", "BenchmarkGood", ""},
	} {
		if r.limit = time.Minute; c.name == "BenchmarkEndless" {
			r.limit = time.Second
		}
		got := r.run(t.Context(), benchmark{Folder: c.folder, Name: c.name})
		if !strings.Contains(got.Failure, c.failure) || (got.Failure == "") != (c.failure == "") || (len(got.Rows) == 1) != (c.failure == "") {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(r.work, "t*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func write(t *testing.T, files map[string]string) {
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
