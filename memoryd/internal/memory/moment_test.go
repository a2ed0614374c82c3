package memory

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

func TestExpiry(t *testing.T) {
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	for given, want := range map[string]string{
		"30d": "2026-12-22T10:00:00Z", "12h": "2026-11-22T22:00:00Z", "1h30m": "2026-11-22T11:30:00Z",
		"2027-01-31": "2027-01-31T00:00:00Z", "2027-01-31T10:00:00+02:00": "2027-01-31T08:00:00Z",
	} {
		if at, err := Expiry(given, now); err != nil || at.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: %v, %v", given, at, err)
		}
	}
	if at, err := Expiry("", now); at != nil || err != nil {
		t.Errorf("nothing: %v, %v", at, err)
	}
	for _, bad := range []string{"0d", "-1d", "soon", "99999999d", "-5h", "2027-13-01"} {
		if _, err := Expiry(bad, now); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestNotedAt(t *testing.T) {
	if at, err := NotedAt(""); err != nil || !at.IsZero() {
		t.Errorf("nothing: %v, %v", at, err)
	}
	if at, err := NotedAt("2026-05-08"); err != nil || !at.Equal(time.Date(2026, 5, 8, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("a date: %v, %v", at, err)
	}
	for _, bad := range []string{"30d", "8 May", "2026-05-32"} {
		if _, err := NotedAt(bad); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
