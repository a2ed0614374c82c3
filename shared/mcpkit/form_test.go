package mcpkit

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type grade int

func (*grade) UnmarshalJSON(b []byte) error { return nil }

func (*grade) MCPSchema() json.RawMessage { return json.RawMessage(`{"type":"integer"}`) }

type place struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

func (p *place) UnmarshalJSON(b []byte) error {
	type plain place
	return json.Unmarshal(b, (*plain)(p))
}

func (*place) MCPSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer"}}}`)
}

// TestValuesInOtherForms: a value that arrives as a string of JSON, or a whole number as a float, is read as what it is.
func TestValuesInOtherForms(t *testing.T) {
	t.Parallel()
	type input struct {
		N      int               `json:"n,omitempty"`
		Big    int64             `json:"big,omitempty"`
		Count  uint64            `json:"count,omitempty"`
		Ratio  float64           `json:"ratio,omitempty"`
		Yes    bool              `json:"yes,omitempty"`
		Tags   []string          `json:"tags,omitempty"`
		Sizes  []int             `json:"sizes,omitempty"`
		Labels map[string]int    `json:"labels,omitempty"`
		Facts  map[string]any    `json:"facts,omitempty" keys:"files[],notes"`
		Places []place           `json:"places,omitempty"`
		Text   string            `json:"text,omitempty"`
		Words  map[string]string `json:"words,omitempty"`
		Any    any               `json:"any,omitempty"`
	}
	s := schemaOf(reflect.TypeFor[input]())
	for name, c := range map[string]struct {
		args string
		want input
	}{
		"a whole number in a string":   {`{"n":"7"}`, input{N: 7}},
		"with white space around it":   {`{"n":" 7\n"}`, input{N: 7}},
		"a whole float":                {`{"n":3.0,"big":3e2}`, input{N: 3, Big: 300}},
		"a whole float in a string":    {`{"n":"3.0"}`, input{N: 3}},
		"a number":                     {`{"ratio":"0.5"}`, input{Ratio: 0.5}},
		"a number beyond floats":       {`{"count":"18446744073709551615"}`, input{Count: 18446744073709551615}},
		"a boolean":                    {`{"yes":"true"}`, input{Yes: true}},
		"a list":                       {`{"tags":"[\"x\",\"y\"]"}`, input{Tags: []string{"x", "y"}}},
		"an empty list":                {`{"tags":"[]"}`, input{Tags: []string{}}},
		"items of a list":              {`{"sizes":["1",2.0]}`, input{Sizes: []int{1, 2}}},
		"both":                         {`{"sizes":"[\"1\"]"}`, input{Sizes: []int{1}}},
		"an object":                    {`{"labels":"{\"a\":1}"}`, input{Labels: map[string]int{"a": 1}}},
		"members of one":               {`{"labels":{"a":"1"}}`, input{Labels: map[string]int{"a": 1}}},
		"a described member":           {`{"facts":"{\"files\":\"[\\\"a\\\"]\",\"notes\":\"[1]\",\"more\":\"[1]\"}"}`, input{Facts: map[string]any{"files": []any{"a"}, "notes": "[1]", "more": "[1]"}}},
		"what a type reads itself":     {`{"places":"[{\"path\":\"a\",\"line\":\"1\"}]"}`, input{Places: []place{{"a", 1}}}},
		"its members":                  {`{"places":[{"path":"a","line":2.0}]}`, input{Places: []place{{"a", 2}}}},
		"a text that looks like one":   {`{"text":"[1]","words":{"a":"1"}}`, input{Text: "[1]", Words: map[string]string{"a": "1"}}},
		"a value of any kind stays so": {`{"any":"1"}`, input{Any: "1"}},
	} {
		got, err := decode[input]("test", s, json.RawMessage(c.args))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestSchemasDescribeWhatObjectsHold: an object without properties, and an enum without a type, make some models refuse every request.
func TestSchemasDescribeWhatObjectsHold(t *testing.T) {
	t.Parallel()
	s := schemaOf(reflect.TypeFor[struct {
		Facts map[string]any `json:"facts,omitempty" desc:"What" keys:"files[],notes;more[]"`
		Grade grade          `json:"grade" desc:"good 2"`
	}]())
	const want = `{"type":"object","properties":{"facts":{"type":"object","description":"What","properties":{"files":{"type":"array","items":{"type":"string"}},"notes":{"type":"string"}}},"grade":{"type":"integer","description":"good 2"}},"required":["grade"],"additionalProperties":false}`
	if got := string(s.encode()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func FuzzReadAs(f *testing.F) {
	f.Add("integer", "3.0")
	f.Add("array", `["x"]`)
	f.Add("object", `{"a":1} {}`)
	f.Fuzz(func(t *testing.T, kind, text string) {
		if value, ok := readAs(kind, text); ok {
			if _, again := readAs(kind, string(marshal(value))); !again {
				t.Errorf("%q is read as %s once", text, kind)
			}
		}
	})
}
