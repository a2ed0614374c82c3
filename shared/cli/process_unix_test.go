//go:build !windows

package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
)

// TestMain lets the test binary act as a program of the suite: CLI_ACT is set, and its arguments are the command line.
func TestMain(m *testing.M) {
	if os.Getenv("CLI_ACT") == "" {
		os.Exit(m.Run())
	}
	env := NewEnv("agit", "test", "")
	root := NewRoot(env, "Test")
	root.AddCommand(&cobra.Command{Use: "wait", RunE: func(c *cobra.Command, _ []string) error {
		done := c.Context().Done()
		fmt.Fprintln(env.Streams.Out, "ready")
		<-done
		return fmt.Errorf("wait: %w", c.Context().Err())
	}}, &cobra.Command{Use: "serve", RunE: func(c *cobra.Command, _ []string) error {
		done := c.Context().Done()
		fmt.Fprintln(env.Streams.Out, "ready")
		<-done
		return nil
	}}, &cobra.Command{Use: "flood", RunE: func(*cobra.Command, []string) error {
		for {
			if _, err := io.WriteString(env.Streams.Out, strings.Repeat("x", 4096)+"\n"); err != nil {
				return fmt.Errorf("print: %w", err)
			}
		}
	}})
	os.Exit(Main(context.Background(), env, root, os.Args[1:]))
}

// program starts the test binary as the program and waits for its first line.
func program(t *testing.T, args ...string) (cmd *exec.Cmd, out io.ReadCloser, errs *bytes.Buffer) {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts processes other than git")
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd, errs = exec.Command(own, args...), new(bytes.Buffer)
	cmd.Env = append(os.Environ(), "CLI_ACT=1")
	cmd.Stderr = errs
	if out, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err, errs)
	}
	return cmd, out, errs
}

func TestSignals(t *testing.T) {
	for _, c := range []struct {
		command string
		signal  syscall.Signal
		status  int
		errs    string
	}{
		{"wait", syscall.SIGINT, 130, "agit: interrupted before it was done\n"},
		{"wait", syscall.SIGTERM, 143, "agit: interrupted before it was done\n"},
		{"serve", syscall.SIGTERM, 0, ""},
	} {
		cmd, _, errs := program(t, c.command)
		if err := cmd.Process.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the status says it
		if got := cmd.ProcessState.ExitCode(); got != c.status || errs.String() != c.errs {
			t.Errorf("%s on %v: status %d, %q", c.command, c.signal, got, errs)
		}
	}
}

func TestClosedPipe(t *testing.T) {
	cmd, out, errs := program(t, "flood")
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status says it
	if got := cmd.ProcessState.ExitCode(); got != 0 || errs.Len() > 0 {
		t.Errorf("status %d, %q", got, errs)
	}
}
