package mcpkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
	"github.com/agit-suite/agit/shared/timestamp"
)

type priority int

func (p *priority) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "3", `"high"`:
		*p = 3
	case "1", `"low"`:
		*p = 1
	default:
		return fault.Validation("priority", "priority %s is neither low, high nor 0 to 4", b)
	}
	return nil
}

func (p *priority) MCPSchema() json.RawMessage {
	return json.RawMessage(`{"type":["string","integer"]}`)
}

type where struct {
	Repo string `json:"repo" desc:"Repository name" max:"20"`
}

type edge struct {
	To   string `json:"to" min:"1"`
	By   string `json:"by,omitempty" is:"name"`
	Kind string `json:"kind,omitempty" enum:"blocks,related"`
}

type allInput struct {
	where
	Text     string            `json:"text,omitempty"`
	Limit    int               `json:"limit,omitempty" min:"1" max:"100"`
	Small    int8              `json:"small,omitempty"`
	Count    uint              `json:"count,omitempty"`
	Ratio    *float64          `json:"ratio,omitempty"`
	Force    bool              `json:"force,omitempty"`
	Since    timestamp.Time    `json:"since,omitzero" desc:"RFC 3339"`
	Tags     []string          `json:"tags,omitempty" max:"2"`
	Edges    []edge            `json:"edges,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Extra    any               `json:"extra,omitempty"`
	Priority priority          `json:"priority,omitempty" desc:"word or number"`
	internal int
	Skipped  string `json:"-"`
}

type allOutput struct {
	where
	Names []string       `json:"names"`
	Rest  []string       `json:"rest,omitempty"`
	At    timestamp.Time `json:"at"`
	Maybe *string        `json:"maybe"`
	Sub   where          `json:"sub"`
	Map   map[string]int `json:"map,omitempty"`
	N     int            `json:"n"`
}

func newServer(t testing.TB, o mcpkit.Options) *mcpkit.Server {
	t.Helper()
	s := mcpkit.New(mcpkit.Info{Name: "test", Version: "1", Instructions: "For tests."}, o)
	mcpkit.AddTool(s, mcpkit.Tool{Name: "test_all", Description: "Takes everything.", Title: "All"},
		func(_ context.Context, _ *mcpkit.Call, in allInput) (allOutput, error) {
			_ = in.internal
			return allOutput{where: in.where, N: int(in.Priority)}, nil
		})
	mcpkit.AddTool(s, mcpkit.Tool{Name: "test_remove", Description: "Removes.", Destructive: true, Idempotent: true},
		func(_ context.Context, c *mcpkit.Call, in where) (map[string]any, error) {
			switch in.Repo {
			case "long fault":
				return nil, fault.NotFound("repo", strings.Repeat("é", 35_000))
			case "long cause":
				return nil, fault.Operation(&fs.PathError{Op: "stat", Path: strings.Repeat("p", 70_000), Err: fs.ErrInvalid}, "the folder cannot be read").WithHint("name one that is there")
			case "panic":
				panic("boom")
			case "fault":
				return nil, fault.NotFound("repo", in.Repo)
			case "error":
				return nil, errors.New("plain")
			case "cancelled":
				return nil, context.Canceled
			case "nan":
				return map[string]any{"f": func() {}}, nil
			}
			c.Session().Set(in.Repo, true)
			c.BookedOn("booked")
			c.Summarize("1 removed")
			return map[string]any{"removed": in.Repo}, nil
		})
	mcpkit.AddTool(s, mcpkit.Tool{Name: "test_list", Description: "Lists.", ReadOnly: true, OpenWorld: true},
		func(context.Context, *mcpkit.Call, struct{}) (*allOutput, error) { return &allOutput{}, nil })
	return s
}

func TestDeclarations(t *testing.T) {
	s := newServer(t, mcpkit.Options{})
	mcptest.Snapshot(t, s)
	if err := s.Select([]string{"test_list", "test_remove"}, false); err != nil {
		t.Fatal(err)
	}
	mcptest.Budget(t, s, 250)
}

func TestResults(t *testing.T) {
	local := newServer(t, mcpkit.Options{}).Local()
	defer local.Close()
	for _, tc := range []struct{ name, tool, args, want string }{
		{"lists are never null", "test_list", `{}`, `{"repo":"","names":[],"at":"0001-01-01T00:00:00.000Z","maybe":null,"sub":{"repo":""},"n":0}`},
		{"no arguments", "test_list", `null`, `{"repo":"","names":[],"at":"0001-01-01T00:00:00.000Z","maybe":null,"sub":{"repo":""},"n":0}`},
		{"an argument that a client made up", "test_list", `{"random_string":"dummy"}`, `{"repo":"","names":[],"at":"0001-01-01T00:00:00.000Z","maybe":null,"sub":{"repo":""},"n":0}`},
		{"a map", "test_remove", `{"repo":"<a&b>"}`, `{"removed":"<a&b>"}`},
		{"its own type", "test_all", `{"repo":"r","priority":"high"}`, `{"repo":"r","names":[],"at":"0001-01-01T00:00:00.000Z","maybe":null,"sub":{"repo":""},"n":3}`},
		{"optional nulls", "test_all", `{"repo":"r","limit":null,"tags":null,"priority":null}`, `{"repo":"r","names":[],"at":"0001-01-01T00:00:00.000Z","maybe":null,"sub":{"repo":""},"n":0}`},
		{"everything", "test_all", `{"repo":"r","text":"t","limit":5,"small":-128,"count":7,"ratio":0.5,"force":true,"since":"2026-01-02T03:04:05Z","tags":["a","b"],"edges":[{"to":"x","kind":"blocks"}],"labels":{"a":"b"},"extra":{"x":[1,null]},"priority":1}`, `{"repo":"r","names":[],"at":"0001-01-01T00:00:00.000Z","maybe":null,"sub":{"repo":""},"n":1}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := mcptest.Call(t, local, tc.tool, json.RawMessage(tc.args))
			if r.IsError || !sameJSON(t, string(r.StructuredContent), tc.want) {
				t.Errorf("got  %s\nwant %s", r.StructuredContent, tc.want)
			}
		})
	}
}

