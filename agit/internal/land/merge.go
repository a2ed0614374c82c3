// Package land brings worktrees' branches into another branch: it makes the commit on trees, lets the pre_merge hooks and the gate
// judge it in a checkout, moves the branch by compare-and-swap to exactly that, with the files of the places where it is checked out,
// and then has remove take the worktree away. It never touches a file with local changes. It alone writes `landings`, whose rows are
// the queue. docs/landing.md says why it goes as it goes.
//
// merge.go has Land and the order of the steps; landing.go has the rows and queue.go the turns that they give; prepare.go (with
// mergetree.go and, for squash and rebase, replay.go) makes the commit, and mergeconflict.go says who else changed the files
// in conflict; gate.go judges it, in a checkout that keptcheckout.go keeps or tempcheckout.go makes; batch.go lands with one those that
// wait behind it, which guests.go takes along; swap.go lets one process at a time move branches, and moves one, and remote.go
// one of a remote, by a push; aftermerge.go ends the merge. update.go goes the other way, try.go stops after the gate, trialgate.go
// says how a trial is judged, preview.go writes nothing. Files that follow the branch: follow.go brings them along, localchanges.go and
// writable.go refuse before that can fail, resume.go finishes it after a kill. sync.go makes it all outlive a power cut, recover.go
// mends what was cut off. A Store is safe for concurrent use by any number of processes.
package land

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Store merges the worktrees of one registry.
type Store struct {
	Trees    *worktree.Store
	Removals *remove.Store
	Wall     *wall.Wanted // that gates and the hooks before them run behind; nil without a wall
}

// Menders mend the merges that are cut off, and the removals that follow a merge (worktree.Operator); name them after those of remove.
func (s *Store) Menders() map[worktree.Operation]worktree.Mender {
	return map[worktree.Operation]worktree.Mender{worktree.OpMerge: s.mend, worktree.OpRemove: s.mendRemoval}
}

// journal holds what the recovery of a merge needs.
type journal struct {
	Before  worktree.Status `json:"before,omitempty"`  // status to go back to
	Target  string          `json:"target,omitempty"`  // full ref that it moves
	Old     string          `json:"old,omitempty"`     // its commit before
	New     string          `json:"new,omitempty"`     // and after
	Trees   []workingTree   `json:"trees,omitempty"`   // where it is checked out
	Scratch string          `json:"scratch,omitempty"` // temporary worktree
	Keep    bool            `json:"keep,omitempty"`    // leave the task as it is
	Remove  bool            `json:"remove,omitempty"`  // also a folder that others made
	Tip     string          `json:"tip,omitempty"`     // the worktree's commit that is merged
	Landing int64           `json:"landing,omitempty"` // its row in landings, 0 for none
	Update  bool            `json:"update,omitempty"`  // the default branch is merged into the worktree's, not the other way round
	Base    string          `json:"base,omitempty"`    // of an update: the commit that the worktree's own start from
	Run     string          `json:"run,omitempty"`     // the name of the run that the processes of its gate belong to
	Guest   bool            `json:"guest,omitempty"`   // another landing's process lands it, in a batch
	Commit  bool            `json:"commit,omitempty"`  // git makes a commit in the worktree, before anything lands
	Remote  string          `json:"remote,omitempty"`  // git's name of where the branch moves, by a push; "" for here
	Pushing bool            `json:"pushing,omitempty"` // New may have been pushed: the remote decides whether it landed
	Here    string          `json:"here,omitempty"`    // New was pushed, and the branch here is being moved from this commit to it
}

// branch returns the short name of the branch that it moves.
func (j journal) branch() string { return strings.TrimPrefix(j.Target, "refs/heads/") }

// Strategy is how commits are brought to another branch.
type Strategy string

// The strategies.
const (
	MergeCommit Strategy = "merge"  // a merge commit, which has both histories
	Squash      Strategy = "squash" // one commit of all
	Rebase      Strategy = "rebase" // each commit again, on top
)

