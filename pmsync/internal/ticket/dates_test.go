package ticket

import "testing"

// A due day is the written one, in whatever zone; a time is one moment.
func TestDaysStayAsWritten(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"2026-11-26": "2026-11-26", "Thu Nov 26 2026 00:00:00 GMT+0100 (CET)": "2026-11-26", "Thu Nov 26 2026 23:30:00 GMT-0500 (EST)": "2026-11-26",
		"2026-11-26T00:00:00+02:00": "2026-11-26", "2026-11-26T00:00:00.000+0200": "2026-11-26", "2026-11-26T23:59:59Z": "2026-11-26", "11/26/2026": "2026-11-26",
	} {
		if got, err := date(given); got != want || err != nil {
			t.Errorf("%s is %s, %v, want %s", given, got, err, want)
		}
	}
	if at, ok := parseTime("Thu Nov 26 2026 00:00:00 GMT+0100 (CET)"); !ok || at.Format("2006-01-02T15:04:05Z07:00") != "2026-11-25T23:00:00Z" {
		t.Errorf("%v %v", at, ok)
	}
}
