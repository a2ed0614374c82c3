package overview

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// The board has the first tasks of each state, and counts the rest.
func TestColumns(t *testing.T) {
	var cards []task.Card
	for i := range 5000 {
		c := task.Card{ID: fmt.Sprintf("T-%d", i), Name: fmt.Sprintf("Task %d", i), Status: task.Pending, Ready: i%2 == 0,
			Priority: work.PriorityMedium, Changed: timestamp.Of(time.Unix(int64(i), 0))}
		if i%10 == 0 {
			c.Status, c.Epic = task.Completed, "E-1"
		}
		if i == 7 || i == 9 {
			c.Agent = "ann"
		}
		if i == 4998 {
			c.Priority = work.PriorityCritical
		}
		cards = append(cards, c)
	}
	type column struct {
		State        string
		Count, Shown int
		First        string
	}
	for _, c := range []struct {
		filter Filter
		want   []column
	}{
		{Filter{}, []column{{TaskReady, 2000, mostRows, "T-4998"}, {TaskWaits, 2500, mostRows, "T-1"}, {TaskDone, 500, mostRows, "T-4990"}}},
		{Filter{State: TaskWaits, Most: 700}, []column{{TaskWaits, 2500, 700, "T-1"}}},
		{Filter{Most: 1 << 40, State: TaskReady}, []column{{TaskReady, 2000, 2000, "T-4998"}}},
		{Filter{Epic: "E-1"}, []column{{TaskDone, 500, mostRows, "T-4990"}}},
		{Filter{Epic: NoEpic, Words: "TASK 499"}, []column{{TaskReady, 4, 4, "T-4998"}, {TaskWaits, 10, 10, "T-499"}}},
		{Filter{Words: "nothing"}, nil},
		{Filter{Assignee: "ann"}, []column{{TaskWaits, 2, 2, "T-7"}}},
		{Filter{Sprint: "3"}, []column{{TaskWaits, 1, 1, "T-7"}}},
		{Filter{Sprint: NoSprint, Assignee: "ann"}, []column{{TaskWaits, 1, 1, "T-9"}}},
	} {
		var got []column
		for _, x := range columns(slices.Clone(cards), c.filter, map[string]string{"T-7": "3"}) {
			got = append(got, column{x.State, x.Count, len(x.Tasks), x.Tasks[0].ID})
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v: %s", c.filter, diff)
		}
	}
	b := Board{Epics: []BoardEpic{{ID: "E-1"}}}
	b.count(cards)
	if len(b.Epics) != 2 || b.Epics[0].Tasks != 500 || b.Epics[1].ID != NoEpic || b.Epics[1].Counts[TaskWaits] != 2500 {
		t.Errorf("%+v", b.Epics)
	}
}

// The shelf has the first memories in the requested order, and counts the rest.
func TestChoose(t *testing.T) {
	var all []Memory
	for i := range 1000 {
		m := Memory{ID: fmt.Sprintf("m-%d", i), Type: "pattern", Title: fmt.Sprintf("number %d", i), State: "unverified", Importance: 3,
			Decay: float64(i%40) / 2, UsedAt: timestamp.Of(time.Unix(int64(i), 0))}
		all = append(all, m)
	}
	all[0].Broken, all[0].State, all[0].Type = 1, "stale", "decision"
	all[1].Importance, all[1].Decay = 5, 100
	all[2].Decay = 25
	all[3].Archived, all[3].State = "faded", "valid"
	for _, c := range []struct {
		filter Filter
		count  int
		first  string
	}{
		{Filter{}, 999, "m-0"},
		{Filter{Order: "decay"}, 999, "m-1"},
		{Filter{Order: "used"}, 999, "m-999"},
		{Filter{Order: "importance"}, 999, "m-1"},
		{Filter{State: "stale"}, 1, "m-0"},
		{Filter{State: "fading"}, 1, "m-2"},
		{Filter{State: "archived"}, 1, "m-3"},
		{Filter{Type: "decision"}, 1, "m-0"},
		{Filter{Words: "number 99"}, 19, "m-199"},
	} {
		s := Shelf{Memories: slices.Clone(all), Threshold: 30}
		s.choose(c.filter)
		if s.Count != c.count || len(s.Memories) != min(c.count, mostRows) || s.Memories[0].ID != c.first {
			t.Errorf("%+v: %d of %d, the first is %s", c.filter, len(s.Memories), s.Count, s.Memories[0].ID)
		}
		if diff := cmp.Diff(map[string]int{"stale": 1, "unverified": 998}, s.States); diff != "" {
			t.Errorf("%+v: %s", c.filter, diff)
		}
		if diff := cmp.Diff([]string{"decision", "pattern"}, s.Types); diff != "" {
			t.Error(diff)
		}
	}
}

// Tickets are grouped by category, the most urgent first; each filter selects its own.
func TestTicketColumns(t *testing.T) {
	t.Parallel()
	all := []BoardTicket{
		{TicketHead: TicketHead{ID: "APP-1", Title: "Log in", Category: "todo", Assignee: "Cy"}, epic: "E-1", sprint: 3, Task: "T-1"},
		{TicketHead: TicketHead{ID: "APP-2", Title: "Log out", Category: "in_progress", Assignee: "Dee"}, sprint: 3},
		{TicketHead: TicketHead{ID: "APP-3", Title: "Menu", Status: "Backlog", Category: "todo"}, epic: "E-2"},
		{TicketHead: TicketHead{ID: "APP-4", Title: "Icons", Category: "done"}},
	}
	for _, c := range []struct {
		filter Filter
		want   string
	}{
		{Filter{}, "todo 2 [APP-1 APP-3] in_progress 1 [APP-2] done 1 [APP-4] "},
		{Filter{Most: 1}, "todo 2 [APP-1] in_progress 1 [APP-2] done 1 [APP-4] "},
		{Filter{Epic: "E-1"}, "todo 1 [APP-1] "},
		{Filter{Epic: NoEpic}, "in_progress 1 [APP-2] done 1 [APP-4] "},
		{Filter{Sprint: "3"}, "todo 1 [APP-1] in_progress 1 [APP-2] "},
		{Filter{Sprint: NoSprint}, "todo 1 [APP-3] done 1 [APP-4] "},
		{Filter{Assignee: "Dee"}, "in_progress 1 [APP-2] "},
		{Filter{Words: "backlog"}, "todo 1 [APP-3] "},
		{Filter{State: TaskReady}, ""}, // a state applies to tasks
	} {
		got := ""
		for _, column := range ticketColumns(all, c.filter) {
			var ids []string
			for _, ticket := range column.Tickets {
				ids = append(ids, ticket.ID)
			}
			got += fmt.Sprint(column.Category, " ", column.Count, " ", ids, " ")
		}
		if got != c.want {
			t.Errorf("%+v: %s, not %s", c.filter, got, c.want)
		}
	}
	b := Board{Epics: []BoardEpic{{ID: "E-1", Name: "Accounts"}}}
	b.choose(append(all, BoardTicket{TicketHead: TicketHead{Assignee: "Cy"}, epic: "E-2", epicName: "Look"}), []Choice{{"3", "Week 12"}}, []string{"ann", ""})
	want := Choices{Epics: []Choice{{"E-1", "Accounts"}, {"E-2", ""}}, Sprints: []Choice{{"3", "Week 12"}}, Assignees: []Choice{{"Cy", "Cy"}, {"Dee", "Dee"}, {"ann", "ann"}}}
	if diff := cmp.Diff(want, b.Choices); diff != "" {
		t.Error(diff)
	}
}
