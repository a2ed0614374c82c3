// Package timestamp defines the one form in which the suite writes a moment, in the registry and in every answer: UTC, RFC 3339, with three
// digits of milliseconds. All timestamps are equally long, so that they sort as text. The standard library's encoding leaves out trailing
// zeros and keeps nanoseconds and zones as they are. Programs that compare or cut times as text fail on that.
package timestamp

import (
	"fmt"
	"time"
)

// Layout is the one form.
const Layout = "2006-01-02T15:04:05.000Z"

// Format returns t in the one form.
func Format(t time.Time) string { return t.UTC().Format(Layout) }

// Time is a moment in a row or a document. Scan reads it from the registry. It encodes itself as JSON in the one form; any RFC 3339 time
// decodes into it.
type Time struct{ time.Time }

// Of returns t as a Time.
func Of(t time.Time) Time { return Time{t} }

// Parse reads a time in the one form, or any other of RFC 3339.
func Parse(s string) (Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	return Time{t}, err
}

// MarshalJSON encodes t in the one form.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.UTC().AppendFormat(make([]byte, 0, len(Layout)+2), `"`+Layout+`"`), nil
}

// MarshalText encodes t in the one form, for keys of maps.
func (t Time) MarshalText() ([]byte, error) { return []byte(Format(t.Time)), nil }

// Scan reads a stored time. For a column that may be NULL, scan into a **Time.
func (t *Time) Scan(stored any) (err error) {
	text, ok := stored.(string)
	if !ok {
		return fmt.Errorf("a time is stored as text, not as %T", stored)
	}
	*t, err = Parse(text)
	return err
}
