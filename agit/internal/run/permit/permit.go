// Package permit lets a client of an agent that is driven by its command line ask before it calls a tool, as one that speaks the
// Agent Client Protocol does. The client starts an MCP server with one tool (`agit permit`), and asks by it; the server hands the call
// to the worker that runs the client, over a connection on 127.0.0.1 with a word that only the two know, and the worker decides.
//
// permit.go is the worker's end, server.go the client's.
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

// Variable holds, for the server, where the worker listens and the word.
const Variable = "AGIT_PERMIT"

// question is what the server sends, in a line.
type question struct {
	Word  string          `json:"word"`
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
}

// answer is the line that comes back.
type answer struct {
	Allow bool   `json:"allow"`
	Why   string `json:"why,omitempty"`
}

// Desk is where a worker is asked, for one run.
type Desk struct {
	decide   func(context.Context, acp.Request) acp.Decision
	listener net.Listener
	word     string
	ctx      context.Context
	stop     context.CancelFunc
	open     sync.WaitGroup
}

// Listen opens a desk. decide is called for each call that is asked about, by several goroutines at once; its context ends when the
// client stops to wait, or the desk is closed.
func Listen(decide func(context.Context, acp.Request) acp.Decision) (*Desk, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fault.Operation(err, "listen for what the client asks")
	}
	d := &Desk{decide: decide, listener: listener, word: rand.Text()}
	d.ctx, d.stop = context.WithCancel(context.Background())
	d.open.Go(d.accept)
	return d, nil
}

// Setting is the setting of Variable for the server.
func (d *Desk) Setting() string { return Variable + "=" + d.listener.Addr().String() + " " + d.word }

// Close ends the desk, and every call that waits.
func (d *Desk) Close() {
	d.stop()
	d.listener.Close()
	d.open.Wait()
}

func (d *Desk) accept() {
	for {
		conn, err := d.listener.Accept()
		if err != nil {
			return
		}
		d.open.Go(func() { d.serve(conn) })
	}
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
	go func() { // whatever comes now is the end of who asked
		_, _ = conn.Read(make([]byte, 1))
		cancel()
	}()
	decision := d.decide(ctx, acp.ToolRequest(q.Tool, q.Input))
	_ = json.NewEncoder(conn).Encode(answer{Allow: decision.Allow, Why: decision.Why})
}
