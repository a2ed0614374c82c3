package unattended

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/land/tries"
	"github.com/agit-suite/agit/agit/internal/run/ending"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// tryAgent returns the agent's name for a try other than the first.
func tryAgent(name string, number int) string { return fmt.Sprintf("%s-try%d", name, number) }

// race lets several clients work on a task, each in a worktree of its own, under the worker's one claim. Their work waits for a person, who
// accepts one. Tries that were cut off continue where they were.
func (m *member) race(ctx context.Context, b brief.Brief) error {
	names := text.Each(m.crew.o.Tries, func(c worker.Client) string { return c.Name })
	_, first, err := m.Trees.Meant(ctx, m.crew.o.Repo.UID, b.Worktree.ID)
	if err != nil {
		return err
	}
	list, err := registry.Write(ctx, m.DB, registry.Scope{Project: first.ProjectID}, func(tx *registry.Tx) ([]tries.Try, error) {
		return tries.Begin(tx, first, names)
	})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(t tries.Try) bool { return t.State == tries.Running }) {
		return m.raceEnded(ctx, b, first)
	}
	m.tell(Event{What: EventBegun, TaskID: b.Task.ID, Task: b.Task.Name, Worktree: b.Worktree.ID, Why: fmt.Sprintf("%d tries: %s", len(list), strings.Join(names, ", "))})
	errs := make([]error, len(list))
	var running sync.WaitGroup
	for i, t := range list {
		if t.State != tries.Running {
			continue
		}
		who := m
		if t.Number > 1 {
			if t.Number-2 >= len(m.tries) {
				errs[i] = fault.Conflict("task", b.Task.ID, "the race for task %q has a try %d, and %d clients were given", b.Task.ID, t.Number, len(names)).
					WithHint("give the clients that it began with")
				continue
			}
			who = m.tries[t.Number-2]
		}
		running.Go(func() { errs[i] = who.try(ctx, b, first, t) })
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil && ctx.Err() == nil {
		return err
	}
	return m.raceEnded(ctx, b, first)
}

// try lets one client work on the task of a race, and shows its work.
func (m *member) try(ctx context.Context, b brief.Brief, first worktree.Worktree, one tries.Try) error {
	defer m.show("waits", brief.Brief{}, "")
	i := slices.IndexFunc(m.crew.o.Tries, func(c worker.Client) bool { return c.Name == one.Client })
	if i < 0 {
		return fault.Conflict("task", b.Task.ID, "try %d of task %q is of the client %s, which was not given", one.Number, b.Task.ID, one.Client).WithHint("give the clients that the race began with")
	}
	w, err := m.tryTree(ctx, first, one)
	if err != nil {
		return err
	}
	t := &on{member: m, b: b, w: w, client: m.crew.o.Tries[i], holder: first.AgentID, number: one.Number}
	t.w.ItemID, t.w.TaskID, t.w.Task = first.ItemID, first.TaskID, first.Task
	t.b = briefOfTry(b, w, t.number)
	if err := t.loadTry(ctx); err != nil {
		return err
	}
	t.b.Instruct(brief.Commands)
	instruct(&t.b, t.last, m.crew.o)
	r, err := t.result(ctx)
	if err != nil {
		return err
	}
	return t.concludeTry(ctx, one, r, nil)
}

// briefOfTry returns the brief of a race's task for the try in one worktree. It shares nothing with the briefs of the other tries.
func briefOfTry(b brief.Brief, w worktree.Worktree, number int) brief.Brief {
	there := *b.Worktree
	there.ID, there.Path, there.Branch, there.Port = w.Ref, w.Path, w.Branch, w.Port
	if number > 1 {
		there.Found = ""
	}
	b.Worktree, b.Notes = &there, slices.Clone(b.Notes)
	return b
}

