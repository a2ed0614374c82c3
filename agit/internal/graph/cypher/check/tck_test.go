package check_test

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/tck"
)

// Every mistake that the compatibility kit lists is found before a query runs, with its name, and no other query is refused.
func TestTCK(t *testing.T) { tck.Conform(t, "clauses/", "expressions/", "useCases/") }
