package assignment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// BeginRequest is an agent's request for work.
type BeginRequest struct {
	Repo         string                                // name or id; "" for that of the task named
	Find         func(*registry.Tx) (repo.Repo, error) // finds the repository instead of Repo; nil where that is known, or Here is
	Task         string                                // id, or a ticket's key; "" for what the agent holds, else the next ready one
	Make         bool                                  // Task may also be words that make a task
	Agent        string
	Here         string        // a folder of the worktree to begin it in, whoever made that; "" has one made
	Capabilities []string      // nil: those it registered
	MinPriority  work.Priority // PriorityNone for any
	Words        brief.Words   // the brief's names for what to do next; those of the command line when empty
	Limit        int           // of the brief, in bytes; brief.Limit when 0
}

// takeUp is a task with the agent that takes it up.
type takeUp struct {
	task.Taken
	repo   repo.Repo
	agent  agent.Agent
	found  worktree.Found    // the task's earlier worktree, to be opened
	stored bool              // the task was read since: the claim is in the registry
	left   string            // the branch of its last worktree, where that is gone
	ports  map[int]bool      // of the worktrees of this host
	read   *reading          // what a brief needs of the registry, once that is read
	tree   worktree.Worktree // that worktree, whoever made it

	deleted string // describes a worktree whose folder was deleted; "" for none
}

// Begin assigns a task to an agent and returns its brief: the task named, else the one that the agent holds, else the next ready one. The
// Task of the brief is nil when nothing is ready. Begin makes the task's worktree, or returns it as it was left, even by another agent that
// the task was taken from. When the worktree cannot be made, a task that this call claimed goes back into the queue.
func (s *Store) Begin(ctx context.Context, q BeginRequest) (b brief.Brief, err error) {
	if q.Agent == "" && q.Here != "" {
		if q.Agent, err = s.Trees.AgentIn(ctx, q.Repo, q.Here); err != nil {
			return b, err
		}
	}
	if q.Agent == "" {
		return b, fault.Validation("agent", "no agent is named to begin a task").
			WithHint("give --agent NAME, or set AGIT_AGENT")
	}
	var at standing
	if q.Here != "" {
		if at, err = s.stand(ctx, &q); err != nil {
			return b, err
		}
	}
	var on takeUp
	err = s.DB.WriteThenRead(ctx, registry.Named, func(tx *registry.Tx) (err error) {
		on, err = s.take(tx, q)
		return err
	}, func(tx *registry.Tx) error { return s.look(tx, &on) })
	if err != nil {
		if on.stored && on.New {
			err = errors.Join(err, s.giveUp(context.WithoutCancel(ctx), on))
		}
		return b, s.Trees.Undo(ctx, at.tree, err)
	}
	if on.Item.ID == 0 {
		if err := s.Trees.Undo(ctx, at.tree, errNothing); !errors.Is(err, errNothing) {
			return b, err
		}
		return brief.Brief{Action: "Nothing is ready. Stop here, or ask again later.", Reason: on.Reason}, nil
	}
	w, err := s.place(ctx, &on, at)
	if err != nil {
		if on.New {
			err = errors.Join(err, s.giveUp(context.WithoutCancel(ctx), on))
		}
		return b, s.Trees.Undo(ctx, at.tree, err)
	}
	return s.brief(ctx, q, on, w)
}

// errNothing means that no task was begun.
var errNothing = errors.New("nothing is ready")

// take claims the task.
func (s *Store) take(tx *registry.Tx, q BeginRequest) (on takeUp, err error) {
	find := q.Find
	switch {
	case find != nil:
	case q.Repo != "":
		find = func(tx *registry.Tx) (repo.Repo, error) { return repo.Find(tx, q.Repo) }
	default:
		if on.repo, err = s.Tasks.RepoOf(tx, q.Task); err != nil {
			return on, err
		}
	}
	err = tx.Together(
		func() (err error) {
			if find != nil {
				on.repo, err = find(tx)
			}
			return err
		},
		func() (err error) { on.agent, err = agent.Caller(tx, q.Agent); return err },
	)
	if err != nil {
		return on, err
	}
	on.Taken, err = s.Tasks.Take(tx, on.repo, on.agent, task.Wanted{ID: q.Task, Make: q.Make, Capabilities: q.Capabilities, MinPriority: q.MinPriority})
	return on, err
}

// look reads the task that was taken and finds its existing worktree, if any.
func (s *Store) look(tx *registry.Tx, on *takeUp) error {
	if on.Item.ID == 0 {
		return nil
	}
	err := tx.Together(
		func() error {
			err := on.Load(tx)
			on.stored = err == nil
			return err
		},
		func() (err error) {
			on.found, err = worktree.FoundFor(tx, on.repo, on.Item.ID, on.agent.ID)
			return err
		},
		tx.Unless(func() bool { return on.found.Worktree.ID != 0 }, func() (err error) { // a worktree that exists has its ports
			on.ports, err = worktree.Ports(tx)
			return err
		}),
		tx.Unless(func() bool { return on.found.Worktree.ID != 0 || on.New && on.Task.ClaimToken == 1 }, func() (err error) {
			on.left, err = worktree.LeftBy(tx, on.repo.ID, on.Item.ID)
			return err
		}),
	)
	on.tree = on.found.Worktree
	return err
}

