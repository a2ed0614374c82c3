package command

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

// A client's request that is not JSON, or has no name, is refused with words, whichever of the two is wrong.
func TestCreateForClientRefused(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"cwd": "/app"}`: "standard input does not name the worktree to make",
		`{"name": `:       "standard input is not the JSON of a worktree to make: unexpected EOF",
	} {
		env := &cli.Env{Dir: t.TempDir(), Streams: &term.Streams{In: strings.NewReader(input)}}
		err := runWorktreeHook(t.Context(), &worktreeHookOptions{env: env, Deed: "create"})
		if f := fault.From(err); f == nil || f.Kind != fault.KindValidation || f.Message != want || f.Hint != wishHint {
			t.Errorf("%s: %v", input, err)
		}
	}
}
