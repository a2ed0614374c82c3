package assignment

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/land/tries"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Ways to finish a task.
const (
	Done      = "done"       // the work is in the worktree's commits
	NoChanges = "no_changes" // the task is done, and needed no commit
	Failed    = "failed"     // it cannot be done
	Released  = "released"   // another agent may continue it
)

// Outcomes are all ways to finish a task.
var Outcomes = []string{Done, NoChanges, Failed, Released}

// FinishRequest is an agent's request to finish a task.
type FinishRequest struct {
	task.Caller
	Repo     string // name or id; may be empty
	Worktree string // whatever names it; "" for the one that the agent has under way
	Here     bool   // without Worktree, first the one that the process stands in
	Outcome  string // Done when empty
	Commit   bool   // commit uncommitted files
	Message  string // of that commit; made from the task when empty
	Summary  string // what was done, or why not
	Doubt    string // why a person must look at it, where it waits for review
	Land     string // one of LandModes; the repository's setting when empty
	Asker    land.Asker
	// TokenOf is the token of the claim that the caller's MCP session made on a
	// task; nil outside of one.
	TokenOf func(taskID string) int64
	// Waiting and Running are called as in land.Request, with what is ahead in the queue and with each command of the gate; may be nil.
	Waiting func(ahead []land.Landing)
	Running func(command string)
}

// State is the state of the work once its agent has finished it.
type State string

// The states.
const (
	Landed   State = "landed"
	InReview State = "in review"
	Proposed State = "pull request" // which its forge merges
	Kept     State = "kept"         // unchanged, in its worktree
	Removed  State = "removed"      // there was none, and the worktree is in the trash
)

// Finished is the result of finishing.
type Finished struct {
	State     State   `json:"state"`
	Task      *Task   `json:"task,omitempty"` // the worktree's task, if it has one
	Worktree  Tree    `json:"worktree"`
	Commit    string  `json:"commit,omitempty"`    // that landed, else the worktree's
	Committed string  `json:"committed,omitempty"` // the commit that this call made
	Changes   Changes `json:"changes"`
	Gate      string  `json:"gate,omitempty"` // "passed"; "" where none ran
	Session   string  `json:"session_id,omitempty"`
	Repeated  bool    `json:"repeated,omitempty"` // it was finished before this call
	Pull      *Pull   `json:"pull,omitempty"`
	// Notes name failures that did not stop it.
	Notes []string `json:"notes,omitempty"`

	ProjectID int64  `json:"-"`
	Agent     string `json:"-"`
	Land      string `json:"-"` // the setting of how work lands, which a request may have overridden
}

// Task is the task that was finished.
type Task struct {
	ID        string   `json:"id"`
	Status    string   `json:"status"`
	Unblocked []string `json:"unblocked,omitempty"` // tasks that waited for this one and are ready now
}

// Tree is the worktree of the work.
type Tree struct {
	ID     string `json:"worktree_id"`
	Repo   string `json:"repo"`
	Branch string `json:"branch"`
	Into   string `json:"into"` // the default branch
}

// Pull is the pull request that proposes the work.
type Pull struct {
	Number int64  `json:"number"`
	URL    string `json:"url"`
	Stands string `json:"stands"` // as "pull request #12 waits for checks"
	New    bool   `json:"new"`    // it was opened now
}

// Changes are how much the work changes since it left the default branch.
type Changes struct {
	Files      int `json:"files"`
	Insertions int `json:"insertions"`
	Deletions  int `json:"deletions"`
}

// finish is one finish in progress.
type finish struct {
	*Store
	q       FinishRequest
	r       repo.Repo
	w       worktree.Worktree
	set     worktree.Settings
	at      state
	last    review.Review   // of the worktree, the zero one when there was none
	found   *worktree.Found // the worktree as it was when its decisions were checked, to land it
	session string          // open, on the task
	holding task.Holding    // of the task, for the agent that was named
	owed    agent.Agent     // whose sign of life this call is still to be stored as; the zero one for none
	checked bool            // the decisions were looked at
	against error           // what they say against finishing, once they were
	tip     string          // the commit that landed
	sent    bool            // the branch may be at a remote
	claimed bool            // the call took the task from the queue, and may still be refused
	out     Finished
}

