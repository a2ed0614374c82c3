package command

import (
	"testing"

	"github.com/agit-suite/agit/shared/cli/clitest"
)

// TestSessions types the sessions of testdata/sessions.
func TestSessions(t *testing.T) { clitest.Sessions(t, "memoryd", Root) }
