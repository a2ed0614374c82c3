package overview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/land/trial"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/text"
)

// urgency is the order of the kinds: first a stopped agent, then needs that hold up finished work, then needs that hold up work that
// has not begun.
var urgency = map[Kind]int{NeedAnswer: 0, NeedReview: 1, NeedLanding: 2, NeedFolder: 3, NeedConflict: 4, NeedTrial: 5, NeedBlocked: 6, NeedFailed: 7, NeedHalted: 8}

// needs returns what waits for a person: by urgency, then the longest wait first.
func (in input) needs(s *State) []Need {
	all, bugs := []Need{}, map[string][]string{} // ids of the bugs that block a task
	all = append(all, in.questionNeeds(s.Worktrees)...)
	for _, a := range s.Agents {
		if a.State == string(presence.Waiting) && !asksHere(all, a) {
			reason := "it did not say what it asks"
			if a.Note != "" {
				reason = "asks: " + a.Note
			}
			all = append(all, Need{Kind: NeedAnswer, Who: a.Name, State: a.State, Since: a.Since, Reason: reason,
				What: nameOf(s.Worktrees, a.Worktree), Repo: a.Repo, Worktree: a.Worktree, Task: a.Task, Agent: a.Name})
		}
	}
	for _, l := range s.Landings {
		if l.State == string(land.Returned) && !workedOn(s.Agents, l.Worktree) {
			all = append(all, Need{Kind: NeedLanding, Who: cmp.Or(l.Agent, l.Name), State: l.State, Since: l.Since, Reason: l.Reason,
				What: l.Name, Repo: l.Repo, Worktree: l.Worktree, Agent: l.Agent, Landing: l.ID})
		}
	}
	for _, v := range in.reviews {
		all = append(all, reviewNeed(v, nameOf(s.Worktrees, v.Worktree)))
	}
	for _, w := range s.Worktrees {
		if w.Missing { // the start is unknown
			all = append(all, Need{Kind: NeedFolder, Who: cmp.Or(w.Agent, w.Name), State: w.State,
				Reason: obstacle.FolderHint, What: w.Name, Repo: w.Repo, Worktree: w.Ref, Agent: w.Agent})
		}
	}
	all = append(all, conflictNeeds(s.Conflicts)...)
	all = append(all, in.trialNeeds(s.Worktrees)...)
	for _, look := range in.tasks {
		for _, t := range look.Blocked {
			bugs[t.ID] = t.On
			all = append(all, Need{Kind: NeedBlocked, Who: t.Name, State: "blocked", Since: t.Since, Reason: strings.TrimPrefix(t.Why, "it is "),
				What: t.ID, Repo: t.Repo, Worktree: t.Worktree, Task: t.ID, TaskName: t.Name, Agent: t.Agent})
		}
		for _, t := range look.Failed {
			all = append(all, Need{Kind: NeedFailed, Who: t.Name, State: "failed", Since: t.CompletedAt, Reason: text.FirstLine(t.Result, longestReason),
				What: t.ID, Repo: t.Repo, Worktree: t.Worktree, Task: t.ID, TaskName: t.Name, Agent: t.Agent})
		}
	}
	all = foldFailures(all)
	for _, h := range in.halted {
		all = append(all, Need{Kind: NeedHalted, Who: h.name, State: "halted", Since: &h.since, Agent: h.name,
			Reason: text.Count(h.bugs, "bug", "bugs") + "; `memoryd agent resume " + h.name + "` lets it go on"})
	}
	nameTasks(all, s.Worktrees)
	for i, n := range all {
		if sum, ok := in.took[n.Task]; ok && n.Task != "" {
			all[i].Cost = sum.Words()
		}
		if at := slices.IndexFunc(s.Worktrees, func(w Worktree) bool { return n.Worktree != "" && w.Ref == n.Worktree }); at >= 0 && n.Kind != NeedReview {
			all[i].Change = s.Worktrees[at].change()
		}
		all[i].Key, all[i].Next = n.ID(), n.next(bugs[n.Task])
	}
	slices.SortStableFunc(all, func(a, b Need) int {
		return cmp.Or(cmp.Compare(urgency[a.Kind], urgency[b.Kind]), older(a, b))
	})
	return all
}

// foldFailures merges the needs of tasks that failed for the same reason: a broken gate or a missing login is one problem for a person.
// The first need stands for all, lists the others, and has the earliest start.
func foldFailures(needs []Need) []Need {
	folded := []Need{} // an empty list, so that a page never gets null
	first, alike := map[string]int{}, map[int][]string{}
	for _, n := range needs {
		if n.Kind == NeedFailed {
			cause := n.Repo + "\x00" + causeOf(n.Reason)
			at, known := first[cause]
			if known && n.Reason != "" {
				alike[at] = append(alike[at], n.Task)
				if older(n, folded[at]) < 0 {
					folded[at].Since = n.Since
				}
				continue
			}
			first[cause] = len(folded)
		}
		folded = append(folded, n)
	}
	for at, others := range alike {
		folded[at].Reason = fmt.Sprintf("%d tasks failed alike, also %s: %s", len(others)+1, text.Few(others), folded[at].Reason)
	}
	return folded
}

