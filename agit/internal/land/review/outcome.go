package review

import (
	"context"
	"slices"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/tries"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Outcome is the state of work as a person wants to know it in the morning: what waits, what landed, what stopped, and why.
type Outcome struct {
	Waiting []Review       `json:"reviews"`
	Tries   []tries.Group  `json:"tries,omitempty"` // tries of one task, only one of which can be accepted
	Landed  []Landed       `json:"landed"`
	Stopped []Stopped      `json:"stopped"`
	Since   timestamp.Time `json:"since"`             // of Landed and Stopped
	Problem string         `json:"problem,omitempty"` // why conflicts were not looked for
}

// Landed is work that is in the default branch.
type Landed struct {
	Worktree string         `json:"worktree_id"`
	Repo     string         `json:"repo"`
	TaskID   string         `json:"task_id,omitempty"`
	Task     string         `json:"task,omitempty"`
	Agent    string         `json:"agent,omitempty"`
	Commit   string         `json:"commit,omitempty"`
	Into     string         `json:"into"`
	Result   string         `json:"result,omitempty"` // of the task
	At       timestamp.Time `json:"at"`
	Cost     *costs.Sum     `json:"cost,omitempty"` // of its task, with all attempts
}

// Stopped is work that does not continue by itself.
type Stopped struct {
	What     string         `json:"what"` // failed, given back, or not landed
	Worktree string         `json:"worktree_id,omitempty"`
	Repo     string         `json:"repo"`
	TaskID   string         `json:"task_id,omitempty"`
	Task     string         `json:"task,omitempty"`
	Agent    string         `json:"agent,omitempty"`
	Why      string         `json:"why,omitempty"`
	Log      string         `json:"log,omitempty"`
	At       timestamp.Time `json:"at"`
}

// The results of work that stopped.
const (
	StoppedFailed   = "failed"
	StoppedGiven    = "given back"
	StoppedReturned = "not landed"
)

// Outcome returns the state of work in a repository, by name or id, or in all of this machine for "". It goes back by the time given.
func (s *Store) Outcome(ctx context.Context, repoName string, back time.Duration) (o Outcome, err error) {
	repos, err := s.Trees.Repos(ctx, repoName)
	if err != nil {
		return o, err
	}
	var elsewhere []Review
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		elsewhere = nil
		since := tx.Now().Add(-back)
		o = Outcome{Waiting: []Review{}, Landed: []Landed{}, Stopped: []Stopped{}, Since: timestamp.Of(since)}
		for _, r := range repos {
			if err := o.load(tx, r, since); err != nil {
				return err
			}
		}
		asked := map[int64]bool{} // of projects, since several repositories may be clones of one
		for _, r := range repos {
			if asked[r.ProjectID] {
				continue
			}
			asked[r.ProjectID] = true
			waiting, err := registry.Collect(tx, scan, selection+`WHERE v.state = 'waiting' AND v.project_id = ? AND r.host <> ?
				AND w.`+repo.LiveWorktree+` ORDER BY v.id`, r.ProjectID, registry.Host())
			if err != nil {
				return err
			}
			elsewhere = append(elsewhere, waiting...)
		}
		return nil
	})
	if err != nil {
		return o, err
	}
	err = s.look(ctx, repos, &o)
	o.Waiting = append(o.Waiting, elsewhere...)
	return o, err
}

// look adds what git and the clients' sessions on this machine show of the work in its repositories.
func (s *Store) look(ctx context.Context, repos []repo.Repo, o *Outcome) error {
	for _, r := range repos {
		if err := s.addGit(ctx, r, o.Waiting); err != nil {
			return err
		}
		for i := range o.Tries {
			if g := &o.Tries[i]; g.Repo == r.Name {
				if err := g.Compare(ctx, r, s.Trees.Settings(r)); err != nil {
					return err
				}
			}
		}
	}
	if err := s.addCosts(ctx, o); err != nil || s.Conflicts == nil {
		return err
	}
	for _, r := range repos {
		if err := s.addConflicts(ctx, r, o); err != nil {
			return err
		}
	}
	return nil
}

