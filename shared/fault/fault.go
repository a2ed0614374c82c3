// Package fault is the one error type of the suite: a closed set of kinds, a
// sentence for people and the fields a program reads.
//
// A Fault is made where the cause is known and returned unchanged; only
// cli.Main turns it into text and an exit status, and only mcpkit turns it into
// a tool error. The package prints nothing. Faults are immutable after they are
// returned, so they are safe for concurrent use.
package fault

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Kind is the kind of a fault. The set is closed: it is part of the suite's contract with programs that read errors.
type Kind string

// The kinds, with the exit code of each.
const (
	KindValidation Kind = "ValidationError" // 2: the caller's input is wrong
	KindNotFound   Kind = "NotFoundError"   // 3: a named thing does not exist
	KindConflict   Kind = "ConflictError"   // 4: already claimed, already exists, would conflict
	KindProvider   Kind = "ProviderError"   // 5: a provider or the network is not reachable
	KindDatabase   Kind = "DatabaseError"   // 1: the registry could not be read or written
	KindOperation  Kind = "OperationError"  // 1: the operation itself failed
)

// Exit codes shared by every binary; docs/exit-codes.md is the page for users.
const (
	ExitOK       = 0
	ExitFailure  = 1
	ExitUsage    = 2
	ExitNotFound = 3
	ExitConflict = 4
	ExitProvider = 5
)

// ExitCode is the process status that a fault of this kind ends with.
func (k Kind) ExitCode() int {
	codes := map[Kind]int{KindValidation: ExitUsage, KindNotFound: ExitNotFound, KindConflict: ExitConflict, KindProvider: ExitProvider}
	return cmp.Or(codes[k], ExitFailure)
}

// Fault is an error a person can act on. Message says what was wrong and with
// what; Hint says what to do next and never names a destructive command, since
// agents follow hints.
type Fault struct {
	Kind       Kind   `json:"error"`
	Message    string `json:"message"`
	Hint       string `json:"-"`                    // part of the message there
	Field      string `json:"field,omitempty"`      // the parameter or flag that was wrong, if one was
	EntityType string `json:"entityType,omitempty"` // "repo", "task", …
	EntityID   string `json:"entityId,omitempty"`
	Retryable  bool   `json:"retryable,omitempty"`
	Err        error  `json:"-"` // the cause, for errors.Is and logs; not shown twice
}

// Validation reports input that cannot be accepted; field names the parameter
// and may be empty.
func Validation(field, format string, args ...any) *Fault {
	return &Fault{Kind: KindValidation, Field: field, Message: fmt.Sprintf(format, args...)}
}

// NotFound reports that the entity of the given type and id does not exist.
func NotFound(entityType, id string) *Fault {
	return &Fault{Kind: KindNotFound, EntityType: entityType, EntityID: id,
		Message: fmt.Sprintf("%s %q does not exist", entityType, id)}
}

// Conflict reports that the state of an entity forbids the operation.
func Conflict(entityType, id, format string, args ...any) *Fault {
	return &Fault{Kind: KindConflict, EntityType: entityType, EntityID: id, Message: fmt.Sprintf(format, args...)}
}

// Database reports that the registry could not be read or written because of err.
func Database(err error, format string, args ...any) *Fault {
	return &Fault{Kind: KindDatabase, Err: err, Message: fmt.Sprintf(format, args...)}
}

// Operation reports that the requested operation failed because of err, which may be nil.
func Operation(err error, format string, args ...any) *Fault {
	return &Fault{Kind: KindOperation, Err: err, Message: fmt.Sprintf(format, args...)}
}

// Provider reports that a provider or the network could not be reached.
func Provider(err error, format string, args ...any) *Fault {
	return &Fault{Kind: KindProvider, Err: err, Retryable: true, Message: fmt.Sprintf(format, args...)}
}

// WithHint adds what to do next and returns f.
func (f *Fault) WithHint(format string, args ...any) *Fault {
	f.Hint = fmt.Sprintf(format, args...)
	return f
}

// Saying replaces the sentence of f, whose kind and entity stay, and returns it.
func (f *Fault) Saying(format string, args ...any) *Fault {
	f.Message = fmt.Sprintf(format, args...)
	return f
}

// About names the entity concerned and returns f.
func (f *Fault) About(entityType, id string) *Fault {
	f.EntityType, f.EntityID = entityType, id
	return f
}

// Retry marks f as worth trying again unchanged and returns it.
func (f *Fault) Retry() *Fault {
	f.Retryable = true
	return f
}

// Error is the whole sentence: what was wrong, the cause, and what to do next.
func (f *Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.Message)
	if f.Err != nil && !strings.Contains(f.Message, f.Err.Error()) {
		b.WriteString(": ")
		b.WriteString(f.Err.Error())
	}
	if f.Hint != "" {
		b.WriteString("; ")
		b.WriteString(f.Hint)
	}
	return b.String()
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// MarshalJSON returns the object that --json and MCP clients read.
func (f *Fault) MarshalJSON() ([]byte, error) {
	type plain Fault // without this method
	told := plain(*f)
	told.Message = f.Error()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // the sentence is read by people and models, not by browsers
	err := encoder.Encode(told)
	return bytes.TrimSpace(b.Bytes()), err
}

// From finds the Fault in err's chain, and keeps the text that was wrapped around it in the message. An error that holds none becomes an
// OperationError; a cancelled context is named as such. From(nil) is nil.
func From(err error) *Fault {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*Fault](err); ok {
		if err.Error() == f.Error() {
			return f
		}
		outer := *f
		if prefix, ok := strings.CutSuffix(err.Error(), f.Error()); ok {
			outer.Message = prefix + f.Message
		}
		return &outer
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &Fault{Kind: KindOperation, Message: "interrupted before it was done", Retryable: true}
	case errors.Is(err, context.DeadlineExceeded):
		return &Fault{Kind: KindOperation, Err: err, Message: "it took longer than its time limit", Retryable: true}
	}
	return &Fault{Kind: KindOperation, Message: err.Error(), Err: err}
}

// Cause returns an error of the file system without its operation and path, for a sentence that names the file; others as they are.
func Cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// Is reports whether err is a Fault of the given kind.
func Is(err error, kind Kind) bool {
	f, is := errors.AsType[*Fault](err)
	return is && f.Kind == kind
}
