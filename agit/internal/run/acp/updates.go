package acp

import (
	"encoding/json"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"
)

// longestMessage bounds the stored part of an agent's last message, in bytes.
const longestMessage = 64 << 10

// notification handles the agent's reports. Unknown kinds are ignored.
func (c *conversation) notification(method string, params json.RawMessage) {
	if method != sdk.ClientMethodSessionUpdate {
		return
	}
	var n struct {
		Update json.RawMessage `json:"update"`
	}
	if json.Unmarshal(params, &n) != nil {
		return
	}
	var u report
	if json.Unmarshal(n.Update, &u.head) != nil {
		return
	}
	c.mu.Lock()
	muted := c.muted
	c.mu.Unlock()
	if muted {
		return
	}
	_ = json.Unmarshal(n.Update, &u.rest) // a field of an unexpected type is ignored
	switch u.Kind {
	case "agent_message_chunk":
		var part struct{ Type, Text string }
		_ = json.Unmarshal(u.Content, &part)
		c.wrote(part.Text)
	case "agent_thought_chunk", "plan":
		c.set(func(r *Result) { r.Acted = true })
	case "tool_call", "tool_call_update":
		c.called(u, n.Update, time.Now())
	case "usage_update":
		var cost struct {
			Amount   float64 `json:"amount"`
			Currency string  `json:"currency"`
		}
		if json.Unmarshal(u.Cost, &cost) == nil && cost.Currency != "" {
			c.set(func(r *Result) { r.Usage.Cost, r.Usage.Currency = max(r.Usage.Cost, cost.Amount), cost.Currency })
			c.tellUsage()
		}
	}
}

// report is one update. Its fields are decoded one by one: a field of an unexpected type is lost alone.
type report struct {
	head
	rest
}

type head struct {
	Kind string `json:"sessionUpdate"`
}

type rest struct {
	ID      lenient `json:"toolCallId"`
	Status  lenient `json:"status"`
	Content lenient `json:"content"`
	Cost    lenient `json:"cost"`
}

func text(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s)
	return s
}

// wrote adds to the agent's message. Text after a tool call begins a new message.
func (c *conversation) wrote(s string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.result.Acted = c.result.Acted || s != ""
	if c.result.Stop == "" && strings.TrimSpace(s) != "" && c.fresh {
		c.message.Reset()
		c.fresh = false
	}
	if c.message.Len()+len(s) <= longestMessage {
		c.message.WriteString(s)
	}
	c.out.text(s)
}

// read adds the usage of a turn. Tokens that an agent counts as thought are output.
func (u *Usage) read(raw json.RawMessage) {
	var n struct {
		Input   float64 `json:"inputTokens"`
		Output  float64 `json:"outputTokens"`
		Thought float64 `json:"thoughtTokens"`
		Cached  float64 `json:"cachedReadTokens"`
		Written float64 `json:"cachedWriteTokens"`
	}
	if json.Unmarshal(raw, &n) != nil {
		return
	}
	count := func(f float64) int64 { return int64(min(max(f, 0), 1e15)) }
	u.Input, u.Output, u.Cached = count(n.Input)+count(n.Written), count(n.Output)+count(n.Thought), count(n.Cached)
}

func (c *conversation) tellUsage() {
	if c.turn.Update == nil {
		return
	}
	c.mu.Lock()
	u := c.result.Usage
	c.mu.Unlock()
	c.turn.Update(u)
}
