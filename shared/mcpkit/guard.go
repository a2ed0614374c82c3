package mcpkit

import (
	"fmt"
	"log/slog"

	"github.com/sourcegraph/conc/panics"

	"github.com/agit-suite/agit/shared/fault"
)

// guard runs fn and turns a panic into an OperationError: a mistake in one
// request must not end a server that other requests are running in. The log has
// the value, and at debug level the stack; the client gets neither.
func guard(log *slog.Logger, what string, fn func() error) (err error) {
	if r := panics.Try(func() { err = fn() }); r != nil {
		log.Error("panic", "in", what, "value", fmt.Sprint(r.Value))
		log.Debug("panic", "in", what, "stack", string(r.Stack))
		return fault.Operation(nil, "%s failed because of a mistake in the program", what).
			WithHint("the server goes on; its log has the details")
	}
	return err
}
