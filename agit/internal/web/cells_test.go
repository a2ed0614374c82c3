package web

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/timestamp"
)

// TestCells holds the words of each format for what may be missing, be zero, or have another type.
func TestCells(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	three, none := 3, 0
	near := around{now: now, trees: map[string]overview.Worktree{
		"w-1": {Repo: "app", Name: "login", State: "5_changed", Notes: []string{"on no branch", "locked"}, Ahead: &three, Behind: &three}, "w-2": {Ahead: &none},
	}}
	many := near
	many.many = true
	hour := "2026-11-25T11:00:00Z"
	for _, c := range []struct {
		name string
		v    any
		r    row
		a    around
		want string
	}{
		{"text", true, nil, near, "true"}, {"text", false, nil, near, "false"}, {"text", 2.5, nil, near, "2.5"}, {"text", 1e6, nil, near, "1000000"}, {"text", []any{}, nil, near, ""}, {"text", nil, nil, near, ""},
		{"decimal", "x", nil, near, "0.0"}, {"decimal", 1.25, nil, near, "1.2"},
		{"since", "soon", nil, near, ""}, {"since", "0001-01-01T00:00:00Z", nil, near, ""}, {"since", hour, nil, near, "1h"}, {"since", 5.0, nil, near, ""},
		{"moment", hour, nil, near, "2026-11-25 11:00"}, {"moment", "", nil, near, ""}, {"moment", "2026-11-25T11:00:00+02:00", nil, near, "2026-11-25 09:00"},
		{"halted", true, nil, near, "halted"}, {"halted", false, nil, near, ""}, {"halted", "true", nil, near, ""},
		{"kept", nil, row{"state": "valid", "archived": "faded"}, near, "faded"}, {"kept", nil, row{"state": "valid"}, near, "valid"},
		{"broken", nil, row{"citations": 0.0, "broken": 0.0}, near, ""}, {"broken", nil, row{"citations": 2.0, "broken": 0.0}, near, "0 of 2"},
		{"faded", nil, row{"importance": 4.0, "decay": 1.0}, near, "1.0"}, {"faded", nil, row{"importance": 5.0, "decay": 1.0}, near, "never fades"}, {"faded", nil, row{"importance": 6.0}, near, "never fades"}, {"faded", nil, row{"importance": "5", "decay": 2.0}, near, "2.0"},
		{"used", nil, row{"uses": 2.0, "used_at": hour}, near, "2 × 1h"},
		{"ticket", nil, row{"status": "in_review", "category": "todo"}, near, "in review"}, {"ticket", nil, row{"category": "to_do"}, near, "to do"},
		{"verified", []any{}, nil, near, ""}, {"verified", []any{map[string]any{"status": "pending"}, "x"}, nil, near, "0 of 1"},
		{"verified", []any{map[string]any{"status": "verified"}, map[string]any{"status": "verified"}}, nil, near, "2 of 2"},
		{"sitter", "", nil, near, "no agent"}, {"sitter", "ann", nil, near, "ann"},
		{"outcome", nil, row{"status": "active", "outcome": "success"}, near, "active"}, {"outcome", nil, row{"status": "left_open", "outcome": ""}, near, "left open"}, {"outcome", nil, row{"status": "x", "outcome": "gave_up"}, near, "gave up"},
		{"lasted", nil, row{"started_at": hour}, near, ""}, {"lasted", nil, row{"ended_at": hour}, near, ""}, {"lasted", nil, row{"status": "active"}, near, ""}, {"lasted", nil, row{"started_at": hour, "status": "active"}, near, "1h"},
		{"lasted", nil, row{"started_at": hour, "ended_at": "2026-11-25T11:30:00Z", "heard_at": "2026-11-25T11:40:00Z"}, near, "30m"}, {"lasted", nil, row{"started_at": hour, "heard_at": "2026-11-25T11:40:00Z"}, near, "40m"},
		{"about", nil, row{"summary": "did", "title": "do"}, near, "did"}, {"about", nil, row{"title": "do"}, near, "do"},
		{"reason", nil, row{"reason": "why", "state": "failed"}, near, "why"}, {"reason", nil, row{"state": "failed"}, near, "failed"},
		{"need", nil, row{"state": "failed"}, near, "failed"}, {"need", nil, row{"state": "failed", "since": hour}, near, "failed 1h"},
		{"who", nil, row{"who": "T-1", "task": "T-1"}, near, ""}, {"who", nil, row{"who": "Log in", "task": "T-1", "task_name": "Log in"}, near, ""}, {"who", nil, row{"who": "ann", "task": "T-1", "task_name": "Log in"}, near, "ann"},
		{"heading", nil, row{"task_name": "Log in", "what": "x"}, near, "Log in"}, {"heading", nil, row{"worktree": "w-1", "repo": "app", "what": "login"}, many, "app/login"}, {"heading", nil, row{"worktree": "w-1", "repo": "app", "what": "login"}, near, "login"}, {"heading", nil, row{"who": "ann"}, many, "ann"},
		{"subject", nil, row{"task_name": "Log in", "what": "T-1", "repo": "app"}, many, "T-1"}, {"subject", nil, row{"what": "T-1"}, near, ""}, {"subject", nil, row{"task_name": "Log in", "worktree": "w-1", "what": "login", "repo": "app"}, many, "app/login"},
		{"priority", "medium", nil, near, ""}, {"priority", "high", nil, near, "high"},
		{"task", nil, row{"id": "T-1"}, near, "T-1"}, {"ids", []any{"a", "b"}, nil, near, "a, b"}, {"ids", "a", nil, near, ""}, {"state", "in_progress", nil, near, "in progress"},
		{"worker", nil, row{"name": "ann", "host": "laptop"}, near, "ann on laptop"}, {"worker", nil, row{"name": "ann"}, near, "ann"},
		{"standing", nil, row{"state": "waiting_for", "since": hour, "halted": true, "messages_waiting": 1.0}, near, "waiting for 1h halted 1 message waits"}, {"standing", nil, row{"state": "idle", "messages_waiting": 2.0}, near, "idle 2 messages wait"}, {"standing", nil, row{"state": "idle", "messages_waiting": 0.0, "halted": false}, near, "idle"},
		{"work", nil, row{"task_name": "Log in", "task": "T-1", "note": "runs"}, near, "Log in: runs"}, {"work", nil, row{"task": "T-1"}, near, "T-1"}, {"work", nil, row{"note": "runs"}, near, "runs"}, {"work", nil, row{"worktree": "w-1", "task": "T-1"}, many, "app/login"},
		{"distance", nil, row{"worktree": "w-1"}, near, "3 ahead 3 behind"}, {"distance", nil, row{"worktree": "w-2"}, near, ""}, {"distance", nil, row{"worktree": "w-9"}, near, ""},
		{"tree", nil, row{"worktree": "w-1"}, near, "5 changed, on no branch, locked"}, {"tree", nil, row{"worktree": "w-9"}, near, ""},
		{"files", nil, row{"state": "5_changed", "notes": []any{"locked", "moved"}}, near, "5 changed, locked, moved"}, {"files", nil, row{"notes": []any{"locked"}}, near, "locked"}, {"files", nil, row{"state": "clean"}, near, "clean"},
		{"place", nil, row{"repo": "app", "name": "login"}, many, "app/login"}, {"place", nil, row{"repo": "app", "name": "login"}, near, "login"}, {"place", nil, row{"repo": "app"}, many, ""}, {"place", nil, row{"name": "login"}, many, "login"},
		{"gate", nil, row{"reason": "why", "gate": "make", "commit": "c"}, near, "why"}, {"gate", nil, row{"gate": "make", "commit": "c"}, near, "make"}, {"gate", nil, row{"commit": "c"}, near, "c"},
		{"file", nil, row{"repo": "app", "file": "a.go"}, many, "app/a.go"},
		{"sides", []any{map[string]any{"by": "(git)", "agent": "ann", "name": "login"}, map[string]any{"agent": "bob", "name": "menu"}, map[string]any{"name": "main"}}, nil, near, "(git) login × bob menu × main"},
		{"depth", nil, row{"depth": "merge"}, near, "will not merge"}, {"depth", nil, row{"depth": "uses", "why": []any{"a", "b"}}, near, "may break, a, b"}, {"depth", nil, row{"depth": "lines"}, near, "same lines"}, {"depth", nil, row{"depth": "file"}, near, "same file"}, {"depth", nil, row{"depth": "deep"}, near, "deep"},
	} {
		if got := cells[c.name](c.v, c.r, c.a); got != c.want {
			t.Errorf("%s of %v, %v: %q, want %q", c.name, c.v, c.r, got, c.want)
		}
	}
}

