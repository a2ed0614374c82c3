package top

import (
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/view/overview"
)

// model is the content of the screen and the selection on it.
type model struct {
	state    overview.State
	now      time.Time
	width    int
	height   int
	readOnly bool

	focus    overview.Part
	selected map[overview.Part]place // a part remembers its row
	first    map[overview.Part]int   // the first row of a part in sight
	filter   string
	open     *panel
	ask      *prompt
	unsaid   map[string]string // by worktree: the reason typed for a return, until the return is done
	said     string            // one line about a result or a failure
	bad      bool              // said is a failure
	busy     string            // what is being done

	shown   []section // of state, now and filter
	touched bool      // a key was pressed; until then the first row stays selected, whatever comes
}

// place is the selected row of a part: its key, and its position in case the row disappears.
type place struct {
	key string
	at  int
}

func newModel(readOnly bool) *model {
	return &model{readOnly: readOnly, focus: overview.PartNeeds, selected: map[overview.Part]place{}, first: map[overview.Part]int{}, unsaid: map[string]string{}}
}

// update takes a new state and keeps the selection.
func (m *model) update(s overview.State, now time.Time) {
	m.state, m.now = s, now
	m.arrange()
}

// arrange builds the sections anew, and moves selections whose rows are gone.
func (m *model) arrange() {
	m.shown = sections(m.state, m.now, m.filter)
	if !m.touched {
		m.selected, m.focus = map[overview.Part]place{}, overview.PartNeeds
	}
	for _, s := range m.shown {
		sel := m.selected[s.part]
		if at := slices.IndexFunc(s.rows, func(r row) bool { return r.key == sel.key }); at >= 0 {
			sel.at = at
		} else if len(s.rows) > 0 {
			sel.at = min(sel.at, len(s.rows)-1)
			sel.key = s.rows[sel.at].key
		}
		m.selected[s.part] = sel
	}
	if m.section(m.focus) == nil {
		m.focusNext(0)
	}
}

// section returns the part's section, or nil when it has no rows.
func (m *model) section(p overview.Part) *section {
	for i := range m.shown {
		if m.shown[i].part == p && len(m.shown[i].rows) > 0 {
			return &m.shown[i]
		}
	}
	return nil
}

// row returns the selected row, or nil.
func (m *model) row() *row {
	s := m.section(m.focus)
	if s == nil {
		return nil
	}
	return &s.rows[m.selected[m.focus].at]
}

// focusNext moves to the next part that has rows, by steps of +1 or -1; 0 stays where it is if possible.
func (m *model) focusNext(step int) {
	at := slices.Index(parts, m.focus)
	for n := range len(parts) {
		next := parts[((at+step*(n+1))%len(parts)+len(parts))%len(parts)]
		if step == 0 {
			next = parts[(at+n)%len(parts)]
		}
		if m.section(next) != nil {
			m.focus = next
			return
		}
	}
}

// move selects another row; beyond the ends of a part it goes on to the part above or below.
func (m *model) move(by int) {
	s := m.section(m.focus)
	if s == nil {
		return
	}
	at := m.selected[m.focus].at + by
	switch {
	case by == -1 && at < 0:
		if before := m.beside(-1); before != nil {
			m.focus = before.part
			m.selectAt(len(before.rows) - 1)
		}
		return
	case by == 1 && at >= len(s.rows):
		if after := m.beside(+1); after != nil {
			m.focus = after.part
			m.selectAt(0)
		}
		return
	}
	m.selectAt(at)
}

func (m *model) selectAt(at int) {
	s := m.section(m.focus)
	at = max(0, min(at, len(s.rows)-1))
	m.selected[m.focus] = place{s.rows[at].key, at}
}

// beside returns the part with rows above or below the one in focus, or nil.
func (m *model) beside(step int) *section {
	at := slices.IndexFunc(m.shown, func(s section) bool { return s.part == m.focus })
	for at += step; at >= 0 && at < len(m.shown); at += step {
		if len(m.shown[at].rows) > 0 {
			return &m.shown[at]
		}
	}
	return nil
}

// command is an action of the program that a key begins, beyond what the model does itself.
type command int

// The commands.
const (
	nothing command = iota
	quit
	suspend
	redraw
	showOpen
	showDiff
	showLog
	showWhy
	goThere
	doAccept
	doReturn
	doRelease
	doMerge
	doAllow
	doAlways
	doDeny
	doTell
	doInterrupt
)

// order is a command for the program with its data.
type order struct {
	do    command
	about *row   // the row that it is about; nil for none
	typed string // for it
}

