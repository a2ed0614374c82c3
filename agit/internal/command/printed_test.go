package command

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/land/trial"
	"github.com/agit-suite/agit/agit/internal/land/tries"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/setup"
	"github.com/agit-suite/agit/agit/internal/view/found"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/work/unattended"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/timestamp"
)

// tells compares what each of the named prints writes for a program with testdata/tables/NAME.txt.
func tells(t *testing.T, name string, prints ...printed) {
	t.Helper()
	var all strings.Builder
	for _, p := range prints {
		s, _, out, errs := term.Test()
		if err := p.print(s); err != nil {
			t.Fatalf("%s: %v", p.of, err)
		}
		fmt.Fprintf(&all, "== %s\n%s", p.of, out)
		for line := range strings.Lines(errs.String()) {
			all.WriteString("! " + line)
		}
	}
	clitest.Golden(t, filepath.Join("testdata", "tables", name+".txt"), all.String())
}

type printed struct {
	of    string
	print func(*term.Streams) error
}

// inEnv is a print with an environment of the command line.
func inEnv(t *testing.T, print func(env *cli.Env) error) func(*term.Streams) error {
	t.Helper()
	run := clitest.NewRun(t)
	return func(s *term.Streams) error {
		run.Streams, run.UserHome, run.Dir = s, "/home/ann", "/home/ann/app"
		if err := run.Start(); err != nil {
			return err
		}
		return print(run.Env)
	}
}

func at(ago time.Duration) timestamp.Time { return timestamp.Of(tablesAt.Add(-ago)) }

// TestPreviews holds what a dry run of a merge prints.
func TestPreviews(t *testing.T) {
	t.Parallel()
	w := worktree.Worktree{Ref: "w-1"}
	var prints []printed
	for i, p := range []land.Preview{
		{Worktree: w, Into: "main", Strategy: land.MergeCommit, Files: []string{"a.go"}},
		{Worktree: w, Into: "main", Strategy: land.Squash, Files: []string{"a.go", "b.go"}, Gate: []string{"make test", "make lint"}},
		{Worktree: w, Into: "release", Strategy: land.Rebase, Gate: []string{"make"}, Ahead: 1},
		{Worktree: w, Into: "main", Strategy: land.MergeCommit, Files: []string{"a.go"}, Ahead: 2, Gate: []string{"make"}, InTheWay: []land.InTheWay{{Path: "/app", Files: []string{"a.go", "c.go"}}}},
		{Worktree: w, Into: "main", Strategy: land.MergeCommit, There: true, Ahead: 2},
		{Worktree: w, Into: "main", Strategy: land.MergeCommit, Conflicts: []string{"a.go"}, There: true},
		{Worktree: w, Into: "main", Strategy: land.Rebase, Conflicts: []string{"a.go", "b.go"}, Commit: "0123456", Others: []land.Overlap{{Worktree: "w-2", Agent: "bob", Files: []string{"a.go", "b.go"}}, {Worktree: "w-3", Merged: true, Files: []string{"b.go"}}}},
	} {
		prints = append(prints, printed{fmt.Sprint(i), func(s *term.Streams) error { return printPreview(s, p) }})
	}
	tells(t, "previews", prints...)
}

// TestTrials holds what a trial prints.
func TestTrials(t *testing.T) {
	t.Parallel()
	ann, bob := trial.Party{Name: "w-1", Agent: "ann"}, trial.Party{Name: "w-2", Maker: "git"}
	var prints []printed
	for name, tried := range []trial.Trial{
		{Into: "main", Result: trial.Nothing, Known: true},
		{Into: "main", Result: trial.Ungated, Known: true, Parties: []trial.Party{ann}},
		{Into: "main", Result: trial.Planned, Parties: []trial.Party{ann, bob}},
		{Into: "main", Result: trial.Planned, Parties: []trial.Party{ann, bob}, Gate: []string{"make", "make lint"}, LeftOut: []trial.LeftOut{{Party: trial.Party{Name: "w-3"}, Files: []string{"a.go"}, With: []string{"w-1"}}}},
		{Into: "main", Result: trial.Green, Parties: []trial.Party{ann, bob}, Gate: []string{"make"}, Seconds: 1.5, Known: true, Passing: []string{"w-1", "w-2"}},
		{Into: "main", Result: trial.Red, Parties: []trial.Party{ann, bob}, Passing: []string{"w-1", "w-2"}, Failures: []trial.Failure{{Parties: []trial.Party{ann, bob}, Command: "make", How: "it ended with exit status 1", Log: "/log", Alone: true}}},
		{Into: "main", Result: trial.Red, Parties: []trial.Party{ann}, Skipped: []conflict.Skipped{{ID: "w-4", Reason: "it is locked"}}},
		{Into: "main", Result: trial.Unfinished, Parties: []trial.Party{ann}, Passing: []string{"w-1"}},
	} {
		prints = append(prints, printed{fmt.Sprint(name), func(s *term.Streams) error { return printTrial(s, tried) }})
	}
	tells(t, "trials", prints...)
}

