// Package found tells what there is in a repository before anything was set up: worktrees and who made them, sessions of agents'
// clients, files that tell agents how to work and what in them is stale, memories of other programs, plans of other trackers, and a
// tracker that the remote or the environment points to. It only reads. What cannot be read in time is left out.
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

// Count is how many there are of a name.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Told are the files that tell agents how to work, and how many of their statements do not hold.
type Told struct {
	Files int `json:"files"`
	Stale int `json:"stale"`
}

// Found is what there is; a part without anything is empty.
type Found struct {
	Worktrees int           `json:"worktrees"`            // beside the main checkout
	Makers    []Count       `json:"makers,omitempty"`     // of them, the most first
	Sessions  []index.Count `json:"sessions,omitempty"`   // of the last month, by client
	Told      *Told         `json:"told,omitempty"`       // nil where citecheck did not tell
	Memories  []Count       `json:"memories,omitempty"`   // by source
	Plans     []string      `json:"plans,omitempty"`      // the trackers that `agit import` reads here
	Tracker   string        `json:"tracker,omitempty"`    // the one that pmsync may connect
	PointedBy string        `json:"pointed_by,omitempty"` // what names it: the remote, or a variable
}

// Where is the place to look at.
type Where struct {
	Folder   string               // the main folder of the repository
	Remote   string               // address of its remote, "" for none
	Tracker  string               // that it has already, "" for none
	Home     string               // of the user
	Getenv   func(string) string  // of the user's environment
	Off      []string             // clients and kinds that are not read
	Sessions func() []index.Count // counts them; nil for none
	Trees    []worktree.Worktree  // with those that others made
	Progress func(what string) (done func())
}

// checkTime is how long citecheck may take: a registration does not wait longer for it.
const checkTime = 20 * time.Second

// Look returns what there is. A part that cannot be read stays empty.
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
	done := w.Progress("checking what agents are told here")
	defer done()
	f.Told = told(ctx, w.Folder)
	return f
}

// made counts the worktrees beside the main checkout, and who made them.
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

// told asks citecheck; nil where it is not installed, or fails.
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

// keys are the variables that hold a tracker's key by the conventions of its own programs.
var keys = []struct{ variable, tracker string }{
	{"LINEAR_API_KEY", "linear"}, {"JIRA_API_TOKEN", "jira"}, {"ASANA_ACCESS_TOKEN", "asana"}, {"AZURE_DEVOPS_EXT_PAT", "azure_devops"},
}

// trackerOf is the tracker that something points to, and what does: a key says more than the place of the code.
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