// TestHeadline holds the first line of the screens.
func TestHeadline(t *testing.T) {
	t.Parallel()
	one, two := 1, 2
	repo := func(name, tip string) overview.Repo {
		return overview.Repo{Name: name, DefaultBranch: "main", Tip: tip}
	}
	for want, s := range map[string]overview.State{
		"0 agents · conflicts unknown · 0 landings":                                                  {},
		"app main · 1 agent · 1 conflict · 1 landing":                                                {Repos: []overview.Repo{repo("app", "")}, Totals: overview.Totals{Agents: 1, Conflicts: &one, Landings: 1}},
		"app main 0123 · web main · a\\x1b main · 2 agents · 2 conflicts · 2 landings · $1.20 today": {Repos: []overview.Repo{repo("app", "0123"), repo("web", ""), repo("a\x1b", "")}, Totals: overview.Totals{Agents: 2, Conflicts: &two, Landings: 2, Spent: "$1.20"}},
		"0 agents · conflicts unknown · 0 landings · jira never pulled, offline":                     {Totals: overview.Totals{Mirror: &overview.Sync{Provider: "jira", Offline: true}}},
		"4 repositories · 0 agents · conflicts unknown · 0 landings":                                 {Repos: []overview.Repo{repo("a", ""), repo("b", ""), repo("c", ""), repo("d", "")}},
	} {
		if got := headline(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestLongTables paints the first rows of a table, and names how many there are more.
func TestLongTables(t *testing.T) {
	t.Parallel()
	rows := func(n int) (all [][]string) {
		for range n {
			all = append(all, []string{"a\x1b"})
		}
		return all
	}
	for _, c := range []struct {
		count, rows, painted int
		note, want           string
	}{
		{0, 0, 0, "", "none"}, {0, 0, 0, "of today", "of today"}, {1, 1, 1, "", ""}, {paintRows, paintRows, paintRows, "", ""}, {paintRows + 1, paintRows + 1, paintRows, "", "1 more are not shown"}, {9, 2, 2, "of today", "of today; 7 more are not shown"}, {3, 0, 0, "", "3 more are not shown"},
	} {
		p := &Paint{Sections: []Section{{}}}
		p.addFirst(c.count, "Title", c.note, []string{"A"}, rows(c.rows))
		got := p.Sections[1]
		if got.ID != "s1" || got.Title != "Title" || got.Note != c.want || len(got.Rows) != c.painted || c.painted > 0 && got.Rows[0][0] != `a\x1b` {
			t.Errorf("%d of %d: %s %q %d rows", c.rows, c.count, got.ID, got.Note, len(got.Rows))
		}
	}
	many := make([]overview.PlanStep, paintRows+5)
	p := &Paint{}
	list(p, "path", "", "", len(many), many, around{})
	if got := p.Sections[0]; len(got.Rows) != paintRows || got.Note != "5 more are not shown" {
		t.Errorf("%d rows, %q", len(got.Rows), got.Note)
	}
	near := around{now: time.Date(2026, 11, 25, 11, 0, 0, 0, time.UTC)}
	for given, want := range map[any]string{nil: "", "": "", "2026-11-25T09:00:00Z": "2h", "0001-01-01T00:00:00Z": ""} {
		if got := sinceOf(given, near); got != want {
			t.Errorf("%v is %q, want %q", given, got, want)
		}
	}
}

// TestPaintedWords paints an overview and a list of conflicts from a state: whose names, which counts, which notes.
func TestPaintedWords(t *testing.T) {
	t.Parallel()
	none := 0
	s := overview.State{
		At:        timestamp.Of(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)),
		Repos:     []overview.Repo{{Name: "app"}, {Name: "web"}},
		Worktrees: []overview.Worktree{{Ref: "w-1", Repo: "web", Name: "login"}},
		Agents:    []overview.Agent{{Name: "ann", Worktree: "w-1"}},
		Conflicts: []overview.Conflict{{Repo: "web", File: "a.go"}},
		Tasks:     overview.Tasks{Counts: map[string]int{"ready": 2, "done": 3}},
	}
	paint := func(of painter) string {
		p := &Paint{}
		if err := of(t.Context(), nil, "", s, p); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, one := range p.Sections {
			lines = append(lines, one.Title+" | "+one.Note)
			for _, row := range one.Rows {
				lines = append(lines, strings.Join(row, " | "))
			}
		}
		return strings.Join(lines, "\n")
	}
	want := "Needs you | none\nAgents | \nann |  | web/login |  |  | \nWorktrees | \nweb/login |  |  | \nLandings | none\nTasks | ready 2, waits 0, blocked 0, claimed 0, in progress 0, failed 0, done 3"
	if diff := cmp.Diff(want, paint(paintOverview)); diff != "" {
		t.Error(diff)
	}
	s.Repos[1].Problem, s.Worktrees[0].Problem = "git was not found", "its index is damaged"
	if got := paint(paintOverview); got != "Not scanned | \nweb | git was not found\n"+want {
		t.Error(got)
	}
	if diff := cmp.Diff("Not scanned | \nweb | git was not found\nweb/login | its index is damaged\nConflicts | not every repository was scanned yet\nweb/a.go |  |  |  | ", paint(paintConflicts)); diff != "" {
		t.Error(diff)
	}
	s.Totals.Conflicts, s.Repos, s.Worktrees = &none, s.Repos[:1], nil
	if diff := cmp.Diff("Conflicts | \na.go |  |  |  | ", paint(paintConflicts)); diff != "" {
		t.Error(diff)
	}
}
