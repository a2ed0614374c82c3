package sessions

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// calledRows returns the rows of a call as "edit PATH KEY" and "command TEXT KEY".
func calledRows(t *testing.T, name, input string) []string {
	t.Helper()
	var all []string
	called(Row{}, "k", name, json.RawMessage(input), &sink{emit: func(r Row, _ Position) error {
		all = append(all, strings.TrimSpace(r.Kind.String()+" "+r.Path+r.Text+" "+r.Key))
		return nil
	}})
	return all
}

func TestCalled(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, input string
		want        []string
	}{
		{"Bash", `{"command":"make"}`, []string{"command make k"}},
		{"anything", `{"cmd":"make"}`, []string{"command make k"}},
		{"shell", `{"command":["bash","-lc","make all"]}`, []string{"command make all k"}},
		{"shell", `{"command":["bash","-l","make"]}`, []string{"command bash -l make k"}},
		{"shell", `{"command":["bash","lc","make"]}`, []string{"command bash lc make k"}},
		{"shell", `{"command":["bash","-c"]}`, []string{"command bash -c k"}},
		{"shell", `{"command":[]}`, nil},
		{"shell", `{"command":7}`, nil},
		{"shell", `{}`, nil},
		{"shell", `"{\"command\":\"ls\"}"`, []string{"command ls k"}},
		{"shell", `"not an object"`, nil},
		{"shell", `7`, nil},
		{"shell", ``, nil},
		{"Edit", `{"file_path":"a.go"}`, []string{"edit a.go k"}},
		{"edit", `{"filePath":"a.go"}`, []string{"edit a.go k"}},
		{"edit", `{"path":"a.go"}`, []string{"edit a.go k"}},
		{"edit", `{"target_file":"a.go"}`, []string{"edit a.go k"}},
		{"edit", `{"relativeWorkspacePath":"a.go"}`, []string{"edit a.go k"}},
		{"edit", `{"absolute_path":"a.go"}`, []string{"edit a.go k"}},
		{"edit", `{"notebook_path":"a.go"}`, []string{"edit a.go k"}},
		{"edit", `{"filename":"a.go"}`, []string{"edit a.go k"}},
		{"edit", `{"file_path":"","path":"b.go"}`, []string{"edit b.go k"}},
		{"edit", `{"file_path":7,"path":"b.go"}`, []string{"edit b.go k"}},
		{"edit", `{"path":"file:///x/a%20b.go"}`, []string{"edit /x/a b.go k"}},
		{"edit", `{"path":"https://x/y"}`, nil},
		{"edit", `{"command":"rm"}`, nil}, // an edit without a file is not a command
		{"developer__text_editor", `{"command":"view","path":"a.go"}`, nil},
		{"developer__text_editor", `{"command":"write","path":"a.go"}`, []string{"edit a.go k"}},
		{"some_editor", `{"command":"write","path":"a.go"}`, nil},
		{"copilot_replaceString", `{"filePath":"a.go"}`, []string{"edit a.go k"}},
		{"copilot_multiReplaceString", `{"replacements":[{"filePath":"a.go"},{"filePath":""},{"filePath":"https://x/y"},{"filePath":"file:///b.go"}]}`, []string{"edit a.go k a.go", "edit /b.go k /b.go"}},
		{"multi_replace_string_in_file", `{"replacements":{}}`, nil},
		{"replace_string_in_file", `{"filePath":"a.go","replacements":[{"filePath":"b.go"}]}`, []string{"edit a.go k"}},
		{"read_file", `{"path":"a.go"}`, nil},
		{"apply_patch", `{"patch":"*** Update File: a.go\n"}`, []string{"edit a.go k a.go"}},
		{"apply_patch", `{"input":"*** Add File: a.go\n*** Delete File: b.go\n"}`, []string{"edit a.go k a.go", "edit b.go k b.go"}},
		{"apply_patch", `{"patchText":"*** Move to: a.go"}`, []string{"edit a.go k a.go"}},
		{"apply_patch", `{"command":"ls"}`, nil},
		{"other", `{"input":"*** Begin Patch\n*** Update File: a.go\n"}`, []string{"edit a.go k a.go"}},
		{"other", `{"input":"*** Update File: a.go\n"}`, nil},
		{"other", `"*** Begin Patch\n*** Update File: a.go\n"`, []string{"edit a.go k a.go"}},
		{"other", `"*** Update File: a.go\n"`, nil},
	} {
		if diff := cmp.Diff(test.want, calledRows(t, test.name, test.input)); diff != "" {
			t.Errorf("%s %s: %s", test.name, test.input, diff)
		}
	}
}

