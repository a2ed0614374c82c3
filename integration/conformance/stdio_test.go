package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func callLine(id any, tool, args string) string {
	name, _ := json.Marshal(id)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", name, tool, args)
}

// response holds the checked fields of an answer.
type response struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Error  *struct {
		Code    int
		Message string
	} `json:"error"`
	Result *struct {
		IsError           bool            `json:"isError"`
		StructuredContent json.RawMessage `json:"structuredContent"`
	} `json:"result"`
}

// oneShot pipes input into a server and returns what it answered until it ended.
func oneShot(t testing.TB, input string) []response {
	t.Helper()
	cmd := exec.Command(fixture)
	cmd.Stdin = strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("exit: %v\n%s", err, stderr.Bytes())
	}
	return decode(t, stdout.Bytes())
}

func decode(t testing.TB, out []byte) []response {
	t.Helper()
	var all []response
	for line := range bytes.Lines(out) {
		var r response
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("standard output holds something that is not the protocol: %q", line)
		}
		all = append(all, r)
	}
	return all
}

// Trap 2: answers must not be lost when the input ends at once.
func TestOneShotPipe(t *testing.T) {
	var input strings.Builder
	input.WriteString(hello)
	for id := 1; id <= 5; id++ {
		input.WriteString(callLine(id, "probe_steps", `{"steps":3,"pause":2}`))
	}
	for run := range 100 {
		got := map[string]bool{}
		for _, r := range oneShot(t, input.String()) {
			got[string(r.ID)] = r.Result != nil
		}
		for id := range 6 {
			if !got[fmt.Sprint(id)] {
				t.Fatalf("run %d: request %d was not answered: %v", run, id, got)
			}
		}
	}
}

// Piped calls take effect in their order, as a script expects.
func TestOneShotOrder(t *testing.T) {
	for range 20 {
		all := oneShot(t, hello+callLine("a", "probe_register", `{"name":"first"}`)+callLine("b", "probe_who", `{}`))
		last := all[len(all)-1]
		if string(last.ID) != `"b"` || !bytes.Contains(last.Result.StructuredContent, []byte(`"agent":"first"`)) {
			t.Fatalf("got %s %s", last.ID, last.Result.StructuredContent)
		}
	}
}

// Without a newline at the end, without initialize, with empty lines: answered.
func TestOneShotSloppy(t *testing.T) {
	all := oneShot(t, "\n\r\n"+strings.TrimSuffix(callLine(7, "probe_echo", `{"text":"x"}`), "\n"))
	if len(all) != 1 || string(all[0].ID) != "7" || all[0].Result == nil {
		t.Fatalf("got %+v", all)
	}
}

// endless is the duration of a call that nothing stops. A test that ends sooner did not wait for it, however slow the machine is.
const endless = 10 * time.Minute

// A call that never ends is cancelled after the limit, and answered even so.
func TestEndOfInputLimit(t *testing.T) {
	began := time.Now()
	all := oneShot(t, hello+callLine(1, "probe_steps", `{"steps":1000,"pause":60000}`))
	took := time.Since(began)
	last := all[len(all)-1]
	if string(last.ID) != "1" || !last.Result.IsError || !bytes.Contains(last.Result.StructuredContent, []byte("interrupted")) {
		t.Errorf("got %s %+v", last.ID, last.Result)
	}
	if took < 4*time.Second || took >= endless {
		t.Errorf("it took %v; the limit is 5 s", took)
	}
}

// A slow call blocks no other call.
func TestSlowCallIsOvertaken(t *testing.T) {
	all := oneShot(t, hello+callLine("slow", "probe_steps", `{"steps":1,"pause":3000}`)+callLine("quick", "probe_echo", `{"text":"x"}`))
	if got := string(all[1].ID); got != `"quick"` {
		t.Errorf("%s was answered first", got)
	}
}

