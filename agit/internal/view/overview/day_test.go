package overview

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/land/trial"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/view/distance"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/timestamp"
)

// busyDay is the input of three repositories, two of them clones of one project, on a day on which everything happens that a screen shows.
func busyDay() input {
	money := func(amount float64) costs.Sum {
		return costs.Sum{Answers: 2, Cost: []costs.Money{{Currency: "USD", Amount: amount}}}
	}
	here := func(name string, repo int64, worktree string, state presence.State, note string, since int) presence.Presence {
		p := presence.Presence{Agent: name, RepoID: repo, Worktree: worktree, Sessions: 1, Shown: presence.Shown{State: state, Note: note, Source: presence.Hook}}
		if since >= 0 {
			p.Since = minute(since)
		}
		if repo == 1 {
			p.Repo = "app"
		}
		return p
	}
	row := func(id int64, name, agent, branch string, status worktree.Status) worktree.Worktree {
		return worktree.Worktree{ID: id, RepoID: 1, Repo: "app", Ref: "w-" + name, Path: "/trees/" + name, Branch: branch, Agent: agent, Status: status, UpdatedAt: minute(int(id))}
	}
	files := func(ref, head string, changes ...conflict.Touch) conflict.Touched {
		t := conflict.Touched{Worktree: conflict.Worktree{Ref: ref}, Head: head, Files: changes}
		for _, c := range changes {
			if c.Change == conflict.Added {
				t.Uncommitted++
			}
		}
		return t
	}
	committed, edited := conflict.Touch{Path: "a", Change: conflict.Modified, Committed: true}, conflict.Touch{Path: "b", Change: conflict.Added}
	inherited := conflict.Touch{Path: "c", Change: conflict.Inherited}

	in := input{freedAfter: 30 * time.Minute, scans: map[int64]scan{}}
	in.at = minute(59).Time
	in.repos = []repo.Repo{{ID: 1, ProjectID: 1, Name: "app", Path: "/src/app", DefaultBranch: "main"}, {ID: 2, ProjectID: 1, Name: "copy", Path: "/src/copy", DefaultBranch: "main"},
		{ID: 3, ProjectID: 2, Name: "web", Path: "/src/web", DefaultBranch: "trunk"}}
	in.elsewhere = map[int64]bool{7: true}
	login, menu, sso := row(1, "login", "ann", "login", worktree.Active), row(2, "menu", "bob", "menu", worktree.Active), row(3, "sso", "cyd", "sso", worktree.Stale)
	login.TaskID, login.Task = "T-1", "Log in"
	menu.TaskID, menu.Task = "T-2", "Menu"
	main := worktree.Worktree{RepoID: 1, Repo: "app", Ref: "/src/app", Path: "/src/app", Branch: "main", Listed: "app", Marks: seen.Marks{Main: true}}
	other := worktree.Worktree{RepoID: 3, Repo: "web", Ref: "/src/web", Path: "/src/web", Branch: "trunk", Listed: "web", Marks: seen.Marks{Main: true}}
	claude := worktree.Worktree{RepoID: 1, Repo: "app", Ref: "/src/app/.claude/worktrees/fix", Path: "/src/app/.claude/worktrees/fix", Branch: "worktree-agent-1", Listed: "fix", Maker: seen.ClaudeCode,
		Marks: seen.Marks{Detached: true, LockedBy: 4711, LockHeld: true}}
	in.worktrees = []worktree.Worktree{login, menu, sso, row(4, "new", "dee", "new", worktree.Creating), row(5, "lost", "eve", "lost", worktree.Active), row(6, "odd", "", "odd", worktree.Active),
		row(7, "done", "ann", "done", worktree.Conflict), main, claude, other}
	in.listed = map[int64]map[string]string{1: {"app": "/src/app", "fix": "/src/app/.claude/worktrees/fix"}, 3: {"web": "/src/web"}}
	in.gone = map[string]bool{"w-lost": true}
	in.branches = map[int64][]BranchStatus{1: {
		{Name: "origin/copilot/speed", Head: "5a5a5a5a5a", Maker: "copilot", Distance: distance.Distance{Ahead: 3, Behind: 2, Committed: minute(7)}},
		{Name: "origin/quiet", Head: "6b6b6b6b6b", Distance: distance.Distance{Ahead: 1, Committed: minute(8)}},
	}}
	side := func(ref, agent string) conflict.Side { return conflict.Side{ID: ref, Agent: agent} }
	in.scans[1] = scan{tip: "0123456789abcdef", since: map[string]time.Time{}, distances: map[string]distance.Distance{"h1": {Ahead: 2, Behind: 1}, "h3": {Ahead: 0, Behind: 4}, "h9": {Ahead: 1}},
		report: &conflict.Report{ScannedAt: minute(50), Skipped: []conflict.Skipped{{ID: "w-odd", Reason: "its index cannot be read"}},
			Touched: []conflict.Touched{files("w-login", "h1", committed, edited, inherited), files("w-menu", "h2", committed), files("w-sso", "h3"), files("w-done", "h7", committed), files("app", "h8", inherited),
				files("fix", "h9", edited, edited), files("origin/copilot/speed", "5a5a5a5a5a", committed, inherited)},
			Conflicts: []conflict.Conflict{
				{File: "shared.go", Depth: conflict.DepthFile, Worktrees: []conflict.Side{side("w-login", "ann"), side("w-menu", "bob")}},
				{File: "login.go", Depth: conflict.DepthMerge, Kinds: []string{"contents"}, Lines: []conflict.Lines{{First: 3, Last: 4}, {First: 9, Last: 9}}, Worktrees: []conflict.Side{side("w-login", "ann"), side("w-menu", "bob")}, Pairs: []conflict.Pair{{A: "w-login", B: "w-menu"}}},
				{File: "api.go", Depth: conflict.DepthMerge, Worktrees: []conflict.Side{side("w-login", "ann"), side("w-menu", "bob")}},
				{File: "tax.go", Depth: conflict.DepthMerge, DefaultBranch: "main", Worktrees: []conflict.Side{side("w-login", "ann")}},
				{File: "lines.go", Depth: conflict.DepthLines, Worktrees: []conflict.Side{side("w-menu", "bob"), side("w-sso", "cyd")}},
				{File: "speed.go", Depth: conflict.DepthMerge, Worktrees: []conflict.Side{{ID: "fix", Maker: "claude-code"}, {ID: "origin/copilot/speed", Maker: "copilot"}}},
			}}}
	in.scans[3] = scan{problem: "the repository cannot be read"}
	in.found = map[int64]map[conflict.FoundKey]time.Time{1: {{A: "w-login", B: "w-menu", File: "login.go"}: minute(20).Time}}
	in.sweep = func(w worktree.Worktree) string {
		if w.Maker == seen.ClaudeCode {
			return "claude-code removes it in 3 days"
		}
		return ""
	}

	in.agents = []agent.Agent{{Name: "ann", LastSeen: minute(40)}, {Name: "bob", LastSeen: minute(41)}, {Name: "gus", LastSeen: minute(42)}, {Name: "kim", LastSeen: minute(43)}}
	in.present = []presence.Presence{
		here("bob", 1, "w-menu", presence.Waiting, "q-1: shell: make", 30), here("ann", 1, "w-login", presence.Working, "edits", 31), here("ann", 1, "w-done", presence.Idle, "", 32),
		here("cyd", 1, "w-sso", presence.Waiting, "which port?", 33), here("gus", 0, "", presence.Gone, "", 34), here("hal", 0, "", presence.Working, "", 35),
		here("kim", 7, "w-far", presence.Gone, "", 36), here("lea", 7, "w-here", presence.Working, "", 37), here("max", 1, "", presence.Gone, "", -1), here("ned", 1, "", presence.Gone, "", 38),
	}
	in.present[6].Host = "laptop"
	in.present[1].WorktreeID, in.present[1].Sessions = 1, 2
	in.present[8].Since = timestamp.Of(minute(59).Add(-25 * time.Hour))
	in.present[9].Folder = "/src/app"
	in.present = append(in.present, presence.Presence{Agent: "pat", RepoID: 1, Repo: "app", Folder: claude.Path, Sessions: 1, Shown: presence.Shown{State: presence.Working, Since: minute(39)}})
	in.halted = []halted{{name: "bob", bugs: 1, since: minute(3)}, {name: "zoe", bugs: 2, since: minute(2)}}
	in.questions = []question.Question{{ID: "q-1", Agent: "bob", Repo: "app", Worktree: "w-menu", Task: "T-2", TaskName: "Menu", Call: "shell: make", Rules: []string{"shell(make)"}, AskedAt: minute(30), Until: minute(45)}}
	in.told = map[string]int{"ann": 2}
	in.today = costs.Today{Total: money(4), Agents: map[string]costs.Sum{"ann": money(3)}, Seen: []costs.Sighting{{Client: "codex", Worktree: "/src/web", At: minute(44).Time}, {Client: "codex", Worktree: "/trees/menu", At: minute(44).Time}}}
	in.took = map[string]costs.Sum{"T-1": money(2.5), "T-4": money(1)}

	in.reviews = []review.Review{{Worktree: "w-login", Repo: "app", Agent: "ann", TaskID: "T-1", Tip: "abc", Files: 2, Insertions: 3, Deletions: 1, Gate: "passed", AskedAt: minute(25)},
		{Worktree: "w-sso", Repo: "app", Tip: "def", Files: 1, AskedAt: minute(24), Pull: "pull request #7 waits for checks"}}
	in.landings = []land.Landing{
		{ID: 4, Worktree: "w-done", Repo: "app", State: land.Running, Position: 1, AskedAt: minute(10), StartedAt: at(11)},
		{ID: 5, Worktree: "w-menu", Repo: "app", State: land.Queued, Position: 2, AskedAt: minute(12)},
		{ID: 3, Worktree: "w-odd", Repo: "app", Task: "Odd", State: land.Returned, GateResult: land.GateFailed, Gate: []string{"make lint", "make"}, AskedAt: minute(8), FinishedAt: at(9), Log: "/logs/3"},
		{ID: 2, Worktree: "w-old", Repo: "app", Task: "Old", Agent: "ann", State: land.Landed, Commit: "fedcba9876", AskedAt: minute(5), FinishedAt: at(6)},
		{ID: 1, Worktree: "w-older", Repo: "app", State: land.Cancelled, AskedAt: minute(1)},
	}
	in.trials = map[int64]*trial.Trial{1: {At: minute(48), Failures: []trial.Failure{{Parties: []trial.Party{{Name: "w-login", Agent: "ann"}, {Name: "w-menu", Agent: "bob"}}, Command: "make"}}}}
	in.tasks = []task.Outlook{{
		Counts:  map[string]int{task.InProgress: 2, task.Claimed: 1, task.Blocked: 2, task.Failed: 3, task.Completed: 9, task.Pending: 7},
		Ready:   3,
		Moving:  []task.Waiting{{Task: task.Task{ID: "T-1", Name: "Log in", Status: task.InProgress, Agent: "ann", Repo: "app", Worktree: "w-login", StartedAt: at(13)}, Since: at(12), Claim: at(12)}, {Task: task.Task{ID: "T-2", Name: "Menu", Status: task.InProgress, Agent: "bob", Repo: "app", Worktree: "w-menu"}, Since: at(14), Claim: at(14)}, {Task: task.Task{ID: "T-3", Name: "Think", Status: task.Claimed, Agent: "gus"}, Since: at(15), Claim: at(15)}},
		Blocked: []task.Waiting{{Task: task.Task{ID: "T-4", Name: "Pay", Status: task.Claimed, Agent: "hal", Repo: "web"}, On: []string{"BUG-1"}, Why: "it is blocked by bug BUG-1", Since: at(16), Claim: at(17)}, {Task: task.Task{ID: "T-5", Name: "Ship"}, Why: "a person holds it"}},
		Failed:  []task.Task{{ID: "T-6", Name: "Upload", Repo: "app", Result: "no bucket b-1\nat line 3", CompletedAt: at(18)}, {ID: "T-7", Name: "Download", Repo: "app", Result: "No bucket b-2", CompletedAt: at(17)}, {ID: "T-8", Name: "Clean", Repo: "web", Result: "no disk", CompletedAt: at(19)}},
		Queue:   []task.Waiting{{Task: task.Task{ID: "T-9", Name: "Next", CreatedAt: minute(1), Priority: 2}}},
		Waits:   []task.Waiting{{Task: task.Task{ID: "T-10", Name: "Later", CreatedAt: minute(2)}, On: []string{"T-9"}}},
	}, {Counts: map[string]int{task.Pending: 1}, Ready: 2}}
	in.mirror = &Sync{Provider: "jira", PulledAt: at(1), Pending: 2}
	return in
}

// The whole state of a busy day, as the screens get it.
func TestBusyDay(t *testing.T) {
	t.Parallel()
	text, err := json.MarshalIndent(derive(busyDay()), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Golden(t, filepath.Join("testdata", "day.json"), string(text)+"\n")
	again, err := json.MarshalIndent(derive(busyDay()), "", " ")
	if err != nil || string(again) != string(text) {
		t.Errorf("the same input has another state: %v\n%s", err, again)
	}
}
