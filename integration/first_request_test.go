package integration

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// firstRequest bounds the bytes that the suite's tools add to each request of a client after a default setup.
const firstRequest = 12_000

// TestFirstRequest starts every server that a default `agit setup` registers and counts the bytes of their tools in a client's request,
// in the format of each API: Anthropic's Messages, OpenAI's Responses and Chat, and Gemini.
func TestFirstRequest(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("agit", "setup", "claude-code", "--json")
	text, err := os.ReadFile(filepath.Join(h.repo, ".mcp.json"))
	must(t, err)
	var written struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	must(t, json.Unmarshal(text, &written))
	if len(written.Servers) != 5 {
		t.Fatalf("setup wrote %s", text)
	}
	sent := map[string]int{}
	tools := 0
	for server, entry := range written.Servers {
		c := mcpclient.Command(t, h.command(t.Context(), filepath.Base(entry.Command), entry.Args...))
		offered, err := c.ListTools(t.Context(), nil)
		must(t, err)
		for _, tool := range offered.Tools {
			tools++
			name := "mcp__" + server + "__" + tool.Name
			function := map[string]any{"name": name, "description": tool.Description, "parameters": tool.InputSchema}
			for api, shape := range map[string]any{
				"Messages":  map[string]any{"name": name, "description": tool.Description, "input_schema": tool.InputSchema},
				"Responses": map[string]any{"type": "function", "name": name, "description": tool.Description, "strict": false, "parameters": tool.InputSchema},
				"Chat":      map[string]any{"type": "function", "function": function},
				"Gemini":    map[string]any{"name": name, "description": tool.Description, "parametersJsonSchema": tool.InputSchema},
			} {
				bytes, err := json.Marshal(shape)
				must(t, err)
				sent[api] += len(bytes) + len(",")
			}
		}
	}
	for api, n := range sent {
		t.Logf("%s: %d tools, %d bytes", api, tools, n)
		if n > firstRequest {
			t.Errorf("%d tools add %d bytes to each request of %s, more than %d", tools, n, api, firstRequest)
		}
	}
	// All tools only by choice.
	h.ok("agit", "setup", "claude-code", "--tools", "all", "--json")
	all, err := os.ReadFile(filepath.Join(h.repo, ".mcp.json"))
	must(t, err)
	must(t, json.Unmarshal(all, &written))
	for server, entry := range written.Servers {
		if len(entry.Args) != 1 {
			t.Errorf("with --tools all %s is started with %q", server, entry.Args)
		}
	}
	h.ok("agit", "setup", "claude-code", "--json")
	again, err := os.ReadFile(filepath.Join(h.repo, ".mcp.json"))
	must(t, err)
	if string(again) != string(all) {
		t.Errorf("a choice of all tools does not stay: %s", again)
	}
}
