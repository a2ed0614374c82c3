package edit

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// messy are files as people and programs leave them.
var messy = map[string]string{
	"empty object":               "{}",
	"empty object, line end":     "{}\n",
	"empty object, spread":       "{\n}\n",
	"space inside":               "{ }\n",
	"two spaces":                 "{\n  \"a\": 1\n}\n",
	"four spaces":                "{\n    \"a\": {\n        \"b\": []\n    }\n}\n",
	"tabs":                       "{\n\t\"a\": 1,\n\t\"b\": {\n\t\t\"c\": 2\n\t}\n}\n",
	"no final newline":           "{\n  \"a\": 1\n}",
	"CRLF":                       "{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"x\": {\"command\": \"x\"}\r\n  }\r\n}\r\n",
	"byte order mark":            "\ufeff{\n  \"a\": 1\n}\n",
	"byte order mark, CRLF":      "\ufeff{\r\n\t\"a\": 1\r\n}\r\n",
	"trailing comma":             "{\n  \"a\": 1,\n}\n",
	"trailing commas":            "{\n  \"mcpServers\": {\n    \"x\": {\"command\": \"x\",},\n  },\n}\n",
	"line comments":              "// mine\n{\n  // first\n  \"a\": 1, // one\n  // last\n}\n// end\n",
	"comment behind the last":    "{\n  \"a\": 1 // one\n}\n",
	"comment after a comma":      "{\n  \"a\": 1, // one\n}\n",
	"block comment behind":       "{\n  \"a\": 1 /* one */\n}\n",
	"block comments":             "/* mine */ {\n  /* first */ \"a\": /* 1 */ 1\n  /* last */\n}\n",
	"comment in an empty object": "{\n  // nothing yet\n}\n",
	"comment on the brace":       "{ // nothing yet\n}\n",
	"minified":                   `{"a":1,"mcpServers":{"x":{"command":"x","args":[]}}}`,
	"one line":                   `{"a": 1, "b": [1, 2]}` + "\n",
	"one line with spaces":       `{ "a": 1 }` + "\n",
	"empty servers":              "{\n  \"mcpServers\": {}\n}\n",
	"empty servers, spread":      "{\n  \"mcpServers\": {\n  }\n}\n",
	"existing servers":           "{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"x\",\n      \"args\": [\n        \"y\"\n      ]\n    }\n  },\n  \"z\": null\n}\n",
	"servers in one line":        "{\n  \"mcpServers\": {\"x\": {\"command\": \"x\"}}\n}\n",
	"duplicate keys":             "{\n  \"mcpServers\": {\"x\": {}},\n  \"a\": 1,\n  \"a\": 2,\n  \"mcpServers\": {\"y\": {}}\n}\n",
	"escapes and unicode":        "{\n  \"\\u0061\": \"\\n \\u00e9 é 日本 </script> {}[]//\"\n}\n",
	"odd indentation":            "{\n\"a\": 1,\n      \"b\": 2}\n",
	"brace on the last line":     "{\n  \"a\": {\n    \"b\": 1 }}\n",
	"many blank lines":           "\n\n{\n\n\n  \"a\": 1\n\n\n}\n\n\n",
	"trailing spaces":            "{   \n  \"a\": 1   \n}   \n",
	"two on a line":              "{\n  \"a\": 1, \"b\": 2\n}\n",
	"hooks":                      "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}\n    ]\n  }\n}\n",
	"empty hooks":                "{\n  \"hooks\": {\n    \"SessionStart\": []\n  }\n}\n",
	"nothing":                    "",
	"a blank line":               "\n",
	"a mark alone":               "\ufeff",
}

func server(name string) Entry {
	return Entry{Path: []string{"mcpServers"}, Key: name, Value: Object{{"command", "/opt/" + name}, {"args", []string{"serve"}}}}
}

