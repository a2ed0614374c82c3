package assignment

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// find finds the worktree, its repository, and the open session on its task.
func (f *finish) find(ctx context.Context) error {
	var found worktree.Found
	err := f.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		if f.q.Worktree == "" {
			ref, row, err := f.meant(tx)
			if err != nil {
				return err
			}
			if f.q.Worktree = ref; row && f.q.Repo == "" {
				err = tx.Together(
					func() (err error) { found, err = worktree.FoundByRef(tx, ref); return err },
					func() (err error) { f.session, err = openSession(tx, ref); return err },
					func() (err error) {
						if f.q.Agent != "" {
							f.holding, err = task.HoldingIn(tx, ref, f.q.Agent)
						}
						return err
					},
				)
				f.r, f.w = found.Repo, found.Worktree
				return err
			}
		}
		if found, err = f.Trees.FindToOpen(tx, f.q.Repo, f.q.Worktree); err != nil {
			return err
		}
		f.r = found.Repo
		if f.w, err = landedFrom(tx, f.r, found.Worktree); err != nil {
			return err
		}
		if f.w.ItemID != 0 && f.w.AgentID != 0 {
			f.session, err = openSession(tx, f.w.Ref)
		}
		return err
	})
	if err != nil {
		return err
	}
	if f.w.Status.Live() { // and mends what was cut off, such as a landing that was almost done
		w, _, err := f.Trees.OpenFound(ctx, found)
		if err != nil && (w.ID == 0 || w.Status.Live()) {
			return err
		}
		f.w = w
	}
	if f.q.TokenOf != nil {
		f.q.Caller.SessionToken = f.q.TokenOf(f.w.TaskID)
	}
	if f.q.Caller == (task.Caller{}) { // a person speaks for the agent that the worktree is for, as with a merge
		f.q.Agent = f.w.Agent
	}
	if f.set, err = f.Trees.SettingsNow(ctx, f.r); err != nil {
		return err
	}
	f.out = Finished{Worktree: Tree{f.w.Ref, f.r.Name, f.w.Branch, f.set.DefaultBranch}, Session: f.session,
		ProjectID: f.w.ProjectID, Agent: cmp.Or(f.w.Agent, f.q.Agent), Land: f.set.Land}
	if f.w.TaskID != "" {
		f.out.Task = &Task{ID: f.w.TaskID}
	}
	return nil
}

// landedFrom takes a worktree without a row, and returns the one that landed from its folder if nothing was done in it since: a call whose
// answer was lost is repeated. It returns other worktrees as they are.
func landedFrom(tx *registry.Tx, r repo.Repo, w worktree.Worktree) (worktree.Worktree, error) {
	if w.Row() || w.Marks.Main {
		return w, nil
	}
	last, err := worktree.LastAt(tx, r.ID, w.Path)
	if err != nil || last.Status != worktree.Completed {
		return w, err
	}
	landed, err := land.Last(tx, last.ID)
	if err != nil || landed == nil || landed.State != land.Landed || landed.Tip != w.Head {
		return w, err
	}
	return last, nil
}

// meant returns the worktree that a caller means who named none, and whether that has a row: the one that the caller stands in, else the
// one that its agent works in. An agent that stands in the trash, where its last worktree is, means the one that it works in.
func (f *finish) meant(tx *registry.Tx) (name string, row bool, err error) {
	if !f.q.Here {
		name, err = f.underWay(tx)
		return name, true, err
	}
	var here worktree.Worktree
	var elsewhere error
	unnamed := cmp.Or(f.q.Agent, f.q.Client) == ""
	stands := func() bool {
		return elsewhere == nil && !here.Marks.Main && (unnamed || !here.Row() || here.Status.Live())
	}
	var ofAgent string
	var none error
	err = tx.Together(
		func() error { here, elsewhere = f.Trees.Standing(tx); return nil },
		tx.Unless(stands, func() error { ofAgent, none = f.underWay(tx); return nil }),
	)
	switch {
	case err != nil:
		return "", false, err
	case !stands():
		return ofAgent, true, none
	case here.Row():
		return here.Ref, true, nil
	}
	return here.Path, false, nil
}

// treeOf is a worktree with the agent that it is for.
type treeOf struct {
	agent int64
	ref   string
}

