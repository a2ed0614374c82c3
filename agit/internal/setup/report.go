package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
)

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

// Row is the readable form of several items that differ only in name and file.
type Row struct {
	Item
	Names []string
	Files []string
}

// Group combines items that differ only in name or, for skills and agent definitions, also in file.
func Group(items []Item) (rows []Row) {
	for _, it := range items {
		i := slices.IndexFunc(rows, func(r Row) bool {
			return r.Kind == it.Kind && r.Item.State == it.State && r.Done == it.Done && r.Why == it.Why && slices.Equal(r.Clients, it.Clients) &&
				(r.File == it.File || it.Kind == KindSkill || it.Kind == KindAgent)
		})
		if i < 0 {
			rows = append(rows, Row{Item: it})
			i = len(rows) - 1
		}
		rows[i].Names, rows[i].Files = append(rows[i].Names, it.Name), append(rows[i].Files, it.File)
	}
	return rows
}

// Items returns the kind of the items, with their names if they are few.
func (r Row) Items() string {
	const few = 2
	if len(r.Names) > few {
		return text.Count(len(r.Names), string(r.Kind), string(r.Kind)+"s")
	}
	return string(r.Kind) + " " + strings.Join(r.Names, ", ")
}

// State returns what was done, else the state; with plan, always the state.
func (r Row) State(plan bool) string {
	if r.Done != "" && !plan {
		return r.Done
	}
	return string(r.Item.State)
}

// Where returns the file, else the nearest folder above all files, in short form.
func (r Row) Where(root, home string) string {
	path := r.File
	for _, other := range r.Files {
		for path != other && !strings.HasPrefix(other, path+string(filepath.Separator)) {
			path = filepath.Dir(path)
		}
	}
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) && root != home {
		return rel
	}
	return short(path, home)
}

// short returns a path with ~ for the home folder.
func short(path, home string) string {
	if rel, err := filepath.Rel(home, path); err == nil && filepath.IsLocal(rel) {
		return "~" + string(os.PathSeparator) + rel
	}
	return path
}

// Diffs fills in the differences of the files that change.
func (r *Report) Diffs() {
	for i := range r.Files {
		f := &r.Files[i]
		before, after := f.Path, f.Path
		if f.Before == "" {
			before = "/dev/null"
		}
		if f.Gone {
			after = "/dev/null"
			f.After = ""
		}
		text := string(diff.Diff(before, []byte(f.Before), after, []byte(f.After)))
		_, text, _ = strings.Cut(text, "\n") // the first line names a command that was not run
		f.Diff = redact.Clean(text)          // another server's entry beside ours may hold a key
		if f.Diff == "" && f.Gone {
			f.Diff = fmt.Sprintf("--- %s\n+++ /dev/null\n", f.Path)
		}
		f.After = "" // the difference says it
	}
}
