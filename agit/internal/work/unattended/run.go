package unattended

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/ending"
	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// on is a task that a member works on.
type on struct {
	*member
	b      brief.Brief
	w      worktree.Worktree
	last   Attempt // the attempt before, of any agent
	failed int     // attempts so far that count
	client worker.Client
	holder int64 // the agent that holds the claim, when it is not the worktree's
	number int   // number of the try, if there are several; 0 for none
}

// result is the result of one run of the client.
type result struct {
	attempt Attempt
	outcome worker.Outcome
	verdict worker.Verdict
	trace   bool         // it left something in the worktree
	lost    error        // why the claim is no longer the agent's
	over    *spentBudget // the budget that ended it; nil for none
	told    bool         // it was ended to pass on a person's urgent message
	doubt   string       // why its work waits for a person: what it may have changed that is not its own, or what stands in its way
	end     ending.Kind
	until   time.Time // the end of the limit that it met; the zero time where that is not known
}

// task works on a task that was begun, until it is finished, given back or failed, or ctx ends.
func (m *member) task(ctx context.Context, b brief.Brief) error {
	t := &on{member: m, b: b, client: m.client}
	if err := t.load(ctx); err != nil {
		return err
	}
	if t.last.State == Running && t.last.gone() { // of another agent's worker that was killed
		if err := t.endLast(ctx); err != nil {
			return err
		}
		t.failed += failures([]Attempt{t.last}, time.Time{})
	}
	m.tell(Event{What: EventBegun, TaskID: b.Task.ID, Task: b.Task.Name, Worktree: b.Worktree.ID})
	instruct(&t.b, t.last, m.crew.o)
	if !t.cutInFinish() {
		if away, err := t.turnAway(ctx); away || err != nil {
			return err
		}
	}
	r, err := t.result(ctx)
	if err != nil {
		return err
	}
	return t.conclude(ctx, r, true)
}

// runClient runs the client, in the session of the attempt before if that was cut off. A client that does not speak the protocol after all,
// or has forgotten the session, is run once more.
func (t *on) runClient(ctx context.Context) (result, error) {
	cause, session := t.cause()
	text := t.b.Text()
	if session != "" {
		text = goOn(t.b, t.last)
	}
	r, err := t.run(ctx, cause, session, text)
	if err == nil && r.outcome.Said.Unspoken && t.client.Headless != nil && ctx.Err() == nil && r.lost == nil {
		t.tell(Event{What: EventNote, TaskID: t.b.Task.ID, Why: r.verdict.Why + "; the client is run by its headless command line"})
		if err = t.close(ctx, r, Returned, r.verdict.Why); err == nil {
			t.client, session = t.client.AsCommand(), ""
			r, err = t.run(ctx, cause, "", t.b.Text())
		}
	}
	if err == nil && session != "" && !r.verdict.Good && !r.trace && r.outcome.Ending == worker.Exited && r.lost == nil {
		// The client may have forgotten the session: it begins another one.
		if err = t.close(ctx, r, Returned, "the client's session could not be resumed: "+r.verdict.Why); err == nil {
			r, err = t.run(ctx, cause, "", t.b.Text())
		}
	}
	return r, err
}

// cutInFinish is why an attempt ended although its client was done: it was cut off while its work was being finished.
const (
	finishing   = "its work is being finished"
	cutInFinish = "it was cut off while its work was being finished"
)

// cutInFinish reports whether the attempt before was cut off in this worktree while its work was being finished.
func (t *on) cutInFinish() bool { return t.last.Why == cutInFinish && t.last.Worktree == t.w.Ref }

// result runs the client and returns its result. A client whose work was being finished is not run again: its result is that of the
// attempt before, under a new attempt.
func (t *on) result(ctx context.Context) (result, error) {
	if !t.cutInFinish() {
		return t.runClient(ctx)
	}
	r := result{attempt: t.last, verdict: worker.Verdict{Good: true}, trace: true, outcome: worker.Outcome{Ending: worker.Exited}}
	r.attempt.Run, r.attempt.Cause, r.attempt.ItemID, r.attempt.projectID = registry.NewID("run-"), Resumed, t.w.ItemID, t.w.ProjectID
	r.attempt.Used = Used{} // the attempt before has these costs
	return r, t.begin(ctx, &r)
}

