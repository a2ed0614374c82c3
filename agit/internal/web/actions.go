package web

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Action is a change that a person asks for on the page. What it takes is what the
// command takes.
type Action struct {
	Do        string         `json:"do"` // accept, return, release, merge, cleanup, edit, reopen, allow, always, deny, tell, interrupt
	Repo      string         `json:"repo,omitempty"`
	Worktree  string         `json:"worktree,omitempty"`  // ref
	Task      string         `json:"task,omitempty"`      // id
	Question  string         `json:"question,omitempty"`  // id; allow, always, deny
	Commit    string         `json:"commit,omitempty"`    // accept, return, merge: what the person saw
	Stood     timestamp.Time `json:"stood,omitzero"`      // release, reopen: when the claim that the person saw was made, or the task finished
	Holder    string         `json:"holder,omitempty"`    // release: the agent that the person saw to hold it
	Agent     string         `json:"agent,omitempty"`     // tell, interrupt
	Why       string         `json:"why,omitempty"`       // tell, interrupt: the text for the agent
	Text      string         `json:"text,omitempty"`      // edit: the first line is the name
	Was       string         `json:"was,omitempty"`       // edit: the text that the person changed
	Priority  string         `json:"priority,omitempty"`  // edit
	Confirmed bool           `json:"confirmed,omitempty"` // cleanup: asked twice
}

// maxAction is the longest request: a reason is a few lines.
const maxAction = 64 << 10

// readLimit is how long a page may take to send one.
const readLimit = 30 * time.Second

// act changes something, where the page was started with --actions.
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
	// A page that is closed does not stop half a merge; the end of the server does.
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
