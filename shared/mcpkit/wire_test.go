package mcpkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestLineReader(t *testing.T) {
	const limit = 40_000
	for _, tc := range []struct {
		name, in string
		want     []string
	}{
		{"empty", "", []string{""}},
		{"one", "a\n", []string{"a", ""}},
		{"no end", "a\nb", []string{"a", "b"}},
		{"windows", "a\r\nb\r\n", []string{"a", "b", ""}},
		{"blank", "\n\na", []string{"", "", "a"}},
		{"long within the limit", strings.Repeat("x", limit-1) + "\nb", []string{strings.Repeat("x", limit-1), "b"}},
		{"too long", strings.Repeat("x", limit) + "\nb", []string{"!", "b"}},
		{"far too long", strings.Repeat("x", 9*limit) + "\nb", []string{"!", "b"}},
		{"too long at the end", "a\n" + strings.Repeat("x", 2*limit), []string{"a", "!", ""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, readAll(t, strings.NewReader(tc.in), limit)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// readAll returns the lines; "!" stands for a line that is too long.
func readAll(t testing.TB, in io.Reader, limit int) (lines []string) {
	t.Helper()
	r := newLineReader(in, limit)
	for {
		line, err := r.next()
		switch {
		case errors.Is(err, errLongLine):
			lines = append(lines, "!")
			continue
		case len(line) > limit:
			t.Fatalf("a line of %d bytes", len(line))
		}
		lines = append(lines, string(line))
		if err != nil {
			return lines
		}
	}
}

func FuzzLineReader(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nc"), 3)
	f.Add([]byte("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\ny"), 20)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		if limit < 1 || limit > 1<<20 {
			t.Skip()
		}
		got := readAll(t, bytes.NewReader(in), limit)
		if want := bytes.Count(in, []byte("\n")) + 1; len(got) != want && len(got) != want+1 {
			t.Errorf("%d lines of %d", len(got), want)
		}
	})
}

func TestLoneSurrogate(t *testing.T) {
	for raw, want := range map[string]bool{
		`"plain"`: false, `"\ud83d\ude42"`: false, `"\ud83d"`: true, `"\ude42"`: true, `"\ud83dx"`: true,
		`"\ud83d\ud83d\ude42"`: true, `"\\ud83d"`: false, `"\\\ud83d"`: true, `"\ufffd"`: false, `"\uD83D\uDE42"`: false,
		`"\u00e5\n"`: false, `"\u`: false, `\`: false, ``: false,
	} {
		if got := loneSurrogate([]byte(raw)); got != want {
			t.Errorf("%s: %v", raw, got)
		}
	}
}

// FuzzMessage: for any input, the server answers with valid JSON-RPC or not at all, keeps the id, and goes on.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"text":"x","n":3}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"t","arguments":{"text":"\ud800"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"t://a%zz"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p","arguments":{"a":"b"}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":"x"}`, `[]`, `null`, `{"id":1}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/list"}`, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"x"}}`,
	} {
		f.Add([]byte(seed))
	}
	s := New(Info{Name: "fuzz", Version: "1"}, Options{})
	AddTool(s, Tool{Name: "t"}, func(_ context.Context, _ *Call, in struct {
		Text string `json:"text,omitempty" max:"100"`
		N    int8   `json:"n,omitempty"`
		Any  any    `json:"any,omitempty"`
	}) (map[string]any, error) {
		if strings.ContainsRune(in.Text, 0) || !utf8.ValidString(in.Text) {
			panic("bad text came through")
		}
		return map[string]any{"text": in.Text}, nil
	})
	s.AddResource(Resource{URI: "t://{id}", Name: "r"}, func(_ context.Context, _ *Call, vars map[string]string) (any, error) {
		return map[string]any{"id": vars["id"]}, nil
	})
	s.AddPrompt(Prompt{Name: "p", Args: []Arg{{Name: "a"}}}, func(context.Context, *Call, map[string]string) ([]Content, error) {
		return []Content{TextContent("x")}, nil
	})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if bytes.Contains(raw, []byte("subscriptions/listen")) {
			t.Skip() // waits, as it should
		}
		local := s.Local()
		defer local.Close()
		response := local.Raw(t.Context(), raw)
		if response == nil {
			return
		}
		var r struct {
			JSONRPC string
			ID      json.RawMessage
			Result  json.RawMessage
			Error   json.RawMessage
		}
		if err := json.Unmarshal(response, &r); err != nil || r.JSONRPC != "2.0" || (r.Result == nil) == (r.Error == nil) {
			t.Fatalf("%q was answered with %s", raw, response)
		}
		if bytes.Contains(response, []byte("mistake in the program")) || bytes.Contains(response, []byte("Go struct")) {
			t.Fatalf("%q was answered with %s", raw, response)
		}
	})
}

// The library's words about what a server does not have are replaced: they name it twice, and lead nowhere.
func TestUnknown(t *testing.T) {
	t.Parallel()
	params := message{raw: []byte(`{"method":"m","params":{"name":"n","uri":"u://x","cursor":"c"}}`)}
	for problem, want := range map[string]string{
		"tool 'n' not found: tool not found":           `tool "n" does not exist; tools/list names those there are`,
		"prompt 'n' not found: prompt not found":       `prompt "n" does not exist; prompts/list names those there are`,
		"handler not found for: u: resource not found": `resource "u://x" does not exist; resources/list and resources/templates/list name those there are`,
		"illegal base64 data at input byte 0":          `the cursor "c" is not from an answer of this server; leave it out to begin at the start`,
	} {
		if f := unknown(params, problem); f == nil || f.Error() != want {
			t.Errorf("%s: %v", problem, f)
		}
	}
	if f := unknown(params, "tools not supported"); f != nil {
		t.Errorf("another error: %v", f)
	}
}
