package command

import (
	"testing"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

// TestOneCommandIsMade holds the names that choose a command to those it has.
func TestOneCommandIsMade(t *testing.T) {
	streams, _, _, _ := term.Test()
	env := &cli.Env{Name: "classify", Streams: streams}
	all := commands(env)
	for _, c := range all {
		if made := c.make(); made.Name() != c.name {
			t.Errorf("%q makes the command %q", c.name, made.Name())
		}
		root := Root(env, []string{c.name})
		if _, _, err := root.Find([]string{c.name}); err != nil || len(root.Commands()) >= len(all) {
			t.Errorf("%q: %d commands were made, %v", c.name, len(root.Commands()), err)
		}
	}
}