func TestCancelled(t *testing.T) {
	began := time.Now()
	all := oneShot(t, hello+callLine(5, "probe_steps", `{"steps":10,"pause":60000}`)+
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`+"\n")
	if took := time.Since(began); took >= endless {
		t.Errorf("the cancelled call ran on: %v", took)
	}
	if len(all) != 1 {
		t.Errorf("the cancelled call was answered: %+v", all[1])
	}
}

func TestMalformed(t *testing.T) {
	for name, tc := range map[string]struct {
		line string
		code int
		id   string
	}{
		"not JSON":          {`{"jsonrpc":`, -32700, "null"},
		"text":              {`hello`, -32700, "null"},
		"NUL":               {"\x00", -32700, "null"},
		"batch":             {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600, "null"},
		"empty batch":       {`[]`, -32600, "null"},
		"number":            {`17`, -32600, "null"},
		"null id":           {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, "null"},
		"object id":         {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, "null"},
		"bool id":           {`{"jsonrpc":"2.0","id":true,"method":"ping"}`, -32600, "null"},
		"version":           {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, -32600, "1"},
		"no version":        {`{"id":1,"method":"ping"}`, -32600, "1"},
		"no method":         {`{"jsonrpc":"2.0","id":1}`, -32600, "1"},
		"method is number":  {`{"jsonrpc":"2.0","id":1,"method":3}`, -32600, "1"},
		"unknown method":    {`{"jsonrpc":"2.0","id":1,"method":"no/such"}`, -32601, "1"},
		"params is list":    {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, -32602, "1"},
		"params is text":    {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}`, -32602, "1"},
		"no tool name":      {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, -32602, "1"},
		"name is number":    {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":4}}`, -32602, "1"},
		"number too large":  {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"probe_steps","arguments":{"steps":1e999}}}`, -32602, "1"},
		"unknown tool":      {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}`, -32602, "1"},
		"unknown resource":  {`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"no://x"}}`, -32002, "1"},
		"large id is kept":  {`{"jsonrpc":"2.0","id":9007199254740993,"method":"no/such"}`, -32601, "9007199254740993"},
		"deep":              {`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat(`[`, 20000) + strings.Repeat(`]`, 20000) + `}`, -32700, "null"},
		"too long":          {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("a", 5<<20) + `"}}`, -32600, "1"},
		"answer to nothing": {`{"jsonrpc":"2.0","id":99,"result":{}}`, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			all := oneShot(t, hello+tc.line+"\n"+callLine("after", "probe_echo", `{"text":"alive"}`))
			if tc.code != 0 {
				if len(all) != 3 || all[1].Error == nil || all[1].Error.Code != tc.code || string(all[1].ID) != tc.id {
					t.Fatalf("got %+v", all)
				}
				if all[1].Error.Message == "" || strings.Contains(all[1].Error.Message, "struct") {
					t.Errorf("message %q", all[1].Error.Message)
				}
			}
			last := all[len(all)-1]
			if string(last.ID) != `"after"` || last.Result == nil || last.Result.IsError {
				t.Errorf("the server does not go on: %+v", last)
			}
		})
	}
}