// underWayOf returns the worktrees that agents work in, for the agents that a condition selects.
func underWayOf(tx *registry.Tx, which string, args ...any) ([]treeOf, error) {
	return registry.Collect(tx, func(row registry.Scanner) (t treeOf, err error) { return t, row.Scan(&t.agent, &t.ref) },
		`SELECT w.agent_id, w.ref FROM agents JOIN worktrees w ON w.agent_id = agents.id JOIN leases l ON l.item_id = w.item_id AND l.agent_id = w.agent_id
		WHERE `+which+` AND w.`+repo.LiveWorktree+` AND w.item_id NOT IN (SELECT item_id FROM items_in_review) ORDER BY w.id`, args...)
}

// underWay returns the worktree that the agent works in: that of a task it holds, else the one that it finished last in the same way.
func (f *finish) underWay(tx *registry.Tx) (string, error) {
	name := cmp.Or(f.q.Agent, f.q.Client)
	if name == "" {
		return "", fault.Validation("worktree_id", "the folder you are in is not in a worktree, and neither a worktree nor an agent is named").WithHint("change to the worktree (`agit cd`), or name it or its agent")
	}
	var a agent.Agent
	var trees []treeOf
	err := tx.Together(
		func() (err error) { a, err = agent.Get(tx, name); return err },
		func() (err error) {
			where, args := agent.Candidates(name)
			trees, err = underWayOf(tx, where, args...)
			return err
		},
	)
	if trees = slices.DeleteFunc(trees, func(t treeOf) bool { return t.agent != a.ID }); err == nil && len(trees) == 0 { // or a seat has another name
		trees, err = underWayOf(tx, `agents.id = ?`, a.ID)
	}
	switch {
	case err != nil:
		return "", err
	case len(trees) == 0:
		return f.before(tx, a)
	case len(trees) == 1:
		return trees[0].ref, nil
	}
	refs := text.Each(trees, func(t treeOf) string { return t.ref })
	return "", fault.Validation("worktree_id", "agent %q has %d worktrees under way: %s", a.Name, len(refs), text.Few(refs)).
		WithHint("name the one that is finished")
}

// before returns the worktree that an agent finished last with the same outcome, and the same reason where the task was given back: the call is
// repeated. Of failed tasks one with another reason comes last, and is refused later. It refuses an agent that holds a task without a worktree, which the call would be about.
func (f *finish) before(tx *registry.Tx, a agent.Agent) (string, error) {
	held, err := registry.One[string](tx.QueryRow(`SELECT i.ref FROM leases l JOIN items i ON i.id = l.item_id
		WHERE l.agent_id = ? AND i.id NOT IN (SELECT item_id FROM items_in_review) ORDER BY l.claimed_at, i.id LIMIT 1`, a.ID))
	if err == nil {
		return "", fault.Conflict("task", held, "agent %q holds task %q, which has no worktree to finish", a.Name, held).
			WithHint("`agit begin` makes one; `agit tasks complete`, `agit tasks fail` and `agit tasks release` end a task without one")
	}
	if !registry.NoRows(err) {
		return "", err
	}
	ended, newest, args := `w.status = 'completed' OR i.status = 'completed' OR i.id IN (SELECT item_id FROM items_in_review)`, `w.updated_at`, []any{a.ID}
	switch f.q.Outcome {
	case Failed:
		ended, newest, args = `i.status = 'failed'`, `CASE WHEN (SELECT result FROM tasks WHERE tasks.item_id = i.id) = ? THEN 1 ELSE 0 END DESC, i.updated_at`,
			append(args, f.q.Summary)
	case Released:
		ended, newest, args = `i.status = 'pending' AND (SELECT why FROM item_history h WHERE h.item_id = i.id AND h.field = 'status' ORDER BY h.id DESC LIMIT 1) = ?`,
			`i.updated_at`, append(args, f.q.Summary)
	}
	last, err := registry.One[string](tx.QueryRow(`SELECT w.ref FROM worktrees w JOIN items i ON i.id = w.item_id
		WHERE w.agent_id = ? AND (`+ended+`) ORDER BY `+newest+` DESC, w.id DESC LIMIT 1`, args...))
	if registry.NoRows(err) {
		none := fault.NotFound("worktree", a.Name)
		none.Message = fmt.Sprintf("agent %q has no task under way", a.Name)
		return "", none.WithHint("`agit begin` takes the next one")
	}
	return last, err
}
