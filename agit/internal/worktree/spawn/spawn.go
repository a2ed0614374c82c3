// Package spawn makes worktrees: it names the branch, plans the row, lets git add the worktree, fills it, and runs the
// post_spawn hooks. A spawn that fails leaves nothing: no folder, no branch, no row.
//
// spawn.go is the way of a spawn, start.go the commit it starts from, name.go names branch and folder, gitadd.go runs git,
// sync.go makes the result outlive a power cut, undo.go takes everything back and mends a spawn that was cut off. Its row and
// intent are written through worktree. A Store is safe for concurrent use by any number of processes.
package spawn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Store makes the worktrees of one registry.
type Store struct{ Trees *worktree.Store }

// Menders mend the spawns that are cut off (worktree.Operator).
func (s *Store) Menders() map[worktree.Operation]worktree.Mender {
	return map[worktree.Operation]worktree.Mender{worktree.OpSpawn: s.mend}
}

// journal is what recovery must know of a spawn.
type journal struct {
	After worktree.Status `json:"after,omitempty"` // when it is done
	Agent string          `json:"agent,omitempty"` // registered when it is done
	// Existing means that the branch existed before and is not taken back.
	Existing bool `json:"existing,omitempty"`
}

// Request describes a worktree to make.
type Request struct {
	Repo   string // name or id
	Task   string // an existing task's id, or what is to be done
	Branch string // made from the task when empty; the spawn continues on one that exists, of a remote too (origin/copilot/fix)
	Agent  string // name or id; may be empty
	Known  *Known // what the caller has read of it already; may be nil
}

// Known is what the caller of a spawn for a task of an agent has read already: the spawn does not read it again.
type Known struct {
	Found  worktree.Found // the repository
	Agent  agent.Agent
	ItemID int64
	Title  string // of the task
	// Recheck refuses the task, in the transaction that plans the worktree, if the agent can no longer claim it.
	Recheck func(tx *registry.Tx) error

	// With Still the caller has read more, and the spawn expects it to be so: it asks nothing before it writes, and asks what else
	// a spawn does only where something has changed.
	Still func() (where string, args []any)                               // the condition that Recheck refuses nothing
	Ports map[int]bool                                                    // of other worktrees of this host
	Link  func(tx *registry.Tx, w worktree.Worktree, refusal error) error // links the task, or ends the transaction with the refusal
	After func(tx *registry.Tx, w worktree.Worktree) error                // reads once the worktree is made; not for one that existed
}

// errChanged means that something changed since the caller of a spawn read it.
var errChanged = errors.New("it is not as it was read")

// Spawn makes a worktree on a new branch from the default branch's commit, or on
// the branch asked for where that exists and no worktree has it,
// copies what .worktreeinclude asks for and runs the post_spawn hooks. When any
// step fails nothing is left: no folder, no branch, no row.
func (s *Store) Spawn(ctx context.Context, o Request) (w worktree.Worktree, err error) {
	if o.Task, err = text.Body("task", o.Task); err != nil {
		return w, err
	}
	r, g, err := s.prepared(ctx, o)
	if err != nil {
		return w, err
	}
	if err := s.Trees.Fetch(ctx, g, r); err != nil {
		return w, err
	}
	set, err := s.Trees.SettingsOn(ctx, g, r)
	if err != nil {
		return w, err
	}
	m := &spawning{Store: s, o: o, r: r, g: g, set: set, dir: worktree.FolderOf(r, set)}
	if err := worktree.RefuseLink(r, m.dir); err != nil {
		return w, err
	}
	if m.base, err = startOf(ctx, g, r, set.DefaultBranch, set.Remote); err != nil {
		return w, err
	}
	if err := m.goOn(ctx); err != nil {
		return w, err
	}
	name, there, err := s.purpose(ctx, r, o)
	if err != nil || there.ID != 0 {
		return there, err
	}
	const tries = 3 // a short id that exists already is a one in a billion chance
	for try := 1; ; try++ {
		as, err := nameFor(set.BranchPrefix, name, m.o.Branch)
		if err != nil {
			return w, err
		}
		w, err = m.make(ctx, as)
		if there, is := errors.AsType[thereError](err); is { // another call made it since purpose looked
			if left, is := errors.AsType[undoError](err); is {
				s.Trees.Notice(left.Error())
			}
			return there.w, nil
		}
		if err == nil && w.Port == 0 && set.PortCount > 0 {
			s.Trees.Notice(fmt.Sprintf("worktree %s has no ports: no range of %d is free from %d on; set worktree.port_base or worktree.port_count lower", w.Ref, set.PortCount, set.PortBase))
		}
		if err == nil && m.start != m.base {
			w, err = m.leftAt(ctx, w)
		}
		if _, taken := errors.AsType[takenError](err); !taken || o.Branch != "" || try == tries {
			return w, err
		}
	}
}

