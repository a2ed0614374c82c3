package graphquery

import (
	"encoding/json"
	"math"
	"testing"
)

// TestNumbersThatJSONHasNot checks that a NaN, such as a share of nothing, does not fail the whole answer.
func TestNumbersThatJSONHasNot(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(document([]any{math.NaN(), math.Inf(1), map[string]any{"a": math.Inf(-1)}, 1.5, int64(2)}))
	if want := `["NaN","Infinity",{"a":"-Infinity"},1.5,2]`; err != nil || string(got) != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
}
