package land

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
)

// GateFailure is a gate that was red. Nothing was changed. In its chain is the *fault.Fault that people see.
type GateFailure struct {
	Worktree string
	Command  string
	Exit     int      // the command's exit status, -1 after a signal or when it took too long
	Lines    []string // the last that it printed
	Log      string   // file with all of it
	fault    *fault.Fault
}

// Error is the fault's sentence.
func (f *GateFailure) Error() string { return f.fault.Error() }

// Unwrap returns the fault.
func (f *GateFailure) Unwrap() error { return f.fault }

// gateBegun notes that the gate begins to run, and where its output goes; log is nil without a gate.
func (m *merging) gateBegun(log *runlog.Log) func(*registry.Tx) error {
	if log == nil {
		return nil
	}
	m.log = log.Path
	return func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE landings SET gate_result = 'running', gate_at = ?, log = ?, target_oid = ?, rounds = rounds + 1 WHERE id = ?`,
			tx.Stamp(), m.log, m.j.Old, m.landing)
		tx.Changed(registry.TopicWorktrees, m.r.ProjectID, m.w.Ref)
		return err
	}
}

// gatePassed notes what is about to land.
func (m *merging) gatePassed() func(*registry.Tx) error {
	if m.landing == 0 {
		return nil
	}
	result := ""
	if m.tested != "" {
		result = GatePassed
	}
	return func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE landings SET gate_result = ?, tested_tree = ?, target_oid = ? WHERE id = ?`, result, m.tested, m.j.Old, m.landing)
		return err
	}
}

// gateEnded notes that the gate was red, if that is the cause.
func (m *merging) gateEnded(tx *registry.Tx, cause error) error {
	var red *GateFailure
	if !errors.As(cause, &red) {
		return nil
	}
	_, err := tx.Exec(`UPDATE landings SET gate_result = 'failed' WHERE id = ?`, m.landing)
	return err
}

// runGate runs the gate in a checkout of the merge. Each command is a run of its own: when it has ended, or its time is over,
// or ctx is, nothing that it started runs on.
func (m *merging) runGate(ctx context.Context, dir string, log *runlog.Log) error {
	env, secrets := m.environment()
	if log != nil {
		log.Hide(secrets...)
	}
	for _, command := range m.gate {
		log.Note("%s, on %.12s (%s into %s)", command, m.j.New, m.w.Branch, m.target)
		if m.o.Running != nil {
			m.o.Running(command)
		}
		outcome, err := worker.Job{
			ID: m.j.Run, Dir: dir, Command: sibling.ShellCommand(command), Limit: m.set.GateTimeout, Grace: gateGrace, Log: log, Env: env,
		}.Run(ctx)
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			log.Note("cancelled")
			return ctx.Err()
		case outcome.Ending != worker.Exited || outcome.Status != 0:
			return m.red(ctx, command, outcome, log)
		}
		if err := m.Trees.Reach("merge:gate"); err != nil {
			return err
		}
	}
	if len(m.gate) > 0 {
		m.tested = m.tree
		log.Note("green")
	}
	return nil
}

// environment is what the gate and the hooks before it get: they run what an agent wrote, and so no more than agents' clients. secrets
// are the values in it that must not show in a log.
func (m *merging) environment() (env, secrets []string) {
	return worker.Client{}.Environment(append(m.w.Environment(), "AGIT_TARGET="+m.target, "AGIT_COMMIT="+m.j.New), m.set.GateEnv)
}

// gateGrace is how long a gate that is ended has to end by itself.
const gateGrace = 3 * time.Second

// red makes the error of a gate that failed.
func (m *merging) red(ctx context.Context, command string, outcome worker.Outcome, log *runlog.Log) error {
	how := outcome.String()
	log.Note("red: %s", how)
	_ = log.Close()
	if err := durable.Sync(context.WithoutCancel(ctx), m.keptFiles()); err != nil { // who asked is told to read it
		how += fmt.Sprintf("; its log may be lost: %v", err)
	}
	e := &GateFailure{Worktree: m.w.Ref, Command: redact.Clean(command), Exit: outcome.Status, Lines: outcome.Last, Log: log.Path}
	e.fault = fault.Operation(nil, "worktree %q was not merged: on the merge with %s the gate %q failed: %s", m.w.Ref, m.target, e.Command, how).
		WithHint("`agit logs %s` shows what it printed; correct the work, commit, and ask again", m.w.Ref).About("worktree", m.w.Ref)
	return e
}

// verify proves that what is about to become the branch is what was tested: the tree, and what it is built on.
func (m *merging) verify(ctx context.Context) error {
	if m.tested == "" {
		if len(m.gate) > 0 {
			return fault.Operation(nil, "worktree %q was not merged: its gate did not run", m.w.Ref).WithHint("try again")
		}
		return nil
	}
	out, err := m.g.Run(ctx, "log", "--first-parent", "--no-show-signature", "--format=%T %P", "--end-of-options", m.j.Old+".."+m.j.New)
	if err != nil {
		return git.Fault(err, "read commit %s", m.j.New)
	}
	lines := strings.Split(out, "\n")
	newest, oldest := strings.Fields(lines[0]), strings.Fields(lines[len(lines)-1])
	if len(newest) < 2 || newest[0] != m.tested || len(oldest) < 2 || oldest[1] != m.j.Old {
		return fault.Operation(nil, "worktree %q was not merged: commit %s is not what the gate tested", m.w.Ref, m.j.New).WithHint("try again")
	}
	return nil
}
