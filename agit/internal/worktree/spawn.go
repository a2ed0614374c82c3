package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Spawn is a worktree to be made.
type Spawn struct {
	Repo   string // name or id
	Task   string // an existing task's id, or what is to be done
	Branch string // made from the task when empty
	Agent  string // name or id; may be empty
}

// Spawn makes a worktree on a new branch from the default branch's commit,
// copies what .worktreeinclude asks for and runs the post_spawn hooks. When any
// step fails nothing is left: no folder, no branch, no row.
func (s *Store) Spawn(ctx context.Context, o Spawn) (w Worktree, err error) {
	if o.Task, err = text.Body("task", o.Task); err != nil {
		return w, err
	}
	r, err := s.repo(ctx, o.Repo)
	if err != nil {
		return w, err
	}
	g, err := s.recovered(ctx, r)
	if err != nil {
		return w, err
	}
	set := s.settings(r)
	if err := stays(r, folderOf(r, set)); err != nil {
		return w, err
	}
	base, err := startOf(ctx, g, r, set.DefaultBranch)
	if err != nil {
		return w, err
	}
	purpose, err := s.purpose(ctx, r, o)
	if err != nil || purpose.there.ID != 0 {
		return purpose.there, err
	}
	const tries = 3 // a short id that exists already is a one in a billion chance
	for try := 1; ; try++ {
		plan, err := nameFor(set.BranchPrefix, purpose.name, o.Branch)
		if err != nil {
			return w, err
		}
		w, err = s.spawn(ctx, r, g, set, o, plan, base)
		var there thereError
		if errors.As(err, &there) { // made since purpose looked
			return there.w, nil
		}
		var taken takenError
		if err == nil || o.Branch != "" || try == tries || !errors.As(err, &taken) {
			w.Note = purpose.note
			return w, err
		}
	}
}

// purpose is what a spawn is for.
type purpose struct {
	name  string   // what the branch is named for
	there Worktree // that the agent has for the task already
	note  string
}

// purpose reads what --task means: the branch is named for the name of an existing
// task, else for the text given, else for the agent.
func (s *Store) purpose(ctx context.Context, r repo.Repo, o Spawn) (p purpose, err error) {
	if p.name = o.Task; o.Task == "" {
		p.name = o.Agent
	}
	if o.Task == "" || s.o.Tasks == nil {
		return p, nil
	}
	err = s.db.Read(ctx, func(tx *registry.Tx) error {
		itemID, err := s.o.Tasks.Resolve(tx, r, o.Task, o.Agent)
		if err != nil {
			return err
		}
		if itemID == 0 {
			same, err := s.o.Tasks.Namesake(tx, r, o.Task)
			if same != "" {
				p.note = fmt.Sprintf("the worktree is linked to no task; task %s is named so: give its id to link and claim it", same)
			}
			return err
		}
		who, err := asked(tx, o)
		if err != nil {
			return err
		}
		if o.Agent == "" || who.ID != 0 {
			if p.there, err = thereFor(tx, r.ID, itemID, who.ID, 0); err != nil {
				return err
			}
		}
		p.name, err = registry.One[string](tx.QueryRow(`SELECT title FROM items WHERE id = ?`, itemID))
		return err
	})
	return p, err
}

// thereFor returns the worktree that an agent (0 for none) has for a task, so that a
// call that is repeated makes no second one; the zero one when there is none. One
// of them is left out.
func thereFor(tx *registry.Tx, repoID, itemID, agentID, except int64) (Worktree, error) {
	if itemID == 0 {
		return Worktree{}, nil
	}
	w, err := scan(tx.QueryRow(selection+`WHERE w.repo_id = ? AND w.item_id = ? AND COALESCE(w.agent_id, 0) = ? AND w.id <> ?
		AND w.status NOT IN ('completed', 'trashed') ORDER BY w.id LIMIT 1`, repoID, itemID, agentID, except))
	switch {
	case registry.NoRows(err):
		return Worktree{}, nil
	case err == nil && w.intent.kind != "":
		return Worktree{}, busy(w)
	}
	if err == nil {
		w.Reused, w.Note = true, fmt.Sprintf("task %s has this worktree already; none was made", w.TaskID)
	}
	return w, err
}

// asked is the agent that a spawn names, the zero one for none; its ID is 0 as long
// as it is not registered.
func asked(tx *registry.Tx, o Spawn) (agent.Agent, error) {
	if o.Agent == "" {
		return agent.Agent{}, nil
	}
	return agent.Lookup(tx, o.Agent)
}

func errOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// thereError carries a worktree that was made meanwhile.
type thereError struct{ w Worktree }

func (e thereError) Error() string { return "there is worktree " + e.w.Ref + " already" }