// addCosts adds what the tasks of waiting and landed work cost.
func (s *Store) addCosts(ctx context.Context, o *Outcome) error {
	if s.Costs == nil {
		return nil
	}
	var ids []string
	for _, v := range o.Waiting {
		ids = append(ids, v.TaskID)
	}
	for _, l := range o.Landed {
		ids = append(ids, l.TaskID)
	}
	of, err := s.Costs.OfTasks(ctx, ids)
	if err != nil {
		return err
	}
	for i := range o.Waiting {
		o.Waiting[i].Cost = costOf(of, o.Waiting[i].TaskID)
	}
	for i := range o.Landed {
		o.Landed[i].Cost = costOf(of, o.Landed[i].TaskID)
	}
	return nil
}

func costOf(of map[string]costs.Sum, id string) *costs.Sum {
	if one, ok := of[id]; ok {
		return &one
	}
	return nil
}

func (o *Outcome) load(tx *registry.Tx, r repo.Repo, since time.Time) error {
	waiting, err := WaitingIn(tx, r.ID)
	if err != nil {
		return err
	}
	returned, err := land.LastReturned(tx, r.ID)
	if err != nil {
		return err
	}
	for _, l := range returned {
		if i := slices.IndexFunc(waiting, func(v Review) bool { return v.WorktreeID == l.WorktreeID }); i >= 0 {
			if l.GateResult == land.GateFailed && l.AskedAt.After(waiting[i].AskedAt.Time) {
				waiting[i].Gate, waiting[i].GateLog = l.GateResult, l.Log
			}
			continue
		}
		if l.FinishedAt != nil && !l.FinishedAt.Before(since) {
			o.Stopped = append(o.Stopped, Stopped{What: StoppedReturned, Worktree: l.Worktree, Repo: r.Name, Task: l.Task, Agent: l.Agent, Why: l.Reason, Log: l.Log, At: *l.FinishedAt})
		}
	}
	o.Waiting = append(o.Waiting, waiting...)
	groups, err := tries.Groups(tx, r.ID)
	if err != nil {
		return err
	}
	o.Tries = append(o.Tries, groups...)
	if err := o.loadLanded(tx, r, since); err != nil {
		return err
	}
	return o.loadStopped(tx, r, since)
}

func (o *Outcome) loadLanded(tx *registry.Tx, r repo.Repo, since time.Time) error {
	landed, err := land.Recent(tx, r.ID, since)
	if err != nil {
		return err
	}
	type end struct {
		worktree     int64
		task, result string
		agent        string
	}
	ends, err := registry.Collect(tx, func(row registry.Scanner) (e end, err error) {
		return e, row.Scan(&e.worktree, &e.task, &e.result, &e.agent)
	}, `SELECT w.id, i.ref, COALESCE(tasks.result, ''), COALESCE(a.name, '') FROM worktrees w JOIN items i ON i.id = w.item_id
		LEFT JOIN tasks ON tasks.item_id = i.id LEFT JOIN agents a ON a.id = w.agent_id
		WHERE w.id IN (SELECT worktree_id FROM landings WHERE repo_id = ? AND state = 'landed' AND finished_at >= ?)`, r.ID, registry.FormatTime(since))
	if err != nil {
		return err
	}
	for _, l := range landed {
		one := Landed{Worktree: l.Worktree, Repo: r.Name, Task: l.Task, Agent: l.Agent, Commit: l.Commit, Into: l.Target, At: *l.FinishedAt}
		for _, e := range ends {
			if e.worktree == l.WorktreeID {
				one.TaskID, one.Result = e.task, e.result
				if e.agent != "" {
					one.Agent = e.agent // the agent that did the work, whoever landed it
				}
			}
		}
		o.Landed = append(o.Landed, one)
	}
	return nil
}