func TestCalledEndsAtAnError(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	for name, input := range map[string]string{
		"apply_patch": `{"patch":"*** Update File: a.go\n*** Update File: b.go\n"}`, "multi_replace_string_in_file": `{"replacements":[{"filePath":"a.go"},{"filePath":"b.go"}]}`,
	} {
		n := 0
		out := &sink{emit: func(Row, Position) error { n++; return stop }}
		if called(Row{}, "k", name, json.RawMessage(input), out); !errors.Is(out.err, stop) || n != 1 {
			t.Errorf("%s: %d rows, %v", name, n, out.err)
		}
	}
}

func TestToolName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"": "", "Edit": "edit", "developer__text_editor": "texteditor", "a__b__write-file": "writefile", "__edit": "edit", "_edit": "edit",
		"copilot_replaceString": "replacestring", "x__copilot_createFile": "createfile", "functions.apply_patch": "functionsapplypatch",
	} {
		if got := toolName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestMoment(t *testing.T) {
	t.Parallel()
	at := time.Date(2025, 11, 20, 10, 0, 0, 0, time.UTC)
	for raw, want := range map[string]time.Time{
		`1763632800`: at, `1763632800000`: at, `1763632800.5`: at.Add(500 * time.Millisecond), `"1763632800"`: at, `"1763632800000"`: at,
		`"2025-11-20T10:00:00Z"`: at, `"2025-11-20T11:00:00.25+01:00"`: at.Add(250 * time.Millisecond), `"2025-11-20 10:00:00"`: at, `"2025-11-20 10:00:00.5"`: at.Add(500 * time.Millisecond),
		`631152000`: time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC), `631151999`: {}, `"1989-12-31T23:59:59Z"`: {}, `"1990-01-01T00:00:00Z"`: time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC),
		`"2200-12-31T00:00:00Z"`: time.Date(2200, 12, 31, 0, 0, 0, 0, time.UTC), `"2201-01-01T00:00:00Z"`: {}, `7289654400000`: {}, `99999999999`: {}, `1e30`: {},
		``: {}, `null`: {}, `0`: {}, `-1763632800`: {}, `"today"`: {}, `""`: {}, `{}`: {}, `true`: {}, `"0001-01-01T00:00:00Z"`: {},
	} {
		if got := moment(json.RawMessage(raw)); !got.Equal(want) || got.IsZero() != want.IsZero() {
			t.Errorf("%s: %v, want %v", raw, got, want)
		}
	}
}