// giveUp returns the task of a begin that failed, unless the agent called twice at once: then the other call makes the task's
// worktree, or has made it, and keeps the task. A worktree from before this call does not count.
func (s *Store) giveUp(ctx context.Context, on takeUp) error {
	return s.DB.Write(ctx, registry.Scope{Project: on.repo.ProjectID}, func(tx *registry.Tx) error {
		switch other, err := worktree.ForTask(tx, on.repo.ID, on.Item.ID, on.agent.ID, on.found.Worktree.ID); {
		case fault.Is(err, fault.KindConflict), err == nil && other.ID != 0:
			return nil
		case err != nil:
			return err
		}
		return s.Tasks.GiveUp(tx, on.Item.ID, on.agent.ID, "its worktree could not be made")
	})
}

// place returns the worktree to work in: the one that the agent stands in if the agent wants that, else its own for the task, else one that
// another agent left, else a new one.
func (s *Store) place(ctx context.Context, on *takeUp, at standing) (worktree.Worktree, error) {
	if at.tree.ID != 0 {
		return s.settle(ctx, *on, at)
	}
	if on.tree.ID != 0 && on.tree.AgentID != on.agent.ID && len(obstacle.Occupants(on.tree.Path)) > 0 {
		on.tree.ID = 0 // the agent that had the task before is still in it
	}
	if on.tree.ID == 0 {
		return s.anew(ctx, on)
	}
	w, g, err := s.Trees.OpenFound(ctx, on.found)
	if err == nil {
		of := obstacle.Subject{Git: g, Repo: on.repo, Worktree: w}
		if gone, err := obstacle.Vanished(ctx, s.Trees, of); err != nil {
			return w, err
		} else if gone { // agents delete folders, and the task must not wait for a person because of that
			return s.remake(ctx, on, of)
		}
		// Without its .git file git would treat the folder as part of the main checkout, and commit there.
		if err := checkout.Reconnect(g, w.Path); err != nil {
			return w, err
		}
		if checkout.Gone(w.Path) {
			if w, err = s.Trees.Follow(ctx, g, on.repo, w); err != nil {
				return w, err
			}
			of.Worktree = w
		}
		err = obstacle.Present(ctx, s.Trees, of, "begun in")
	}
	if err != nil || w.AgentID == on.agent.ID && on.Task.Worktree == w.Ref {
		w.Reused = true
		return w, err
	}
	err = s.DB.Write(ctx, registry.Scope{Project: on.repo.ProjectID}, func(tx *registry.Tx) error {
		if err := worktree.Assign(tx, w.ID, on.agent.ID); err != nil {
			return err
		}
		w, err = s.given(tx, w)
		return err
	})
	w.Reused = true
	return w, err
}

// given returns a worktree that was just assigned to the agent of a task, after linking the two.
func (s *Store) given(tx *registry.Tx, w worktree.Worktree) (worktree.Worktree, error) {
	w, err := worktree.ByID(tx, w.ID)
	if err != nil {
		return w, err
	}
	tx.Changed(registry.TopicWorktrees, w.ProjectID, w.Ref)
	_, err = s.Tasks.Spawned(tx, w)
	return w, err
}

// remake makes a task's worktree anew, whose folder was deleted.
func (s *Store) remake(ctx context.Context, on *takeUp, of obstacle.Subject) (worktree.Worktree, error) {
	if _, err := s.Removals.Forget(ctx, of); err != nil {
		return of.Worktree, err
	}
	on.left = of.Worktree.Branch
	on.deleted = "The folder of this task's worktree was deleted, and made anew: what was not committed there is lost."
	return s.anew(ctx, on)
}

// anew makes a task's worktree. It continues on the branch that an earlier one left, if that has commits that did not land, unless that
// cannot be checked out here, such as when another worktree has it by now.
func (s *Store) anew(ctx context.Context, on *takeUp) (w worktree.Worktree, err error) {
	if on.left == "" {
		return s.spawn(ctx, on, "")
	}
	g, err := on.repo.Open()
	if err != nil {
		return w, err
	}
	tip, merged, err := s.Removals.WasMerged(ctx, g, on.repo, worktree.Worktree{Branch: on.left})
	if err != nil {
		return w, err
	}
	if tip == "" || merged {
		return s.spawn(ctx, on, "")
	}
	w, err = s.spawn(ctx, on, on.left)
	switch {
	case err == nil:
		w.Reused = true
		on.deleted = "The folder of this task's worktree was deleted, and made anew from its branch: what was not committed there is lost."
		return w, nil
	case !fault.Is(err, fault.KindConflict):
		return w, err
	}
	on.deleted = fmt.Sprintf("The folder of this task's worktree was deleted. Its commits are on branch %s, which could not be checked out here: this worktree starts without them.",
		on.left)
	return s.spawn(ctx, on, "")
}

