package unattended

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/shared/registry"
)

// Event is something that happened, and that people read as one line.
type Event struct {
	At       time.Time
	Agent    string
	What     string // see the constants
	TaskID   string
	Task     string
	Worktree string
	Why      string
}

// The kinds of Events.
const (
	EventBegun    = "begun"
	EventLanded   = "landed"
	EventReview   = "in review"
	EventPulled   = "pull request"
	EventKept     = "kept"
	EventReturned = "handed back" // to the same agent
	EventReleased = "released"    // for another attempt
	EventFailed   = "failed"
	EventStopped  = "stopped"
	EventPicked   = "picked up" // what a killed worker left
	EventWaits    = "waits"
	EventNote     = "note"
	EventAsks     = "asks" // a person, with agit answer
)

// Look is what a worker does at one moment.
type Look struct {
	Agent    string
	Doing    string // "waits", "begins", "works", "asks", "finishes", "stopped"
	TaskID   string
	Task     string
	Worktree string
	Since    time.Time
	Line     string // the last line of its output, or why it waits
}

// Tally counts what a crew did, by the events of that kind.
type Tally struct {
	Landed   int `json:"landed"`
	InReview int `json:"in_review"`
	Proposed int `json:"pull_requests"`
	Kept     int `json:"kept"`
	Released int `json:"released"`
	Failed   int `json:"failed"`
	Stopped  int `json:"stopped"`
}

// Crew is the workers of one process.
type Crew struct {
	store *Store
	o     Options
	show  func(Event)     // passes an event on; one call at a time
	stop  <-chan struct{} // begin nothing more

	showing sync.Mutex // held while show runs
	mu      sync.Mutex
	members []*member
	tally   Tally
	left    int           // tasks that may still be begun; -1 is any number
	news    chan struct{} // closed when something may be ready
	limits  limits
	learned []string // rules that people added with --always
	said    sync.Map // notes that are reported once
}

// Crew returns the workers that the options describe. tell is called once for each event, one at a time. When stop is closed they begin
// nothing more.
func (s *Store) Crew(o Options, stop <-chan struct{}, tell func(Event)) *Crew {
	c := &Crew{store: s, o: o.withDefaults(), show: tell, stop: stop, left: -1, news: make(chan struct{}), limits: limits{}}
	if o.Tasks > 0 {
		c.left = o.Tasks
	}
	for _, name := range o.Agents {
		m := &member{crew: c, Store: s, agent: name, look: Look{Agent: name, Doing: "begins", Since: time.Now()}}
		for i := range c.o.Tries {
			if i > 0 {
				other := tryAgent(name, i+1)
				m.tries = append(m.tries, &member{crew: c, Store: s, agent: other, look: Look{Agent: other, Doing: "waits", Since: time.Now()}})
			}
		}
		c.members = append(c.members, m)
	}
	return c
}

// Run works until nothing is left to do, until stop is closed and the running work has ended, or until ctx ends: then running work is
// stopped, and its worktree and claim stay so that it can be resumed. The error joins those of the workers that could not continue.
func (c *Crew) Run(ctx context.Context) (Tally, error) {
	for _, m := range c.members {
		release, err := c.store.alone(m.agent)
		if err != nil {
			return c.tally, err
		}
		defer release()
	}
	if err := runlog.Sweep(c.store.Home, c.store.KeepLogs, c.store.LogSize); err != nil {
		return c.tally, err
	}
	if err := c.pickUp(ctx); err != nil {
		return c.tally, err
	}
	if err := c.tellBudgets(ctx); err != nil {
		return c.tally, err
	}
	c.pulls(ctx, false) // before any worker looks for tasks that it holds
	watching, end := context.WithCancel(ctx)
	var listening, working sync.WaitGroup
	listening.Go(func() { c.listen(watching) })
	listening.Go(func() { c.followPulls(watching) })
	errs := make([]error, len(c.members))
	for i, m := range c.members {
		working.Go(func() { errs[i] = m.work(ctx) })
	}
	working.Wait()
	end()
	listening.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tally, errors.Join(errs...)
}

// listen wakes waiting workers when tasks change. They also look by themselves, since a change can be missed.
func (c *Crew) listen(ctx context.Context) {
	wake := func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		close(c.news)
		c.news = make(chan struct{})
	}
	_ = c.store.DB.Watch(ctx, wake, func(changes []registry.Change) {
		for _, change := range changes {
			if change.Topic == registry.TopicTasks || change.Topic == registry.TopicAgents {
				wake()
				return
			}
		}
	})
}

// heard returns a channel that is closed at the next change.
func (c *Crew) heard() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.news
}

// take counts a task that is about to begin; false when the limit is reached.
func (c *Crew) take() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == 0 {
		return false
	}
	if c.left > 0 {
		c.left--
	}
	return true
}

// giveBack undoes a take that found nothing to do.
func (c *Crew) giveBack() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left >= 0 {
		c.left++
	}
}

// tell counts an event and passes it on.
func (c *Crew) tell(e Event) {
	c.mu.Lock()
	c.tally.count(e.What)
	c.mu.Unlock()
	c.showing.Lock()
	defer c.showing.Unlock()
	e.At = time.Now()
	c.show(e)
}

func (t *Tally) count(what string) {
	counts := map[string]*int{EventLanded: &t.Landed, EventReview: &t.InReview, EventPulled: &t.Proposed, EventKept: &t.Kept,
		EventReleased: &t.Released, EventFailed: &t.Failed, EventStopped: &t.Stopped}
	if n := counts[what]; n != nil {
		*n++
	}
}

// Now returns what each worker is doing.
func (c *Crew) Now() []Look {
	looks := make([]Look, 0, len(c.members))
	for _, m := range c.members {
		looks = append(looks, m.now())
		for _, other := range m.tries {
			looks = append(looks, other.now())
		}
	}
	return looks
}

// stopping reports whether no more tasks may begin.
func (c *Crew) stopping(ctx context.Context) bool {
	select {
	case <-c.stop:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}