// begin writes the row of an attempt.
func (t *on) begin(ctx context.Context, r *result) error {
	return t.DB.Write(ctx, registry.Scope{Project: t.w.ProjectID}, func(tx *registry.Tx) (err error) {
		r.attempt.ID, err = insert(tx, r.attempt, t.w.AgentID, t.w.ID)
		r.attempt.StartedAt.Time = tx.Now()
		tx.Changed(registry.TopicTasks, t.w.ProjectID, t.b.Task.ID)
		return err
	})
}

// load reads the task's worktree and history.
func (t *on) load(ctx context.Context) error {
	return t.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		if _, t.w, err = t.Trees.Find(tx, t.crew.o.Repo.UID, t.b.Worktree.ID, false); err != nil {
			return err
		}
		history, err := History(tx, t.w.ItemID)
		if err != nil {
			return err
		}
		since, err := reopened(tx, t.w.ItemID)
		if err != nil {
			return err
		}
		t.failed = failures(history, since)
		if len(history) > 0 {
			t.last = history[len(history)-1]
		}
		return nil
	})
}

// cause returns why the client is run, and the session that it resumes. A session is resumed when it was cut off, but not when it failed:
// its mistakes would go on.
func (t *on) cause() (cause Cause, session string) {
	switch t.last.State {
	case Stopped, Lost, Running:
		if t.last.Agent == t.agent && t.last.Client == t.client.Name && t.last.Worktree == t.w.Ref && t.client.Resumes() {
			session = t.last.Session
		}
		return Resumed, session
	case Failed:
		return Again, ""
	}
	return Begun, ""
}

// run runs the client and judges its work. A client that was ended for a message to its agent is run again with that message, in its
// session if possible. The error is about agit's own part; the attempt's row is closed then.
func (t *on) run(ctx context.Context, cause Cause, session, text string) (r result, err error) {
	for {
		r, err = t.runOnce(ctx, cause, session, text)
		if err != nil || !r.told || r.lost != nil || r.over != nil || ctx.Err() != nil {
			return r, err
		}
		if err = t.close(ctx, r, Returned, errTold.Error()); err != nil {
			return r, err
		}
		cause, session, text = Resumed, "", t.b.Text()
		if t.client.Resumes() && r.attempt.Session != "" {
			session, text = r.attempt.Session, goOn(t.b, Attempt{Why: errTold.Error()})
		}
	}
}

