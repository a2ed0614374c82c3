package booking

import (
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	for client, want := range map[string]string{
		"Visual Studio Code":    "visual-studio-code",
		"claude-code":           "claude-code",
		"a\n\x00b":              "a-b",
		"":                      "client",
		"\u202e!?":              "client",
		"Zoë 2.0":               "zoë-2.0",
		strings.Repeat("é", 99): strings.Repeat("é", 20),
	} {
		if got := plain(client); got != want {
			t.Errorf("plain(%q) = %q, want %q", client, got, want)
		}
	}
}