// prepared returns the repository of a spawn, after mending what was left half done in it.
func (s *Store) prepared(ctx context.Context, o Request) (repo.Repo, *git.Repo, error) {
	if o.Known == nil {
		return s.Trees.Prepared(ctx, o.Repo)
	}
	g, err := s.Trees.PreparedFound(ctx, o.Known.Found)
	return o.Known.Found.Repo, g, err
}

// purpose interprets --task, and returns the worktree that the agent has for the task already. The branch is named after the name of an
// existing task, else after the text given, else after the agent.
func (s *Store) purpose(ctx context.Context, r repo.Repo, o Request) (name string, there worktree.Worktree, err error) {
	if o.Known != nil {
		return o.Known.Title, there, nil
	}
	name = cmp.Or(o.Task, o.Agent)
	if o.Task == "" || s.Trees.Options.Tasks == nil {
		return name, there, nil
	}
	err = s.Trees.DB.Read(ctx, func(tx *registry.Tx) error {
		who, itemID, err := s.meant(tx, r, o)
		if err != nil || itemID == 0 {
			return err
		}
		return tx.Together(
			func() (err error) {
				if o.Agent == "" || who.ID != 0 {
					there, err = worktree.ForTask(tx, r.ID, itemID, who.ID, 0)
				}
				return err
			},
			func() (err error) {
				name, err = registry.One[string](tx.QueryRow(`SELECT title FROM items WHERE id = ?`, itemID))
				return err
			},
		)
	})
	return name, there, err
}

// meant finds the agent and the task that a spawn names; the task's id is 0 where it names none.
func (s *Store) meant(tx *registry.Tx, r repo.Repo, o Request) (who agent.Agent, itemID int64, err error) {
	err = tx.Together(
		func() (err error) {
			if o.Agent != "" { // its ID is 0 until it is registered
				who, err = agent.Lookup(tx, o.Agent)
			}
			return err
		},
		func() (err error) {
			if tasks := s.Trees.Options.Tasks; tasks != nil && o.Task != "" {
				itemID, err = tasks.Resolve(tx, r, o.Task, o.Agent)
			}
			return err
		},
	)
	return who, itemID, err
}

// thereError carries a worktree that another call made meanwhile.
type thereError struct{ w worktree.Worktree }

func (e thereError) Error() string { return "there is worktree " + e.w.Ref + " already" }

// undoError reports that the results of a failed spawn could not be taken back.
type undoError struct{ cause, undo error }

func (e undoError) Error() string {
	return fmt.Sprintf("%v (what was made is still there and `agit doctor` mends it: %v)", e.cause, e.undo)
}

func (e undoError) Unwrap() []error { return []error{e.cause, e.undo} }

// spawning is one spawn on its way.
type spawning struct {
	*Store
	o    Request
	r    repo.Repo
	g    *git.Repo
	set  worktree.Settings
	dir  string // of the repository's worktrees
	base string // commit of the default branch
	// start is the commit that it starts from: base, or that of the branch on which it continues.
	start    string
	existing bool // the local branch exists already
	w        worktree.Worktree
}

