package mcpserver

import (
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
)

func TestDeclarations(t *testing.T) {
	mcptest.Declarations(t, Server, mcptest.Declared{All: 12_000, Core: 4_000, ReadOnly: 2_600, Fields: []string{"claim_token"}})
}

// The tools for worktrees and tasks alone cost less than all.
func TestBudgetWithoutGraph(t *testing.T) {
	env := mcptest.Env(t, t.TempDir(), t.TempDir())
	s := mcptest.Build(t, Server, env).MCP
	plain := slices.DeleteFunc(s.ToolNames(), func(name string) bool { return strings.HasPrefix(name, "pm_") })
	if err := s.Select(plain, false); err != nil {
		t.Fatal(err)
	}
	mcptest.Budget(t, s, 8_000)
}
