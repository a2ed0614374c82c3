// Package flags defines the flags of `agit web`: the command checks them and passes them on to the program agit-web, which parses them
// again. It is separate so that agit's commands do not link the page.
package flags

import (
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/shared/fault"
)

// Port is the page's default port.
const Port = 3846

// Flags are the settings of the page.
type Flags struct {
	Port    int  // on 127.0.0.1; 0 means any free port
	Open    bool // show it in the user's browser
	Actions bool // the page may make changes
}

// Bind adds the flags.
func (o *Flags) Bind(f *pflag.FlagSet) {
	f.IntVar(&o.Port, "port", Port, "`port` on 127.0.0.1, 0 for any free one")
	f.BoolVar(&o.Open, "open", false, "open the page in the browser")
	f.BoolVar(&o.Actions, "actions", false, "let the page accept, return, release, merge, remove and edit; without it the page only shows")
}

// Check refuses an invalid port.
func (o *Flags) Check() error {
	if o.Port < 0 || o.Port > 65535 {
		return fault.Validation("port", "%d is not a port", o.Port).WithHint("use a number from 1 to 65535, or 0 for any free one")
	}
	return nil
}
