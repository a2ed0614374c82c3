package edit

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChange: members of an entry are written in their places, and nothing else moves.
func TestChange(t *testing.T) {
	t.Parallel()
	server := Entry{Path: []string{"s"}, Key: "agit"}
	hook := Entry{Path: []string{"h"}, Inner: "hooks", Alone: true, Is: func(v any) bool { return strings.Contains(string(marshalled(v)), "ours") }}
	for name, c := range map[string]struct {
		before  string
		entry   Entry
		members Object
		after   string
		made    []string
	}{
		"in place":            {`{"s":{"agit":{"command":"/gone", "env":{"A":"b"} , "args":["x"]}}}`, server, Object{{"command", "agit"}, {"args", []string{"serve"}}}, `{"s":{"agit":{"command":"agit", "env":{"A":"b"} , "args":["serve"]}}}`, nil},
		"comments":            {"{\n  \"s\": {\n    \"agit\": {\n      // path\n      \"command\": \"/gone\", // moved\n    },\n  },\n}\n", server, Object{{"command", "agit"}}, "{\n  \"s\": {\n    \"agit\": {\n      // path\n      \"command\": \"agit\", // moved\n    },\n  },\n}\n", nil},
		"a member is missing": {`{"s":{"agit":{"command":"agit"}}}`, server, Object{{"args", []string{"serve"}}}, `{"s":{"agit":{"command":"agit","args":["serve"]}}}`, []string{"args"}},
		"an empty entry":      {"{\n  \"s\": {\n    \"agit\": {}\n  }\n}\n", server, Object{{"command", "agit"}}, "{\n  \"s\": {\n    \"agit\": {\n      \"command\": \"agit\"\n    }\n  }\n}\n", []string{"command"}},
		"the last of two":     {`{"s":{"agit":{"command":"a"},"agit":{"command":"b"}}}`, server, Object{{"command", "agit"}}, `{"s":{"agit":{"command":"a"},"agit":{"command":"agit"}}}`, nil},
		"a hook alone":        {`{"h":[{"m":"x","hooks":[{"c":"ours","t":1}]}]}`, hook, Object{{"c", "ours too"}}, `{"h":[{"m":"x","hooks":[{"c":"ours too","t":1}]}]}`, nil},
		"a hook among others": {`{"h":[{"hooks":[{"c":"a"},{"c":"ours"}]}]}`, hook, Object{{"c", "ours too"}}, `{"h":[{"hooks":[{"c":"a"},{"c":"ours too"}]}]}`, nil},
		"a mark in front":     {"\ufeff{\"s\":{\"agit\":{\"command\":\"a\"}}}", server, Object{{"command", "agit"}}, "\ufeff{\"s\":{\"agit\":{\"command\":\"agit\"}}}", nil},
	} {
		j, err := ParseJSON(c.before)
		if err != nil {
			t.Fatal(err)
		}
		after, made, err := j.Change(c.entry, c.members)
		if err != nil || after != c.after || !reflect.DeepEqual(made.Keys, c.made) || (made.After != "") != (name == "an empty entry") {
			t.Errorf("%s: %s, %v, %v", name, cmp.Diff(c.after, after), made, err)
		}
	}
	for _, before := range []string{`{}`, `{"s":{"agit":"x"}}`, `{"s":{"agit":["x"]}}`} {
		j, err := ParseJSON(before)
		if err != nil {
			t.Fatal(err)
		}
		if after, _, err := j.Change(server, Object{{"command", "agit"}}); err == nil {
			t.Errorf("%s became %s", before, after)
		}
	}
}

func marshalled(v any) []byte {
	var out strings.Builder
	for _, key := range []string{"c", "hooks"} {
		if o, ok := v.(map[string]any); ok {
			if text, ok := o[key].(string); ok {
				out.WriteString(text)
			}
			if list, ok := o[key].([]any); ok {
				for _, e := range list {
					out.Write(marshalled(e))
				}
			}
		}
	}
	return []byte(out.String())
}

