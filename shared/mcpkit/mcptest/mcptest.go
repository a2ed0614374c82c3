// Package mcptest holds what the tests of every MCP server of the suite share:
// a server as its program builds it, snapshots and byte budgets of what it
// declares, and calls and whole sessions without a transport. It must not be imported outside tests.
package mcptest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/mcpkit"
)

// MaxTool is how many bytes one tool may take in tools/list.
const MaxTool = 900

// MaxInstructions is the length at which clients cut off a server's instructions.
const MaxInstructions = 2048

// Declaration is a tool as tools/list returns it.
type Declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	wire        json.RawMessage
}

// Tools lists the declared tools.
func Tools(t testing.TB, s *mcpkit.Server) []Declaration {
	t.Helper()
	local := s.Local()
	defer local.Close()
	raw, err := local.Do(t.Context(), "tools/list", nil)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	tools := make([]Declaration, len(list.Tools))
	for i, wire := range list.Tools {
		if err := json.Unmarshal(wire, &tools[i]); err != nil {
			t.Fatal(err)
		}
		tools[i].wire = wire
	}
	return tools
}

// Visible returns the part of the tool that a model pays for: name, description, input schema.
func (d Declaration) Visible() int {
	return len(d.Name) + len(d.Description) + len(d.InputSchema)
}

// Snapshot compares every tool's declaration with testdata/tools/NAME.json;
// -update rewrites them. Clients and models depend on these bytes, so a change
// has to be looked at.
func Snapshot(t *testing.T, s *mcpkit.Server) {
	t.Helper()
	dir := filepath.Join("testdata", "tools")
	seen := map[string]bool{}
	for _, d := range Tools(t, s) {
		seen[d.Name+".json"] = true
		var got bytes.Buffer
		if err := json.Indent(&got, d.wire, "", "  "); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
		clitest.Golden(t, filepath.Join(dir, d.Name+".json"), got.String())
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, file := range files {
		if seen[filepath.Base(file)] {
			continue
		}
		if clitest.Updating() {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s is the snapshot of a tool that is gone; run the test with -update", file)
	}
}

// Budget fails when the tools together cost a model more than total bytes, or one of them takes more than MaxTool on the wire. It logs the
// cost of each.
func Budget(t testing.TB, s *mcpkit.Server, total int) {
	t.Helper()
	sum := 0
	for _, d := range Tools(t, s) {
		sum += d.Visible()
		t.Logf("%-28s %4d visible, %4d on the wire", d.Name, d.Visible(), len(d.wire))
		if len(d.wire) > MaxTool {
			t.Errorf("tool %s takes %d bytes on the wire; at most %d are allowed", d.Name, len(d.wire), MaxTool)
		}
	}
	t.Logf("%-28s %4d of %d", "all tools", sum, total)
	if n := len(s.Info().Instructions); n > MaxInstructions {
		t.Errorf("the instructions take %d bytes; clients cut them at %d", n, MaxInstructions)
	}
	if sum > total {
		t.Errorf("the tools take %d model-visible bytes; the budget is %d", sum, total)
	}
}

// Result is the result of a call.
type Result struct {
	IsError           bool            `json:"isError"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	Content           []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
}

// Call calls a tool and checks that the result is an object, as structured content and the same as text.
func Call(t testing.TB, local *mcpkit.Local, tool string, args any) Result {
	t.Helper()
	raw, err := local.Do(t.Context(), "tools/call", map[string]any{"name": tool, "arguments": args})
	if err != nil {
		t.Fatal(err)
	}
	var r Result
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.StructuredContent) == 0 || r.StructuredContent[0] != '{' {
		t.Fatalf("%s: structured content is not an object: %s", tool, raw)
	}
	if len(r.Content) == 0 || r.Content[0].Type != "text" { // any further text names what was taken out
		t.Fatalf("%s: want one text content: %s", tool, raw)
	}
	var a, b any
	_ = json.Unmarshal(r.StructuredContent, &a)
	_ = json.Unmarshal([]byte(r.Content[0].Text), &b)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Fatalf("%s: structured content and text differ:\n%s", tool, diff)
	}
	return r
}
