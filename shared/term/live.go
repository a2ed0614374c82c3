package term

import (
	"fmt"
	"io"
	"strings"
)

// Live is a block of lines at the end of what was printed on Err, which is
// rewritten in place. Notices and warnings appear above it: they take it away
// until it is drawn again. The methods of a nil Live do nothing. It is safe for
// concurrent use.
type Live struct {
	s     *Streams
	shown int // lines on the screen; guarded by s.mu
	last  string
}

// Live begins a block; call Done in the end. It is nil, which is fine to use,
// where Err is not a terminal that lines can be rewritten on.
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

// Width is how many cells a line may have, as wide as the terminal is now.
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

// Draw shows these lines, none of them wider than Width. What has not changed is
// not written again. A terminal that knows it shows all of the change at once,
// and each line is overwritten before its rest is cleared: nothing flickers.
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

// Done takes the block away.
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

// erase takes the block away; s.mu is held.
func (l *Live) erase() {
	if l.shown > 0 {
		_, _ = io.WriteString(l.s.Err, fmt.Sprintf("\x1b[%dF\x1b[J", l.shown))
		l.shown = 0
	}
}
