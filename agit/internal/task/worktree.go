package task

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

var _ worktree.Tasks = (*Store)(nil)

// Resolve finds the task that a spawn's --task means: by its id, by the key of the ticket that it was made from, or by its name, if the
// agent could claim it. It returns 0 for a task that Spawned makes. It refuses a task that agentName could not claim, and an id that does
// not exist, before anything is made.
func (s *Store) Resolve(tx *registry.Tx, r repo.Repo, what, agentName string) (itemID int64, err error) {
	item, err := work.Find(tx, work.KindTask, what)
	switch {
	case what == "", fault.Is(err, fault.KindNotFound):
		return s.resolveText(tx, r, what, agentName)
	case err != nil:
		return 0, err
	}
	return s.claimable(tx, r, item, agentName)
}

// Recheck refuses a task that an agent could claim in a repository when the task was read, and no longer can.
func (s *Store) Recheck(tx *registry.Tx, r repo.Repo, read work.Item, a agent.Agent) error {
	var item work.Item
	var held lease.Lease
	err := tx.Together(
		func() error { return refuseElsewhere(tx, read, r) },
		func() (err error) { item, err = work.Find(tx, work.KindTask, read.UID); return err },
		func() (err error) { held, err = lease.Get(tx, read.ID); return err },
	)
	if err != nil {
		return err
	}
	return refuseUnclaimable(tx, item, held, &a)
}

// Still returns the condition that Recheck refuses nothing.
func Still(r repo.Repo, read work.Item, a agent.Agent) (where string, args []any) {
	return `EXISTS (SELECT 1 FROM items LEFT JOIN leases ON leases.item_id = items.id WHERE items.id = ? AND items.deleted_at IS NULL
			AND items.state NOT IN ('done', 'dropped') AND COALESCE(leases.agent_id, ?) = ?)
		AND NOT EXISTS (SELECT 1 FROM repos WHERE removed_at IS NULL AND ` + elsewhere + `)`,
		append([]any{read.ID, a.ID, a.ID}, elsewhereOf(read, r)...)
}

// elsewhere is the condition on repos of the one that an item belongs to instead.
const elsewhere = `(id = (SELECT repo_id FROM tasks WHERE item_id = ?) AND id <> ? AND host = ? OR project_id = ? AND project_id <> ?)`

func elsewhereOf(item work.Item, r repo.Repo) []any {
	return []any{item.ID, r.ID, r.Host, item.ProjectID, r.ProjectID}
}

// LinkHeld links the task of a new worktree; where the worktree's agent no longer holds it, refusal is the error of the transaction.
func LinkHeld(tx *registry.Tx, w worktree.Worktree, refusal error) error {
	return tx.Must(refusal, `UPDATE tasks SET worktree_id = ? WHERE item_id = ? AND EXISTS (SELECT 1 FROM leases WHERE leases.item_id = tasks.item_id AND leases.agent_id = ?)`,
		w.ID, w.ItemID, w.AgentID)
}

// refuseUnclaimable refuses a finished task, and one that another agent than a holds; a is nil for no one in particular.
func refuseUnclaimable(tx *registry.Tx, item work.Item, held lease.Lease, a *agent.Agent) error {
	if item.State == work.StateDone || item.State == work.StateDropped {
		return notClaimable(tx, item, lease.Lease{}, agent.Agent{})
	}
	if held.Held() && a != nil && a.ID != held.AgentID {
		return notClaimable(tx, item, held, *a)
	}
	return nil
}

// claimable returns the id of a task if an agent, "" for none, could claim it in a repository.
func (s *Store) claimable(tx *registry.Tx, r repo.Repo, item work.Item, agentName string) (itemID int64, err error) {
	var held lease.Lease
	var a *agent.Agent
	err = tx.Together(
		func() error { return refuseElsewhere(tx, item, r) },
		func() (err error) { held, err = lease.Get(tx, item.ID); return err },
		func() (err error) {
			if agentName != "" {
				a = &agent.Agent{}
				*a, err = lookUp(tx, agentName)
			}
			return err
		},
	)
	if err != nil {
		return 0, err
	}
	if err := refuseUnclaimable(tx, item, held, a); err != nil {
		return 0, err
	}
	return item.ID, nil
}

// lookUp returns the agent of that name or id, the zero Agent for none and for an unknown one: they hold nothing.
func lookUp(tx *registry.Tx, nameOrID string) (agent.Agent, error) {
	if nameOrID == "" {
		return agent.Agent{}, nil
	}
	a, err := agent.Lookup(tx, nameOrID)
	if fault.Is(err, fault.KindNotFound) {
		return agent.Agent{}, nil
	}
	return a, err
}

