package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/google/uuid"
)

// Marker returns the mark of a key for the texts of a tracker that neither accepts ids from callers nor stores their data. It is short
// and deterministic, and an attempt with a lost answer is found again by it.
func Marker(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "pmsync:" + hex.EncodeToString(sum[:5])
}

var markerShape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s*(?:\[|<!-- ?)(pmsync:[0-9a-f]{10})(?:\]|(?: ?-->)|$)(\s*(?:</[a-z]+>\s*)*)$`)
})

// Unmark removes the marker from the end of a text and returns both. Closing tags after the marker stay. The marker is "" when there is
// none.
func Unmark(text string) (without, marker string) {
	if !strings.Contains(text, "pmsync:") {
		return text, "" // most texts; the expression begins anew at each white space
	}
	at := markerShape().FindStringSubmatchIndex(text)
	if at == nil {
		return text, ""
	}
	return text[:at[0]] + strings.TrimSpace(text[at[4]:at[5]]), text[at[2]:at[3]]
}

// FindMarked returns the first yielded element whose text ends with the marker, or nil.
func FindMarked[T any](marker string, each func(yield func(T) error) error, text func(T) string) (found *T, err error) {
	err = each(func(v T) error {
		if _, m := Unmark(text(v)); m == marker && found == nil {
			found = &v
		}
		return nil
	})
	return found, err
}

// CreateMarked returns a new item that bears the marker of n's key. After an attempt with an unknown outcome it first looks for the one
// of that attempt; find returns nil for none.
func CreateMarked(n NewItem, find, create func(marker string) (*Item, error)) (*Item, error) {
	marker := Marker(n.Key)
	if !n.Attempted.IsZero() {
		if found, err := find(marker); found != nil || err != nil {
			return found, Looking(err)
		}
	}
	return create(marker)
}

// AddMarked adds an element that ends with a marker. After an attempt with an unknown outcome it first reads the existing elements, and
// returns the one with the marker.
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

// UUID is the version 4 UUID that stands for a key: the key itself when it is
// one, else one made from it, always the same. Trackers that take ids from their
// callers get it, so that an attempt repeated is not a thing made twice.
func UUID(key string) string {
	if id, err := uuid.Parse(key); err == nil && id.Version() == 4 {
		return id.String()
	}
	sum := sha256.Sum256([]byte(key))
	sum[6] = sum[6]&0x0f | 0x40
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