// make makes the worktree under the names, and takes back what it made when a step fails.
func (m *spawning) make(ctx context.Context, as names) (w worktree.Worktree, err error) {
	m.w = worktree.Worktree{Ref: registry.NewID("w-"), Path: filepath.Join(m.dir, as.folder), Branch: as.branch}
	if err := m.unoccupied(ctx); err != nil {
		return m.w, err
	}
	end, err := worktree.Begin(m.w)
	if err != nil {
		return m.w, err
	}
	defer end()
	if err := m.planned(ctx); err != nil {
		return m.w, err
	}
	finished := false
	defer func() { // also when a hook's caller panics
		if finished {
			return
		}
		if undo := m.undoSpawn(context.WithoutCancel(ctx), m.g, m.w, m.existing || branchWasThere(err, m.w.Branch)); undo != nil {
			err = undoError{err, undo}
		}
	}()
	if err := m.build(ctx); err != nil {
		return m.w, err
	}
	done, err := m.completed(ctx)
	if err != nil {
		return m.w, err
	}
	finished = true
	return done, nil
}

// unoccupied refuses a branch or folder that exists.
func (m *spawning) unoccupied(ctx context.Context) error {
	w := m.w
	oid, err := m.g.Resolve(ctx, "refs/heads/"+w.Branch)
	if err != nil {
		return err
	}
	if oid != "" && !m.existing {
		return takenError{fault.Conflict("branch", w.Branch, "branch %q exists already in repository %q", w.Branch, m.r.Name).
			WithHint("choose another branch, or leave it out to have one made")}
	}
	if _, err := os.Lstat(w.Path); err == nil {
		return takenError{fault.Conflict("folder", w.Path, "folder %q exists already", w.Path).
			WithHint("choose another branch; `agit doctor` shows what that folder is")}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fault.Operation(err, "look at %q", w.Path)
	}
	return nil
}

// takenError is a refusal because a name exists; a name that agit chose is chosen anew.
type takenError struct{ *fault.Fault }

func (e takenError) Unwrap() error { return e.Fault }

// planned is plan for what the caller has read, if that is still so.
func (m *spawning) planned(ctx context.Context) error {
	k := m.o.Known
	if k == nil || k.Still == nil {
		return m.plan(ctx)
	}
	var uid string
	var row worktree.Worktree
	err := m.Trees.DB.WriteThenRead(ctx, registry.Scope{Project: m.r.ProjectID}, func(tx *registry.Tx) (err error) {
		where, args := k.Still()
		uid, err = worktree.InsertOnly(tx, m.r, worktree.Worktree{Ref: m.w.Ref, AgentID: k.Agent.ID, ItemID: k.ItemID, Task: m.o.Task,
			Path: m.w.Path, Branch: m.w.Branch, Base: m.start, Port: worktree.FreePort(k.Ports, m.w.Ref, m.set), Status: worktree.Creating},
			worktree.OpSpawn, journal{After: worktree.Active, Agent: k.Agent.Name, Existing: m.existing}, where, args, errChanged)
		return err
	}, func(tx *registry.Tx) (err error) {
		row, err = worktree.ByUID(tx, uid)
		return err
	})
	if errors.Is(err, errChanged) {
		return m.plan(ctx)
	}
	if err == nil {
		m.w = row
	}
	return err
}

// completed is complete for what the caller has read, if that is still so, and lets the caller read what it needs.
func (m *spawning) completed(ctx context.Context) (done worktree.Worktree, err error) {
	k := m.o.Known
	if k == nil || k.Link == nil {
		return m.complete(ctx, m.w)
	}
	err = m.Trees.DB.WriteThenRead(ctx, registry.Scope{Project: m.w.ProjectID}, func(tx *registry.Tx) error {
		for _, step := range []func() error{
			func() error { return worktree.EndIntent(tx, m.w, worktree.Active) },
			func() error { return worktree.Start(tx, m.w.ID) },
			func() error { return agent.Alive(tx, k.Agent) },
			func() error { return k.Link(tx, m.w, errChanged) },
		} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	}, func(tx *registry.Tx) error {
		return tx.Together(
			func() (err error) { done, err = worktree.ByID(tx, m.w.ID); return err },
			func() error { return k.After(tx, m.w) },
		)
	})
	if errors.Is(err, errChanged) {
		return m.complete(ctx, m.w)
	}
	if err != nil { // what was stored is not taken back because of a read
		if now, failed := m.Trees.Reload(context.WithoutCancel(ctx), m.w); failed == nil && now.Status == worktree.Active {
			return now, nil
		}
	}
	return done, err
}