func TestDrive(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"": "", "/": "/", "/c:": "c:", "/c:/src": "c:/src", "c:/src": "c:/src", "/src": "/src", "/co:/src": "/co:/src", "xx:": "xx:"} {
		if got := strings.ReplaceAll(drive(path), `\`, "/"); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
	for name, want := range map[string]string{
		"a.go": "a.go", "/x/a.go": "/x/a.go", "file:///x/a%20b": "/x/a b", "vscode-remote://host/x": "/x", "untitled://a": "", "https://x/y": "", "file://%zz": "", "://": "",
	} {
		if got := strings.ReplaceAll(local(name), `\`, "/"); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]int{`"a"`: 1, `[]`: 0, `[{"type":"text"},7,{"type":"text","text":"b"}]`: 2, `{}`: 0, ``: 0, `[`: 0} {
		if got := blocks(json.RawMessage(raw)); len(got) != want {
			t.Errorf("%s: %+v", raw, got)
		}
	}
	for raw, want := range map[string]string{`"a"`: "a", `[{"text":"a"},{"text":"b"}]`: "ab", `[7]`: "", `{}`: "", ``: "", `"`: ""} {
		got, whole := asText(json.RawMessage(raw))
		if got != want || whole != (raw == `"a"`) {
			t.Errorf("%s: %q %v", raw, got, whole)
		}
	}
}

func TestMutations(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		document, change string
		want             string
		known            bool
	}{
		"set":                         {`{"a":1}`, `{"kind":1,"k":["a"],"v":2}`, `{"a":2}`, true},
		"set a new one":               {`{}`, `{"kind":1,"k":["a","b"],"v":2}`, `{"a":{"b":2}}`, true},
		"set in a list":               {`{"a":[1,2]}`, `{"kind":1,"k":["a",0],"v":9}`, `{"a":[9,2]}`, true},
		"set after a list":            {`{"a":[1]}`, `{"kind":1,"k":["a",1],"v":2}`, `{"a":[1,2]}`, true},
		"set beyond a list":           {`{"a":[1]}`, `{"kind":1,"k":["a",2],"v":2}`, `{"a":[1]}`, false},
		"set before a list":           {`{"a":[1]}`, `{"kind":1,"k":["a",-1],"v":2}`, `{"a":[1]}`, false},
		"set in a number":             {`{"a":1}`, `{"kind":1,"k":["a","b"],"v":2}`, `{"a":1}`, false},
		"set with a wrong step":       {`{"a":1}`, `{"kind":1,"k":[true],"v":2}`, `{"a":1}`, false},
		"append":                      {`{"a":[1]}`, `{"kind":2,"k":["a"],"v":[2,3]}`, `{"a":[1,2,3]}`, true},
		"append to nothing":           {`{}`, `{"kind":2,"k":["a"],"v":[2]}`, `{"a":[2]}`, true},
		"cut and append":              {`{"a":[1,2,3]}`, `{"kind":2,"k":["a"],"i":1,"v":[9]}`, `{"a":[1,9]}`, true},
		"cut at the end":              {`{"a":[1,2]}`, `{"kind":2,"k":["a"],"i":2,"v":[9]}`, `{"a":[1,2,9]}`, true},
		"cut beyond":                  {`{"a":[1,2]}`, `{"kind":2,"k":["a"],"i":3,"v":[9]}`, `{"a":[1,2,9]}`, true},
		"cut before":                  {`{"a":[1,2]}`, `{"kind":2,"k":["a"],"i":-1,"v":[9]}`, `{"a":[9]}`, true},
		"cut alone":                   {`{"a":[1,2]}`, `{"kind":2,"k":["a"],"i":1}`, `{"a":[1]}`, true},
		"remove":                      {`{"a":1,"b":2}`, `{"kind":3,"k":["a"]}`, `{"b":2}`, true},
		"remove below":                {`{"a":{"b":2,"c":3}}`, `{"kind":3,"k":["a","b"]}`, `{"a":{"c":3}}`, true},
		"remove of a list":            {`{"a":[1,2]}`, `{"kind":3,"k":["a",0]}`, `{"a":[null,2]}`, true},
		"remove after a list":         {`{"a":[1]}`, `{"kind":3,"k":["a",1]}`, `{"a":[1]}`, true},
		"remove at the beginning":     {`{"a":1}`, `{"kind":3,"k":[]}`, `{"a":1}`, false},
		"an unknown kind":             {`{"a":1}`, `{"kind":4,"k":["a"],"v":2}`, `{"a":1}`, false},
		"set below a removed request": {`{"a":[null]}`, `{"kind":1,"k":["a",0,"b"],"v":2}`, `{"a":[{"b":2}]}`, true},
	} {
		var document, value any
		var m mutation
		if json.Unmarshal([]byte(test.document), &document) != nil || json.Unmarshal([]byte(test.change), &m) != nil {
			t.Fatal(name)
		}
		if len(m.Value) > 0 && json.Unmarshal(m.Value, &value) != nil {
			t.Fatal(name)
		}
		got, known := m.apply(document, m.Path, value)
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != test.want || known != test.known {
			t.Errorf("%s: %s %v, want %s %v", name, text, known, test.want, test.known)
		}
	}
}

func TestMutationsMakeNoEndlessLists(t *testing.T) {
	t.Parallel()
	full := make([]any, mostRequests)
	m := mutation{Kind: 2}
	if list, known := m.apply(full[:mostRequests-1], nil, []any{1}); !known || len(list.([]any)) != mostRequests {
		t.Error("a list up to the limit was refused")
	}
	if list, known := m.apply(full, nil, []any{1}); known || len(list.([]any)) != mostRequests {
		t.Error("a list beyond the limit was made")
	}
	m.Kind = 1
	if _, known := m.apply(full[:mostRequests-1], []any{float64(mostRequests - 1)}, 1); !known {
		t.Error("the last place was refused")
	}
	if _, known := m.apply(full, []any{float64(mostRequests)}, 1); known {
		t.Error("a place beyond the limit was set")
	}
}