// runOnce runs the client once and judges its work.
func (t *on) runOnce(ctx context.Context, cause Cause, session, text string) (r result, err error) {
	o := t.crew.o
	log, err := runlog.Create(t.Home, t.w.Ref, runlog.Work)
	if err != nil {
		return r, err
	}
	defer func() {
		t.watchLog(nil)
		if closed := log.Close(); err == nil && closed != nil {
			t.tell(Event{What: EventNote, TaskID: t.b.Task.ID, Why: fault.From(closed).Message})
		}
	}()
	env, secrets := t.client.Environment(t.w.Environment(), o.Pass)
	log.Hide(secrets...)

	r.attempt = Attempt{Run: registry.NewID("run-"), ItemID: t.w.ItemID, TaskID: t.b.Task.ID, Agent: t.agent, Cause: cause, Client: t.client.Name,
		Session: session, Log: log.Path, projectID: t.w.ProjectID, path: t.w.Path}
	if err := t.begin(ctx, &r); err != nil {
		return r, err
	}
	defer func() {
		if err != nil {
			_ = t.close(ctx, r, Stopped, fault.From(err).Message)
		}
	}()

	people := t.hear(r.attempt, log)
	if text, err = people.brief(ctx, session, text); err != nil {
		return r, err
	}
	main, err := t.crew.o.Repo.Open()
	if err != nil {
		return r, err
	}
	roots, err := worker.Roots(main, t.w.Path)
	if err != nil {
		return r, err
	}
	file := strings.TrimSuffix(log.Path, ".log") + "-brief.md"
	place := worker.Place{Dir: t.w.Path, Roots: roots, Brief: text, File: file, Session: session}
	hold := func() func() { return func() {} } // until the job says how
	if t.client.Asks && !t.client.Speaks {
		desk, err := t.permits(r.attempt, log, func() func() { return hold() })
		if err != nil {
			return r, err
		}
		defer desk.Close()
		place.Servers = append(suiteServers(env), permitServer(desk))
	}
	line := t.client.Line(place, o.More)
	if line.File {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return r, fault.Operation(err, "write the brief %q", file)
		}
	}
	in, done, err := t.putInside(main, r.attempt.Run, line, file, env)
	if err != nil {
		return r, err
	}
	defer done()
	before, err := worker.LookAt(ctx, main, t.w.Path)
	if err != nil {
		return r, err
	}
	checkoutBefore, checkoutErr := worker.AtRest(ctx, main, t.crew.o.Repo.Path)
	around, err := t.lookBefore(ctx, main)
	if err != nil {
		return r, err
	}
	log.Note("%s runs %s on task %s (%s): %s", t.agent, filepath.Base(line.Command[0]), t.b.Task.ID, cause, t.b.Task.Name)

	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.show("works", t.b, "")
	t.watchLog(log)
	beating := t.heartbeat(running, cancel, r.attempt.Run)
	meter := t.measure(running, cancel, r.attempt)
	job := worker.Job{ID: r.attempt.Run, Dir: t.w.Path, Command: in.Command, Env: in.Env, Files: in.Files, Maker: in.Maker, Stdin: line.Stdin, Events: t.client.Events,
		Limit: o.Limit, Idle: o.Idle, Grace: o.Grace, Log: log,
		Held: func(h func() func()) { hold = h },
		Started: func(pid int64, mark string) error {
			if err := t.started(ctx, r.attempt, pid, mark); err != nil || t.client.Speaks {
				return err
			}
			people.wrote(ctx, session) // the brief is its input, or an argument
			return nil
		}, Update: func(u worker.Used) { meter.tell(u, "") }}
	stop := func() { cancel(errTold) }
	if t.client.Speaks {
		stop = nil // its turn is cut
		if job.Speak, err = t.speak(r.attempt, place, log, in.Env, meter, people); err != nil {
			cancel(nil)
			<-beating
			<-meter.done
			return r, err
		}
	}
	hearing := people.listen(running, stop)
	r.outcome, err = job.Run(running)
	if cause := context.Cause(running); cause != nil && ctx.Err() == nil {
		if r.told = errors.Is(cause, errTold); !r.told && !errors.As(cause, &r.over) {
			r.lost = cause
		}
	}
	cancel(nil)
	<-beating
	<-meter.done
	<-hearing
	if err != nil {
		return r, err
	}
	r.attempt.Session = cmp.Or(r.outcome.Said.Session, r.attempt.Session)
	r.attempt.Summary = cmp.Or(r.outcome.Said.Message, strings.Join(r.outcome.Last[max(0, len(r.outcome.Last)-5):], "\n"))
	ctx = context.WithoutCancel(ctx)
	if err := t.judge(ctx, main, &r, log, before); err != nil {
		return r, err
	}
	if err := t.lookBeside(ctx, main, &r, log, before, around, checkoutBefore, checkoutErr); err != nil {
		return r, err
	}
	t.tellEnd(&r, log, time.Now())
	t.used(ctx, &r, meter)
	return r, nil
}

