package unattended

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/run/ending"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// conclude acts on the result of a run: it finishes the task, hands the work back once, or releases the task. Good work that cannot land
// because of what is in the main checkout waits for a person.
func (t *on) conclude(ctx context.Context, r result, mayReturn bool) error {
	switch {
	case ctx.Err() != nil:
		return t.stopped(ctx, r, "it can be resumed: its worktree and claim stay", "it was stopped")
	case r.lost != nil:
		return t.stopped(ctx, r, r.lost.Error(), r.lost.Error())
	}
	if settled, err := t.settledByAgent(ctx, r); err != nil || settled {
		return err
	}
	if !r.end.Blameless() && !t.clientFailed(r) {
		t.worked()
	}
	if !r.verdict.Good && !(r.verdict.Dirt && !t.crew.o.Leave) {
		if r.end.Blameless() {
			return t.letGo(ctx, r)
		}
		return t.fail(ctx, r, r.verdict.Why)
	}
	r.end, r.until = ending.Done, time.Time{}
	t.show("finishes", t.b, "")
	if err := t.note(ctx, r.attempt, finishing); err != nil {
		return err
	}
	done, taken, err := t.finish(ctx, r)
	if blocked, is := errors.AsType[*land.Blocked](err); is && ctx.Err() == nil && !taken {
		r.doubt = reason(blocked)
		t.tell(Event{What: EventNote, TaskID: t.b.Task.ID, Worktree: t.w.Ref, Why: r.doubt + "; it waits for a person"})
		done, taken, err = t.finish(ctx, r)
	}
	switch {
	case err == nil:
		return t.succeed(ctx, r, done)
	case ctx.Err() != nil:
		return t.stopped(ctx, r, "its work is finished at the next start", cutInFinish)
	case taken:
		r.lost = errTaken
		return t.conclude(ctx, r, false)
	case isUnproposed(err), isUnjudged(err), ofMachine(err): // neither the agent nor the task can change it; the next try finishes the work
		t.uncount = true
		return cmp.Or(t.stopped(ctx, r, reason(err)+"; its work is finished at the next start", cutInFinish), error(&unfinished{err}))
	}
	if mendable(err) {
		r.end = ending.Gate
	}
	if mayReturn && mendable(err) {
		lost, failed := t.claimLost(ctx)
		if failed != nil {
			return t.fail(ctx, r, reason(err))
		}
		if !lost {
			return t.handBack(ctx, r, err)
		}
	}
	return t.fail(ctx, r, reason(err))
}

// reason returns an error on one line, with its cause and without the advice for people.
func reason(err error) string {
	f := *fault.From(err)
	f.Hint = ""
	return text.Cut(strings.Join(strings.Fields(f.Error()), " "), 600)
}

// mendable reports whether the agent can do something about a refusal to land its work.
func mendable(err error) bool {
	_, is := errors.AsType[*land.GateFailure](err)
	return is || fault.Is(err, fault.KindConflict)
}

// isUnjudged reports whether an error means that nothing lands until a person trusts the project's gate.
func isUnjudged(err error) bool {
	_, is := errors.AsType[*land.Unjudged](err)
	return is
}

// isUnproposed reports whether an error means that no pull request could be opened for good work.
func isUnproposed(err error) bool {
	_, is := errors.AsType[*assignment.Unproposed](err)
	return is
}

// ofMachine reports whether a finish failed for no refusal of the work: the disk, git, the network or the registry failed. An OperationError
// without a cause is a refusal in the suite's own words, or by a hook of the repository; one of git without a hint is not a failure of the
// machine that git.Fault knows, and may come from what the agent did to its branch.
func ofMachine(err error) bool {
	if mendable(err) {
		return false
	}
	f := fault.From(err)
	switch _, byGit := errors.AsType[*git.Error](f.Err); {
	case f.Kind == fault.KindProvider, f.Kind == fault.KindDatabase:
		return true
	case f.Kind != fault.KindOperation:
		return false
	case byGit:
		return f.Hint != ""
	}
	return f.Err != nil || f.Retryable
}

// unfinished is an error that kept good work from being finished. The next try finishes it without another run of the client.
type unfinished struct{ error }

// Unwrap returns the cause.
func (u *unfinished) Unwrap() error { return u.error }