func sameJSON(t testing.TB, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}

// An error does not repeat a whole file that was passed by mistake, and still ends with what was wrong.
func TestLongFaultIsToldShort(t *testing.T) {
	local := newServer(t, mcpkit.Options{}).Local()
	defer local.Close()
	r := mcptest.Call(t, local, "test_remove", map[string]any{"repo": "long fault"})
	told := string(r.StructuredContent)
	if !r.IsError || len(told) > 10_000 || !utf8.ValidString(told) || strings.ContainsRune(told, utf8.RuneError) {
		t.Errorf("the error has %d bytes: %.200s", len(told), told)
	}
	r = mcptest.Call(t, local, "test_remove", map[string]any{"repo": "long cause"})
	if cause := string(r.StructuredContent); len(cause) > 6_000 || !strings.Contains(cause, "the folder cannot be read: stat ppp") || !strings.Contains(cause, "invalid argument; name one that is there") {
		t.Errorf("the error with a long cause has %d bytes: %.200s", len(cause), cause)
	}
	for _, want := range []string{`"error":"NotFoundError"`, `repo \"éé`, `bytes left out`, `éé\" does not exist"`} {
		if !strings.Contains(told, want) {
			t.Errorf("the error lacks %s: %.200s", want, told)
		}
	}
}

