package function_test

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/tck"
)

// Functions answer as in the compatibility kit.
func TestTCK(t *testing.T) { tck.Conform(t, "expressions/") }
