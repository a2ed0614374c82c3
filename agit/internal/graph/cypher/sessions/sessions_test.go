package sessions_test

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/sessions"
)

func TestSessions(t *testing.T) { sessions.Run(t, ".", "expressions", "patterns", "rows", "refused") }