// TestTakeFromAGroup: an entry is taken out of a list that it shares; a group that held no other entry is removed with it.
func TestTakeFromAGroup(t *testing.T) {
	t.Parallel()
	e := Entry{Path: []string{"h"}, Inner: "hooks", Is: func(v any) bool { return strings.Contains(string(marshalled(v)), "ours") }}
	for before, want := range map[string]string{
		`{"h":[{"hooks":[{"c":"ours"},{"c":"a"}]}]}`:                                `{"h":[{"hooks":[{"c":"a"}]}]}`,
		`{"h":[{"hooks":[{"c":"a"}, {"c":"ours"}, {"c":"b"}]}]}`:                    `{"h":[{"hooks":[{"c":"a"}, {"c":"b"}]}]}`,
		`{"h":[{"hooks":[{"c":"ours"}]},{"hooks":[{"c":"a"}]}]}`:                    `{"h":[{"hooks":[{"c":"a"}]}]}`,
		`{"h":[{"c":"ours"},{"c":"a"}]}`:                                            `{"h":[{"c":"a"}]}`,
		"{\"h\":[{\"hooks\":[\n  {\"c\":\"a\"}, // keep\n  {\"c\":\"ours\"},\n]}]}": "{\"h\":[{\"hooks\":[\n  {\"c\":\"a\"}, // keep\n]}]}",
	} {
		j, err := ParseJSON(before)
		if err != nil {
			t.Fatal(err)
		}
		if after, err := j.Take(e, Added{}); err != nil || after != want {
			t.Errorf("%s became %s, %v; want %s", before, after, err, want)
		}
	}
}

// TestCommentsAtTheEnd: a comment may end the text, or be the whole text.
func TestCommentsAtTheEnd(t *testing.T) {
	t.Parallel()
	e := Entry{Path: []string{"s"}, Key: "agit", Value: Object{{"command", "agit"}}}
	for _, before := range []string{"{\n  \"a\": 1\n}\n// end", "{\"s\": {}} // mine", "// nothing\n", "// nothing", "/* a */ // b\n", " \n", "{\"a\": \"//\"} // \"x\""} {
		j, err := ParseJSON(before)
		if err != nil {
			t.Errorf("%q: %v", before, err)
			continue
		}
		after, _, err := j.Put(e)
		if err != nil || !strings.Contains(after, `"agit"`) || strings.TrimSpace(before) != "" && !strings.HasPrefix(after, strings.TrimSpace(before)[:2]) {
			t.Errorf("%q became %q, %v", before, after, err)
		}
	}
	for text, want := range map[string]bool{"": true, " \n": true, "// x": true, "/* x */\n// y": true, "\ufeff// x": true, "{}": false, "// x\n{}": false, "/* x": false, "1": false} {
		if got := Blank(text); got != want {
			t.Errorf("%q is blank: %v, want %v", text, got, want)
		}
	}
}

