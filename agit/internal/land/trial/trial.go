// Package trial tries everything in flight together: the states of all worktrees of a repository, uncommitted work included, are
// merged one on the other onto the default branch, and the gate judges the result. So breakage shows before anything lands that no two
// of them have alone and that git merges without a word.
//
// The user's repository is only read. Merges write to a throwaway object store that borrows from it (conflict.States), and the gate
// runs in a checkout with a git directory of its own under AGIT_HOME/trials, which stays, so that git writes only what differs from
// the trial before.
//
// trial.go has what a trial says, the order of its steps, and the last trial of each repository, and alone writes `trials`; merges.go
// puts the states together; checkout.go brings the checkout to one; judge.go lets the gate judge, and finds who fails with whom;
// words.go says it to people.
// A Store is safe for concurrent use by any number of processes.
package trial

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/verdict"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Result is the result of a trial.
type Result string

// The results.
const (
	Nothing    Result = "nothing"    // no worktree has anything that the default branch lacks
	Ungated    Result = "ungated"    // no gate is configured: the states were only merged
	Planned    Result = "planned"    // a dry run
	Green      Result = "green"      // all parties that merge pass together
	Red        Result = "red"        // some fail; Failures names them, and Passing holds all that pass together
	Unfinished Result = "unfinished" // it fails, and the time ended before the cause was found
)

// Party is a worktree that takes part.
type Party struct {
	Name        string `json:"worktree_id"`
	Branch      string `json:"branch"`
	Agent       string `json:"agent,omitempty"`
	Maker       string `json:"maker,omitempty"`         // the program that made it, when agit did not
	Main        bool   `json:"main_checkout,omitempty"` // it is the main checkout
	Uncommitted int    `json:"uncommitted"`             // files that are not committed
	Waiting     bool   `json:"waiting,omitempty"`       // it waits in the queue of landings
}

// LeftOut is a worktree that does not merge with those before it.
type LeftOut struct {
	Party
	Files []string `json:"files"`          // in conflict
	With  []string `json:"with,omitempty"` // parties that changed them too; empty when only the default branch did
}

// Failure is a smallest set of parties that the gate fails on together.
type Failure struct {
	Parties []Party  `json:"worktrees"`
	Command string   `json:"command"` // the gate's command that fails
	How     string   `json:"how"`     // how it ended
	Tests   []string `json:"tests,omitempty"`
	Lines   []string `json:"lines,omitempty"` // the last lines that it printed
	Log     string   `json:"log,omitempty"`
	Alone   bool     `json:"each_passes_alone"` // each of several parties was tested to pass alone
}

// Trial is the result of trying everything in flight together.
type Trial struct {
	Repo       string             `json:"repo"`
	Into       string             `json:"into"` // the default branch
	IntoCommit string             `json:"into_commit"`
	Result     Result             `json:"result"`
	Parties    []Party            `json:"worktrees"` // merged, in the order in which they would land
	LeftOut    []LeftOut          `json:"left_out"`
	Skipped    []conflict.Skipped `json:"skipped,omitempty"` // worktrees that could not be read
	Failures   []Failure          `json:"failures"`
	Passing    []string           `json:"passing"` // parties that pass together
	Gate       []string           `json:"gate,omitempty"`
	Tree       string             `json:"tree,omitempty"` // of all parties merged
	Known      bool               `json:"known"`          // every tree that counts was judged within the last day, so that no gate ran
	Runs       int                `json:"gate_runs"`
	Seconds    float64            `json:"seconds"` // that the gate took on all parties
	Log        string             `json:"log,omitempty"`
	At         timestamp.Time     `json:"finished_at"`
}

// Store tries the worktrees of one registry.
type Store struct {
	Landings  *land.Store
	Conflicts *conflict.Store
	Home      string // the folder of the suite's files beside the registry
}

// Options change how a trial runs. The zero value is a whole trial.
type Options struct {
	DryRun  bool                 // merge, and run nothing
	Again   bool                 // judge also trees that were judged within the last day
	Idle    bool                 // run without a request: a trial that was unfinished last time stays so until something changes
	Limit   time.Duration        // of the whole trial; the configured one when 0
	Running func(command string) // called with each command of the gate that begins; may be nil
}

// Busy reports whether an error of Run means that another trial is under way.
func Busy(err error) bool { return errors.Is(err, errBusy) }

var errBusy = errors.New("another trial is under way")