// spawn makes the worktree of a task that was taken up, on a new branch where none is named.
func (s *Store) spawn(ctx context.Context, on *takeUp, branch string) (worktree.Worktree, error) {
	return s.Spawns.Spawn(ctx, spawn.Request{Repo: on.repo.UID, Task: on.Task.ID, Branch: branch, Agent: on.agent.Name, Known: &spawn.Known{
		Found: on.found, Agent: on.agent, ItemID: on.Item.ID, Title: on.Item.Title,
		Recheck: func(tx *registry.Tx) error { return s.Tasks.Recheck(tx, on.repo, on.Item, on.agent) },
		Still:   func() (string, []any) { return task.Still(on.repo, on.Item, on.agent) },
		Ports:   on.ports,
		Link:    task.LinkHeld,
		After: func(tx *registry.Tx, w worktree.Worktree) error {
			read, err := s.read(tx, *on, w)
			if err == nil {
				on.read = read
			}
			return err
		},
	}})
}

// reading is what a brief needs of the registry.
type reading struct {
	brief  brief.Brief
	around conflict.Around
}

// read reads it.
func (s *Store) read(tx *registry.Tx, on takeUp, w worktree.Worktree) (*reading, error) {
	var r reading
	err := tx.Together(
		func() (err error) { r.brief, err = brief.Load(tx, on.Task, on.Item, w); return err },
		func() (err error) {
			if s.Conflicts != nil {
				r.around, err = s.Conflicts.Around(tx, w.RepoID)
			}
			return err
		},
	)
	return &r, err
}

// brief builds the agent's brief while memoryd opens its session.
func (s *Store) brief(ctx context.Context, q BeginRequest, on takeUp, w worktree.Worktree) (b brief.Brief, err error) {
	opened := make(chan started, 1)
	go func() { opened <- s.startSession(ctx, on, w) }()
	known := on.read // the session's start has on for itself
	if known == nil {
		known, err = registry.Read(ctx, s.DB, func(tx *registry.Tx) (*reading, error) { return s.read(tx, on, w) })
	}
	said := <-opened
	if err != nil {
		return b, err
	}
	b = known.brief
	set, err := s.Trees.SettingsNow(ctx, on.repo)
	if err != nil {
		return b, err
	}
	b.Worktree.Into, b.Worktree.Remote, b.Gate, b.Land = set.DefaultBranch, set.Remote, set.Gate, set.Land
	b.Task.Again, b.Task.Made = !on.New, on.Made
	if s.Conflicts != nil {
		others, err := s.Conflicts.NearOthers(ctx, known.around, w.Ref, on.Task.Description)
		if err != nil && ctx.Err() != nil {
			return b, err
		}
		b.Around.Near = append(b.Around.Near, others...) // none where git cannot list them, which the scan reports
		conflict.ByWeight(b.Around.Near)
	}
	b.Remembered, b.Notes = said.Remembered, said.Notes
	if w.Reused {
		b.Worktree.Found = s.found(ctx, on, w)
	}
	if on.deleted != "" {
		b.Notes = append(b.Notes, on.deleted)
	}
	if _, err := os.Stat(filepath.Join(w.Path, ".gitmodules")); err == nil {
		b.Notes = append(b.Notes, "It has submodules: `git submodule update --init` fills them. "+
			"Commit and push inside one before the commit that takes it up here.")
	}
	if q.Words == (brief.Words{}) {
		q.Words = brief.Commands
	}
	if q.Limit == 0 {
		if q.Limit = brief.Limit; b.Review != nil && b.Review.Pulled {
			q.Limit += 2 * brief.PulledText // as text, and as JSON with its escapes
		}
	}
	b.Instruct(q.Words)
	b.Fit(q.Limit)
	return b, nil
}

// found describes the content of a worktree that was worked in before.
func (s *Store) found(ctx context.Context, on takeUp, w worktree.Worktree) string {
	at, err := s.inspect(ctx, on.repo, w)
	var commits []string
	if err == nil {
		commits, err = at.commits(ctx, w)
	}
	if err != nil {
		return "it was worked in before; look at what it holds first"
	}
	said := "it was made before and has no commit yet"
	if n := len(commits); n > 0 {
		said = fmt.Sprintf("it has %s of the work so far", text.Count(n, "commit", "commits"))
	}
	if len(commits) == 0 && at.head.OID != w.Base {
		l, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) (*land.Landing, error) { return land.Last(tx, w.ID) })
		if err == nil && l != nil && l.State == land.Landed {
			said = fmt.Sprintf("its work landed on %s as %.12s", l.Target, cmp.Or(l.Commit, l.Tip))
		}
	}
	if n := len(at.dirty()); n > 0 {
		said += fmt.Sprintf("; it holds %s: %s", text.Count(n, "uncommitted file", "uncommitted files"), text.Few(at.dirty()))
	}
	if on.tree.AgentID != 0 && on.tree.AgentID != on.agent.ID {
		said += fmt.Sprintf("; %s worked in it", on.tree.Agent)
	}
	switch err := at.offBranch(w); {
	case at.underway != "":
		said += "; " + at.underway + " is in progress in it, which comes first"
	case err != nil:
		said = "first of all: " + err.Error() + "; " + said
	}
	return said
}
