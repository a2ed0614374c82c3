package output

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output/jq"
	"github.com/agit-suite/agit/shared/term"
)

type repo struct {
	Name string `json:"name"`
	Path string `json:"path,omitempty"`
	ID   int64  `json:"id"`
}

var columns = []Column[repo]{
	{Title: "name", Value: func(r repo) string { return r.Name }},
	{Title: "path", Value: func(r repo) string { return r.Path }, Flex: true},
}

var repos = []repo{{"a<b>&c", "/p/a", 1}, {"日本", "", 9007199254740993}}

func printer(t *testing.T, s *term.Streams, o Options) *Printer {
	t.Helper()
	o.Compile = jq.Compile
	p, err := New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestList(t *testing.T) {
	for _, c := range []struct {
		name string
		tty  bool
		o    Options
		want string
	}{
		{"piped table", false, Options{}, "a<b>&c\t/p/a\n日本\t\n"},
		{"table", true, Options{}, "NAME    PATH\na<b>&c  /p/a\n日本\n"},
		{"json", false, Options{JSON: true}, `{"repos":[{"name":"a<b>&c","path":"/p/a","id":1},{"name":"日本","id":9007199254740993}]}` + "\n"},
		{"json on a terminal", true, Options{Format: "JSON"}, "{\n  \"repos\": [\n    {\n      \"name\": \"a<b>&c\",\n      \"path\": \"/p/a\",\n      \"id\": 1\n    },\n    {\n      \"name\": \"日本\",\n      \"id\": 9007199254740993\n    }\n  ]\n}\n"},
		{"ndjson", true, Options{Format: "ndjson"}, `{"name":"a<b>&c","path":"/p/a","id":1}` + "\n" + `{"name":"日本","id":9007199254740993}` + "\n"},
		{"jq strings are raw", false, Options{JQ: ".repos[].name", HasJQ: true}, "a<b>&c\n日本\n"},
		{"jq keeps digits", false, Options{JQ: ".repos[1].id", HasJQ: true}, "9007199254740993\n"},
		{"jq objects", false, Options{JQ: ".repos | map({name}) | .[]", HasJQ: true}, `{"name":"a<b>&c"}` + "\n" + `{"name":"日本"}` + "\n"},
		{"jq of each item", false, Options{Format: "ndjson", JQ: ".id", HasJQ: true}, "1\n9007199254740993\n"},
		{"jq halts", false, Options{JQ: ".repos[0].id, halt, 5", HasJQ: true}, "1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _, out, _ := term.Test()
			if c.tty {
				s.PretendTerminal(80)
			}
			if err := List(context.Background(), printer(t, s, c.o), "repos", repos, columns); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, out.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEmptyList(t *testing.T) {
	for format, want := range map[string]string{"": "", "json": `{"repos":[]}` + "\n", "ndjson": ""} {
		s, _, out, _ := term.Test()
		if err := List(context.Background(), printer(t, s, Options{Format: format}), "repos", nil, columns); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("%q: %q, want %q", format, out, want)
		}
	}
}

func TestDocument(t *testing.T) {
	s, _, out, _ := term.Test()
	people := func(s *term.Streams) error { _, err := s.Out.Write([]byte("hello\n")); return err }
	if err := printer(t, s, Options{}).Document(context.Background(), repos[0], people); err != nil {
		t.Fatal(err)
	}
	if err := printer(t, s, Options{JQ: ".name", HasJQ: true}).Document(context.Background(), repos[0], people); err != nil {
		t.Fatal(err)
	}
	if out.String() != "hello\na<b>&c\n" {
		t.Errorf("printed %q", out)
	}
}

func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		o     Options
		field string
	}{
		{Options{Format: "xml"}, "output"},
		{Options{Format: "ndjson", JSON: true}, "output"},
		{Options{Format: "table", JQ: ".", HasJQ: true}, "jq"},
		{Options{JQ: ".[", HasJQ: true}, "jq"},
		{Options{HasJQ: true}, "jq"},
		{Options{JQ: "nonsense(1)", HasJQ: true}, "jq"},
		{Options{JQ: "input", HasJQ: true}, "jq"},
		{Options{JQ: ".", HasJQ: true}, "jq"}, // of a program that cannot filter
	} {
		s, _, _, _ := term.Test()
		if c.o.JQ != "." || c.o.Format != "" {
			c.o.Compile = jq.Compile
		}
		_, err := New(s, c.o)
		var f *fault.Fault
		if !errors.As(err, &f) || f.Kind != fault.KindValidation || f.Field != c.field {
			t.Errorf("%+v: %v", c.o.JQ+c.o.Format, err)
		}
	}
}

func TestFilterFails(t *testing.T) {
	s, _, _, _ := term.Test()
	err := printer(t, s, Options{JQ: ".name.first", HasJQ: true}).Document(context.Background(), repos[0], nil)
	if !fault.Is(err, fault.KindValidation) {
		t.Errorf("a filter that does not fit: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err = printer(t, s, Options{JQ: "last(range(1e12))", HasJQ: true}).Document(ctx, repos[0], nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a filter without end: %v", err)
	}
}

func TestFilterSeesNoEnvironment(t *testing.T) {
	t.Setenv("API_KEY", "secret")
	s, _, out, _ := term.Test()
	if err := printer(t, s, Options{JQ: "env, $ENV", HasJQ: true}).Document(context.Background(), 1, nil); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "secret") {
		t.Error("jq reads the environment")
	}
}

