package term

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/redact"
)

// Notice prints a message to people on Err that is neither a result nor a problem. Quiet silences it. Secrets in it are taken out.
func (s *Streams) Notice(format string, args ...any) {
	if s.Quiet {
		return
	}
	s.say(Plain, "", redact.Clean(fmt.Sprintf(format, args...)))
}

// Warn warns people on Err that something is wrong, though the run continues.
func (s *Streams) Warn(format string, args ...any) {
	s.say(Yellow, "warning:", redact.Clean(fmt.Sprintf(format, args...)))
}

// Complain prints the error of a failed run on Err. Only cli.Main calls it.
func (s *Streams) Complain(program, sentence string) {
	s.say(Red, program+":", sentence)
}

// say writes an escaped sentence behind a label, between progress updates; on a terminal it is wrapped between words. Errors are ignored:
// when Err is gone, nothing can be reported.
func (s *Streams) say(style Style, label, sentence string) {
	sentence = strings.TrimRight(EscapeText(sentence), "\n")
	used := 0
	if label != "" {
		used = Width(label) + 1
		label = string(s.PaintErr(style, label)) + " "
	}
	if width := s.errWidth(); width > 0 {
		sentence = wrapSaid(sentence, width, used)
	}
	_, _ = io.WriteString(s.ErrWriter(), label+sentence+"\n")
}

// errWidth is the width in cells of the terminal that Err writes to, 0 where it writes to none.
func (s *Streams) errWidth() int {
	switch {
	case !s.ErrTTY:
		return 0
	case s.errMeasure != nil:
		return s.errMeasure()
	}
	return s.Columns
}

// wrapSaid wraps a text for people, whose first line begins after used cells. A command in backticks or a name in quotes stays in one piece
// if it fits on a line; a longer one is left to the terminal to wrap. Both can thus be copied.
func wrapSaid(text string, width, used int) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
			used = 0
		}
		if used+Width(line) <= width {
			b.WriteString(line)
			continue
		}
		for j, word := range wordsSaid(line, width) {
			wide := Width(word)
			switch {
			case j == 0:
			case used+1+wide <= width:
				b.WriteByte(' ')
				used++
			default:
				b.WriteByte('\n')
				used = 0
			}
			b.WriteString(word)
			used += wide
		}
	}
	return b.String()
}

// wordsSaid splits a line at its spaces, except within backticks and quotes that fit into width.
func wordsSaid(line string, width int) []string {
	words := strings.Split(line, " ")
	for i := 0; i < len(words); i++ {
		mark := openMark(words[i])
		for end := i + 1; mark != "" && end < len(words); end++ {
			if !strings.Contains(words[end], mark) {
				continue
			}
			if whole := strings.Join(words[i:end+1], " "); Width(whole) <= width {
				words = slices.Replace(words, i, end+1, whole)
			}
			break
		}
	}
	return words
}

// openMark returns the backtick or quote that word opens and does not close.
func openMark(word string) string {
	for _, mark := range []string{"`", `"`} {
		if strings.Count(word, mark)%2 == 1 {
			return mark
		}
	}
	return ""
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