// Trap 8: an invalid parameter is explained in one sentence.
func TestBadParameters(t *testing.T) {
	for name, tc := range map[string]struct{ tool, args, field, message string }{
		"missing":   {"probe_echo", `{}`, "text", `probe_echo needs parameter "text" (a string of at most 100000 characters: what to give back)`},
		"null":      {"probe_echo", `{"text":null}`, "text", `probe_echo needs parameter "text" (a string of at most 100000 characters: what to give back)`},
		"unknown":   {"probe_echo", `{"text":"x","txt":1}`, "txt", `probe_echo has no parameter "txt"; did you mean "text"?`},
		"case":      {"probe_echo", `{"Text":"x"}`, "Text", `probe_echo has no parameter "Text"; did you mean "text"?`},
		"type":      {"probe_echo", `{"text":7}`, "text", `parameter "text" must be a string of at most 100000 characters, not the number 7`},
		"not whole": {"probe_steps", `{"steps":1.5}`, "steps", `parameter "steps" must be a whole number from 0 to 1000, not the number 1.5`},
		"range":     {"probe_steps", `{"steps":1001}`, "steps", `parameter "steps" must be a whole number from 0 to 1000, not the number 1001`},
		"huge":      {"probe_steps", `{"steps":99999999999999999999}`, "steps", `parameter "steps" must be a whole number from 0 to 1000, not the number 99999999999999999999`},
		"enum":      {"probe_fail", `{"kind":"plan"}`, "kind", `parameter "kind" must be one of validation, notfound, conflict, provider, database, operation, panic, plain, not "plan"; did you mean "plain"?`},
		"NUL":       {"probe_echo", `{"text":"a\u0000b"}`, "text", `parameter "text" holds a NUL character; expected plain text`},
		"UTF-8":     {"probe_echo", "{\"text\":\"a\xff\xfeb\"}", "text", `parameter "text" is not valid UTF-8; expected plain text`},
		"surrogate": {"probe_echo", `{"text":"a\ud800b"}`, "text", `parameter "text" is not valid UTF-8; expected plain text`},
		"too long":  {"probe_echo", `{"text":"` + strings.Repeat("å", 100001) + `"}`, "text", `parameter "text" is 100001 characters long; at most 100000 are accepted`},
		"a list":    {"probe_echo", `["x"]`, "", `the arguments of probe_echo must be an object such as {"text": …}, not a list`},
		"a string":  {"probe_echo", `"x"`, "", `the arguments of probe_echo must be an object such as {"text": …}, not the string "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			all := oneShot(t, hello+callLine(1, tc.tool, tc.args))
			r := all[len(all)-1]
			if r.Result == nil || !r.Result.IsError {
				t.Fatalf("got %+v", r)
			}
			var f struct{ Error, Message, Field string }
			if err := json.Unmarshal(r.Result.StructuredContent, &f); err != nil {
				t.Fatal(err)
			}
			if f.Error != "ValidationError" || f.Message != tc.message || f.Field != tc.field {
				t.Errorf("got  %+v\nwant %q, field %q", f, tc.message, tc.field)
			}
		})
	}
}

// Output that a tool prints by mistake does not reach the protocol.
func TestStandardOutputIsTheProtocol(t *testing.T) {
	all := oneShot(t, hello+callLine(1, "probe_print", `{"text":"oops"}`))
	if len(all) != 2 || all[1].Result == nil {
		t.Fatalf("got %+v", all)
	}
}

// Trap 7: a signal ends the server cleanly, and running calls are answered.
func TestSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			cmd := exec.Command(fixture)
			in, _ := cmd.StdinPipe()
			out, _ := cmd.StdoutPipe()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(out)
			_, _ = io.WriteString(in, hello+callLine("short", "probe_steps", `{"steps":1,"pause":300}`)+callLine("long", "probe_steps", `{"steps":10,"pause":60000}`)+callLine("up", "probe_echo", `{"text":"x"}`))
			var got bytes.Buffer
			for range 2 { // initialize, then "up", which overtook both
				line, err := lines.ReadBytes('\n')
				if err != nil {
					t.Fatal(err)
				}
				got.Write(line)
			}
			began := time.Now()
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			_, _ = got.ReadFrom(lines)
			if err := cmd.Wait(); err != nil {
				t.Errorf("exit: %v", err)
			}
			if took := time.Since(began); took >= endless {
				t.Errorf("it took %v to stop", took)
			}
			answered := map[string]response{}
			for _, r := range decode(t, got.Bytes()) {
				answered[string(r.ID)] = r
			}
			if r := answered[`"short"`]; r.Result == nil || r.Result.IsError {
				t.Errorf("the short call was not finished: %+v", r)
			}
			if r := answered[`"long"`]; r.Result == nil || !r.Result.IsError {
				t.Errorf("the long call was not answered: %+v", r)
			}
		})
	}
}

// The server ends cleanly when its client vanishes.
func TestBrokenPipe(t *testing.T) {
	cmd := exec.Command(fixture)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = out.Close()
	_, _ = io.WriteString(in, hello)
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("exit: %v", err)
		}
	case <-time.After(endless):
		_ = cmd.Process.Kill()
		t.Fatal("the server goes on without a client")
	}
}

// Many requests at once are all answered.
func TestFlood(t *testing.T) {
	var input strings.Builder
	input.WriteString(hello)
	const calls = 1000
	for i := range calls {
		input.WriteString(callLine(i+1, "probe_echo", `{"text":"x"}`))
	}
	answered := 0
	for _, r := range oneShot(t, input.String())[1:] {
		if r.Result != nil && !r.Result.IsError {
			answered++
		}
	}
	if answered != calls {
		t.Errorf("%d of %d calls were answered", answered, calls)
	}
}
