package cli

import "context"

// hangUp has nothing to wait for: a console that is closed ends its programs.
func hangUp(context.Context) {}
