package top

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

// onceWidth and onceHeight are the size of a printed screen when no size is known.
const onceWidth, onceHeight = 80, 24

// once prints the screen as it is now, after a scan, as text.
func once(ctx context.Context, env *cli.Env, over *overview.Store, project string) error {
	state, err := over.Scanned(ctx, project)
	if err != nil {
		return err
	}
	m := newModel(true)
	m.width, m.height = env.Streams.Columns, onceHeight
	if m.width <= 0 {
		m.width = onceWidth
	}
	if n, err := strconv.Atoi(env.Getenv("LINES")); err == nil && n > 0 {
		m.height = n + 1 // the line of keys is not printed
	}
	m.update(state, time.Now())
	for _, line := range printed(m, env.Streams.Paint) {
		if err := env.Streams.Row(line); err != nil {
			return err
		}
	}
	return nil
}

// printed returns the lines of a screen: without the line of keys, the mark of the selected row and the empty lines at its end.
func printed(m *model, paint func(term.Style, string) term.Painted) (painted []term.Painted) {
	lines := m.view()
	if len(lines) > 1 {
		lines = lines[:len(lines)-1]
	}
	for _, l := range lines {
		var whole term.Painted
		for i, s := range trimmed(l.spans) {
			if rest, marked := strings.CutPrefix(s.text, ">"); marked && i == 0 && l.selected {
				s.text = " " + rest
			}
			whole += paint(s.look, s.text)
		}
		painted = append(painted, whole)
	}
	for len(painted) > 0 && strings.TrimSpace(string(painted[len(painted)-1])) == "" {
		painted = painted[:len(painted)-1]
	}
	return painted
}

// trimmed returns a line without the blanks at its end.
func trimmed(spans []span) []span {
	spans = slices.Clone(spans)
	for len(spans) > 0 {
		last := &spans[len(spans)-1]
		if last.text = strings.TrimRight(last.text, " "); last.text != "" {
			break
		}
		spans = spans[:len(spans)-1]
	}
	return spans
}
