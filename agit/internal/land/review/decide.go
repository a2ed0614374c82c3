package review

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/tries"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// Asked describes work to show for review.
type Asked struct {
	Worktree   worktree.Worktree
	Tip        string // its commit
	Onto       string // the default branch's commit that the gate merged it with
	Summary    string // the agent's description of it
	Doubt      string // one line on why it did not land by itself, for the person who decides; usually empty
	Gate       string // "passed", or "" where none is configured
	GateLog    string
	Files      int
	Insertions int
	Deletions  int
}

// Ask puts a worktree's work up for review. When the worktree waits already, Ask updates its review to the present commit, so that a
// repeated call asks once. Its agent is idle from then on, unless it holds another task.
func (s *Store) Ask(ctx context.Context, a Asked) (v Review, err error) {
	err = s.DB.WriteThenRead(ctx, registry.Scope{Project: a.Worktree.ProjectID}, func(tx *registry.Tx) error { return AskIn(tx, a) },
		func(tx *registry.Tx) error {
			v, _, err = Last(tx, a.Worktree.ID)
			return err
		})
	return v, err
}

// AskIn is Ask inside a transaction of the caller's.
func AskIn(tx *registry.Tx, a Asked) (err error) {
	if a.Summary == "" { // what the worktree waits with stays: its summary, and its doubt as long as that is about the same commit
		was, _, err := Last(tx, a.Worktree.ID)
		if err != nil {
			return err
		}
		if was.State == Waiting {
			a.Summary = was.Summary
			if was.Tip == a.Tip {
				a.Doubt = cmp.Or(a.Doubt, was.Doubt)
			}
		}
	}
	if a.Summary, err = text.Body("summary", withDoubt(a.Doubt, a.Summary)); err != nil {
		return err
	}
	w := a.Worktree
	// A task with tries waits once all of these have ended.
	err = tx.Do(`INSERT INTO reviews (uid, project_id, worktree_id, item_id, agent_id, state, tip_oid, onto_oid, summary, gate, gate_log, files, insertions, deletions, asked_at)
		VALUES (?, ?, ?, CASE WHEN `+tries.Underway+` THEN NULL ELSE CAST(? AS BIGINT) END, ?, 'waiting', ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (worktree_id) WHERE state = 'waiting' DO UPDATE SET tip_oid = excluded.tip_oid, onto_oid = excluded.onto_oid,
		  summary = excluded.summary, gate = excluded.gate, gate_log = excluded.gate_log,
		  files = excluded.files, insertions = excluded.insertions, deletions = excluded.deletions`,
		registry.NewUID(), w.ProjectID, w.ID, w.ID, registry.NullIfZero(w.ItemID), registry.NullIfZero(w.AgentID), a.Tip, a.Onto, a.Summary, a.Gate, a.GateLog,
		a.Files, a.Insertions, a.Deletions, tx.Time())
	if err != nil {
		return err
	}
	tx.Changed(registry.TopicWorktrees, w.ProjectID, w.Ref)
	return agent.IdleLater(tx, idle, w.AgentID)
}

// doubtHead begins a stored summary whose first paragraph is a doubt.
const doubtHead = "Waits for a person: "

// withDoubt returns a doubt and a summary as they are stored together, and cutDoubt both of what is stored.
func withDoubt(doubt, summary string) string {
	if doubt == "" {
		return summary
	}
	return doubtHead + doubt + "\n\n" + summary
}

func cutDoubt(stored string) (doubt, summary string) {
	rest, has := strings.CutPrefix(stored, doubtHead)
	if !has {
		return "", stored
	}
	doubt, summary, _ = strings.Cut(rest, "\n\n")
	return doubt, summary
}

// idle is the condition that an agent holds no task but those that wait for a review.
const idle = `id = ? AND NOT EXISTS (SELECT 1 FROM leases WHERE leases.agent_id = agents.id AND leases.item_id NOT IN (SELECT item_id FROM items_in_review))`

// Decision is a person's decision on a review.
type Decision struct {
	Repo     string // name or id; may be empty
	Worktree string // whatever names it
	By       string // the agent that decides; "" for a person
	Asker    land.Asker
	Seen     string // the commit that was looked at; "" takes what waits now
	Why      string // for a return: what must be changed
	Message  string // of the merge commit, when accepted; made when empty
	// Waiting and Running are called as in land.Request; may be nil.
	Waiting func(ahead []land.Landing)
	Running func(command string)
}

// Message returns the message of the commit that lands work: its branch, its task, and its agent's summary. It returns "" without a
// summary, and then the landing makes the message.
func Message(branch, task, summary string) string {
	if summary == "" {
		return ""
	}
	said := fmt.Sprintf("Merge branch '%s'", branch)
	if task = text.FirstLine(task, text.MaxName); task != "" {
		said += "\n\n" + task
	}
	return said + "\n\n" + summary
}

