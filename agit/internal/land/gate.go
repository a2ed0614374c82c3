package land

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/agit-suite/agit/agit/internal/hook"
	"github.com/agit-suite/agit/agit/internal/runlog"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
)

// GateFailure is a gate that was red. Nothing was changed. In its chain is the *fault.Fault that people see.
type GateFailure struct {
	Worktree string
	Command  string
	Exit     int      // the command's exit status, -1 when it has none or took too long
	Lines    []string // the last that it printed
	Log      string   // file with all of it, "" where none is kept
	fault    *fault.Fault
}

// Error is the fault's sentence.
func (f *GateFailure) Error() string { return f.fault.Error() }

// Unwrap returns the fault.
func (f *GateFailure) Unwrap() error { return f.fault }

// gateLog begins the log of the gate; nil, which may be used, without a gate.
func (m *merging) gateLog() (*gateLog, error) {
	if len(m.gate) == 0 || m.trees.Options.Home == "" {
		return &gateLog{}, nil
	}
	l, err := runlog.Create(m.trees.Options.Home, m.w.Ref, runlog.Gate)
	return &gateLog{l}, err
}

// gateLog is the log of a gate, where one is kept.
type gateLog struct{ kept *runlog.Log }

func (l *gateLog) path() string {
	if l.kept == nil {
		return ""
	}
	return l.kept.Path
}

func (l *gateLog) note(format string, args ...any) {
	if l.kept != nil {
		l.kept.Note(format, args...)
	}
}

func (l *gateLog) writer() io.Writer {
	if l.kept == nil {
		return io.Discard
	}
	return l.kept
}

// Close ends it.
func (l *gateLog) Close() {
	if l.kept != nil {
		_ = l.kept.Close() // a full disk is no reason to refuse what is green
	}
}

// gateBegun notes that the gate begins to run; nil without one.
func (m *merging) gateBegun(log *gateLog) func(*registry.Tx) error {
	return func(tx *registry.Tx) error {
		if len(m.gate) == 0 {
			return nil
		}
		_, err := tx.Exec(`UPDATE landings SET gate_result = 'running', gate_at = ?, log = ?, target_oid = ?, rounds = rounds + 1 WHERE id = ?`,
			tx.Stamp(), log.path(), m.j.Old, m.landing)
		tx.Changed(registry.TopicWorktrees, m.r.ProjectID, m.w.Ref)
		return err
	}
}

// gatePassed notes what is about to land.
func (m *merging) gatePassed(tx *registry.Tx) error {
	result := ""
	if m.tested != "" {
		result = GatePassed
	}
	_, err := tx.Exec(`UPDATE landings SET gate_result = ?, tested_tree = ?, target_oid = ? WHERE id = ?`, result, m.tested, m.j.Old, m.landing)
	return err
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

// runGate runs the gate in a checkout of the merge.
func (m *merging) runGate(ctx context.Context, dir string, log *gateLog) error {
	h := m.trees.Hooks("gate", m.gate, m.set, dir, m.w)
	h.Limit = m.set.GateTimeout
	h.Output = log.writer()
	h.Env = append(h.Env, "AGIT_TARGET="+m.target, "AGIT_COMMIT="+m.j.New)
	for _, command := range m.gate {
		log.note("%s, on %.12s (%s into %s)", command, m.j.New, m.w.Branch, m.target)
		if m.o.Running != nil {
			m.o.Running(command)
		}
		err := h.Exec(ctx, command)
		var failed *hook.Failure
		if errors.As(err, &failed) {
			return m.red(failed, log)
		}
		if err != nil {
			return err
		}
		if err := m.trees.Reach("merge:gate"); err != nil {
			return err
		}
	}
	if len(m.gate) > 0 {
		m.tested = m.tree
		log.note("green")
	}
	return nil
}

// red makes the error of a gate that failed.
func (m *merging) red(failed *hook.Failure, log *gateLog) error {
	how := failed.Status
	if failed.TimedOut {
		how = "it took longer than " + m.set.GateTimeout.String()
	}
	log.note("red: %s", how)
	e := &GateFailure{Worktree: m.w.Ref, Command: redact.Clean(failed.Command), Exit: failed.Exit, Log: log.path(), Lines: strings.Split(redact.Lines(failed.Printed), "\n")}
	f := fault.Operation(nil, "worktree %q was not merged: on the merge with %s the gate %q failed (%s)", m.w.Ref, m.target, e.Command, how)
	f = f.About("worktree", m.w.Ref)
	if e.Log != "" {
		f = f.WithHint("what it printed is in %s; correct the work, commit, and ask again", e.Log)
	} else {
		f = f.WithHint("correct the work, commit, and ask again")
	}
	e.fault = f
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
