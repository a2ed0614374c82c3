package term_test

import (
	"testing"

	"github.com/agit-suite/agit/shared/term"
)

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestAlert(t *testing.T) {
	for _, c := range []struct {
		env  []string
		how  term.Alert
		want string
	}{
		{[]string{"TERM_PROGRAM", "iTerm.app"}, term.OSC9, "\x1b]9;agit: ann, \\x1b[31masks\x1b\\"},
		{[]string{"TERM_PROGRAM", "ghostty"}, term.OSC777, "\x1b]777;notify;agit;ann, \\x1b[31masks\x1b\\"},
		{[]string{"TERM", "xterm-kitty", "KITTY_WINDOW_ID", "1"}, term.OSC99, "\x1b]99;;agit: ann, \\x1b[31masks\x1b\\"},
		{[]string{"TERM", "foot-extra"}, term.OSC777, "\x1b]777;notify;agit;ann, \\x1b[31masks\x1b\\"},
		{[]string{"WT_SESSION", "x"}, term.NoAlert, ""},
		{[]string{"TERM", "xterm-256color"}, term.NoAlert, ""},
		{[]string{"TERM_PROGRAM", "tmux", "TMUX", "/tmp/s", "WEZTERM_PANE", "0"}, term.OSC9, "\x1bPtmux;\x1b\x1b]9;agit: ann, \\x1b[31masks\x1b\x1b\\\x1b\\"},
	} {
		getenv := environment(c.env...)
		if got := term.AlertOf(getenv); got != c.how {
			t.Errorf("%v: %q", c.env, got)
		}
		s, _, _, errs := term.Test()
		s.Alert(c.how, "agit", "ann; \x1b[31masks", getenv)
		s.Bell()
		if errs.Len() > 0 {
			t.Errorf("%v: %q where there is no terminal", c.env, errs)
		}
		s.PretendTerminal(80)
		s.Alert(c.how, "agit", "ann; \x1b[31masks", getenv)
		if errs.String() != c.want {
			t.Errorf("%v: %q", c.env, errs)
		}
	}
}
