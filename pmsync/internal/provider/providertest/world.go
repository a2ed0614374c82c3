// Package providertest holds what the trackers' clients are tested with, and what
// `make sandbox` serves: a World for each tracker, a server that behaves as the
// real one does down to its limits and its ways of failing, and a Script of
// faults. Package conformance holds the checks that every provider passes.
//
// A World keeps its state in memory, and can be changed behind the client's back
// as other people change tickets. It checks no schema: the tests in schematest do
// that to what goes over the wire.
package providertest

import (
	"net/http"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// World is a tracker. Its methods other than ServeHTTP are what other people do:
// they take effect at once, at the time of its clock, and cannot fail. It is safe
// for concurrent use.
type World interface {
	http.Handler

	Name() provider.Name
	// Faults is the script of what goes wrong.
	Faults() *Script
	// Requests is how many requests were answered.
	Requests() int

	// Add makes an item in the configured project and returns its remote id.
	Add(Spec) string
	// Edit changes an item.
	Edit(id string, e Edit)
	// Comment adds a comment of another person.
	Comment(id, text string)
	// Attach attaches a file to an item, or a page, which has a size of 0. It returns false
	// where the tracker has neither.
	Attach(id, name, address string, size int64) bool
	// Archive puts an item away, Delete removes it so that it can be brought
	// back, if ever, by Restore; Purge removes it for good; Move moves it to
	// another project. They return false where the tracker has nothing of the
	// kind.
	Archive(id string) bool
	Delete(id string) bool
	Restore(id string) bool
	Purge(id string) bool
	Move(id string) bool

	// Look returns what the item is now.
	Look(id string) (Spec, bool)
	// Comments are the texts of the comments, oldest first.
	Comments(id string) []string
	// IDs are the remote ids of what is in the project, in no order.
	IDs() []string
	// Writes counts changes of the item that came over the wire, by field:
	// "status", "title", … A field that the caller did not change must not be there.
	Writes(id string) map[string]int

	// StatusOf is a state of the category that an item can go to from anywhere.
	StatusOf(c provider.Category) string
	// People are the ids of users whom items can be assigned to.
	People() []string
	// Labels are names that items can be labelled with.
	Labels() []string
}

// Spec is an item as people see it.
type Spec struct {
	Type     provider.ItemType // ticket when empty
	Title    string
	Body     string
	Status   string // name of a state; the first one when empty
	Priority int    // 0–4
	Assignee string // id of a user
	Labels   []string
	Parent   string // remote id
	Blocks   []string
	Updated  time.Time // when it was last changed; the clock's time when zero
}

// Edit is a change by another person. Nil fields stay.
type Edit struct {
	Title    *string
	Body     *string
	Status   *string
	Priority *int
	Assignee *string
	Add      []string // labels
	Remove   []string
}