// loadStopped adds the tasks that failed, and those that were given back and still wait.
func (o *Outcome) loadStopped(tx *registry.Tx, r repo.Repo, since time.Time) error {
	const ofRepo = ` AND i.project_id = ? AND i.kind = 'task' AND i.deleted_at IS NULL AND COALESCE(t.repo_id, ?) = ?`
	stopped, err := registry.Collect(tx, func(row registry.Scanner) (s Stopped, err error) {
		s.Repo = r.Name
		return s, row.Scan(&s.What, &s.TaskID, &s.Task, &s.Agent, &s.Worktree, &s.Why, &s.At)
	}, `SELECT stopped.what, stopped.ref, stopped.title, stopped.agent, stopped.worktree, stopped.why, stopped.at FROM (
		SELECT '`+StoppedFailed+`' AS what, i.ref, i.title, COALESCE(a.name, '') AS agent, COALESCE(w.ref, '') AS worktree, COALESCE(t.result, '') AS why, i.finished_at AS at
			FROM items i JOIN tasks t ON t.item_id = i.id LEFT JOIN agents a ON a.id = i.assignee_agent_id LEFT JOIN worktrees w ON w.id = t.worktree_id
			WHERE i.status = 'failed' AND i.finished_at >= ? AND COALESCE(t.result, '') <> '`+task.Canceled+`'`+ofRepo+`
		UNION ALL SELECT '`+StoppedGiven+`', i.ref, i.title, COALESCE(a.name, h.actor), COALESCE(w.ref, ''), h.why, h.at
			FROM items i JOIN tasks t ON t.item_id = i.id JOIN item_history h ON h.item_id = i.id
			LEFT JOIN agents a ON a.id = h.agent_id LEFT JOIN worktrees w ON w.id = t.worktree_id
			WHERE i.status = 'pending' AND h.at >= ? AND h.field = 'status' AND h.new = 'pending' AND h.old IS NOT NULL
			  AND h.id = (SELECT MAX(last.id) FROM item_history last WHERE last.item_id = i.id AND last.field = 'status')`+ofRepo+`
		) stopped ORDER BY stopped.at DESC LIMIT 1000`,
		registry.FormatTime(since), r.ProjectID, r.ID, r.ID, registry.FormatTime(since), r.ProjectID, r.ID, r.ID)
	for i := range stopped {
		// The stopped task replaces its refused landing in the list, and takes over only the log.
		o.Stopped = slices.DeleteFunc(o.Stopped, func(earlier Stopped) bool {
			same := earlier.What == StoppedReturned && earlier.Worktree == stopped[i].Worktree && !stopped[i].At.Before(earlier.At.Time)
			if same {
				stopped[i].Log = earlier.Log
			}
			return same
		})
	}
	o.Stopped = append(o.Stopped, stopped...)
	return err
}

// addConflicts adds to each waiting worktree the files that would conflict with the default branch by now. When a scan is not possible it
// notes the problem, and everything else is shown.
func (s *Store) addConflicts(ctx context.Context, r repo.Repo, o *Outcome) error {
	if !slices.ContainsFunc(o.Waiting, func(v Review) bool { return v.Repo == r.Name }) {
		return nil
	}
	report, err := s.Conflicts.Scan(ctx, r.ID, conflict.Options{})
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		o.Problem = fault.From(err).Message
		return nil
	}
	for _, c := range report.OnlyDefault().Conflicts {
		if !c.WillNotMerge() {
			continue
		}
		for _, side := range c.Worktrees {
			for i := range o.Waiting {
				if o.Waiting[i].Worktree == side.ID {
					o.Waiting[i].Conflicts = append(o.Waiting[i].Conflicts, c.File)
				}
			}
		}
	}
	for _, t := range report.Touched {
		i := slices.IndexFunc(o.Waiting, func(v Review) bool { return v.Worktree == t.Worktree.Ref })
		if i < 0 || t.Head == o.Waiting[i].Tip && t.Uncommitted == 0 {
			continue
		}
		// The scan saw what came later, and what was shown is to land.
		if p, err := s.Landings.Preview(ctx, land.Request{Repo: r.UID, Worktree: t.Worktree.Ref, Tip: o.Waiting[i].Tip, Shown: true}); err == nil {
			o.Waiting[i].Conflicts = p.Conflicts
		} else if ctx.Err() != nil {
			return err
		}
	}
	return nil
}
