package output

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

// emit writes v, or the results of the filter on it, followed by a line feed. Only whole documents are indented: an NDJSON item stays on
// its line.
func (p *Printer) emit(ctx context.Context, v any, document bool) error {
	indent := document && p.s.OutTTY
	if p.filter != nil {
		input, err := plain(v)
		if err != nil {
			return err
		}
		err = p.filter(ctx, input, func(result any) error {
			if text, ok := result.(string); ok {
				return p.writeRaw(text)
			}
			return p.writeJSON(result, indent)
		})
		return p.afterWrite(ctx, v, err)
	}
	return p.afterWrite(ctx, v, p.writeJSON(v, indent))
}

// afterWrite keeps scripts from repeating a command that has written when only its filter or its output failed. The error reports that the
// work is done, and the result goes to standard error, because it may hold values that are shown only once, such as the token of a claim.
func (p *Printer) afterWrite(ctx context.Context, v any, err error) error {
	if err == nil || ctx.Err() != nil || errors.Is(err, syscall.EPIPE) || p.wrote == nil || !p.wrote() {
		return err
	}
	if text, failed := encode(v, ""); failed == nil {
		writeErr(p.s, text) // the error is returned either way
	}
	return fault.Operation(nil, "the command is done and only its output failed: %s", fault.From(err).Message).
		WithHint("do not run it again; its whole result is on standard error")
}

func (p *Printer) writeJSON(v any, indent bool) error {
	spread := ""
	if indent {
		spread = "  "
	}
	text, err := encode(v, spread)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	if p.s.OutTTY {
		text = guardTerminal(text)
	}
	_, err = p.s.Out.Write(text)
	return printed(err)
}

// encode returns v as JSON, ended by a newline; <, > and & stay as they are. With
// an indent it is spread over lines.
func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// plain turns v into the maps, slices and numbers that filters work on. It does so through v's JSON, so that field names and omissions are
// those of the document.
func plain(v any) (any, error) {
	text, err := encode(v, "")
	if err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // ids beyond 2^53 keep their digits
	var out any
	if err := dec.Decode(&out); err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	return out, nil
}

// writeRaw prints a string that a filter returned. On a terminal, characters that could drive it are made visible; elsewhere the string is
// unchanged.
func (p *Printer) writeRaw(text string) error {
	if p.s.OutTTY {
		text = term.EscapeText(text)
	}
	_, err := io.WriteString(p.s.Out, text+"\n")
	return printed(err)
}

// guardTerminal rewrites the characters that JSON allows unescaped but that can
// drive a terminal: DEL, C1 and bidirectional controls. They occur inside
// strings only, where \u escapes mean the same.
func guardTerminal(text []byte) []byte {
	if !bytes.ContainsFunc(text, drivesTerminal) {
		return text
	}
	var b bytes.Buffer
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if drivesTerminal(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.Write(text[:size])
		}
		text = text[size:]
	}
	return b.Bytes()
}

func drivesTerminal(r rune) bool {
	return r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 ||
		r == 0x200e || r == 0x200f || r == 0x061c
}

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
