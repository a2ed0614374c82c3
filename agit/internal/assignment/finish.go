package assignment

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/remove"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/review"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// How a task is finished.
const (
	Done      = "done"       // the work is in the worktree's commits
	NoChanges = "no_changes" // the task is done, and needed no commit
	Failed    = "failed"     // it cannot be done
	Released  = "released"   // another may go on with it
)

// Outcomes are all ways to finish a task.
var Outcomes = []string{Done, NoChanges, Failed, Released}

// FinishRequest is an agent that is done with a task.
type FinishRequest struct {
	task.Caller
	Repo     string // name or id; may be empty
	Worktree string // whatever names it; "" for the one that the agent has under way
	Outcome  string // Done when empty
	Commit   bool   // commit what is not committed
	Message  string // of that commit; made of the task when empty
	Summary  string // what was done, or why not
	Land     string // "never", "review" or "gate"; the repository's setting when empty
	// TokenOf is the token of the claim that the caller's MCP session made on a
	// task; nil outside of one.
	TokenOf func(taskID string) int64
	// Waiting and Running are told what Land tells: what is ahead in the queue, and each command of the gate; may be nil.
	Waiting func(ahead []land.Landing)
	Running func(command string)
}

// State is where the work is once its agent is done with it.
type State string

// The states.
const (
	Landed   State = "landed"
	InReview State = "in review"
	Kept     State = "kept" // as it is, in its worktree
)

// Finished is what finishing did.
type Finished struct {
	State     State   `json:"state"`
	Task      *Task   `json:"task,omitempty"` // of the worktree, where it has one
	Worktree  Tree    `json:"worktree"`
	Commit    string  `json:"commit,omitempty"`    // that landed, else the worktree's
	Committed string  `json:"committed,omitempty"` // the commit that this call made
	Changes   Changes `json:"changes"`
	Gate      string  `json:"gate,omitempty"` // "passed"; "" where none ran
	Session   string  `json:"session_id,omitempty"`
	Repeated  bool    `json:"repeated,omitempty"` // it was finished before this call
	// Notes say what did not go as it should, without standing in the way.
	Notes []string `json:"notes,omitempty"`

	ProjectID int64  `json:"-"`
	Agent     string `json:"-"`
}

// Task is the task that was finished.
type Task struct {
	ID        string   `json:"id"`
	Status    string   `json:"status"`
	Unblocked []string `json:"unblocked,omitempty"` // tasks that waited for this one and are ready now
}

// Tree is where the work was done.
type Tree struct {
	ID     string `json:"worktree_id"`
	Repo   string `json:"repo"`
	Branch string `json:"branch"`
	Into   string `json:"into"` // the default branch
}

// Changes are how much the work changes since it left the default branch.
type Changes struct {
	Files      int `json:"files"`
	Insertions int `json:"insertions"`
	Deletions  int `json:"deletions"`
}

// finishing is one finish on its way.
type finishing struct {
	*Store
	q       FinishRequest
	r       repo.Repo
	w       worktree.Worktree
	set     worktree.Settings
	at      state
	session string // open, on the task
	tip     string // the commit that landed
	out     Finished
}

// Finish ends an agent's work on a task. Uncommitted work is refused, naming it, unless it is to be committed; then the work lands or
// is left for review, as configured, the session ends, and the task is reported. A refusal changes nothing but that commit. Finishing
// again what is finished is not an error and changes nothing.
func (s *Store) Finish(ctx context.Context, q FinishRequest) (out Finished, err error) {
	if err := q.check(); err != nil {
		return out, err
	}
	f := &finishing{Store: s, q: q}
	if err := f.find(ctx); err != nil {
		return out, err
	}
	if !f.w.Status.Live() {
		return f.again(ctx)
	}
	if err := f.report(ctx, task.InProgress, ""); err != nil {
		return out, err
	}
	if q.Outcome == Failed || q.Outcome == Released {
		return f.stop(ctx)
	}
	if f.at, err = s.inspect(ctx, f.r, f.w); err != nil {
		return out, err
	}
	if err := f.at.refuse(ctx, f.w, q.Commit); err != nil {
		return out, err
	}
	if len(f.at.dirty()) > 0 {
		if err := f.at.commit(ctx, f.w, message(f.w, q.Message, q.Summary)); err != nil {
			return out, err
		}
		f.out.Committed = f.at.head.OID
	}
	switch {
	case f.at.head.OID == f.w.Base && q.Outcome == NoChanges:
		return f.nothing(ctx)
	case f.at.head.OID == f.w.Base:
		return out, refuseNothing(f.w)
	case f.mode() == "gate":
		return f.land(ctx)
	}
	return f.show(ctx)
}

