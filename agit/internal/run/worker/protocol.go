package worker

import (
	"context"
	"io"

	"github.com/agit-suite/agit/agit/internal/run/acp"
)

// Talk holds the settings for a client of the Agent Client Protocol besides its brief.
type Talk struct {
	Servers []acp.Server
	Version string // agit's version
	// Decide answers permission requests. hold stops the limits of the run while a person is asked.
	Decide func(ctx context.Context, r acp.Request, hold func() (resume func())) acp.Decision
	Update func(u acp.Usage)
	// Opened, Written, Next and Cut are those of acp.Turn.
	Opened, Written func(session string)
	Next            func(ctx context.Context) string
	Cut             <-chan struct{}
}

// Speak returns a Job's conversation with a client that speaks the protocol.
func (c Client) Speak(p Place, talk Talk, log io.Writer) func(context.Context, Pipes) Said {
	return func(ctx context.Context, pipes Pipes) Said {
		turn := acp.Turn{Dir: p.Dir, Prompt: p.Brief, Session: p.Session, Servers: talk.Servers, Modes: c.Modes, Version: talk.Version, Update: talk.Update, Log: log,
			Opened: talk.Opened, Written: talk.Written, Next: talk.Next, Cut: talk.Cut}
		if talk.Decide != nil {
			turn.Decide = func(ctx context.Context, r acp.Request) acp.Decision { return talk.Decide(ctx, r, pipes.Hold) }
		}
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
	s.Code = r.Stop
	switch r.Stop {
	case "end_turn":
		s.Code = ""
	case "max_tokens":
		s.Failed = "it ran out of tokens"
	case "max_turn_requests":
		s.Failed = "it ran out of turns"
	case "refusal":
		s.Failed = "the model refused to go on"
	case "cancelled":
		s.Failed = "the turn was cancelled"
	default:
		s.Failed = "the turn ended: " + r.Stop
	}
	return s
}

// methodNotFound is JSON-RPC's code for an unknown method.
const methodNotFound = -32601
