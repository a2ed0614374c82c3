// Package brief puts together what an agent is told when it begins a task: what to do first, the task with its criteria, what it
// waits for and what waits for it, what a review said, who else is near, what is remembered, where to work, and how to finish.
//
// Load reads the parts that the registry holds in one snapshot. The caller fills in the parts of sibling programs and of the
// configuration. Fit cuts a brief down to a size part by part, and Text writes it for people and agents. It changes nothing
// and is safe for concurrent use.
package brief

import (
	"slices"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/land/trial"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Limit is the size of a brief in bytes that neither its text nor its JSON exceeds.
const Limit = 6000

// Brief is the text that an agent begins a task with, as data.
type Brief struct {
	Action     string      `json:"action"` // what to do first
	Task       *Task       `json:"task"`   // null when nothing is ready
	Worktree   *Worktree   `json:"worktree,omitempty"`
	Review     *Review     `json:"review,omitempty"` // the last one, when it was returned
	Criteria   []Criterion `json:"criteria,omitempty"`
	Comments   []Comment   `json:"comments,omitempty" wire:"-"` // the last ones on its ticket, written by others
	Gate       []string    `json:"gate,omitempty"`              // commands that must succeed on the merged state
	Land       string      `json:"land,omitempty"`              // what finishing does: never, review, gate or pr
	Around     Around      `json:"around,omitzero"`
	Remembered Remembered  `json:"remembered,omitzero"`
	Finish     string      `json:"finish,omitempty"`
	Blocked    string      `json:"when_blocked,omitempty"`
	Notes      []string    `json:"notes,omitempty"` // what is missing here, and why
	// Reason counts the unfinished tasks by what blocks them, when nothing is ready.
	Reason map[work.Why]int `json:"reason,omitempty"`

	ProjectID int64 `json:"-"` // row of the task's project
}

// Around is the surroundings of the task: what came before it, runs beside it and follows it.
type Around struct {
	WaitsFor []Item         `json:"waits_for,omitempty"`
	Unblocks []Item         `json:"unblocks,omitempty"` // items that wait for this task
	Near     []Neighbour    `json:"near,omitempty"`     // who else is at work
	Announce []Announcement `json:"announced_files,omitempty"`
	Trial    []string       `json:"trial,omitempty"`    // lines about this worktree from the last trial
	LeftOut  map[string]int `json:"left_out,omitempty"` // number of entries of each part for which the brief had no room
}

// Remembered is memoryd's answer, and the session that it keeps.
type Remembered struct {
	Session string   `json:"session_id,omitempty"`
	Memory  []Memory `json:"memories,omitempty"`
	Last    string   `json:"last_session,omitempty"` // how the last session on it ended
}

// Task is the task to do.
type Task struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"` // without its first line, when that is the name
	Priority    string `json:"priority"`
	Estimate    string `json:"estimate,omitempty"`
	Epic        string `json:"epic,omitempty"`
	Agent       string `json:"agent"`
	ClaimToken  int64  `json:"claim_token"`
	Again       bool   `json:"again,omitempty"` // the agent held it before this call
	Made        bool   `json:"made,omitempty"`  // this call made it
}

// Worktree is the place to work in.
type Worktree struct {
	ID     string `json:"worktree_id"`
	Repo   string `json:"repo"`
	Path   string `json:"path"`
	Branch string `json:"branch"`
	Into   string `json:"into"` // the default branch
	Remote string `json:"-"`    // whose branch it is, "" for the one here
	Port   int    `json:"port,omitempty"`
	// Found describes a worktree that was made before: its commits, and its uncommitted files.
	Found string `json:"found,omitempty"`
}

// Review is a person's decision on the work so far.
type Review struct {
	Pulled bool           `json:"pulled,omitempty"` // its pull request came back: the words include those of programs and people at a forge
	Why    string         `json:"why"`
	By     string         `json:"by"`
	At     timestamp.Time `json:"at"`
}

// Criterion is one acceptance criterion.
type Criterion = task.Criterion

// Comment is a comment by another person or agent on the ticket.
type Comment struct {
	Author string         `json:"author,omitempty"`
	At     timestamp.Time `json:"at"`
	Text   string         `json:"text"`
}

// Item is an item that waits for the task, or that the task waits for.
type Item struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
}

// Neighbour is another worktree in which an agent works.
type Neighbour = conflict.Neighbour

// Announcement holds the files that another agent announced.
type Announcement struct {
	Agent   string `json:"agent"`
	Pattern string `json:"pattern"`
	Why     string `json:"why,omitempty"`
}

