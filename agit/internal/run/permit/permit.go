// Package permit lets a command-line client ask for permission before it calls a tool, as clients of the Agent Client Protocol do. The
// client starts an MCP server with one tool (`agit permit`) and calls it. The server passes the call to the worker that runs the
// client, over a connection on 127.0.0.1 with a shared secret, and the worker decides. Listen is the worker's side, Serve the
// client's.
package permit

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net"
	"strings"
	"sync"

	"github.com/agit-suite/agit/agit/internal/run/acp"
	"github.com/agit-suite/agit/shared/fault"
)

// Variable is the environment variable with the worker's address and the secret, for the server.
const Variable = "AGIT_PERMIT"

// question is the server's request, in one line.
type question struct {
	Word  string          `json:"word"`
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
}

// answer is the worker's reply, in one line.
type answer struct {
	Allow bool   `json:"allow"`
	Why   string `json:"why,omitempty"`
}

// Desk answers the requests of one run.
type Desk struct {
	decide   func(context.Context, acp.Request) acp.Decision
	listener net.Listener
	word     string
	ctx      context.Context
	stop     context.CancelFunc
	open     sync.WaitGroup
}

// Listen opens a desk. decide is called for each request, concurrently; its context ends when the client stops waiting or the desk is
// closed.
func Listen(decide func(context.Context, acp.Request) acp.Decision) (*Desk, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fault.Operation(err, "listen for what the client asks")
	}
	d := &Desk{decide: decide, listener: listener, word: rand.Text()}
	d.ctx, d.stop = context.WithCancel(context.Background())
	d.open.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			d.open.Go(func() { d.serve(conn) })
		}
	})
	return d, nil
}

// Setting returns the value of Variable for the server, as NAME=VALUE.
func (d *Desk) Setting() string { return Variable + "=" + d.listener.Addr().String() + " " + d.word }

// Close closes the desk and cancels every pending request.
func (d *Desk) Close() {
	d.stop()
	d.listener.Close()
	d.open.Wait()
}

// longestQuestion bounds a call, in bytes.
const longestQuestion = 4 << 20

// serve answers one question.
func (d *Desk) serve(conn net.Conn) {
	defer conn.Close()
	ctx, cancel := context.WithCancel(d.ctx)
	defer cancel()
	defer context.AfterFunc(d.ctx, func() { conn.Close() })()
	var q question
	if json.NewDecoder(limited(conn)).Decode(&q) != nil || subtle.ConstantTimeCompare([]byte(q.Word), []byte(d.word)) != 1 {
		return
	}
	go func() { // anything that arrives now means that the client is gone
		_, _ = conn.Read(make([]byte, 1))
		cancel()
	}()
	decision := d.decide(ctx, acp.ToolRequest(q.Tool, q.Input))
	_ = json.NewEncoder(conn).Encode(answer{Allow: decision.Allow, Why: decision.Why})
}

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
