package check_test

import (
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/sessions"
)

// What is refused before a query runs, in which words and where, and what is not refused.
func TestRefused(t *testing.T) {
	sessions.Run(t, filepath.Join("..", "sessions"), "refused", "patterns", "rows")
}
