package top

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/view/overview"
)

// asked is the purpose of a prompt.
type asked int

// The prompts.
const (
	askFilter asked = iota
	askSearch
	askYes  // y agrees
	askText // a text agrees; an empty text does not
)

// prompt is a question in the last line.
type prompt struct {
	kind     asked
	question string
	text     string // what was typed
	does     command
	about    *row // the row when the question was asked, even if another is selected at the answer
	twice    bool // it is the second of two questions
	freely   bool // an empty text agrees, too
}

// deed is how a change to a row is worded, while it is made and in the question before. {name} is the row's worktree; {task}, {holder} and
// {agent} are the row's too.
type deed struct {
	doing, question string
	kind            asked
	freely          bool
}

var deeds = map[command]deed{
	doAccept:    {"landing {name}", "Accept {name} and land it?", askYes, false},
	doReturn:    {"returning {name}", "Return {name}, because:", askText, false},
	doMerge:     {"landing {name}", "Merge {name} and remove its worktree?", askYes, false},
	doRelease:   {"releasing {task}", "Release {task}, which {holder} holds?", askYes, false},
	doAllow:     {"answering {agent}", "Let {agent} do this once?", askYes, false},
	doAlways:    {"answering {agent}", "Allow this, and calls like it, from now on?", askYes, false},
	doDeny:      {"answering {agent}", "Deny it; a word to {agent}, or none:", askText, true},
	doTell:      {"telling {agent}", "Tell {agent}, for its next turn:", askText, false},
	doInterrupt: {"telling {agent}", "Cancel what {agent} does, and tell it:", askText, false},
}

// worded returns the wording of a deed with the row's names.
func (r row) worded(wording string) string {
	return strings.NewReplacer("{name}", r.name, "{task}", r.task, "{holder}", r.holder, "{agent}", r.agent).Replace(wording)
}

// ask returns the question whether to act on a row.
func ask(do command, r row) *prompt {
	d := deeds[do]
	return &prompt{kind: d.kind, question: r.worded(d.question), freely: d.freely, does: do, about: &r}
}

// atWork reports whether an agent is still there: taking work away from it needs two confirmations.
func (m *model) atWork(agent string) bool {
	return slices.ContainsFunc(m.state.Agents, func(a overview.Agent) bool { return a.Name == agent && a.State != string(presence.Gone) })
}

// longestAnswer bounds the typed text, in bytes.
const longestAnswer = 2000

// answer handles a key while a prompt is open.
func (m *model) answer(name string) order {
	p := m.ask
	if name == "Esc" || name == "Ctrl-C" {
		m.asked()
		if p.kind == askYes || p.kind == askText {
			m.say("nothing was changed")
		}
		if p.kind == askFilter {
			m.filter = ""
			m.arrange()
		}
		return order{}
	}
	if p.kind == askYes {
		if m.open != nil && m.open.scrolled(name, m.bodyHeight(), m.width) {
			return order{} // the text in question may be longer than the screen
		}
		if name != "y" && name != "Y" {
			m.asked()
			m.say("nothing was changed")
			return order{}
		}
		if r := p.about; p.does == doRelease && !p.twice && m.atWork(r.holder) {
			p.question, p.twice = fmt.Sprintf("%s is not gone and loses the claim. Release %s all the same?", r.holder, r.task), true
			return order{}
		}
		m.asked()
		return order{do: p.does, about: p.about}
	}
	switch {
	case name == "Enter":
		m.asked()
		switch {
		case p.kind == askSearch && m.open != nil:
			m.open.search(p.text, m.bodyHeight(), m.width)
		case p.kind == askText && p.text == "" && !p.freely:
			missing := "text"
			if p.does == doReturn {
				missing = "reason"
			}
			m.say("nothing was changed: a " + missing + " is needed")
		case p.kind == askText:
			if p.does == doReturn {
				m.unsaid[p.about.worktree] = p.text // if the return is refused, the text need not be typed again
			}
			return order{do: p.does, about: p.about, typed: p.text}
		}
	case name == "Backspace":
		_, size := utf8.DecodeLastRuneInString(p.text)
		p.text = p.text[:len(p.text)-size]
	case name == "Ctrl-U":
		p.text = ""
	case utf8.RuneCountInString(name) == 1 && len(p.text) < longestAnswer:
		p.text += name
	}
	if p.kind == askFilter {
		m.filter = p.text
		m.arrange()
	}
	return order{}
}

// asked ends the prompt, and closes the text that was shown with it.
func (m *model) asked() {
	m.ask = nil
	if m.open != nil && m.open.asks {
		m.closePanel()
	}
}
