package web

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Action is a change that a person requests on the page. Its fields are those of the command.
type Action struct {
	Do        string         `json:"do"` // accept, return, release, merge, cleanup, edit, reopen, allow, always, deny, tell, interrupt
	Repo      string         `json:"repo,omitempty"`
	Worktree  string         `json:"worktree,omitempty"`  // ref
	Task      string         `json:"task,omitempty"`      // id
	Question  string         `json:"question,omitempty"`  // id; allow, always, deny
	Commit    string         `json:"commit,omitempty"`    // accept, return, merge: what the person saw
	Stood     timestamp.Time `json:"stood,omitzero"`      // release, reopen: when the shown claim was made, or the task finished
	Holder    string         `json:"holder,omitempty"`    // release: the shown holder
	Agent     string         `json:"agent,omitempty"`     // tell, interrupt
	Why       string         `json:"why,omitempty"`       // tell, interrupt: the text for the agent
	Text      string         `json:"text,omitempty"`      // edit: the first line is the name
	Was       string         `json:"was,omitempty"`       // edit: the text before the edit
	Priority  string         `json:"priority,omitempty"`  // edit
	Confirmed bool           `json:"confirmed,omitempty"` // cleanup: the person has confirmed
}

// maxAction is the longest request, in bytes; a reason is a few lines.
const maxAction = 64 << 10

// readLimit bounds how long a page may take to send a request.
const readLimit = 30 * time.Second

// act runs an action if the page was started with --actions.
func (s *Server) act(w http.ResponseWriter, r *http.Request) {
	if !s.options.Actions {
		http.Error(w, "this page only shows; start it with `agit web --actions` to change things", http.StatusForbidden)
		return
	}
	var a Action
	ctl := http.NewResponseController(w)
	_ = ctl.SetReadDeadline(time.Now().Add(readLimit))
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAction))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&a); err != nil {
		s.refuse(w, r, fault.Validation("", "the request is not an action: %v", err))
		return
	}
	_ = ctl.SetReadDeadline(time.Time{})
	// Closing the page does not stop a merge half-way; stopping the server does.
	s.acting.Add(1)
	defer s.acting.Done()
	done, err := s.model.Act(s.running, a)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	s.hub.changed()
	s.send(w, r, done)
}

// here is the source in the history of a change made on the page.
const here = "on the page"

// Act calls the same functions as the commands, in the name of the person at the page, or of the agent in AGIT_AGENT.
func (m *model) Act(ctx context.Context, a Action) (any, error) {
	person := task.Caller{Agent: m.asker.Agent, Force: true, Seen: task.Seen{Holder: a.Holder, Stood: a.Stood}}
	decision := review.Decision{Repo: a.Repo, Worktree: a.Worktree, Seen: a.Commit, By: m.asker.Agent, Asker: m.asker, Why: a.Why}
	switch a.Do {
	case "accept":
		v, merged, err := m.stores.Reviews.Accept(ctx, decision)
		return map[string]any{"review": v, "merged": merged}, err
	case "return":
		return result(m.stores.Reviews.Return(ctx, decision, m.stores.Config.Agent.StaleAfter))
	case "merge":
		return result(m.stores.Landings.Land(ctx, land.Request{Repo: a.Repo, Worktree: a.Worktree, Tip: a.Commit, By: m.asker.Agent, Asker: m.asker}))
	case "cleanup":
		if !a.Confirmed {
			return nil, fault.Validation("confirmed", "the removal of worktree %q was not confirmed", a.Worktree)
		}
		return result(m.stores.Removals.Remove(ctx, remove.Request{Repo: a.Repo, Worktree: a.Worktree, By: m.asker.Agent}))
	case "release":
		return result(m.stores.Tasks.Report(ctx, task.Report{Caller: person, ID: a.Task, Status: task.Pending, Why: "released " + here}))
	case "reopen":
		return result(m.stores.Tasks.Reopen(ctx, a.Task, person, "reopened "+here))
	case "edit":
		return m.edit(ctx, a, person)
	case "allow", "always", "deny":
		return result(m.stores.Answer(ctx, a.Question, question.Answer{Allow: a.Do != "deny", Always: a.Do == "always", Why: a.Why}, m.asker))
	case "tell", "interrupt":
		return result(m.stores.Tell(ctx, message.New{Agent: a.Agent, Text: a.Why, AtOnce: a.Do == "interrupt"}, "", m.asker))
	}
	return nil, fault.Validation("do", "%q is not an action of the page", a.Do)
}

func result[T any](made T, err error) (any, error) { return made, err }

// edit changes a task's text. The first line is its name.
func (m *model) edit(ctx context.Context, a Action, person task.Caller) (any, error) {
	var e task.Edit
	if a.Text != "" {
		e.Text, e.Seen = &a.Text, a.Was
	}
	if a.Priority != "" {
		p, err := work.ParsePriority(a.Priority)
		if err != nil {
			return nil, err
		}
		e.Priority = &p
	}
	return result(m.stores.Tasks.Edit(ctx, a.Task, e, person))
}
