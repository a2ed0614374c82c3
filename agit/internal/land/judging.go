package land

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
)

// Unjudged reports that the settings which would judge a landing are not in force: no person trusts them, or they were trusted and are
// gone, or they cannot be read. Its chain holds the *fault.Fault that people see.
type Unjudged struct{ shown }

// judged returns the commands that judge a landing: those that the caller passes, else those configured. skipped names what is left out
// because a person wants it. broken is why the target's settings cannot be read. When a gate is configured, or was trusted, and cannot run,
// nothing lands unless a person wants it: the error is an *Unjudged.
func judged(o Request, set worktree.Settings, broken error, w worktree.Worktree, target string) (gate []string, skipped string, err error) {
	why := unjudged(set, broken, target)
	there := len(set.Gate) > 0 || why != ""
	hint := "a person looks at it and runs `agit config trust`, or passes --no-gate for this one"
	if broken != nil { // which cannot be trusted
		hint = "a person corrects and commits the file on " + target + ", or passes --no-gate for this one"
	}
	switch {
	case o.Gate == nil && why == "":
		return set.Gate, "", nil
	case o.Gate == nil:
		return nil, "", &Unjudged{shown{worktree.Conflictf(w, "worktree %q was not merged: %s", w.Ref, why).
			WithHint("%s", hint)}}
	case there && !o.Asker.Person() && !set.ByAgents:
		return nil, "", worktree.Conflictf(w, "worktree %q was not merged: %s has a gate, which a person may leave out or replace, and %s may not", w.Ref, target, o.Asker).
			WithHint("ask again without --gate and --no-gate")
	case len(o.Gate) > 0 || !there:
		return o.Gate, "", nil
	case len(set.Gate) > 0:
		return o.Gate, strings.Join(text.Each(set.Gate, redact.Clean), "; "), nil
	}
	return o.Gate, why, nil
}

// unjudged returns why the settings that judge landings on a branch are not in force, "" when they are.
func unjudged(set worktree.Settings, broken error, target string) string {
	u := set.Unjudged
	switch {
	case broken != nil:
		return fmt.Sprintf("the settings of branch %s cannot be read: %s", target, fault.From(broken).Message)
	case len(u.Waiting) > 0:
		return fmt.Sprintf("the project's %s on branch %s has no effect, since no person has trusted that content of the file", strings.Join(u.Waiting, " and "), target)
	case len(u.Lost) > 0:
		return fmt.Sprintf("the project's %s, which was trusted, is not set on branch %s any more, or in a file that is not trusted", strings.Join(u.Lost, " and "), target)
	}
	return ""
}

// settle reads the settings that the target has at its commit, and decides what judges the landing.
func (m *merging) settle(ctx context.Context) error {
	ref, commit, err := m.destination(ctx)
	if err != nil {
		return err
	}
	set, broken := m.Trees.SettingsAt(ctx, m.g, m.r, ref, commit)
	if broken != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	m.set, m.settled = set, commit
	m.gate, m.skipped, err = judged(m.o, set, broken, m.w, m.target)
	if not, is := errors.AsType[*Unjudged](err); is && m.trial {
		m.gate, m.ungated, err = nil, not.fault.Message, nil
		m.set.PreMerge = nil
	}
	return err
}

// resettle reads the settings again when the branch was moved since, and refuses when another gate or other hooks would judge now.
func (m *merging) resettle(ctx context.Context) error {
	if m.settled == m.j.Old || m.settled == "" {
		return nil
	}
	before, hooks := strings.Join(m.gate, "\n"), strings.Join(m.set.PreMerge, "\n")
	if err := m.settle(ctx); err != nil {
		return err
	}
	if strings.Join(m.gate, "\n") != before || strings.Join(m.set.PreMerge, "\n") != hooks {
		return m.refusal("the settings of branch %s changed meanwhile", m.target).WithHint("ask again").Retry()
	}
	return nil
}

// readable refuses a merge that would leave the project's settings unreadable: every landing after it would be refused.
func (m *merging) readable(ctx context.Context) error {
	var files []string
	for _, c := range m.changes {
		if worktree.IsSettings(c.Path) {
			files = append(files, c.Path)
		}
	}
	if len(files) == 0 {
		return nil
	}
	g := *m.g
	_, err := m.Trees.SettingsAt(ctx, &g, m.r, "", m.j.New)
	if _, failed := errors.AsType[*git.Error](err); err == nil || failed || ctx.Err() != nil {
		return ctx.Err()
	}
	return m.refusal("it makes the project's settings unreadable: %s", fault.From(err).Message).WithHint("correct the file in the worktree, commit, and ask again")
}
