package term

import (
	"fmt"
	"io"
	"strings"
)

// Live is a block of lines at the end of the output on Err, which is rewritten in place. A notice or warning appears above it: it removes
// the block until the next Draw. The methods of a nil Live do nothing. It is safe for concurrent use.
type Live struct {
	s     *Streams
	shown int // lines on the screen; guarded by s.mu
	last  string
}

// Live begins a block; call Done at the end. It returns nil, which is fine to use, where Err is not a terminal whose lines can be
// rewritten.
func (s *Streams) Live() *Live {
	if !s.ErrTTY || s.Quiet || s.dumb {
		return nil
	}
	l := &Live{s: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = l
	return l
}

// Width returns how many cells a line may have: the present width of the terminal.
func (l *Live) Width() int {
	if l == nil {
		return 0
	}
	width := l.s.Columns
	if l.s.measure != nil {
		width = l.s.measure()
	}
	return max(20, width-1)
}

// Draw shows these lines, none of them wider than Width. Unchanged lines are not written again. Nothing flickers: a terminal with
// synchronized output shows the whole change at once, and each line is overwritten before its rest is cleared.
func (l *Live) Draw(lines []Painted) {
	if l == nil {
		return
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(string(line) + "\x1b[K\n")
	}
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	if l.s.live != l || l.shown > 0 && b.String() == l.last {
		return
	}
	up := ""
	if l.shown > 0 {
		up = fmt.Sprintf("\x1b[%dF", l.shown)
	}
	_, _ = io.WriteString(l.s.Err, "\x1b[?2026h"+up+b.String()+"\x1b[J\x1b[?2026l")
	l.shown, l.last = len(lines), b.String()
}

// Done removes the block.
func (l *Live) Done() {
	if l == nil {
		return
	}
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.erase()
	if l.s.live == l {
		l.s.live = nil
	}
}

// erase removes the block; s.mu is held.
func (l *Live) erase() {
	if l.shown > 0 {
		_, _ = io.WriteString(l.s.Err, fmt.Sprintf("\x1b[%dF\x1b[J", l.shown))
		l.shown = 0
	}
}
