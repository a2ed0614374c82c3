// Package pull follows the pull requests of finished work, until a forge merges them: checks that failed, comments and conflicts go
// back to the agent, each once. It joins forge (what is said there) and review (work that waits), and writes no table itself.
//
// The words of people and programs at a forge are a stranger's text. They reach an agent as a quotation, of people who may write to the
// repository, and nothing of them is run or followed here.
//
// pull.go has the checks and their consequences, words.go the texts for the agent. A Store is safe for concurrent use; any
// number of processes may follow one repository.
package pull

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Store follows pull requests.
type Store struct {
	Trees      *worktree.Store
	Forges     *forge.Store
	Reviews    *review.Store
	Interval   time.Duration // between two looks at one
	Everyone   bool          // comments of people who may not write to the repository count too
	StaleAfter time.Duration // silence after which another agent may take work that was handed back

	heard sync.Map // by pull request: its time of change when its comments were last read
	told  sync.Map // notes that were passed once
}

// The events of a pull request.
const (
	Handed  = "handed back"
	GaveUp  = "failed"
	Merged  = "merged"
	Closed  = "closed"
	Merging = "merges by itself"
	Note    = "note"
)

// Event is something that happened to a pull request.
type Event struct {
	What string            `json:"what"`
	Pull forge.PullRequest `json:"pull_request"`
	Task string            `json:"task_id,omitempty"`
	Why  string            `json:"why,omitempty"`
}

// Options select what is followed.
type Options struct {
	Repo     repo.Repo
	By       string // the agent that asks; "" for a person
	Attempts int    // how often checks and conflicts are handed back, before the task fails
	// Lately leaves out pull requests that any process asked about within the interval.
	Lately bool
}

// Follow looks once at each open pull request of a repository, and acts on it. A pull request that the forge returns no answer about
// becomes a Note; limited is true when a forge refuses requests for a while.
func (s *Store) Follow(ctx context.Context, o Options) (events []Event, limited bool, err error) {
	var trees []worktree.Worktree
	var last map[int64]forge.PullRequest
	var now time.Time
	err = s.Trees.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		now = tx.Now()
		if trees, err = worktree.List(tx, worktree.Filter{RepoID: o.Repo.ID}); err != nil {
			return err
		}
		last, err = forge.Of(tx, o.Repo.ID)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	for _, w := range trees {
		p, has := last[w.ID]
		if !has || p.State != forge.Open || o.Lately && now.Sub(p.SeenAt.Time) < s.Interval*3/4 {
			continue
		}
		one := &following{Store: s, o: o, w: w, p: p}
		err := one.look(ctx)
		events = append(events, one.events...)
		switch {
		case ctx.Err() != nil:
			return events, false, ctx.Err()
		case forge.Limited(err):
			return append(events, Event{What: Note, Pull: p, Why: fault.From(err).Message}), true, nil
		case err != nil:
			if why := fault.From(err).Message; s.once(fmt.Sprintf("%d %s", p.ID, why)) {
				events = append(events, Event{What: Note, Pull: p, Task: w.TaskID, Why: why})
			}
		}
	}
	return events, false, nil
}

// longestPause is the longest time between two looks while a forge refuses requests.
const longestPause = 30 * time.Minute

// Pause returns the time to wait before the next look, after a wait of last: the interval, or twice as long each time while a forge refuses
// requests.
func (s *Store) Pause(last time.Duration, limited bool) time.Duration {
	if !limited {
		return s.Interval
	}
	return min(2*last, max(longestPause, s.Interval))
}

// once reports whether it is called with what for the first time.
func (s *Store) once(what string) bool {
	_, again := s.told.LoadOrStore(what, true)
	return !again
}

// following is one pull request under observation.
type following struct {
	*Store
	o      Options
	w      worktree.Worktree
	p      forge.PullRequest
	v      review.Review // that waits
	handed []forge.Handed
	behind bool // the branch at the remote has commits of others
	events []Event
}

func (f *following) add(what, why string) {
	f.events = append(f.events, Event{What: what, Pull: f.p, Task: f.w.TaskID, Why: why})
}

// look asks the forge, and acts on its answer.
func (f *following) look(ctx context.Context) error {
	p, err := f.Forges.Refresh(ctx, f.o.Repo.UID, f.w.Ref, f.o.By)
	if err != nil {
		return err
	}
	f.p = p
	switch p.State {
	case forge.Merged:
		f.add(Merged, p.TaskOpen)
		return nil
	case forge.Closed:
		f.add(Closed, "its work stays in its worktree; `agit review "+f.w.Ref+" --return WHY` returns it to its agent")
		return nil
	}
	waits := false
	err = f.Trees.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		if f.v, waits, err = review.Last(tx, f.w.ID); err != nil {
			return err
		}
		f.handed, err = forge.HandedOf(tx, p.ID)
		return err
	})
	if err != nil || !waits || f.v.State != review.Waiting {
		return err // its agent is at work on it, or it was opened by hand
	}
	known, err := f.known(ctx)
	if err != nil || !known {
		return err
	}
	if f.Trees.Settings(f.o.Repo).AutoMerge && p.Head == f.v.Tip && f.once(fmt.Sprintf("%d merge %s", p.ID, p.Head)) {
		switch asked, err := f.Forges.AutoMerge(ctx, f.w, p, p.Head); {
		case err != nil && ctx.Err() != nil:
			return err
		case err != nil:
			f.add(Note, "the forge does not merge it by itself: "+fault.From(err).Message)
		case asked:
			f.add(Merging, "")
		}
	}
	return f.handBack(ctx)
}

