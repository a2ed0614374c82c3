package mcpserver

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
)

func TestCitationsInEveryForm(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]cited{
		`"src/a.go:12"`:                       {Path: "src/a.go", Line: 12},
		`"src/a.go"`:                          {Path: "src/a.go"},
		`"a b:c"`:                             {Path: "a b:c"},
		`{"path":"a","line":1,"snippet":"x"}`: {Path: "a", Line: 1, Snippet: "x"},
		`{"path":"a","line":"1"}`:             {Path: "a", Line: 1},
		`{"path":"a","line":1.0}`:             {Path: "a", Line: 1},
		`{"path":"a"}`:                        {Path: "a"},
		`" {\"path\":\"a\",\"line\":\"2\"}"`:  {Path: "a", Line: 2},
	} {
		var got cited
		if err := json.Unmarshal([]byte(given), &got); err != nil || got != want {
			t.Errorf("%s: %s, %v", given, cmp.Diff(want, got), err)
		}
	}
	for given, want := range map[string]string{
		`{"path":"a","line":"many"}`: "line of a citation is not a whole number",
		`{"path":"a","line":1.5}`:    "line of a citation is 1.5, not a whole number",
		`{"path":1}`:                 "path of a citation is a number, not a text",
		`{"file":"a"}`:               "a citation is not an object with path, line and snippet",
		`"{"`:                        "a citation is not an object with path, line and snippet",
		`7`:                          "a citation is not an object with path, line and snippet",
		`""`:                         "a citation names no file",
		`":3"`:                       "a citation names no file",
	} {
		var got cited
		err := json.Unmarshal([]byte(given), &got)
		if f := fault.From(err); err == nil || f.Message[:min(len(f.Message), len(want))] != want {
			t.Errorf("%s: %v, want %q", given, err, want)
		}
	}
}
