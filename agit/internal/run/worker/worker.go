// Package worker runs one program that works on a task without a person, and reports the result. It handles processes, agents' clients
// and the git state of a folder, but neither tasks nor the registry; its caller decides what follows. Several jobs of one process may
// run concurrently.
//
// An exit status of 0 proves nothing: clients report "success" when a tool was denied, a folder was not trusted or a loop was detected.
// So a Job ends with an Outcome (how the program ended, the last event of its client), and Judge adds git's state: new commits on the
// branch, nothing uncommitted, no unfinished operation.
//
// The program runs in a new session, without a terminal to ask on, and with the variable AGIT_RUN, which all its child processes
// inherit. Ending its process group is not enough: clients run tools in other sessions, and tools leave servers behind. The remaining
// processes of a run are found by AGIT_RUN and by descent, and ended after the program: processes_*.go.
//
// worker.go runs a Job, end.go ends one, client.go and events.go describe the clients and a program's environment, tree.go reads its work
// from git and judges it; speak.go drives agents by the Agent Client Protocol.
package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/worktree/process"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// RunVariable holds the run's id in the environment of all its processes.
const RunVariable = "AGIT_RUN"

// DefaultGrace is how long a program has to end after it was asked to.
const DefaultGrace = 10 * time.Second

// Job is one run of one program.
type Job struct {
	ID      string   // id of the run, unique on this machine
	Dir     string   // the working folder
	Command []string // the program and its arguments
	Env     []string // the whole environment; RunVariable is added
	Stdin   string   // the whole input; it may be empty
	Events  Events   // reads the client's output; nil for a program without events
	// Speak has a conversation with the program over its input and output, instead of Stdin and Events. The job ends with it. It must
	// return soon after its context ends.
	Speak  func(ctx context.Context, p Pipes) Said
	Gentle bool       // lowest priority, if the system has a program for that
	Files  []*os.File // inherited by the program, from descriptor 3 on
	Maker  string     // the process name of a wrapper, which ends with the program and is not asked to; "" for none

	Limit time.Duration // 0 means no limit
	Idle  time.Duration // the longest time without output and without a file change in Dir; 0 means no limit
	Grace time.Duration // DefaultGrace when 0

	Log *runlog.Log
	// Held receives the function that stops the clock while a person is asked, for a program that asks by other means than its input
	// and output.
	Held func(hold func() (resume func()))
	// Started is called with the program's process once it runs. Its error ends the job.
	Started func(pid int64, mark string) error
	// Update is called with the usage so far, as Events read it; it may be nil.
	Update func(u Used)
}

// Ending is how a run ended.
type Ending string

// The endings.
const (
	Exited  Ending = "exited"  // by itself
	Limited Ending = "limit"   // its time limit was reached
	Idled   Ending = "idle"    // it was silent for too long
	Stopped Ending = "stopped" // the caller's context ended
	Unbegun Ending = "unbegun" // it could not be started
)

// Outcome is the result of a run.
type Outcome struct {
	Ending Ending
	Status int    // the exit status; -1 after a signal
	Signal string // the signal that ended it; "" for none
	Took   time.Duration
	Said   Said     // the client's report
	Left   []string // programs that it left running and that were ended
	Last   []string // the last lines of its output, without secrets
	Spoke  bool     // the conversation was completed; the exit status then does not matter
}

// Run runs the job and returns when none of its processes runs any more. When ctx ends, the program is asked to end, and killed after
// its grace. The error is the reason why it could not be started.
func (j Job) Run(ctx context.Context) (o Outcome, err error) {
	j.Grace = cmp.Or(j.Grace, DefaultGrace)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	o.Ending, o.Status = Unbegun, -1
	adopt()
	begun := time.Now()
	r := &running{job: j, exited: make(chan error, 1), kin: kin{run: j.ID, maker: j.Maker}}
	r.heard.Store(begun.UnixNano())
	if j.Held != nil {
		j.Held(r.talk.hold)
	}
	if err := r.start(); err != nil {
		return o, err
	}
	defer r.forget()
	if j.Started != nil {
		if err = j.Started(int64(r.pid), process.MarkOf(int64(r.pid))); err != nil {
			stop()
		}
	}
	o.Ending = r.wait(ctx)
	r.talk.stop(r.over, j.Grace)
	o.Left = r.endAll()
	if !r.ended() {
		r.exit = <-r.exited
	}
	r.drain()
	o.Took = time.Since(begun)
	o.Status, o.Signal = exitOf(r.exit)
	if j.Speak == nil {
		o.Said = r.said.result()
	} else if o.Said, o.Spoke = r.talk.result(); o.Spoke {
		o.Status, o.Signal = 0, ""
	}
	o.Last = j.Log.Last(lastLines)
	return o, err
}

