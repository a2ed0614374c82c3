package setup

import "strings"

// Scope is whose configuration is changed: a project's or the user's.
type Scope string

// The scopes: files of one project, and files of the user that apply everywhere.
const (
	Project Scope = "project"
	User    Scope = "user"
)

// State is how an item was found.
type State string

// The states. Broken means that the state is unknown, because the file cannot be used.
const (
	Current State = "current"
	Missing State = "missing"
	Stale   State = "stale"
	Broken  State = "broken"
)

// The outcomes for an item.
const (
	Added   = "added"
	Updated = "updated"
	Removed = "removed"
	Kept    = "kept"
	Failed  = "failed"
)

// Kind is what an item is.
type Kind string

// The kinds of items.
const (
	KindServer       Kind = "server"
	KindHook         Kind = "hook"
	KindSkill        Kind = "skill"
	KindAgent        Kind = "agent"
	KindInstructions Kind = "instructions"
)

// Item is one thing that a client reads.
type Item struct {
	Clients []string `json:"clients"` // the clients that read it; several share some files
	Kind    Kind     `json:"kind"`
	Name    string   `json:"name"`
	File    string   `json:"file"`
	State   State    `json:"state"`          // before anything was done
	Done    string   `json:"done,omitempty"` // added, updated, removed, kept or failed
	Why     string   `json:"why,omitempty"`

	part part
}

// id names an item in the record of its file.
func (it *Item) id() string { return string(it.Kind) + "/" + it.Name }

// key is equal for equal items.
func (it *Item) key() string {
	return strings.Join([]string{string(it.Kind), it.Name, it.File}, "\x00")
}

// Found is a client, and how it was detected.
type Found struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Found bool   `json:"found"`
	How   string `json:"how,omitempty"` // the folder or program that shows it
	Note  string `json:"note,omitempty"`
}

// Report is what was found and done.
type Report struct {
	Scope   Scope   `json:"scope"`
	Root    string  `json:"root"` // the project's folder, or the user's home
	Clients []Found `json:"clients"`
	Items   []Item  `json:"items"`
	Current bool    `json:"current"` // nothing is missing, stale or broken now
	Files   []File  `json:"files,omitempty"`
	Chosen  bool    `json:"-"` // the choice of servers differs from the one kept before
}

// Refused reports whether something failed and nothing was changed: the run did not do what it was for.
func (r Report) Refused() bool {
	failed := false
	for _, i := range r.Items {
		switch i.Done {
		case Added, Updated, Removed:
			return false
		case Failed:
			failed = true
		}
	}
	return failed
}

// File is a file that changes, with its text.
type File struct {
	Path   string `json:"path"`
	Before string `json:"-"`
	After  string `json:"text,omitempty"`
	Gone   bool   `json:"gone,omitempty"` // it is to be removed
	Diff   string `json:"diff,omitempty"`
}