// Finish ends an agent's work on a task. It refuses uncommitted work and names it, unless the request is to commit it. Then the work lands
// or is left for review, as configured, the session ends, and the task is reported. A refusal changes nothing but that commit. Finishing
// finished work again is not an error and changes nothing.
func (s *Store) Finish(ctx context.Context, q FinishRequest) (out Finished, err error) {
	if err := q.check(); err != nil {
		return out, err
	}
	f := &finish{Store: s, q: q}
	defer func() {
		if !f.sent {
			err = s.Trees.Undo(ctx, f.w, err)
		}
	}()
	if err := f.find(ctx); err != nil {
		return out, err
	}
	if !f.w.Status.Live() {
		return f.again(ctx)
	}
	switch q.Outcome {
	case Failed, Released:
		return f.stop(ctx)
	case NoChanges:
		return f.nothing(ctx)
	}
	if err := f.begun(ctx); err != nil {
		return out, err
	}
	defer func() {
		if err != nil && f.claimed {
			_, back := f.report(context.WithoutCancel(ctx), task.Report{Status: task.Pending, Why: "its finish was refused"})
			err = errors.Join(err, back)
		}
	}()
	defer func() { err = cmp.Or(err, f.alive(context.WithoutCancel(ctx))) }()
	if f.at, err = s.inspect(ctx, f.r, f.w); err != nil {
		return out, err
	}
	if err := f.at.refuse(ctx, f.w, q.Commit); err != nil {
		return out, err
	}
	if err := f.save(ctx); err != nil {
		return out, err
	}
	none, err := checkout.NothingDone(ctx, f.at.main, f.w.Branch, f.w.Base, f.at.head.OID, f.at.target)
	if err != nil {
		return out, err
	}
	if none {
		return out, worktree.Conflictf(f.w, "worktree %q has no commits, so there is nothing to finish", f.w.Ref).
			WithHint("commit the work in %q; where nothing had to change, report it: `agit finish --no-changes --summary WHY`", f.w.Path)
	}
	if !f.checked {
		f.against = f.DB.Read(ctx, f.decidedIn)
	}
	if f.against != nil {
		return out, f.against
	}
	if err := f.branched(ctx); err != nil {
		return out, err
	}
	f.claimed = false // it is in the caller's hands from here on
	switch f.mode() {
	case worktree.LandGate:
		return f.land(ctx)
	case worktree.LandPR:
		return f.propose(ctx)
	}
	return f.show(ctx)
}

// save commits the uncommitted files of the worktree.
func (f *finish) save(ctx context.Context) error {
	if len(f.at.dirty()) == 0 {
		return nil
	}
	if err := f.branched(ctx); err != nil {
		return err
	}
	before := f.at.head.OID
	commit := func() error { return f.Store.commit(ctx, &f.at, f.w, message(f.w, f.q.Message, f.q.Summary)) }
	err := f.Landings.Committing(ctx, f.w, commit, func(tx *registry.Tx) error {
		f.checked, f.against = true, f.decidedIn(tx)
		return nil
	})
	if err == nil && f.at.head.OID != before { // what was staged may be undone by now
		f.out.Committed = f.at.head.OID
	}
	return err
}

// branched makes a branch in a worktree on none, whose work is to be committed or to land.
func (f *finish) branched(ctx context.Context) (err error) {
	f.w, err = f.Trees.Branched(ctx, f.at.main, f.r, f.w)
	f.out.Worktree.Branch = f.w.Branch
	return err
}

// decidedIn checks the decisions that a person has made, or must make.
func (f *finish) decidedIn(tx *registry.Tx) error {
	return tx.Together(
		func() error { return f.answered(tx) },
		func() error { // a person chooses among several tries of a task, whoever finishes one
			all, _, err := tries.In(tx, f.w.ID)
			if len(all) > 0 {
				f.q.Land = worktree.LandReview
			}
			return err
		},
		func() error {
			if !f.w.Row() || f.w.Foreign() {
				return nil
			}
			found, err := worktree.FoundByRef(tx, f.w.Ref)
			f.found = &found
			return err
		},
	)
}

// mode returns what happens to the work: one of LandModes.
func (f *finish) mode() string { return cmp.Or(f.q.Land, f.set.Land) }

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
		return fault.Validation("summary", "a task is not finished as %s without a reason", q.Outcome).WithHint("give one with --summary WHY")
	}
	return CheckLand(q.Land)
}

// LandModes are the possible ends of finished work.
var LandModes = []string{worktree.LandNever, worktree.LandReview, worktree.LandGate, worktree.LandPR}

// CheckLand refuses a mode that is neither one of LandModes nor "", which means the repository's setting.
func CheckLand(mode string) error {
	if mode == "" || slices.Contains(LandModes, mode) {
		return nil
	}
	return fault.Validation("land", "%q is not a way to land", mode).WithHint("use never, review, gate or pr")
}

// begun reports the worktree's task as in progress. Where it is that already, only the sign of life of its agent is to be stored, which goes
// along with what the call stores next.
func (f *finish) begun(ctx context.Context) error {
	if f.w.TaskID == "" || !f.holding.Begun(f.q.Caller) {
		_, err := f.report(ctx, task.Report{Status: task.InProgress})
		return err
	}
	f.owed, f.out.Task.Status = f.holding.Agent, task.InProgress
	return nil
}

// alive stores the sign of life that is owed.
func (f *finish) alive(ctx context.Context) error {
	if f.owed.ID == 0 {
		return nil
	}
	err := f.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error { return agent.Alive(tx, f.owed) })
	if err == nil {
		f.owed = agent.Agent{}
	}
	return err
}

// ask leaves the work for review, after the sign of life: its agent is idle from then on.
func (f *finish) ask(ctx context.Context, a review.Asked) (review.Review, error) {
	if err := f.alive(ctx); err != nil {
		return review.Review{}, err
	}
	return f.Reviews.Ask(ctx, a)
}

