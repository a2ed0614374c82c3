package mcpserver

import (
	"testing"

	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
)

func TestDeclarations(t *testing.T) {
	mcptest.Declarations(t, Server, mcptest.Declared{All: 8_900, Core: 4_000, ReadOnly: 8_900})
}
