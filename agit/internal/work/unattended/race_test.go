package unattended

import (
	"slices"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land/tries"
)

func TestSummed(t *testing.T) {
	t.Parallel()
	shown, running, why := summed([]tries.Try{
		{Number: 1, Client: "claude", State: tries.Shown, Why: "in_review"},
		{Number: 2, Client: "codex", State: tries.Failed, Why: "it made no commit"},
		{Number: 3, Client: "gemini", State: tries.Running},
		{Number: 4, Client: "qwen", State: tries.Failed, Why: "the gate failed"},
		{Number: 5, Client: "kimi", State: tries.Shown},
	})
	if want := []string{"try 2 (codex): it made no commit", "try 4 (qwen): the gate failed"}; shown != 2 || running != 1 || !slices.Equal(why, want) {
		t.Errorf("%d shown, %d running, %q", shown, running, why)
	}
	if name := tryAgent("ann", 2); name != "ann-try2" {
		t.Errorf("the second agent is called %q", name)
	}
}
