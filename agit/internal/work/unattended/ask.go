package unattended

import (
	"context"
	"fmt"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/run/acp"
	"github.com/agit-suite/agit/agit/internal/run/policy"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// decide answers an agent's request for permission: by the rules, and by a person where the rules require one.
func (t *on) decide(ctx context.Context, a Attempt, r acp.Request, hold func() func()) acp.Decision {
	p, err := t.policy()
	if err != nil {
		return acp.Decision{Why: fault.From(err).Message}
	}
	call := callOf(r)
	v := p.Decide(call)
	switch {
	case v.Answer == policy.Allow:
		return acp.Decision{Allow: true, Why: v.By}
	case v.Answer == policy.Deny:
		return acp.Decision{Why: "the rule " + v.By}
	case t.crew.o.Rules.AskFor <= 0 || t.Asks == nil:
		return acp.Decision{Why: "no rule allows it, and no one is asked"}
	}
	resume := hold()
	defer resume()
	q, err := t.ask(ctx, a, r, p.RulesFor(call))
	if err != nil {
		return acp.Decision{Why: "a person could not be asked: " + fault.From(err).Message}
	}
	switch q.State {
	case question.Allowed:
		if q.Always {
			t.crew.mu.Lock()
			t.crew.learned = append(t.crew.learned, q.Rules...)
			t.crew.mu.Unlock()
		}
		return acp.Decision{Allow: true, Why: because("a person allowed it", q.Why)}
	case question.Denied:
		return acp.Decision{Why: because("a person denied it", q.Why)}
	}
	return acp.Decision{Why: fmt.Sprintf("no one answered within %s", t.crew.o.Rules.AskFor)}
}

func because(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + text.FirstLine(why, 200)
}

// askEvery is how often to look for an answer when no change was reported.
const askEvery = time.Second

// ask asks a person and waits for the answer, as long as the rules allow.
func (t *on) ask(ctx context.Context, a Attempt, r acp.Request, rules []string) (q question.Question, err error) {
	until := time.Now().Add(t.crew.o.Rules.AskFor)
	news := t.crew.heard()
	id, err := t.Asks.Ask(ctx, question.New{Project: t.w.ProjectID, Item: t.w.ItemID, Agent: t.w.AgentID, Worktree: t.w.ID, Run: a.Run, Call: r.Words(), Rules: rules, Until: until})
	if err != nil {
		return q, err
	}
	note := question.Note(id, r.Words())
	t.tell(Event{What: EventAsks, TaskID: t.b.Task.ID, Worktree: t.w.Ref, Why: r.Words() + "; `agit answer " + id + " --allow` or --deny, until " + clock(until, time.Now())})
	t.show("asks", t.b, note)
	t.asking(note, id)
	defer func() {
		t.asking("", "")
		t.show("works", t.b, "")
		t.say(context.WithoutCancel(ctx), presence.Working, t.b, a.Run)
	}()
	t.sayAsks(ctx, a.Run, note, id)
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		if q, err = t.Asks.Get(ctx, id); err == nil && q.State != question.Open {
			return q, nil
		}
		if !time.Now().Before(until) {
			return t.Asks.Close(ctx, id, question.Unanswered)
		}
		select {
		case <-ctx.Done():
			return t.Asks.Close(context.WithoutCancel(ctx), id, question.Dropped)
		case <-news:
			news = t.crew.heard()
		case <-tick.C:
		}
	}
}

// asking notes the agent's present question to a person, for the signs of life.
func (m *member) asking(note, id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asks, m.askID = note, id
}

func (m *member) sayAsks(ctx context.Context, run, note, id string) {
	m.state(ctx, presence.Statement{Agent: m.agent, Session: run, State: presence.Waiting, Source: presence.Work, Worktree: m.now().Worktree, Note: note, Asked: id})
}
