package work

import (
	"encoding/json"
	"testing"
)

func TestPrioritiesInJSON(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]Priority{`3`: 3, `"3"`: 3, `3.0`: 3, `"3.0"`: 3, `"high"`: 3, `"Urgent"`: 4, `0`: 0, `"none"`: 0, `null`: 1} {
		p := PriorityLow
		if err := json.Unmarshal([]byte(given), &p); err != nil || p != want {
			t.Errorf("%s: %v, %v", given, p, err)
		}
	}
	for _, given := range []string{`5`, `-1`, `1.5`, `"soon"`, `true`, `[]`} {
		var p Priority
		if err := json.Unmarshal([]byte(given), &p); err == nil {
			t.Errorf("%s is read as %v", given, p)
		}
	}
	one := PriorityHigh
	if (*Priority)(nil).Or(PriorityLow) != PriorityLow || (&one).Or(PriorityLow) != PriorityHigh {
		t.Error("Or does not return what is given, else the other")
	}
}
