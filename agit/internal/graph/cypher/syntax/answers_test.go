package syntax_test

import (
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/sessions"
)

func TestAnswers(t *testing.T) {
	sessions.Run(t, filepath.Join("..", "sessions"), "expressions", "patterns", "rows", "refused")
}
