// Package acp is a client of the Agent Client Protocol, version 1 (https://agentclientprotocol.com): it runs one turn of an agent over
// the agent's standard input and output. It starts no processes and writes no rows. A Turn is used once.
//
// turn.go opens the conversation, turns.go runs its turns, updates.go and tools.go read the agent's reports, permission.go answers its
// requests, lines.go splits its output.
package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"
)

// Turn is one prompt to an agent in a session, with the further prompts that Next returns.
type Turn struct {
	Dir     string // where the agent works; an absolute path
	Prompt  string
	Session string   // the session to resume; "" begins a new one
	Servers []Server // MCP servers for the agent to start
	Modes   []string // session modes: the first one that the agent supports is set; an empty list keeps the agent's default
	Version string   // agit's version

	// Decide answers a permission request; nil refuses each. It may block until ctx ends.
	Decide func(ctx context.Context, r Request) Decision
	// Update is called with the agent's usage so far; it may be nil.
	Update func(u Usage)
	// Opened is called with the session once it is open; it may be nil.
	Opened func(session string)
	// Written is called after a prompt was written to the agent; it may be nil.
	Written func(session string)
	// Next returns the prompt of a further turn after one has ended, or "" when there is none. It may be nil.
	Next func(ctx context.Context) string
	// Cut cancels the current turn when it receives, so that Next is called. A nil channel never does.
	Cut <-chan struct{}
	Log io.Writer // gets lines for people
}

// Server is an MCP server over standard input and output.
type Server struct {
	Name    string
	Command string
	Args    []string
	Env     []string // NAME=VALUE
}

// Usage is what an agent used: the tokens of this turn, and the money of its whole session.
type Usage struct {
	Input, Output, Cached int64
	Cost                  float64
	Currency              string // "" when the agent reports no cost
	Session               string // the session that the cost is for
}

// Result is the result of a Turn.
type Result struct {
	Agent   string // name and version, as the agent reports them
	Session string
	Begun   bool   // the session began, so the program speaks the protocol
	Acted   bool   // it wrote, thought or called a tool
	Calls   int    // number of tool calls
	Turns   int    // number of turns that ended
	Stop    string // the protocol's reason for the end of the turn; "" when it did not end
	Message string // the agent's last message
	Denied  []string
	Usage   Usage
	Model   string
	Err     *Failure
}

// Failure is the reason why a turn did not end properly.
type Failure struct {
	Message string // in the agent's words if it sent some
	Name    string // the error's name, as in data.errorKind
	Status  int    // HTTP status
	Code    int    // JSON-RPC code
	Broken  bool   // the agent closed its output or violated the protocol
}

// cancelTime is how long an agent has after session/cancel to end its turn.
const cancelTime = 3 * time.Second