// plan writes the row and the intent.
func (m *spawning) plan(ctx context.Context) error {
	var planned worktree.Worktree
	err := m.Trees.DB.Write(ctx, registry.Scope{Project: m.r.ProjectID}, func(tx *registry.Tx) error {
		o := m.o
		var who agent.Agent
		var itemID int64
		var there worktree.Worktree
		var port int
		err := tx.Together(
			func() (err error) { who, itemID, there, err = m.wanted(tx); return err },
			func() (err error) { port, err = worktree.PickPort(tx, m.w.Ref, m.set); return err },
		)
		if err != nil || there.ID != 0 {
			return cmp.Or[error](err, thereError{there})
		}
		planned, err = worktree.Insert(tx, m.r, worktree.Worktree{Ref: m.w.Ref, AgentID: who.ID, ItemID: itemID, Task: o.Task,
			Path: m.w.Path, Branch: m.w.Branch, Base: m.start, Port: port, Status: worktree.Creating})
		if fault.Is(err, fault.KindConflict) {
			return takenError{fault.From(err).WithHint("choose another branch")}
		}
		if err != nil {
			return err
		}
		planned.Agent = who.Name // registered when all is done, see complete
		return worktree.FirstIntent(tx, planned, worktree.OpSpawn, worktree.Creating, journal{After: worktree.Active, Agent: who.Name, Existing: m.existing})
	})
	if err == nil {
		m.w = planned
	}
	return err
}

// wanted returns for whom and for which task the worktree is made, and the worktree that exists for both already, else the zero one.
func (m *spawning) wanted(tx *registry.Tx) (who agent.Agent, itemID int64, there worktree.Worktree, err error) {
	existing := func() (err error) {
		if m.o.Agent == "" || who.ID != 0 {
			there, err = worktree.ForTask(tx, m.r.ID, itemID, who.ID, 0)
		}
		return err
	}
	if k := m.o.Known; k != nil {
		who, itemID = k.Agent, k.ItemID
		err = tx.Together(func() error { return k.Recheck(tx) }, existing)
		return who, itemID, there, err
	}
	if who, itemID, err = m.meant(tx, m.r, m.o); err == nil {
		err = existing()
	}
	return who, itemID, there, err
}

// complete makes the worktree active, and links its agent and its task. It registers the agent, or counts as a sign of life of it.
func (s *Store) complete(ctx context.Context, w worktree.Worktree) (done worktree.Worktree, err error) {
	err = s.Trees.DB.Write(ctx, registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
		w := w
		if err := worktree.EndIntent(tx, w, worktree.Active); err != nil {
			return err
		}
		known := w.AgentID != 0
		if w.Agent != "" && !known {
			a, err := agent.Caller(tx, w.Agent)
			if err != nil {
				return err
			}
			w.AgentID = a.ID
		}
		if w.Agent != "" {
			if err := worktree.Assign(tx, w.ID, w.AgentID); err != nil {
				return err
			}
		}
		// Any later action of an agent is a sign that it works here; the notes of spawn below are not.
		if err := worktree.Start(tx, w.ID); err != nil {
			return err
		}
		tasks := s.Trees.Options.Tasks
		var there worktree.Worktree
		err := tx.Together(
			func() (err error) {
				if w.Agent != "" && known {
					_, err = agent.Caller(tx, w.Agent)
				}
				return err
			},
			func() (err error) {
				if w.Agent != "" {
					there, err = worktree.ForTask(tx, w.RepoID, w.ItemID, w.AgentID, w.ID)
				}
				return err
			},
			func() (err error) { done, err = worktree.ByID(tx, w.ID); return err },
			func() (err error) {
				if tasks != nil && w.ItemID != 0 {
					_, err = tasks.Spawned(tx, w)
				}
				return err
			},
		)
		switch {
		case there.ID != 0:
			return thereError{there} // the same call twice at once, of a new agent
		case err != nil || tasks == nil || w.ItemID != 0:
			return err
		}
		made, err := tasks.Spawned(tx, done)
		if err != nil || made == "" {
			return err
		}
		done, err = worktree.ByID(tx, w.ID)
		done.Made = made
		return err
	})
	return done, err
}
