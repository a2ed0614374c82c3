package output

import (
	"bytes"
	"encoding/json"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

// Error prints the error of a failed run on Streams.Err: one line of JSON for programs, `program: sentence` for people.
func Error(s *term.Streams, program string, machine bool, f *fault.Fault) {
	if !machine {
		s.Complain(program, f.Error())
		return
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(f); err != nil {
		s.Complain(program, f.Error())
		return
	}
	line := b.Bytes()
	if s.ErrTTY {
		line = guardTerminal(line)
	}
	_, _ = s.ErrWriter().Write(line) // Err cannot be written to
}
