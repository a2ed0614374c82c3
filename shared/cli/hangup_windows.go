package cli

import "context"

// hangUp does nothing: a console that is closed ends its programs.
func hangUp(context.Context) {}
