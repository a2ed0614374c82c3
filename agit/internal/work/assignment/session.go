package assignment

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
)

// Limits of a session's sibling program: its time and the length of its output. The end of a session sends what is queued for a tracker,
// hence its longer time.
const (
	startTime     = 10 * time.Second
	endTime       = 60 * time.Second
	sessionBudget = "3000"
)

// started is memoryd's answer at the start of a session. When there was none, Notes name the reason.
type started struct {
	brief.Remembered
	Notes []string
}

// startSession opens the agent's session in the worktree, or returns the open one.
func (s *Store) startSession(ctx context.Context, on takeUp, w worktree.Worktree) (out started) {
	var said struct {
		ID       string   `json:"session_id"`
		Warnings []string `json:"warnings"`
		Last     string   `json:"last_session_summary"`
		Before   *struct {
			Summary string `json:"summary"`
		} `json:"resumed_from"`
		Memory []brief.Memory `json:"recent_memory"`
	}
	err := s.memoryd(ctx, w.Path, startTime, &said, "session", "start", "--agent="+on.agent.Name, "--item="+on.Task.ID, "--budget="+sessionBudget)
	if err != nil {
		return started{Notes: []string{"no memories here: " + fault.From(err).Message}}
	}
	out.Session, out.Memory, out.Last, out.Notes = said.ID, said.Memory, said.Last, said.Warnings
	if said.Before != nil {
		out.Last = said.Before.Summary
	}
	return out
}

// ended describes how a session ends.
type ended struct {
	id, folder, outcome, summary string
	tip                          string // commit that it ended at, where its folder is gone
}

// openSession returns the open session of a worktree's agent on its item; "" for none.
func openSession(tx *registry.Tx, worktree string) (string, error) {
	return registry.OrZero(registry.One[string](tx.QueryRow(`SELECT ref FROM open_sessions
		WHERE project_id = (SELECT repos.project_id FROM worktrees JOIN repos ON repos.id = worktrees.repo_id WHERE worktrees.ref = ?)
		AND agent_id = (SELECT agent_id FROM worktrees WHERE ref = ?) AND item_id = (SELECT item_id FROM worktrees WHERE ref = ?)
		ORDER BY last_event_at DESC LIMIT 1`, worktree, worktree, worktree)))
}

// endSession ends a session. A failure is only a note: the work is done, and memoryd closes silent sessions by itself.
func (s *Store) endSession(ctx context.Context, e ended) (notes []string) {
	if e.id == "" {
		return nil
	}
	args := []string{"session", "end", "--outcome=" + e.outcome}
	if e.summary != "" {
		args = append(args, "--summary="+e.summary)
	}
	if e.tip != "" {
		args = append(args, "--tip="+e.tip)
	}
	var said struct {
		Warnings []string `json:"warnings"`
	}
	err := s.memoryd(ctx, e.folder, endTime, &said, append(args, e.id)...)
	if fault.Is(err, fault.KindConflict) {
		return nil // it was ended meanwhile
	}
	if err != nil {
		return []string{"the session " + e.id + " was not ended: " + fault.From(err).Message}
	}
	return said.Warnings
}

// memoryd runs memoryd in a folder, on the registry that this process works on.
func (s *Store) memoryd(ctx context.Context, dir string, limit time.Duration, result any, args ...string) error {
	return sibling.Run(ctx, sibling.Call{Program: "memoryd", Args: append(args, s.Flags...), Dir: dir, Env: plainEnvironment(), Timeout: limit}, result)
}

// plainEnvironment returns this process's environment without the variables that place an agent: the session belongs to the agent that is
// named.
func plainEnvironment() []string {
	return slices.DeleteFunc(git.UserEnvironment(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"AGIT_AGENT", "AGIT_REPO", "AGIT_WORKTREE", "AGIT_TASK"}, name)
	})
}
