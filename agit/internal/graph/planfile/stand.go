package planfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/text"
)

// The words of trackers for a status, folded. An unlisted word becomes pending and is reported.
var (
	pendingWords  = []string{"", "open", "todo", "pending", "new", "ready", "backlog", "unstarted", "reopened"}
	runningWords  = []string{"inprogress", "doing", "started", "active", "working", "hooked", "wip"}
	finishedWords = []string{"closed", "done", "complete", "completed", "finished", "merged"}
	droppedWords  = []string{"cancelled", "canceled", "wontfix", "wontdo", "rejected", "abandoned"}
	// Work that waits for a person or a day.
	heldWords = []string{"deferred", "blocked", "review", "inreview", "underreview", "pinned", "waiting", "onhold", "hold", "paused", "postponed", "someday", "snoozed", "draft", "testing", "inactive"}
)

// fold makes a word comparable: lower-case letters and digits only.
func fold(word string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r > 0x7f:
			return r
		}
		return -1
	}, strings.ToLower(word))
}

// tally counts what cannot be stored here, by the sentence that reports it.
type tally map[string]int

// notes returns entries that report the counts.
func (t tally) notes() (all []graph.PlanEntry) {
	for _, what := range slices.Sorted(maps.Keys(t)) {
		all = append(all, note("%d %s", t[what], what))
	}
	return all
}

func note(format string, args ...any) graph.PlanEntry {
	return graph.PlanEntry{Kind: graph.KindNote, Name: fmt.Sprintf(format, args...)}
}

// stand sets an entry's status from a tracker's word. An epic's status comes from its tasks.
func (t tally) stand(e *graph.PlanEntry, word string) {
	switch is := func(words []string) bool { return slices.Contains(words, fold(word)) }; {
	case is(finishedWords):
		e.Status = "completed"
	case e.Kind != "task", is(pendingWords):
	case is(runningWords):
		e.Status = "in_progress"
	case is(droppedWords):
		e.Status = "failed"
	case is(heldWords):
		t.hold(e, fmt.Sprintf("it was %s where it came from", strings.ReplaceAll(strings.ToLower(word), "_", " ")))
	default:
		t[fmt.Sprintf("%q there: its meaning is not known, and they are pending here", text.FirstLine(word, 40))]++
	}
}

// hold holds an entry back, for the first reason found.
func (t tally) hold(e *graph.PlanEntry, why string) {
	if e.Kind == "task" && e.Held == "" && e.Status != "completed" && e.Status != "failed" {
		e.Held = why
		t["not to be worked on now there: they are held back here (`agit tasks --unblock ID` lets one go)"]++
	}
}

// until holds back an entry that is deferred to a day that is not over.
func (t tally) until(e *graph.PlanEntry, day string) {
	at, err := time.Parse(time.RFC3339, day)
	if err != nil {
		at, err = time.Parse(time.DateOnly, day[:min(len(day), len(time.DateOnly))])
	}
	if err == nil && at.After(time.Now()) {
		t.hold(e, "it was put off until "+at.Format(time.DateOnly)+" where it came from")
	}
}

// section is one part of a text.
type section struct{ title, text string }

// sections joins a description with other texts of a tracker's entry.
func sections(description string, more ...section) string {
	parts := []string{strings.TrimSpace(description)}
	for _, s := range more {
		if body := strings.TrimSpace(s.text); body != "" {
			parts = append(parts, "## "+s.title+"\n\n"+body)
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}

// created parses a creation time; zero when it is missing.
func created(given string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04", "2006-01-02 15:04:05", time.DateOnly} {
		if at, err := time.Parse(layout, strings.TrimSpace(given)); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}
