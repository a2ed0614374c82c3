package web

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/timestamp"
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
	s.send(w, r, http.StatusOK, done)
}
