package term

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Confirm asks a yes-or-no question whose default is no. With yes it asks nothing. When no person can answer, because standard input or
// standard error is not a terminal, it fails with a ValidationError that names the flag to pass. A refusal is (false, nil); the caller then
// prints what it left unchanged.
func (s *Streams) Confirm(ctx context.Context, question string, yes bool) (bool, error) {
	if yes {
		return true, nil
	}
	if !s.CanAsk() {
		return false, fault.Validation("yes", "this needs a confirmation, and there is no terminal to ask on: %s", strings.TrimRight(question, "?.")).
			WithHint("pass --yes to agree beforehand")
	}
	for range 3 {
		s.prompt(question + " [y/N] ")
		line, err := s.readLine(ctx)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return true, nil
		case "", "n", "no":
			return false, nil
		}
		s.say(Plain, "", "Please answer y or n.")
	}
	return false, nil
}

// Agreed is Confirm that prints, after a refusal, what was left unchanged.
func (s *Streams) Agreed(ctx context.Context, question string, yes bool, unchanged string) (bool, error) {
	agreed, err := s.Confirm(ctx, question, yes)
	if err == nil && !agreed {
		s.Notice("%s", unchanged)
	}
	return agreed, err
}

func (s *Streams) prompt(text string) {
	_, _ = io.WriteString(s.ErrWriter(), EscapeText(text))
}

// lineReader hands out lines read from In by a single goroutine, because a read
// from a terminal cannot be interrupted but a question can be.
type lineReader struct {
	ask   chan struct{}
	lines chan lineResult
}

type lineResult struct {
	text string
	err  error
}

func (s *Streams) readLine(ctx context.Context) (string, error) {
	if s.lines == nil {
		s.lines = &lineReader{ask: make(chan struct{}), lines: make(chan lineResult, 1)}
		go s.lines.run(bufio.NewReader(s.In))
	}
	select {
	case s.lines.ask <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	select {
	case line := <-s.lines.lines:
		return line.text, line.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// run lives until the process or In ends: it can block in a read that only the user can end, so no one waits for it.
func (l *lineReader) run(r *bufio.Reader) {
	for range l.ask {
		text, err := r.ReadString('\n')
		l.lines <- lineResult{text, err}
		if err != nil {
			break
		}
	}
	for range l.ask {
		l.lines <- lineResult{"", io.EOF}
	}
}

// Choose shows numbered lines on standard error, and returns the index of the line whose number a person types; -1 for none of them.
func (s *Streams) Choose(ctx context.Context, question string, lines []string) (int, error) {
	var b strings.Builder
	for i, line := range lines {
		b.WriteString(fmt.Sprintf("%*d  ", len(strconv.Itoa(len(lines))), i+1) + Truncate(Escape(line), max(s.Columns-5, 20)) + "\n")
	}
	_, _ = io.WriteString(s.ErrWriter(), b.String())
	for range 3 {
		s.prompt(fmt.Sprintf("%s [1-%d, Enter for none] ", question, len(lines)))
		line, err := s.readLine(ctx)
		if err != nil && !errors.Is(err, io.EOF) {
			return -1, err
		}
		line = strings.TrimSpace(line)
		if line == "" {
			return -1, nil
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(lines) {
			return n - 1, nil
		}
		s.say(Plain, "", fmt.Sprintf("Please answer a number from 1 to %d.", len(lines)))
	}
	return -1, nil
}
