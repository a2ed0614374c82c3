package cli

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/registry"
)

// completionTime is how long a shell waits for values; after that it is better to offer none.
const completionTime = 500 * time.Millisecond

// Completer returns values to complete a word; each may be followed by a tab and
// a description.
type Completer = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective)

// Complete completes a word with values from the registry, such as repository
// names. It writes nothing, makes no registry, and offers nothing when anything
// goes wrong: an error in the middle of a command line helps no one. The values
// need not be filtered by toComplete.
func Complete(env *Env, values func(ctx context.Context, db *registry.DB, toComplete string) ([]string, error)) Completer {
	return func(c *cobra.Command, _ []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx := c.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		ctx, cancel := context.WithTimeout(ctx, completionTime)
		defer cancel()
		found, err := completions(ctx, env, toComplete, values)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found = slices.DeleteFunc(found, func(value string) bool {
			return !strings.HasPrefix(value, toComplete) || strings.ContainsAny(value, "\n\r")
		})
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteFirst is Complete for the first argument only.
func CompleteFirst(env *Env, values func(ctx context.Context, db *registry.DB, toComplete string) ([]string, error)) Completer {
	complete := Complete(env, values)
	return func(c *cobra.Command, args []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(c, args, toComplete)
	}
}

// CompleteFlag completes the values of a flag of cmd.
func CompleteFlag(cmd *cobra.Command, flag string, complete Completer) {
	_ = cmd.RegisterFlagCompletionFunc(flag, complete) // it fails for unknown flags, which a test finds
}

// Words completes one of a few words.
func Words(words ...string) Completer {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// filesWhere completes files where a command takes one more argument, or a few.
func filesWhere(takes cobra.PositionalArgs) Completer {
	return func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const most = 4
		for range most {
			args = append(args, "x")
			if takes(c, args) == nil {
				return nil, cobra.ShellCompDirectiveDefault
			}
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

func completions(ctx context.Context, env *Env, toComplete string,
	values func(context.Context, *registry.DB, string) ([]string, error)) ([]string, error) {
	env.Streams.Err = io.Discard // warnings would be drawn over the prompt
	c, err := env.Config(ctx)
	if err != nil {
		return nil, err
	}
	if exists, err := c.Database.Exists(); !exists {
		return nil, err
	}
	db, err := env.Registry(ctx)
	if err != nil {
		return nil, err
	}
	return values(ctx, db, toComplete)
}
