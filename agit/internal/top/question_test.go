package top

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/timestamp"
)

// asking is a state in which cyd asks permission for a call of several lines.
func asking(lines int) overview.State {
	s := full()
	s.Needs[0].Reason = "asks: shell: npm install"
	s.Needs[0].Question = &overview.Question{ID: "q-7", Call: "shell: npm install" + strings.Repeat("\n --save thing", lines-1), Rules: []string{"shell(npm install)"}, Until: timestamp.Of(noon.Add(time.Hour))}
	return s
}

// The keys that otherwise accept and return work answer a question, after the whole call was shown.
func TestQuestionKeys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		readOnly bool
		keys     []string
		do       command
		typed    string
		said     string
	}{
		{name: "allow asks", keys: []string{"a"}, said: "Let cyd do this once?"},
		{name: "allow", keys: []string{"a", "y"}, do: doAllow},
		{name: "allow given up", keys: []string{"a", "x"}, said: "nothing was changed"},
		{name: "allow after reading on", keys: []string{"a", "j", "G", "y"}, do: doAllow},
		{name: "always", keys: []string{"A", "y"}, do: doAlways},
		{name: "deny", keys: []string{"b", "Enter"}, do: doDeny},
		{name: "deny with a word", keys: []string{"b", "n", "o", "Enter"}, do: doDeny, typed: "no"},
		{name: "deny given up", keys: []string{"b", "n", "Esc"}, said: "nothing was changed"},
		{name: "work beside it is still accepted", keys: []string{"j", "a", "y"}, do: doAccept},
		{name: "nothing to allow always", keys: []string{"j", "A"}, said: "no question waits here"},
		{name: "read only", readOnly: true, keys: []string{"a"}, said: "--read-only"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newModel(tc.readOnly)
			m.width, m.height = 80, 24
			m.update(asking(1), noon)
			o := press(m, tc.keys...)
			said := m.said
			if m.ask != nil {
				said = m.ask.question
			}
			if o.do != tc.do || o.typed != tc.typed || !strings.Contains(said, tc.said) {
				t.Errorf("%v does %d with %q and says %q, want %d with %q and %q", tc.keys, o.do, o.typed, said, tc.do, tc.typed, tc.said)
			}
			if o.do != nothing && o.do != doAccept && (o.about.question() == nil || o.about.question().ID != "q-7") {
				t.Errorf("it is about %+v", o.about)
			}
			if m.ask == nil && m.open != nil {
				t.Error("the call is still shown after the answer")
			}
		})
	}
}

// The whole call can be read on the screen while the answer is asked for, even a call that is longer than the screen.
func TestQuestionIsShownWhole(t *testing.T) {
	t.Parallel()
	m := sized(80, 24, asking(60))
	press(m, "A")
	if screen := drawn(m); !strings.Contains(screen, "shell: npm install") || !strings.Contains(screen, "y/N") || strings.Contains(screen, "shell(npm install)") {
		t.Errorf("at first it shows\n%s", screen)
	}
	press(m, "End")
	if screen := drawn(m); !strings.Contains(screen, "shell(npm install)") || !strings.Contains(screen, "y/N") || !strings.Contains(screen, "denied at") {
		t.Errorf("at its end it shows\n%s", screen)
	}
	if strings.Count(strings.Join(m.open.lines, "\n"), "--save thing") != 59 {
		t.Errorf("%d lines", len(m.open.lines))
	}
	m = sized(80, 24, asking(1))
	if hints := m.hints(80); !strings.HasPrefix(hints, "enter open  a allow  A always  b deny  d diff") {
		t.Errorf("the keys are %q", hints)
	}
	if p := questionPanel(*m.row().need, "fix-upload", nothing); !slices.ContainsFunc(p.lines, func(l string) bool { return strings.Contains(l, "a allows it once") }) {
		t.Errorf("why shows %q", p.lines)
	}
}
