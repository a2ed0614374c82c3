package mcpserver

import (
	"testing"

	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
)

func TestDeclarations(t *testing.T) {
	mcptest.Declarations(t, Server, mcptest.Declared{All: 5_000, Core: 4_000, ReadOnly: 4_000})
}
