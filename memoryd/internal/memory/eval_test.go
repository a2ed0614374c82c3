package memory

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/text/words"
)

// The evaluation of recall, written for this project: memories of an invented team in testdata/eval/memories-*.txt, and questions with
// known answers. The questions of questions.txt share words with their answers, those of questions-paraphrase.txt use other words, and
// those of questions-none.txt have no answer.

type asking struct {
	text, key string // key "" has no answer
	bare      bool   // shares no exact word with its answer
}

// evaluation is a registry with the memories, and the questions.
type evaluation struct {
	db        *registry.DB
	project   int64
	memories  int
	questions []asking
}

func newEvaluation(tb testing.TB) *evaluation {
	tb.Helper()
	e := &evaluation{db: registrytest.Open(tb)}
	texts := map[string]string{}
	files, err := filepath.Glob("testdata/eval/memories-*.txt")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no memories: %v", err)
	}
	var list []New
	for _, file := range files {
		session := ""
		eachLine(tb, file, func(line string) {
			if name, ok := strings.CutPrefix(line, "# "); ok {
				session = name
				return
			}
			part := strings.SplitN(line, " | ", 4)
			if len(part) != 4 {
				tb.Fatalf("%s: %q", file, line)
			}
			importance, err := strconv.Atoi(part[2])
			if err != nil {
				tb.Fatal(err)
			}
			list = append(list, New{Key: part[0], Type: part[1], Importance: importance, Content: part[3], Thread: session})
			texts[part[0]] = part[0] + " " + part[3]
		})
	}
	e.memories = len(list)
	store := Store{DB: e.db}
	stored, err := store.Remember(tb.Context(), Booking{Place: project.Place{At: &project.Identity{UID: "p-eval", Name: "eval", Folder: "/eval"}}, Session: "given"}, list)
	if err != nil {
		tb.Fatal(err)
	}
	e.project = stored[0].ProjectID
	for _, file := range []string{"questions.txt", "questions-paraphrase.txt"} {
		eachLine(tb, filepath.Join("testdata/eval", file), func(line string) {
			key, text, ok := strings.Cut(line, " | ")
			if !ok || texts[key] == "" {
				tb.Fatalf("%s: %q", file, line)
			}
			e.questions = append(e.questions, asking{text, key, !shares(text, texts[key])})
		})
	}
	eachLine(tb, "testdata/eval/questions-none.txt", func(line string) { e.questions = append(e.questions, asking{text: line}) })
	return e
}

func eachLine(tb testing.TB, file string, do func(string)) {
	tb.Helper()
	f, err := os.Open(file)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" {
			do(line)
		}
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
}

// shares reports whether two texts have a meaningful word in common, spelt the same.
func shares(a, b string) bool {
	in := map[string]bool{}
	for _, t := range words.Terms(b) {
		in[t.Raw] = true
	}
	return slices.ContainsFunc(words.Terms(a), func(t words.Term) bool { return !words.Weak(t.Raw) && in[t.Raw] })
}

// quality is what an evaluation measures.
type quality struct {
	at1, at5, at10, mrr float64 // over questions that have an answer
	bareAt10            float64 // over those that share no word with theirs
	falseAnswers        float64 // share of the questions without answer that got a hit that is not weak
	missed              float64 // share of the answers among the first ten that were called weak
}