// refuseElsewhere refuses a task of another project, or of another clone on this host. A task of a project without a repository may be
// worked on in any.
func refuseElsewhere(tx *registry.Tx, item work.Item, r repo.Repo) error {
	name, err := registry.OrZero(registry.One[string](tx.QueryRow(`SELECT name FROM repos WHERE removed_at IS NULL AND `+elsewhere+`
		ORDER BY CASE WHEN host = ? THEN 0 ELSE 1 END, id LIMIT 1`, append(elsewhereOf(item, r), r.Host)...)))
	if err != nil || name == "" {
		return err
	}
	return fault.Conflict("task", item.Ref, "task %q belongs to repository %q, not to %q", item.Ref, name, r.Name).
		WithHint("make its worktree there")
}

// resolveText finds the task that a text means which is not a task's id.
func (s *Store) resolveText(tx *registry.Tx, r repo.Repo, what, agentName string) (itemID int64, err error) {
	origin, err := work.FindIn(tx, r.ProjectID, "", what)
	if fault.Is(err, fault.KindNotFound) {
		if ids.MatchString(what) {
			return 0, unknown(tx, "task", what, "")
		}
		return s.namesake(tx, r, what, agentName)
	}
	if err != nil {
		return 0, err
	}
	if origin.Kind != work.KindTicket {
		return 0, fault.Validation("task", "%q is a %s, and a worktree is made for a task or a ticket", origin.Ref, origin.Kind).WithHint("give the id of one of its tasks")
	}
	made, err := madeFrom(tx, New{Repo: r.UID, Origin: origin.Ref})
	if err != nil || made == 0 {
		return 0, err
	}
	item, err := work.ByID(tx, made)
	if err != nil {
		return 0, err
	}
	return s.claimable(tx, r, item, agentName)
}

// meant returns the task that an agent means by a ticket's key, or by words where these may make one, and makes it if it does not exist yet.
func (s *Store) meant(tx *registry.Tx, r repo.Repo, want Wanted, agentName string) (item work.Item, made bool, err error) {
	what := want.ID
	_, err = work.FindIn(tx, r.ProjectID, work.KindTicket, what)
	ticket := err == nil
	if err != nil && !fault.Is(err, fault.KindNotFound) {
		return item, false, err
	}
	if !ticket && !want.Make {
		return item, false, unknown(tx, "task", what, "")
	}
	itemID, err := s.resolveText(tx, r, what, agentName)
	if err != nil {
		return item, false, err
	}
	if itemID != 0 {
		item, err = work.ByID(tx, itemID)
		return item, false, err
	}
	if !ticket && !strings.Contains(strings.TrimSpace(what), " ") { // a misspelled id, or another command's word
		return item, false, unknown(tx, "task", what, "; the name of a new one has several words")
	}
	item, err = makeOf(tx, r, what, agentName)
	return item, true, err
}

// ids is the form of the suite's own ids and of trackers' keys.
var ids = regexp.MustCompile(`^(?:[a-z]-[0-9a-z]{8,}|[A-Z][A-Z0-9_]*-[0-9]+)$`)

// namesake returns the open task of the repository's project with that name, if it is free or the agent's; 0 for none. Of several it
// returns the oldest.
func (s *Store) namesake(tx *registry.Tx, r repo.Repo, name, agentName string) (itemID int64, err error) {
	a, err := lookUp(tx, agentName)
	if err != nil {
		return 0, err
	}
	itemID, err = registry.OrZero(registry.One[int64](tx.QueryRow(`SELECT items.id FROM items JOIN tasks ON tasks.item_id = items.id
		LEFT JOIN leases ON leases.item_id = items.id
		WHERE items.project_id = ? AND LOWER(items.title) = LOWER(?) AND items.deleted_at IS NULL AND COALESCE(tasks.repo_id, ?) = ?
		AND (items.state = 'open' OR items.state = 'active' AND leases.agent_id = ?) ORDER BY items.id LIMIT 1`,
		r.ProjectID, strings.TrimSpace(name), r.ID, r.ID, a.ID)))
	if err != nil || itemID == 0 {
		return 0, err
	}
	item, err := work.ByID(tx, itemID)
	if err != nil {
		return 0, err
	}
	return s.claimable(tx, r, item, agentName)
}