// Request describes a worktree to merge into a branch.
type Request struct {
	Repo     string // name or id; may be empty
	Worktree string // whatever names it, see Find
	// Found is what Repo and Worktree name, when the caller has just read it; may be nil.
	Found    *worktree.Found
	By       string      // the agent that asks; may be empty
	Agent    agent.Agent // By, where the caller has just read it
	Asker    Asker       // the person or program that asks, where only a person decides
	Message  string      // of the merge commit; made when empty
	KeepTask bool        // leave the worktree's task as it is
	// Remove moves the worktree to the trash even when others made its folder, which stays otherwise.
	Remove bool
	// Into is the branch to merge into, the default branch when empty.
	Into string
	// Here lands it on the default branch even where work lands by pull requests.
	Here bool
	// Strategy is MergeCommit when empty.
	Strategy Strategy
	// Gate are the shell commands that must succeed on the merged state: the configured ones when nil, none when empty.
	Gate []string
	// Tip is the commit to land, which the branch must have; the branch's newest when empty. Exactly that commit lands, also when the
	// branch gets more meanwhile.
	Tip string
	// Shown means that Tip was shown for review, and that uncommitted files came later: they stay in the worktree.
	Shown bool
	// Enter is called in the transaction that asks for the landing, and decides it: its error refuses it. Without it, one of several tries of a
	// task is refused.
	Enter func(tx *registry.Tx) error
	// Waiting is called repeatedly with what is ahead in the queue; may be nil.
	Waiting func(ahead []Landing)
	// Running is called with each command of the gate that begins; may be nil.
	Running func(command string)
}

// Plain reports whether a request leaves out how and where to land.
func (r Request) Plain() bool {
	return r.Into == "" && r.Strategy == "" && r.Gate == nil && r.Message == "" && !r.KeepTask && !r.Remove && !r.Here
}

// caller returns the agent that asks, and refuses one that is removed; the zero agent when none is named.
func (r Request) caller(tx *registry.Tx) (agent.Agent, error) {
	switch {
	case r.Agent.ID != 0:
		return r.Agent, agent.Alive(tx, r.Agent)
	case r.By != "":
		return agent.Caller(tx, r.By)
	}
	return r.Agent, nil
}

// Merged is the result of a merge.
type Merged struct {
	Worktree     worktree.Worktree `json:"worktree"`
	Into         string            `json:"into"`             // the branch
	Commit       string            `json:"commit,omitempty"` // the merge commit; "" when all was there already
	FilesChanged int               `json:"files_changed"`
	Removed      bool              `json:"removed"`
	RestoreUntil *timestamp.Time   `json:"restore_until,omitempty"`
	// TaskOpen is why the worktree's task was not completed with it, in a sentence: a bug or a person blocks it, it failed before, or the
	// worktree was kept.
	TaskOpen string `json:"task_open,omitempty"`
	// Left is why the folder stays although all of it landed: others made it.
	Left string `json:"left,omitempty"`
	// Kept is why the worktree was not removed after its merge: its agent continued to work in it.
	Kept []obstacle.Obstacle `json:"kept,omitempty"`
}

// Land merges a worktree's branch into another, then moves the worktree to the trash and completes its task. With a gate it waits for its
// place in the repository's queue. It checks everything first. On a conflict it changes nothing but the worktree's status, and returns a
// *MergeConflict; on a red gate it changes nothing, and returns a *GateFailure. The requested commit lands, also when commits are added to
// the branch meanwhile. When ctx ends, the rest is cancelled.
func (s *Store) Land(ctx context.Context, o Request) (out Merged, err error) {
	m := &merging{Store: s, deed: merged}
	defer func() { err = s.Trees.Undo(ctx, m.w, err) }()
	if err := m.plan(ctx, o); err != nil {
		return out, err
	}
	if m.present, err = s.Trees.DB.Announce(); err != nil {
		return out, err
	}
	defer m.present.Leave()
	defer func() { m.release() }()
	begun, err := m.enter(ctx)
	if err != nil {
		return out, err
	}
	if !begun {
		done, err := m.await(ctx)
		if done != nil {
			return done.merged(m)
		}
		if err != nil {
			return out, m.leave(ctx, err)
		}
	}
	if err = m.Trees.Reach("merge:asked"); err == nil {
		var done *outcome
		if done, err = m.runTogether(ctx); done != nil {
			return done.merged(m)
		}
	}
	if err != nil {
		return out, m.giveUp(ctx, err)
	}
	out = Merged{Worktree: m.w, Into: m.target, Commit: m.j.New, FilesChanged: len(m.changes)}
	return m.conclude(context.WithoutCancel(ctx), out)
}

// take notes that this process works on the worktree, before the registry has that.
func (m *merging) take() (err error) {
	m.hold, err = worktree.Begin(m.w)
	return err
}

// release undoes take.
func (m *merging) release() {
	if m.hold != nil {
		m.hold()
		m.hold = nil
	}
}

