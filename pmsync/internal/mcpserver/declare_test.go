package mcpserver

import (
	"testing"

	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
)

// The half that speaks to trackers adds four tools within the same 12 kB.
func TestDeclarations(t *testing.T) {
	mcptest.Declarations(t, Server, mcptest.Declared{All: 10_000, Core: 4_000, ReadOnly: 10_000})
}
