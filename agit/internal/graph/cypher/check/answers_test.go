package check_test

import (
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/sessions"
)

// The recorded mistakes are refused before a query runs, in these words and at these places, and nothing else is refused.
func TestRefused(t *testing.T) {
	sessions.Run(t, filepath.Join("..", "sessions"), "refused", "patterns", "rows")
}
