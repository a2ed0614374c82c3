//go:build unix

package worker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/worktree/process"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// shell returns a job that runs a shell script in a folder of its own.
func shell(t *testing.T, text string) worker.Job {
	t.Helper()
	log, err := runlog.Create(t.TempDir(), "w-1", runlog.Work)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return worker.Job{ID: registry.NewID("run-"), Dir: t.TempDir(), Command: []string{"/bin/sh", "-c", text}, Env: os.Environ(),
		Log: log, Grace: time.Minute}
}

func run(t *testing.T, j worker.Job) worker.Outcome {
	t.Helper()
	o, err := j.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestEndings(t *testing.T) {
	for name, test := range map[string]struct {
		text   string
		change func(*worker.Job)
		want   worker.Ending
		status int
		signal string
		said   string // expected in its last lines
	}{
		"ends":             {text: "echo done", want: worker.Exited, said: "done"},
		"fails":            {text: "echo wrong >&2; exit 3", want: worker.Exited, status: 3, said: "wrong"},
		"kills itself":     {text: "kill -9 $$", want: worker.Exited, status: -1, signal: "SIGKILL"},
		"reads its brief":  {text: "cat", change: func(j *worker.Job) { j.Stdin = "the brief\n" }, want: worker.Exited, said: "the brief"},
		"waits for input":  {text: "cat; echo over", want: worker.Exited, said: "over"},
		"asks a terminal":  {text: "read x </dev/tty || echo none", want: worker.Exited, said: "none"},
		"never reads":      {text: "exit 0", change: func(j *worker.Job) { j.Stdin = strings.Repeat("long ", 1<<20) }, want: worker.Exited},
		"takes too long":   {text: "while :; do echo x; sleep 0.01; done", change: func(j *worker.Job) { j.Limit = 50 * time.Millisecond }, want: worker.Limited, status: -1, signal: "SIGTERM"},
		"is silent":        {text: "sleep 600", change: func(j *worker.Job) { j.Idle = 50 * time.Millisecond }, want: worker.Idled, status: -1, signal: "SIGTERM"},
		"has no such name": {text: "", change: func(j *worker.Job) { j.Command = []string{"no-such-program-anywhere"} }, want: worker.Unbegun, status: -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := shell(t, test.text)
			if test.change != nil {
				test.change(&j)
			}
			o, err := j.Run(t.Context())
			if (err != nil) != (test.want == worker.Unbegun) || err != nil && !fault.Is(err, fault.KindValidation) {
				t.Fatal(err)
			}
			if o.Ending != test.want || o.Status != test.status || o.Signal != test.signal {
				t.Errorf("%+v", o)
			}
			if !strings.Contains(strings.Join(o.Last, "\n"), test.said) {
				t.Errorf("its last lines are %q", o.Last)
			}
		})
	}
}

// stopAt runs a job and stops it once its program has created the file.
func stopAt(t *testing.T, j worker.Job, file string) worker.Outcome {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(j.Dir, file)); err == nil {
				cancel()
			}
			<-time.After(5 * time.Millisecond)
		}
	}()
	o, err := j.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestAsked stops programs that react to the signal.
func TestAsked(t *testing.T) {
	j := shell(t, "trap 'echo bye; exit 7' TERM; touch up; while :; do sleep 0.05; done")
	if o := stopAt(t, j, "up"); o.Ending != worker.Stopped || o.Status != 7 || !slices.Contains(o.Last, "bye") {
		t.Errorf("one that cleans up: %+v %q", o, o.Last)
	}
	j = shell(t, "trap '' TERM; touch up; while :; do sleep 0.05; done")
	j.Grace = 200 * time.Millisecond
	if o := stopAt(t, j, "up"); o.Ending != worker.Stopped || o.Signal != "SIGKILL" {
		t.Errorf("one that will not end: %+v", o)
	}
}

func TestStopped(t *testing.T) {
	j := shell(t, "echo up; sleep 600")
	ctx, cancel := context.WithCancel(t.Context())
	j.Started = func(pid int64, mark string) error {
		if pid == 0 || !process.Alive(pid, mark, time.Now()) {
			t.Errorf("process %d with the mark %q is not there", pid, mark)
		}
		cancel()
		return nil
	}
	if o, err := j.Run(ctx); err != nil || o.Ending != worker.Stopped {
		t.Errorf("%+v, %v", o, err)
	}

	j = shell(t, "sleep 600")
	wrong := errors.New("the row could not be written")
	j.Started = func(int64, string) error { return wrong }
	if o, err := j.Run(t.Context()); !errors.Is(err, wrong) || o.Ending != worker.Stopped {
		t.Errorf("%+v, %v", o, err)
	}
}

// alone reports whether the process whose number is in the file is gone.
func alone(t *testing.T, path string) bool {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ") // ended, but not reaped yet
}

const daemon = `setsid sh -c 'echo $$ >pid.tmp; mv pid.tmp pid; %s exec sleep 600' </dev/null %s & while [ ! -e pid ]; do sleep 0.01; done; echo started; %s`

