package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

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
