package mcptest

import (
	"encoding/json"
	"testing"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]int{
		`{"type":"object","properties":{}}`:                                                                     0,
		`{"type":"object","properties":{"a":{"type":"string","enum":["x"]}}}`:                                   0,
		`{"type":"object","properties":{"a":{"enum":[1]}}}`:                                                     2,
		`{"type":"object","properties":{"a":{"type":"integer","enum":[1]}}}`:                                    1,
		`{"type":"object","properties":{"a":{"type":"string","enum":[""]}}}`:                                    1,
		`{"type":"object","properties":{"a":{"type":["string","null"]}}}`:                                       1,
		`{"type":"object","properties":{"a":{"type":"array"}}}`:                                                 1,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}}}`:                       1,
		`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{}}}}}`:                          1,
		`{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"string"}}}}`:       1,
		`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"array","items":{}}}}}}`: 1,
	} {
		var read map[string]any
		if err := json.Unmarshal([]byte(schema), &read); err != nil {
			t.Fatal(err)
		}
		if got := refused("t", read, true); len(got) != want {
			t.Errorf("%s: %q, want %d", schema, got, want)
		}
	}
}