// lastLines is how many lines of a run are stored with its outcome.
const lastLines = 20

// running is a job whose program has started.
type running struct {
	job    Job
	pid    int
	kin    kin
	exited chan error // receives the exit error once
	over   bool       // exited has received
	exit   error      // the received error
	heard  atomic.Int64
	said   reader
	talk   conversation

	pipes   []*os.File // our ends of the pipes that it writes to
	readers sync.WaitGroup
}

// start starts the program. The pipes are ours, not os/exec's: waiting for the program must not wait for processes that it left behind,
// which may keep its output open.
func (r *running) start() error {
	j := r.job
	path, err := exec.LookPath(j.Command[0])
	if err != nil {
		return fault.Validation("command", "the command %q was not found", j.Command[0]).WithHint("check its name, or give its whole path")
	}
	arguments := j.Command[1:]
	if nice, err := exec.LookPath("nice"); j.Gentle && err == nil && runtime.GOOS != "windows" {
		path, arguments = nice, append([]string{"-n", "19", path}, arguments...)
	}
	cmd := exec.Command(path, arguments...)
	cmd.Dir = j.Dir
	cmd.Env = append(withoutVariable(j.Env, RunVariable), RunVariable+"="+j.ID)
	cmd.SysProcAttr, cmd.ExtraFiles = attributes(), j.Files
	r.said.events, r.said.update = j.Events, j.Update
	if j.Maker != "" {
		sealInherited()
	}
	theirs, brief, err := r.connect(cmd)
	if err == nil {
		err = r.launch(cmd)
	}
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		if brief != nil {
			brief.Close()
		}
		r.drain()
		return err
	}
	r.pid = cmd.Process.Pid
	r.kin.leader = r.pid
	if j.Speak != nil {
		r.pipes = append(r.pipes, brief)
		r.talk.begin(r, brief)
	} else if brief != nil {
		r.pipes = append(r.pipes, brief)
		go func() { // a program that never reads its input blocks this until the pipes are closed
			_, _ = io.WriteString(brief, j.Stdin)
			brief.Close()
		}()
	}
	return nil
}

// connect makes the program's pipes and starts reading its output. theirs are the program's ends, which the caller closes once it has
// started; brief is where to write its input, nil for none.
func (r *running) connect(cmd *exec.Cmd) (theirs []*os.File, brief *os.File, err error) {
	outputs := [2]io.Writer{&stream{r: r, log: r.job.Log.Stream(), said: &r.said}, &stream{r: r, log: r.job.Log.Stream()}}
	for i, to := range outputs {
		ours, end, err := os.Pipe()
		if err != nil {
			return theirs, nil, fault.Operation(err, "make a pipe")
		}
		theirs, r.pipes = append(theirs, end), append(r.pipes, ours)
		if i == 0 {
			cmd.Stdout = end
		} else {
			cmd.Stderr = end
		}
		if i == 0 && r.job.Speak != nil {
			r.talk.out = heard{r, ours}
			continue
		}
		r.readers.Go(func() { _, _ = io.Copy(to, ours) })
	}
	if r.job.Stdin == "" && r.job.Speak == nil {
		return theirs, nil, nil
	}
	end, brief, err := os.Pipe()
	if err != nil {
		return theirs, nil, fault.Operation(err, "make a pipe")
	}
	cmd.Stdin = end
	return append(theirs, end), brief, nil
}

// launch starts the program on a thread of its own, which waits for it: the program is ended together with the thread that started it
// (see attributes).
func (r *running) launch(cmd *exec.Cmd) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := begin(cmd)
		started <- err
		if err == nil {
			r.exited <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return fault.Operation(err, "start %q", r.job.Command[0])
	}
	return nil
}