// judge judges what the run left.
func (t *on) judge(ctx context.Context, main *git.Repo, r *result, log *runlog.Log, before worker.Tree) error {
	if tree, err := checkout.Open(main, t.w.Path); err == nil { // no process of the run is left that could hold a lock
		checkout.ClearWorkLocks(ctx, tree, r.attempt.StartedAt.Time)
	}
	after, err := worker.LookAt(ctx, main, t.w.Path)
	if err != nil {
		r.trace, r.end = true, ending.Broken
		r.verdict, err = t.unreadable(ctx, err)
		return err
	}
	r.trace = after.Head != before.Head || len(after.Since(before)) > 0
	r.verdict = worker.Judge(r.outcome, t.w.Branch, before, after)
	if !r.verdict.Good && r.outcome.Ending == worker.Exited && r.outcome.Status == 0 && after.Head == before.Head && after.Head != t.w.Base && len(after.Changes) == 0 &&
		after.Branch == t.w.Branch && r.outcome.Said.Sentence() == "" && t.last.State != "" {
		r.verdict = worker.Verdict{Good: true} // an earlier attempt had committed all of it
	}
	log.Note("%s after %s", r.outcome, r.outcome.Took.Round(time.Second))
	if len(r.outcome.Left) > 0 {
		log.Note("it had left programs running, which were ended: %s", text.Few(r.outcome.Left))
	}
	if denied := r.outcome.Said.Denials(); denied != "" {
		log.Note("%s", denied)
		if r.verdict.Why != "" {
			r.verdict.Why += "; " + denied
		}
	}
	return nil
}

const duringRun = "During the run "

// lookBeside looks for changes of the run outside of its worktree, and reports them. Changes that only the run can have made turn its work
// bad; with changes that others may have made meanwhile, a person decides.
func (t *on) lookBeside(ctx context.Context, main *git.Repo, r *result, log *runlog.Log, before worker.Tree, around surroundings, checkoutBefore worker.Tree, checkoutErr error) error {
	note := func(what string) {
		log.Note("%s", what)
		t.tell(Event{What: EventNote, TaskID: t.b.Task.ID, Worktree: t.w.Ref, Why: what})
	}
	if checkoutErr == nil && t.crew.o.Repo.Path != "" {
		if told, err := worker.Strayed(ctx, main, t.crew.o.Repo.Path, checkoutBefore); err == nil && len(told) > 0 {
			what := "the main checkout " + strings.Join(told, ", and ")
			r.doubt = duringRun + what
			note(what)
		}
	}
	tip, err := main.Resolve(ctx, "refs/heads/"+t.w.Branch)
	var found worker.Trespass
	if err == nil {
		found, err = t.trespass(ctx, main, around, registry.FormatTime(r.attempt.StartedAt.Time), before.Head, tip)
	}
	if _, ok := errors.AsType[*git.Error](err); ok { // git could read it before the run
		found, err = worker.Trespass{Sure: []string{"git cannot read the repository after the run: " + reason(err)}}, nil
	}
	if err != nil || found.Told() == "" {
		return err
	}
	note(found.Told())
	if len(found.Perhaps) > 0 {
		r.doubt = duringRun + strings.Join(found.Perhaps, "; ")
	}
	if len(found.Sure) > 0 {
		why := strings.Join(found.Sure, "; ")
		if r.verdict.Why != "" {
			why = r.verdict.Why + "; " + why
		}
		r.verdict = worker.Verdict{Why: why}
	}
	return nil
}

// unreadable judges a run whose worktree is no longer readable.
func (t *on) unreadable(ctx context.Context, cause error) (v worker.Verdict, err error) {
	now, err := t.Trees.Reload(ctx, t.w)
	switch {
	case err != nil:
		return v, err
	case !now.Status.Live(): // the agent finished it itself: landed and removed
		return worker.Verdict{Good: true}, nil // finish reports its state
	case checkout.Gone(t.w.Path):
		return worker.Verdict{Why: "it deleted the folder of its worktree"}, nil
	}
	return worker.Verdict{Why: "it broke its worktree: " + reason(cause)}, nil
}

// watchLog makes the worker's Look show the last line of a log.
func (m *member) watchLog(log *runlog.Log) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log = log
}