// TestChangeTOML: keys of a table are written in their places; comments, other keys and subtables stay.
func TestChangeTOML(t *testing.T) {
	t.Parallel()
	want := Table{Path: []string{"s", "agit"}, Value: Object{{"command", "agit"}, {"args", []string{"serve"}}}}
	for name, c := range map[string]struct{ before, after, added string }{
		"in place":         {"[s.agit]\ncommand = \"/gone\"\nargs = [\"x\"]\n", "[s.agit]\ncommand = \"agit\"\nargs = [\"serve\"]\n", ""},
		"comments":         {"[s.agit] # it\ncommand = '/gone#1' # moved\nargs = [ # one\n  \"x\", # two\n] # three\nt = 1\n", "[s.agit] # it\ncommand = \"agit\" # moved\nargs = [\"serve\"] # three\nt = 1\n", ""},
		"a key is missing": {"[s.agit]\ncommand = \"agit\"\n", "[s.agit]\nargs = [\"serve\"]\ncommand = \"agit\"\n", ""},
		"subtables":        {"[s.agit]\ncommand = \"/gone\"\nargs = [\"serve\"]\n\n[s.agit.tools.x]\ncommand = \"theirs\"\n", "[s.agit]\ncommand = \"agit\"\nargs = [\"serve\"]\n\n[s.agit.tools.x]\ncommand = \"theirs\"\n", ""},
		"subtables alone":  {"[s.agit.tools.x]\na = 1\n", "[s.agit.tools.x]\na = 1\n\n[s.agit]\ncommand = \"agit\"\nargs = [\"serve\"]\n", "\n[s.agit]\ncommand = \"agit\"\nargs = [\"serve\"]\n"},
		"CRLF":             {"[s.agit]\r\ncommand = \"/gone\"\r\n", "[s.agit]\r\nargs = [\"serve\"]\r\ncommand = \"agit\"\r\n", ""},
		"no line end":      {"[s.agit]\nargs = [\"serve\"]\ncommand = \"/gone\"", "[s.agit]\nargs = [\"serve\"]\ncommand = \"agit\"", ""},
		"a header alone":   {"[s.agit]", "[s.agit]\nargs = [\"serve\"]\ncommand = \"agit\"\n", ""},
		"another table":    {"[s.b]\ncommand = \"b\"\n[s.agit]\ncommand = \"/gone\"\nargs = []\n[t]\nargs = 1\n", "[s.b]\ncommand = \"b\"\n[s.agit]\ncommand = \"agit\"\nargs = [\"serve\"]\n[t]\nargs = 1\n", ""},
	} {
		after, added, err := ChangeTOML(c.before, want)
		if err != nil || after != c.after || added.Text != c.added {
			t.Errorf("%s: %s, %q, %v", name, cmp.Diff(c.after, after), added.Text, err)
		}
		if added.Text != "" {
			if again, err := TakeTOML(after, want, added); err != nil || again != c.before {
				t.Errorf("%s: taken out again: %q, %v", name, again, err)
			}
		}
	}
	for _, before := range []string{"", "s = {agit = {command = \"x\"}}\n", "[s]\nagit = {command = \"x\"}\n", "[s]\nagit.command = \"x\"\n", "[[s.agit]]\ncommand = \"x\"\n"} {
		if after, _, err := ChangeTOML(before, want); err == nil {
			t.Errorf("%q became %q", before, after)
		}
	}
}

// TestBlockFirst: a block at the beginning stays behind the byte order mark and the front matter, and leaves no trace when it is removed.
func TestBlockFirst(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"# A\n", "\ufeff# A\n", "---\na: b\n---\n# A\n", "---\r\na: b\r\n---\r\n# A\r\n", "--- \n", "", "\n\n# A"} {
		text, added, err := PutBlockFirst(before, "x\n")
		if err != nil {
			t.Fatal(err)
		}
		b, err := FindBlock(text)
		if err != nil || b == nil || b.Edited || b.Start() > len("---\r\na: b\r\n---\r\n") {
			t.Errorf("%q became %q: %+v, %v", before, text, b, err)
		}
		if back, err := TakeBlock(text, added); err != nil || back != before {
			t.Errorf("%q came back as %q, %v", before, back, err)
		}
	}
	if _, _, err := PutBlockFirst("<!-- agit:start -->\n<!-- agit:end -->\n", "x\n"); err == nil {
		t.Error("a second block was put in")
	}
}

func FuzzChange(f *testing.F) {
	f.Add(`{"s":{"agit":{"command":"x"}}} // end`, "[s.agit]\ncommand = \"x\" # y\n")
	f.Add("{\"s\":{\"agit\":{}}}", "[s.agit.t]\na = [\n1,]\n")
	f.Fuzz(func(t *testing.T, json, toml string) {
		if j, err := ParseJSON(json); err == nil {
			if after, _, err := j.Change(Entry{Path: []string{"s"}, Key: "agit"}, Object{{"command", "agit"}}); err == nil {
				if again, err := ParseJSON(after); err != nil {
					t.Errorf("%q became %q: %v", json, after, err)
				} else if value, _ := again.Get("s", "agit", "command"); value != "agit" {
					t.Errorf("%q became %q", json, after)
				}
			}
		}
		if after, _, err := ChangeTOML(toml, Table{Path: []string{"s", "agit"}, Value: Object{{"command", "agit"}}}); err == nil {
			if doc, err := ParseTOML(after); err != nil {
				t.Errorf("%q became %q: %v", toml, after, err)
			} else if value, _ := GetTOML(doc, "s", "agit", "command"); value != "agit" {
				t.Errorf("%q became %q", toml, after)
			}
		}
	})
}