func TestHostileTextOnTerminal(t *testing.T) {
	bad := repo{Name: "\x1b[2J\u009b1m\u007f\u202e"}
	s, _, out, _ := term.Test()
	s.PretendTerminal(80)
	for _, o := range []Options{{JSON: true}, {JQ: ".name", HasJQ: true}, {}} {
		if err := ListDocument(context.Background(), printer(t, s, o), bad, []repo{bad}, columns); err != nil {
			t.Fatal(err)
		}
	}
	if strings.ContainsAny(out.String(), "\x1b\u009b\u007f\u202e") {
		t.Errorf("control characters reach the terminal: %q", out)
	}
	var back repo
	if err := json.Unmarshal(out.Bytes()[:bytes.IndexByte(out.Bytes(), '}')+1], &back); err != nil || back.Name != bad.Name {
		t.Errorf("the JSON is another: %q, %v", back.Name, err)
	}
}

func TestStream(t *testing.T) {
	s, _, out, _ := term.Test()
	if _, err := NewStream(printer(t, s, Options{JSON: true}), columns); !fault.Is(err, fault.KindValidation) {
		t.Errorf("endless JSON document: %v", err)
	}
	for _, o := range []Options{{Format: "ndjson"}, {}} {
		stream, err := NewStream(printer(t, s, o), columns)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range repos {
			if err := stream.Item(context.Background(), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := `{"name":"a<b>&c","path":"/p/a","id":1}` + "\n" + `{"name":"日本","id":9007199254740993}` + "\na<b>&c\t/p/a\n日本\t\n"
	if out.String() != want {
		t.Errorf("streamed %q", out)
	}
}

func TestError(t *testing.T) {
	s, _, out, errs := term.Test()
	f := fault.NotFound("repo", "a b").WithHint("see `agit repos`")
	Error(s, "agit", false, f)
	Error(s, "agit", true, f)
	want := "agit: repo \"a b\" does not exist; see `agit repos`\n" +
		`{"error":"NotFoundError","message":"repo \"a b\" does not exist; see ` + "`agit repos`" + `","entityType":"repo","entityId":"a b"}` + "\n"
	if diff := cmp.Diff(want, errs.String()); diff != "" || out.Len() > 0 {
		t.Error(diff)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWriteErrors(t *testing.T) {
	for _, o := range []Options{{}, {JSON: true}, {Format: "ndjson"}, {JQ: ".repos[0].name", HasJQ: true}} {
		s, _, _, _ := term.Test()
		s.Out = failing{errors.New("broken")}
		if err := List(context.Background(), printer(t, s, o), "repos", repos, columns); err == nil {
			t.Errorf("%+v: a lost result is not a success", o)
		}
	}
}

// TestFilterAfterWrite: a filter that fails is bad input as long as nothing was changed. Afterwards the work is done, and its result is not
// lost.
func TestFilterAfterWrite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wrote func() bool
		kind  fault.Kind
		errs  string
	}{
		"a command that only reads": {nil, fault.KindValidation, ""},
		"one that has not written":  {func() bool { return false }, fault.KindValidation, ""},
		"one that has written":      {func() bool { return true }, fault.KindOperation, `{"name":"a","id":1}` + "\n"},
	} {
		s, _, out, errs := term.Test()
		err := printer(t, s, Options{JQ: ".name | tonumber", HasJQ: true, Wrote: c.wrote}).Document(t.Context(), repo{Name: "a", ID: 1}, nil)
		if !fault.Is(err, c.kind) || out.String() != "" || errs.String() != c.errs {
			t.Errorf("%s: %v, out %q, errors %q", name, err, out, errs)
		}
	}
	for failure, kind := range map[error]fault.Kind{errors.New("no room"): fault.KindOperation, syscall.EPIPE: ""} {
		s, _, _, errs := term.Test()
		s.Out = failing{failure}
		err := printer(t, s, Options{JSON: true, Wrote: func() bool { return true }}).Document(t.Context(), repo{Name: "a", ID: 1}, nil)
		if told := kind != ""; err == nil || fault.Is(err, kind) != told || strings.Contains(err.Error(), "do not run it again") != told || (errs.Len() > 0) != told {
			t.Errorf("%v: %v, errors %q", failure, err, errs)
		}
	}
	s, _, out, _ := term.Test()
	if err := printer(t, s, Options{JQ: ".name", HasJQ: true, Wrote: func() bool { return true }}).Document(t.Context(), repo{Name: "a"}, nil); err != nil || out.String() != "a\n" {
		t.Errorf("a filter that does not fail: %v %q", err, out)
	}
}
