package temporal_test

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/tck"
)

// Dates, times and durations are those of the compatibility kit.
func TestTCK(t *testing.T) { tck.Conform(t, "expressions/temporal/") }