// Memory is one thing that is remembered.
type Memory struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Content string `json:"content,omitempty"`
}

// Load reads what the registry holds about a task and its worktree.
func Load(tx *registry.Tx, t task.Task, item work.Item, w worktree.Worktree) (b Brief, err error) {
	b = Brief{
		ProjectID: w.ProjectID,
		Task:      &Task{ID: t.ID, Name: t.Name, Description: rest(t.Name, t.Description), Priority: t.Priority.String(), Agent: t.Agent, ClaimToken: t.ClaimToken},
		Worktree:  &Worktree{ID: w.Ref, Repo: w.Repo, Path: w.Path, Branch: w.Branch, Port: w.Port},
	}
	b.Task.Estimate = work.FormatDuration(item.Estimate)
	err = tx.Together(
		func() (err error) { b.Task.Epic, err = epicOf(tx, item); return err },
		func() (err error) { b.Criteria, err = task.Criteria(tx, item.ID, item.OriginID); return err },
		func() (err error) { b.Comments, err = comments(tx, item.ID, item.OriginID); return err },
		func() error { return b.loadEdges(tx, item.ID) },
		func() error {
			last, _, err := review.LastFor(tx, w.ID, item.ID)
			b.Review = Returned(last)
			return err
		},
		func() error {
			last, err := trial.Last(tx, w.RepoID)
			if last != nil {
				b.Around.Trial = last.Of(w.Ref)
			}
			return err
		},
		func() error {
			near, announced, err := conflict.Near(tx, w, t.Description)
			b.Around.Near = near
			for _, a := range announced {
				b.Around.Announce = append(b.Around.Announce, Announcement{a.Agent, a.Pattern, a.Why})
			}
			return err
		},
	)
	return b, err
}

// Returned returns a review that was returned; nil for any other.
func Returned(last review.Review) *Review {
	if last.State != review.Returned {
		return nil
	}
	r := &Review{Pulled: review.Pulled(last.By), Why: last.Why, By: last.By, At: *last.DecidedAt}
	r.clean()
	return r
}

// epicOf returns the title of the epic that contains a task, "" for none.
func epicOf(tx *registry.Tx, item work.Item) (string, error) {
	if item.ParentID == 0 {
		return "", nil
	}
	return registry.OrZero(registry.One[string](tx.QueryRow(`SELECT title FROM items WHERE id = ? AND kind = 'epic'`, item.ParentID)))
}

// lastComments is the number of a ticket's comments in a brief.
const lastComments = 3

// comments returns the last comments on the ticket that a task is, or was made from, oldest first.
func comments(tx *registry.Tx, itemID, origin int64) ([]Comment, error) {
	if origin == 0 { // it was made from no ticket
		return nil, nil
	}
	all, err := registry.Collect(tx, func(row registry.Scanner) (c Comment, err error) {
		return c, row.Scan(&c.Author, &c.At, &c.Text)
	}, `SELECT author, at, body FROM ticket_words WHERE item_id IN (?, ?) ORDER BY at DESC, place DESC LIMIT ?`, itemID, origin, lastComments)
	slices.Reverse(all)
	return all, err
}

// loadEdges reads what the task waits for, and what waits for it.
func (b *Brief) loadEdges(tx *registry.Tx, itemID int64) error {
	type edge struct {
		after bool
		Item
	}
	edges, err := registry.Collect(tx, func(row registry.Scanner) (e edge, err error) {
		return e, row.Scan(&e.after, &e.ID, &e.Name, &e.Status)
	}, `SELECT edge.after, edge.ref, edge.title, edge.status FROM (SELECT 0 AS after, i.ref, i.title, i.status, d.id AS place FROM dependencies d JOIN items i ON i.id = d.source_id
			WHERE d.target_id = ? AND d.relation = 'blocks' AND i.deleted_at IS NULL
		UNION ALL SELECT 1, i.ref, i.title, i.status, d.id FROM dependencies d JOIN items i ON i.id = d.target_id
			WHERE d.source_id = ? AND d.relation = 'blocks' AND i.deleted_at IS NULL AND i.state IN ('open', 'active')
		) edge ORDER BY edge.after, edge.place LIMIT 200`, itemID, itemID)
	for _, e := range edges {
		if e.after {
			b.Around.Unblocks = append(b.Around.Unblocks, e.Item)
		} else {
			b.Around.WaitsFor = append(b.Around.WaitsFor, e.Item)
		}
	}
	return err
}
