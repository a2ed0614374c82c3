package term

import (
	"fmt"
	"io"
	"strings"

	"github.com/agit-suite/agit/shared/redact"
)

// Notice tells people something on Err that is neither a result nor a problem.
// Quiet silences it. A secret that it would repeat is taken out.
func (s *Streams) Notice(format string, args ...any) {
	if s.Quiet {
		return
	}
	s.say("", redact.Clean(fmt.Sprintf(format, args...)))
}

// Warn tells people on Err that something is not as it should be, though the
// run goes on.
func (s *Streams) Warn(format string, args ...any) {
	s.say(s.PaintErr(Yellow, "warning:")+" ", redact.Clean(fmt.Sprintf(format, args...)))
}

// Complain prints the last word of a failed run on Err. Only cli.Main calls it.
func (s *Streams) Complain(program, sentence string) {
	s.say(s.PaintErr(Red, program+":")+" ", sentence)
}

// say writes one escaped line between progress updates. Err may be gone, and
// then there is no one to tell.
func (s *Streams) say(prefix Painted, sentence string) {
	_, _ = io.WriteString(s.ErrWriter(), string(prefix)+strings.TrimRight(EscapeText(sentence), "\n")+"\n")
}

// ErrWriter writes to Err one call at a time, out of the way of a progress line or
// a live block.
// It is what loggers are given.
func (s *Streams) ErrWriter() io.Writer { return errWriter{s} }

type errWriter struct{ s *Streams }

func (w errWriter) Write(p []byte) (int, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	if w.s.progress != nil {
		w.s.progress.erase()
	}
	if w.s.live != nil {
		w.s.live.erase()
	}
	return w.s.Err.Write(p)
}