// key handles a key by its name: a character, or Enter, Esc, Tab, Up or another key's name. It returns what the program has to do.
func (m *model) key(name string) order {
	m.touched = true
	if m.ask != nil {
		return m.answer(name)
	}
	m.said = ""
	if do := map[string]command{"Ctrl-C": quit, "Ctrl-Z": suspend, "Ctrl-L": redraw}[name]; do != nothing {
		return order{do: do}
	}
	if m.open != nil {
		m.keyInPanel(name)
		return order{}
	}
	switch name {
	case "q":
		return order{do: quit}
	case "?":
		m.open = help(m.readOnly)
	case "/":
		m.ask = &prompt{kind: askFilter, text: m.filter}
	case "Esc":
		m.filter = ""
		m.arrange()
	case "Tab":
		m.focusNext(+1)
	case "Backtab":
		m.focusNext(-1)
	case "1", "2", "3", "4", "5":
		if p := parts[name[0]-'1']; m.section(p) != nil {
			m.focus = p
		}
	case "j", "Down":
		m.move(+1)
	case "k", "Up":
		m.move(-1)
	case "PgDn", "Ctrl-D":
		m.page(+1)
	case "PgUp", "Ctrl-U":
		m.page(-1)
	case "Home":
		m.page(-1 << 20)
	case "End", "G":
		m.page(1 << 20)
	default:
		return m.keyOnRow(name)
	}
	return order{}
}

// page moves within the part.
func (m *model) page(by int) {
	if m.section(m.focus) != nil {
		m.selectAt(m.selected[m.focus].at + by*max(1, m.height/2))
	}
}

// keyOnRow handles the keys that act on the selected row.
func (m *model) keyOnRow(name string) order {
	r := m.row()
	for i, k := range keys {
		if k.key != name || r != nil && !k.on(r) && slices.ContainsFunc(keys[i+1:], func(other binding) bool { return other.key == name && other.on(r) }) {
			continue
		}
		switch {
		case r == nil:
			m.say("nothing is selected")
		case k.changes && m.readOnly:
			m.say("this screen only reads: it was started with --read-only")
		case !k.on(r):
			m.say(k.without)
		case m.busy != "" && k.does != goThere:
			m.complain("still " + m.busy + ": press " + k.key + " again when that is done")
		case k.changes:
			m.ask = ask(k.does, *r)
			if k.does == doReturn {
				m.ask.text = m.unsaid[r.worktree]
			}
			if r.question() != nil { // a person reads the whole call before answering
				m.closePanel()
				m.open = questionPanel(*r.need, r.name, k.does)
			}
		default:
			return order{do: k.does, about: r}
		}
		return order{}
	}
	return order{}
}

func (m *model) say(sentence string) { m.said, m.bad = clean(sentence), false }

func (m *model) complain(sentence string) { m.said, m.bad = clean(sentence), true }

// binding is a key that acts on a row.
type binding struct {
	key, word string
	does      command
	changes   bool // it changes something, so it asks first
	on        func(*row) bool
	without   string // message when it does nothing
}

var keys = []binding{
	{"Enter", "open", showOpen, false, func(r *row) bool { return true }, ""},
	{"a", "allow", doAllow, true, func(r *row) bool { return r.question() != nil }, "nothing waits here to be accepted or allowed"},
	{"A", "always", doAlways, true, func(r *row) bool { return r.question() != nil }, "no question waits here for an answer"},
	{"b", "deny", doDeny, true, func(r *row) bool { return r.question() != nil }, "nothing waits here to be accepted, returned or denied"},
	{"d", "diff", showDiff, false, func(r *row) bool { return r.worktree != "" }, "no worktree belongs to this row"},
	{"l", "log", showLog, false, func(r *row) bool { return r.worktree != "" || r.landing != nil }, "no worktree belongs to this row"},
	{"w", "why", showWhy, false, func(r *row) bool { return r.task != "" || r.need != nil || r.conflict != nil || r.landing != nil }, "no task belongs to this row"},
	{"a", "accept", doAccept, true, func(r *row) bool { return r.review }, "nothing waits here to be accepted"},
	{"b", "return", doReturn, true, func(r *row) bool { return r.review }, "nothing waits here to be accepted or returned"},
	{"r", "release", doRelease, true, func(r *row) bool { return r.holder != "" }, "no agent holds a task here"},
	{"m", "merge", doMerge, true, func(r *row) bool { return r.worktree != "" }, "no worktree belongs to this row"},
	{"t", "tell", doTell, true, func(r *row) bool { return r.agent != "" }, "no agent belongs to this row"},
	{"T", "tell now", doInterrupt, true, func(r *row) bool { return r.agent != "" }, "no agent belongs to this row"},
	{"g", "go", goThere, false, func(r *row) bool { return r.worktree != "" }, "no worktree belongs to this row"},
}

// hints returns the keys that act on the selected row, as many as fit before the keys that always work.
func (m *model) hints(width int) string {
	hints := ""
	r := m.row()
	const always = "/ filter  ? help  q quit"
	for _, k := range keys {
		if r != nil && k.on(r) && !(k.changes && m.readOnly) {
			if word := shownKey(k.key) + " " + k.word + "  "; len(hints)+len(word)+len(always) <= width {
				hints += word
			}
		}
	}
	return hints + always
}

// shownKey returns a key as the last line names it: letters as they are typed.
func shownKey(key string) string {
	if len(key) == 1 {
		return key
	}
	return strings.ToLower(key)
}