func TestFailures(t *testing.T) {
	local := newServer(t, mcpkit.Options{}).Local()
	defer local.Close()
	for _, tc := range []struct{ name, tool, args, kind, field, message string }{
		{"panic", "test_remove", `{"repo":"panic"}`, "OperationError", "", "test_remove failed because of a mistake in the program; the server goes on; its log has the details"},
		{"fault", "test_remove", `{"repo":"fault"}`, "NotFoundError", "", `repo "fault" does not exist`},
		{"error", "test_remove", `{"repo":"error"}`, "OperationError", "", "plain"},
		{"cancelled", "test_remove", `{"repo":"cancelled"}`, "OperationError", "", "interrupted before it was done"},
		{"cannot be encoded", "test_remove", `{"repo":"nan"}`, "OperationError", "", "encode the result of test_remove: json: unsupported type: func()"},
		{"several missing", "test_all", `{"edges":[{}]}`, "ValidationError", "repo", `test_all needs parameter "repo" (a string of at most 20 characters: Repository name)`},
		{"missing inside", "test_all", `{"repo":"r","edges":[{"to":"x"},{}]}`, "ValidationError", "edges[1].to", `test_all needs parameter "edges[1].to" (a non-empty string)`},
		{"unknown inside", "test_all", `{"repo":"r","edges":[{"to":"x","too":1}]}`, "ValidationError", "edges[0].too", `test_all has no parameter "edges[0].too"; did you mean "to"?`},
		{"far from all", "test_remove", `{"repo":"r","zzz":1}`, "ValidationError", "zzz", `test_remove has no parameter "zzz"; it takes repo`},
		{"too many", "test_all", `{"repo":"r","tags":["a","b","c"]}`, "ValidationError", "tags", `parameter "tags" must be a list of at most 2 items, not 3`},
		{"in a list", "test_all", `{"repo":"r","tags":["a",2]}`, "ValidationError", "tags[1]", `parameter "tags[1]" must be a string, not the number 2`},
		{"NUL in a key", "test_all", `{"repo":"r","labels":{"a\u0000":"b"}}`, "ValidationError", "labels.a\x00", `parameter "labels.a\x00" holds a NUL character; expected plain text`},
		{"NUL far inside", "test_all", `{"repo":"r","extra":{"x":[{"y":"\u0000"}]}}`, "ValidationError", "extra.x[0].y", `parameter "extra.x[0].y" holds a NUL character; expected plain text`},
		{"does not fit", "test_all", `{"repo":"r","small":128}`, "ValidationError", "small", `parameter "small" must be a whole number, not the number 128`},
		{"negative", "test_all", `{"repo":"r","count":-1}`, "ValidationError", "count", `parameter "count" must be a whole number, not the number -1`},
		{"too small", "test_all", `{"repo":"r","limit":0}`, "ValidationError", "limit", `parameter "limit" must be a whole number from 1 to 100, not the number 0`},
		{"empty", "test_all", `{"repo":"r","edges":[{"to":""}]}`, "ValidationError", "edges[0].to", `parameter "edges[0].to" must be a non-empty string, not ""`},
		{"a word for a number", "test_all", `{"repo":"r","limit":"many"}`, "ValidationError", "limit", `parameter "limit" must be a whole number from 1 to 100, not the string "many"`},
		{"a number in a string, too small", "test_all", `{"repo":"r","limit":"0"}`, "ValidationError", "limit", `parameter "limit" must be a whole number from 1 to 100, not the number 0`},
		{"a number in a string, and more", "test_all", `{"repo":"r","limit":"1 2"}`, "ValidationError", "limit", `parameter "limit" must be a whole number from 1 to 100, not the string "1 2"`},
		{"half of one", "test_all", `{"repo":"r","limit":1.5}`, "ValidationError", "limit", `parameter "limit" must be a whole number from 1 to 100, not the number 1.5`},
		{"a whole one that does not fit", "test_all", `{"repo":"r","small":300.0}`, "ValidationError", "small", `parameter "small" must be a whole number, not the number 300`},
		{"a boolean as people write it", "test_all", `{"repo":"r","force":"True"}`, "ValidationError", "force", `parameter "force" must be true or false, not the string "True"`},
		{"a list that is not one", "test_all", `{"repo":"r","tags":"x, y"}`, "ValidationError", "tags", `parameter "tags" must be a list of at most 2 items, not the string "x, y"`},
		{"an object for a list", "test_all", `{"repo":"r","tags":"{}"}`, "ValidationError", "tags", `parameter "tags" must be a list of at most 2 items, not the string "{}"`},
		{"a wrong value in a string", "test_all", `{"repo":"r","edges":"[{\"to\":1}]"}`, "ValidationError", "edges[0].to", `parameter "edges[0].to" must be a non-empty string, not the number 1`},
		{"broken text in a string", "test_all", `{"repo":"r","tags":"[\"\\ud800\"]"}`, "ValidationError", "tags[0]", `parameter "tags[0]" is not valid UTF-8; expected plain text`},
		{"a number for a text", "test_all", `{"repo":"r","text":1}`, "ValidationError", "text", `parameter "text" must be a string, not the number 1`},
		{"bool", "test_all", `{"repo":"r","force":"yes"}`, "ValidationError", "force", `parameter "force" must be true or false, not the string "yes"`},
		{"too long", "test_all", `{"repo":"` + strings.Repeat("x", 10_000) + `"}`, "ValidationError", "repo", `parameter "repo" is 10000 characters long; at most 20 are accepted`},
		{"its own type", "test_all", `{"repo":"r","priority":"soon"}`, "ValidationError", "priority", `priority "soon" is neither low, high nor 0 to 4`},
		{"a time", "test_all", `{"repo":"r","since":"yesterday"}`, "ValidationError", "since", `parameter "since" must be a time such as 2026-01-02T15:04:05Z: RFC 3339, not the string "yesterday"`},
		{"a long name", "test_all", `{"repo":"r","edges":[{"to":"x","by":"` + strings.Repeat("x", 201) + `"}]}`, "ValidationError", "edges[0].by", `parameter "edges[0].by" is 201 characters long; at most 200 are accepted`},
		{"far too long", "test_all", `{"repo":"r","text":"` + strings.Repeat("x", 100_001) + `"}`, "ValidationError", "text", `parameter "text" is 100001 characters long; at most 100000 are accepted`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := mcptest.Call(t, local, tc.tool, json.RawMessage(tc.args))
			var f struct{ Error, Field, Message string }
			if err := json.Unmarshal(r.StructuredContent, &f); err != nil {
				t.Fatal(err)
			}
			if !r.IsError || f.Error != tc.kind || f.Field != tc.field || f.Message != tc.message {
				t.Errorf("got  %+v\nwant %q %q", f, tc.field, tc.message)
			}
		})
	}
}

