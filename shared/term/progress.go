package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Work shorter than progressDelay shows nothing. After that the line is rewritten at most every progressEvery, which is as often as people
// read.
const (
	progressDelay = 300 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// Progress is one line on Err that shows what the program is doing. It appears only on a terminal, only when the work takes long, and
// disappears when the work is done. The methods of a nil Progress do nothing. It is safe for concurrent use.
type Progress struct {
	s    *Streams
	stop chan struct{}
	once sync.Once
	done sync.WaitGroup

	// guarded by s.mu
	text  string
	n     int
	total int
	shown int // cells of the line on screen
}

// Progress starts a progress line; call Done when the work is over. It returns nil, which is fine to use, where no one would see the line.
func (s *Streams) Progress(text string) *Progress {
	if !s.ErrTTY || s.Quiet || s.dumb {
		return nil
	}
	p := &Progress{s: s, text: text, stop: make(chan struct{})}
	p.done.Go(p.run)
	return p
}

// Say replaces the text.
func (p *Progress) Say(format string, args ...any) {
	if p == nil {
		return
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.text = fmt.Sprintf(format, args...)
}

// Count shows n of total after the text; a total of 0 is unknown.
func (p *Progress) Count(n, total int) {
	if p == nil {
		return
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.n, p.total = n, total
}

// Done removes the line. It may be called more than once.
func (p *Progress) Done() {
	if p == nil {
		return
	}
	p.once.Do(func() { close(p.stop) })
	p.done.Wait()
}

func (p *Progress) run() {
	wait := time.NewTimer(progressDelay)
	defer wait.Stop()
	select {
	case <-p.stop:
		return
	case <-wait.C:
	}
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		p.draw()
		select {
		case <-p.stop:
			p.clear()
			return
		case <-tick.C:
		}
	}
}

// draw rewrites the line with a carriage return and blanks only, without cursor sequences, so that any terminal can show it.
func (p *Progress) draw() {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	line := p.line()
	width := Width(line)
	if room := p.s.Columns - 1; room > 0 && width > room {
		line = Truncate(line, room)
		width = Width(line)
	}
	pad := strings.Repeat(" ", max(0, p.shown-width))
	_, _ = io.WriteString(p.s.Err, "\r"+line+pad)
	p.shown = max(width, p.shown)
	p.s.progress = p
}

func (p *Progress) line() string {
	switch {
	case p.total > 0:
		return fmt.Sprintf("%s (%d/%d)", Escape(p.text), p.n, p.total)
	case p.n > 0:
		return fmt.Sprintf("%s (%d)", Escape(p.text), p.n)
	}
	return Escape(p.text) + " …"
}

func (p *Progress) clear() {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.erase()
	if p.s.progress == p {
		p.s.progress = nil
	}
}

// erase blanks the line; s.mu is held.
func (p *Progress) erase() {
	if p.shown > 0 {
		_, _ = io.WriteString(p.s.Err, "\r"+strings.Repeat(" ", p.shown)+"\r")
		p.shown = 0
	}
}
