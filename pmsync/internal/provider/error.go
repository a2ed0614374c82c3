package provider

import (
	"errors"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// Reason is the kind of a failure, which decides the next step.
type Reason string

// The reasons.
const (
	Offline      Reason = "offline"      // nothing was sent: no network or no server
	Unavailable  Reason = "unavailable"  // the tracker failed; the request had no lasting effect or can be repeated
	RateLimited  Reason = "rate_limited" // retry at RetryAt or later
	Unauthorized Reason = "unauthorized" // the credentials are wrong or have expired
	Forbidden    Reason = "forbidden"    // the account may not do this
	NotFound     Reason = "not_found"    // also when the account may not see it
	Changed      Reason = "changed"      // the item changed since it was read
	Invalid      Reason = "invalid"      // the tracker refuses the value; repeating does not help
	Ambiguous    Reason = "ambiguous"    // several states match, and the configuration does not select one
	Uncertain    Reason = "uncertain"    // it may have been done: check before repeating, not before RetryAt
	Protocol     Reason = "protocol"     // the answer violates the tracker's API
	Unsupported  Reason = "unsupported"  // the tracker does not have this feature
)

// Error is a failure of a request to a tracker. It converts to a fault for callers that show it.
type Error struct {
	*fault.Fault
	Reason  Reason
	RetryAt time.Time // zero means any time
	Status  int       // HTTP status; 0 without an answer
	Code    string    // the tracker's own code, if it has one
	Applied []Field   // parts of a Change that were applied before the failure
	// InDoubt is true when the search for an earlier attempt failed: its outcome stays unknown.
	InDoubt bool
}

// Unwrap returns the fault, and through it the cause.
func (e *Error) Unwrap() error { return e.Fault }

// Fail returns an Error. The caller must have removed secrets from every external part of the message.
func Fail(reason Reason, cause error, format string, args ...any) *Error {
	f := fault.Provider(cause, format, args...)
	switch reason {
	case NotFound:
		f.Kind, f.Retryable = fault.KindNotFound, false
	case Changed:
		f.Kind = fault.KindConflict
	case Invalid, Ambiguous, Unsupported:
		f.Kind, f.Retryable = fault.KindValidation, false
	case Unauthorized, Forbidden:
		f.Retryable = false
	}
	return &Error{Fault: f, Reason: reason}
}

// Hint sets the next step and returns e.
func (e *Error) Hint(format string, args ...any) *Error {
	e.Fault = e.WithHint(format, args...)
	return e
}

// Looking wraps the error of a search for an earlier attempt with an unknown outcome. It does not count as a refusal, whatever its
// reason is. Other errors are returned unchanged.
func Looking(err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	more := *e
	more.InDoubt = true
	return &more
}

// Partly adds the parts of a Change that were applied before to the Error of a later part. Other errors are returned unchanged.
func Partly(err error, applied []Field) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || len(applied) == 0 {
		return err
	}
	more := *e
	more.Applied = applied
	return &more
}

// Placed returns the result of a Create that stored the item and then tried to set its status. If the tracker refused the status it
// returns the item, because a repetition would create a second one. Any other failure leaves the attempt in doubt.
func Placed(made, moved *Item, err error) (*Item, error) {
	switch ReasonOf(err) {
	case Invalid, Ambiguous, Forbidden, Unsupported:
		return made, nil
	}
	if err != nil {
		return nil, Looking(err)
	}
	return moved, nil
}

// Details returns a copy of the Error in err's chain, or the zero Error for none.
func Details(err error) Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return *e
	}
	return Error{}
}

// ReasonOf returns the reason of the Error in err's chain; "" for none.
func ReasonOf(err error) Reason { return Details(err).Reason }

// Is reports whether err is an Error with that reason.
func Is(err error, r Reason) bool { return err != nil && ReasonOf(err) == r }
