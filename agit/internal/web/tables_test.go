package web

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Both painters have every cell format that a table names, and no other: scripts and first page draw the same.
func TestBothPaintersKnowTheCells(t *testing.T) {
	t.Parallel()
	script, err := static.ReadFile("static/cells.js")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(script), "const cells = {")
	body, _, found := strings.Cut(after, "\n};")
	var known []string
	for _, m := range regexp.MustCompile(`(?m)^  (\w+): \(`).FindAllStringSubmatch(body, -1) {
		known = append(known, m[1])
	}
	var here, asked []string
	for name := range cells {
		here = append(here, name)
	}
	for _, t := range tables {
		for _, c := range t.Columns {
			as := "text"
			if c.As != "" {
				as = c.As
			}
			asked = append(asked, as)
		}
	}
	for _, list := range [][]string{known, here, asked} {
		slices.Sort(list)
	}
	if asked = slices.Compact(asked); !found || !slices.Equal(known, here) || !slices.Equal(asked, here) {
		t.Errorf("the scripts know %q\nthe first page knows %q\nthe tables ask for %q", known, here, asked)
	}
}

// A column names a field of its document.
func TestColumnsNameFields(t *testing.T) {
	t.Parallel()
	at := timestamp.Of(time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC))
	later := timestamp.Of(at.Add(30 * time.Minute))
	now := around{now: at.Add(time.Hour), many: true}
	p := &Paint{}
	list(p, "records", "", "", 1, []overview.Record{{Agent: "ann", SP: 3, XP: 1.25, CS: 2, Commits: 4, Bugs: 1, Halted: true, Updated: &at}}, now)
	list(p, "memories", "", "", 2, []overview.Memory{
		{Title: "Dates are UTC", Type: "decision", State: "stale", Citations: 3, Broken: 1, Decay: 2.5, Importance: 3, Uses: 2, UsedAt: at},
		{Title: "Old", Type: "fact", State: "valid", Archived: "faded", Importance: 5, UsedAt: at},
	}, now)
	list(p, "tickets", "In no sprint", "", 1, []overview.Ticket{{TicketHead: overview.TicketHead{ID: "APP-7", Title: "Links expire", Category: "in_progress", Priority: work.PriorityMedium, Assignee: "Cy"}, Criteria: []overview.Criterion{{Status: "verified"}, {Status: "pending"}}}}, now)
	list(p, "sessions", "", "of the last month", 9, []overview.Session{
		{Agent: "ann", Status: "completed", Outcome: "success", Summary: "Did it", StartedAt: at, HeardAt: at, EndedAt: &later},
		{Status: "active", Title: "Log in", StartedAt: at, HeardAt: at}, {Agent: "bob", Status: "interrupted", StartedAt: at, HeardAt: later},
	}, now)
	list(p, "files", "Conflicts", "", 1, []overview.Conflict{{Repo: "app", File: "a.go", Lines: "3-5", Depth: "merge", Sides: []overview.Side{{Name: "login", Agent: "ann"}, {Name: "main"}}, Since: &at}}, now)
	three, none := 3, 0
	now.trees = map[string]overview.Worktree{"w-1": {Repo: "app", Name: "login", State: "5 changed", Ahead: &three, Behind: &none}}
	list(p, "agents", "", "", 3, []overview.Agent{
		{Name: "ann", State: "working", Since: &at, Worktree: "w-1", Note: "runs tests", Spent: "$1.20*"}, {Name: "bob", State: "gone", TaskName: "Menu", Task: "T-1", Halted: true}, {Name: "cy", State: "idle", Note: "rests", Host: "laptop"},
	}, now)
	list(p, "worktrees", "", "", 1, []overview.Worktree{{Ref: "w-2", Repo: "app", Name: "menu", State: "clean", Branch: "agit/menu"}}, now)
	list(p, "landings", "", "", 2, []overview.Landing{{Repo: "app", Name: "login", State: "gate running", Since: &at, Agent: "ann", Gate: "make test"}, {Name: "menu", State: "returned", Gate: "make", Reason: "it is behind"}}, now)
	list(p, "waiting", "", "", 1, []overview.PlanWait{{PlanStep: overview.PlanStep{ID: "T-2", Name: "Log out", State: "waits"}, On: []string{"T-1", "T-3"}}}, now)
	list(p, "needs", "", "", 3, []overview.Need{
		{Who: "ann", State: "to review", Since: &at, Reason: "3 files", Next: "`agit diff w-1`", What: "login", Repo: "app", Worktree: "w-1", TaskName: "Log in", Change: "1 commit", Cost: "$1.20"},
		{Who: "T-4", State: "failed", What: "T-4", Task: "T-4", TaskName: "Menu"}, {Who: "Menu", State: "blocked", What: "T-5", Repo: "app", TaskName: "Menu"},
		{Who: "bob", State: "conflict", Reason: "go.mod with main", What: "sso", Repo: "app", Worktree: "w-9"},
	}, now)
	list(p, "lane", "Ready", "", 2, []overview.BoardTask{{ID: "T-1", Name: "Log in", Priority: work.PriorityHigh, Agent: "ann", Changed: at}, {ID: "T-2", Name: "Log out", Priority: work.PriorityMedium, Changed: at}}, now)
	list(p, "beside", "Tickets, todo", "", 1, []overview.BoardTicket{{TicketHead: overview.TicketHead{ID: "APP-1", Title: "Log in", Status: "Backlog", Assignee: "Cy", Priority: work.PriorityHigh}, Task: "T-1"}}, now)
	list(p, "path", "", "", 1, []overview.PlanStep{{ID: "T-2", Name: "Log out", State: "in_progress"}}, now)
	var got [][]string
	for _, s := range p.Sections {
		got = append(got, append([]string{s.Title, s.Note}, s.Columns...))
		got = append(got, s.Rows...)
	}
	want := [][]string{
		{"Records", tables["records"].Note, "Agent", "SP", "XP", "CS", "Commits", "Bugs", "State", "Changed"},
		{"ann", "3", "1.2", "2", "4", "1", "halted", "1h"},
		{"Memories", "", "Memory", "State", "Broken", "Decay", "Type", "Used"},
		{"Dates are UTC", "stale", "1 of 3", "2.5", "decision", "2 × 1h"}, {"Old", "faded", "", "never fades", "fact", "0 × 1h"},
		{"In no sprint", "", "Ticket", "Title", "Status", "Criteria", "Assignee", "Priority"},
		{"APP-7", "Links expire", "in progress", "1 of 2", "Cy", "medium"},
		{"Sessions", "of the last month; 6 more are not shown", "Agent", "Outcome", "Started", "Lasted", "About"},
		{"ann", "success", "2026-11-25 09:00", "30m", "Did it"}, {"no agent", "active", "2026-11-25 09:00", "1h", "Log in"}, {"bob", "interrupted", "2026-11-25 09:00", "30m", ""},
		{"Conflicts", "", "File", "Lines", "Between", "Depth", "Since"},
		{"app/a.go", "3-5", "ann login × main", "will not merge", "1h"},
		{"Agents", "", "Agent", "State", "Works on", "Commits", "Files", "Cost today"},
		{"ann", "working 1h", "app/login: runs tests", "3 ahead", "5 changed", "$1.20*"}, {"bob", "gone halted", "Menu", "", "", ""}, {"cy on laptop", "idle", "rests", "", "", ""},
		{"Worktrees", "", "Worktree", "Agent", "Files", "Branch"}, {"app/menu", "", "clean", "agit/menu"},
		{"Landings", "", "Worktree", "State", "Agent", "Gate"}, {"app/login", "gate running 1h", "ann", "make test"}, {"menu", "returned", "", "it is behind"},
		{"What waits for what", "", "Task", "State", "Waits for"}, {"T-2 Log out", "waits", "T-1, T-3"},
		{"Needs you", "", "Task", "Why", "State", "Who", "Of", "Changes", "Cost", "What to do"},
		{"Log in", "3 files", "to review 1h", "ann", "app/login", "1 commit", "$1.20", "`agit diff w-1`"}, {"Menu", "failed", "failed", "", "T-4", "", "", ""}, {"Menu", "blocked", "blocked", "", "T-5", "", "", ""},
		{"app/sso", "go.mod with main", "conflict", "bob", "", "", "", ""},
		{"Ready", "", "Task", "Agent", "Priority", "Changed", "Id"}, {"Log in", "ann", "high", "1h", "T-1"}, {"Log out", "", "", "1h", "T-2"},
		{"Tickets, todo", "", "Ticket", "Id", "Assignee", "Priority", "Status", "Task"}, {"Log in", "APP-1", "Cy", "high", "Backlog", "T-1"},
		{"Critical path", "", "Task", "State"}, {"T-2 Log out", "in progress"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
