package top

import (
	"fmt"
	"unicode/utf8"
)

// asked is what a prompt is for.
type asked int

// The prompts.
const (
	askFilter asked = iota
	askSearch
	askYes  // y agrees
	askText // a text agrees, an empty one does not
)

// prompt is a question in the last line.
type prompt struct {
	kind     asked
	question string
	text     string // what was typed
	does     command
	again    string // a second question, where something is taken away; "" for none
}

// question asks whether to do something about a row. What takes work away from an
// agent that is at it is asked twice.
func question(do command, r *row) *prompt {
	switch do {
	case doAccept:
		return &prompt{kind: askYes, does: do, question: fmt.Sprintf("Accept %s and land it?", r.name)}
	case doReturn:
		return &prompt{kind: askText, does: do, question: fmt.Sprintf("Return %s, because:", r.name)}
	case doMerge:
		return &prompt{kind: askYes, does: do, question: fmt.Sprintf("Merge %s and remove its worktree?", r.name)}
	}
	p := &prompt{kind: askYes, does: do, question: fmt.Sprintf("Release %s, which %s holds?", r.task, r.agent)}
	if r.atWork {
		p.again = fmt.Sprintf("%s is not gone and loses the claim. Release %s all the same?", r.agent, r.task)
	}
	return p
}

// longestAnswer bounds what is typed, in bytes.
const longestAnswer = 2000

// answer handles a key while something is asked.
func (m *model) answer(name string) (command, string) {
	p := m.ask
	if name == "Esc" || name == "Ctrl-C" {
		m.ask = nil
		if p.kind == askYes || p.kind == askText {
			m.say("nothing was changed")
		}
		if p.kind == askFilter {
			m.filter = ""
			m.arrange()
		}
		return nothing, ""
	}
	if p.kind == askYes {
		if name != "y" && name != "Y" {
			m.ask = nil
			m.say("nothing was changed")
			return nothing, ""
		}
		if p.again != "" {
			p.question, p.again = p.again, ""
			return nothing, ""
		}
		m.ask = nil
		return p.does, ""
	}
	switch {
	case name == "Enter":
		m.ask = nil
		switch {
		case p.kind == askSearch && m.open != nil:
			m.open.search(p.text, m.bodyHeight(), m.width)
		case p.kind == askText && p.text == "":
			m.say("nothing was changed: a reason is needed")
		case p.kind == askText:
			return p.does, p.text
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
	return nothing, ""
}