// causeOf returns a reason without the words that name its task, run or place: words with digits, and punctuation around words.
func causeOf(reason string) string {
	var words []string
	for _, word := range strings.Fields(reason) {
		word = strings.Trim(word, `.,;:"'`+"`()")
		if !strings.ContainsAny(word, "0123456789") {
			words = append(words, strings.ToLower(word))
		}
	}
	return strings.Join(words, " ")
}

// questionNeeds returns the permission requests of agents, each with the whole call.
func (in input) questionNeeds(worktrees []Worktree) (all []Need) {
	for _, q := range in.questions {
		reason := "asks: " + text.FirstLine(q.Call, longestReason)
		if more := strings.Count(strings.TrimSpace(q.Call), "\n"); more > 0 {
			reason += " (and " + text.Count(more, "more line", "more lines") + ")"
		}
		all = append(all, Need{Kind: NeedAnswer, Who: q.Agent, State: string(presence.Waiting), Since: &q.AskedAt, Reason: reason,
			What: nameOf(worktrees, q.Worktree), Repo: q.Repo, Worktree: q.Worktree, Task: q.Task, TaskName: q.TaskName, Agent: q.Agent,
			Question: &Question{ID: q.ID, Call: q.Call, Rules: q.Rules, Until: q.Until}})
	}
	return all
}

// asksHere reports whether the needs contain a question of an agent. Its state "waiting for you" is about that question.
func asksHere(needs []Need, a Agent) bool {
	return slices.ContainsFunc(needs, func(n Need) bool { return n.Question != nil && n.Agent == a.Name && n.Worktree == a.Worktree })
}

// nameTasks adds the task to each need about a worktree.
func nameTasks(needs []Need, worktrees []Worktree) {
	for i, n := range needs {
		for _, w := range worktrees {
			if n.Worktree != "" && w.Ref == n.Worktree && (n.Task == "" || n.Task == w.Task) {
				needs[i].Task, needs[i].TaskName = w.Task, w.TaskName
			}
		}
	}
}

// change describes a worktree's changes: commits that the default branch lacks, and files; "" while git's answer is missing.
func (w Worktree) change() string {
	var parts []string
	if w.Ahead != nil && *w.Ahead > 0 {
		parts = append(parts, text.Count(*w.Ahead, "commit", "commits"))
	}
	if w.Touched != nil && *w.Touched > 0 {
		parts = append(parts, text.Count(*w.Touched, "file", "files"))
	}
	return strings.Join(parts, ", ")
}

// ID returns an id that stays the same while a need lasts, even if its reason changes.
func (n Need) ID() string {
	parts := []string{string(n.Kind), n.Who, n.Worktree, n.Task, fmt.Sprint(n.Landing)}
	if n.Question != nil { // an agent may ask several questions at once
		parts = append(parts, n.Question.ID)
	}
	if n.Conflict != nil { // a worktree may be in several conflicts
		parts = append(parts, n.Conflict.between())
	}
	return strings.ReplaceAll(strings.Join(parts, "\n"), "\x00", "\n") // a page cannot hold NUL characters
}

// older sorts the longest wait first, and an unknown wait last.
func older(a, b Need) int {
	switch {
	case a.Since == nil && b.Since == nil:
		return 0
	case a.Since == nil:
		return 1
	case b.Since == nil:
		return -1
	}
	return a.Since.Compare(b.Since.Time)
}

// conflictNeeds returns the merge conflicts, one for all files in which the same worktrees conflict: the first file with its lines, and
// the other sides.
func conflictNeeds(conflicts []Conflict) (all []Need) {
	at, files := map[string]int{}, map[string]int{}
	for i, c := range conflicts {
		if c.Depth != conflict.DepthMerge {
			continue
		}
		key := c.Repo + "\x00" + c.between()
		if files[key]++; files[key] > 1 {
			need := &all[at[key]]
			if need.Since == nil || c.Since != nil && c.Since.Before(need.Since.Time) {
				need.Since = c.Since
			}
			continue
		}
		at[key] = len(all)
		one := c.Sides[0]
		all = append(all, Need{Kind: NeedConflict, Who: cmp.Or(one.Agent, one.Name), State: "conflict", Since: c.Since,
			Reason: strings.TrimRight(c.File+" "+c.Lines, " "), What: one.Name, Repo: c.Repo, Worktree: one.Worktree, Agent: one.Agent, Conflict: &conflicts[i]})
	}
	for _, c := range conflicts {
		key := c.Repo + "\x00" + c.between()
		n := files[key]
		if n == 0 || c.Depth != conflict.DepthMerge {
			continue
		}
		need := &all[at[key]]
		if n > 1 {
			need.Reason += " and " + text.Count(n-1, "more file", "more files")
		}
		need.Reason += " with " + strings.Join(c.others(), ", ")
		files[key] = 0
	}
	return all
}

