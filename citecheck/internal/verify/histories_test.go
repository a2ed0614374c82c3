package verify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/textfile"
)

// BenchmarkHistories: where lines went in this repository's history (or that of
// the repository at REPO), beside an oracle that replays every commit; %found is
// the share of the same answer. COMMITS says how far back it starts,
// SAMPLES how many lines it follows, SHOW prints that many disagreements.
func BenchmarkHistories(b *testing.B) {
	repo := os.Getenv("REPO")
	if repo == "" {
		repo = "../../.."
	}
	repo, _ = filepath.Abs(repo)
	for _, form := range []string{"commit", "snippet", "line"} {
		b.Run(form, func(b *testing.B) {
			h, err := follow(repo, number("COMMITS", 400), number("SAMPLES", 3000))
			if err != nil {
				b.Skip(err)
			}
			h.judge(b, form, number("SHOW", 0))
		})
	}
}

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

type historyRun struct {
	repo, from, to string
	lines          []*tracked
}

var followed = map[string]*historyRun{}

// follow samples lines of a commit and lets the oracle follow them.
func follow(repo string, commits, samples int) (*historyRun, error) {
	key := fmt.Sprint(repo, commits, samples)
	if h := followed[key]; h != nil {
		return h, nil
	}
	to, err := gitOutput(repo, "rev-parse", envOr("TO", "HEAD"))
	if err != nil {
		return nil, fmt.Errorf("no history at %s", repo)
	}
	list, err := gitOutput(repo, "rev-list", "--first-parent", "--max-count="+strconv.Itoa(commits+1), to)
	if err != nil {
		return nil, err
	}
	chain := strings.Fields(list)
	if len(chain) < 10 {
		return nil, fmt.Errorf("history of %s is too short", repo)
	}
	h := &historyRun{repo: repo, from: chain[len(chain)-1], to: to}
	if err := h.sample(samples); err != nil {
		return nil, err
	}
	err = replay(repo, h.from, h.to, func(commit string, steps []step) {
		for _, t := range h.lines {
			t.advance(commit, steps)
		}
	})
	followed[key] = h
	return h, err
}

func envOr(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

func (h *historyRun) sample(samples int) error {
	names, err := gitOutput(h.repo, "ls-tree", "-r", "--name-only", h.from)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(7, 11))
	for path := range strings.Lines(names) {
		path = strings.TrimSpace(path)
		if !source(path) || strings.HasPrefix(path, `"`) {
			continue
		}
		text, err := gitOutput(h.repo, "show", h.from+":"+path)
		if err != nil {
			return err
		}
		f := textfile.Parse([]byte(text))
		if f == nil {
			continue
		}
		for i := range f.Len() {
			if line := string(f.Line(i)); len(textfile.Squeeze(nil, f.Line(i))) > 0 {
				h.lines = append(h.lines, &tracked{path: path, line: i + 1, text: line, startPath: path, startLine: i + 1,
					startText: line, fate: stayed})
			}
		}
	}
	rng.Shuffle(len(h.lines), func(i, k int) { h.lines[i], h.lines[k] = h.lines[k], h.lines[i] })
	h.lines = h.lines[:min(len(h.lines), samples)]
	return nil
}

// share is the result for one form of citation, kept because one round is enough.
type share struct{ found, wrong, valid float64 }

var judged = map[string]share{}

// tally counts the verdicts on lines of one fate.
type tally struct{ all, right, wrong, suggestedWrong, nothing int }

func (h *historyRun) judge(b *testing.B, form string, show int) {
	key := h.repo + " " + form
	if s, done := judged[key]; done {
		b.ReportMetric(s.found, "%found")
		b.ReportMetric(s.wrong, "%wrong")
		b.ReportMetric(s.valid, "deleted-valid")
		return
	}
	ctx := context.Background()
	checker, err := verify.Open(ctx, h.repo, verify.Options{At: h.to})
	if err != nil {
		b.Fatal(err)
	}
	defer checker.Close()
	citations := make([]verify.Citation, len(h.lines))
	for i, t := range h.lines {
		c := verify.Citation{Path: t.startPath, Line: t.startLine}
		if form != "line" {
			c.Snippet = strings.TrimSpace(t.startText)
		}
		if form != "snippet" {
			c.Commit = h.from
		}
		citations[i] = c
	}
	b.ResetTimer()
	results, err := checker.Verify(ctx, citations)
	b.StopTimer()
	if err != nil {
		b.Fatal(err)
	}
	counts := map[fate]*tally{}
	var living, foundAll, wrong, valid int
	for i, r := range results {
		t := h.lines[i]
		if t.doubtful {
			continue
		}
		n := counts[t.fate]
		if n == nil {
			n = &tally{}
			counts[t.fate] = n
		}
		n.all++
		here := r.FoundPath == t.path && r.FoundLine == t.line && t.fate != dead
		problem := ""
		switch {
		case here && (r.Verdict.True() || r.Verdict == verify.Changed):
			n.right++
		case r.Verdict.True():
			n.wrong++
			problem = "WRONG"
		case r.Verdict == verify.Changed:
			n.suggestedWrong++
			if t.fate != dead {
				problem = "suggested"
			}
		default:
			n.nothing++
			if t.fate != dead {
				problem = "missed"
			}
		}
		if t.fate == dead {
			if r.Verdict == verify.Valid {
				valid++
			}
		} else {
			living++
			if here && (r.Verdict.True() || r.Verdict == verify.Changed) {
				foundAll++
			}
		}
		if problem == "WRONG" {
			wrong++
		}
		if problem != "" && show > 0 && (os.Getenv("ONLY") == "" || os.Getenv("ONLY") == problem) {
			show--
			fmt.Printf("%s %s: %s:%d %q\n    oracle %s:%d %q (%s %.8s)\n    said   %s %s:%d %.2f %q %s\n", problem, t.fate, t.startPath, t.startLine,
				strings.TrimSpace(t.startText), t.path, t.line, strings.TrimSpace(t.text), t.fate, t.diedAt, r.Verdict, r.FoundPath, r.FoundLine, r.Score, r.FoundText, r.Reason)
		}
	}
	fmt.Printf("\n%s, %s..%s\n%-22s %6s %7s %7s %9s %7s\n", form, h.from[:8], h.to[:8], "fate", "lines", "right", "wrong", "suggested", "nothing")
	for _, f := range []fate{stayed, shifted, moved, renamed, away, edited, dead} {
		if n := counts[f]; n != nil {
			share := func(k int) float64 { return 100 * float64(k) / float64(n.all) }
			fmt.Printf("%-22s %6d %6.1f%% %6.1f%% %8.1f%% %6.1f%%\n", f, n.all, share(n.right), share(n.wrong), share(n.suggestedWrong), share(n.nothing))
		}
	}
	judged[key] = share{100 * float64(foundAll) / float64(max(living, 1)), 100 * float64(wrong) / float64(len(results)), float64(valid)}
	h.judge(b, form, 0)
}
