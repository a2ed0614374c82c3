package command

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli/clitest"
)

// ending is the output of a command that goes on: it does something once the output holds a text.
type ending struct {
	bytes.Buffer
	on []struct {
		text string
		do   func()
	}
}

func (e *ending) when(text string, do func()) {
	e.on = append(e.on, struct {
		text string
		do   func()
	}{text, do})
}

func (e *ending) Write(data []byte) (int, error) {
	n, err := e.Buffer.Write(data)
	if len(e.on) > 0 && strings.Contains(e.String(), e.on[0].text) {
		do := e.on[0].do
		e.on = e.on[1:]
		do()
	}
	return n, err
}

// TestLogFollows prints the last events, then those that come, until it is stopped.
func TestLogFollows(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]string{1: "second\nthird", 50: "first\nsecond\nthird"} {
		run := taskRun(t)
		create := func(name string) {
			t.Helper()
			if err := changing(run.Env, runTaskCreate)(t.Context(), &taskCreateOptions{env: run.Env, Text: name}); err != nil {
				t.Error(err)
			}
		}
		create("first")
		create("second")
		run.Out.Reset()
		ctx, end := context.WithCancel(t.Context())
		var out ending
		next := func() { // by another command, beside this one
			other := clitest.NewRun(t)
			other.Dir, other.UserHome = run.Dir, run.UserHome
			if err := changing(run.Env, runTaskCreate)(t.Context(), &taskCreateOptions{env: other.Env, Text: "third"}); err != nil {
				t.Error(err)
			}
		}
		out.when("second", next)
		out.when("third", end)
		run.Readers, run.Streams.Out = 2, &out
		o := &logOptions{inProject: inProject{env: run.Env}, Follow: true, Limit: limit}
		if err := looking(run.Env, runLog)(ctx, o); err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		var titles []string
		for line := range strings.Lines(out.String()) {
			if cells := strings.Split(line, "\t"); len(cells) == 6 && cells[3] == "status pending" && cells[5] == "created\n" {
				titles = append(titles, cells[2])
			}
		}
		if got := strings.Join(titles, "\n"); got != want {
			t.Errorf("with a limit of %d:\n%s", limit, out.String())
		}
		end()
	}
}

func (e *ending) WriteString(text string) (int, error) { return e.Write([]byte(text)) }

// TestUsageFollows prints what is taken now in the form that was asked for, and goes on until it is stopped.
func TestUsageFollows(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{"table": "today $0.00", "ndjson": `"today":{"answers":0`} {
		run := clitest.NewRun(t)
		run.Globals.Output = format
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		var out ending
		out.when("\n", end)
		run.Streams.Out = &out
		err := runUsage(ctx, &usageOptions{env: run.Env, By: "day", Watch: true})
		if err != nil || !strings.Contains(out.String(), want) || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%s: %v, %s", format, err, out.String())
		}
		end()
	}
}