func (d Decision) who() string { return cmp.Or(d.By, "person") }

// get finds the newest review of the worktree that a caller names.
func (s *Store) get(tx *registry.Tx, repoName, ref string) (Review, worktree.Worktree, error) {
	_, w, err := s.Trees.Find(tx, repoName, ref, false)
	if err != nil {
		return Review{}, w, err
	}
	v, ok, err := Last(tx, w.ID)
	if err == nil && !ok {
		err = notShown(w)
	}
	return v, w, err
}

// notShown returns the fault for a worktree that was never shown, with its state and how to get it reviewed.
func notShown(w worktree.Worktree) error {
	f := fault.NotFound("review", w.Ref)
	whose := ""
	if w.Agent != "" {
		whose = " by " + w.Agent
	}
	if !w.Status.Live() {
		f.Message = fmt.Sprintf("the work in worktree %q was not shown for review, and the worktree is %s", w.Ref, w.Status)
		return f.WithHint("`agit review` lists what waits")
	}
	f.Message = fmt.Sprintf("the work in worktree %q is not finished%s, so that nothing of it waits for review", w.Ref, whose)
	return f.WithHint("`agit finish %s` shows it, `agit diff %s` what it holds so far", text.ShellWord(w.Ref), text.ShellWord(w.Ref))
}

// waits refuses to decide a review that is decided already, or whose commit is not the one that was looked at.
func (v Review) waits(verb, seen string) error {
	if v.State == Waiting {
		if seen == "" || seen == v.Tip {
			return nil
		}
		return fault.Conflict("review", v.Worktree, "the work in worktree %q was shown anew since you looked at it, and was not %s", v.Worktree, verb).
			WithHint("`agit review %s` shows what waits now", v.Worktree)
	}
	return fault.Conflict("review", v.Worktree, "the review of worktree %q was %s already, and cannot be %s", v.Worktree, v.State, verb).
		WithHint("`agit review` lists what waits")
}

// enter refuses to land work whose review was decided, or that was shown anew, since it was read. It chooses a try among several, and
// returns the review as it is by then.
func enter(tx *registry.Tx, v Review) (Review, error) {
	now, _, err := Last(tx, v.WorktreeID)
	if err == nil {
		err = now.waits("accepted", v.Tip)
	}
	if err == nil {
		err = choose(tx, now)
	}
	if err == nil {
		now, _, err = Last(tx, v.WorktreeID)
	}
	return now, err
}

// notLanding refuses to return work that is on its way into a branch, or is in one.
func notLanding(tx *registry.Tx, v Review) error {
	l, err := land.Last(tx, v.WorktreeID)
	switch {
	case err != nil || l == nil:
		return err
	case !l.State.Over():
		return fault.Conflict("review", v.Worktree, "the work in worktree %q is being landed, and was not returned", v.Worktree).
			WithHint("`agit queue` shows how far it is").Retry()
	case l.State == land.Landed && l.Tip == v.Tip:
		return fault.Conflict("review", v.Worktree, "the work in worktree %q landed already, and cannot be returned", v.Worktree).
			WithHint("`agit review %s --accept` ends its review", v.Worktree)
	}
	return nil
}

// mayDecide refuses a decision that is reserved for a person.
func (s *Store) mayDecide(ctx context.Context, d Decision, w worktree.Worktree, what string) error {
	if d.Asker.Person() {
		return nil
	}
	r, err := s.repoOf(ctx, w)
	if err != nil {
		return err
	}
	return land.MayDecide(d.Asker, s.Trees.Settings(r), w, what)
}

// repoOf returns the repository of a worktree by its id: repositories of several machines may share a name.
func (s *Store) repoOf(ctx context.Context, w worktree.Worktree) (repo.Repo, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (repo.Repo, error) { return repo.ByID(tx, w.RepoID) })
}

