package mcpkit

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/agit-suite/agit/shared/fault"
)

// asks are the requests that the server has sent and the client has not answered yet. The zero value is ready.
type asks struct {
	mu   sync.Mutex
	last int
	open map[string]chan *reply
}

// deliver passes a client's answer to the waiting caller; an answer that no one waits for is dropped.
func (a *asks) deliver(id json.RawMessage, r *reply) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if waiting := a.open[string(id)]; waiting != nil {
		delete(a.open, string(id))
		waiting <- r // buffered for one, and there is only one
	}
}

func (a *asks) begin() (id string, answer chan *reply) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	id = strconv.Itoa(a.last)
	answer = make(chan *reply, 1)
	if a.open == nil {
		a.open = map[string]chan *reply{}
	}
	a.open[id] = answer
	return id, answer
}

func (a *asks) forget(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, id)
}

// ask sends a request to the client along the call's own stream and waits for
// the answer.
func (c *Call) ask(ctx context.Context, method string, params, result any) error {
	if c.mute {
		return fault.Operation(nil, "a client of protocol 2026-07-28 cannot be asked for %s", method)
	}
	id, answer := c.session.asks.begin()
	defer c.session.asks.forget(id)
	err := c.out.send(marshal(map[string]any{
		"jsonrpc": mcp.JSONRPC_VERSION, "id": json.RawMessage(id), "method": method, "params": params,
	}))
	if err != nil {
		return fault.Operation(err, "ask the client for %s", method)
	}
	select {
	case r := <-answer:
		if r.Error != nil {
			return fault.Operation(nil, "the client refused %s: %s", method, r.Error.Message)
		}
		if err := json.Unmarshal(r.Result, result); err != nil {
			return fault.Operation(err, "read the client's answer to %s", method)
		}
		return nil
	case <-c.gone:
		return fault.Operation(nil, "the client went away before it answered %s", method)
	case <-c.session.ended:
		return fault.Operation(nil, "the client went away before it answered %s", method)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Sample asks the client's model to continue prompt and returns its text.
func (c *Call) Sample(ctx context.Context, prompt string, maxTokens int) (string, error) {
	if get(&c.session.mu, &c.session.can).Sampling == nil {
		return "", fault.Operation(nil, "this client does not offer its model to servers")
	}
	var result struct {
		Content struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	err := c.ask(ctx, string(mcp.MethodSamplingCreateMessage), map[string]any{
		"messages":  []any{map[string]any{"role": "user", "content": TextContent(prompt)}},
		"maxTokens": maxTokens,
	}, &result)
	return result.Content.Text, err
}

// Answer is a person's answer to Elicit: "accept" with the content, "decline" or "cancel".
type Answer struct {
	Action  string         `json:"action"`
	Content map[string]any `json:"content"`
}

// Elicit asks the person at the client a question; schema is a flat JSON Schema
// of the answer.
func (c *Call) Elicit(ctx context.Context, question string, schema any) (Answer, error) {
	var a Answer
	if get(&c.session.mu, &c.session.can).Elicitation == nil {
		return a, fault.Operation(nil, "this client cannot ask its user")
	}
	err := c.ask(ctx, string(mcp.MethodElicitationCreate), map[string]any{
		"message": question, "requestedSchema": schema,
	}, &a)
	return a, err
}
