package worker

import (
	"cmp"
	"context"

	"github.com/agit-suite/agit/agit/internal/run/acp"
)

// Decide answers a permission request. hold stops the limits of the run while a person is asked.
type Decide func(ctx context.Context, r acp.Request, hold func() (resume func())) acp.Decision

// Speak returns a Job's conversation with a client that speaks the protocol. turn has what neither the client nor its place settles.
func (c Client) Speak(p Place, turn acp.Turn, decide Decide) func(context.Context, Pipes) Said {
	turn.Dir, turn.Prompt, turn.Session, turn.Modes = p.Dir, p.Brief, p.Session, c.Modes
	return func(ctx context.Context, pipes Pipes) Said {
		turn.Decide = func(ctx context.Context, r acp.Request) acp.Decision { return decide(ctx, r, pipes.Hold) }
		return saidBy(turn.Speak(ctx, pipes.In, pipes.Out))
	}
}

// saidBy converts the end of a conversation to a client's report.
func saidBy(r acp.Result) (s Said) {
	s = Said{Session: r.Session, Message: r.Message, Denied: r.Denied, Acted: r.Acted, Final: true}
	s.Used = Used{Input: r.Usage.Input, Output: r.Usage.Output, Cached: r.Usage.Cached, Cost: r.Usage.Cost, Currency: r.Usage.Currency, Model: r.Model}
	if r.Begun {
		s.Used.Turns = max(1, r.Turns)
	}
	if f := r.Err; f != nil {
		s.Failed, s.Code, s.Status = f.Message, f.Name, f.Status
		s.Final, s.Unspoken = !f.Broken, !r.Begun && (f.Broken || f.Code == methodNotFound)
		if f.Broken && r.Begun {
			s.Failed = ""
		}
		return s
	}
	if r.Stop != "end_turn" {
		s.Code, s.Failed = r.Stop, cmp.Or(stops[r.Stop], "the turn ended: "+r.Stop)
	}
	return s
}

// stops are the protocol's reasons for the end of a turn that is not complete, in words.
var stops = map[string]string{
	"max_tokens":        "it ran out of tokens",
	"max_turn_requests": "it ran out of turns",
	"refusal":           "the model refused to go on",
	"cancelled":         "the turn was cancelled",
}

// methodNotFound is JSON-RPC's code for an unknown method.
const methodNotFound = -32601
