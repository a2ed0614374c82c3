package top

import (
	"fmt"
	"slices"
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

// ask returns the question whether to act on a row.
func ask(do command, r row) *prompt {
	p := &prompt{kind: askYes, does: do, about: &r}
	switch do {
	case doAccept:
		p.question = fmt.Sprintf("Accept %s and land it?", r.name)
	case doReturn:
		p.kind, p.question = askText, fmt.Sprintf("Return %s, because:", r.name)
	case doMerge:
		p.question = fmt.Sprintf("Merge %s and remove its worktree?", r.name)
	case doRelease:
		p.question = fmt.Sprintf("Release %s, which %s holds?", r.task, r.holder)
	case doAllow:
		p.question = fmt.Sprintf("Let %s do this once?", r.agent)
	case doAlways:
		p.question = "Allow this, and calls like it, from now on?"
	case doDeny:
		p.kind, p.freely, p.question = askText, true, fmt.Sprintf("Deny it; a word to %s, or none:", r.agent)
	case doTell:
		p.kind, p.question = askText, fmt.Sprintf("Tell %s, for its next turn:", r.agent)
	case doInterrupt:
		p.kind, p.question = askText, fmt.Sprintf("Cancel what %s does, and tell it:", r.agent)
	}
	return p
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
