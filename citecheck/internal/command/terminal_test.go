package command

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/term"
)

// On a terminal no line is broken by the terminal itself: places stand first, sentences below.
func TestOnTerminal(t *testing.T) {
	st, _, out, _ := term.Test()
	st.PretendTerminal(80)
	citation := func(v verify.Verdict, path string, line int, reason string) check.Citation {
		return check.Citation{Result: verify.Result{
			Citation: verify.Citation{Path: "projects/core/src/commonMain/one.kt", Line: 12}, Verdict: v, FoundPath: path, FoundLine: line,
			FoundText: "fun one() = 1", Score: 0.67, Reason: reason,
		}}
	}
	for _, c := range []check.Citation{
		citation(verify.Moved, "projects/core/src/commonMain/one.kt", 20, "the same text is now at line 20"),
		citation(verify.Moved, "projects/core/src/jvmMain/other.kt", 20, "the same text is now in projects/core/src/jvmMain/other.kt"),
		citation(verify.Changed, "projects/core/src/commonMain/one.kt", 20, "the text there is similar"),
		citation(verify.Ambiguous, "", 0, "the text left one.kt and stands at projects/core/src/a.kt:12, projects/core/src/b.kt:14 and 7 more"),
	} {
		if err := printCitation(st, c); err != nil {
			t.Fatal(err)
		}
	}
	from, to := "src/one.go:12-14", "src/one.go:20-22"
	for _, f := range []check.Fix{
		{Memory: "notes", At: 7, From: from, To: to, Verdict: verify.Moved, Done: true, Reason: "the same text is now at line 20"},
		{Memory: "notes", At: 8, From: from, Verdict: verify.Gone, Reason: "neither the text nor anything like it is in one.go"},
	} {
		if err := showFix(st, f, true); err != nil {
			t.Fatal(err)
		}
	}
	const want = `  moved      projects/core/src/commonMain/one.kt:12 -> line 20
  moved      projects/core/src/commonMain/one.kt:12 ->
             projects/core/src/jvmMain/other.kt:20
  changed    projects/core/src/commonMain/one.kt:12 -> line 20
             the text there is similar (0.67): fun one() = 1
  ambiguous  projects/core/src/commonMain/one.kt:12
             the text left one.kt and stands at projects/core/src/a.kt:12,
             projects/core/src/b.kt:14 and 7 more
  would fix  notes:7  src/one.go:12-14 -> lines 20-22
  left       notes:8  src/one.go:12-14
             gone: neither the text nor anything like it is in one.go
`
	if got := out.String(); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
	for line := range strings.Lines(out.String()) {
		if term.Width(line) > 81 {
			t.Errorf("%q is wider than the terminal", line)
		}
	}
}

// TestSurely: a stale memory shows how its citations stand instead of a confidence that counts moved text as found.
func TestSurely(t *testing.T) {
	t.Parallel()
	all, half, none := 1.0, 0.5, 0.0
	of := func(confidence *float64, disputes int, verdicts ...verify.Verdict) check.Memory {
		m := check.Memory{Confidence: confidence, Disputes: disputes}
		for _, v := range verdicts {
			m.Stale = append(m.Stale, check.Citation{Result: verify.Result{Verdict: v}})
		}
		return m
	}
	for want, m := range map[string]check.Memory{
		"":                             of(nil, 1),
		", confidence 1.00":            of(&all, 0),
		", confidence 0.50, 1 dispute": of(&half, 1),
		", 1 moved":                    of(&all, 0, verify.Moved),
		", 1 renamed, 1 gone":          of(&half, 0, verify.Gone, verify.Renamed),
		", 2 gone, 2 disputes":         of(&none, 2, verify.Gone, verify.Gone),
	} {
		if got := surely(m); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
