package text

import "testing"

func TestIdentifies(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{
		"SEM-12": true, "SEM-12#2": true, "t-4k2m": true, "w-1s7q3ntmzy": true, "12": true, "#12": true, "A2_B-7": true,
		"check-all": false, "list": false, "": false, "#": false, "v2": false, "SEM-12 now": false, "SEM-12#": false, "-12": false,
	} {
		if got := Identifies(word); got != want {
			t.Errorf("%q: %t", word, got)
		}
	}
}
