package overview

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/view/distance"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// input is everything that a State is derived from; equal inputs make equal States.
type input struct {
	rows
	scans      map[int64]scan // by repository
	today      costs.Today
	took       map[string]costs.Sum // by task, since the task was begun
	freedAfter time.Duration
	sweep      func(worktree.Worktree) string // what its maker's clean-up will do soon; nil when not needed
}

// scan is git's view of a repository.
type scan struct {
	tip     string
	report  *conflict.Report // nil before the first scan
	problem string
	since   map[string]time.Time // when a conflict was first seen, by its key
	// distances from the default branch, by worktree commit
	distances map[string]distance.Distance
}

// derive makes the State. It is a pure function.
func derive(in input) State {
	s := State{At: timestamp.Of(in.at), Repos: []Repo{}, Needs: []Need{}, Agents: []Agent{}, Worktrees: []Worktree{},
		Conflicts: []Conflict{}, Landings: []Landing{}, Tasks: Tasks{Counts: map[string]int{}, List: []Task{}}}
	known, byID := true, map[int64]repo.Repo{}
	for _, r := range in.repos {
		found := in.scans[r.ID]
		shown := Repo{Name: r.Name, Path: r.Path, DefaultBranch: r.DefaultBranch, Tip: short(found.tip), Problem: found.problem}
		if byID[r.ID] = r; found.report != nil {
			shown.ScannedAt = &found.report.ScannedAt
			s.Conflicts = append(s.Conflicts, in.conflicts(r, found)...)
		} else {
			known = false
		}
		s.Repos = append(s.Repos, shown)
	}
	s.Worktrees = in.worktreesWith(s.Conflicts)
	s.Landings = in.landingsShown(s.Worktrees)
	s.Tasks = in.tasksShown()
	s.Agents = append(in.agentsShown(s.Worktrees, s.Tasks.List), in.agentsSeen(s.Worktrees)...)
	s.Worktrees = append(withoutIdleMain(s.Worktrees, in.worktrees, byID, s.Agents), in.branchesShown(s.Conflicts)...)
	s.Needs = in.needs(&s)
	here := map[string]bool{} // an agent may have several worktrees
	for _, a := range s.Agents {
		name := a.Name
		if a.State == StateSeen {
			name += "\x00" + a.Worktree // a client is in several worktrees by several sessions
		}
		here[name] = here[name] || a.State != string(presence.Gone)
	}
	for _, is := range here {
		if is {
			s.Totals.Agents++
		} else {
			s.Totals.Gone++
		}
	}
	s.Agents = foldGone(s.Agents, in.at)
	if known {
		n := len(s.Conflicts)
		s.Totals.Conflicts = &n
	}
	for _, l := range s.Landings {
		if !l.Over() {
			s.Totals.Landings++
		}
	}
	s.Totals.Needs = len(s.Needs)
	s.Totals.Spent = in.today.Total.Words()
	s.Totals.Mirror = in.mirror
	for i := range s.Agents {
		first := slices.IndexFunc(s.Agents, func(a Agent) bool { return a.Name == s.Agents[i].Name }) == i
		if one, ok := in.today.Agents[s.Agents[i].Name]; ok && first { // not again for each of its worktrees
			s.Agents[i].Spent = one.Words()
		}
		s.Agents[i].Told = in.told[s.Agents[i].Name]
	}
	return s
}

func short(oid string) string { return oid[:min(7, len(oid))] }

// refOf returns the ref of the worktree with a name in a repository's report; "clone/name" is in another clone.
func (in input) refOf(r repo.Repo, called string) string {
	for _, other := range in.repos {
		if name, ok := strings.CutPrefix(called, other.Name+"/"); ok && other.ID != r.ID && other.ProjectID == r.ProjectID {
			if ref := in.ref(other.ID, name); ref != name || slices.ContainsFunc(in.worktrees, func(w worktree.Worktree) bool { return w.Ref == ref && w.RepoID == other.ID }) {
				return ref
			}
		}
	}
	return in.ref(r.ID, called)
}

