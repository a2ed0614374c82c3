package mcpkit

import (
	"strings"
	"testing"
)

// TestIDsOfLongLines: the answer to a too long request has the request's id, wherever that stands.
func TestIDsOfLongLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3*keptOfLong)
	for name, c := range map[string]struct{ line, want string }{
		"in front":                    {`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"a":"` + long + `"}}`, "3"},
		"in front of the method":      {`{"id":"a\"b","method":"x","params":{"a":"` + long + `"}}`, `"a\"b"`},
		"behind the parameters":       {`{"jsonrpc":"2.0","method":"x","params":{"a":"` + long + `"},"id":7}`, "7"},
		"and the rest behind it":      {`{"params":{"a":"` + long + `"}, "id" : "q" , "method":"x","jsonrpc":"2.0"} `, `"q"`},
		"a notification":              {`{"jsonrpc":"2.0","method":"x","params":{"a":"` + long + `"}}`, ""},
		"an id in the parameters":     {`{"jsonrpc":"2.0","method":"x","params":{"a":"` + long + `","id":7}}`, ""},
		"an id in a text":             {`{"jsonrpc":"2.0","method":"x","params":{"a":"` + long + `,\"id\":7}"}}`, ""},
		"an id deep in front":         {`{"jsonrpc":"2.0","method":"x","params":{"id":4,"a":"` + long + `"},"id":5}`, "5"},
		"the answer to a question":    {`{"jsonrpc":"2.0","id":3,"result":{"a":"` + long + `"}}`, ""},
		"its error":                   {`{"jsonrpc":"2.0","id":3,"error":{"message":"` + long + `"}}`, ""},
		"an id that is not allowed":   {`{"id":null,"method":"x","params":{"a":"` + long + `"}}`, ""},
		"a list of messages":          {`[{"id":1,"method":"x","params":{"a":"` + long + `"}}]`, ""},
		"what is not a message":       {long, ""},
		"an id that is too long":      {`{"id":"` + strings.Repeat("i", 2000) + `","method":"x","params":{"a":"` + long + `"}}`, ""},
		"a message within the bounds": {`{"id":1,"method":"x"}`, ""},
	} {
		_, err := newLineReader(strings.NewReader(c.line+"\nnext\n"), 2*keptOfLong).next()
		if got := string(longID(err)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func FuzzLongID(f *testing.F) {
	f.Add(`{"id":1,"method":"x","params":{"a":"`, `"}}`)
	f.Add(`{"method":"x","params":{"a":"`, `"},"id":1}`)
	f.Fuzz(func(t *testing.T, head, tail string) {
		if id := longID(longLine{[]byte(head), []byte(tail)}); id != nil && !validID(id) {
			t.Errorf("%s", id)
		}
	})
}
