package unattended

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/ending"
	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// tellEnd decides why a run ended, and writes it into its log in words.
func (t *on) tellEnd(r *result, log *runlog.Log, now time.Time) {
	if r.verdict.Good || r.lost != nil {
		r.end = ending.Done
		if r.lost != nil {
			r.end = ""
		}
		return
	}
	if r.over != nil { // its worktree keeps what it did
		r.end, r.verdict = ending.Budget, worker.Verdict{Why: r.over.Error()}
		log.Note("%s", r.verdict.Why)
		return
	}
	if r.end == "" {
		r.end, r.until = r.outcome.Reason(now)
	}
	switch {
	case r.end != ending.Done || r.verdict.Dirt:
	case r.trace:
		r.end = ending.Broken
	case len(r.outcome.Said.Denied) > 0:
		r.end = ending.Denied
	default:
		r.end = ending.Nothing
	}
	if words := r.end.Words(); words != "" && !r.verdict.Dirt && r.end != ending.Broken {
		r.verdict.Why = words + ": " + r.verdict.Why
		log.Note("%s", r.verdict.Why)
	}
}

// letGo releases a task whose client could not work on it, when that is not the task's fault: the attempt does not count, and the next run
// of the same client resumes its session.
func (t *on) letGo(ctx context.Context, r result) error {
	now, why := time.Now(), r.verdict.Why
	t.uncount = true
	switch {
	case r.end == ending.Denied:
		if t.denied == nil {
			t.denied = map[string]string{}
		}
		t.denied[t.b.Task.ID] = strings.Join(r.outcome.Said.Denied, "; ")
	case r.end == ending.Budget:
	default:
		said := cmp.Or(text.FirstLine(r.outcome.Said.Failed, 300), strings.TrimPrefix(why, r.end.Words()+": "))
		t.crew.mu.Lock()
		l := t.crew.limits.meet(t.client.Name, r.end, r.until, said, t.crew.o.Pause, now)
		t.crew.mu.Unlock()
		if l.kind.Waits() {
			r.until = l.until
		}
	}
	state := Stopped
	if r.end == ending.Denied {
		state = Returned
	}
	if err := t.close(ctx, r, state, why); err != nil {
		return err
	}
	if _, err := t.Assign.Finish(ctx, t.giveBack(t.explain(r, why))); err != nil && ctx.Err() == nil {
		if lost, failed := t.claimLost(ctx); failed != nil || !lost {
			return err
		}
	}
	t.tell(Event{What: EventReleased, TaskID: t.b.Task.ID, Task: t.b.Task.Name, Worktree: t.w.Ref, Why: why + " (not counted)"})
	return nil
}

// worked notes that the client works, and so drops its limit.
func (t *on) worked() {
	t.crew.mu.Lock()
	defer t.crew.mu.Unlock()
	delete(t.crew.limits, t.client.Name)
}

// whyDenied returns why ready tasks are not begun: their clients were denied a tool.
func (m *member) whyDenied() string {
	if len(m.denied) == 0 {
		return ""
	}
	ids := slices.Sorted(maps.Keys(m.denied))
	var what []string
	for _, id := range ids {
		if !slices.Contains(what, m.denied[id]) {
			what = append(what, m.denied[id])
		}
	}
	return fmt.Sprintf("%s went back untouched, since the client was not allowed: %s", text.Few(ids), text.Few(what))
}

// whyPassed returns why ready tasks are not begun: denied tools and spent budgets.
func (m *member) whyPassed() string {
	why := m.whyDenied()
	if len(m.overdrawn) == 0 {
		return why
	}
	ids := slices.Sorted(maps.Keys(m.overdrawn))
	over := fmt.Sprintf("the budget of %s is spent: %s", text.Few(ids), m.overdrawn[ids[0]])
	if why != "" {
		over = why + "; " + over
	}
	return over
}

// stuck returns the error of a worker that ends with tasks that it was not allowed to do; nil without such tasks.
func (m *member) stuck() error {
	if len(m.denied) == 0 {
		return nil
	}
	return fault.Operation(nil, "%s", m.whyDenied()).WithHint("allow it with a rule, such as `agit config set work.allow 'shell(make *)'`, or by the client's own options after --")
}