// conflicts returns the conflicts of a repository's report, with the refs of its worktrees. A conflict with another shown clone is
// listed under the first of the two only.
func (in input) conflicts(r repo.Repo, found scan) []Conflict {
	all := slices.DeleteFunc(conflicts(r, found, in.found[r.ID]), func(c Conflict) bool {
		return slices.ContainsFunc(c.Sides, func(side Side) bool {
			return slices.ContainsFunc(in.repos, func(other repo.Repo) bool {
				return side.Clone == other.Name && other.ProjectID == r.ProjectID && other.ID < r.ID
			})
		})
	})
	for _, c := range all {
		for k, side := range c.Sides {
			c.Sides[k].Worktree = in.refOf(r, side.Worktree)
		}
	}
	return all
}

// conflicts returns the conflicts of a report, merge conflicts first.
func conflicts(r repo.Repo, found scan, times map[conflict.FoundKey]time.Time) (all []Conflict) {
	for _, c := range found.report.Conflicts {
		shown := Conflict{Repo: r.Name, File: c.File, Lines: cmp.Or(conflict.FormatLines(c.Lines), c.UsedAt()), Depth: c.Depth, Kinds: c.Kinds, Why: c.Why()}
		for _, side := range c.Worktrees {
			shown.Sides = append(shown.Sides, Side{Name: side.ID, Worktree: side.ID, Agent: side.Agent, Maker: seen.Maker(side.Maker), Main: side.Main, Clone: side.Clone,
				By: worktree.Worktree{Agent: side.Agent, Maker: seen.Maker(side.Maker), Marks: seen.Marks{Main: side.Main}}.By()})
		}
		if c.DefaultBranch != "" {
			shown.Sides, shown.with = append(shown.Sides, Side{Name: c.DefaultBranch}), checkout.MergeName(c.DefaultBranch, found.report.Remote)
		}
		at := found.since[shown.Key()]
		for _, pair := range c.Pairs {
			if stored, ok := times[conflict.FoundKey{A: pair.A, B: pair.B, File: c.File}]; ok && (at.IsZero() || stored.Before(at)) {
				at = stored
			}
		}
		if !at.IsZero() {
			shown.Since = &timestamp.Time{Time: at}
		}
		all = append(all, shown)
	}
	depth := map[conflict.Depth]int{conflict.DepthMerge: 0, conflict.DepthUses: 1, conflict.DepthLines: 2, conflict.DepthFile: 3}
	slices.SortStableFunc(all, func(a, b Conflict) int {
		return cmp.Or(cmp.Compare(depth[a.Depth], depth[b.Depth]), cmp.Compare(a.File, b.File))
	})
	return all
}

// Key returns a key that stays the same while a conflict lasts; its lines move while agents edit.
func (c Conflict) Key() string { return c.File + "\x00" + string(c.Depth) + "\x00" + c.between() }

// between names the worktrees of the conflict.
func (c Conflict) between() string {
	names := make([]string, len(c.Sides))
	for i, side := range c.Sides {
		names[i] = cmp.Or(side.Worktree, side.Name)
	}
	return strings.Join(names, "\x00")
}

