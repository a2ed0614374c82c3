package output

import (
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

// Error prints the error of a failed run on Streams.Err: one line of JSON for programs, `program: sentence` for people.
func Error(s *term.Streams, program string, machine bool, f *fault.Fault) {
	if !machine {
		s.Complain(program, f.Error())
		return
	}
	line, err := encode(f, "")
	if err != nil {
		s.Complain(program, f.Error())
		return
	}
	writeErr(s, line)
}

// writeErr writes JSON on Streams.Err. If Err cannot be written to, nothing can be reported.
func writeErr(s *term.Streams, text []byte) {
	if s.ErrTTY {
		text = guardTerminal(text)
	}
	_, _ = s.ErrWriter().Write(text)
}