func (e *evaluation) measure(tb testing.TB, off without) (q quality) {
	tb.Helper()
	var answered, bare, none, found float64
	err := e.db.Read(tb.Context(), func(tx *registry.Tx) error {
		for _, asked := range e.questions {
			a, err := Recall(tx, Query{ProjectID: e.project, Text: asked.text, Limit: 10, without: off})
			if err != nil {
				return err
			}
			if asked.key == "" {
				none++
				if !a.Weak {
					q.falseAnswers++
					if testing.Verbose() && off == (without{}) {
						tb.Logf("false answer: %q: %s %v", asked.text, a.Memories[0].Key, a.Memories[0].Score)
					}
				}
				continue
			}
			answered++
			if asked.bare {
				bare++
			}
			at := slices.IndexFunc(a.Memories, func(h Hit) bool { return h.Key == asked.key })
			if at < 0 {
				if testing.Verbose() && off == (without{}) {
					tb.Logf("missed: %q (%s), bare %t", asked.text, asked.key, asked.bare)
				}
				continue
			}
			found++
			q.at10++
			q.mrr += 1 / float64(at+1)
			if at < 1 {
				q.at1++
			}
			if at < 5 {
				q.at5++
			}
			if asked.bare {
				q.bareAt10++
			}
			if a.Weak {
				q.missed++
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	q.at1, q.at5, q.at10, q.mrr = q.at1/answered, q.at5/answered, q.at10/answered, q.mrr/answered
	q.bareAt10, q.falseAnswers, q.missed = q.bareAt10/max(bare, 1), q.falseAnswers/none, q.missed/max(found, 1)
	return q
}

func (q quality) String() string {
	return fmt.Sprintf("recall@1 %.3f, @5 %.3f, @10 %.3f, MRR %.3f; without shared words @10 %.3f; false answers %.3f, called weak %.3f",
		q.at1, q.at5, q.at10, q.mrr, q.bareAt10, q.falseAnswers, q.missed)
}

// The evaluation is as large as it says.
func TestEvaluationData(t *testing.T) {
	e := newEvaluation(t)
	var bare, none int
	for _, q := range e.questions {
		switch {
		case q.key == "":
			none++
		case q.bare:
			bare++
		}
	}
	t.Logf("%d memories, %d questions, %d share no word with their answer, %d have none", e.memories, len(e.questions), bare, none)
	if e.memories < 300 || len(e.questions) < 200 || bare*3 < len(e.questions) || none*5 < len(e.questions) {
		t.Error("too little")
	}
}

// The floors are a little below the current values, so that a change which costs recall is noticed.
func TestRecallQuality(t *testing.T) {
	q := newEvaluation(t).measure(t, without{})
	t.Log(q)
	for name, floor := range map[string][2]float64{
		"recall@5": {q.at5, 0.72}, "recall@10": {q.at10, 0.78}, "MRR": {q.mrr, 0.66},
		"answers to nothing": {1 - q.falseAnswers, 0.75}, "answers known as such": {1 - q.missed, 0.60},
	} {
		if floor[0] < floor[1] {
			t.Errorf("%s is %.3f, below %.2f", name, floor[0], floor[1])
		}
	}
}

// ablations switch one part of the ranking off.
func ablations() map[string]without {
	return map[string]without{
		"all":                {},
		"without-neighbours": {neighbours: true, thread: true},
		"without-thread":     {thread: true},
		"without-expansions": {expansions: true},
		"without-importance": {importance: true},
		"without-recency":    {recency: true},
		"without-confidence": {confidence: true},
	}
}

// BenchmarkRecallQuality: the share of plainly worded questions whose memory is found, with the full ranking and without each part of it,
// beside a bare text index asked the same. Its time is that of all questions.
func BenchmarkRecallQuality(b *testing.B) {
	e := newEvaluation(b)
	parts := ablations()
	names := make([]string, 0, len(parts))
	for name := range parts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			var q quality
			for b.Loop() {
				q = e.measure(b, parts[name])
			}
			b.ReportMetric(q.at10/q.bareAt10, "recall-x-bare")
			b.ReportMetric(q.at5, "recall@5")
			b.ReportMetric(q.at10, "recall@10")
			b.ReportMetric(q.mrr, "MRR")
			b.ReportMetric(q.bareAt10, "bare@10")
			b.ReportMetric(q.falseAnswers, "false-answers")
			b.ReportMetric(q.missed, "called-weak")
		})
	}
}