// worktreesWith returns the worktrees, each with its merge conflicts. The sides of the conflicts get the worktrees' names.
func (in input) worktreesWith(all []Conflict) []Worktree {
	touched := map[string]conflict.Touched{}
	skipped := map[string]string{}
	far := map[string]distance.Distance{}
	for id, found := range in.scans {
		if found.report == nil {
			continue
		}
		for _, t := range found.report.Touched {
			ref := in.ref(id, t.Worktree.Ref)
			touched[ref] = t
			if d, known := found.distances[t.Head]; known {
				far[ref] = d
			}
		}
		for _, left := range found.report.Skipped {
			skipped[in.ref(id, left.ID)] = left.Reason
		}
	}
	names := spawn.Names(in.worktrees)
	shown, at := make([]Worktree, len(in.worktrees)), map[string]int{}
	for i, w := range in.worktrees {
		shown[i] = Worktree{Ref: w.Ref, Name: names[w.Path], Repo: w.Repo, Path: w.Path, Branch: w.Branch, Agent: w.Agent, By: w.By(), Maker: w.Maker, Main: w.Marks.Main, Seen: !w.Row(),
			Task: w.TaskID, TaskName: w.Task, Conflicts: []string{}, Problem: skipped[w.Ref], Missing: in.gone[w.Ref], Sessions: in.sessionsIn(w), Marks: w.Marks}
		if w.Row() {
			shown[i].Since = &w.UpdatedAt
		}
		at[w.Ref] = i
	}
	for _, c := range all {
		for k, side := range c.Sides {
			if i, ok := at[side.Worktree]; ok {
				c.Sides[k].Name = shown[i].Name
			}
		}
		if c.Depth != conflict.DepthMerge {
			continue
		}
		for _, side := range c.Sides {
			if i, ok := at[side.Worktree]; ok {
				shown[i].meets(c)
			}
		}
	}
	for i := range shown {
		if t, ok := touched[shown[i].Ref]; ok {
			n := filesOf(t)
			shown[i].Touched, shown[i].Changed, shown[i].Head = &n, &t.Uncommitted, t.Head
		}
		if d, known := far[shown[i].Ref]; known {
			shown[i].Ahead, shown[i].Behind = &d.Ahead, &d.Behind
		}
		if w := shown[i]; in.sweep != nil && (w.Changed != nil && *w.Changed > 0 || w.Ahead != nil && *w.Ahead > 0) {
			shown[i].Sweep = in.sweep(in.worktrees[i])
		}
		shown[i].Notes = notes(shown[i].Sessions, shown[i].Sweep, shown[i].Marks)
		shown[i].State = stateOf(in.worktrees[i].Status, shown[i])
	}
	return shown
}

// sessionsIn counts the sessions that clients have open in a worktree.
func (in input) sessionsIn(w worktree.Worktree) (n int) {
	for _, p := range in.present {
		if w.Row() && p.WorktreeID == w.ID || !w.Row() && p.In(w.Path) {
			n += p.Sessions
		}
	}
	return n
}

// withoutIdleMain leaves out main checkouts on their default branch without uncommitted changes and without an agent: no one works
// there.
func withoutIdleMain(shown []Worktree, rows []worktree.Worktree, repos map[int64]repo.Repo, agents []Agent) []Worktree {
	kept := []Worktree{}
	for i, w := range shown {
		busy := w.Changed != nil && *w.Changed > 0 || slices.ContainsFunc(agents, func(a Agent) bool { return a.Worktree == w.Ref && a.State != string(presence.Gone) })
		if !w.Main || busy || w.Branch != repos[rows[i].RepoID].DefaultBranch {
			kept = append(kept, w)
		}
	}
	return kept
}

// filesOf counts the files that a worktree touches. Later changes of the default branch do not count.
func filesOf(t conflict.Touched) (touched int) {
	for _, f := range t.Files {
		if f.Change != conflict.Inherited {
			touched++
		}
	}
	return touched
}

// folderGone is the word for a worktree whose folder was removed or moved by hand.
const folderGone = "folder is gone"

// stateOf returns the word for a worktree's state.
func stateOf(status worktree.Status, w Worktree) string {
	switch {
	case status == worktree.Creating || status == worktree.Removing:
		return string(status)
	case w.Missing, w.Marks.Prunable:
		return folderGone
	case w.Problem != "":
		return "not scanned"
	case len(w.Conflicts) > 0:
		return "conflicts with " + strings.Join(w.Conflicts, ", ")
	case w.Changed == nil:
		return "unknown"
	case *w.Changed > 0:
		return strconv.Itoa(*w.Changed) + " changed"
	case status == worktree.Stale:
		return "stale"
	}
	return "clean"
}

