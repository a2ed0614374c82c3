package top

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/fault"
)

// A row stays selected when others come and go. When it goes itself, the next row is selected.
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

// A conflict stays selected when another file of it comes first.
func TestSelectionFollowsAConflict(t *testing.T) {
	need := func(file, with string) overview.Need {
		return overview.Need{Kind: overview.NeedConflict, Who: "ann", State: "conflict", Reason: file, What: "login-page", Worktree: "w-a", Agent: "ann",
			Conflict: &overview.Conflict{Repo: "app", File: file, Depth: conflict.DepthMerge, Sides: []overview.Side{{Name: "login-page", Worktree: "w-a"}, {Name: with, Worktree: "w-" + with}}}}
	}
	s := full()
	s.Needs = []overview.Need{need("login.go", "cyd"), need("login.go", "bob")}
	m := sized(80, 24, s)
	press(m, "j") // the one with bob
	s.Needs = []overview.Need{need("a.go", "bob"), need("login.go", "cyd")}
	m.update(s, noon)
	if r := m.row(); r.conflict.Sides[1].Name != "bob" {
		t.Errorf("after another file came, the conflict with %s is selected", r.conflict.Sides[1].Name)
	}
}

// A worktree may be in several conflicts: each has its own row, also when the screen is drawn anew, with its own reasons.
func TestConflictsOfOneWorktree(t *testing.T) {
	s := full()
	s.Conflicts = slices.Repeat(s.Conflicts[:1], 2)
	s.Conflicts[1].File, s.Conflicts[1].Sides = "go.sum", []overview.Side{s.Conflicts[0].Sides[0], {Name: "csv-import", Worktree: "w-d"}}
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
	if o := m.key("w"); o.do != showWhy {
		t.Errorf("w does %v on a conflict", o.do)
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
		said     string // part of the last message or question
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
			o := press(m, tc.keys...)
			said := m.said
			if m.ask != nil {
				said = m.ask.question
			}
			if o.do != tc.do || o.typed != tc.typed || !strings.Contains(said, tc.said) {
				t.Errorf("%v does %d with %q and says %q, want %d with %q and %q", tc.keys, o.do, o.typed, said, tc.do, tc.typed, tc.said)
			}
		})
	}
}

// An answer applies to the row that the question was about, whatever row has taken its place by then.
func TestAnswerIsAboutItsQuestion(t *testing.T) {
	for _, tc := range []struct {
		keys   []string
		answer string
		do     command
	}{
		{keys: []string{"2", "a"}, answer: "y", do: doAccept},
		{keys: []string{"2", "m"}, answer: "y", do: doMerge},
		{keys: []string{"2", "b", "n", "o"}, answer: "Enter", do: doReturn},
		{keys: []string{"2", "r", "y"}, answer: "y", do: doRelease},
	} {
		m := sized(80, 24, full())
		press(m, tc.keys...)
		asked := *m.row()
		s := full()
		s.Agents, s.Worktrees, s.Needs, s.Tasks.List = s.Agents[1:], s.Worktrees[1:], nil, s.Tasks.List[1:]
		m.update(s, noon)
		if now := m.row(); now != nil && now.worktree == asked.worktree {
			t.Fatalf("%v: the row is still there, so nothing is tried", tc.keys)
		}
		if o := m.key(tc.answer); o.do != tc.do || o.about == nil || o.about.worktree != asked.worktree || o.about.task != asked.task {
			t.Errorf("%v: asked about %q of %q, the answer is %+v", tc.keys, asked.worktree, asked.task, o)
		}
	}
}

// An action applies to what was on the screen when its question was asked: the commit that a merge would land, the claim that a release
// would end, whoever has the worktree. If an agent came back before the answer, the person is asked once more.
func TestDoesWhatWasSeen(t *testing.T) {
	s := full()
	s.Worktrees[1].Head, s.Worktrees[3].Head = "aaaa", "cccc"
	s.Tasks.List[1].Stood = ago(time.Hour)
	s.Tasks.List = append(s.Tasks.List, overview.Task{ID: "t-d", State: overview.TaskProgress, Agent: "dan"})
	s.Agents[1].State = "gone"
	m := sized(80, 24, s)
	press(m, "2", "j", "m")
	later := full()
	later.Worktrees[1].Head = "bbbb"
	later.Tasks.List[1].Stood = ago(time.Minute)
	m.update(later, noon)
	if o := m.key("y"); o.do != doMerge || o.about.head != "aaaa" {
		t.Errorf("asked to merge what was at aaaa, it is %+v", o)
	}
	m.update(s, noon)
	press(m, "r")
	m.update(later, noon) // bob is back, with another claim
	if o := m.key("y"); o.do != nothing || m.ask == nil || !strings.Contains(m.ask.question, "bob is not gone") {
		t.Errorf("releasing the task of an agent that came back does %+v", o)
	}
	if o := m.key("y"); o.do != doRelease || o.about.stood != *ago(time.Hour) || o.about.holder != "bob" {
		t.Errorf("asked to end the claim that bob made an hour ago, it is %+v", o)
	}
	m.update(s, noon)
	press(m, "j", "j", "r") // dee's worktree, whose task was passed on
	if m.ask == nil || m.ask.question != "Release t-d, which dan holds?" {
		t.Errorf("it asks %+v", m.ask)
	}
}

// When a return was refused, its reason need not be typed again.
func TestRefusedReturn(t *testing.T) {
	a := &app{model: sized(80, 24, full())}
	o := press(a.model, "j", "b", "n", "o", "Enter")
	a.take(result{err: fault.Conflict("review", "w-a", "the work was shown anew"), nothing: true, of: o})
	if press(a.model, "b"); a.model.ask == nil || a.model.ask.text != "no" || !strings.Contains(drawn(a.model), "because: no") {
		t.Errorf("after a refusal it asks %+v", a.model.ask)
	}
	o = a.model.key("Enter")
	a.take(result{said: "returned", nothing: true, of: o})
	if press(a.model, "b"); a.model.ask == nil || a.model.ask.text != "" {
		t.Errorf("after it was returned it asks %+v", a.model.ask)
	}
}

// Actions run one after the other, and a key that comes too early is answered with a message.
func TestKeysWhileBusy(t *testing.T) {
	m := sized(80, 24, full())
	m.busy = "landing login-page"
	if o := press(m, "j", "a"); o.do != nothing || m.ask != nil || !strings.Contains(drawn(m), "still landing login-page: press a again") {
		t.Errorf("a while landing does %+v:\n%s", o, drawn(m))
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