// wait returns when the program has ended or must end.
func (r *running) wait(ctx context.Context) Ending {
	var limit <-chan time.Time
	begun := time.Now()
	if r.job.Limit > 0 {
		timer := time.NewTimer(r.job.Limit)
		defer timer.Stop()
		limit = timer.C
	}
	look := time.NewTimer(min(lookEvery, cmp.Or(r.job.Idle, lookEvery)))
	defer look.Stop()
	silence := silence{dir: r.job.Dir, most: r.job.Idle}
	for {
		select {
		case r.exit = <-r.exited:
			r.over = true
			return Exited
		case <-ctx.Done():
			return Stopped
		case <-r.talk.over:
			r.talk.leave(r)
			return Exited
		case <-limit:
			// The clock is stopped while a person is asked.
			if more := r.job.Limit + r.talk.waited() - time.Since(begun); more > 0 {
				timer := time.NewTimer(max(more, time.Millisecond))
				defer timer.Stop()
				limit = timer.C
				continue
			}
			return Limited
		case now := <-look.C:
			reap()
			r.kin.find()
			if r.talk.asks() {
				r.heard.Store(now.UnixNano())
			}
			next, idle := silence.next(now, time.Unix(0, r.heard.Load()))
			if idle {
				return Idled
			}
			look.Reset(next)
		}
	}
}

// ended reports whether the program itself has ended.
func (r *running) ended() bool {
	if !r.over {
		select {
		case r.exit = <-r.exited:
			r.over = true
		default:
		}
	}
	return r.over
}

// drain ends the reading of the program's output. All writers are normally gone, so the pipes reach their end; they do not when a
// process has escaped.
func (r *running) drain() {
	done := make(chan struct{})
	go func() { r.readers.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(drainTime):
	}
	for _, f := range r.pipes {
		f.Close()
	}
	<-done
}

// drainTime is how long output may still arrive after no process of the run is found.
const drainTime = 2 * time.Second

func exitOf(err error) (status int, signal string) {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), signalOf(exit.ProcessState)
	}
	if err != nil {
		return -1, ""
	}
	return 0, ""
}

// String describes how the program ended.
func (o Outcome) String() string {
	took := o.Took.Round(time.Second)
	switch {
	case o.Ending == Limited:
		return fmt.Sprintf("it was ended after its limit of %s", took)
	case o.Ending == Idled:
		return fmt.Sprintf("it was ended after %s, since it printed nothing and changed no file for too long", took)
	case o.Ending == Stopped:
		return "it was stopped"
	case o.Ending == Unbegun:
		return "it could not be started"
	case o.Signal != "":
		return "it was ended by the signal " + o.Signal
	case o.Status == 127:
		return "it ended with exit status 127: its shell did not find a command"
	case o.Status != 0 && !o.Said.Final && o.Said.Failed == "" && o.cause() != "":
		return fmt.Sprintf("it ended with exit status %d, and printed: %s", o.Status, text.Cut(o.cause(), 200))
	case o.Status != 0 && o.lastLine() != "":
		return fmt.Sprintf("it ended with exit status %d; its last line: %s", o.Status, o.lastLine())
	case o.Status != 0:
		return fmt.Sprintf("it ended with exit status %d and printed nothing", o.Status)
	}
	return "it ended by itself"
}

// cause returns the line by which the failure is not the task's fault; "" for none.
func (o Outcome) cause() string {
	_, _, line := o.printedCause(time.Now())
	return line
}

// lastLine returns the last non-empty line of the output.
func (o Outcome) lastLine() string {
	for _, line := range slices.Backward(o.Last) {
		if line = strings.TrimSpace(line); line != "" {
			return text.Cut(line, 200)
		}
	}
	return ""
}

// stream is the destination of one output of the program.
type stream struct {
	r    *running
	log  io.Writer
	said *reader
}

func (s *stream) Write(p []byte) (int, error) {
	s.r.heard.Store(time.Now().UnixNano())
	if s.said != nil {
		s.said.add(p)
	}
	return s.log.Write(p)
}

func withoutVariable(env []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, name+"=") })
}
