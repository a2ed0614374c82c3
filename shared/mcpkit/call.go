package mcpkit

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
)

// Call is one call of a tool, one read of a resource or one prompt, with the session that makes it and the way back to its client while it
// runs. It is safe for concurrent use.
type Call struct {
	tool          string // the name of the tool or prompt, or the resource's URI
	session       *Session
	out           outlet
	gone          <-chan struct{} // closed when no one reads out any more; may be nil
	progressToken any
	began         time.Time

	level mcp.LoggingLevel // the least level the client wants to hear, "" none
	mute  bool             // in this protocol revision a server sends no requests

	mu       sync.Mutex
	agent    string
	result   string
	progress time.Time // when progress was last reported
}

// request is the value that a transport puts into the context for newCall.
type request struct {
	session *Session
	out     outlet
	gone    <-chan struct{}
	fault   *fault.Fault // the fault of a resource or prompt, for the response
}

type requestKey struct{}

func newCall(ctx context.Context, tool string) *Call {
	c := &Call{tool: tool, began: time.Now()}
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		c.session, c.out, c.gone, c.level = r.session, r.out, r.gone, r.session.logLevel()
	}
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		c.level = info.LogLevel // sent with each request since 2026-07-28
		c.mute = true
	}
	return c
}

// whileHeard returns a context that ends with ctx, or when the client is gone: an answer that no one reads is not worth computing. Only a
// call that changes nothing may end so.
func (c *Call) whileHeard(ctx context.Context) (context.Context, func()) {
	if c.gone == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-c.gone:
			cancel(errGone)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// errGone is the cause of a context whose client went away.
var errGone = errors.New("the client is gone")

// Session is the client's session. It is never nil.
func (c *Call) Session() *Session { return c.session }

// BookedOn records the agent that this call was booked on, for the log line; the default is the agent of the session.
func (c *Call) BookedOn(agent string) { set(&c.mu, &c.agent, agent) }

// Summarize records a short result for the log line, such as "3 repos". It must not hold a parameter's value.
func (c *Call) Summarize(result string) { set(&c.mu, &c.result, result) }

// Progress reports to a client that asked for it how far the call is. total 0 means unknown. It returns when the notification is written,
// so the last one is out before the result; ctx ends when the client is gone, Progress does not report that.
func (c *Call) Progress(done, total float64, message string) {
	if c.progressToken == nil || c.out == nil {
		return
	}
	params := map[string]any{"progressToken": c.progressToken, "progress": done}
	if total > 0 {
		params["total"] = total
	}
	if message != "" {
		params["message"] = message
	}
	_ = c.out.send(notification("notifications/progress", params))
	set(&c.mu, &c.progress, time.Now())
}

// Log sends a log message to the client; it does not write to the server's own log. The level that the client chose decides whether it is
// sent.
func (c *Call) Log(level, logger string, data any) {
	if c.out == nil || c.level == "" || !mcp.LoggingLevel(level).ShouldSendTo(c.level) {
		return
	}
	_ = c.out.send(notification("notifications/message", map[string]any{"level": level, "logger": logger, "data": data}))
}

// apart is the least time between the last progress and the result: the official TypeScript client forgets a request's progress handler
// when both arrive in one read. Only calls that report progress pay it, and those take longer anyway.
const apart = 20 * time.Millisecond

// settle waits until the last progress is that old.
func (c *Call) settle(ctx context.Context) {
	rest := time.Until(get(&c.mu, &c.progress).Add(apart))
	if rest <= 0 {
		return
	}
	select {
	case <-time.After(rest):
	case <-ctx.Done():
	}
}

func (c *Call) logLine(ctx context.Context, log *slog.Logger, f *fault.Fault) {
	c.mu.Lock()
	agent, result := c.agent, c.result
	c.mu.Unlock()
	if agent == "" && c.session != nil {
		agent = c.session.Agent()
	}
	level := slog.LevelInfo
	switch {
	case f != nil:
		level, result = slog.LevelWarn, string(f.Kind)
		if f.Field != "" {
			result += " in a parameter"
		}
	case result == "":
		result = "ok"
	}
	log.LogAttrs(ctx, level, "call",
		slog.String("tool", c.tool),
		slog.String("agentName", redact.Clean(agent)),
		slog.Float64("duration", float64(time.Since(c.began).Microseconds())/1000),
		slog.String("result", result))
}
