package timestamp_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/timestamp"
)

func TestEveryTimeHasOneForm(t *testing.T) {
	at := time.Date(2026, 11, 22, 9, 0, 9, 360_000_000, time.UTC)
	for _, tc := range []struct {
		at   time.Time
		want string
	}{
		{at, `"2026-11-22T09:00:09.360Z"`},
		{at.Add(123456), `"2026-11-22T09:00:09.360Z"`},
		{time.Date(2026, 11, 22, 10, 0, 9, 0, time.FixedZone("x", 3600)), `"2026-11-22T09:00:09.000Z"`},
		{time.Time{}, `"0001-01-01T00:00:00.000Z"`},
	} {
		got, err := json.Marshal(timestamp.Of(tc.at))
		if err != nil || string(got) != tc.want {
			t.Errorf("%v: %s, %v, want %s", tc.at, got, err, tc.want)
		}
		if got := `"` + timestamp.Format(tc.at) + `"`; got != tc.want {
			t.Errorf("%v: %s", tc.at, got)
		}
		var read timestamp.Time
		if err := read.Scan(timestamp.Format(tc.at)); err != nil || !read.Equal(tc.at.Truncate(time.Millisecond)) {
			t.Errorf("%v: read back as %v, %v", tc.at, read, err)
		}
		var decoded timestamp.Time
		if err := json.Unmarshal(got, &decoded); err != nil || !decoded.Equal(read.Time) {
			t.Errorf("%v: decoded as %v, %v", tc.at, decoded, err)
		}
	}
}

// A time that is omitted from a document stays omitted.
func TestAbsentTimes(t *testing.T) {
	got, err := json.Marshal(struct {
		Zero timestamp.Time            `json:"zero,omitzero"`
		None *timestamp.Time           `json:"none,omitempty"`
		Null *timestamp.Time           `json:"null"`
		Keys map[timestamp.Time]string `json:"keys"`
	}{Keys: map[timestamp.Time]string{timestamp.Of(time.Unix(0, 0)): "text stays 2026-11-22T09:00:09Z"}})
	if want := `{"null":null,"keys":{"1970-01-01T00:00:00.000Z":"text stays 2026-11-22T09:00:09Z"}}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

func TestScanRefuses(t *testing.T) {
	var at timestamp.Time
	for _, stored := range []any{nil, 1, "", "yesterday", "2026-11-22"} {
		if err := at.Scan(stored); err == nil {
			t.Errorf("%v is read as %v", stored, at)
		}
	}
}
