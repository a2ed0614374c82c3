package top

import (
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/overview"
)

// A row stays selected when others come and go, and the next one is when it goes.
func TestSelectionFollowsItsRow(t *testing.T) {
	m := sized(80, 24, full())
	if r := m.row(); r == nil || r.agent != "cyd" {
		t.Fatalf("at first the most urgent row is selected, not %+v", r)
	}
	press(m, "j") // ann's review
	s := full()
	s.Needs = append([]overview.Need{{Kind: overview.NeedAnswer, Who: "zoe", State: "waiting for you", Agent: "zoe"}}, s.Needs...)
	m.update(s, noon)
	if r := m.row(); r.agent != "ann" || !strings.Contains(drawn(m), "> ann ") {
		t.Errorf("after another row came, %q is selected:\n%s", r.agent, drawn(m))
	}
	s.Needs = slices.DeleteFunc(slices.Clone(s.Needs), func(n overview.Need) bool { return n.Kind == overview.NeedReview })
	m.update(s, noon)
	if r := m.row(); r.kind != overview.NeedLanding {
		t.Errorf("after the row went, the one in its place is selected, not %+v", r)
	}
	s.Needs = nil
	m.update(s, noon)
	if m.focus != overview.PartAgents {
		t.Errorf("after the part went, the next one is in focus, not %q", m.focus)
	}
}

// A worktree may be in several conflicts: each row is one of its own, also when the screen is drawn anew, and says why.
func TestConflictsOfOneWorktree(t *testing.T) {
	s := full()
	s.Conflicts = slices.Repeat(s.Conflicts[:1], 2)
	s.Conflicts[1].File = "go.sum"
	s.Needs = nil
	for i, c := range s.Conflicts {
		s.Needs = append(s.Needs, overview.Need{Kind: overview.NeedConflict, Who: "ann", Reason: c.File, Worktree: "w-a", Conflict: &s.Conflicts[i]})
	}
	m := sized(80, 24, s)
	press(m, "j")
	m.update(s, noon)
	if r := m.row(); r.conflict == nil || r.conflict.File != "go.sum" {
		t.Errorf("the second conflict was selected, now it is %+v", r)
	}
	if do, _ := m.key("w"); do != showWhy {
		t.Errorf("w does %v on a conflict", do)
	}
}

// Until a key is pressed, the most urgent row is selected, whatever comes.
func TestFirstRowUntilAKey(t *testing.T) {
	m := sized(80, 24, full())
	s := full()
	s.Needs = append([]overview.Need{{Kind: overview.NeedAnswer, Who: "zoe", State: "waiting for you", Agent: "zoe"}}, s.Needs...)
	m.update(s, noon)
	if r := m.row(); r.agent != "zoe" {
		t.Errorf("%q is selected", r.agent)
	}
}

func TestKeys(t *testing.T) {
	for _, tc := range []struct {
		name     string
		readOnly bool
		keys     []string
		do       command
		typed    string
		said     string // part of what is said or asked in the end
	}{
		{name: "quit", keys: []string{"q"}, do: quit},
		{name: "interrupt", keys: []string{"Ctrl-C"}, do: quit},
		{name: "stop", keys: []string{"Ctrl-Z"}, do: suspend},
		{name: "open", keys: []string{"Enter"}, do: showOpen},
		{name: "diff of the second", keys: []string{"j", "d"}, do: showDiff},
		{name: "go", keys: []string{"g"}, do: goThere},
		{name: "accept asks", keys: []string{"j", "a"}, said: "Accept login-page and land it?"},
		{name: "accept", keys: []string{"j", "a", "y"}, do: doAccept},
		{name: "accept refused", keys: []string{"j", "a", "n"}, said: "nothing was changed"},
		{name: "accept what does not wait", keys: []string{"a"}, said: "nothing waits here"},
		{name: "accept an agent's row", keys: []string{"2", "a", "y"}, do: doAccept},
		{name: "return", keys: []string{"j", "b", "n", "o", "Enter"}, do: doReturn, typed: "no"},
		{name: "return mended", keys: []string{"j", "b", "n", "x", "Backspace", "o", "Enter"}, do: doReturn, typed: "no"},
		{name: "return without a word", keys: []string{"j", "b", "Enter"}, said: "a reason is needed"},
		{name: "return given up", keys: []string{"j", "b", "n", "Esc"}, said: "nothing was changed"},
		{name: "release asks again", keys: []string{"5", "r", "y"}, said: "is not gone"},
		{name: "release", keys: []string{"5", "r", "y", "y"}, do: doRelease},
		{name: "release what no agent holds", keys: []string{"2", "j", "j", "j", "r"}, said: "no agent holds a task here"},
		{name: "merge", keys: []string{"2", "m", "y"}, do: doMerge},
		{name: "merge without a worktree", keys: []string{"5", "j", "j", "m"}, said: "no worktree"},
		{name: "read only", readOnly: true, keys: []string{"j", "a"}, said: "--read-only"},
		{name: "read only still shows", readOnly: true, keys: []string{"j", "d"}, do: showDiff},
		{name: "unknown", keys: []string{"X"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newModel(tc.readOnly)
			m.width, m.height = 80, 24
			m.update(full(), noon)
			do, typed := press(m, tc.keys...)
			said := m.said
			if m.ask != nil {
				said = m.ask.question
			}
			if do != tc.do || typed != tc.typed || !strings.Contains(said, tc.said) {
				t.Errorf("%v does %d with %q and says %q, want %d with %q and %q", tc.keys, do, typed, said, tc.do, tc.typed, tc.said)
			}
		})
	}
}

func TestPanels(t *testing.T) {
	m := sized(80, 24, full())
	press(m, "?")
	if m.open == nil {
		t.Fatal("? opens no help")
	}
	press(m, "?")
	if m.open != nil {
		t.Error("? does not close help")
	}
	m.open = &panel{title: "log", tail: true}
	for i := range 100 {
		m.open.add(strings.Repeat("x", i%7) + " line")
	}
	m.open.add("the needle")
	if s := drawn(m); !strings.Contains(s, "the needle") {
		t.Errorf("a log is not followed:\n%s", s)
	}
	press(m, "Home")
	m.open.add("more")
	if s := drawn(m); strings.Contains(s, "more") {
		t.Errorf("a log is followed though its beginning is read:\n%s", s)
	}
	press(m, "/", "n", "e", "e", "d", "l", "e", "Enter")
	if s := drawn(m); !strings.Contains(s, "the needle") {
		t.Errorf("what was searched is not in sight:\n%s", s)
	}
	press(m, "/", "h", "a", "y", "Enter")
	if !strings.Contains(m.open.note, "is not in it") {
		t.Errorf("nothing says that it was not found: %q", m.open.note)
	}
	ended := false
	m.open.end = func() { ended = true }
	press(m, "q")
	if m.open != nil || !ended {
		t.Error("q does not close the text and what feeds it")
	}
}
