package mcpserver

import (
	"testing"

	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
)

// TestSessions makes the calls of testdata/sessions.
func TestSessions(t *testing.T) { mcptest.Sessions(t, Server) }