// mode is what happens to the work: "never", "review" or "gate".
func (f *finishing) mode() string { return cmp.Or(f.q.Land, f.set.Land) }

func (q *FinishRequest) check() (err error) {
	q.Outcome = cmp.Or(q.Outcome, Done)
	if !slices.Contains(Outcomes, q.Outcome) {
		return fault.Validation("status", "a task is not finished as %q", q.Outcome).WithHint("use done, no_changes, failed or released")
	}
	if q.Summary, err = text.Body("summary", q.Summary); err != nil {
		return err
	}
	if q.Message, err = text.Body("message", q.Message); err != nil {
		return err
	}
	if q.Summary == "" && q.Outcome != Done {
		return fault.Validation("summary", "a task is not finished as %s without saying why", q.Outcome).WithHint("say it in the summary")
	}
	if q.Land != "" && !slices.Contains([]string{"never", "review", "gate"}, q.Land) {
		return fault.Validation("land", "%q is not a way to land", q.Land).WithHint("use never, review or gate")
	}
	return nil
}

// find finds the worktree, its repository, and the session that is open on its task.
func (f *finishing) find(ctx context.Context) error {
	err := f.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		if f.q.Worktree == "" {
			if f.q.Worktree, err = f.underWay(tx); err != nil {
				return err
			}
		}
		if f.r, f.w, err = f.Trees.Find(tx, f.q.Repo, f.q.Worktree, false); err != nil {
			return err
		}
		if f.w.ItemID != 0 && f.w.AgentID != 0 {
			f.session, err = openSession(tx, f.w.ProjectID, f.w.AgentID, f.w.ItemID)
		}
		return err
	})
	if err != nil {
		return err
	}
	if f.w.Status.Live() { // and mends what was cut off, such as a landing that was as good as done
		_, w, _, err := f.Trees.Open(ctx, f.r.UID, f.w.Ref)
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
	f.set = f.Trees.Settings(f.r)
	f.out = Finished{Worktree: Tree{f.w.Ref, f.r.Name, f.w.Branch, f.set.DefaultBranch}, Session: f.session,
		ProjectID: f.w.ProjectID, Agent: cmp.Or(f.w.Agent, f.q.Agent)}
	if f.w.TaskID != "" {
		f.out.Task = &Task{ID: f.w.TaskID}
	}
	return nil
}

// underWay is the worktree that the agent works in: that of a task it holds, else the one it finished last.
func (f *finishing) underWay(tx *registry.Tx) (string, error) {
	name := cmp.Or(f.q.Agent, f.q.Client)
	if name == "" {
		return "", fault.Validation("worktree_id", "no worktree was named, and no agent whose it is").WithHint("name one of `agit status`, or the agent")
	}
	a, err := agent.Get(tx, name)
	if err != nil {
		return "", err
	}
	refs, err := registry.Collect(tx, registry.One[string], `SELECT w.ref FROM worktrees w JOIN leases l ON l.item_id = w.item_id AND l.agent_id = w.agent_id
		WHERE w.agent_id = ? AND w.status NOT IN ('completed', 'trashed') AND w.item_id NOT IN (SELECT item_id FROM items_in_review) ORDER BY w.id`, a.ID)
	switch {
	case err != nil:
		return "", err
	case len(refs) == 1:
		return refs[0], nil
	case len(refs) > 1:
		return "", fault.Validation("worktree_id", "agent %q has %d worktrees under way: %s", a.Name, len(refs), text.Few(refs)).WithHint("name the one that is finished")
	}
	last, err := registry.One[string](tx.QueryRow(`SELECT w.ref FROM worktrees w WHERE w.agent_id = ? AND w.item_id IS NOT NULL
		AND (w.status = 'completed' OR w.status = 'trashed' AND (SELECT status FROM items WHERE items.id = w.item_id) = 'completed'
		  OR w.item_id IN (SELECT item_id FROM items_in_review)) ORDER BY w.updated_at DESC, w.id DESC LIMIT 1`, a.ID))
	if registry.NoRows(err) {
		none := fault.NotFound("worktree", a.Name)
		none.Message = fmt.Sprintf("agent %q has no task under way", a.Name)
		return "", none.WithHint("`agit begin` takes the next one")
	}
	return last, err
}