// Run tries the worktrees of a repository together. Nothing of the repository changes.
func (s *Store) Run(ctx context.Context, r repo.Repo, o Options) (Trial, error) {
	v, err := git.CurrentVersion(ctx)
	if err == nil && !v.AtLeast(2, 38) {
		err = fault.Operation(nil, "worktrees cannot be tried together before git 2.38, and this is %s", v).WithHint("update git")
	}
	if err != nil {
		return Trial{}, err
	}
	g, err := r.Open()
	if err != nil {
		return Trial{}, err
	}
	judgement, err := s.Landings.JudgementOf(ctx, g, r)
	if err != nil {
		return Trial{}, err
	}
	if !o.DryRun {
		lock, err := s.lock()
		if err != nil {
			return Trial{}, err
		}
		defer lock.Close()
		worker.EndRun(ctx, s.run(), 0, "", 0) // processes that the gate of a killed trial left running
	}
	states, err := s.Conflicts.States(ctx, r.ID)
	if err != nil {
		return Trial{}, err
	}
	defer states.Close()
	t := &trying{Store: s, r: r, g: g, o: o, states: states, judgement: judgement, key: judgement.Key()}
	t.out = Trial{Repo: r.Name, Into: judgement.Branch, IntoCommit: judgement.Commit, Gate: judgement.Gate.Commands, Skipped: states.Skipped,
		Parties: []Party{}, LeftOut: []LeftOut{}, Failures: []Failure{}, Passing: []string{}}
	if err := t.merge(ctx); err != nil {
		return Trial{}, err
	}
	last, err := registry.Read(ctx, s.Landings.Trees.DB, func(tx *registry.Tx) (*Trial, error) { return Last(tx, r.ID) })
	if err != nil {
		return Trial{}, err
	}
	switch {
	case o.Idle && last != nil && last.Result == Unfinished && t.same(*last):
		return *last, nil
	case len(t.parties) == 0:
		t.out.Result, t.out.Known = Nothing, true
	case o.DryRun:
		t.out.Result = Planned
	case len(judgement.Gate.Commands) == 0:
		t.out.Result = Ungated
	default:
		if err := t.judge(ctx); err != nil {
			return Trial{}, err
		}
	}
	t.out.At = timestamp.Of(time.Now())
	if o.DryRun || t.out.Known && last != nil && last.Result == t.out.Result && t.same(*last) {
		return t.out, nil
	}
	return t.out, s.keep(ctx, r, t.out)
}

// trying is one trial in progress.
type trying struct {
	*Store
	r         repo.Repo
	g         *git.Repo
	o         Options
	states    *conflict.States
	judgement land.Judgement
	key       string
	parties   []conflict.State // of out.Parties
	out       Trial
	verdicts  map[string]*verdict.Verdict // of this trial, by tree
}

// same reports whether a trial was of the same states.
func (t *trying) same(last Trial) bool {
	return last.Tree == t.out.Tree && last.IntoCommit == t.out.IntoCommit && slices.EqualFunc(last.Parties, t.out.Parties, func(a, b Party) bool { return a == b }) &&
		slices.EqualFunc(last.LeftOut, t.out.LeftOut, func(a, b LeftOut) bool { return a.Party == b.Party && slices.Equal(a.Files, b.Files) })
}

// run names the run that the processes of a trial's gate belong to. There is one trial at a time.
func (s *Store) run() string {
	sum := sha256.Sum256([]byte(s.folder()))
	return "trial-" + hex.EncodeToString(sum[:8])
}

// lock keeps a second trial of this machine's user from running beside the first.
func (s *Store) lock() (*flock.Flock, error) {
	folder := s.folder()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fault.Operation(err, "make the folder %q", folder)
	}
	lock := flock.New(filepath.Join(folder, "lock"))
	free, err := lock.TryLock()
	if err == nil && free {
		return lock, nil
	}
	lock.Close()
	if err != nil {
		return nil, fault.Operation(err, "take the lock for trials in %q", folder)
	}
	return nil, errors.Join(fault.Operation(nil, "another trial is under way").WithHint("try again when it is done").Retry(), errBusy)
}

func (s *Store) folder() string { return filepath.Join(s.Home, "trials") }

// queued returns the places of waiting worktrees in the queue of landings, by worktree row.
func (t *trying) queued(ctx context.Context) (places map[int64]int, err error) {
	places = map[int64]int{}
	err = t.Landings.Trees.DB.Read(ctx, func(tx *registry.Tx) error {
		list, err := t.Landings.QueueIn(tx, t.r)
		for i, l := range list {
			if !l.State.Over() {
				places[l.WorktreeID] = i + 1
			}
		}
		return err
	})
	return places, err
}

// keep stores a trial in place of the one before it.
func (s *Store) keep(ctx context.Context, r repo.Repo, t Trial) error {
	detail, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return s.Landings.Trees.DB.Write(context.WithoutCancel(ctx), registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		err := tx.Do(`INSERT INTO trials (project_id, repo_id, detail, finished_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (repo_id) DO UPDATE SET detail = excluded.detail, finished_at = excluded.finished_at`,
			r.ProjectID, r.ID, string(detail), registry.FormatTime(t.At.Time))
		tx.Changed(registry.TopicConflicts, r.ProjectID, r.Name)
		return err
	})
}

// Last returns the last trial of a repository, nil for none.
func Last(tx *registry.Tx, repoID int64) (*Trial, error) {
	detail, err := registry.OrZero(registry.One[string](tx.QueryRow(`SELECT detail FROM trials WHERE repo_id = ?`, repoID)))
	if err != nil || detail == "" {
		return nil, err
	}
	var t Trial
	if err := json.Unmarshal([]byte(detail), &t); err != nil {
		return nil, fault.Database(err, "the last trial of a repository cannot be read").WithHint("`agit trial` makes a new one")
	}
	return &t, nil
}