// stopped closes an attempt that the next start takes up again, and reports what happens to it until then.
func (t *on) stopped(ctx context.Context, r result, what, why string) error {
	t.tell(Event{What: EventStopped, TaskID: t.b.Task.ID, Worktree: t.w.Ref, Why: what})
	return t.close(ctx, r, Stopped, why)
}

// finish finishes the task, and keeps its claim alive, since a gate takes minutes; taken reports that the claim was lost. It retries when
// another process holds something for a moment.
func (t *on) finish(ctx context.Context, r result) (done assignment.Finished, taken bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	beating := t.heartbeat(ctx, cancel, r.attempt.Run)
	defer func() {
		cancel(nil)
		<-beating
		taken = errors.Is(context.Cause(ctx), errTaken)
	}()
	for try := 1; ; try++ {
		done, err = t.Assign.Finish(ctx, assignment.FinishRequest{Caller: t.caller(), Repo: t.crew.o.Repo.UID,
			Worktree: t.w.Ref, Commit: !t.crew.o.Leave, Summary: r.attempt.Summary, Doubt: r.doubt, Land: t.landMode(r), Asker: t.crew.o.Asker})
		wait := beforeRetry(err, try)
		if wait == 0 || ctx.Err() != nil {
			return done, false, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// finishTries bounds how often a finish is tried.
const finishTries = 5

// beforeRetry returns how long to wait after a finish before the next try; 0 means that there is no next one.
func beforeRetry(err error, try int) time.Duration {
	if err == nil || !fault.From(err).Retryable || try >= finishTries {
		return 0
	}
	return time.Duration(try) * time.Second
}

// caller returns the caller that finishes: a try that does not hold the claim has no token.
func (t *on) caller() task.Caller {
	if t.number > 1 {
		return task.Caller{Agent: t.agent}
	}
	return task.Caller{Agent: t.agent, Token: t.b.Task.ClaimToken}
}

// handBack runs the client once more on work that could not land, in its session if possible.
func (t *on) handBack(ctx context.Context, r result, refused error) error {
	why := fault.From(refused).Message
	if err := t.close(ctx, r, Returned, why); err != nil {
		return err
	}
	t.tell(Event{What: EventReturned, TaskID: t.b.Task.ID, Worktree: t.w.Ref, Why: why})
	again, err := t.runAgain(ctx, r, refused)
	if err != nil {
		return err
	}
	if !again.verdict.Good && !again.trace && again.outcome.Ending == worker.Exited && ctx.Err() == nil && again.lost == nil {
		again.verdict.Why = why + "; handed back, " + again.verdict.Why
	}
	return t.conclude(ctx, again, false)
}

// runAgain runs the client on work that was refused, in its session if possible.
func (t *on) runAgain(ctx context.Context, r result, refused error) (result, error) {
	cause, session := Gate, ""
	if _, ok := errors.AsType[*land.MergeConflict](refused); ok {
		cause = Conflict
	}
	if t.client.Resumes() {
		session = r.attempt.Session
	}
	return t.run(ctx, cause, session, handBack(t.b, cause, refused))
}

// succeed closes an attempt whose work landed, waits or is kept.
func (t *on) succeed(ctx context.Context, r result, done assignment.Finished) error {
	what := map[assignment.State]string{assignment.Landed: EventLanded, assignment.Proposed: EventPulled, assignment.InReview: EventReview}[done.State]
	why := strings.Join(done.Notes, "; ")
	if done.Pull != nil {
		why = strings.Trim(done.Pull.Stands+"; "+why, "; ")
	}
	t.barren, t.barrenTask = 0, nil
	t.tell(Event{What: cmp.Or(what, EventKept), TaskID: t.b.Task.ID, Task: t.b.Task.Name, Worktree: t.w.Ref, Why: why})
	return t.close(ctx, r, Done, string(done.State))
}

// fail returns a task to the queue for another attempt, or reports it as failed after enough attempts.
func (t *on) fail(ctx context.Context, r result, why string) error {
	said := t.explain(r, why)
	if t.clientFailed(r) {
		t.barren++
		if t.barrenTask == nil {
			t.barrenTask = map[string]bool{}
		}
		t.barrenTask[t.b.Task.ID] = true
	} else {
		t.barren, t.barrenTask = 0, nil
	}
	other, err := t.untried(ctx, nil)
	if err != nil && ctx.Err() == nil {
		return err
	}
	state := Failed
	q := t.giveBack(said)
	what := EventReleased
	switch {
	case t.tired() && other != "":
		state, why = Returned, why+" (not counted: it is the client that fails)"
	case t.failed+1 >= t.crew.o.Attempts:
		q.Outcome, what = assignment.Failed, EventFailed
	default:
		why = fmt.Sprintf("attempt %d of %d: %s", t.failed+1, t.crew.o.Attempts, why)
	}
	if err := t.close(ctx, r, state, why); err != nil {
		return err
	}
	back, err := t.pending(ctx)
	if err != nil && ctx.Err() == nil {
		return err
	}
	if back {
		q.Token = 0 // it belongs to the claim that was given back
	}
	if !back || what == EventFailed {
		if _, err := t.Assign.Finish(ctx, q); err != nil && ctx.Err() == nil {
			if lost, failed := t.claimLost(ctx); failed == nil && lost {
				return nil
			}
			return err
		}
	}
	t.tell(Event{What: what, TaskID: t.b.Task.ID, Task: t.b.Task.Name, Worktree: t.w.Ref, Why: why})
	return nil
}

// giveBack returns the request that puts the task back into the queue.
func (t *on) giveBack(why string) assignment.FinishRequest {
	return assignment.FinishRequest{Caller: task.Caller{Agent: t.agent, Token: t.b.Task.ClaimToken}, Repo: t.crew.o.Repo.UID, Worktree: t.w.Ref,
		Outcome: assignment.Released, Summary: why}
}

// clientFailed reports whether a run failed because of its client, not its work: it ended with an error, and left nothing.
func (t *on) clientFailed(r result) bool {
	silent := r.outcome.Ending == worker.Idled && r.outcome.Said.Knows && !r.outcome.Said.Acted // it showed no sign of the model
	return !r.trace && (silent || r.outcome.Ending == worker.Exited && (r.outcome.Status != 0 || r.outcome.Said.Sentence() != ""))
}

// pending reports whether the task is back in the queue already.
func (t *on) pending(ctx context.Context) (bool, error) {
	d, err := t.Tasks.Get(ctx, t.b.Task.ID)
	return d.Status == task.Pending, err
}

// explain returns the result of a task that failed: why, the client's last words, and the end of its output.
func (t *on) explain(r result, why string) string {
	var s strings.Builder
	s.WriteString(why)
	if m := r.outcome.Said.Message; m != "" {
		s.WriteString("\nIts last message: " + text.Cut(m, 600))
	} else if len(r.outcome.Last) > 0 {
		s.WriteString("\nIts last lines:\n" + text.Cut(strings.Join(r.outcome.Last[max(0, len(r.outcome.Last)-8):], "\n"), 1200))
	}
	s.WriteString("\nThe whole: agit logs " + t.w.Ref)
	return s.String()
}

func (t *on) close(ctx context.Context, r result, state State, why string) error {
	t.say(context.WithoutCancel(ctx), presence.Gone, t.b, r.attempt.Run)
	r.attempt.State, r.attempt.Why, r.attempt.Ending = state, text.Cut(why, 2000), r.end
	if !r.until.IsZero() {
		until := timestamp.Of(r.until)
		r.attempt.Until = &until
	}
	return t.ended(ctx, r.attempt)
}

// settledByAgent closes an attempt whose agent itself gave its task back, or reported it.
func (t *on) settledByAgent(ctx context.Context, r result) (settled bool, err error) {
	d, err := t.Tasks.Get(ctx, t.b.Task.ID)
	if err != nil {
		return false, err
	}
	switch {
	case d.Status == task.Failed:
		t.tell(Event{What: EventFailed, TaskID: t.b.Task.ID, Task: t.b.Task.Name, Worktree: t.w.Ref, Why: "its agent says: " + text.FirstLine(d.Result, 300)})
		return true, t.close(ctx, r, Failed, "its agent says: "+d.Result)
	case d.Status == task.Pending:
		why := "its agent gave it back"
		if n := len(d.History); n > 0 && d.History[n-1].Why != "" {
			why += ": " + text.FirstLine(d.History[n-1].Why, 300)
		}
		return true, t.fail(ctx, r, why)
	}
	return false, nil
}