// Spawned links the task of a new worktree and claims it for its agent. When the worktree was made for a ticket, or for a text and an
// agent, it makes the task first. It makes none for the text of a worktree without an agent: the next worker would take it, and work where
// a person does.
func (s *Store) Spawned(tx *registry.Tx, w worktree.Worktree) (made string, err error) {
	if w.ItemID == 0 && w.Task != "" {
		r, err := repo.ByID(tx, w.RepoID)
		if err != nil {
			return "", err
		}
		item, err := makeOf(tx, r, w.Task, w.Agent)
		if err != nil || item.ID == 0 {
			return "", err
		}
		if err := worktree.SetItem(tx, w.ID, item.ID); err != nil {
			return "", err
		}
		w.ItemID, made = item.ID, item.Ref
	}
	return made, s.link(tx, w)
}

// makeOf makes a task from a ticket's key or a text, for an agent; it returns the zero item for a text without an agent.
func makeOf(tx *registry.Tx, r repo.Repo, what, agentName string) (work.Item, error) {
	n := New{Repo: r.UID, Text: what, Agent: agentName, Priority: work.PriorityMedium}
	ticket, err := work.FindIn(tx, r.ProjectID, work.KindTicket, what)
	switch {
	case err == nil:
		n.Text, n.Origin, n.Priority = ticket.Title, ticket.Ref, ticket.Priority
	case !fault.Is(err, fault.KindNotFound):
		return work.Item{}, err
	case agentName == "":
		return work.Item{}, nil
	}
	return Make(tx, n)
}

// link links the task of a worktree, and claims it for its agent.
func (s *Store) link(tx *registry.Tx, w worktree.Worktree) error {
	if w.ItemID == 0 {
		return nil
	}
	if w.Agent != "" {
		held, err := lease.Get(tx, w.ItemID)
		if err != nil {
			return err
		}
		if held.AgentID != w.AgentID {
			a, err := agent.Caller(tx, w.Agent)
			if err != nil {
				return err
			}
			item, err := work.ByID(tx, w.ItemID)
			if err != nil {
				return err
			}
			if _, err := s.ClaimFor(tx, item, a); err != nil {
				return err
			}
		}
	}
	return tx.Do(`UPDATE tasks SET worktree_id = ? WHERE item_id = ?`, w.ID, w.ItemID)
}

// Merged completes the task of a worktree that was merged, even one that was given back: by is the agent that merged it, "" where none is
// named. The worktree stands for the agent that it was made for, or that showed its work for review. A task that failed, that another agent
// holds by now, or that a bug or a person blocks, stays as it is: its history keeps the merge, and stays is the reason.
func (s *Store) Merged(tx *registry.Tx, w worktree.Worktree, by string) (stays string, err error) {
	if w.ItemID == 0 {
		return "", nil
	}
	item, err := work.ByID(tx, w.ItemID)
	if err == nil {
		err = tx.In(item.ProjectID)
	}
	if err != nil || item.State == work.StateDone {
		return "", err
	}
	a, err := ask(tx, item, Caller{Agent: by})
	if err != nil {
		return "", err
	}
	event := a.event("its worktree was merged")
	if by == "" {
		event.Actor = actorMerge
	}
	if w.Agent == "" || a.agent.ID != a.last { // the call is made as the agent of the worktree
		if a.agent, err = known(tx, w.Agent); err != nil {
			return "", err
		}
	}
	if w.Agent == "" && a.lease.Held() { // the agent that showed the work was removed
		showed, err := registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM reviews WHERE worktree_id = ? AND agent_id = ?)`, w.ID, a.lease.AgentID))
		if err != nil {
			return "", err
		}
		if showed {
			a.agent.ID = a.lease.AgentID
		}
	}
	tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
	why, err := blockedWhy(tx, item)
	if err != nil {
		return "", err
	}
	if _, refusal := a.may(tx, toComplete); refusal != nil && why == "" {
		why = strings.Replace(fault.From(refusal).Message, fmt.Sprintf("task %q", item.Ref), "it", 1)
	}
	if why != "" {
		event.Field, event.New, event.Why = "merged", w.Branch, "not completed, since "+why
		stays = "stays open"
		if item.State == work.StateDropped {
			stays = "is not completed"
		}
		return fmt.Sprintf("task %s %s: %s", item.Ref, stays, why), work.Record(tx, item.ID, event)
	}
	return "", finish(tx, a, Report{Status: Completed, Result: MergedResult(w.Branch)}, event)
}

// MergedResult is the result of a task whose branch was merged.
func MergedResult(branch string) string { return "merged " + branch }
