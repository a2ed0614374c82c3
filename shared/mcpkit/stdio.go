package mcpkit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/agit-suite/agit/shared/fault"
)

const (
	// maxMessage bounds one message; a client with more to say is mistaken.
	maxMessage = 4 << 20
	// drainInput is how long calls may still run after the end of input. A
	// one-shot pipe closes its end at once and waits for the answers.
	drainInput = 5 * time.Second
	// drainSignal is the same after SIGTERM: clients kill a server that lingers.
	drainSignal = 500 * time.Millisecond
	// unwind is how long cancelled calls get to return and be answered.
	unwind = 3 * time.Second
	// orderWait is how long a call waits for the calls before it. A script that pipes "create" and "list" gets the expected result, and a
	// slow call delays others no longer than a person notices.
	orderWait = 100 * time.Millisecond
	// maxOpen bounds requests that run or wait, so that a flood costs a bounded number of goroutines. Further requests are refused, not
	// queued: the reader must keep reading to see cancellations and answers.
	maxOpen = 1024
)

// serveStdio speaks MCP over lines. Requests run concurrently.
func (s *Server) serveStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	session := s.newSession(Stdio, fmt.Sprintf("stdio-%d-%s", os.Getpid(), newSessionID()[:8]))
	defer session.end()
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	listens, unlisten := context.WithCancel(calls)
	defer unlisten()
	p := &pipe{
		server: s, session: session,
		calls: calls, listens: listens,
		out: &lineWriter{out: out, broken: make(chan struct{})},
	}
	session.updates.open(p.out)
	ended := make(chan error, 1)
	go func() { ended <- p.read(in) }() // cannot be interrupted; ends with the process
	var err error
	limit := drainInput
	select {
	case err = <-ended:
	case <-p.out.broken:
		limit = 0
	case <-ctx.Done():
		limit = drainSignal
	}
	unlisten()
	p.drain(limit, cancel)
	p.out.close()
	if err != nil && !errors.Is(err, io.EOF) {
		return fault.Operation(err, "read the standard input")
	}
	return nil
}

// pipe is the one connection of a stdio server.
type pipe struct {
	server  *Server
	session *Session
	calls   context.Context // of the requests
	listens context.Context // of those that only wait for updates
	out     *lineWriter

	mu     sync.Mutex
	closed bool          // no further request starts
	open   int           // requests that are not answered
	empty  chan struct{} // closed at open == 0, once closed
	before chan struct{} // closed when the previous request is answered
}

// read handles one line after the other until the input ends.
func (p *pipe) read(in io.Reader) error {
	lines := newLineReader(in, maxMessage)
	for {
		line, err := lines.next()
		switch {
		case errors.Is(err, errLongLine):
			_ = p.out.send(failure(longID(err), mcp.INVALID_REQUEST, fmt.Sprintf("the message is longer than %d bytes", maxMessage), nil))
			continue
		case len(bytes.TrimSpace(line)) > 0:
			p.handle(parse(line))
		}
		if err != nil {
			return err
		}
	}
}

// handle starts a request in the background, and handles any other message before the next line.
func (p *pipe) handle(m message) {
	if m.id == nil || m.refusal != nil || m.response != nil || inOrder(m.method) {
		p.reply(p.server.answer(p.calls, p.session, p.out, m))
		return
	}
	ctx, listens := p.calls, m.method == string(mcp.MethodSubscriptionsListen)
	if listens {
		ctx = p.listens
	}
	wait, done, ok := p.begin(!listens)
	if !ok {
		p.reply(failure(m.id, mcp.INTERNAL_ERROR, "the server has too many requests open, or is stopping; try again later", nil))
		return
	}
	ctx, forget := p.session.running.begin(ctx, m.id)
	go func() {
		defer done()
		defer forget()
		select {
		case <-wait:
		case <-time.After(orderWait):
		case <-ctx.Done():
		}
		response := p.server.answer(ctx, p.session, p.out, m)
		if !cancelled(ctx) || listens { // the end of a subscription is answered
			p.reply(response)
		}
	}()
}

// inOrder reports whether a request is quick and later ones depend on it.
func inOrder(method string) bool {
	switch mcp.MCPMethod(method) {
	case mcp.MethodInitialize, mcp.MethodPing, mcp.MethodSetLogLevel, "server/discover":
		return true
	}
	return false
}

func (p *pipe) reply(response []byte) {
	if response != nil {
		_ = p.out.send(response)
	}
	p.server.quiet.Touch()
}

// begin counts a new request. wait is closed when the request before it is answered; done ends the request, for which the next one waits if
// ordered.
func (p *pipe) begin(ordered bool) (wait <-chan struct{}, done func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.open >= maxOpen {
		return nil, nil, false
	}
	before, answered := p.before, make(chan struct{})
	if before == nil {
		before = make(chan struct{})
		close(before)
	}
	p.open++
	if ordered {
		p.before = answered
	}
	return before, func() {
		close(answered)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.open--
		if p.closed && p.open == 0 {
			close(p.empty)
		}
	}, true
}

// drain waits until every request is answered; after limit it cancels them.
func (p *pipe) drain(limit time.Duration, cancel context.CancelFunc) {
	p.mu.Lock()
	p.closed = true
	p.empty = make(chan struct{})
	if p.open == 0 {
		close(p.empty)
	}
	p.mu.Unlock()
	select {
	case <-p.empty:
		return
	case <-time.After(limit):
	}
	cancel()
	select {
	case <-p.empty:
	case <-time.After(unwind):
		p.server.log.Warn("a call did not stop when it was cancelled")
	}
}

// lineWriter writes one message a line, whole.
type lineWriter struct {
	mu     sync.Mutex
	out    io.Writer
	err    error
	broken chan struct{} // closed when the reader at the other end is gone
}

func (w *lineWriter) send(message []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if _, w.err = w.out.Write(slices.Concat(message, []byte("\n"))); w.err != nil {
		close(w.broken)
	}
	return w.err
}

func (w *lineWriter) gone() <-chan struct{} { return w.broken }

// close makes later sends fail; the caller may close the writer then.
func (w *lineWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = errStreamClosed
	}
}

var errLongLine = errors.New("line too long")

// lineReader returns lines up to a limit and skips the rest of longer ones, which
// bufio.Scanner cannot: it stops for ever.
type lineReader struct {
	in    *bufio.Reader
	limit int
}

func newLineReader(in io.Reader, limit int) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 16<<10), limit: limit}
}

// next returns the next line without its end. The last line may come with io.EOF. With errLongLine it returns both ends of the line, and
// the reader is at the beginning of the next line.
func (r *lineReader) next() (line []byte, err error) {
	long := false
	var ends longLine
	for {
		part, err := r.in.ReadSlice('\n')
		if !long && len(line)+len(part) > r.limit {
			long, ends.head, line = true, bytes.Clone(line[:min(len(line), keptOfLong)]), bytes.Clone(line[max(0, len(line)-keptOfLong):])
		}
		line = append(line, part...)
		if long && len(line) > 2*keptOfLong {
			line = append(line[:0], line[len(line)-keptOfLong:]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long && (err == nil || errors.Is(err, io.EOF)) {
			ends.tail = bytes.TrimRight(line, "\r\n")
			return nil, ends
		}
		return bytes.TrimRight(line, "\r\n"), err
	}
}
