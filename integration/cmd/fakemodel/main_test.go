package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// ask sends a request to a model with a scenario and returns the status and the body.
func ask(t *testing.T, m *model, path, body string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
	text, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(text)
}

// Each API returns the same steps in its own format: a tool call, then the end with its result, or an error.
func TestAPIs(t *testing.T) {
	t.Parallel()
	const steps = `{"rules": [{"when": "limited", "times": 1, "steps": [{"status": 429, "headers": {"retry-after": "3"}, "message": "slow down"}]},
		{"when": "", "steps": [{"shell": "make it"}]}]}`
	schema := `{"type":"object","properties":{"command":{"type":"string"},"description":{"type":"string"}},"required":["command","description"]}`
	for name, test := range map[string]struct{ path, first, then, wantCall, wantEnd, wantError string }{
		"Messages": {"/v1/messages", `{"stream":true,"tools":[{"name":"Bash","input_schema":` + schema + `}],"messages":[{"role":"user","content":"TEXT"}]}`,
			`{"tools":[{"name":"Bash","input_schema":` + schema + `}],"messages":[{"role":"user","content":"work"},{"role":"user","content":[{"type":"tool_result","content":"x"}]}]}`,
			`"partial_json":"{\"command\":\"make it\",\"description\":\"run it\"}"`, `"stop_reason":"end_turn"`, `"type":"rate_limit_error"`},
		"Responses": {"/v1/responses", `{"stream":true,"tools":[{"type":"function","name":"shell","parameters":` + schema + `}],"input":[{"role":"user","content":[{"type":"input_text","text":"TEXT"}]}]}`,
			`{"tools":[{"type":"function","name":"shell","parameters":` + schema + `}],"input":[{"role":"user","content":"work"},{"type":"function_call_output","output":"x"}]}`,
			`"arguments":"{\"command\":\"make it\",\"description\":\"run it\"}"`, `"text":"Done."`, `"code":"rate_limit_exceeded"`},
		"Chat": {"/v1/chat/completions", `{"stream":true,"tools":[{"type":"function","function":{"name":"bash","parameters":` + schema + `}}],"messages":[{"role":"user","content":"TEXT"}]}`,
			`{"tools":[{"type":"function","function":{"name":"bash","parameters":` + schema + `}}],"messages":[{"role":"user","content":"work"},{"role":"tool","content":"x"}]}`,
			`"arguments":"{\"command\":\"make it\",\"description\":\"run it\"}"`, `"finish_reason":"stop"`, `"message":"slow down"`},
		"Gemini": {"/v1beta/models/x:streamGenerateContent", `{"tools":[{"functionDeclarations":[{"name":"run","parametersJsonSchema":` + schema + `}]}],"contents":[{"role":"user","parts":[{"text":"TEXT"}]}]}`,
			`{"tools":[{"functionDeclarations":[{"name":"run","parametersJsonSchema":` + schema + `}]}],"contents":[{"role":"user","parts":[{"text":"work"}]},{"role":"user","parts":[{"functionResponse":{"name":"run"}}]}]}`,
			`"args":{"command":"make it","description":"run it"}`, `"text":"Done."`, `"status":"RESOURCE_EXHAUSTED"`},
	} {
		s, err := read([]byte(steps))
		if err != nil {
			t.Fatal(err)
		}
		m := &model{scenario: s}
		if status, body := ask(t, m, test.path, strings.ReplaceAll(test.first, "TEXT", "limited")); status != 429 || !strings.Contains(body, test.wantError) {
			t.Errorf("%s: the error is %d %s", name, status, body)
		}
		if status, body := ask(t, m, test.path, strings.ReplaceAll(test.first, "TEXT", "limited")); status != 200 || !strings.Contains(body, test.wantCall) {
			t.Errorf("%s: the call is %d %s", name, status, body)
		}
		if status, body := ask(t, m, test.path, test.then); status != 200 || !strings.Contains(body, test.wantEnd) {
			t.Errorf("%s: the end is %d %s", name, status, body)
		}
	}
}

// A tool of a group is called by its name and the group's.
func TestGroupedTools(t *testing.T) {
	t.Parallel()
	s, err := read([]byte(`{"rules": [{"when": "", "steps": [{"tool": "agit_begin", "input": {"repo": "app"}}, {"shell": "make it"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	m := &model{scenario: s}
	const tools = `"tools":[{"type":"web_search"},{"type":"function","name":"shell","parameters":{"properties":{"command":{"type":"string"}}}},{"type":"namespace","name":"mcp__agit","tools":[{"type":"function","name":"agit_begin","parameters":{}}]}]`
	if _, body := ask(t, m, "/v1/responses", `{`+tools+`,"input":[{"role":"user","content":"work"}]}`); !strings.Contains(body, `"name":"agit_begin"`) || !strings.Contains(body, `"namespace":"mcp__agit"`) {
		t.Error(body)
	}
	if _, body := ask(t, m, "/v1/responses", `{`+tools+`,"input":[{"role":"user","content":"work"},{"type":"function_call_output","output":"x"}]}`); !strings.Contains(body, `"name":"shell"`) || strings.Contains(body, "namespace") {
		t.Error(body)
	}
}

func TestOddRequests(t *testing.T) {
	t.Parallel()
	m := &model{}
	for path, want := range map[string]int{"/v1/messages": 400, "/v1/nothing": 404, "/v1/messages/count_tokens": 200} {
		if status, body := ask(t, m, path, "{"); status != want {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if _, err := read([]byte(`{"rules": [{"when": "("}]}`)); err == nil {
		t.Error("an expression that cannot be read is taken")
	}
	name, input := step{Tool: "agit_begin", Input: map[string]any{"repo": "app"}}.call([]tool{{Name: "mcp__agit__agit_begin"}})
	if text, _ := json.Marshal(input); name != "mcp__agit__agit_begin" || string(text) != `{"repo":"app"}` {
		t.Errorf("it calls %s with %s", name, text)
	}
	if name, _ := (step{Shell: "x"}).call(nil); name != "shell" {
		t.Errorf("without tools it calls %s", name)
	}
}