// Accept lands the work that waits for review, as it was shown: later commits stay in the worktree. After a failure nothing is
// changed, and the review goes on waiting. Repeating it is not an error.
func (s *Store) Accept(ctx context.Context, d Decision) (v Review, merged land.Merged, err error) {
	var w worktree.Worktree
	if err = s.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		v, w, err = s.get(tx, d.Repo, d.Worktree)
		return err
	}); err != nil {
		return v, merged, err
	}
	if v.State != Accepted {
		if err := v.waits("accepted", d.Seen); err != nil {
			return v, merged, err
		}
		if err := s.mayDecide(ctx, d, w, "accepted"); err != nil {
			return v, merged, err
		}
		if merged, err = s.Landings.Land(ctx, land.Request{Repo: w.Repo, Worktree: w.Ref, By: d.By, Asker: d.Asker, Tip: v.Tip, Shown: true,
			Message: cmp.Or(d.Message, Message(v.Branch, v.Task, v.Summary)), Enter: func(tx *registry.Tx) (err error) { v, err = enter(tx, v); return err }, Waiting: d.Waiting, Running: d.Running}); err != nil {
			if now, failed := s.Get(ctx, w.Repo, w.Ref); failed != nil || now.State != Accepted {
				return v, merged, err
			}
			merged = land.Merged{} // another call landed it meanwhile; or a killed one had, and this landing began by finishing that
		}
	}
	err = s.DB.Write(ctx, registry.Scope{Project: v.ProjectID}, func(tx *registry.Tx) error {
		if merged.Commit == "" {
			landed, err := land.Last(tx, w.ID)
			if err != nil {
				return err
			}
			merged = land.Merged{Worktree: w, Commit: v.Merged, Removed: true}
			if landed != nil {
				merged.Commit = cmp.Or(v.Merged, landed.Commit)
			}
		}
		if err := s.Tasks.SayResult(tx, v.ItemID, task.MergedResult(v.Branch), v.Summary); err != nil {
			return err
		}
		err := tx.Do(`UPDATE reviews SET state = 'accepted', merged_oid = CASE WHEN ? <> '' THEN ? ELSE merged_oid END, decided_at = ?, decided_by = ?
			WHERE id = ? AND state = 'waiting' AND tip_oid = ?`, merged.Commit, merged.Commit, tx.Stamp(), d.who(), v.ID, v.Tip)
		if err != nil {
			return err
		}
		v, _, err = Last(tx, w.ID)
		return err
	})
	if err == nil && v.State == Accepted {
		v.Discarded, err = s.discard(ctx, w)
	}
	return v, merged, err
}

// Return returns the work with the changes that a person wants. The worktree stays as it is. Its agent keeps the task and gets the words
// with its next brief; when the agent was not heard of for staleAfter, the task goes back into the queue.
func (s *Store) Return(ctx context.Context, d Decision, staleAfter time.Duration) (v Review, err error) {
	if d.Why, err = text.Body("why", d.Why); err != nil {
		return v, err
	}
	if d.Why == "" {
		return v, fault.Validation("why", "a returned review needs words on what to change").
			WithHint("write it: --return \"the retry needs a test\"")
	}
	var w worktree.Worktree
	if err = s.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		_, w, err = s.get(tx, d.Repo, d.Worktree)
		return err
	}); err != nil {
		return v, err
	}
	if err := s.mayDecide(ctx, d, w, "returned"); err != nil {
		return v, err
	}
	r, err := s.repoOf(ctx, w)
	if err == nil {
		err = s.Landings.ClearAbandoned(ctx, r)
	}
	if err != nil {
		return v, err
	}
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		if v, _, err = s.get(tx, d.Repo, d.Worktree); err != nil {
			return err
		}
		if v.State == Returned && v.Why == d.Why {
			return nil // returned with these words already
		}
		if err := v.waits("returned", d.Seen); err != nil {
			return err
		}
		if err := notLanding(tx, v); err != nil {
			return err
		}
		if err := tx.In(v.ProjectID); err != nil {
			return err
		}
		if err := giveBack(tx, v, d.who(), d.Why, staleAfter); err != nil {
			return err
		}
		v, _, err = Last(tx, v.WorktreeID)
		return err
	})
	return v, err
}

// giveBack returns a waiting review.
func giveBack(tx *registry.Tx, v Review, by, why string, staleAfter time.Duration) error {
	if err := tx.Do(`UPDATE reviews SET state = 'returned', decided_at = ?, decided_by = ?, why = ? WHERE id = ? AND state = 'waiting'`,
		tx.Stamp(), by, why, v.ID); err != nil {
		return err
	}
	v.Why = why
	v, waits, err := passOn(tx, v)
	if err == nil && v.ItemID != 0 {
		tx.Changed(registry.TopicTasks, v.ProjectID, v.TaskID)
		err = work.Record(tx, v.ItemID, work.Event{Actor: by, Field: "review", Old: string(Waiting), New: string(Returned), Why: v.Why,
			Epoch: work.PresentEpoch})
	}
	if err == nil && v.ItemID != 0 && !waits {
		err = putBack(tx, v, by, staleAfter)
	}
	if err != nil {
		return err
	}
	tx.Changed(registry.TopicWorktrees, v.ProjectID, v.Worktree)
	return nil
}

// putBack returns the task of a returned review to the queue when its agent is gone.
func putBack(tx *registry.Tx, v Review, by string, staleAfter time.Duration) error {
	held, err := lease.Get(tx, v.ItemID)
	if err != nil || !held.Held() {
		return err
	}
	awake, err := registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM agents WHERE id = ? AND removed_at IS NULL AND last_seen_at >= ?)`,
		held.AgentID, registry.FormatTime(tx.Now().Add(-staleAfter))))
	if err != nil || awake {
		return err
	}
	return task.PutBack(tx, v.ItemID, by, "its review was returned while its agent was silent")
}