// TestPullRequests holds how a pull request stands, in words and in colour.
func TestPullRequests(t *testing.T) {
	t.Parallel()
	pulls := []forge.PullRequest{
		{State: forge.Open}, {State: forge.Open, Draft: true}, {State: forge.Open, Checks: forge.ChecksPassed, Review: forge.ReviewApproved, Mergeable: forge.MergeReady},
		{State: forge.Open, Checks: forge.ChecksFailed}, {State: forge.Open, Mergeable: forge.MergeConflicts}, {State: forge.Open, Review: forge.ReviewChanges, Mergeable: forge.MergeBehind},
		{State: forge.Merged, Checks: forge.ChecksFailed, Draft: true}, {State: forge.Merged, TaskOpen: "task T-1 is still open"}, {State: forge.Closed, Checks: forge.ChecksRunning, Draft: true},
	}
	looks(t, "pulls", func(s *term.Streams) error {
		for i, p := range pulls {
			p.Repo, p.Name, p.Worktree, p.URL, p.Number = "my app", fmt.Sprint("login-", i), "w-1", "https://forge.example/pull/7", int64(i)
			if err := printPR(s, p); err != nil {
				return err
			}
			if err := s.Row(s.Paint(prStateStyles.Of(prState(p)), prState(p))); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestLandingsInWords holds the words of the queue for a landing.
func TestLandingsInWords(t *testing.T) {
	t.Parallel()
	began := at(90*time.Second + 400*time.Millisecond)
	for _, c := range []struct {
		l        land.Landing
		position string
		want     string
	}{
		{land.Landing{State: land.Returned, Strategy: land.MergeCommit, Target: "main", Reason: "the gate failed", Commit: "x"}, "", "the gate failed"},
		{land.Landing{State: land.Landed, Strategy: land.Squash, Target: "main"}, "", "was in main already"},
		{land.Landing{State: land.Landed, Strategy: land.Squash, Target: "main", Commit: "0123456789abcdef"}, "", "squash into main as 0123456789ab"},
		{land.Landing{State: land.Landed, Strategy: land.Squash, Target: "main", Commit: "0123", GateResult: land.GatePassed, GateSkipped: "make"}, "", "squash into main as 0123, gate passed"},
		{land.Landing{State: land.Landed, Strategy: land.Squash, Target: "main", Commit: "0123", GateResult: land.GateFailed, GateSkipped: "make"}, "", "squash into main as 0123, without the gate: make"},
		{land.Landing{State: land.Running, Position: 1, GateResult: land.GateRunning, GateAt: &began, Gate: []string{"make", "lint"}, Rounds: 1}, "1", "gate running for 1m30s: make, lint"},
		{land.Landing{State: land.Running, Position: 1, GateResult: land.GateRunning, GateAt: &began, Gate: []string{"make"}, Rounds: 2}, "1", "gate running for 1m30s: make (round 2)"},
		{land.Landing{State: land.Running, Position: 1, Strategy: land.Rebase, Target: "main", Gate: []string{"make"}, Rounds: 2}, "1", "rebase into main"},
		{land.Landing{State: land.Queued, Position: 2, Strategy: land.Rebase, Target: "main"}, "2", "rebase into main"},
		{land.Landing{State: land.Queued, Position: 12, Strategy: land.Rebase, Target: "main", Gate: []string{"make", "lint"}, GateResult: land.GateRunning}, "12", "rebase into main, then make, lint"},
	} {
		if got, place := doing(c.l, tablesAt), some(c.l.Position); got != c.want || place != c.position {
			t.Errorf("%q at %q, want %q at %q", got, place, c.want, c.position)
		}
	}
}

// TestConflictsPrinted holds what a scan prints beside its table.
func TestConflictsPrinted(t *testing.T) {
	t.Parallel()
	called := func(id string) string {
		return map[string]string{"w-1": "login"}[id] + map[bool]string{true: id}[id != "w-1"]
	}
	sides := []conflict.Side{{ID: "w-1", Agent: "ann"}, {ID: "w-2"}}
	some := []conflict.Conflict{{File: "internal/login/a-file-with-a-long-name.go", Depth: conflict.DepthMerge, Worktrees: sides}, {File: "b.go", Depth: conflict.DepthFile, Worktrees: sides}}
	uses := append(some[1:2:2], conflict.Conflict{File: "c.go", Depth: conflict.DepthUses, Worktrees: sides, Uses: []conflict.Use{{Text: "c.go:7 in w-1 uses Login, which w-2 has removed from internal/login/session.go", File: "c.go", Line: 7}}})
	red := &trial.Trial{Failures: []trial.Failure{{Parties: []trial.Party{{Name: "w-1"}}, Command: "make", Log: "/log"}}, At: timestamp.Of(time.Now())}
	for name, c := range map[string]struct {
		r     conflict.Report
		tried *trial.Trial
	}{
		"none":     {conflict.Report{ScannedWorktrees: 1}, nil},
		"branches": {conflict.Report{ScannedWorktrees: 2, ScannedBranches: 1}, &trial.Trial{}},
		"some":     {conflict.Report{ScannedWorktrees: 2, Conflicts: some, ScannedBranches: 2}, red},
		"uses":     {conflict.Report{ScannedWorktrees: 2, Conflicts: uses}, nil},
		"troubled": {conflict.Report{Skipped: []conflict.Skipped{{ID: "w-3", Reason: "it is locked"}}, Failures: []conflict.Failure{{A: "w-1", B: "main", Reason: "git failed"}}, MergeUnavailable: "git is old"}, nil},
		"homeless": {conflict.Report{ScannedWorktrees: 1, NoDefaultBranch: `repository "app" has no branch "main"`}, nil},
	} {
		looks(t, "conflicts-"+name, inEnv(t, func(env *cli.Env) error { return printConflicts(t.Context(), env, &c.r, c.tried, called) }))
	}
	tells(t, "conflicts-json", printed{"json", inEnv(t, func(env *cli.Env) error {
		env.Globals.JSON = true
		if err := env.Start(); err != nil {
			return err
		}
		return printConflicts(t.Context(), env, &conflict.Report{Repo: "app", Conflicts: some}, nil, called)
	})})
}

// TestUsageTables holds the table of each group.
func TestUsageTables(t *testing.T) {
	t.Parallel()
	ends := timestamp.Of(tablesAt.Add(2*time.Hour + 29*time.Minute))
	usd := func(amount, computed float64) []costs.Money {
		return []costs.Money{{Currency: "USD", Amount: amount, Computed: computed}}
	}
	rows := func(by string) []costs.Row {
		first := at(151 * time.Minute)
		if by == "block" { // named by the hour of this machine
			first = timestamp.Of(time.Date(2026, 11, 25, 9, 29, 0, 0, time.Local))
		}
		all := []costs.Row{
			{Key: "/home/ann/app", Title: "/home/ann/app", Sum: costs.Sum{Tokens: costs.Tokens{Input: 1, Output: 22, CacheRead: 333, CacheWrite5m: 4444, CacheWrite1h: 1}, Cost: usd(1.5, 0)}, Clients: []string{"claude-code", "codex"}, First: first, EndsAt: &ends, Active: true},
			{Key: "/home/annabel/app", Sum: costs.Sum{Tokens: costs.Tokens{Input: 5_000_000, Output: 1_200_000}, Unpriced: 7}, First: first},
			{First: first},
		}
		if by == "task" || by == "worktree" {
			all[1].Title = "Log in"
		}
		return all
	}
	total := costs.Sum{Tokens: costs.Tokens{Input: 5_000_001, Output: 1_200_022, CacheRead: 333, CacheWrite5m: 4445}, Cost: usd(2, 0.5), Unpriced: 7, UnpricedModels: []string{"", "m-1"}}
	var prints []printed
	for _, by := range costs.Groups {
		r := costs.Report{By: costs.By(by), Rows: rows(by), Total: total, Prices: costs.Prices{Date: "2026-11-01", Source: "built-in"}}
		prints = append(prints, printed{by, inEnv(t, func(env *cli.Env) error { return (&usageOptions{env: env}).print(t.Context(), r) })})
	}
	prints = append(prints, printed{"nothing", inEnv(t, func(env *cli.Env) error { return (&usageOptions{env: env}).print(t.Context(), costs.Report{By: "day"}) })})
	tells(t, "usage", prints...)
	day := costs.Report{By: "day", Rows: rows("day"), Total: total}
	looks(t, "usage-day", inEnv(t, func(env *cli.Env) error { return (&usageOptions{env: env}).print(t.Context(), day) }))

	now := costs.Now{At: timestamp.Of(tablesAt), Today: total, Blocks: rows("now"), Agents: rows("agent")}
	now.Blocks[0].Title = "claude-code"
	for range mostWatched {
		now.Agents = append(now.Agents, costs.Row{Key: "one-of-many"})
	}
	tells(t, "usage-now", printed{"now", inEnv(t, func(env *cli.Env) error {
		o := &usageOptions{env: env}
		for _, line := range slices.Concat(o.lines(now, 40), o.lines(now, 100), o.lines(costs.Now{}, 60)) {
			if _, err := fmt.Fprintln(env.Streams.Out, string(line)); err != nil {
				return err
			}
		}
		return nil
	})})
	if got := config.Shorten("/app", ""); got != "/app" {
		t.Errorf("without a home: %q", got)
	}
}

// TestFoundIsTold holds what a registration tells of what exists already.
func TestFoundIsTold(t *testing.T) {
	t.Parallel()
	var prints []printed
	for name, f := range []found.Found{
		{},
		{Sessions: []index.Count{{Client: "codex", Sessions: 1}, {Client: "claude-code", Sessions: 12}}, Told: &found.Told{Files: 1}, Memories: []found.Count{{Name: "basic-memory", Count: 1}}, Plans: []string{"beads", "td"}},
		{Told: &found.Told{Files: 2}, Tracker: "github", PointedBy: "the remote", Worktrees: 1, Makers: []found.Count{{Name: "git", Count: 1}}},
		{Told: &found.Told{Files: 2, Stale: 1}, Worktrees: 3, Makers: []found.Count{{Name: "claude-code", Count: 2}, {Name: "git", Count: 1}}},
		{Told: &found.Told{Files: 1, Stale: 4}}, {Told: &found.Told{Stale: 4}},
	} {
		prints = append(prints, printed{fmt.Sprint(name), func(s *term.Streams) error { tellFound(s, f); return nil }})
	}
	tells(t, "found", prints...)
}

// TestFinishedAndDone holds what ends of work print.
func TestFinishedAndDone(t *testing.T) {
	t.Parallel()
	until := at(-30 * 24 * time.Hour)
	print := func(done assignment.Finished) func(*term.Streams) error {
		return inEnv(t, func(env *cli.Env) error { return printFinished(t.Context(), env, done) })
	}
	tree := assignment.Tree{ID: "w-1"}
	tells(t, "finished",
		printed{"landed", print(assignment.Finished{State: assignment.Landed, Worktree: tree, Commit: "0123456789abcdef", Changes: assignment.Changes{Files: 1, Insertions: 2, Deletions: 3}, Task: &assignment.Task{ID: "T-1", Status: "completed", Unblocked: []string{"T-2", "T-3"}}})},
		printed{"in review", print(assignment.Finished{State: assignment.InReview, Worktree: tree, Changes: assignment.Changes{Files: 2}, Notes: []string{"the session did not end"}})},
		printed{"in review where a forge lands", print(assignment.Finished{State: assignment.InReview, Worktree: tree, Land: worktree.LandPR})},
		printed{"proposed", print(assignment.Finished{State: assignment.Proposed, Worktree: tree, Task: &assignment.Task{ID: "T-1", Status: "in_progress"}, Pull: &assignment.Pull{Stands: "pull request #7 waits for checks", URL: "https://forge.example/7"}})},
		printed{"left and restorable", func(s *term.Streams) error {
			tellRemains(s, land.Merged{Left: "it is git's"})
			tellRemains(s, land.Merged{})
			tellRemains(s, land.Merged{RestoreUntil: &until, Worktree: worktree.Worktree{Ref: "w-1"}})
			tellRemains(s, land.Merged{})
			return nil
		}},
		printed{"left alone", func(s *term.Streams) error {
			tellLeftAlone(s, []remove.Candidate{{Removed: true}})
			tellLeftAlone(s, []remove.Candidate{{Removed: true}, {Left: true}})
			return nil
		}},
		printed{"concerns", func(s *term.Streams) error {
			tellConcerns(s, review.Review{Worktree: "w-1"})
			for _, state := range []review.State{review.Waiting, review.Accepted} {
				tellConcerns(s, review.Review{Worktree: "w-1", State: state, Doubt: "a.txt is in the way"})
			}
			tellConcerns(s, review.Review{Worktree: "w-1", Settings: []string{"gate", "land"}})
			tellConcerns(s, review.Review{Worktree: "w-1", Amended: true})
			return nil
		}},
		printed{"imported", inEnv(t, func(env *cli.Env) error {
			return printImported(t.Context(), env, graph.Imported{Epics: []string{"e"}, Tasks: []string{"a", "b"}, Dependencies: 1, Existing: []string{"x"}, Skipped: []string{"a circle"}, Notes: []string{"all of them are held back"}}, nil)
		})},
	)
}

// TestWorkTold holds what a crew does, as lines, and its end.
func TestWorkTold(t *testing.T) {
	t.Parallel()
	event := unattended.Event{At: time.Date(2026, 11, 25, 12, 0, 1, 0, time.Local), Agent: "ann", TaskID: "T-1", Worktree: "w-1", Task: "Log in\nsoon", Why: strings.Repeat("why ", 100)}
	var prints []printed
	for _, what := range []string{unattended.EventBegun, unattended.EventFailed, unattended.EventNote, unattended.EventReturned, unattended.EventWaits} {
		prints = append(prints, printed{what, inEnv(t, func(env *cli.Env) error {
			event.What = what
			screen := newWorkScreen(env, "app", nil)
			screen.tell(event)
			screen.tell(unattended.Event{At: event.At, Agent: "bob", What: what})
			return nil
		})})
	}
	for _, tally := range []unattended.Tally{{}, {Landed: 1, InReview: 2, Proposed: 3, Kept: 4, Released: 5, Failed: 6, Stopped: 7}, {InReview: 1}, {Failed: 1}} {
		prints = append(prints, printed{tallied(tally), inEnv(t, func(env *cli.Env) error { return newWorkScreen(env, "my app", nil).print(t.Context(), tally) })})
	}
	tells(t, "work", prints...)
}

// TestTriesTable holds tries side by side.
func TestTriesTable(t *testing.T) {
	t.Parallel()
	g := tries.Group{TaskID: "T-1", Task: "Log in\nsoon", Tries: []tries.Row{
		{Try: tries.Try{Number: 1, Client: "claude", Gate: land.GatePassed, State: "in review"}, Worktree: "w-1", Files: 2, Insertions: 30, Deletions: 4, Seconds: 90, Micros: 1_500_000, Currency: "USD", Shares: []tries.Share{{With: 2, Files: 2, Same: 1}}},
		{Try: tries.Try{Number: 2, Client: "codex-with-a-long-name", Gate: land.GateFailed, State: "in review"}, Worktree: "w-a-worktree-with-a-long-name", Files: 1, Seconds: 3601, Tokens: 1234},
		{Try: tries.Try{Number: 3, Client: "goose", State: tries.Failed, Why: "it ended with status 1 after a long time without any output\nand so on"}},
	}}
	called := func(id string) string { return strings.Replace(id, "w-", "folder-", 1) }
	looks(t, "tries", func(s *term.Streams) error {
		part := triesSection(g, called)
		if err := s.Text(part.title + ": " + part.count + "\n"); err != nil {
			return err
		}
		return part.table.WriteTo(s)
	})
}

// TestSetupTold holds the table of a set-up, and what stands beside it.
func TestSetupTold(t *testing.T) {
	t.Parallel()
	item := func(client string, kind setup.Kind, state setup.State, done, why string) setup.Item {
		return setup.Item{Clients: strings.Split(client, "+"), Kind: kind, Name: "agit", File: "/home/ann/app/a/folder/with/a/long/name/" + client + ".json", State: state, Done: done, Why: why}
	}
	long := "a reason that is longer than a line of this terminal, so that it stands below"
	report := func(items ...setup.Item) *setup.Report {
		return &setup.Report{Scope: setup.Project, Root: "/home/ann/app", Items: items, Clients: []setup.Found{{Name: "codex", Title: "Codex", Note: "it reads this too"}, {Name: "zed", Title: "Zed"}}}
	}
	all := report(item("codex+claude-code+cursor", setup.KindServer, setup.Missing, setup.Added, ""), item("codex", setup.KindHook, setup.Stale, setup.Updated, long), item("gemini", setup.KindServer, setup.Stale, setup.Kept, "changed by hand"),
		item("zed", setup.KindServer, setup.Broken, setup.Failed, "it is not JSON"), item("cursor", setup.KindInstructions, setup.Current, "", ""))
	gone := report(item("codex", setup.KindServer, setup.Current, setup.Removed, ""), item("cursor", setup.KindServer, setup.Missing, "", ""))
	files := report(item("codex", setup.KindServer, setup.Missing, "", ""))
	files.Files = []setup.File{{Path: "/home/ann/app/new.json", After: "{\n}\n"}, {Path: "/home/ann/app/old.json", Before: "{}\n", Gone: true}}
	current := report(item("codex", setup.KindServer, setup.Current, "", ""))
	current.Current = true
	user := report(item("gemini", setup.KindServer, setup.Missing, setup.Added, ""))
	user.Scope = setup.User
	for name, c := range map[string]struct {
		o setupOptions
		r *setup.Report
	}{
		"done": {setupOptions{}, all}, "checked": {setupOptions{Check: true}, all}, "planned": {setupOptions{DryRun: true}, all}, "diff": {setupOptions{DryRun: true, Diff: true}, files},
		"removed": {setupOptions{Options: setup.Options{Remove: true}}, gone}, "goes": {setupOptions{DryRun: true, Options: setup.Options{Remove: true}}, gone}, "no-client": {setupOptions{}, report()}, "no-client-named": {setupOptions{Options: setup.Options{Clients: []string{"x"}}}, report()},
		"nothing-removed": {setupOptions{Options: setup.Options{Remove: true}}, current}, "nothing-planned": {setupOptions{DryRun: true}, current}, "current": {setupOptions{Check: true}, current}, "hooks": {setupOptions{}, report(item("claude-code", setup.KindHook, setup.Stale, setup.Updated, ""))},
		"gemini": {setupOptions{}, report(item("gemini", setup.KindServer, setup.Missing, setup.Added, ""))}, "gemini-of-the-user": {setupOptions{Global: true}, user}, "hook-kept": {setupOptions{}, report(item("codex", setup.KindHook, setup.Stale, setup.Kept, ""))},
	} {
		o, r := c.o, *c.r
		looks(t, "setup-"+name, inEnv(t, func(env *cli.Env) error {
			o.env = env
			r := r
			if err := o.tell(context.Background(), &r); err != nil {
				env.Streams.Notice("it ends: %v", err)
			}
			return nil
		}))
	}
	for environ, want := range map[string]bool{"": false, "CI=": false, "CI=0": false, "CI=False": false, "CI=1": true, "NONINTERACTIVE=yes": true} {
		o := &setupOptions{env: &cli.Env{Environ: []string{environ}}}
		if got := o.unattended(); got != want {
			t.Errorf("%s: %t", environ, got)
		}
	}
	for _, environ := range []string{"CI=true", "NONINTERACTIVE=1"} {
		tells(t, "setup-quiet", printed{"quiet", inEnv(t, func(env *cli.Env) error {
			o := setupOptions{env: env}
			env.Environ = []string{environ}
			r := *all
			return o.tell(t.Context(), &r)
		})})
	}
}

// TestWorkersAtWork draws what each worker does, cut to the terminal.
func TestWorkersAtWork(t *testing.T) {
	t.Parallel()
	run := clitest.NewRun(t)
	var all strings.Builder
	for _, width := range []int{31, 61, 121} {
		s, _, _, _ := term.Test()
		s.PretendTerminal(width)
		run.Streams = s
		screen := newWorkScreen(run.Env, "app", nil)
		if screen.live == nil {
			t.Fatal("nothing is drawn on a terminal")
		}
		store := &unattended.Store{}
		screen.crew = store.Crew(unattended.Options{Agents: []string{"ann", "a-builder-with-a-long-name"}}, nil, func(unattended.Event) {})
		fmt.Fprintf(&all, "== %d\n", width)
		for _, line := range screen.table() {
			all.WriteString(strings.TrimRight(strings.Replace(string(line), "1s", "0s", 1), " ") + "|\n") // a slow machine takes a second
		}
	}
	clitest.Golden(t, filepath.Join("testdata", "tables", "workers.txt"), all.String())
}
