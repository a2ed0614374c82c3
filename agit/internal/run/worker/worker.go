// Package worker runs one program that works on a task without a person, and says what came of it. It knows processes, agents'
// clients and git's state of a folder; it knows neither tasks nor the registry, and who calls it decides what follows.
//
// An exit status of 0 proves nothing: clients answer "success" when a tool was denied, when a folder was not trusted, when a
// loop was detected. So a Job ends with an Outcome (how the program ended, the last event of its client) and Judge adds what
// git says: new commits on the branch, nothing uncommitted, nothing half done.
//
// The program gets a session of its own, without a terminal to ask on, and the variable AGIT_RUN, which reaches all that it
// starts. Its process group is not enough to end it: clients run tools in sessions of their own, and tools leave servers
// behind. What is left of a run is found by AGIT_RUN and by descent, and ended when the program has: processes_*.go.
//
// worker.go runs a Job, end.go ends one, client.go and events.go know the clients, environment.go what a program is told,
// tree.go and judge.go what it left in git; speak.go and protocol.go drive agents by the Agent Client Protocol. Everything is safe for concurrent use by several jobs of one process.
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

// RunVariable names the run in the environment of everything that it starts.
const RunVariable = "AGIT_RUN"

// DefaultGrace is how long a program that was asked to end has for it.
const DefaultGrace = 10 * time.Second

// Job is one run of one program.
type Job struct {
	ID      string   // of the run, among all of this machine
	Dir     string   // where the program works
	Command []string // the program and its arguments
	Env     []string // its whole environment; RunVariable is added
	Stdin   string   // what it reads; then, and without any, its input is at its end
	Events  Events   // how its client speaks; nil for a program that says nothing of itself
	// Speak has a conversation with the program over its input and output, instead of Stdin and Events. The job ends with it. When its
	// context ends it has to return soon.
	Speak  func(ctx context.Context, p Pipes) Said
	Gentle bool       // with the lowest priority, where the system has a program for that
	Files  []*os.File // that the program inherits, from descriptor 3 on
	Maker  string     // the name of processes around the program, which end with it and are not asked to; "" for none

	Limit time.Duration // 0 is none
	Idle  time.Duration // without output and without a change of a file in Dir; 0 is any time
	Grace time.Duration // DefaultGrace when 0

	Log *runlog.Log
	// Held is told how the clock is stopped while a person is asked, for a program that asks beside its input and output.
	Held func(hold func() (resume func()))
	// Started is told the program's process once it runs. Its error ends the job.
	Started func(pid int64, mark string) error
	// Update is told what the client used so far, as Events read it; nil tells no one.
	Update func(u Used)
}

// Ending is how a run came to its end.
type Ending string

// The endings.
const (
	Exited  Ending = "exited"  // by itself
	Limited Ending = "limit"   // it took longer than its limit
	Idled   Ending = "idle"    // it was silent for too long
	Stopped Ending = "stopped" // the caller's context ended
	Unbegun Ending = "unbegun" // it could not be started
)

// Outcome is what came of a run.
type Outcome struct {
	Ending Ending
	Status int    // the exit status; -1 after a signal
	Signal string // that ended it, "" for none
	Took   time.Duration
	Said   Said     // by its client
	Left   []string // programs that it left running, and that were ended
	Last   []string // the last lines of its output, without secrets
	Spoke  bool     // a conversation came to its end, after which the program has no more to say: its status does not count
}

// Run runs the job to its end, whatever ends it, and returns when nothing of it runs any more. When ctx ends, the program is
// asked to end, and killed after its grace. The error says why it could not be started.
func (j Job) Run(ctx context.Context) (o Outcome, err error) {
	if j.Grace == 0 {
		j.Grace = DefaultGrace
	}
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

// lastLines is how many lines of a run are kept with its outcome.
const lastLines = 20

// running is a job whose program was started.
type running struct {
	job    Job
	pid    int
	kin    kin
	exited chan error // receives once
	over   bool       // it has received
	exit   error      // and what
	heard  atomic.Int64
	said   reader
	talk   conversation

	pipes   []*os.File // our ends of what it writes to
	readers sync.WaitGroup
}

// start starts the program. The pipes are ours, not os/exec's: waiting for the program must not wait for what it left behind,
// which may hold its output open.
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
	closeAll(theirs)
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
		go func() { // one that never reads it holds this up until the pipes are closed
			_, _ = io.WriteString(brief, j.Stdin)
			brief.Close()
		}()
	}
	return nil
}

// connect makes the pipes of the program, and reads what it will write. The caller closes theirs, the program's ends, once it has
// begun; brief is where to write what it reads, nil for nothing.
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

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// launch begins the program on a thread of its own, which waits for it: the program is ended when the thread that began it is
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

// wait returns when the program has ended, or must.
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
			// While a person is asked the time stands still.
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

// drain ends the reading of what the program printed. All that could write is gone, so that the end of the pipes comes; when
// something escaped it does not.
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

// drainTime is how long output may still come when nothing of the run is found any more.
const drainTime = 2 * time.Second

func exitOf(err error) (status int, signal string) {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), signalOf(exit.ProcessState)
	}
	if err != nil {
		return -1, ""
	}
	return 0, ""
}

// String says in words how the program ended.
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
	case o.Status != 0 && o.lastLine() != "":
		return fmt.Sprintf("it ended with exit status %d; its last line: %s", o.Status, o.lastLine())
	case o.Status != 0:
		return fmt.Sprintf("it ended with exit status %d and printed nothing", o.Status)
	}
	return "it ended by itself"
}

// lastLine is the last line of the output that is not empty.
func (o Outcome) lastLine() string {
	for _, line := range slices.Backward(o.Last) {
		if line = strings.TrimSpace(line); line != "" {
			return text.Cut(line, 200)
		}
	}
	return ""
}

// stream is where one output of the program goes.
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
	kept := make([]string, 0, len(env)+1)
	for _, v := range env {
		if !strings.HasPrefix(v, name+"=") {
			kept = append(kept, v)
		}
	}
	return kept
}
