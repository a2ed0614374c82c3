package land

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/verdict"
	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
)

// GateFailure reports a red gate. Nothing was changed. Its chain holds the *fault.Fault that people see. As JSON it is passed to the process
// that asked for the landing.
type GateFailure struct {
	Worktree string   `json:"-"`
	Command  string   `json:"command"`
	Exit     int      `json:"exit"`  // the command's exit status, -1 after a signal or when it took too long
	How      string   `json:"how"`   // how it ended
	Lines    []string `json:"lines"` // the last lines that it printed
	Log      string   `json:"log"`   // file with all of its output
	shown
}

// shown is the fault that people see of an error with more detail.
type shown struct{ fault *fault.Fault }

// Error is the fault's sentence.
func (s shown) Error() string { return s.fault.Error() }

// Unwrap returns the fault.
func (s shown) Unwrap() error { return s.fault }

// gateBegun notes, for all landings that the gate judges, that it begins to run and where its output goes; log is nil without a gate.
func (m *merging) gateBegun(log *runlog.Log) func(*registry.Tx) error {
	if log == nil {
		return nil
	}
	m.log = log.Path
	return func(tx *registry.Tx) error {
		for _, o := range m.together() {
			err := tx.Do(`UPDATE landings SET gate_result = 'running', gate_at = ?, log = ?, target_oid = ?, rounds = rounds + 1 WHERE id = ?`,
				tx.Stamp(), m.log, o.j.Old, o.landing)
			if err != nil {
				return err
			}
			tx.Changed(registry.TopicWorktrees, o.r.ProjectID, o.w.Ref)
		}
		return nil
	}
}

// gatePassed notes what is about to land, with the journals of the landings that land along.
func (m *merging) gatePassed() func(*registry.Tx) error {
	if m.landing == 0 {
		return nil
	}
	result := ""
	if m.tested != "" {
		result = GatePassed
	}
	return func(tx *registry.Tx) error {
		for _, o := range m.together() {
			n, err := tx.Exec(`UPDATE landings SET gate_result = ?, tested_tree = ?, target_oid = ?, log = CASE WHEN ? = '' THEN log ELSE ? END WHERE id = ? AND (state = 'running' OR batch = 0)`,
				result, m.tested, o.j.Old, m.knownLog, m.knownLog, o.landing)
			if err == nil && n == 0 {
				err = errLeft
			}
			if err == nil && o != m {
				err = worktree.WriteJournal(tx, o.w, o.j)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// gateEnded notes that the gate was red, if that is the cause of the failure.
func (m *merging) gateEnded(tx *registry.Tx, cause error) error {
	if _, red := errors.AsType[*GateFailure](cause); !red {
		return nil
	}
	return tx.Do(`UPDATE landings SET gate_result = 'failed' WHERE id = ?`, m.landing)
}

// runGate runs the gate in a checkout of the merge, unless the tree is known to pass.
func (m *merging) runGate(ctx context.Context, dir string, log *runlog.Log) error {
	if log == nil {
		return nil
	}
	gate, secrets := m.gateOf()
	log.Hide(secrets...)
	began := time.Now()
	outcome, err := gate.Run(ctx, verdict.Job{
		Run: m.j.Run, Dir: dir, Git: m.g, Repo: m.r.UID, What: fmt.Sprintf("%.12s (%s into %s)", m.j.New, m.w.Branch, m.target), Log: log, Running: m.o.Running,
		Between: func() error { return m.Trees.Reach("merge:gate") },
	})
	if err != nil {
		return err
	}
	v := verdict.Verdict{Tree: m.tree, Key: m.key, Green: outcome.Green, Command: outcome.Command, How: outcome.How, Lines: outcome.Lines, Log: log.Path, Took: time.Since(began)}
	if err := m.Verdicts().Keep(ctx, m.r.ProjectID, m.r.ID, v); err != nil {
		return err
	}
	if !outcome.Green {
		return m.red(ctx, outcome, log)
	}
	m.tested = m.tree
	return nil
}

// gateOf returns the gate with its environment. secrets are the values in the environment that must not appear in a log.
func (m *merging) gateOf() (g verdict.Gate, secrets []string) {
	env, secrets := m.environment()
	return verdict.Gate{Commands: m.gate, Limit: m.set.GateTimeout, Env: env, Wall: m.Wall}, secrets
}

// keyOf returns a key for everything but the tree that the gate's verdict depends on, for a merge onto a commit; "" without a gate.
func (m *merging) keyOf(ctx context.Context, onto string) (string, error) {
	if len(m.gate) == 0 {
		return "", nil
	}
	beside, err := m.Trees.Inclusion(m.g, m.r, m.set, onto).Key(ctx)
	gate, _ := m.gateOf()
	return gate.Key(beside), err
}

// known reports whether the gate passed this very tree within a day, for a landing or a trial. A tree that failed is judged again.
func (m *merging) known(ctx context.Context) (bool, error) {
	if len(m.gate) == 0 {
		return false, nil
	}
	var err error
	if m.key, err = m.keyOf(ctx, m.j.Old); err != nil || !m.set.GateCache {
		return false, err
	}
	v, err := m.Verdicts().Find(ctx, m.r.ID, m.tree, m.key)
	if err != nil || v == nil || !v.Green {
		return false, err
	}
	m.tested, m.knownLog = m.tree, v.Log
	m.Trees.Notice(fmt.Sprintf("the gate passed this very state at %s and was not run again", v.At.Local().Format(time.TimeOnly)))
	return true, nil
}

// environment returns the variables for the gate and the hooks before it. They run what an agent wrote, and so get no more than agents'
// clients do. secrets are the values that must not appear in a log.
func (m *merging) environment() (env, secrets []string) {
	return worker.Client{}.Environment(append(m.w.Environment(), "AGIT_TARGET="+m.target, "AGIT_COMMIT="+m.j.New), m.set.GateEnv)
}

// red makes the error of a gate that failed.
func (m *merging) red(ctx context.Context, outcome verdict.Outcome, log *runlog.Log) error {
	_ = log.Close()
	how := outcome.How
	if err := durable.Sync(context.WithoutCancel(ctx), m.keptFiles()); err != nil { // the caller is pointed to the log
		how += fmt.Sprintf("; its log may be lost: %v", err)
	}
	return m.failure(GateFailure{Command: redact.Clean(outcome.Command), Exit: outcome.Exit, How: how, Lines: outcome.Lines, Log: log.Path})
}

// failure returns the error for a red gate of this landing.
func (m *merging) failure(red GateFailure) *GateFailure {
	red.Worktree = m.w.Ref
	red.fault = fault.Operation(nil, "worktree %q was not merged: on the merge with %s the gate %q failed: %s", m.w.Ref, m.target, red.Command, red.How).
		WithHint("`agit logs %s` shows what it printed; correct the work, commit, and %s", m.w.Ref, m.retry("ask again")).About("worktree", m.w.Ref)
	return &red
}

// verify proves that the branch is about to become exactly what was tested: the same tree, built on the same commit.
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