// TestNothingIsLeft runs programs that leave others behind in other sessions.
func TestNothingIsLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("setsid(1) is Linux's")
	}
	for name, text := range map[string]string{
		"a server":                        fmt.Sprintf(daemon, "", ">/dev/null 2>&1", "exit 0"),
		"one that holds the output open":  fmt.Sprintf(daemon, "", "", "exit 0"),
		"one that ignores what asks":      fmt.Sprintf(daemon, `trap "" TERM HUP;`, "", "exit 0"),
		"one when it is ended itself":     fmt.Sprintf(daemon, "", "", "sleep 600"),
		"one without its environment":     fmt.Sprintf(strings.Replace(daemon, "setsid sh", "setsid env -i PATH=$PATH sh", 1), "", ">/dev/null 2>&1", "exit 0"),
		"one of a parent that has gone":   "(" + fmt.Sprintf(daemon, "", ">/dev/null 2>&1", "") + ") & wait",
		"the last of a row that goes on":  `sh -c 'while [ ! -e stop ]; do (echo $$ >pid); sleep 0.05; done' & while [ ! -e pid ]; do sleep 0.01; done; exit 0`,
		"a client that passes nothing on": fmt.Sprintf(daemon, "", "", `trap "" TERM; while :; do sleep 0.05; done`),
	} {
		t.Run(name, func(t *testing.T) {
			j := shell(t, text)
			j.Grace = 300 * time.Millisecond
			if strings.Contains(name, "itself") || strings.Contains(name, "client") {
				if o := stopAt(t, j, "pid"); o.Ending != worker.Stopped {
					t.Errorf("%+v", o)
				}
			} else if o := run(t, j); o.Ending != worker.Exited || len(o.Left) == 0 {
				t.Errorf("%+v", o)
			}
			if !alone(t, filepath.Join(j.Dir, "pid")) {
				t.Error("it still runs")
			}
		})
	}
}

// TestNothingIsLeftBesideAnother ends the leftovers of a run, which have neither its environment nor their parents, while a later run
// continues.
func TestNothingIsLeftBesideAnother(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("setsid(1) is Linux's")
	}
	stray := strings.Replace(daemon, "setsid sh", "setsid env -i PATH=$PATH sh", 1)
	first := shell(t, "("+fmt.Sprintf(stray, "", ">/dev/null 2>&1", "")+"); while [ ! -e go ]; do sleep 0.01; done")
	first.Grace = 300 * time.Millisecond
	second := shell(t, "echo >began; while [ ! -e go ]; do sleep 0.01; done")
	awaitFile := func(path string) {
		for {
			if _, err := os.Stat(path); err == nil {
				return
			}
			<-time.After(5 * time.Millisecond)
		}
	}
	letGo := func(j worker.Job) {
		if err := os.WriteFile(filepath.Join(j.Dir, "go"), nil, 0o600); err != nil {
			t.Error(err)
		}
	}
	ended := map[string]chan worker.Outcome{"first": make(chan worker.Outcome, 1), "second": make(chan worker.Outcome, 1)}
	begin := func(name string, j worker.Job) {
		go func() {
			o, _ := j.Run(context.Background())
			ended[name] <- o
		}()
	}
	begin("first", first)
	awaitFile(filepath.Join(first.Dir, "pid"))
	<-time.After(20 * time.Millisecond) // the system stores start times in ticks of 10 ms
	begin("second", second)
	awaitFile(filepath.Join(second.Dir, "began"))
	letGo(first)
	if o := <-ended["first"]; len(o.Left) == 0 {
		t.Errorf("the first run: %+v", o)
	}
	if !alone(t, filepath.Join(first.Dir, "pid")) {
		t.Error("what the first run started still runs")
	}
	letGo(second)
	if o := <-ended["second"]; o.Ending != worker.Exited || len(o.Left) > 0 {
		t.Errorf("the second run: %+v", o)
	}
}

// TestEndRun ends the leftovers of a killed agit, which it finds by the run's id alone.
func TestEndRun(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("setsid(1) is Linux's")
	}
	j := shell(t, fmt.Sprintf(daemon, "", ">/dev/null 2>&1", "while :; do sleep 0.05; done"))
	var pid int64
	var mark string
	started := make(chan bool)
	j.Started = func(p int64, m string) error { pid, mark = p, m; close(started); return nil }
	ended := make(chan worker.Outcome)
	go func() {
		o, _ := j.Run(context.Background())
		ended <- o
	}()
	<-started
	for {
		if _, err := os.Stat(filepath.Join(j.Dir, "pid")); err == nil {
			break
		}
		<-time.After(5 * time.Millisecond)
	}
	if n := worker.EndRun(t.Context(), "run-another", 0, "", time.Second); n != 0 {
		t.Errorf("%d processes of another run", n)
	}
	if n := worker.EndRun(t.Context(), j.ID, pid, mark, time.Second); n < 2 {
		t.Errorf("it found %d processes", n)
	}
	if !alone(t, filepath.Join(j.Dir, "pid")) {
		t.Error("what it started still runs")
	}
	if o := <-ended; o.Signal == "" {
		t.Errorf("%+v", o)
	}
	if n := worker.EndRun(t.Context(), j.ID, pid, mark, time.Second); n != 0 {
		t.Errorf("%d are left", n)
	}
}
