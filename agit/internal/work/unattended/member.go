package unattended

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// member is one worker of a crew.
type member struct {
	*Store
	crew  *Crew
	agent string

	mu    sync.Mutex
	look  Look
	log   *runlog.Log // log of the running client
	asks  string      // what the agent asks a person now; "" for nothing
	askID string      // the question's id

	// Failures in a row of the client itself that left no trace in the worktree, and the tasks of these. With one task, the task may be the
	// cause; with two, it is rather the client: no credit, no network, a wrong option. Such a row must not use up the attempts of a whole
	// queue, nor may two bad tasks hold it up: trying another task then shows which it is.
	barren     int
	barrenTask map[string]bool
	refused    int    // failed begins, or finishes, in a row
	waits      string // why it waits, as it was reported; "" while it works

	client  worker.Client     // that it runs now
	uncount bool              // the last task was released, or is still to be finished, by no fault of its own
	tries   []*member         // the workers on the tries of a task, except the first
	denied  map[string]string // tasks that were released because a tool was denied, and what was denied
	// overdrawn are tasks that have exceeded the budget of a task, each with the budget and its use.
	overdrawn map[string]string
}

// work is the loop of one worker.
func (m *member) work(ctx context.Context) error {
	defer func() {
		m.show("stopped", brief.Brief{}, "")
		m.say(context.WithoutCancel(ctx), presence.Gone, brief.Brief{}, "worker")
	}()
	for {
		news := m.crew.heard() // before looking, so that no change in between is missed
		if m.crew.stopping(ctx) {
			return nil
		}
		if may, ended, err := m.afford(ctx); err != nil || ended {
			return err
		} else if !may {
			continue
		}
		if ready, err := m.choose(ctx); err != nil {
			return fmt.Errorf("agent %s: %w", m.agent, err)
		} else if !ready {
			continue
		}
		if !m.crew.take() {
			return nil
		}
		did, why, err := m.next(ctx)
		if !did || m.uncount {
			m.crew.giveBack()
		}
		m.uncount = false
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			if m.refused++; m.givesUp(err) {
				return fmt.Errorf("agent %s: %w", m.agent, err)
			}
			what := "a task could not be begun"
			if isUnproposed(err) {
				what = "work could not be proposed"
			} else if _, is := errors.AsType[*unfinished](err); is {
				what = "finished work could not land"
			}
			m.tell(Event{What: EventNote, Why: what + ": " + reason(err)})
			m.wait(ctx, nil, m.pause(m.refused), what)
			continue
		case did && m.tired():
			m.wait(ctx, nil, m.rest(), fmt.Sprintf("%d failures in a row", m.barren))
			continue
		case did:
			m.refused = 0
			m.trial(ctx, nil)
			continue
		}
		m.refused = 0
		m.trial(ctx, news)
		if m.crew.o.UntilEmpty {
			busy, err := m.othersAtWork(ctx, m.crew.o.Repo, m.agent)
			if err == nil && !busy && why != nothingReady {
				m.tell(Event{What: EventNote, Why: why})
			}
			if err == nil && !busy {
				err = m.stuck()
			}
			if err != nil || !busy {
				return err
			}
		}
		m.wait(ctx, news, pollEvery, why)
	}
}

const nothingReady = "nothing is ready"

// mostRefused is the number of failed begins, or finishes, in a row after which a worker ends.
const mostRefused = 6

// givesUp reports whether the worker ends because of an error: another try would meet the same one, or enough have failed in a row.
func (m *member) givesUp(err error) bool {
	return m.refused >= mostRefused || m.crew.o.Task != "" || isUnjudged(err) || isUnproposed(err) && !fault.From(err).Retryable ||
		fault.Is(err, fault.KindValidation) || fault.Is(err, fault.KindNotFound)
}

// rest returns how long a tired worker waits. The second failure in a row is the first that makes it tired.
func (m *member) rest() time.Duration { return m.pause(m.barren - 1) }

// next begins a task and works on it; did is false when there was none, and why is the reason.
func (m *member) next(ctx context.Context) (did bool, why string, err error) {
	if why, err := m.halted(ctx); err != nil || why != "" {
		return false, why, err
	}
	if m.waits == "" {
		m.show("begins", brief.Brief{}, "")
	}
	o := m.crew.o
	q := assignment.BeginRequest{Repo: o.Repo.UID, Agent: m.agent, Task: o.Task, Capabilities: o.Capabilities, MinPriority: o.MinPriority}
	if err := m.readOverdrawn(ctx); err != nil {
		return false, "", err
	}
	if m.overdrawn[o.Task] != "" {
		return false, m.whyPassed(), nil
	}
	passed := len(m.denied) + len(m.overdrawn)
	choosing, lost := o.Task == "" && (m.tired() || passed > 0), map[string]bool{}
	var b brief.Brief
	for {
		if choosing {
			if q.Task, err = m.untried(ctx, lost); err != nil {
				return false, "", err
			}
			if q.Task == "" && passed > 0 {
				return false, m.whyPassed(), nil
			}
		}
		if b, err = m.Assign.Begin(ctx, q); err == nil || !choosing || q.Task == "" || !fault.Is(err, fault.KindConflict) {
			break
		}
		lost[q.Task] = true // another took it meanwhile, or something stands in its way
	}
	if err != nil {
		if f := fault.From(err); o.Task == "" && f.Kind == fault.KindConflict && f.EntityType == "agent" {
			return false, f.Message, nil
		}
		return false, "", err
	}
	if b.Task == nil {
		return false, nothingReady, nil
	}
	if m.waits != "" {
		m.waits = ""
		m.sayWaiting(ctx, "")
	}
	if len(m.crew.o.Tries) > 1 {
		return true, "", m.race(ctx, b)
	}
	return true, "", m.task(ctx, b)
}

