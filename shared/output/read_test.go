package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

type named struct {
	Name string   `json:"name"`
	Tags []string `json:"tags"`
}

func read(t *testing.T, text string) ([]Item[named], error) {
	t.Helper()
	s, in, _, _ := term.Test()
	in.WriteString(text)
	return ReadItems[named](s, "tasks", "tickets")
}

func TestReadItems(t *testing.T) {
	a, b := named{Name: "a"}, named{Name: "b"}
	for name, c := range map[string]struct {
		text string
		want []Item[named]
	}{
		"nothing":       {"", nil},
		"blank":         {" \n\t\r\n", nil},
		"ndjson":        {`{"name":"a"}` + "\n\n" + `{"name":"b","extra":1}` + "\n", []Item[named]{{1, a}, {3, b}}},
		"array":         {"[\n {\"name\":\"a\"},\n\n {\"name\":\"b\"}]", []Item[named]{{2, a}, {4, b}}},
		"document":      {"{\"total\": 2,\n\"tickets\": [\n{\"name\":\"a\"}, {\"name\":\"b\"}]}", []Item[named]{{3, a}, {3, b}}},
		"two documents": {`{"tasks":[{"name":"a"}]}` + "\n" + `{"tasks":[{"name":"b"}]}`, []Item[named]{{1, a}, {2, b}}},
		"empty list":    {`{"tasks":[]}`, nil},
		"other list":    {`{"name":"a","tags":["x"]}`, []Item[named]{{1, named{Name: "a", Tags: []string{"x"}}}}},
		"pretty item":   {"{\n  \"name\": \"a\"\n}\n{\"name\":\"b\"}", []Item[named]{{1, a}, {4, b}}},
		"byte order":    {"\ufeff" + `{"name":"a"}`, []Item[named]{{1, a}}},
		"null list":     {`{"tasks":null,"name":"a"}`, []Item[named]{{1, a}}},
	} {
		got, err := read(t, c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestReadItemsErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":       {"fix the login\n", "line 1 of standard input is not JSON"},
		"later line":    {"{\"name\":\"a\"}\nnot json\n", "line 2 of standard input is not JSON"},
		"inner mistake": {"[\n{\"name\":\"a\"},\n{\"name\":}\n]", "line 3 of standard input is not JSON"},
		"cut short":     {"{\"name\":\"a\"}\n{\"name\":", "ends in the middle of the value that starts on line 2"},
		"wrong type":    {"{\"name\":\"a\"}\n{\"name\":5}", "line 2 of standard input: name must be text, not number"},
		"not an object": {"{\"name\":\"a\"}\n7", "line 2 of standard input: the item must be an object, not number"},
		"in an array":   {"{\"tasks\":[\n{\"name\":\"a\"},\n\"b\"]}", "line 3 of standard input: the item must be an object, not string"},
	} {
		_, err := read(t, c.text)
		if !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadItemsFromTerminal(t *testing.T) {
	s, _, _, _ := term.Test()
	s.PretendTerminal(80)
	if _, err := ReadItems[named](s); !fault.Is(err, fault.KindValidation) {
		t.Errorf("waits for a person: %v", err)
	}
}

func TestReadItemsLimits(t *testing.T) {
	_, err := read(t, strings.Repeat("{}\n", MaxItems+1))
	if !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), "more than") {
		t.Errorf("too many items: %v", err)
	}
	s, _, _, _ := term.Test()
	s.In = &endless{}
	if _, err := ReadItems[named](s); !fault.Is(err, fault.KindValidation) {
		t.Errorf("too much input: %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// The output of one command is read by another, whatever text it holds.
func TestRoundTrip(t *testing.T) {
	items := []named{{Name: "a\n\"quoted\" <b>"}, {Name: "日本 \x00\x1b"}}
	for _, o := range []Options{{JSON: true}, {Format: "ndjson"}} {
		s, in, out, _ := term.Test()
		if err := List(t.Context(), printer(t, s, o), "tasks", items, nil); err != nil {
			t.Fatal(err)
		}
		in.Write(out.Bytes())
		got, err := ReadItems[named](s, "tasks")
		if err != nil || len(got) != 2 || got[0].Value.Name != items[0].Name || got[1].Value.Name != items[1].Name {
			t.Errorf("%+v: %v, %v", o, got, err)
		}
	}
}

func FuzzReadItems(f *testing.F) {
	f.Add(`{"tasks":[{"a":1},[],null]} [1,"x"] {"b":{}}`)
	f.Add("\ufeff[1,2\n,3]")
	f.Add(`{"tasks":5}{"tasks":[1]}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, in, _, _ := term.Test()
		in.WriteString(text)
		items, err := ReadItems[json.RawMessage](s, "tasks")
		if err != nil {
			var fl *fault.Fault
			if !errors.As(err, &fl) || fl.Kind != fault.KindValidation {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		lines := 1 + strings.Count(text, "\n")
		for _, item := range items {
			if !json.Valid(item.Value) || item.Line < 1 || item.Line > lines || !bytes.Contains([]byte(text), item.Value) {
				t.Fatalf("%q gave %q on line %d", text, item.Value, item.Line)
			}
		}
	})
}
