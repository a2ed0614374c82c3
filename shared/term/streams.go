// Package term is the suite's view of a terminal: the three streams with what is
// known about them, colour decided once, notices, questions, progress and tables.
//
// It never touches os.Stdin, os.Stdout or os.Stderr except through System, knows
// nothing of commands or formats, and decides nothing about exit codes. Streams
// may be used from several goroutines once they are set up: writes to Err are
// serialised, so that a notice never tears a progress line; writes to Out belong
// to the one goroutine that prints the result.
package term

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"sync"

	xterm "golang.org/x/term"
)

// Streams are the standard streams of one run and what is known about them.
// The fields are set before the first use and not changed afterwards.
type Streams struct {
	In  io.Reader
	Out io.Writer // the result and nothing else
	Err io.Writer // notices, warnings, questions, progress, logs

	InTTY  bool
	OutTTY bool
	ErrTTY bool

	// Columns is the width in cells of the terminal that Out writes to, 0 where it writes to none.
	Columns int

	// Quiet silences Notice and progress; warnings, questions and errors stay.
	Quiet bool

	outColor bool
	errColor bool
	dumb     bool // TERM=dumb: no line can be rewritten

	mu       sync.Mutex // guards writes to Err and progress
	progress *Progress
	live     *Live
	measure  func() int // the width of the terminal now; nil when it is Columns

	errMeasure func() int // the same for Err
	lines      *lineReader
}

// System returns the process's own streams. Colour follows the environment until UseColor gets a --no-color flag.
func System() *Streams {
	s := &Streams{
		In: os.Stdin, Out: unbroken(os.Stdout), Err: unbroken(os.Stderr),
		InTTY:  xterm.IsTerminal(int(os.Stdin.Fd())),
		OutTTY: xterm.IsTerminal(int(os.Stdout.Fd())),
		ErrTTY: xterm.IsTerminal(int(os.Stderr.Fd())),
	}
	if s.OutTTY {
		s.measure = func() int { return columns(os.Stdout, os.Getenv) }
		s.Columns = s.measure()
		enableEscapes(os.Stdout)
	}
	if s.ErrTTY {
		s.errMeasure = func() int { return columns(os.Stderr, os.Getenv) }
		enableEscapes(os.Stderr)
	}
	s.UseColor(false, os.Getenv)
	return s
}

// Test returns streams that are not a terminal and write into the buffers returned:
// standard input, output and error.
func Test() (s *Streams, in, out, errs *bytes.Buffer) {
	in, out, errs = new(bytes.Buffer), new(bytes.Buffer), new(bytes.Buffer)
	return &Streams{In: in, Out: out, Err: errs}, in, out, errs
}

// PretendTerminal makes test streams behave as a terminal of the given width,
// without colour.
func (s *Streams) PretendTerminal(width int) {
	s.InTTY, s.OutTTY, s.ErrTTY, s.Columns = true, true, true, width
}

// LayOut prints results as on a terminal, with headings and aligned, although a program reads them; width is the width of lines, in cells.
// Colour is unchanged.
func (s *Streams) LayOut(width int) {
	if !s.OutTTY {
		s.OutTTY, s.Columns = true, width
	}
}

// CanRedraw reports whether a person reads Out and types into In on a terminal whose lines can be rewritten.
func (s *Streams) CanRedraw() bool { return s.InTTY && s.OutTTY && !s.dumb }

// columns returns the width of a terminal; COLUMNS wins, since people set it to make output reproducible.
func columns(f *os.File, getenv func(string) string) int {
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if w, _, err := xterm.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w
	}
	return 80
}
