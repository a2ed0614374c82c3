package overview

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/timestamp"
)

// minute returns a time of a morning.
func minute(n int) timestamp.Time {
	return timestamp.Time{Time: time.Date(2026, 11, 25, 9, n, 0, 0, time.UTC)}
}

func at(n int) *timestamp.Time {
	m := minute(n)
	return &m
}

// inApp returns the input of an empty repository "app".
func inApp() input {
	return input{rows: rows{repos: []repo.Repo{{ID: 1, Name: "app", DefaultBranch: "main"}}}, scans: map[int64]scan{}}
}

func (in *input) meet(name string, state presence.State, worktree string) {
	in.present = append(in.present, presence.Presence{Agent: name, RepoID: 1, Repo: "app", Worktree: worktree, Shown: presence.Shown{State: state}})
}

// Of an agent's tasks, the one in progress is shown.
func TestWhichClaimIsShown(t *testing.T) {
	t.Parallel()
	moving := func(id, status string) task.Waiting {
		return task.Waiting{Task: task.Task{ID: id, Name: "name of " + id, Status: status, Agent: "ann"}, Claim: at(1)}
	}
	for name, c := range map[string]struct {
		look task.Outlook
		want string
	}{
		"begun before claimed":   {task.Outlook{Moving: []task.Waiting{moving("T-2", task.InProgress), moving("T-1", task.Claimed)}}, "T-2"},
		"claimed before blocked": {task.Outlook{Moving: []task.Waiting{moving("T-1", task.Claimed)}, Blocked: []task.Waiting{moving("T-2", task.Blocked)}}, "T-1"},
		"blocked":                {task.Outlook{Blocked: []task.Waiting{moving("T-2", task.Blocked)}}, "T-2"},
		"not what failed":        {task.Outlook{Failed: []task.Task{{ID: "T-3", Agent: "ann"}}}, ""},
		"not what is ready":      {task.Outlook{Queue: []task.Waiting{{Task: task.Task{ID: "T-3", Agent: "ann"}}}}, ""},
		"ready, and still held":  {task.Outlook{Queue: []task.Waiting{moving("T-3", task.Claimed)}}, "T-3"},
		"not another agent's":    {task.Outlook{Moving: []task.Waiting{{Task: task.Task{ID: "T-3", Status: task.Claimed, Agent: "bob"}}}}, ""},
	} {
		in := inApp()
		in.meet("ann", presence.Working, "")
		in.tasks = []task.Outlook{c.look}
		got := derive(in).Agents
		if len(got) != 1 || got[0].Task != c.want || c.want != "" && got[0].TaskName != "name of "+c.want {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
	}
}

// An agent elsewhere is shown only with its work here: in a repository of this machine, or by a claim alone.
func TestAgentsHere(t *testing.T) {
	t.Parallel()
	in := inApp()
	in.meet("ann", presence.Working, "")
	in.present = append(in.present, presence.Presence{Agent: "bob", RepoID: 2}, presence.Presence{Agent: "cy"}, presence.Presence{Agent: "dee"})
	in.tasks = []task.Outlook{{Moving: []task.Waiting{{Task: task.Task{ID: "T-1", Status: task.Claimed, Agent: "cy"}}}}}
	var names []string
	for _, a := range derive(in).Agents {
		names = append(names, a.Name)
	}
	if !slices.Equal(names, []string{"ann", "cy"}) {
		t.Errorf("agents are %v", names)
	}
}

// Agents in the project's repositories on other machines are listed with their machine and their tasks.
func TestAgentsElsewhere(t *testing.T) {
	t.Parallel()
	in := inApp()
	in.elsewhere, in.freedAfter = map[int64]bool{2: true}, time.Hour
	in.present = []presence.Presence{
		{Agent: "bob", RepoID: 2, Worktree: "w-2", Host: "laptop", Shown: presence.Shown{State: presence.Gone}},
		{Agent: "cy", RepoID: 3, Host: "laptop"},
		{Agent: "dee", RepoID: 2}, // the agent has left this machine's row
	}
	in.tasks = []task.Outlook{{Moving: []task.Waiting{{Task: task.Task{ID: "T-1", Name: "Menu", Status: task.InProgress, Agent: "bob", Worktree: "w-2"}, Claim: at(1)}}}}
	got := derive(in).Agents
	if len(got) != 1 || got[0].Name != "bob" || got[0].Host != "laptop" || got[0].Task != "T-1" || got[0].TaskName != "Menu" || got[0].FreedAt == nil {
		t.Errorf("%+v", got)
	}
}

// An agent in a folder of another machine is not in the folder of that name here.
func TestFoldersOfOtherMachines(t *testing.T) {
	t.Parallel()
	in := inApp()
	in.elsewhere = map[int64]bool{2: true}
	in.worktrees = []worktree.Worktree{{Ref: "/src/app", Listed: "app", RepoID: 1, Repo: "app", Path: "/src/app", Branch: "main", Status: worktree.Active, Marks: seen.Marks{Main: true}}}
	in.present = []presence.Presence{{Agent: "bob", RepoID: 2, Repo: "app", Folder: "/src/app", Sessions: 2, Host: "laptop", Shown: presence.Shown{State: presence.Working}}}
	in.today.Seen = []costs.Sighting{{Client: "codex", Worktree: "/src/app", At: minute(4).Time}}
	s := derive(in)
	if len(s.Worktrees) != 1 || s.Worktrees[0].Sessions != 0 || len(s.Agents) != 2 || s.Agents[0].Worktree != "" || s.Agents[1].Name != "codex" {
		t.Errorf("%+v\n%+v", s.Worktrees, s.Agents)
	}
	in.today.Seen = nil
	if s := derive(in); len(s.Worktrees) != 0 {
		t.Errorf("nobody is in the main checkout: %+v", s.Worktrees)
	}
}

// The expiry of a gone agent's claims is shown only if it holds something and there is a limit.
func TestFreedAt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state presence.State
		after time.Duration
		claim *timestamp.Time
		want  *timestamp.Time
	}{
		"gone":               {presence.Gone, 30 * time.Minute, at(1), at(40)},
		"working":            {presence.Working, 30 * time.Minute, at(1), nil},
		"without a limit":    {presence.Gone, 0, at(1), nil},
		"assigned, not held": {presence.Gone, 30 * time.Minute, nil, nil},
	} {
		in := inApp()
		in.freedAfter = c.after
		in.meet("ann", c.state, "")
		in.agents = []agent.Agent{{Name: "ann", LastSeen: minute(10)}}
		in.tasks = []task.Outlook{{Moving: []task.Waiting{{Task: task.Task{ID: "T-1", Status: task.InProgress, Agent: "ann"}, Claim: c.claim}}}}
		if diff := cmp.Diff(c.want, derive(in).Agents[0].FreedAt); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Landings are in the queue's order; cancelled ones, and those that a later review replaces, are not shown.
func TestLandingsShown(t *testing.T) {
	t.Parallel()
	in := inApp()
	in.worktrees = []worktree.Worktree{{Ref: "w-1", Path: "/trees/login", Repo: "app", Agent: "ann"}, {Ref: "w-2", Path: "/trees/menu", Repo: "app"}}
	in.landings = []land.Landing{
		{ID: 7, Worktree: "w-1", Repo: "app", State: land.Running, GateResult: land.GateRunning, Gate: []string{"make lint", "make test"}, GateAt: at(5), StartedAt: at(4), AskedAt: minute(1), Position: 1},
		{ID: 8, Worktree: "w-2", Repo: "app", State: land.Queued, AskedAt: minute(2), Position: 2},
		{ID: 6, Worktree: "w-3", Repo: "app", State: land.Cancelled, AskedAt: minute(1), FinishedAt: at(2)},
		{ID: 5, Worktree: "w-4", Repo: "app", Task: "Search", State: land.Returned, GateResult: land.GateFailed, Gate: []string{"make test"}, Reason: "exit status 1", FinishedAt: at(3), AskedAt: minute(1)},
		{ID: 4, Worktree: "w-5", Repo: "app", State: land.Returned, Tip: "old", FinishedAt: at(3), AskedAt: minute(1)},
		{ID: 3, Worktree: "w-6", Repo: "app", State: land.Returned, Reason: `worktree "w-6" was not merged: it is behind` + "\nmore", FinishedAt: at(3), AskedAt: minute(1)},
		{ID: 2, Worktree: "w-7", Repo: "app", State: land.Landed, Commit: "0123456789", FinishedAt: at(1), AskedAt: minute(0)},
	}
	in.reviews = []review.Review{{Worktree: "w-5", Tip: "new", AskedAt: minute(4)}}
	s := derive(in)
	type line struct {
		ID                                 int64
		State, Name, Agent, Reason, Commit string
		Since                              int
	}
	var got []line
	for _, l := range s.Landings {
		got = append(got, line{l.ID, l.State, l.Name, l.Agent, l.Reason, l.Commit, l.Since.Minute()})
	}
	want := []line{
		{7, "gate running", "login", "ann", "", "", 5},
		{8, "queued", "menu", "", "", "", 2},
		{5, "returned", "Search", "", "gate failed: make test", "", 3},
		{3, "returned", "w-6", "", "it is behind", "", 3},
		{2, "landed", "w-7", "", "", "0123456", 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s.Totals.Landings != 2 {
		t.Errorf("%d are under way, want 2", s.Totals.Landings)
	}
}

// Merge conflicts come first, then overlapping lines, then equal files; within each, they are sorted by name.
func TestOrderOfConflicts(t *testing.T) {
	t.Parallel()
	in := inApp()
	found := func(file string, depth conflict.Depth) conflict.Conflict {
		return conflict.Conflict{File: file, Depth: depth, Worktrees: []conflict.Side{{ID: "w-1"}, {ID: "w-2"}}}
	}
	in.scans[1] = scan{report: &conflict.Report{Conflicts: []conflict.Conflict{found("a", conflict.DepthFile), found("d", conflict.DepthMerge),
		found("b", conflict.DepthLines), found("c", conflict.DepthMerge), found("a", conflict.DepthLines)}}}
	var order []string
	s := derive(in)
	for _, c := range s.Conflicts {
		order = append(order, c.File+" "+string(c.Depth))
	}
	if want := []string{"c merge", "d merge", "a lines", "b lines", "a file"}; !slices.Equal(order, want) {
		t.Errorf("they are %q, want %q", order, want)
	}
	if s.Totals.Conflicts == nil || *s.Totals.Conflicts != 5 {
		t.Errorf("%v are counted", s.Totals.Conflicts)
	}
}

// The start of a conflict is the earliest known time: from the registry's pair, or from this process.
func TestSinceOfConflicts(t *testing.T) {
	t.Parallel()
	one := conflict.Conflict{File: "a", Depth: conflict.DepthMerge, Worktrees: []conflict.Side{{ID: "w-1"}, {ID: "w-2"}}, Pairs: []conflict.Pair{{A: "w-1", B: "w-2"}}}
	key := Conflict{File: "a", Depth: conflict.DepthMerge, Sides: []Side{{Worktree: "w-1"}, {Worktree: "w-2"}}}.Key()
	pair := conflict.FoundKey{A: "w-1", B: "w-2", File: "a"}
	for name, c := range map[string]struct {
		seen, stored *timestamp.Time
		want         *timestamp.Time
	}{
		"unknown":      {nil, nil, nil},
		"seen":         {at(5), nil, at(5)},
		"stored":       {nil, at(4), at(4)},
		"stored first": {at(5), at(4), at(4)},
		"seen first":   {at(3), at(4), at(3)},
	} {
		in := inApp()
		looked := scan{report: &conflict.Report{Conflicts: []conflict.Conflict{one}}, since: map[string]time.Time{}}
		if c.seen != nil {
			looked.since[key] = c.seen.Time
		}
		if c.stored != nil {
			in.found = map[int64]map[conflict.FoundKey]time.Time{1: {pair: c.stored.Time}}
		}
		in.scans[1] = looked
		if diff := cmp.Diff(c.want, derive(in).Conflicts[0].Since); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Needs are sorted by urgency, then by waiting time; an unknown time is last.
func TestOrderOfNeeds(t *testing.T) {
	t.Parallel()
	in := inApp()
	in.meet("ann", presence.Waiting, "")
	in.present[0].Note, in.present[0].Since = "which port?", minute(9)
	in.meet("bob", presence.Waiting, "")
	in.present[1].Since = minute(8)
	in.meet("cy", presence.Waiting, "") // since an unknown time
	in.halted = []halted{{name: "eve", bugs: 2, since: minute(1)}}
	in.worktrees = []worktree.Worktree{{Ref: "w-1", Path: "/trees/gone", Repo: "app", Agent: "ann"}}
	in.gone = map[string]bool{"w-1": true}
	in.reviews = []review.Review{{Worktree: "w-2", Repo: "app", Agent: "dee", AskedAt: minute(7), Insertions: 3, Deletions: 1, Files: 1, Gate: "passed", Tip: "abc"}}
	in.landings = []land.Landing{{ID: 4, Worktree: "w-3", Repo: "app", Task: "Menu", State: land.Returned, FinishedAt: at(6)}}
	in.scans[1] = scan{report: &conflict.Report{Conflicts: []conflict.Conflict{{File: "a.go", Depth: conflict.DepthMerge, Worktrees: []conflict.Side{{ID: "w-5", Agent: "fay"}, {ID: "w-6", Agent: "gil"}}}}}}
	in.tasks = []task.Outlook{{
		Blocked: []task.Waiting{{Task: task.Task{ID: "T-1", Name: "Blocked"}, Since: at(5), Why: "it is held back", On: []string{"BUG-1"}}},
		Failed:  []task.Task{{ID: "T-2", Name: "Newer", CompletedAt: at(4)}, {ID: "T-3", Name: "Older", CompletedAt: at(3), Result: "no bucket\nat line 3"}},
	}}
	s := derive(in)
	var got []string
	for _, n := range s.Needs {
		got = append(got, string(n.Kind)+" "+n.Who+": "+n.Reason)
	}
	want := []string{
		"answer bob: it did not say what it asks", "answer ann: asks: which port?", "answer cy: it did not say what it asks",
		"review dee: +3 -1 in 1 file, gate passed", "landing Menu: ", "folder ann: " + s.Needs[5].Reason, "conflict fay: a.go with gil",
		"blocked Blocked: held back", "failed Older: no bucket", "failed Newer: ",
		"halted eve: 2 bugs; `memoryd agent resume eve` lets it go on",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s.Totals.Needs != len(want) || s.Needs[3].Commit != "abc" || !strings.Contains(s.Needs[7].Next, "BUG-1") {
		t.Errorf("%d are counted, the review is %+v, the bug's %q", s.Totals.Needs, s.Needs[3], s.Needs[7].Next)
	}
}

// Returned work needs no person while an agent works on it in its worktree.
func TestReturnedWorkThatIsMended(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state    presence.State
		worktree string
		want     int
	}{
		"its agent works":       {presence.Working, "w-1", 0},
		"its agent is idle":     {presence.Idle, "w-1", 1},
		"its agent is gone":     {presence.Gone, "w-1", 1},
		"another worktree's":    {presence.Working, "w-2", 1},
		"an agent without one":  {presence.Working, "", 1},
		"it waits for a person": {presence.Waiting, "w-1", 2},
	} {
		in := inApp()
		in.meet("ann", c.state, c.worktree)
		in.worktrees = []worktree.Worktree{{Ref: "w-1", Path: "/trees/x", Repo: "app"}, {Ref: "w-2", Path: "/trees/y", Repo: "app"}}
		in.landings = []land.Landing{{ID: 1, Worktree: "w-1", Repo: "app", State: land.Returned, FinishedAt: at(1)}}
		if got := derive(in).Needs; len(got) != c.want {
			t.Errorf("%s: %+v, want %d", name, got, c.want)
		}
	}
}

// A worktree's word is its most important state.
func TestWordsOfWorktrees(t *testing.T) {
	t.Parallel()
	n := func(i int) *int { return &i }
	for _, c := range []struct {
		status worktree.Status
		w      Worktree
		want   string
	}{
		{worktree.Creating, Worktree{Missing: true}, "creating"},
		{worktree.Removing, Worktree{Changed: n(1)}, "removing"},
		{worktree.Active, Worktree{Missing: true, Problem: "x"}, "folder is gone"},
		{worktree.Active, Worktree{Problem: "x", Conflicts: []string{"bob"}}, "not scanned"},
		{worktree.Active, Worktree{Conflicts: []string{"bob", "main"}, Changed: n(1)}, "conflicts with bob, main"},
		{worktree.Active, Worktree{}, "unknown"},
		{worktree.Stale, Worktree{Changed: n(2)}, "2 changed"},
		{worktree.Stale, Worktree{Changed: n(0)}, "stale"},
		{worktree.Conflict, Worktree{Changed: n(0)}, "clean"},
	} {
		if got := stateOf(c.status, c.w); got != c.want {
			t.Errorf("%s %+v: %q, want %q", c.status, c.w, got, c.want)
		}
	}
}

// A conflict of two shown clones is listed once, with the rows of both.
func TestConflictsOfClones(t *testing.T) {
	t.Parallel()
	in := input{rows: rows{repos: []repo.Repo{{ID: 1, ProjectID: 7, Name: "one", DefaultBranch: "main"}, {ID: 2, ProjectID: 7, Name: "two", DefaultBranch: "main"}},
		worktrees: []worktree.Worktree{{ID: 1, Ref: "w-1", RepoID: 1, Path: "/one/a"}, {ID: 2, Ref: "/two/fix", RepoID: 2, Path: "/two/fix", Listed: "fix"}},
		listed:    map[int64]map[string]string{1: {}, 2: {"fix": "/two/fix"}}}, scans: map[int64]scan{}}
	met := func(own, theirs, clone string) *conflict.Report {
		return &conflict.Report{Conflicts: []conflict.Conflict{{File: "a.go", Depth: conflict.DepthMerge, Worktrees: []conflict.Side{{ID: own}, {ID: theirs, Clone: clone}}}}}
	}
	in.scans[1] = scan{report: met("w-1", "two/fix", "two")}
	in.scans[2] = scan{report: met("fix", "one/w-1", "one")}
	got := derive(in)
	if len(got.Conflicts) != 1 || got.Conflicts[0].Sides[0].Worktree != "w-1" || got.Conflicts[0].Sides[1].Worktree != "/two/fix" {
		t.Fatalf("%+v", got.Conflicts)
	}
	if w := got.Worktrees[1]; len(w.Conflicts) != 1 {
		t.Errorf("%+v", w)
	}
	in.repos = in.repos[1:] // the other clone is not shown
	if got := derive(in); len(got.Conflicts) != 1 || got.Conflicts[0].Sides[1].Worktree != "one/w-1" {
		t.Errorf("%+v", got.Conflicts)
	}
}

// Agents gone for more than a day are hidden, unless they hold a task or are halted.
func TestGoneAgentsAreFolded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	agent := func(name, state string, ago time.Duration) Agent {
		since := timestamp.Of(now.Add(-ago))
		return Agent{Name: name, State: state, Since: &since}
	}
	holds, halted, unknown := agent("holds", "gone", 48*time.Hour), agent("halted", "gone", 48*time.Hour), agent("unknown", "gone", 0)
	holds.Task, halted.Halted, unknown.Since = "t-1", true, nil
	var names []string
	for _, a := range foldGone([]Agent{agent("idle", "idle", 48*time.Hour), agent("old", "gone", 24*time.Hour+time.Second), agent("day", "gone", 24*time.Hour), holds, halted, unknown}, now) {
		names = append(names, a.Name)
	}
	if want := []string{"idle", "day", "holds", "halted", "unknown"}; !slices.Equal(names, want) {
		t.Errorf("shown are %v, not %v", names, want)
	}
}

// A client is seen in a worktree by its sessions if no agent is known there; a client in two worktrees counts twice.
func TestClientsAreSeen(t *testing.T) {
	t.Parallel()
	in := inApp()
	for _, name := range []string{"login", "readme", "told"} {
		in.worktrees = append(in.worktrees, worktree.Worktree{Ref: "/src/" + name, Listed: name, RepoID: 1, Repo: "app", Path: "/src/" + name, Branch: name, Status: worktree.Active})
	}
	in.meet("ann", presence.Working, "/src/told")
	in.today.Seen = []costs.Sighting{
		{Client: "claude-code", Worktree: "/src/readme", At: minute(5).Time}, {Client: "codex", Worktree: "/src/told", At: minute(4).Time},
		{Client: "claude-code", Worktree: "/src/login", At: minute(3).Time}, {Client: "claude-code", Worktree: "/elsewhere", At: minute(2).Time},
	}
	s := derive(in)
	var got []string
	for _, a := range s.Agents {
		got = append(got, a.Name+" "+a.State+" "+a.Worktree)
	}
	if diff := cmp.Diff([]string{"ann working /src/told", "claude-code seen /src/login", "claude-code seen /src/readme"}, got); diff != "" || s.Totals.Agents != 3 {
		t.Errorf("%d agents (-want +got):\n%s", s.Totals.Agents, diff)
	}
	if a := s.Agents[1]; *a.Since != minute(3) || a.Source != "sessions" || a.Repo != "app" {
		t.Errorf("%+v", a)
	}
	in.present[0].State = presence.Gone
	if s := derive(in); len(s.Agents) != 4 || s.Agents[3].Name != "codex" {
		t.Errorf("with ann gone: %+v", s.Agents)
	}
}