// halted returns why the agent may not begin a task, nor continue one that it holds; "" when it may.
func (m *member) halted(ctx context.Context) (why string, err error) {
	err = m.DB.Read(ctx, func(tx *registry.Tx) error {
		a, err := agent.Lookup(tx, m.agent)
		if err != nil || a.ID == 0 {
			return err
		}
		n, err := registry.One[int64](tx.QueryRow(`SELECT COUNT(*) FROM halted_agents WHERE agent_id = ?`, a.ID))
		if n > 0 {
			why = "it is halted; a person has to look at its work: `memoryd agent resume " + m.agent + "`"
		}
		return err
	})
	return why, err
}

// tired reports whether failures in a row mean that the client itself does not work.
func (m *member) tired() bool { return len(m.barrenTask) >= 2 }

// untried returns a ready task of those that the worker takes, which has not just failed, was not denied a tool, has budget left, and is not
// lost; "" when there is none.
func (m *member) untried(ctx context.Context, lost map[string]bool) (string, error) {
	o := m.crew.o
	page, err := m.Tasks.Ready(ctx, task.Filter{Repo: o.Repo.UID, Agent: m.agent, Capabilities: o.Capabilities, MinPriority: o.MinPriority,
		Limit: len(m.barrenTask) + len(m.denied) + len(m.overdrawn) + len(lost) + 1}) // one of so many is none of these
	for _, t := range page.Tasks {
		_, denied := m.denied[t.ID]
		if _, over := m.overdrawn[t.ID]; !m.barrenTask[t.ID] && !denied && !over && !lost[t.ID] {
			return t.ID, err
		}
	}
	return "", err
}

// pause returns how long to wait after n failures in a row.
func (m *member) pause(n int) time.Duration {
	d := m.crew.o.Pause
	for range min(n, 20) - 1 {
		d = min(2*d, longestPause)
	}
	return d
}

// wait waits for news, but no longer than most.
func (m *member) wait(ctx context.Context, news <-chan struct{}, most time.Duration, why string) {
	if m.waits != why {
		m.waits = why
		m.show("waits", brief.Brief{}, why)
		m.tell(Event{What: EventWaits, Why: why})
		m.sayWaiting(ctx, why)
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-m.crew.stop:
	case <-news:
	case <-timer.C:
	}
}

func (m *member) tell(e Event) {
	e.Agent = m.agent
	m.crew.tell(e)
}

// show notes what the worker is doing from now on.
func (m *member) show(doing string, b brief.Brief, line string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.look.Doing == doing && m.look.Line == line && b.Task == nil {
		return
	}
	m.look = Look{Agent: m.agent, Doing: doing, Since: time.Now(), Line: line}
	if b.Task != nil {
		m.look.TaskID, m.look.Task, m.look.Worktree = b.Task.ID, b.Task.Name, b.Worktree.ID
	}
}

func (m *member) now() Look {
	m.mu.Lock()
	defer m.mu.Unlock()
	look := m.look
	if m.log != nil {
		if last := m.log.LastLine(); last != "" {
			look.Line = last
		}
	}
	return look
}

// say publishes what the agent does. A failure is not worth ending the work for.
func (m *member) say(ctx context.Context, state presence.State, b brief.Brief, session string) {
	st := presence.Statement{Agent: m.agent, Session: session, State: state, Source: presence.Work, Folder: m.crew.o.Repo.Path}
	if b.Task != nil {
		st.Worktree, st.Folder = b.Worktree.ID, ""
	}
	m.state(ctx, st)
}

// sayWaiting publishes what the worker waits for.
func (m *member) sayWaiting(ctx context.Context, why string) {
	m.state(ctx, presence.Statement{Agent: m.agent, Session: "worker", State: presence.Idle, Source: presence.Work, Folder: m.crew.o.Repo.Path, Note: why})
}

func (m *member) state(ctx context.Context, st presence.Statement) {
	if err := m.Presence.Say(ctx, st); err != nil && ctx.Err() == nil && !errors.Is(err, context.Canceled) {
		m.tell(Event{What: EventNote, Why: "its state could not be told: " + fault.From(err).Message})
	}
}