// report moves the worktree's task, as the caller, unless that has it so already.
func (f *finishing) report(ctx context.Context, status, result string) error {
	if f.w.TaskID == "" {
		return nil
	}
	t, err := f.Tasks.Report(ctx, task.Report{Caller: f.q.Caller, ID: f.w.TaskID, Status: status, Result: result})
	if err == nil {
		f.out.Task.Status = t.Status
	}
	return err
}

// stop gives a task up or back. Its worktree stays for whoever goes on, or looks.
func (f *finishing) stop(ctx context.Context) (Finished, error) {
	status, outcome := task.Failed, "failed"
	if f.q.Outcome == Released {
		status, outcome = task.Pending, "blocked"
	}
	f.endSession(ctx, outcome)
	r := task.Report{Caller: f.q.Caller, ID: f.w.TaskID, Status: status, Why: f.q.Summary}
	if status == task.Failed {
		r.Result = f.q.Summary
	}
	if f.w.TaskID != "" {
		t, err := f.Tasks.Report(ctx, r)
		if err != nil {
			return f.out, err
		}
		f.out.Task.Status = t.Status
	}
	f.out.State = Kept
	return f.out, nil
}

// nothing completes a task that needed no commit. Its worktree, which holds nothing, goes unless something stands in the way.
func (f *finishing) nothing(ctx context.Context) (Finished, error) {
	if err := f.report(ctx, task.Completed, f.q.Summary); err != nil {
		return f.out, err
	}
	f.endSession(ctx, "success")
	f.out.State = Kept
	if _, err := f.Removals.Remove(ctx, remove.Request{Repo: f.r.UID, Worktree: f.w.Ref, By: f.w.Agent}); err != nil {
		f.out.Notes = append(f.out.Notes, fault.From(err).Message)
	}
	return f.out, f.unblocked(ctx)
}

// land merges the work into the default branch.
func (f *finishing) land(ctx context.Context) (Finished, error) {
	if err := f.measure(ctx); err != nil {
		return f.out, err
	}
	m, err := f.Landings.Land(ctx, f.request())
	if err != nil {
		return f.out, err
	}
	f.out.State, f.out.Commit, f.tip = Landed, m.Commit, f.at.head.OID
	if len(f.set.Gate) > 0 && m.Commit != "" {
		f.out.Gate = land.GatePassed
	}
	if m.TaskOpen != "" {
		f.out.Notes = append(f.out.Notes, m.TaskOpen)
	}
	for _, o := range m.Kept {
		f.out.Notes = append(f.out.Notes, "the worktree was kept: "+o.Text)
	}
	return f.landed(ctx)
}

// landed ends what is left after the work landed, by this call or an earlier one.
func (f *finishing) landed(ctx context.Context) (Finished, error) {
	if f.w.ItemID != 0 {
		err := f.DB.Write(ctx, registry.Scope{Project: f.w.ProjectID}, func(tx *registry.Tx) error {
			return f.Tasks.SayResult(tx, f.w.ItemID, task.MergedResult(f.w.Branch), f.q.Summary)
		})
		if err != nil {
			return f.out, err
		}
	}
	f.endSession(ctx, "success")
	return f.out, f.unblocked(ctx)
}

// request is the landing of what the worktree has now.
func (f *finishing) request() land.Request {
	return land.Request{Repo: f.r.UID, Worktree: f.w.Ref, By: f.w.Agent, Tip: f.at.head.OID, Message: review.Message(f.w.Branch, f.w.Task, f.q.Summary),
		Waiting: f.q.Waiting, Running: f.q.Running}
}

