package provider

import (
	"errors"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// Reason is why something failed, as far as it decides what to do next.
type Reason string

// The reasons.
const (
	Offline      Reason = "offline"      // nothing was sent: no network, or no server there
	Unavailable  Reason = "unavailable"  // the tracker failed; what was asked for has no lasting effect or can be repeated
	RateLimited  Reason = "rate_limited" // not before RetryAt
	Unauthorized Reason = "unauthorized" // the credentials are wrong or have expired
	Forbidden    Reason = "forbidden"    // the account may not do this
	NotFound     Reason = "not_found"    // or the account may not see it
	Changed      Reason = "changed"      // the item changed since it was read
	Invalid      Reason = "invalid"      // the tracker refuses the value; repeating does not help
	Ambiguous    Reason = "ambiguous"    // several states fit and the configuration does not choose
	Uncertain    Reason = "uncertain"    // it may have been done: look before repeating, not before RetryAt
	Protocol     Reason = "protocol"     // the answer is not what the tracker's API promises
	Unsupported  Reason = "unsupported"  // the tracker has nothing of the kind
)

// Error is what went wrong with a tracker. It is a fault for whoever shows it.
type Error struct {
	*fault.Fault
	Reason  Reason
	RetryAt time.Time // zero: whenever the caller likes
	Status  int       // of HTTP; 0 without an answer
	Code    string    // the tracker's own code, if it has one
	Applied []Field   // parts of a Change that were applied before this
	// InDoubt says that an earlier attempt was looked for, and the look itself failed:
	// whether the attempt did it is as unknown as before.
	InDoubt bool
}

// Unwrap makes the fault, and through it the cause, visible to errors.As.
func (e *Error) Unwrap() error { return e.Fault }

// Fail makes an Error. Of the message, everything that came from outside must
// have been cleaned of secrets.
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

// Hint adds what to do next and returns e.
func (e *Error) Hint(format string, args ...any) *Error {
	e.Fault = e.WithHint(format, args...)
	return e
}

// Looking is the error of a look for an earlier attempt whose answer was lost. It is
// no refusal, whatever its reason. Other errors come back as they are.
func Looking(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	more := *e
	more.InDoubt = true
	return &more
}

// Placed is what a Create returns for an item that was made and was then to get its
// status: the item as it is where the tracker refuses the step, since making it anew
// would make a second one. Any other failure leaves the attempt in doubt.
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

// ReasonOf is the reason of the Error in err's chain, "" when there is none.
func ReasonOf(err error) Reason {
	var e *Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return ""
}

// Is reports whether err is an Error for that reason.
func Is(err error, r Reason) bool { return err != nil && ReasonOf(err) == r }
