package term

import (
	"io"
	"strings"
)

// Bell rings the terminal that Err writes to. Elsewhere it does nothing.
func (s *Streams) Bell() { s.control("\a") }

// Alert is a terminal's way to show a notification.
type Alert string

// The alerts: NoAlert for terminals without notifications.
const (
	NoAlert Alert = ""
	OSC9    Alert = "9"   // iTerm2, WezTerm
	OSC777  Alert = "777" // Ghostty, foot, terminals based on VTE
	OSC99   Alert = "99"  // kitty
)

// AlertOf returns the alert that the terminal of an environment supports, by the variables that it sets. Inside tmux it looks at the
// variables of the terminal that started the tmux server.
func AlertOf(getenv func(string) string) Alert {
	program := getenv("TERM_PROGRAM")
	switch {
	case getenv("WT_SESSION") != "": // Windows Terminal reads 9 as progress
		return NoAlert
	case getenv("KITTY_WINDOW_ID") != "":
		return OSC99
	case program == "iTerm.app", program == "WezTerm", getenv("LC_TERMINAL") == "iTerm2", getenv("WEZTERM_PANE") != "":
		return OSC9
	case program == "ghostty", getenv("GHOSTTY_RESOURCES_DIR") != "", getenv("VTE_VERSION") != "", strings.HasPrefix(getenv("TERM"), "foot"):
		return OSC777
	}
	return NoAlert
}

// Alert shows a notification through the terminal that Err writes to. Elsewhere it does nothing. Inside tmux the notification is passed
// through, which works if tmux's allow-passthrough is on.
func (s *Streams) Alert(how Alert, title, body string, getenv func(string) string) {
	sequence := how.sequence(title, body)
	if sequence != "" && getenv("TMUX") != "" {
		sequence = "\x1bPtmux;" + strings.ReplaceAll(sequence, "\x1b", "\x1b\x1b") + "\x1b\\"
	}
	s.control(sequence)
}

func (how Alert) sequence(title, body string) string {
	safe := func(text string) string { return strings.ReplaceAll(Escape(text), ";", ",") }
	title, body = safe(title), safe(body)
	switch how {
	case OSC9:
		return "\x1b]9;" + title + ": " + body + "\x1b\\"
	case OSC777:
		return "\x1b]777;notify;" + title + ";" + body + "\x1b\\"
	case OSC99:
		return "\x1b]99;;" + title + ": " + body + "\x1b\\"
	}
	return ""
}

// control writes an invisible sequence to the terminal of Err.
func (s *Streams) control(sequence string) {
	if s.ErrTTY && !s.dumb && sequence != "" {
		_, _ = io.WriteString(s.ErrWriter(), sequence)
	}
}
