// Command fakemodel is a scripted model: a server on the loopback that speaks Anthropic's Messages, OpenAI's Responses and Chat
// Completions, and Gemini's API, streaming or not. Agent clients are tested with it, because a real model does not answer the same way
// twice.
//
//	fakemodel [--port N] [--log FILE] SCENARIO
//
// The scenario is a JSON file: {"rules": [{"when": "REGEXP", "times": 2, "steps": [STEP, …]}, …]}. The first rule that matches the text
// of a conversation and is not used up answers, with the next step after those whose results the conversation contains. A step is
// {"say": TEXT}, {"shell": COMMAND}, {"tool": NAME, "input": {…}}, {"status": 429, "headers": {…}, "message": TEXT}, or {"hang": true}.
// After the last step it says "Done.". It prints its address.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
)

type step struct {
	Say     string            `json:"say"`
	Shell   string            `json:"shell"`
	Tool    string            `json:"tool"`
	Input   map[string]any    `json:"input"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Message string            `json:"message"`
	Hang    bool              `json:"hang"`
}

type rule struct {
	When  string `json:"when"`
	Times int    `json:"times"` // 0 means no limit
	Steps []step `json:"steps"`

	expr *regexp.Regexp
	used int
}

type scenario struct {
	Rules []*rule `json:"rules"`
}

// read reads a scenario.
func read(data []byte) (s scenario, err error) {
	if err := json.Unmarshal(data, &s); err != nil {
		return s, err
	}
	for _, r := range s.Rules {
		if r.expr, err = regexp.Compile(r.When); err != nil {
			return s, err
		}
	}
	return s, nil
}

// turn is a request in any API.
type turn struct {
	Text    string // of the conversation
	Results int    // tool results after the user's last message
	Tools   []tool
	Stream  bool
	Model   string
}

// tool is a tool that the client offers.
type tool struct {
	Name   string
	Schema map[string]any
	Space  string // the tool's group; "" for none
}

type model struct {
	mu       sync.Mutex
	scenario scenario
	log      io.Writer
	calls    int
}

// answer picks the step for a turn.
func (m *model) answer(t turn) step {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if len(t.Tools) == 0 { // a title or summary, which clients request besides the work
		return step{Say: "Work"}
	}
	for _, r := range m.scenario.Rules {
		if !r.expr.MatchString(t.Text) || r.Times > 0 && r.used >= r.Times {
			continue
		}
		if t.Results >= len(r.Steps) {
			return step{Say: "Done."}
		}
		r.used++
		return r.Steps[t.Results]
	}
	return step{Say: "I have nothing to do."}
}

// call makes the tool call of a step: for a shell, it uses the tool that takes a command.
func (s step) call(tools []tool) (name string, input map[string]any) {
	if s.Tool != "" {
		for _, t := range tools {
			if t.Name == s.Tool || strings.HasSuffix(t.Name, "__"+s.Tool) || strings.HasSuffix(t.Name, "_"+s.Tool) {
				return t.Name, s.Input
			}
		}
		return s.Tool, s.Input
	}
	for _, t := range tools {
		properties, _ := t.Schema["properties"].(map[string]any)
		for _, key := range []string{"command", "cmd"} {
			p, ok := properties[key].(map[string]any)
			if !ok {
				continue
			}
			input = map[string]any{key: s.Shell}
			if p["type"] == "array" {
				input[key] = []string{"sh", "-c", s.Shell}
			}
			required, _ := t.Schema["required"].([]any)
			for _, name := range required {
				if _, given := input[fmt.Sprint(name)]; !given {
					input[fmt.Sprint(name)] = "run it"
				}
			}
			return t.Name, input
		}
	}
	return "shell", map[string]any{"command": s.Shell}
}

// api is one of the models' APIs.
type api struct {
	match *regexp.Regexp
	parse func(body map[string]any, path string) turn
	// say answers with a text, or with the call of a tool where name is not empty.
	say  func(w http.ResponseWriter, t turn, n int, text, name string, input map[string]any)
	fail func(status int, message string) any
}

var apis = []api{
	{regexp.MustCompile(`/messages$`), parseMessages, sayMessages, failMessages},
	{regexp.MustCompile(`/responses$`), parseResponses, sayResponses, failOpenAI},
	{regexp.MustCompile(`/chat/completions$`), parseChat, sayChat, failOpenAI},
	{regexp.MustCompile(`:(stream)?[gG]enerateContent$`), parseGemini, sayGemini, failGemini},
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(http.MaxBytesReader(w, r.Body, 32<<20))
	if m.log != nil {
		m.mu.Lock()
		fmt.Fprintf(m.log, "%s %s %s\n", r.Method, r.URL.Path, body)
		m.mu.Unlock()
	}
	for _, a := range apis {
		if r.Method != http.MethodPost || !a.match.MatchString(r.URL.Path) {
			continue
		}
		var document map[string]any
		if err := json.Unmarshal(body, &document); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		t := a.parse(document, r.URL.Path)
		s := m.answer(t)
		switch {
		case s.Hang:
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case s.Status != 0:
			for name, value := range s.Headers {
				w.Header().Set(name, value)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(s.Status)
			_ = json.NewEncoder(w).Encode(a.fail(s.Status, s.Message))
		case s.Say != "":
			a.say(w, t, m.calls, s.Say, "", nil)
		default:
			name, input := s.call(t.Tools)
			a.say(w, t, m.calls, "", name, input)
		}
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "count_tokens"):
		fmt.Fprint(w, `{"input_tokens":10}`)
	case strings.HasSuffix(r.URL.Path, ":countTokens"):
		fmt.Fprint(w, `{"totalTokens":10}`)
	case strings.HasSuffix(r.URL.Path, "/models"):
		fmt.Fprint(w, `{"object":"list","data":[],"models":[]}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"type":"not_found_error","message":"not found"}}`)
	}
}

func main() {
	port := flag.Int("port", 0, "port on 127.0.0.1; 0 takes any")
	log := flag.String("log", "", "file for the requests")
	flag.Parse()
	if err := serve(*port, *log, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "fakemodel:", err)
		os.Exit(1)
	}
}

func serve(port int, log, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	m := &model{}
	if m.scenario, err = read(data); err != nil {
		return err
	}
	if log != "" {
		out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		m.log = out
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String())
	return http.Serve(l, m)
}