func TestAnEmptyNameIsMissing(t *testing.T) {
	s := mcpkit.New(mcpkit.Info{Name: "test"}, mcpkit.Options{})
	mcpkit.AddTool(s, mcpkit.Tool{Name: "test_named"}, func(context.Context, *mcpkit.Call, struct {
		Name string `json:"name" desc:"Whose" is:"name"`
	}) (struct{}, error) {
		return struct{}{}, nil
	})
	local := s.Local()
	defer local.Close()
	r := mcptest.Call(t, local, "test_named", json.RawMessage(`{"name":""}`))
	if want := `test_named needs parameter \"name\" (a string: Whose)`; !r.IsError || !strings.Contains(string(r.StructuredContent), want) {
		t.Errorf("got %s", r.StructuredContent)
	}
}

func TestProgrammersMistakes(t *testing.T) {
	s := mcpkit.New(mcpkit.Info{Name: "test"}, mcpkit.Options{})
	for name, mistake := range map[string]func(){
		"result is a list": func() {
			mcpkit.AddTool(s, mcpkit.Tool{Name: "a"}, func(context.Context, *mcpkit.Call, struct{}) ([]int, error) { return nil, nil })
		},
		"input is a string": func() {
			mcpkit.AddTool(s, mcpkit.Tool{Name: "b"}, func(context.Context, *mcpkit.Call, string) (struct{}, error) { return struct{}{}, nil })
		},
		"raw input without a schema": func() {
			mcpkit.AddTool(s, mcpkit.Tool{Name: "c"}, func(context.Context, *mcpkit.Call, json.RawMessage) (struct{}, error) { return struct{}{}, nil })
		},
		"a bound is not a number": func() {
			mcpkit.AddTool(s, mcpkit.Tool{Name: "d"}, func(context.Context, *mcpkit.Call, struct {
				X int `max:"ten"`
			}) (struct{}, error) {
				return struct{}{}, nil
			})
		},
		"no name": func() {
			mcpkit.AddTool(s, mcpkit.Tool{}, func(context.Context, *mcpkit.Call, struct{}) (struct{}, error) { return struct{}{}, nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it was accepted")
				}
			}()
			mistake()
		})
	}
}
