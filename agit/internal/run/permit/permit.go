// Package permit lets a command-line client ask for permission before it calls a tool, as clients of the Agent Client Protocol do. The
// client starts an MCP server with one tool (`agit permit`) and calls it. The server passes the call to the worker that runs the
// client, over a connection on 127.0.0.1 with a shared secret, and the worker decides. permit.go is the worker's side, server.go the
// client's.
package permit

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"net"
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
