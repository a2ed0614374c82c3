package clitest

import (
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/goldentest"
)

var update = flag.Bool("update", false, "rewrite golden files")

// Shape compares what a program's pages do not show of its commands with testdata/shape.txt in the package of the test: which arguments and
// flags a shell completes, and with which words where they are known without a registry; which flags exclude, need or replace each other;
// other names and hints. Only what a command has is listed. `-update` writes the file.
func Shape(t *testing.T, program string, root func(env *cli.Env, args []string) *cobra.Command) {
	t.Helper()
	run := NewRun(t)
	run.Name = program
	var b strings.Builder
	shapeOf(&b, root(run.Env, []string{"--help"}))
	Golden(t, filepath.Join("testdata", "shape.txt"), b.String())
}

// Updating reports whether golden files are being written.
func Updating() bool { return *update }

// Golden is goldentest.File with the flag -update.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	goldentest.File(t, path, got, *update)
}

func shapeOf(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "%s\n", c.CommandPath())
	list := func(what string, words []string) {
		if len(words) > 0 {
			fmt.Fprintf(b, "  %s: %s\n", what, strings.Join(words, ", "))
		}
	}
	list("also called", c.Aliases)
	list("suggested for", c.SuggestFor)
	if c.ValidArgsFunction != nil {
		list("arguments", append([]string{"completed"}, known(c, c.ValidArgsFunction)...))
	}
	groups := map[string]bool{}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if complete, of := c.GetFlagCompletionFunc(f.Name); of {
			list("--"+f.Name, append([]string{"completed"}, known(c, complete)...))
		}
		for kind, names := range f.Annotations {
			if what, of := strings.CutPrefix(kind, "cobra_annotation_"); of {
				for _, group := range names {
					groups[what+" "+group] = true
				}
			}
		}
	})
	list("flags", slices.Sorted(maps.Keys(groups)))
	for _, key := range slices.Sorted(maps.Keys(c.Annotations)) {
		fmt.Fprintf(b, "  %s %s\n", key, c.Annotations[key])
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			shapeOf(b, sub)
		}
	}
}

// known returns the words that a completion has without a registry.
func known(c *cobra.Command, complete cobra.CompletionFunc) (words []string) {
	found, _ := complete(c, nil, "")
	for _, word := range found {
		word, _, _ = strings.Cut(word, "\t")
		words = append(words, word)
	}
	return words
}