// loadTry reads the last attempt in the worktree of a try, and its review if that was returned. It first ends one whose process was killed.
func (t *on) loadTry(ctx context.Context) error {
	err := t.DB.Read(ctx, func(tx *registry.Tx) error {
		history, err := History(tx, t.w.ItemID)
		for _, a := range history {
			if a.Worktree == t.w.Ref {
				t.last = a
			}
		}
		if err != nil {
			return err
		}
		last, _, err := review.LastFor(tx, t.w.ID, t.w.ItemID)
		if t.b.Review = nil; last.WorktreeID == t.w.ID {
			t.b.Review = brief.Returned(last)
		}
		return err
	})
	if err != nil || t.last.State != Running || !t.last.gone() {
		return err
	}
	return t.endLast(ctx)
}

// tryTree returns the worktree of a try: its own, the one that a killed worker had just made for it, or a new one.
func (m *member) tryTree(ctx context.Context, first worktree.Worktree, one tries.Try) (w worktree.Worktree, err error) {
	branch := fmt.Sprintf("%s-try%d", first.Branch, one.Number)
	err = m.DB.Read(ctx, func(tx *registry.Tx) error {
		if one.WorktreeID != 0 {
			w, err = worktree.ByID(tx, one.WorktreeID)
			return err
		}
		ref, err := registry.One[string](tx.QueryRow(`SELECT ref FROM worktrees WHERE repo_id = ? AND status IN ('active', 'stale', 'conflict') AND branch = ? ORDER BY id DESC LIMIT 1`,
			first.RepoID, branch))
		if err == nil {
			_, w, err = m.Trees.Find(tx, m.crew.o.Repo.UID, ref, false)
		}
		_, err = registry.Found(err)
		return err
	})
	if err != nil {
		return w, err
	}
	if one.WorktreeID != 0 {
		return m.ownTree(ctx, w)
	}
	if w.ID == 0 {
		if w, err = m.Assign.Spawns.Spawn(ctx, spawn.Request{Repo: m.crew.o.Repo.UID, Branch: branch, Agent: m.agent}); err != nil {
			return w, err
		}
	}
	return w, m.DB.Write(ctx, registry.Scope{Project: first.ProjectID}, func(tx *registry.Tx) error {
		return tries.SetWorktree(tx, one, w.ID)
	})
}

// ownTree returns the worktree of a try as that of its agent: the claimant has it while its work leads.
func (m *member) ownTree(ctx context.Context, w worktree.Worktree) (worktree.Worktree, error) {
	if text.Key(w.Agent) == text.Key(m.agent) {
		return w, nil
	}
	return registry.Write(ctx, m.DB, registry.Named, func(tx *registry.Tx) (worktree.Worktree, error) {
		a, err := agent.Caller(tx, m.agent)
		if err == nil {
			err = tx.In(w.ProjectID)
		}
		if err == nil {
			err = worktree.Assign(tx, w.ID, a.ID)
		}
		if err != nil {
			return w, err
		}
		return worktree.ByID(tx, w.ID)
	})
}

// concludeTry acts on the result of a client's run: its work waits for a person, or is handed back once, or the try has failed. refused is
// why it was handed back before, nil for the first time.
func (t *on) concludeTry(ctx context.Context, one tries.Try, r result, refused error) error {
	switch {
	case ctx.Err() != nil:
		return t.close(ctx, r, Stopped, "it was stopped")
	case r.lost != nil:
		return errors.Join(r.lost, t.close(ctx, r, Stopped, r.lost.Error()))
	case !r.verdict.Good && !(r.verdict.Dirt && !t.crew.o.Leave):
		if refused != nil {
			return t.refuseTry(ctx, one, r, refused, "; handed back: "+r.verdict.Why)
		}
		return t.endTry(ctx, one, r, tries.Failed, "", r.verdict.Why)
	}
	r.end = ending.Done
	t.show("finishes", t.b, "")
	if err := t.note(ctx, r.attempt, finishing); err != nil {
		return err
	}
	done, _, err := t.finish(ctx, r)
	switch {
	case err == nil:
		return t.endTry(ctx, one, r, tries.Shown, done.Gate, string(done.State))
	case ctx.Err() != nil:
		return t.close(ctx, r, Stopped, cutInFinish)
	case isUnjudged(err), ofMachine(err):
		return errors.Join(err, t.close(ctx, r, Stopped, cutInFinish))
	case !mendable(err) || refused != nil:
		return t.refuseTry(ctx, one, r, err, "")
	}
	if failed := t.close(ctx, r, Returned, fault.From(err).Message); failed != nil {
		return failed
	}
	again, failed := t.runAgain(ctx, r, err)
	if failed != nil {
		return failed
	}
	return t.concludeTry(ctx, one, again, err)
}