// plan checks a request, and that the worktree holds no work that a merge would leave behind.
func (m *merging) plan(ctx context.Context, o Request) (err error) {
	if o.Message, err = text.Body("message", o.Message); err != nil {
		return err
	}
	m.o, m.strategy = o, cmp.Or(o.Strategy, MergeCommit)
	if !slices.Contains([]Strategy{MergeCommit, Squash, Rebase}, m.strategy) {
		return fault.Validation("strategy", "%q is not a way to merge", o.Strategy).WithHint("use merge, squash or rebase")
	}
	if err = m.look(ctx); err == nil && !m.dry && m.w.NeedsRow() {
		m.w, m.g, err = m.Trees.OpenFound(ctx, m.found)
	}
	if err != nil {
		return err
	}
	m.set = m.Trees.Settings(m.r)
	if err := m.aim(); err != nil {
		return err
	}
	if err := m.settle(ctx); err != nil {
		return err
	}
	p, err := m.prove(ctx, m.subject(), m.settled, o)
	if err != nil {
		return err
	}
	if !m.dry {
		if !m.w.Row() { // others made it, and now it lands
			if _, m.w, _, err = m.Trees.Open(ctx, m.r.UID, m.w.Path); err != nil {
				return err
			}
		}
		if m.w, err = m.Trees.Branched(ctx, m.g, m.r, m.w); err != nil {
			return err
		}
	}
	if m.tip = p.Head.OID; o.Tip != "" && o.Tip != m.tip {
		if m.tip, err = m.g.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", o.Tip+"^{commit}"); err != nil {
			return fault.Validation("tip", "%q is not a commit of repository %q", o.Tip, m.r.Name)
		}
		if err := m.holds(ctx, p); err != nil {
			return err
		}
		if m.tip == m.w.Base {
			return m.refusal("commit %.12s, which was asked to land, is where its branch %s began", m.tip, m.w.Branch).WithHint("ask again to land what it has now")
		}
	}
	m.j = journal{Before: m.w.Status, Keep: o.KeepTask, Remove: o.Remove, Remote: m.remote}
	return nil
}

// aim finds the branch to merge into.
func (m *merging) aim() error {
	m.target, m.with = m.set.DefaultBranch, checkout.MergeName(m.set.DefaultBranch, m.set.Remote)
	into := strings.TrimPrefix(m.o.Into, "refs/heads/")
	if into == "" || into == m.target {
		m.remote = m.set.Remote
		return nil
	}
	if into == m.w.Branch {
		return fault.Validation("into", "branch %q is the worktree's own", into).WithHint("name the branch to merge it into")
	}
	m.target, m.with, m.local = into, into, true
	return nil
}

// destination returns the full name of the branch to merge into, and its commit.
func (m *merging) destination(ctx context.Context) (ref, oid string, err error) {
	ref = "refs/heads/" + m.target
	switch {
	case m.remote != "":
		oid, err = m.remoteTip(ctx)
		return ref, oid, err
	case !m.local:
		return checkout.DefaultBranch(ctx, m.g, m.target, "")
	}
	oid, err = m.g.Resolve(ctx, ref)
	return ref, oid, err
}

// holds proves that the branch still has the commit that is to land.
func (m *merging) holds(ctx context.Context, p *obstacle.Proof) error {
	if p.Head.OID == m.tip {
		return nil
	}
	there, err := checkout.IsAncestor(ctx, m.g, m.tip, p.Head.OID)
	if err == nil && !there {
		gone := m.refusal("its branch %s no longer has commit %.12s, which was asked to land", m.w.Branch, m.tip)
		if m.o.Shown { // asked again, the same would be refused
			return gone.WithHint("`agit finish %s` shows what it has now; `agit review %s --return` returns it", m.w.Ref, m.w.Ref)
		}
		err = gone.WithHint("ask again to land what it has now")
	}
	return err
}

// prove proves that the worktree agrees with its row and holds no work that a merge would leave behind. target is the commit to merge it
// into. A folder that others made stays, unless the request is to remove it.
func (s *Store) prove(ctx context.Context, of obstacle.Subject, target string, o Request) (*obstacle.Proof, error) {
	w := of.Worktree
	p, err := obstacle.Identify(ctx, s.Trees, of)
	if err != nil {
		return nil, err
	}
	if err := p.CheckUse(ctx, true); err != nil {
		return nil, err
	}
	if w.Foreign() && !o.Remove {
		p.Leave(obstacle.Locked, obstacle.Precious)
	}
	if o.Shown {
		p.Leave(obstacle.Uncommitted, obstacle.Untracked)
	}
	if err := obstacle.Refuse(w, "merged", p.Obstacles); err != nil {
		return nil, err
	}
	none, err := checkout.NothingDone(ctx, of.Git, w.Branch, w.Base, p.Head.OID, target)
	if err != nil {
		return nil, err
	}
	if none && cmp.Or(o.Tip, p.Head.OID) == p.Head.OID { // whether the branch has another one is for holds
		return nil, worktree.Conflictf(w, "worktree %q has no commits, so there is nothing to merge", w.Ref).
			WithHint("commit its work in %q first", w.Path)
	}
	return p, nil
}

