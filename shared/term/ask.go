package term

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	xterm "golang.org/x/term"

	"github.com/agit-suite/agit/shared/fault"
)

// CanAsk reports whether a person can be asked: standard input and standard error are a
// terminal. Standard output may be captured.
func (s *Streams) CanAsk() bool { return s.InTTY && s.ErrTTY }

// Ask asks for a line, and returns it without white space around it, or the default for an empty line. When no person can answer it returns
// a ValidationError.
func (s *Streams) Ask(ctx context.Context, question, otherwise string) (string, error) {
	if err := s.needPerson(question); err != nil {
		return "", err
	}
	if otherwise != "" {
		question += " [" + otherwise + "]"
	}
	s.prompt(question + ": ")
	line, err := s.readLine(ctx)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if line = strings.TrimSpace(line); line == "" {
		line = otherwise
	}
	return line, nil
}

// Secret is Ask for text that must not be shown while it is typed.
func (s *Streams) Secret(ctx context.Context, question string) (string, error) {
	if err := s.needPerson(question); err != nil {
		return "", err
	}
	file, ok := s.In.(*os.File)
	if !ok { // in a test, which shows nothing
		return s.Ask(ctx, question, "")
	}
	fd := int(file.Fd())
	before, err := xterm.MakeRaw(fd) // before the question, so that no text typed early is shown
	if err != nil {
		return "", err
	}
	defer func() {
		_ = xterm.Restore(fd, before)
		s.prompt("\n")
	}()
	read := make(chan lineResult, 1)
	go func() {
		typed, err := xterm.NewTerminal(struct {
			io.Reader
			io.Writer
		}{file, s.ErrWriter()}, "").ReadPassword(EscapeText(question) + " (not shown): ")
		read <- lineResult{typed, err}
	}()
	select {
	case line := <-read:
		if errors.Is(line.err, io.EOF) { // Ctrl-C or Ctrl-D
			line.err = context.Canceled
		}
		return strings.TrimSpace(line.text), line.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (s *Streams) needPerson(question string) error {
	if s.CanAsk() {
		return nil
	}
	return fault.Validation("terminal", "there is no terminal to ask on: %s", question).WithHint("give it as a flag or in the configuration")
}