func hook(event, command string) Entry {
	return Entry{
		Path:  []string{"hooks", event},
		Value: Object{{"hooks", []any{Object{{"type", "command"}, {"command", command}, {"timeout", 10}}}}},
		Is:    func(v any) bool { return strings.Contains(flat(v), command) },
	}
}

// flat returns every string in a value.
func flat(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var all strings.Builder
		for _, e := range v {
			all.WriteString(flat(e) + "\n")
		}
		return all.String()
	case map[string]any:
		var all strings.Builder
		for _, e := range v {
			all.WriteString(flat(e) + "\n")
		}
		return all.String()
	}
	return ""
}

func entries() []Entry {
	return []Entry{server("agit"), server("memoryd"), hook("SessionStart", "memoryd hook session-start"), hook("SessionEnd", "memoryd hook session-end"), hook("SessionStart", "second")}
}

func put(t *testing.T, text string, e Entry) (string, Added) {
	t.Helper()
	j, err := ParseJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	after, added, err := j.Put(e)
	if err != nil {
		t.Fatalf("put %v: %v\n%s", e.Path, err, text)
	}
	return after, added
}

func take(t *testing.T, text string, e Entry, added Added) string {
	t.Helper()
	j, err := ParseJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	after, err := j.Take(e, added)
	if err != nil {
		t.Fatalf("take %v %s: %v\n%s", e.Path, e.Key, err, text)
	}
	return after
}

func takeMade(t *testing.T, text string, added Added) string {
	t.Helper()
	j, err := ParseJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	after, err := j.TakeMade(added)
	if err != nil {
		t.Fatalf("take containers: %v\n%s", err, text)
	}
	return after
}

// Entries can be taken out in any order, and the bytes are those from before.
func TestJSONIsRestored(t *testing.T) {
	for name, before := range messy {
		t.Run(name, func(t *testing.T) {
			for _, order := range [][]int{{4, 3, 2, 1, 0}, {0, 1, 2, 3, 4}, {2, 0, 4, 1, 3}} {
				text := before
				all := entries()
				added := make([]Added, len(all))
				for i, e := range all {
					text, added[i] = put(t, text, e)
				}
				j, err := ParseJSON(text)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range all {
					if v, ok := j.Find(e); !ok || cmp.Diff(Plain(e.Value), v) != "" {
						t.Fatalf("%v is not in\n%s", e, text)
					}
				}
				for n, i := range order {
					text = take(t, text, all[i], added[i])
					for _, other := range order[n+1:] { // as the manifest does
						if slices.Equal(all[other].Path, all[i].Path) {
							added[i].Bequeath(&added[other])
							break
						}
					}
				}
				for i := len(added) - 1; i >= 0; i-- {
					text = takeMade(t, text, added[i])
				}
				if strings.TrimSpace(strings.TrimPrefix(before, bom)) == "" {
					if j, err = ParseJSON(text); err != nil || !j.Only(nil) {
						t.Fatalf("left over: %q, %v", text, err)
					}
					continue
				}
				if text != before {
					t.Fatalf("order %v:\n%q, want\n%q", order, text, before)
				}
			}
		})
	}
}

// A file that people continue to edit keeps what they wrote.
func TestJSONKeepsWhatCameLater(t *testing.T) {
	text, first := put(t, "{\n  \"a\": 1\n}\n", server("agit"))
	text, second := put(t, text, server("memoryd"))
	text = strings.Replace(text, "\"a\": 1,", "\"a\": 1, // mine\n  \"b\": [],", 1)
	text = strings.Replace(text, "    \"memoryd\"", "    // theirs\n    \"memoryd\"", 1)
	text, _ = put(t, text, Entry{Path: []string{"mcpServers"}, Key: "own", Value: Object{{"command", "own"}}})
	text = take(t, text, server("agit"), first)
	text = take(t, text, server("memoryd"), second)
	text = takeMade(t, text, second)
	text = takeMade(t, text, first)
	want := "{\n  \"a\": 1, // mine\n  \"b\": [],\n  \"mcpServers\": {\n    // theirs\n    \"own\": {\n      \"command\": \"own\"\n    }\n  }\n}\n"
	if diff := cmp.Diff(want, text); diff != "" {
		t.Error(diff)
	}
}

