package syntax_test

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/tck"
)

// Queries are read as in the compatibility kit.
func TestTCK(t *testing.T) { tck.Conform(t, "clauses/", "expressions/") }
