package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"sync"
)

// Marker is the mark of a key in a text of a tracker that neither takes ids from
// its callers nor has a place for their data: an attempt whose answer was lost is
// found again by it. It is short, and the same for a key each time.
func Marker(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "pmsync:" + hex.EncodeToString(sum[:5])
}

var markerShape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s*(?:\[|<!-- ?)(pmsync:[0-9a-f]{10})(?:\]|(?: ?-->)|$)(\s*(?:</[a-z]+>\s*)*)$`)
})

// Unmark takes the marker off the end of a text, and returns both. Closing tags
// after the marker stay. The marker is empty where there is none.
func Unmark(text string) (without, marker string) {
	at := markerShape().FindStringSubmatchIndex(text)
	if at == nil {
		return text, ""
	}
	return text[:at[0]] + strings.TrimSpace(text[at[4]:at[5]]), text[at[2]:at[3]]
}

// FindMarked returns the first of what each yields whose text ends with the marker,
// nil when there is none.
func FindMarked[T any](marker string, each func(yield func(T) error) error, text func(T) string) (found *T, err error) {
	err = each(func(v T) error {
		if _, m := Unmark(text(v)); m == marker && found == nil {
			found = &v
		}
		return nil
	})
	return found, err
}

// AddMarked adds something that ends with a marker, to a tracker that has no other way to
// tell an attempt from the one before: after an attempt whose outcome is not known what is
// there is read first, and what bears the marker is returned.
func AddMarked[T any](n NewComment, each func(yield func(T) error) error, text func(T) string, add func(marker string) (T, error)) (made T, err error) {
	marker := Marker(n.Key)
	if !n.Attempted.IsZero() {
		found, err := FindMarked(marker, each, text)
		if err != nil {
			return made, Looking(err)
		}
		if found != nil {
			return *found, nil
		}
	}
	return add(marker)
}