// refuseTry ends a try whose work cannot land.
func (t *on) refuseTry(ctx context.Context, one tries.Try, r result, refused error, more string) error {
	gate := ""
	if _, red := errors.AsType[*land.GateFailure](refused); red {
		gate, r.end = land.GateFailed, ending.Gate
	}
	return t.endTry(ctx, one, r, tries.Failed, gate, reason(refused)+more)
}

// endTry closes the attempt and the try.
func (t *on) endTry(ctx context.Context, one tries.Try, r result, state tries.State, gate, why string) error {
	attempt := Done
	if state == tries.Failed {
		attempt = Failed
	}
	if err := t.close(ctx, r, attempt, why); err != nil {
		return err
	}
	t.tell(Event{What: EventNote, TaskID: t.b.Task.ID, Worktree: t.w.Ref, Why: fmt.Sprintf("try %d (%s): %s", one.Number, one.Client, why)})
	return t.DB.Write(context.WithoutCancel(ctx), registry.Scope{Project: one.ProjectID}, func(tx *registry.Tx) error {
		tx.Changed(registry.TopicTasks, one.ProjectID, t.b.Task.ID)
		return tries.End(tx, one, state, gate, why)
	})
}

// summed counts the tries that show work, those that have not ended and those that were returned, and returns why the others failed.
func summed(list []tries.Try) (shown, running, returned int, why []string) {
	for _, t := range list {
		switch t.State {
		case tries.Shown:
			shown++
		case tries.Running:
			running++
		case tries.Returned:
			returned++
		default:
			why = append(why, fmt.Sprintf("try %d (%s): %s", t.Number, t.Client, t.Why))
		}
	}
	return shown, running, returned, why
}

// raceEnded leaves the task with the results of its tries: in review when one of them shows work, else failed with the reasons. When a person
// returned a try while others ran, and none of those shows work, all go on.
func (m *member) raceEnded(ctx context.Context, b brief.Brief, first worktree.Worktree) error {
	list, err := registry.Read(context.WithoutCancel(ctx), m.DB, func(tx *registry.Tx) ([]tries.Try, error) { return tries.Of(tx, first.ItemID) })
	if err != nil {
		return err
	}
	shown, running, returned, why := summed(list)
	switch {
	case running > 0: // stopped
		m.tell(Event{What: EventStopped, TaskID: b.Task.ID, Worktree: first.Ref, Why: "its tries can be resumed: their worktrees and the claim stay"})
		return nil
	case shown > 0:
		if err := m.Assign.Reviews.Lead(ctx, first.ProjectID, first.ItemID); err != nil {
			return err
		}
		m.tell(Event{What: EventReview, TaskID: b.Task.ID, Task: b.Task.Name, Worktree: first.Ref, Why: fmt.Sprintf("%d of %d tries: `agit review` shows them side by side", shown, len(list))})
		return nil
	case returned > 0:
		return m.race(ctx, b)
	}
	said := "no try made anything to accept: " + strings.Join(why, "; ")
	if _, err := m.Assign.Finish(ctx, assignment.FinishRequest{Caller: task.Caller{Agent: m.agent, Token: b.Task.ClaimToken}, Repo: m.crew.o.Repo.UID, Worktree: first.Ref,
		Outcome: assignment.Failed, Summary: said}); err != nil {
		return err
	}
	m.tell(Event{What: EventFailed, TaskID: b.Task.ID, Task: b.Task.Name, Worktree: first.Ref, Why: said})
	return nil
}
