package acp

import (
	"bytes"
	"context"
	"errors"
	"time"

	sdk "github.com/coder/acp-go-sdk"
)

// turns runs the first turn and then those that Next adds.
func (c *conversation) turns(ctx context.Context, session string) error {
	for text := c.turn.Prompt; text != ""; {
		if err := c.prompt(ctx, session, text); err != nil {
			return err
		}
		text = ""
		if c.turn.Next != nil && ctx.Err() == nil {
			text = c.turn.Next(ctx)
		}
		if text != "" {
			c.another(text)
		}
	}
	return nil
}

// another prepares the next turn: its message and its end are recorded anew, and usage is added up.
func (c *conversation) another(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.result.Stop, c.fresh = "", true
	c.before = c.result.Usage
	c.out.line("[told] " + indented(text))
}

// prompt runs one turn.
func (c *conversation) prompt(ctx context.Context, session, text string) error {
	endCalls := c.beginCalls(ctx)
	defer endCalls()
	var answer struct {
		Stop  string  `json:"stopReason"`
		Usage lenient `json:"usage"`
	}
	ended := make(chan error, 1)
	go func() {
		ended <- c.ask(context.WithoutCancel(ctx), sdk.AgentMethodSessionPrompt, map[string]any{
			"sessionId": session, "prompt": []any{map[string]any{"type": "text", "text": text}}}, &answer)
	}()
	cancel := func() {
		endCalls() // pending permission requests are answered with cancelled
		go func() {
			_ = c.conn.SendNotification(context.WithoutCancel(ctx), sdk.AgentMethodSessionCancel, map[string]any{"sessionId": session})
		}()
	}
	var err error
	cut := c.turn.Cut
	for waiting := true; waiting; {
		select {
		case err = <-ended:
			waiting = false
		case <-cut: // received once: the agent ends the turn in its own time
			cut = nil
			cancel()
		case <-ctx.Done():
			cancel()
			timer := time.NewTimer(cancelTime)
			defer timer.Stop()
			select {
			case err = <-ended:
				waiting = false
			case <-timer.C:
				return ctx.Err()
			}
		}
	}
	var refused *sdk.RequestError
	if c.turn.Cut != nil && cut == nil && errors.As(err, &refused) && !c.closed() && ctx.Err() == nil {
		err, answer.Stop = nil, string(sdk.StopReasonCancelled) // some agents report it as an error
	}
	if err != nil {
		return err
	}
	c.set(func(r *Result) {
		r.Stop = answer.Stop
		r.Usage.read(answer.Usage)
		r.Usage.Input, r.Usage.Output, r.Usage.Cached = r.Usage.Input+c.before.Input, r.Usage.Output+c.before.Output, r.Usage.Cached+c.before.Cached
		r.Turns++
	})
	c.tellUsage()
	return nil
}

// beginCalls begins a period in which the agent may make requests; open requests are cancelled at its end.
func (c *conversation) beginCalls(ctx context.Context) (end context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls, end = context.WithCancel(ctx)
	return end
}

// promptMethod identifies a message as a prompt.
var promptMethod = []byte(`"method":"` + sdk.AgentMethodSessionPrompt + `"`)

// Write writes a whole message to the agent and reports when a prompt was written.
func (c *conversation) Write(message []byte) (int, error) {
	n, err := c.in.Write(message)
	if err != nil {
		c.mu.Lock()
		c.deaf = true
		c.mu.Unlock()
	}
	if err == nil && c.turn.Written != nil && bytes.Contains(message[:min(len(message), promptBegins)], promptMethod) {
		c.mu.Lock()
		session := c.result.Session
		c.mu.Unlock()
		c.turn.Written(session)
	}
	return n, err
}

// promptBegins is the number of bytes at the start of a message in which its method is looked for.
const promptBegins = 200
