// Package mcpclient drives the suite's MCP servers with the official Go SDK's client, which shares no code with them, so that it stands
// for other clients. It is for tests only. A Client is safe for concurrent use.
package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The protocol's revisions that a client may ask for.
const (
	Newest   = ""           // the SDK's default: 2026-07-28 where it is supported
	Sessions = "2025-11-25" // the last one with initialize
)

// Client is a connection, with the server's notifications.
type Client struct {
	*mcp.ClientSession

	mu         sync.Mutex
	progress   []mcp.ProgressNotificationParams
	progressed chan struct{} // holds one value when new progress has arrived
	updated    chan string
}

// Option changes how a Client connects.
type Option func(*options)

type options struct {
	version string
	elicit  func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)
}

// Version selects a revision of the protocol.
func Version(version string) Option { return func(o *options) { o.version = version } }

// Elicit answers the server's questions to the user.
func Elicit(f func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)) Option {
	return func(o *options) { o.elicit = f }
}

// Command starts cmd and speaks to it over stdio. The client and the process
// end with the test.
func Command(t testing.TB, cmd *exec.Cmd, opts ...Option) *Client {
	t.Helper()
	return connect(t, &mcp.CommandTransport{Command: cmd}, opts)
}

// HTTP connects to a Streamable HTTP endpoint, such as http://127.0.0.1:3847/mcp.
func HTTP(t testing.TB, url string, opts ...Option) *Client {
	t.Helper()
	return connect(t, &mcp.StreamableClientTransport{Endpoint: url}, opts)
}

// SSE connects to an endpoint of the transport of 2024.
func SSE(t testing.TB, url string, opts ...Option) *Client {
	t.Helper()
	return connect(t, &mcp.SSEClientTransport{Endpoint: url}, opts)
}

func connect(t testing.TB, transport mcp.Transport, opts []Option) *Client {
	t.Helper()
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	c := &Client{progressed: make(chan struct{}, 1), updated: make(chan string, 1000)}
	client := mcp.NewClient(&mcp.Implementation{Name: "integration", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: o.elicit,
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.progress = append(c.progress, *r.Params)
			select {
			case c.progressed <- struct{}{}:
			default:
			}
		},
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			c.updated <- r.Params.URI
		},
	})
	var session *mcp.ClientSessionOptions
	if o.version != "" {
		session = &mcp.ClientSessionOptions{ProtocolVersion: o.version}
	}
	var err error
	if c.ClientSession, err = client.Connect(t.Context(), transport, session); err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Fault is the object that a failed call carries.
type Fault struct {
	Kind       string `json:"error"`
	Message    string `json:"message"`
	Field      string `json:"field"`
	EntityType string `json:"entityType"`
	EntityID   string `json:"entityId"`
	Retryable  bool   `json:"retryable"`
}

// Error makes a Fault an error.
func (f *Fault) Error() string { return f.Kind + ": " + f.Message }

// CallJSON calls a tool and decodes its structured content into out, which may be nil. A tool error is a *Fault. It also checks that
// the text content is equal.
func (c *Client) CallJSON(ctx context.Context, tool string, args, out any) error {
	result, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return fmt.Errorf("call %s: %w", tool, err)
	}
	doc, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	if len(result.Content) == 0 { // further content names the removed secrets
		return fmt.Errorf("call %s: no contents, want a text", tool)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok || !sameJSON(doc, []byte(text.Text)) {
		return fmt.Errorf("call %s: the text is not the structured content %s", tool, doc)
	}
	if result.IsError {
		f := &Fault{}
		if err := json.Unmarshal(doc, f); err != nil || f.Kind == "" || f.Message == "" {
			return fmt.Errorf("call %s: the error is not a fault: %s", tool, doc)
		}
		return f
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(doc, out)
}

// MustCall is CallJSON that fails the test on any error.
func (c *Client) MustCall(t testing.TB, tool string, args, out any) {
	t.Helper()
	if err := c.CallJSON(t.Context(), tool, args, out); err != nil {
		t.Fatal(err)
	}
}

// MustFail calls a tool that has to fail, and returns the fault.
func (c *Client) MustFail(t testing.TB, tool string, args any) *Fault {
	t.Helper()
	err := c.CallJSON(t.Context(), tool, args, nil)
	var f *Fault
	if !errors.As(err, &f) {
		t.Fatalf("%s(%v): got %v, want a fault", tool, args, err)
	}
	return f
}

// ReadJSON reads a resource and decodes its one document into out.
func (c *Client) ReadJSON(ctx context.Context, uri string, out any) error {
	r, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return fmt.Errorf("read %s: %w", uri, err)
	}
	if len(r.Contents) != 1 {
		return fmt.Errorf("read %s: %d contents, want one", uri, len(r.Contents))
	}
	return json.Unmarshal([]byte(r.Contents[0].Text), out)
}

// Progress returns the progress reported so far.
func (c *Client) Progress() []mcp.ProgressNotificationParams {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]mcp.ProgressNotificationParams(nil), c.progress...)
}

// AwaitProgress waits for n progress notifications and returns all. The client handles them concurrently with the result, so some may
// arrive after a call returns; mcpkit's own tests check the server's order.
func (c *Client) AwaitProgress(t testing.TB, n int) []mcp.ProgressNotificationParams {
	t.Helper()
	limit := time.After(3 * time.Minute)
	for {
		if all := c.Progress(); len(all) >= n {
			return all
		}
		select {
		case <-c.progressed:
		case <-limit:
			t.Fatalf("%d of %d progress notifications arrived", len(c.Progress()), n)
		}
	}
}

// AwaitUpdate waits until the server reports that uri changed.
func (c *Client) AwaitUpdate(t testing.TB, uri string) {
	t.Helper()
	limit := time.After(3 * time.Minute)
	for {
		select {
		case got := <-c.updated:
			if got == uri {
				return
			}
		case <-limit:
			t.Fatalf("no update of %s arrived", uri)
		}
	}
}

func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	ax, _ := json.Marshal(x)
	by, _ := json.Marshal(y)
	return string(ax) == string(by)
}

// Updated reports whether an update of uri arrives within the time given.
func (c *Client) Updated(uri string, within time.Duration) bool {
	limit := time.After(within)
	for {
		select {
		case got := <-c.updated:
			if got == uri {
				return true
			}
		case <-limit:
			return false
		}
	}
}
