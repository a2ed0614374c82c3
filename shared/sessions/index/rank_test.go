package index

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

// said writes a session of prompts, one for each text.
func (h *home) said(session string, texts ...string) {
	h.t.Helper()
	c := sessionstest.Claude{Session: session, Folder: "/x/app"}
	var rows []sessionstest.Row
	for i, text := range texts {
		rows = append(rows, c.User(fmt.Sprint(session, i), fmt.Sprintf("2026-11-20T10:%02d:%02d.000Z", i/60, i%60), text))
	}
	h.write(".claude/projects/-x-app/"+session+".jsonl", sessionstest.Lines(rows...))
}

func (h *home) found(question string) string {
	h.t.Helper()
	hits, err := h.x.Search(h.t.Context(), Query{Text: question})
	if err != nil {
		h.t.Fatal(err)
	}
	var ids []string
	for _, hit := range hits {
		ids = append(ids, fmt.Sprintf("%s %d", hit.ID, hit.Hits))
	}
	return strings.Join(ids, ", ")
}

// TestBest: sessions are ordered by their best places, a talk about a question before a single sentence, and the whole question before a
// part.
func TestBest(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.said("sentence", "The weather stays cold", "The parser drops the last token")
	h.said("talk", "Now to the parser: it drops the last token", "So the parser reads once more than it drops")
	h.said("apart", "Ferns need shade", "Orchids need warm rooms")
	h.said("half", "Ferns love shade", "Ferns like rain")
	for i := range 9 { // words that occur in few places are more distinctive
		h.said(fmt.Sprint("filler", i), "The build is green", "Nothing was left to do")
	}
	h.update()
	for question, want := range map[string]string{
		"which parser drops tokens": "talk 2, sentence 1",
		"ferns and orchids":         "apart 2, half 2",
		"volcano":                   "",
	} {
		if got := h.found(question); got != want {
			t.Errorf("%q finds %s, want %s", question, got, want)
		}
	}
}

// TestLengthCountsForNothing: only the best places of a session count, so that a long session does not win by repeating a word.
func TestLengthCountsForNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	long := make([]string, 60)
	for i := range long {
		long[i] = fmt.Sprintf("Step %d of the deployment went well and took a while as always", i)
	}
	h.said("long", long...)
	h.said("short", "Deployment: deployment needs a deployment key", "The deployment key is new", "A deployment key ends", "Deployment key found", "Deployment key lost")
	h.update()
	if got := h.found("deployment"); got != "short 5, long 60" {
		t.Errorf("%s", got)
	}
}

func TestWeigh(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.said("a", "alpha beta", "alpha", "gamma")
	h.update()
	w, err := h.x.weigh(t.Context(), []string{`"alpha"`, `"beta"`, `"delta"`})
	if err != nil || w.match != `"alpha" OR "beta"` {
		t.Errorf("%+v %v", w, err)
	}
	if want := math.Log(1 + 1.5/2.5); w.of[0] != want || w.of[1] <= want || w.of[2] != 0 || w.sum != w.of[0]+w.of[1] {
		t.Errorf("%+v, want %v first", w, want)
	}
	if none, err := h.x.weigh(t.Context(), []string{`"delta"`}); err != nil || none.match != `"delta"` || none.held([]string{" delta"}) != 0 {
		t.Errorf("%+v %v", none, err)
	}
}

func TestWeightHeld(t *testing.T) {
	t.Parallel()
	w := weights{words: []string{`"alpha"`, `"betas"`, `"delta"`}, of: []float64{3, 1, 0}, sum: 4}
	for want, texts := range map[float64][]string{1: {" an alpha", " beta"}, 0.75: {" alpha delta"}, 0.25: {" the betas"}, 0: {" delta", " alphabeta"[1:]}} {
		if got := w.held(texts); got != want {
			t.Errorf("%q: %v, want %v", texts, got, want)
		}
	}
}