func (s *Store) spawn(ctx context.Context, r repo.Repo, g *git.Repo, set Settings, o Spawn, plan names, base string) (w Worktree, err error) {
	dir := folderOf(r, set)
	w.Path = filepath.Join(dir, plan.folder)
	w.Branch = plan.branch
	if err := unoccupied(ctx, g, r, w); err != nil {
		return w, err
	}
	w.Ref = registry.NewID("w-")
	end, err := begin(w)
	if err != nil {
		return w, err
	}
	defer end()
	if w, err = s.plan(ctx, r, set, o, w, base); err != nil {
		return w, err
	}
	finished := false
	defer func() { // also when a hook's caller panics
		if finished {
			return
		}
		if undo := s.undoSpawn(context.WithoutCancel(ctx), g, w, err); undo != nil {
			err = fmt.Errorf("%w (what was made is still there and `agit doctor` mends it: %w)", err, undo)
		}
	}()
	if err := s.build(ctx, r, g, set, w, dir); err != nil {
		return w, err
	}
	done, err := s.complete(ctx, w)
	if err != nil {
		return w, err
	}
	finished = true
	return done, nil
}

// unoccupied refuses a branch or folder that exists.
func unoccupied(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) error {
	oid, err := g.Resolve(ctx, "refs/heads/"+w.Branch)
	if err != nil {
		return err
	}
	if oid != "" {
		return takenError{fault.Conflict("branch", w.Branch, "branch %q exists already in repository %q", w.Branch, r.Name).
			WithHint("choose another branch, or leave it out to have one made")}
	}
	if _, err := os.Lstat(w.Path); err == nil {
		return takenError{fault.Conflict("folder", w.Path, "folder %q exists already", w.Path).
			WithHint("choose another branch; `agit doctor` says what that folder is")}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fault.Operation(err, "look at %q", w.Path)
	}
	return nil
}

// takenError is a refusal because a name exists; one that was made is made anew.
type takenError struct{ *fault.Fault }

func (e takenError) Unwrap() error { return e.Fault }

// plan writes the row and the intent.
func (s *Store) plan(ctx context.Context, r repo.Repo, set Settings, o Spawn, w Worktree, base string) (planned Worktree, err error) {
	err = s.db.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		var itemID int64
		who, err := asked(tx, o)
		if err != nil {
			return err
		}
		if s.o.Tasks != nil && o.Task != "" {
			if itemID, err = s.o.Tasks.Resolve(tx, r, o.Task, o.Agent); err != nil {
				return err
			}
		}
		if o.Agent == "" || who.ID != 0 {
			if there, err := thereFor(tx, r.ID, itemID, who.ID, 0); err != nil || there.ID != 0 {
				return errOr(err, thereError{there})
			}
		}
		port, err := pickPort(tx, w.Ref, set)
		if err != nil {
			return err
		}
		id, err := tx.Insert(`INSERT INTO worktrees (uid, ref, repo_id, host, agent_id, item_id, task_text, path, branch, base_oid, port, status, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'creating', ?, ?) ON CONFLICT DO NOTHING RETURNING id`,
			registry.NewUID(), w.Ref, r.ID, r.Host, registry.NullIfZero(who.ID), registry.NullIfZero(itemID), o.Task,
			w.Path, w.Branch, base, registry.NullIfZero(port), tx.Stamp(), tx.Stamp())
		if registry.NoRows(err) {
			return takenError{fault.Conflict("folder", w.Path, "another worktree is registered at %q", w.Path).WithHint("choose another branch")}
		}
		if err != nil {
			return err
		}
		if planned, err = byID(tx, id); err != nil {
			return err
		}
		planned.Agent = who.Name // registered when all is done, see complete
		return setIntent(tx, planned, intentSpawn, Creating, journal{After: Active, Agent: who.Name})
	})
	return planned, err
}

// complete makes the worktree active, with its agent, whom this registers or is a
// sign of life of, and its task.
func (s *Store) complete(ctx context.Context, w Worktree) (done Worktree, err error) {
	err = s.db.Write(ctx, registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
		if err := endIntent(tx, w, Active); err != nil {
			return err
		}
		if w.Agent != "" {
			a, err := agent.Caller(tx, w.Agent)
			if err != nil {
				return err
			}
			if there, err := thereFor(tx, w.RepoID, w.ItemID, a.ID, w.ID); err != nil || there.ID != 0 {
				return errOr(err, thereError{there}) // the same call twice at once, of a new agent
			}
			if _, err := tx.Exec(`UPDATE worktrees SET agent_id = ? WHERE id = ?`, a.ID, w.ID); err != nil {
				return err
			}
		}
		// What an agent does from here on is a sign that it works here; what
		// spawn notes of it below is none.
		if _, err := tx.Exec(`UPDATE worktrees SET created_at = ? WHERE id = ?`, tx.Stamp(), w.ID); err != nil {
			return err
		}
		if done, err = byID(tx, w.ID); err != nil {
			return err
		}
		if s.o.Tasks == nil {
			return nil
		}
		if err := s.o.Tasks.Spawned(tx, done); err != nil {
			return err
		}
		done, err = byID(tx, w.ID)
		return err
	})
	return done, err
}

// repo returns a repository by name.
func (s *Store) repo(ctx context.Context, name string) (r repo.Repo, err error) {
	if name == "" {
		return r, fault.Validation("repo", "no repository was named").WithHint("`agit repos` lists the registered ones")
	}
	err = s.db.Read(ctx, func(tx *registry.Tx) error {
		r, err = repo.Find(tx, name)
		return err
	})
	return r, err
}