// merging is one merge in progress.
type merging struct {
	*Store
	g     *git.Repo
	r     repo.Repo
	w     worktree.Worktree
	found worktree.Found // what look read of them
	set   worktree.Settings
	o     Request
	tip   string
	j     journal
	moved bool // the branch has the merge

	strategy Strategy
	update   bool   // the other branch is merged into the worktree's
	deed     string // what is done with the worktree, for refusals: "merged" or "updated"
	dry      bool   // nothing is to be changed
	target   string // branch to merge into
	with     string // the other side of a conflict, as people know it
	local    bool   // the branch must exist here; the default branch may be known from the remote only
	remote   string // git's name of where it moves, by a push; "" for here
	seen     string // the commit that the remote's branch was seen at, for this try
	unsure   bool   // only the remote knows whether it landed
	gate     []string
	settled  string // the target's commit whose settings these are
	skipped  string // what of the gate is left out because a person wants it
	trial    bool   // nothing is to land
	ungated  string // why a trial is not judged
	landing  int64  // its row
	hold     func() // releases the worktree, see worktree.Begin
	present  *registry.Presence
	objects  git.Options // where objects are written, unless into the repository
	at       string      // the commit that conflicts in a rebase
	tree     string      // of the merge
	changes  []git.RawChange
	tested   string     // tree that the gate was green on
	key      string     // key of the gate and all else that its verdict depends on
	log      string     // of the gate
	knownLog string     // of the gate when it was green on the same tree before
	along    []*merging // landings before this one that land with it, when the branch moves to it
	kept     *git.Repo  // checkout that it ran in
}

// subject returns the subject of a proof about the merge.
func (m *merging) subject() obstacle.Subject {
	return obstacle.Subject{Git: m.g, Repo: m.r, Worktree: m.w}
}

// The deeds.
const (
	merged  = "merged"
	updated = "updated"
)

// refusal returns a Conflict fault that begins with the deed that was not done with the worktree.
func (m *merging) refusal(format string, args ...any) *fault.Fault {
	return worktree.Conflictf(m.w, "worktree %q was not %s: %s", m.w.Ref, m.deed, fmt.Sprintf(format, args...))
}

// patience is how often a judged merge may be overtaken before others wait while it is judged again.
const patience = 3

// tries returns how often a landing begins before it is given up. A race is lost only when another merge or commit got through.
// Machines that push to one branch do not take turns, and of ten of them the same one may lose often; without a judge a try costs a
// fetch and a push.
func (m *merging) tries() int {
	if m.remote != "" && !m.judged() {
		return 100
	}
	return 10
}

// run makes the merge commit and moves the branch to it, starting over when another merge or commit moves that first.
func (m *merging) run(ctx context.Context) error {
	for try := range m.tries() {
		if try > 0 {
			m.seen = "" // it was overtaken
		}
		if done, err := m.attempt(ctx, try >= patience); err != nil || done {
			return err
		}
	}
	return worktree.Conflictf(m.w, "branch %q kept moving while worktree %q was being merged", m.target, m.w.Ref).WithHint("try again").Retry()
}

// judged reports whether hooks or a gate look at the merge before it lands.
func (m *merging) judged() bool { return len(m.set.PreMerge)+len(m.gate) > 0 }

// attempt is one try; it returns true when the merge is done. Moves of one repository's branches take turns. Hooks and the gate may take
// minutes, and so may a person who signs the commit, so others go on meanwhile, unless this landing was overtaken too often.
func (m *merging) attempt(ctx context.Context, alone bool) (done bool, err error) {
	judged := m.judged()
	if !alone {
		if there, err := m.prepare(ctx); err != nil || there {
			return there, err
		}
		if judged {
			if err := m.judge(ctx); err != nil {
				return false, err
			}
		}
	}
	end, err := m.takeTurn(ctx)
	if err != nil {
		return false, err
	}
	defer end()
	if alone {
		if there, err := m.prepare(ctx); err != nil || there {
			return there, err
		}
	}
	if judged && alone {
		if err := m.judge(ctx); err != nil {
			return false, err
		}
	}
	return m.moveBranch(ctx)
}
