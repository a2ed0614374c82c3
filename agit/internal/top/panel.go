package top

import (
	"strings"

	"github.com/agit-suite/agit/shared/term"
)

// panel is a text to read: a diff, a log, the reasons of a task, help.
type panel struct {
	title string
	lines []string
	wrap  bool // lines are wrapped, not scrolled sideways
	diff  bool // lines are a diff's
	help  bool
	asks  bool   // it is shown with a question, and closed with it
	tail  bool   // it scrolls to what is added at its end
	note  string // beside the title
	top   int    // the first line in sight
	left  int    // cells scrolled to the right
	find  string
	feed  func() // adds text once the panel is open; may be nil
	end   func() // ends that; may be nil
}

// mostLines is how many lines a panel keeps: a longer text is for a pager.
const mostLines = 50_000

// longestLine bounds a line of a panel, in bytes.
const longestLine = 4000

// add appends a text.
func (p *panel) add(text string) {
	for l := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if len(p.lines) == mostLines {
			p.note = "cut: `agit diff` and `agit logs` show all"
			return
		}
		p.lines = append(p.lines, cleanLine(l))
	}
}

// cleanLine makes a line safe for its cells: tabs become blanks, and terminal control sequences are taken out.
func cleanLine(l string) string {
	if len(l) > longestLine {
		l = l[:longestLine]
	}
	if !strings.ContainsFunc(l, func(r rune) bool { return r < ' ' || r > '~' }) {
		return l
	}
	words := strings.Split(expand(l), " ") // blanks stay as they are
	for i, w := range words {
		words[i] = clean(w)
	}
	return strings.Join(words, " ")
}

// expand replaces tabs by blanks up to the next column of eight.
func expand(l string) string {
	var b strings.Builder
	at := 0
	for i, part := range strings.Split(l, "\t") {
		if i > 0 {
			n := 8 - at%8
			b.WriteString(strings.Repeat(" ", n))
			at += n
		}
		b.WriteString(part)
		at += term.Width(part)
	}
	return b.String()
}

// look returns the style of a line of a diff.
func (p *panel) look(l string) term.Style {
	switch {
	case !p.diff:
		return term.Plain
	case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"), strings.HasPrefix(l, "diff "):
		return term.Bold
	case strings.HasPrefix(l, "+"):
		return term.Green
	case strings.HasPrefix(l, "-"):
		return term.Red
	case strings.HasPrefix(l, "@@"):
		return term.Cyan
	}
	return term.Plain
}

// laidOut returns the lines as they appear on a screen of width cells.
func (p *panel) laidOut(width int) []string {
	if !p.wrap {
		return p.lines
	}
	var all []string
	for _, l := range p.lines {
		all = append(all, term.Wrap(l, max(1, width))...)
	}
	return all
}

// scroll moves the visible part.
func (p *panel) scroll(by, height, width int) {
	last := max(0, len(p.laidOut(width))-height)
	p.top = max(0, min(p.top+by, last))
	p.tail = p.tail && p.top == last
}

// search goes to the next line that holds a text, starting below the first line in sight.
func (p *panel) search(text string, height, width int) {
	p.find = text
	p.next(1, height, width)
}

func (p *panel) next(step, height, width int) {
	if p.find == "" {
		return
	}
	want := strings.ToLower(p.find)
	lines := p.laidOut(width)
	n := len(lines)
	for i := 1; i <= n; i++ {
		at := ((p.top+step*i)%n + n) % n
		if strings.Contains(strings.ToLower(lines[at]), want) {
			p.top, p.note, p.tail = min(at, max(0, n-height)), "", false
			if at > p.top {
				p.note = "line " + lines[at]
			}
			return
		}
	}
	p.note = "\"" + clean(p.find) + "\" is not in it"
}

// keyInPanel handles a key while a panel is open.
func (m *model) keyInPanel(name string) {
	p, height := m.open, m.bodyHeight()
	switch name {
	case "q", "Esc", "Enter":
		m.closePanel()
	case "?":
		if p.help {
			m.closePanel()
		}
	case "/":
		m.ask = &prompt{kind: askSearch}
	case "n":
		p.next(+1, height, m.width)
	case "N":
		p.next(-1, height, m.width)
	case "Right":
		p.left += 8
	case "Left":
		p.left = max(0, p.left-8)
	case "f":
		p.tail = true
		p.scroll(len(p.lines), height, m.width)
	default:
		p.scrolled(name, height, m.width)
	}
}

// scrolled handles a key that moves up or down in the text; it reports whether the key does that.
func (p *panel) scrolled(name string, height, width int) bool {
	var by int
	switch name {
	case "j", "Down":
		by = +1
	case "k", "Up":
		by = -1
	case "PgDn", " ", "Ctrl-D":
		by = max(1, height-1)
	case "PgUp", "b", "Ctrl-U":
		by = -max(1, height-1)
	case "Home":
		by = -len(p.lines) * longestLine
	case "End", "G":
		by = len(p.lines) * longestLine
	default:
		return false
	}
	p.scroll(by, height, width)
	return true
}

func (m *model) closePanel() {
	if m.open != nil && m.open.end != nil {
		m.open.end()
	}
	m.open = nil
}

// help returns the panel of keys.
func help(readOnly bool) *panel {
	p := &panel{title: "Keys", help: true, wrap: true}
	p.add(`j k, arrows     another row
tab, 1 to 5     another part: needs you, agents, conflicts, landings, tasks
enter           open what the row is about
d               everything a worktree changed, also what is not committed
l               the log of its agent or gate, followed
w               why it needs you and what to do; a task's reasons and history
g               a shell in the worktree; its end leads back here
/               only rows with a text; esc ends that
ctrl-l          draw everything anew
ctrl-z          stop, fg goes on
q               quit`)
	if readOnly {
		p.add("\nThis screen only reads: it was started with --read-only.")
	} else {
		p.add(`
These change something, and ask first:
a               accept a branch that waits for review
b               return it, with a reason that its agent reads next
m               merge a worktree into the default branch
r               release a task that an agent holds
a A b           allow what an agent asks once, always by a rule, or deny it
t T             tell an agent something, at its next turn or at once`)
	}
	p.add(`
In a text: j k, space, b, home and end scroll, left and right too; / searches,
n and N go on; f follows the end of a log; q or esc closes.`)
	return p
}
