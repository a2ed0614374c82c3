package sibling

import "fmt"

// ExitStatus is the status of a program that already printed its error itself.
type ExitStatus struct{ Code int }

// Error is for logs; no one prints it.
func (e *ExitStatus) Error() string { return fmt.Sprintf("it ended with status %d", e.Code) }