// agentsShown returns the active agents by name, each once per worktree.
func (in input) agentsShown(worktrees []Worktree, held []Task) []Agent {
	here, trees, rows := map[int64]bool{}, map[string]Worktree{}, map[string]agent.Agent{}
	for _, r := range in.repos {
		here[r.ID] = true
	}
	for _, w := range worktrees {
		trees[w.Ref] = w
	}
	for _, a := range in.agents {
		rows[a.Name] = a
	}
	claims := map[string]Task{} // an agent's task; a task in progress takes precedence over a claimed one
	for _, t := range held {
		if _, known := claims[t.Agent]; t.Agent != "" && !known &&
			(t.State == TaskProgress || t.State == TaskClaimed || t.State == TaskBlocked || t.State == TaskReady && t.Stood != nil) {
			claims[t.Agent] = t
		}
	}
	shown := []Agent{}
	for _, p := range in.present {
		claim, claims := claims[p.Agent]
		if !here[p.RepoID] && !(in.elsewhere[p.RepoID] && p.Host != "") && !(p.RepoID == 0 && claims) {
			continue
		}
		one := Agent{Name: p.Agent, State: string(p.State), Note: p.Note, Source: string(p.Source), Host: p.Host, LastSeen: rows[p.Agent].LastSeen,
			Repo: p.Repo, Worktree: p.Worktree, Task: trees[p.Worktree].Task, TaskName: trees[p.Worktree].TaskName}
		if w, seen := trees[p.Folder]; seen && p.In(w.Path) {
			one.Worktree = w.Ref
		}
		one.Halted = slices.ContainsFunc(in.halted, func(h halted) bool { return h.name == p.Agent })
		if !p.Since.IsZero() {
			one.Since = &p.Since
		}
		elsewhere := slices.ContainsFunc(in.present, func(o presence.Presence) bool {
			return o.Agent == p.Agent && o.Worktree != p.Worktree && o.Worktree == claim.Worktree
		})
		if one.Task == "" && claims && (claim.Worktree == "" || !elsewhere) {
			one.Task, one.TaskName = claim.ID, claim.Name
		}
		holds := slices.ContainsFunc(held, func(t Task) bool {
			return t.ID == one.Task && t.Agent == p.Agent && t.Stood != nil && t.State != TaskFailed
		})
		if p.State == presence.Gone && holds && in.freedAfter > 0 {
			one.FreedAt = &timestamp.Time{Time: one.LastSeen.Add(in.freedAfter)}
		}
		shown = append(shown, one)
	}
	slices.SortStableFunc(shown, func(a, b Agent) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Repo, b.Repo), cmp.Compare(a.Worktree, b.Worktree))
	})
	return shown
}

// agentsSeen returns the clients whose last answers were in a worktree without a known agent. No hook reports what they do.
func (in input) agentsSeen(worktrees []Worktree) []Agent {
	var shown []Agent
	for _, sighting := range in.today.Seen {
		i := slices.IndexFunc(worktrees, func(w Worktree) bool { return w.Path == sighting.Worktree })
		if i < 0 {
			continue
		}
		w := worktrees[i]
		told := slices.ContainsFunc(in.present, func(p presence.Presence) bool {
			return p.State != presence.Gone && (p.Worktree == w.Ref || p.In(w.Path))
		})
		if told {
			continue
		}
		at := timestamp.Of(sighting.At)
		shown = append(shown, Agent{Name: sighting.Client, State: StateSeen, Since: &at, Source: sourceSessions, LastSeen: at, Repo: w.Repo, Worktree: w.Ref, Task: w.Task, TaskName: w.TaskName})
	}
	slices.SortStableFunc(shown, func(a, b Agent) int { return cmp.Or(cmp.Compare(a.Repo, b.Repo), cmp.Compare(a.Worktree, b.Worktree)) })
	return shown
}

// foldAfter is how long an agent that is gone stays in the list.
const foldAfter = 24 * time.Hour

// foldGone removes agents that have been gone for more than a day and hold nothing that someone may wait for. They are counted, and
// their worktrees are listed separately.
func foldGone(agents []Agent, now time.Time) []Agent {
	return slices.DeleteFunc(agents, func(a Agent) bool {
		return a.State == string(presence.Gone) && a.Since != nil && now.Sub(a.Since.Time) > foldAfter && a.Task == "" && !a.Halted && a.FreedAt == nil
	})
}

