package mcpkit_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/mcpkit"
)

// A call that only reads ends when its client disconnects; a call that writes goes on.
func TestReadingCallsEndWithTheirConnection(t *testing.T) {
	for _, accept := range []string{"application/json", "application/json, text/event-stream"} {
		t.Run(accept, func(t *testing.T) {
			began, ended := make(chan string, 2), make(chan error, 1)
			release, wrote := make(chan bool), make(chan error, 1)
			s := mcpkit.New(mcpkit.Info{Name: "t", Version: "1"}, mcpkit.Options{})
			type nothing struct{}
			mcpkit.AddTool(s, mcpkit.Tool{Name: "test_read", ReadOnly: true}, func(ctx context.Context, _ *mcpkit.Call, _ nothing) (map[string]any, error) {
				began <- "read"
				<-ctx.Done()
				ended <- context.Cause(ctx)
				return nil, ctx.Err()
			})
			mcpkit.AddTool(s, mcpkit.Tool{Name: "test_write"}, func(ctx context.Context, _ *mcpkit.Call, _ nothing) (map[string]any, error) {
				began <- "write"
				<-release
				wrote <- ctx.Err()
				return map[string]any{}, nil
			})
			ctx, stop := context.WithCancel(t.Context())
			address, served := make(chan string, 1), make(chan error, 1)
			go func() {
				served <- s.Serve(ctx, mcpkit.ServeOptions{Transport: mcpkit.HTTP, TokenFile: t.TempDir() + "/token", Listening: func(url, _ string) { address <- url }})
			}()
			url := <-address
			session := post(t.Context(), t, url, "", accept, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			calls, leave := context.WithCancel(t.Context())
			for _, tool := range []string{"test_read", "test_write"} {
				go post(calls, t, url, session, accept, `{"jsonrpc":"2.0","id":"`+tool+`","method":"tools/call","params":{"name":"`+tool+`","arguments":{}}}`)
			}
			<-began
			<-began
			leave()
			if err := <-ended; err == nil {
				t.Error("the reading call ended without a cause")
			}
			close(release)
			if err := <-wrote; err != nil {
				t.Errorf("the writing call was cancelled: %v", err)
			}
			stop()
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
	}
}

// post sends a message and returns the session of the answer, "" for a request that
// was left.
func post(ctx context.Context, t *testing.T, url, session, accept, body string) string {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return ""
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", accept)
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		return ""
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.Header.Get("Mcp-Session-Id")
}
