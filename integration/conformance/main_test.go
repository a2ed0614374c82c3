// Package conformance tests the suite's MCP servers from outside: every trap of the transports, with the official Go SDK's client and
// with raw bytes. run and lint, beside it, are the official suite and the linter.
package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/integration/mcpclient"
)

var fixture string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "fixture")
	if err != nil {
		panic(err)
	}
	fixture = filepath.Join(dir, "fixture.exe")
	build := exec.Command("go", "build", "-o", fixture, "./fixture")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the fixture: %v\n%s", err, out)
		_ = os.RemoveAll(dir)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func serve(t testing.TB, transport string, args ...string) *mcpclient.Server {
	t.Helper()
	return mcpclient.Start(t, exec.Command(fixture, append([]string{"-transport", transport}, args...)...))
}

// everywhere runs a test over each transport, and over both revisions on stdio.
func everywhere(t *testing.T, test func(t *testing.T, c *mcpclient.Client), args ...string) {
	t.Run("stdio", func(t *testing.T) {
		test(t, mcpclient.Command(t, exec.Command(fixture, args...), mcpclient.Version(mcpclient.Sessions)))
	})
	t.Run("stdio-newest", func(t *testing.T) {
		test(t, mcpclient.Command(t, exec.Command(fixture, args...)))
	})
	t.Run("http", func(t *testing.T) { test(t, mcpclient.HTTP(t, serve(t, "http", args...).URL)) })
	t.Run("sse", func(t *testing.T) { test(t, mcpclient.SSE(t, serve(t, "sse", args...).URL)) })
}