// report moves the worktree's task to the status of a report, as the caller; same means that it had the status already, and stays as it is.
func (f *finish) report(ctx context.Context, r task.Report) (same bool, err error) {
	if f.w.TaskID == "" {
		return false, nil
	}
	r.Caller, r.ID = f.q.Caller, f.w.TaskID
	err = f.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		done, err := f.Tasks.ReportIn(tx, r)
		same, f.out.Task.Status = done.Same, done.Task.Status
		f.claimed = done.Before == task.Pending && r.Status == task.InProgress
		return err
	})
	if err == nil {
		f.owed = agent.Agent{}
	}
	return same, err
}

// saveHalf commits the uncommitted files of work that is not done, if the request is to commit them.
func (f *finish) saveHalf(ctx context.Context) (err error) {
	if !f.q.Commit || !f.w.Status.Live() {
		return nil
	}
	if f.at, err = f.inspect(ctx, f.r, f.w); err != nil {
		return err
	}
	if err := f.at.refuse(ctx, f.w, true); err != nil || len(f.at.dirty()) == 0 {
		return err
	}
	if err := f.begun(ctx); err != nil { // the task is not the caller's
		return err
	}
	return f.save(ctx)
}

// stop reports a task as failed, or returns it to the queue. Its worktree stays for the next agent or person.
func (f *finish) stop(ctx context.Context) (out Finished, err error) {
	if err := f.saveHalf(ctx); err != nil {
		return out, err
	}
	r, outcome := task.Report{Status: task.Failed, Why: f.q.Summary, Result: f.q.Summary}, "failed"
	if f.q.Outcome == Released {
		r, outcome = task.Report{Status: task.Pending, Why: f.q.Summary}, "blocked"
	}
	if f.out.Repeated, err = f.report(ctx, r); err != nil {
		return f.out, err
	}
	f.endSession(ctx, outcome)
	f.out.State = Kept
	if f.at.tree == nil && f.w.Status.Live() {
		if f.at, err = f.inspect(ctx, f.r, f.w); err != nil {
			return f.out, nil //nolint:nilerr // of a folder that is gone no numbers are known
		}
	}
	if f.at.tree != nil {
		err = f.measure(ctx)
	}
	return f.out, err
}

// nothing completes a task that needed no commit, and refuses one with commits or uncommitted files. It removes the worktree, which holds
// nothing, unless others made it or something stands in the way.
func (f *finish) nothing(ctx context.Context) (out Finished, err error) {
	if f.at, err = f.inspect(ctx, f.r, f.w); err != nil {
		return out, err
	}
	if err := f.at.refuse(ctx, f.w, true); err != nil {
		return out, err
	}
	work, err := f.at.commits(ctx, f.w)
	if err != nil {
		return f.out, err
	}
	if work = append(work, f.at.dirty()...); len(work) > 0 {
		return f.out, worktree.Conflictf(f.w, "worktree %q holds work, so that its task is not one that needed no change: %s", f.w.Ref, text.Few(work)).
			WithHint("leave out --no-changes to finish with that; move or ignore files that do not belong to the task")
	}
	if f.out.Repeated, err = f.report(ctx, task.Report{Status: task.Completed, Result: f.q.Summary}); err != nil {
		return f.out, err
	}
	f.endSession(ctx, "success")
	f.out.State = Kept
	if left := f.w.Left(); left != "" {
		f.out.Notes = append(f.out.Notes, "the worktree stays: "+left)
	} else if _, err := f.Removals.Remove(ctx, remove.Request{Repo: f.r.UID, Worktree: f.w.Ref, By: f.w.Agent}); err != nil {
		f.out.Notes = append(f.out.Notes, fault.From(err).Message)
	} else {
		f.out.State = Removed
	}
	return f.out, f.unblocked(ctx)
}

// endSession ends the session that was opened for the task.
func (f *finish) endSession(ctx context.Context, outcome string) {
	e := ended{id: f.session, folder: f.w.Path, outcome: outcome, summary: f.q.Summary}
	if f.out.State == Landed || !f.w.Status.Live() { // and its folder is in the trash
		e.folder, e.tip = f.r.Path, f.tip
	}
	f.out.Notes = append(f.out.Notes, f.Store.endSession(ctx, e)...)
}

// unblocked loads the task's status, and the tasks that can begin now that it is done.
func (f *finish) unblocked(ctx context.Context) error {
	if f.w.ItemID == 0 {
		return nil
	}
	return f.DB.Read(ctx, func(tx *registry.Tx) error { return f.out.Task.load(tx, f.w.ItemID) })
}

// load reads the task's status, and the tasks that it freed when it is done.
func (t *Task) load(tx *registry.Tx, itemID int64) error {
	item, err := work.ByID(tx, itemID)
	if err != nil {
		return err
	}
	if t.Status = item.Status; t.Status != task.Completed {
		return nil
	}
	t.Unblocked, err = work.FreedBy(tx, item)
	return err
}