// Speak runs the turn and the turns after it: in is the agent's standard input, out its standard output. It returns when the turn or
// the output has ended, or when ctx is done. In the last case it first cancels the turn and waits some seconds for its end.
func (t *Turn) Speak(ctx context.Context, in io.Writer, out io.Reader) Result {
	c := &conversation{turn: t, out: writer{to: t.Log}, in: in}
	feed, to := io.Pipe()
	defer feed.Close()
	defer c.beginCalls(ctx)()
	c.conn = sdk.NewConnection(c.request, c, feed)
	c.conn.SetLogger(slog.New(slog.DiscardHandler))
	read := make(chan struct{})
	go func() {
		to.CloseWithError(c.read(out, to))
		close(read)
		_, _ = io.Copy(io.Discard, out) // lets the agent end
	}()
	err := c.run(ctx)
	if c.ended() { // it ended before reading the request: its last output is the reason
		select {
		case <-read:
		case <-time.After(cancelTime):
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.end()
	c.out.to = nil
	c.result.Message = strings.TrimSpace(c.message.String())
	if err != nil {
		c.result.Err = failureOf(err, c.broken, c.deaf)
	}
	return c.result
}

// conversation is a running Turn.
type conversation struct {
	turn *Turn
	conn *sdk.Connection
	in   io.Writer // the agent's standard input
	out  writer

	mu      sync.Mutex
	calls   context.Context // context of the agent's requests during a turn
	tools   map[string]*tool
	before  Usage // usage of the turns that have ended
	result  Result
	message strings.Builder
	fresh   bool // the next text begins a new message
	muted   bool // a loaded session is repeating old messages
	broken  string
	deaf    bool // the agent no longer reads messages
}

// opened holds the fields of the answers that begin a session. Fields of an unexpected type are ignored.
type opened struct {
	SessionID string  `json:"sessionId"`
	Modes     lenient `json:"modes"`
	Models    lenient `json:"models"`
}

// lenient is JSON of any form.
type lenient = json.RawMessage

func (c *conversation) run(ctx context.Context) error {
	var hello struct {
		Version int     `json:"protocolVersion"`
		Can     lenient `json:"agentCapabilities"`
		Info    lenient `json:"agentInfo"`
	}
	err := c.ask(ctx, sdk.AgentMethodInitialize, map[string]any{
		"protocolVersion":    sdk.ProtocolVersionNumber,
		"clientCapabilities": map[string]any{"fs": map[string]any{"readTextFile": false, "writeTextFile": false}, "terminal": false},
		"clientInfo":         sdk.Implementation{Name: "agit", Version: c.turn.Version},
	}, &hello)
	if err != nil {
		return err
	}
	if hello.Version != sdk.ProtocolVersionNumber {
		return &sdk.RequestError{Message: "the agent speaks another version of the protocol than 1"}
	}
	var info sdk.Implementation
	_ = json.Unmarshal(hello.Info, &info)
	c.set(func(r *Result) { r.Agent = strings.TrimSpace(info.Name + " " + info.Version) })
	session, err := c.open(ctx, hello.Can)
	if err != nil {
		return err
	}
	c.set(func(r *Result) {
		r.Begun, r.Session, r.Model = true, session.SessionID, modelOf(session.Models)
		r.Usage.Session = session.SessionID
	})
	if c.turn.Opened != nil {
		c.turn.Opened(session.SessionID)
	}
	if err := c.setMode(ctx, session); err != nil {
		return err
	}
	return c.turns(ctx, session.SessionID)
}

// open begins a session, or resumes one when the agent can do that.
func (c *conversation) open(ctx context.Context, can lenient) (s opened, err error) {
	var able struct {
		Load    lenient `json:"loadSession"`
		Session struct {
			Resume lenient `json:"resume"`
		} `json:"sessionCapabilities"`
	}
	_ = json.Unmarshal(can, &able)
	place := map[string]any{"cwd": c.turn.Dir, "mcpServers": c.turn.servers()}
	if c.turn.Session != "" {
		method := ""
		switch {
		case len(able.Session.Resume) > 0 && string(able.Session.Resume) != "null" && string(able.Session.Resume) != "false":
			method = sdk.AgentMethodSessionResume
		case string(able.Load) == "true":
			method = sdk.AgentMethodSessionLoad
		}
		if method != "" {
			place["sessionId"] = c.turn.Session
			c.mute(true)
			err = c.ask(ctx, method, place, &s)
			c.mute(false)
			var refused *sdk.RequestError
			if err == nil || !errors.As(err, &refused) || c.closed() || ctx.Err() != nil {
				s.SessionID = c.turn.Session
				return s, err
			}
			delete(place, "sessionId") // the agent has forgotten the session
		}
	}
	if err = c.ask(ctx, sdk.AgentMethodSessionNew, place, &s); err == nil && s.SessionID == "" {
		err = &sdk.RequestError{Message: "the agent began a session without an id"}
	}
	return s, err
}

func (t *Turn) servers() []sdk.McpServerStdio {
	list := make([]sdk.McpServerStdio, 0, len(t.Servers))
	for _, s := range t.Servers {
		env := make([]sdk.EnvVariable, 0, len(s.Env))
		for _, setting := range s.Env {
			name, value, _ := strings.Cut(setting, "=")
			env = append(env, sdk.EnvVariable{Name: name, Value: value})
		}
		list = append(list, sdk.McpServerStdio{Name: s.Name, Command: s.Command, Args: append([]string{}, s.Args...), Env: env})
	}
	return list
}

// setMode sets the first mode of the turn that the session supports. An agent that refuses stays in its own mode.
func (c *conversation) setMode(ctx context.Context, s opened) error {
	var modes struct {
		Current   string `json:"currentModeId"`
		Available []struct {
			ID string `json:"id"`
		} `json:"availableModes"`
	}
	_ = json.Unmarshal(s.Modes, &modes)
	for _, want := range c.turn.Modes {
		for _, has := range modes.Available {
			if has.ID != want {
				continue
			}
			if want == modes.Current {
				return nil
			}
			var none struct{}
			err := c.ask(ctx, sdk.AgentMethodSessionSetMode, map[string]any{"sessionId": s.SessionID, "modeId": want}, &none)
			if c.closed() || ctx.Err() != nil {
				return err
			}
			return nil
		}
	}
	return nil
}

func modelOf(models lenient) string {
	var m struct {
		Current string `json:"currentModelId"`
	}
	_ = json.Unmarshal(models, &m)
	return m.Current
}

// ask sends a request and waits for its answer.
func (c *conversation) ask(ctx context.Context, method string, params, into any) error {
	raw, err := sdk.SendRequest[json.RawMessage](c.conn, ctx, method, params)
	if err != nil {
		return err
	}
	if len(raw) > 0 {
		_ = json.Unmarshal(raw, into) // a field of an unexpected type is ignored
	}
	return nil
}

func (c *conversation) closed() bool {
	select {
	case <-c.conn.Done():
		return true
	default:
		return false
	}
}

// ended reports whether the agent no longer reads messages.
func (c *conversation) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.deaf
}

func (c *conversation) set(do func(*Result)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do(&c.result)
}

func (c *conversation) mute(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.muted = on
}

// failureOf converts an error of the connection or of the agent. The agent may have ended without reading a message.
func failureOf(err error, broken string, deaf bool) *Failure {
	f := &Failure{Message: err.Error()}
	var e *sdk.RequestError
	if !errors.As(err, &e) {
		f.Broken = true
		return f
	}
	f.Message, f.Code = e.Message, e.Code
	raw, _ := json.Marshal(e.Data)
	var data struct {
		Kind    string          `json:"errorKind"`
		Name    string          `json:"errorName"`
		Status  json.RawMessage `json:"status"`
		Error   string          `json:"error"`
		Message string          `json:"message"`
		Details string          `json:"details"`
	}
	_ = json.Unmarshal(raw, &data)
	f.Name = strings.TrimSpace(data.Kind + " " + data.Name)
	_ = json.Unmarshal(data.Status, &f.Status)
	if deaf || strings.HasPrefix(data.Error, "peer disconnected") {
		f.Broken, f.Message = true, cmp.Or(broken, "the agent closed its output before it answered")
		return f
	}
	for _, more := range []string{data.Message, data.Details, data.Error} {
		if more != "" && !strings.Contains(f.Message, more) {
			f.Message += ": " + more
		}
	}
	if e.Code == authRequired {
		f.Name = strings.TrimSpace(f.Name + " auth_required")
	}
	return f
}

// authRequired is the error code of an agent that requires a login first (https://agentclientprotocol.com/protocol/initialization).
const authRequired = -32000