// show leaves the work for review, once the gate is green on what accepting it would make. What was shown before and is the same is
// not judged again.
func (f *finishing) show(ctx context.Context) (Finished, error) {
	if err := f.measure(ctx); err != nil {
		return f.out, err
	}
	f.out.State = InReview
	if f.mode() == "never" {
		f.out.State = Kept
	}
	v, err := f.shown(ctx)
	if err != nil {
		return f.out, err
	}
	if f.out.Repeated = v.ID != 0; !f.out.Repeated {
		a := review.Asked{Worktree: f.w, Tip: f.at.head.OID, Onto: f.at.target, Summary: f.q.Summary,
			Files: f.out.Changes.Files, Insertions: f.out.Changes.Insertions, Deletions: f.out.Changes.Deletions}
		if f.out.State == InReview {
			trial, err := f.Landings.Try(ctx, f.request())
			if err != nil {
				return f.out, err
			}
			a.Onto, a.Gate, a.GateLog = trial.IntoCommit, trial.GateResult, trial.Log
		}
		if v, err = f.Reviews.Ask(ctx, a); err != nil {
			return f.out, err
		}
	}
	f.out.Commit, f.out.Gate = v.Tip, v.Gate
	f.endSession(ctx, "success")
	return f.out, nil
}

// shown is the review that waits already and is of the same commits; the zero one when there is none.
func (f *finishing) shown(ctx context.Context) (v review.Review, err error) {
	err = f.DB.Read(ctx, func(tx *registry.Tx) error {
		last, ok, err := review.Last(tx, f.w.ID)
		if ok && last.State == review.Waiting && last.Tip == f.at.head.OID && last.Onto == f.at.target && (f.q.Summary == "" || f.q.Summary == last.Summary) {
			v = last
		}
		return err
	})
	return v, err
}

func (f *finishing) measure(ctx context.Context) (err error) {
	f.out.Changes, err = f.at.size(ctx)
	return err
}

// again answers for a worktree that was merged before, by a call whose answer was lost or by a person.
func (f *finishing) again(ctx context.Context) (Finished, error) {
	if err := f.unblocked(ctx); err != nil {
		return f.out, err
	}
	if f.w.Status != worktree.Completed && f.out.Task != nil && f.out.Task.Status == task.Completed {
		f.out.State, f.out.Repeated = Kept, true // it needed no commit
		return f.out, nil
	}
	if f.w.Status != worktree.Completed {
		return f.out, worktree.Conflictf(f.w, "worktree %q was removed without a merge", f.w.Ref).WithHint("`agit cleanup --restore %s` brings it back", f.w.Ref)
	}
	f.out.State, f.out.Repeated = Landed, true
	err := f.DB.Read(ctx, func(tx *registry.Tx) error {
		l, err := land.Last(tx, f.w.ID)
		if l != nil {
			f.out.Commit, f.out.Gate, f.tip = l.Commit, l.GateResult, l.Tip
		}
		return err
	})
	if err != nil {
		return f.out, err
	}
	return f.landed(ctx)
}

// endSession ends the session that was opened for the task.
func (f *finishing) endSession(ctx context.Context, outcome string) {
	e := ended{id: f.session, folder: f.w.Path, outcome: outcome, summary: f.q.Summary}
	if f.out.State == Landed { // and its folder is in the trash
		e.folder, e.tip = f.r.Path, f.tip
	}
	f.out.Notes = append(f.out.Notes, f.Store.endSession(ctx, e)...)
}

// unblocked says how the task stands now, and what can be begun since it is done.
func (f *finishing) unblocked(ctx context.Context) error {
	if f.w.ItemID == 0 {
		return nil
	}
	return f.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		if f.out.Task.Status, err = registry.One[string](tx.QueryRow(`SELECT status FROM items WHERE id = ?`, f.w.ItemID)); err != nil || f.out.Task.Status != task.Completed {
			return err
		}
		f.out.Task.Unblocked, err = registry.Collect(tx, registry.One[string], `SELECT t.ref FROM dependencies d JOIN items t ON t.id = d.target_id
			WHERE d.source_id = ? AND d.relation = 'blocks' AND t.kind = 'task' AND t.state = 'open' AND t.holds = 0 AND t.deleted_at IS NULL ORDER BY t.id`, f.w.ItemID)
		return err
	})
}
