package booking

import (
	"strings"
	"testing"
)

// The names that hooks give agents, beside those by which clients introduce themselves.
func TestOfClient(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agent, client string
		want          bool
	}{
		{"claude-code-5942d94f", "claude-code", true},
		{"codex-5942d94f", "codex-mcp-client", true},
		{"codex-5942d94f", "codexy", false},
		{"claude-code-5942d94f", "claude", false},
		{"ann", "ann", false},
		{"-5942d94f", "", false},
		{"gemini-1", "gemini-cli", true},
	} {
		if got := ofClient(c.agent, c.client); got != c.want {
			t.Errorf("%q of %q: %v", c.agent, c.client, got)
		}
	}
}

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
