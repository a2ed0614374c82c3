package mcpclient

import (
	"bufio"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Server is a running HTTP or SSE server.
type Server struct {
	URL string
	Cmd *exec.Cmd
}

// Start runs cmd, waits until it logs "listening on URL" (the last word of a line on standard error), and stops it with the test.
func Start(t testing.TB, cmd *exec.Cmd) *Server {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &Server{Cmd: cmd}
	ready := make(chan string, 1)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if _, url, ok := strings.Cut(lines.Text(), "http://"); ok && len(ready) == 0 {
				ready <- "http://" + strings.Fields(url)[0]
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(3*time.Minute, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		<-drained
		_ = cmd.Wait()
	})
	select {
	case s.URL = <-ready:
	case <-drained:
		t.Fatalf("%s ended before it was listening", cmd.Path)
	case <-time.After(3 * time.Minute):
		t.Fatalf("%s does not listen", cmd.Path)
	}
	return s
}
