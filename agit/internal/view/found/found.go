// Package found lists what a repository contains before any set-up: worktrees and their makers, sessions of agents' clients,
// instruction files for agents and stale statements in them, memories of other programs, plans of other trackers, and a tracker that
// the remote or the environment points to. It only reads. Parts that cannot be read in time are left out.
package found

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph/planfile"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/sessions/notes"
	"github.com/agit-suite/agit/shared/sibling"
)

// Count is a name with a number.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Told counts the instruction files for agents and their statements that do not hold.
type Told struct {
	Files int `json:"files"`
	Stale int `json:"stale"`
}

// Found is the result of Look; parts without content are empty.
type Found struct {
	Worktrees int           `json:"worktrees"`            // beside the main checkout
	Makers    []Count       `json:"makers,omitempty"`     // makers of the worktrees, most first
	Sessions  []index.Count `json:"sessions,omitempty"`   // of the last month, by client
	Told      *Told         `json:"told,omitempty"`       // nil when citecheck returned nothing
	Memories  []Count       `json:"memories,omitempty"`   // by source
	Plans     []string      `json:"plans,omitempty"`      // the trackers that `agit import` reads here
	Tracker   string        `json:"tracker,omitempty"`    // the tracker that pmsync may connect
	PointedBy string        `json:"pointed_by,omitempty"` // the source of Tracker: the remote, or a variable
}

// Where is the place that Look reads.
type Where struct {
	Folder   string               // the main folder of the repository
	Remote   string               // address of its remote, "" for none
	Tracker  string               // the tracker that is already connected; "" for none
	Home     string               // the user's home folder
	Getenv   func(string) string  // the user's environment
	Off      []string             // clients and kinds that must not be read
	Sessions func() []index.Count // counts them; nil for none
	Trees    []worktree.Worktree  // including those that others made
	Progress func(what string) (done func())
}

// checkTime bounds citecheck's run; a registration does not wait longer.
const checkTime = 20 * time.Second

// Look returns the content of a place. Unreadable parts stay empty.
func Look(ctx context.Context, w Where) (f Found) {
	f.Worktrees, f.Makers = made(w.Trees)
	if w.Sessions != nil {
		f.Sessions = w.Sessions()
	}
	for _, s := range notes.Read(ctx, notes.Place{Home: sessions.Home{Dir: w.Home, Getenv: w.Getenv}, Folder: w.Folder}, w.Off, "") {
		if len(s.Notes) > 0 {
			f.Memories = append(f.Memories, Count{s.Source, len(s.Notes)})
		}
	}
	f.Plans = planfile.Present(w.Folder)
	if w.Tracker == "" {
		f.Tracker, f.PointedBy = trackerOf(w.Remote, w.Getenv)
	}
	done := w.Progress("checking the instructions for agents here")
	defer done()
	f.Told = told(ctx, w.Folder)
	return f
}

// made counts the worktrees beside the main checkout by maker.
func made(trees []worktree.Worktree) (all int, makers []Count) {
	for _, w := range trees {
		if w.Marks.Main {
			continue
		}
		all++
		name := cmp.Or(string(w.Maker), "agit")
		at := slices.IndexFunc(makers, func(c Count) bool { return c.Name == name })
		if at < 0 {
			at = len(makers)
			makers = append(makers, Count{Name: name})
		}
		makers[at].Count++
	}
	slices.SortFunc(makers, func(a, b Count) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name)) })
	return all, makers
}

// told runs citecheck; it returns nil when citecheck is not installed or fails.
func told(ctx context.Context, folder string) *Told {
	var said struct {
		Instructions *struct {
			Sources []struct {
				Stale int `json:"stale"`
			} `json:"sources"`
		} `json:"instructions"`
	}
	if err := sibling.Run(ctx, sibling.Call{Program: "citecheck", Dir: folder, Timeout: checkTime}, &said); err != nil || said.Instructions == nil {
		return nil
	}
	t := &Told{Files: len(said.Instructions.Sources)}
	for _, s := range said.Instructions.Sources {
		t.Stale += s.Stale
	}
	return t
}

// keys are the variables that conventionally hold a tracker's key.
var keys = []struct{ variable, tracker string }{
	{"LINEAR_API_KEY", "linear"}, {"JIRA_API_TOKEN", "jira"}, {"ASANA_ACCESS_TOKEN", "asana"}, {"AZURE_DEVOPS_EXT_PAT", "azure_devops"},
}

// trackerOf returns the tracker that something points to, and its source. A key is stronger evidence than the remote.
func trackerOf(remote string, getenv func(string) string) (tracker, by string) {
	for _, k := range keys {
		if getenv != nil && getenv(k.variable) != "" {
			return k.tracker, k.variable
		}
	}
	switch forge.KindAt(remote) {
	case forge.GitHub:
		return "github", "its remote"
	case forge.Azure:
		return "azure_devops", "its remote"
	}
	return "", ""
}