// landingsShown returns the queue in order, then the returned landings, then the finished ones.
func (in input) landingsShown(worktrees []Worktree) []Landing {
	shown := []Landing{}
	for _, l := range in.landings {
		if l.State == land.Cancelled || slices.ContainsFunc(in.reviews, func(v review.Review) bool { return v.Outdates(l) }) {
			continue
		}
		for _, w := range worktrees {
			if l.Agent == "" && w.Ref == l.Worktree {
				l.Agent = w.Agent // a person requested the landing of the agent's work
			}
		}
		one := Landing{ID: l.ID, Repo: l.Repo, Position: l.Position, State: string(l.State), Since: cmp.Or(l.FinishedAt, l.StartedAt, &l.AskedAt), Agent: l.Agent,
			Worktree: l.Worktree, Name: cmp.Or(nameOf(worktrees, l.Worktree), l.Task, l.Worktree), Gate: strings.Join(l.Gate, "; "),
			Reason: whyReturned(l), Commit: short(l.Commit), Log: l.Log}
		if l.State == land.Running && l.GateResult == land.GateRunning {
			one.State, one.Since = "gate running", cmp.Or(l.GateAt, one.Since)
		}
		shown = append(shown, one)
	}
	return shown
}

// whyReturned returns a short reason why a landing was returned.
func whyReturned(l land.Landing) string {
	if l.State == land.Returned && l.GateResult == land.GateFailed {
		return "gate failed: " + strings.Join(l.Gate, "; ")
	}
	reason := text.FirstLine(l.Reason, longestReason)
	if _, rest, ok := strings.Cut(reason, " was not merged: "); ok {
		return rest
	}
	return reason
}

// tasksShown counts tasks by word and lists the unfinished ones.
func (in input) tasksShown() Tasks {
	shown := Tasks{Counts: map[string]int{}, List: []Task{}}
	one := func(t task.Task, state string, since, stood *timestamp.Time, on []string) {
		if on == nil {
			on = []string{}
		}
		shown.List = append(shown.List, Task{ID: t.ID, Name: t.Name, State: state, On: on, Since: since, Priority: t.Priority,
			Agent: t.Agent, Stood: stood, Repo: t.Repo, Worktree: t.Worktree, Result: t.Result})
	}
	word := map[string]string{task.InProgress: TaskProgress, task.Claimed: TaskClaimed}
	for _, look := range in.tasks {
		for status, n := range map[string]int{TaskProgress: look.Counts[task.InProgress], TaskClaimed: look.Counts[task.Claimed],
			TaskBlocked: look.Counts[task.Blocked], TaskFailed: look.Counts[task.Failed], TaskDone: look.Counts[task.Completed],
			TaskReady: look.Ready, TaskWaits: max(0, look.Counts[task.Pending]-look.Ready)} {
			shown.Counts[status] += n
		}
		for _, t := range look.Moving {
			one(t.Task, word[t.Status], cmp.Or(t.StartedAt, t.Since), t.Claim, nil)
		}
		for _, t := range look.Blocked {
			one(t.Task, TaskBlocked, t.Since, t.Claim, t.On)
		}
		for _, t := range look.Failed {
			one(t, TaskFailed, t.CompletedAt, t.CompletedAt, nil)
		}
		for _, t := range look.Queue {
			one(t.Task, TaskReady, &t.CreatedAt, t.Claim, nil)
		}
		for _, t := range look.Waits {
			one(t.Task, TaskWaits, &t.CreatedAt, nil, t.On)
		}
	}
	listed := map[string]int{}
	for _, t := range shown.List {
		listed[t.State]++
	}
	for word, n := range shown.Counts { // canceled tasks count as failed here and are not listed
		if word != TaskDone && (word != TaskFailed || listed[word] >= taskRows) {
			shown.Unlisted += max(0, n-listed[word])
		}
	}
	return shown
}
