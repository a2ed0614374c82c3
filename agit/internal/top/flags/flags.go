// Package flags are the flags of `agit top`: the command checks them and passes them
// on to the program agit-top, which reads the same flags again. The package is separate
// from the screen, so that agit's commands do not link the screen.
package flags

import (
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/shared/fault"
)

// Flags are what the screen shows and what it may do.
type Flags struct {
	All      bool // every repository, even when run inside one
	ReadOnly bool // no key changes anything
	Once     bool // print the screen as text
}

// Bind adds the flags.
func (o *Flags) Bind(f *pflag.FlagSet) {
	f.BoolVar(&o.All, "all", false, "show every repository, even when the current folder is in one")
	f.BoolVar(&o.Once, "once", false, "print the screen once, as text, and end")
	f.BoolVar(&o.ReadOnly, "read-only", false, "turn off the keys that accept, return, merge or release")
}

// Check refuses contradictory flags.
func (o *Flags) Check(args []string) error {
	if o.All && len(args) > 0 {
		return fault.Validation("all", "a repository and --all were both given").WithHint("leave out one of them")
	}
	return nil
}
