// Command testrun runs `go test` and shows its progress: the closing line of each package when it ends, the output of a test when it
// fails, and every half minute the running tests. At the end it prints the elapsed and the processor time.
//
//	go run ./integration/testrun [-save FILE] -- ARGUMENTS OF go test
//	go run ./integration/testrun -slowest FILE
//
// With -save the times of all tests are appended to a file. -slowest prints the twenty slowest tests of such a file and their share of
// the total time.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/agit-suite/agit/integration/testfolder"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout); {
	case err == nil:
	case errors.As(err, new(*exec.ExitError)): // go test reported the failures
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "testrun:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("testrun", flag.ContinueOnError)
	save := flags.String("save", "", "`file` to append the times of all tests to")
	list := flags.String("slowest", "", "print the slowest tests of this `file` and run nothing")
	every := flags.Duration("every", 30*time.Second, "`time` between two lines that list the running tests")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *list != "" {
		saved, err := os.Open(*list)
		if err != nil {
			return err
		}
		defer saved.Close()
		return printSlowest(out, saved, 20)
	}
	r := newReport(out)
	begun := time.Now()
	cmd, err := test(ctx, ".", flags.Args(), r, *every)
	if cmd != nil && cmd.ProcessState != nil {
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		fmt.Fprintf(out, "%d packages in %s, with %s of processor time\n", r.finished, time.Since(begun).Round(time.Second), used.Round(time.Second))
	}
	if *save != "" {
		err = errors.Join(err, appendTimes(*save, r.times))
	}
	return err
}

// test runs go test in a folder to its end. Its error is an *exec.ExitError when a test failed.
func test(ctx context.Context, dir string, args []string, r *report, every time.Duration) (*exec.Cmd, error) {
	// Linking takes a quarter less without data for a debugger, and the linter vets what is tested.
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json", "-ldflags=-s -w", "-vet=off"}, args...)...)
	cmd.Dir = dir
	cmd.Env = testfolder.Environment(os.Environ())
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go test ends the tests that it started
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	events := make(chan event)
	go func() {
		defer close(events)
		readEvents(stdout, events)
	}()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for open := true; open; {
		var e event
		select {
		case e, open = <-events:
			if open {
				r.add(e)
			}
		case now := <-tick.C:
			r.running(now)
		}
	}
	r.rest()
	return cmd, cmd.Wait()
}

// readEvents sends go test's output as events. A line that is not an event, such as direct output of a test, becomes output of no
// package.
func readEvents(from io.Reader, to chan<- event) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil || e.Action == "" {
				e = event{Action: "output", Output: string(line)}
			}
			to <- e
		}
		if err != nil {
			return
		}
	}
}
