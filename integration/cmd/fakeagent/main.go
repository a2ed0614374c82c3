// Command fakeagent is an agent's MCP client without a model, controlled by its input. Each line of standard input is a call in JSON:
// {"server": "agit", "tool": "agit_begin", "arguments": {…}}. It starts the server in its own folder on the first call, and answers
// with one line: {"result": {…}} or {"fault": {…}}. When its input ends, it stops its servers and exits. Test scripts run it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	if err := run(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fakeagent:", err)
		os.Exit(1)
	}
}

type call struct {
	Server, Tool string
	Arguments    map[string]any
}

type answer struct {
	Result any `json:"result,omitempty"`
	Fault  any `json:"fault,omitempty"`
}

func run(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	servers := map[string]*mcp.ClientSession{}
	defer func() {
		for _, s := range servers {
			err = errors.Join(err, s.Close())
		}
	}()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var c call
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return err
		}
		if servers[c.Server] == nil {
			cmd := exec.Command(c.Server, "serve")
			cmd.Stderr = os.Stderr
			client := mcp.NewClient(&mcp.Implementation{Name: "fakeagent", Version: "1"}, nil)
			if servers[c.Server], err = client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil); err != nil {
				return err
			}
		}
		result, err := servers[c.Server].CallTool(ctx, &mcp.CallToolParams{Name: c.Tool, Arguments: c.Arguments})
		if err != nil {
			return err
		}
		a := answer{Result: result.StructuredContent}
		if result.IsError {
			a = answer{Fault: result.StructuredContent}
		}
		if err := json.NewEncoder(out).Encode(a); err != nil {
			return err
		}
	}
	return lines.Err()
}
