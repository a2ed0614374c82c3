package clitest

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
)

// FlagWords types each flag of words behind its command, and those of no command behind anyOf. None of them exists, and each gets its sentence.
// The keys of words are those of cli.Tree.Flags.
func FlagWords(t *testing.T, root func(env *cli.Env, args []string) *cobra.Command, words map[string]string, anyOf string) {
	t.Parallel()
	for key, hint := range words {
		var command []string
		for _, word := range strings.Fields(key) {
			if !strings.HasPrefix(word, "-") {
				command = append(command, word)
				continue
			}
			args := append(append([]string{}, command...), word)
			if len(command) == 0 {
				args = []string{anyOf, word}
			}
			run := NewRun(t)
			if status := cli.Main(t.Context(), run.Env, root(run.Env, args), args); status != 2 || !strings.Contains(run.Errs.String(), "; "+hint) {
				t.Errorf("%s: status %d, %s", strings.Join(args, " "), status, run.Errs)
			}
		}
	}
}