// White space that a formatter wrote goes with the entries.
func TestJSONIsTakenOutOfFormattedText(t *testing.T) {
	const before = "{\n  \"mcpServers\": {\n    \"own\": {}\n  }\n}\n"
	text, first := put(t, before, server("agit"))
	text, second := put(t, text, server("memoryd"))
	for name, format := range map[string]*strings.Replacer{"four spaces": strings.NewReplacer("  ", "    "), "CRLF": strings.NewReplacer("\n", "\r\n")} {
		got := take(t, format.Replace(text), server("agit"), first)
		got = take(t, got, server("memoryd"), second)
		if diff := cmp.Diff(format.Replace(before), got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestJSONIsWrittenAsTheRest(t *testing.T) {
	for before, want := range map[string]string{
		"{\n\t\"a\": 1\n}\n":        "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"agit\": {\n\t\t\t\"command\": \"/opt/agit\",\n\t\t\t\"args\": [\"serve\"]\n\t\t}\n\t}\n}\n",
		`{"a":1}`:                   `{"a":1,"mcpServers":{"agit":{"command":"/opt/agit","args":["serve"]}}}`,
		`{"a": 1}`:                  `{"a": 1, "mcpServers": {"agit": {"command": "/opt/agit", "args": ["serve"]}}}`,
		"{\n  \"a\": 1 // one\n}\n": "{\n  \"a\": 1, // one\n  \"mcpServers\": {\n    \"agit\": {\n      \"command\": \"/opt/agit\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n",
		"{\n  \"mcpServers\": {\n    \"x\": {},\n  },\n}\n": "{\n  \"mcpServers\": {\n    \"x\": {},\n    \"agit\": {\n      \"command\": \"/opt/agit\",\n      \"args\": [\"serve\"]\n    },\n  },\n}\n",
		"": "{\n  \"mcpServers\": {\n    \"agit\": {\n      \"command\": \"/opt/agit\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n",
	} {
		if got, _ := put(t, before, server("agit")); got != want {
			t.Errorf("%q:\n%s", before, cmp.Diff(want, got))
		}
	}
}

func TestJSONIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"cut off": "{\"a\": ", "a list": "[]", "null": "null", "words": "hello", "two": "{} {}",
		"single quotes": "{'a': 1}", "deep": strings.Repeat("[", 100_000), "deep objects": `{"a":` + strings.Repeat(`{"a":`, 1000),
	} {
		if _, err := ParseJSON(text); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	for name, text := range map[string]string{
		"servers are null": `{"mcpServers": null}`, "servers are a list": `{"mcpServers": []}`,
		"servers are text": `{"mcpServers": "x"}`, "it is there": `{"mcpServers": {"agit": 1}}`,
	} {
		j, err := ParseJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		if after, _, err := j.Put(server("agit")); err == nil {
			t.Errorf("%s: %s", name, after)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, text := range messy {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := ParseJSON(text); err != nil {
			return
		}
		all := entries()
		added := make([]Added, len(all))
		at := text
		for i, e := range all {
			j, err := ParseJSON(at)
			if err != nil {
				t.Fatalf("what was written does not parse: %v\n%q", err, at)
			}
			next, more, err := j.Put(e)
			if err != nil {
				return // left alone
			}
			at, added[i] = next, more
		}
		for i := len(all) - 1; i >= 0; i-- {
			at = takeMade(t, take(t, at, all[i], added[i]), added[i])
		}
		if at != text && strings.TrimSpace(strings.TrimPrefix(text, bom)) != "" {
			t.Fatalf("%q, want %q", at, text)
		}
	})
}
