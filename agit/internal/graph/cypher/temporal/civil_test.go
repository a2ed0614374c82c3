package temporal

import "testing"

// The length of a month follows the calendar's rule for leap years, also long before and after ours.
func TestMonthLength(t *testing.T) {
	t.Parallel()
	for year, want := range map[int64]int64{2023: 28, 2024: 29, 1900: 28, 2000: 29, 2100: 28, 2400: 29, 0: 29, 1: 28, -1: 28, -4: 29, -100: 28, -400: 29} {
		if got := monthLength(year, 2); got != want {
			t.Errorf("February of %d has %d days", year, got)
		}
	}
	for month, want := range map[int64]int64{1: 31, 3: 31, 4: 30, 5: 31, 6: 30, 7: 31, 8: 31, 9: 30, 10: 31, 11: 30, 12: 31} {
		if got := monthLength(2023, month); got != want {
			t.Errorf("month %d has %d days", month, got)
		}
	}
}
