package sessions

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestWithoutTexts(t *testing.T) {
	t.Parallel()
	long, name := strings.Repeat("x", longestName+1), strings.Repeat("n", longestName)
	for in, want := range map[string]string{
		``: ``, `{}`: `{}`, `"`: `"`, `{"a": "`: `{"a": "`,
		`{"a":"b","n":1}`:                   `{"a":"b","n":1}`,
		`{"a":"` + long + `","b":"c"}`:      `{"a":"","b":"c"}`,
		`{"a":"` + name + `"}`:              `{"a":"` + name + `"}`,
		`{"a":"\"` + long + `\\","b":"\""}`: `{"a":"","b":"\""}`,
		`["\\","` + long + `"]`:             `["\\",""]`,
	} {
		if got := string(withoutTexts(nil, []byte(in))); got != want {
			t.Errorf("%.60s: %.60s, want %.60s", in, got, want)
		}
	}
}

func FuzzWithoutTexts(f *testing.F) {
	f.Add([]byte(`{"a":"\"","b":["` + strings.Repeat("y", longestName+5) + `\\"],"usage":{"n":5}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		out := withoutTexts(nil, in)
		if len(out) > len(in) || json.Valid(in) && !json.Valid(out) {
			t.Errorf("%q became %q", in, out)
		}
		if len(in) <= longestName && !bytes.Equal(in, out) {
			t.Errorf("%q became %q", in, out)
		}
	})
}