// known reports whether the forge has looked at the waiting work: its newest commit is that work's, or one that others put on top of it.
func (f *following) known(ctx context.Context) (bool, error) {
	if f.p.Head == f.v.Tip || f.p.Head == "" {
		return f.p.Head != "", nil
	}
	if err := f.Forges.Fetch(ctx, f.p); err != nil {
		return false, err
	}
	g, err := f.o.Repo.Open()
	if err != nil {
		return false, err
	}
	f.behind, err = checkout.IsAncestor(ctx, g, f.v.Tip, f.p.Head)
	return f.behind, err
}

// given reports whether something was handed to the agent before.
func (f *following) given(kind, subject string) bool {
	return slices.ContainsFunc(f.handed, func(h forge.Handed) bool { return h.Kind == kind && h.Subject == subject })
}

// handBack hands new reasons for work to the agent: checks that failed, a conflict, comments.
func (f *following) handBack(ctx context.Context) error {
	var words findings
	var fresh []forge.Handed
	if f.p.Checks == forge.ChecksFailed && !f.given(forge.HandedChecks, f.p.Head) {
		failed, err := f.Forges.Failed(ctx, f.p)
		if err != nil {
			return err
		}
		if words.checks = failed; len(failed) > 0 {
			fresh = append(fresh, forge.Handed{Kind: forge.HandedChecks, Subject: f.p.Head, Head: f.p.Head})
		}
	}
	if f.p.Mergeable == forge.MergeConflicts && !f.given(forge.HandedConflict, f.p.Head) {
		if err := f.Forges.Fetch(ctx, f.p); err != nil {
			return err
		}
		words.conflict = true
		fresh = append(fresh, forge.Handed{Kind: forge.HandedConflict, Subject: f.p.Head, Head: f.p.Head})
	}
	tired := len(fresh) > 0 && f.o.Attempts > 0 && forge.Rounds(f.handed) >= f.o.Attempts
	comments, heard, err := f.comments(ctx)
	if err != nil {
		return err
	}
	for _, c := range comments {
		if len(words.comments) < mostComments {
			words.comments = append(words.comments, c)
			fresh = append(fresh, forge.Handed{Kind: forge.HandedComment, Subject: c.ID, Head: f.p.Head})
		}
	}
	if len(fresh) == 0 {
		f.heard.Store(f.p.ID, heard)
		return nil
	}
	base, own, err := f.Forges.Base(ctx, f.p)
	if err != nil {
		return err
	}
	back := review.FromForge{Worktree: f.w, Tip: f.v.Tip, Number: f.p.Number, Why: words.text(f.p, base, own, f.behind)}
	if tired && len(words.comments) == 0 {
		back.Failed, back.Why = true, fmt.Sprintf("pull request #%d was handed back %s, and %s", f.p.Number, text.Count(f.o.Attempts, "time", "times"), words.short(f.p))
		fresh = append(fresh, forge.Handed{Kind: forge.HandedGaveUp, Subject: f.p.Head, Head: f.p.Head})
	}
	back.Fresh = func(tx *registry.Tx) (bool, error) {
		any := false
		for _, h := range fresh {
			isFresh, err := f.Forges.Hand(tx, f.p, h)
			if err != nil {
				return false, err
			}
			any = any || isFresh
		}
		return any, nil
	}
	_, done, err := f.Reviews.HandBack(ctx, back, f.StaleAfter)
	switch {
	case err != nil || !done:
		return err
	case back.Failed:
		f.add(GaveUp, back.Why)
	default:
		f.add(Handed, words.short(f.p))
	}
	if len(comments) == len(words.comments) {
		f.heard.Store(f.p.ID, heard)
	}
	return nil
}

// comments returns the comments that count and were not handed to the agent, and the mark to remember once they are. It reads none when the
// pull request did not change since they were last read.
func (f *following) comments(ctx context.Context) (fresh []forge.Comment, mark string, err error) {
	if read, _ := f.heard.Load(f.p.ID); f.p.Changed != "" && read == f.p.Changed {
		return nil, f.p.Changed, nil
	}
	all, err := f.Forges.Comments(ctx, f.p)
	passed := 0
	for _, c := range all {
		switch {
		case f.given(forge.HandedComment, c.ID):
		case !c.Writer && !f.Everyone:
			passed++
		default:
			fresh = append(fresh, c)
		}
	}
	if passed > 0 && f.once(fmt.Sprintf("%d passed %d", f.p.ID, passed)) {
		f.add(Note, fmt.Sprintf("%s passed over, of people who may not write to the repository; forge.comments in your configuration says whose count",
			text.Count(passed, "comment is", "comments are")))
	}
	return fresh, f.p.Changed, err
}
