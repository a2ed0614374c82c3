package permit

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"strings"
	"sync"

	"github.com/agit-suite/agit/shared/fault"
)

// Server and Tool are the names under which the client finds the tool.
const (
	Server = "agit_permit"
	Tool   = "ask"
)

func limited(r io.Reader) io.Reader { return io.LimitReader(r, longestQuestion) }

// message is a JSON-RPC request, one per line, as in MCP over standard input and output.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// asked holds the arguments of the tool, in Claude Code's format (--permission-prompt-tool).
type asked struct {
	Tool  string          `json:"tool_name"`
	Input json.RawMessage `json:"input"`
}

// schema is the tool's input schema.
const schema = `{"type":"object","properties":{"tool_name":{"type":"string"},"input":{"type":"object"},"tool_use_id":{"type":"string"}},"required":["tool_name","input"]}`

// Serve runs the MCP server of a client until its input or ctx ends. setting is the value of Variable.
func Serve(ctx context.Context, in io.Reader, out io.Writer, setting string) error {
	address, word, found := strings.Cut(setting, " ")
	if !found {
		return fault.Validation(Variable, "%s is not set", Variable).WithHint("`agit work` starts this program for its client")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex
	reply := func(id json.RawMessage, result any) {
		mu.Lock()
		defer mu.Unlock()
		_ = json.NewEncoder(out).Encode(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
	}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil //nolint:nilerr // the client is done
		}
		var m message
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue // a notification
		}
		switch m.Method {
		case "initialize":
			var p struct {
				Version string `json:"protocolVersion"`
			}
			_ = json.Unmarshal(m.Params, &p)
			reply(m.ID, map[string]any{"protocolVersion": p.Version, "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": Server, "version": "1"}})
		case "tools/list":
			reply(m.ID, map[string]any{"tools": []any{map[string]any{"name": Tool, "description": "Asked by the client itself, before a tool is called.", "inputSchema": json.RawMessage(schema)}}})
		case "tools/call":
			go func() {
				var p struct {
					Arguments asked `json:"arguments"`
				}
				_ = json.Unmarshal(m.Params, &p)
				behaviour := map[string]any{"behavior": "allow", "updatedInput": p.Arguments.Input}
				if a := ask(ctx, address, word, p.Arguments); !a.Allow {
					behaviour = map[string]any{"behavior": "deny", "message": "Not allowed: " + a.Why}
				}
				text, _ := json.Marshal(behaviour)
				reply(m.ID, map[string]any{"content": []any{map[string]any{"type": "text", "text": string(text)}}})
			}()
		default:
			reply(m.ID, map[string]any{})
		}
	}
}

// ask sends the request to the worker. It returns a denial when the worker is gone.
func ask(ctx context.Context, address, word string, q asked) answer {
	gone := answer{Why: "the worker that decides does not answer"}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return gone
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	var a answer
	if json.NewEncoder(conn).Encode(question{word, q.Tool, q.Input}) != nil || json.NewDecoder(limited(conn)).Decode(&a) != nil {
		return gone
	}
	return a
}