// trialNeeds returns the failures of the last trials for worktrees that still exist, each under the worktree that lands last.
func (in input) trialNeeds(worktrees []Worktree) (all []Need) {
	for _, r := range in.repos {
		t := in.trials[r.ID]
		if t == nil {
			continue
		}
		here := func(p trial.Party) int {
			ref := in.ref(r.ID, p.Name)
			return slices.IndexFunc(worktrees, func(w Worktree) bool { return w.Ref == ref })
		}
		for _, f := range t.Failures {
			if slices.ContainsFunc(f.Parties, func(p trial.Party) bool { return here(p) < 0 }) {
				continue
			}
			w, reason := worktrees[here(f.Parties[len(f.Parties)-1])], f.Sentence()
			if f.Log != "" {
				reason += "; its log: " + f.Log
			}
			all = append(all, Need{Kind: NeedTrial, Who: cmp.Or(w.Agent, w.Name), State: "trial red", Since: &t.At, Reason: reason,
				What: w.Name, Repo: r.Name, Worktree: w.Ref, Agent: w.Agent})
		}
	}
	return all
}

// others returns the display names of all sides but the first.
func (c Conflict) others() (names []string) {
	for _, side := range c.Sides[1:] {
		names = append(names, c.called(side))
	}
	return names
}

// called returns the display name of a side: its agent, or the worktree when that agent has several sides.
func (c Conflict) called(side Side) string {
	for _, other := range c.Sides {
		if other.Agent == side.Agent && other.Worktree != side.Worktree {
			return side.Name
		}
	}
	return cmp.Or(side.Agent, side.Name)
}

// workedOn reports whether an agent is active in a worktree; that agent will then mend work that was returned to it.
func workedOn(agents []Agent, worktree string) bool {
	return slices.ContainsFunc(agents, func(a Agent) bool { return a.Worktree == worktree && a.State == string(presence.Working) })
}

// reviewNeed describes a branch that waits for acceptance: the size of its change and the result of its gate.
func reviewNeed(v review.Review, name string) Need {
	reason := fmt.Sprintf("+%d -%d in %s", v.Insertions, v.Deletions, text.Count(v.Files, "file", "files"))
	if v.Gate != "" {
		reason += ", gate " + v.Gate
	}
	if v.Doubt != "" {
		reason += "; " + text.FirstLine(v.Doubt, longestReason)
	}
	state := "to review"
	if v.Pull != "" {
		state, reason = proposed, v.Pull+", "+reason
	}
	return Need{Kind: NeedReview, Who: cmp.Or(v.Agent, name), State: state, Since: &v.AskedAt, Reason: reason,
		What: name, Repo: v.Repo, Worktree: v.Worktree, Task: v.TaskID, Agent: v.Agent, Commit: v.Tip}
}

// proposed is the state of work that waits for a review while its pull request is open.
const proposed = "pull request"

func nameOf(worktrees []Worktree, ref string) string {
	for _, w := range worktrees {
		if w.Ref == ref {
			return w.Name
		}
	}
	return ""
}

// longestReason bounds a reason, in bytes: it is one line of a screen.
const longestReason = 1000

// next returns a sentence on what a person does about a need, with the command if there is one; "" when the reason contains it. on are
// the ids of the bugs that block a task, empty when a person holds it.
func (n Need) next(on []string) string {
	switch n.Kind {
	case NeedAnswer:
		if n.Question != nil {
			return fmt.Sprintf("`agit answer %s --allow`, or --always, or --deny \"why\"", n.Question.ID)
		}
		return "answer it in the window in which it runs"
	case NeedReview:
		if n.State == proposed { // with land = "pr" only the forge lands it
			return fmt.Sprintf("`agit diff %s` shows it; merge its pull request at the forge, or, unless land is \"pr\", `agit review %[1]s --accept` lands it; --return \"why\" returns it", n.Worktree)
		}
		return fmt.Sprintf("`agit diff %s` shows it, `agit review %[1]s --accept` lands it, and --return \"why\" gives it back", n.Worktree)
	case NeedLanding:
		return fmt.Sprintf("its agent, or you, mends it in the worktree; `agit merge %s` tries again", n.Worktree)
	case NeedConflict:
		return n.Conflict.Next()
	case NeedTrial:
		return "their agents, or you, mend one of them; `agit trial` tries again"
	case NeedBlocked:
		if len(on) > 0 {
			return fmt.Sprintf("once it is mended, `agit bug set %s fixed` says so", on[0])
		}
		return fmt.Sprintf("`agit tasks unblock %s` lets it go on", n.Task)
	case NeedFailed:
		return fmt.Sprintf("`agit tasks reopen %s` puts it back in the queue", n.Task)
	}
	return ""
}

// Next returns how to resolve a conflict that git cannot merge.
func (c Conflict) Next() string {
	if c.with != "" {
		return fmt.Sprintf("`git merge %s` in the worktree; its agent resolves and commits there", text.ShellWord(c.with))
	}
	return "land one of them; the agent of the other then merges the default branch into its worktree, and resolves and commits there"
}
