package mcpserver

import (
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
)

// declared is the server as far as its lists show it; no tool can be called.
func declared(t *testing.T, tools []string, readOnly bool) *mcpkit.Server {
	t.Helper()
	s := newService(cli.NewEnv("memoryd-mcp", "test", ""), &stores.Stores{}, readOnly).mcp
	if err := s.Select(tools, readOnly); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDeclarations(t *testing.T) {
	mcptest.Snapshot(t, declared(t, nil, false))
}

// Every conversation pays for what a model sees of the tools.
func TestBudgets(t *testing.T) {
	for name, tc := range map[string]struct {
		tools []string
		most  int
	}{
		"all":  {nil, 8_000},
		"core": {[]string{"core"}, 4_000},
	} {
		t.Run(name, func(t *testing.T) { mcptest.Budget(t, declared(t, tc.tools, false), tc.most) })
	}
}

// What a model is told names only tools that it has.
func TestInstructionsNameToolsThatAreThere(t *testing.T) {
	for name, s := range map[string]*mcpkit.Server{
		"all":       declared(t, nil, false),
		"core":      declared(t, []string{"core"}, false),
		"read only": declared(t, nil, true),
	} {
		offered := append(s.ToolNames(), "resume_last")
		for _, word := range strings.FieldsFunc(s.Info().Instructions, func(r rune) bool { return !(r == '_' || r >= 'a' && r <= 'z') }) {
			if strings.Contains(word, "_") && !slices.Contains(offered, word) {
				t.Errorf("%s: the instructions name %s", name, word)
			}
		}
	}
}
