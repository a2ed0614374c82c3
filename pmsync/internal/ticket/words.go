package ticket

import (
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/work"
)

// categoryWords maps the common statuses of trackers to their categories; the keys are folded by fold.
var categoryWords = map[string]string{
	"todo": Todo, "open": Todo, "opened": Todo, "new": Todo, "backlog": Todo, "ready": Todo, "pending": Todo, "triage": Todo, "unstarted": Todo, "planned": Todo,
	"reopened": Todo, "proposed": Todo, "selectedfordevelopment": Todo, "approved": Todo, "notstarted": Todo, "icebox": Todo,
	"inprogress": InProgress, "doing": InProgress, "started": InProgress, "active": InProgress, "inreview": InProgress, "review": InProgress, "wip": InProgress,
	"committed": InProgress, "intesting": InProgress, "testing": InProgress, "readyforreview": InProgress, "codereview": InProgress, "qa": InProgress, "resolved": InProgress,
	"done": Done, "closed": Done, "complete": Done, "completed": Done, "fixed": Done, "merged": Done, "released": Done, "shipped": Done, "finished": Done,
	"canceled": Canceled, "cancelled": Canceled, "wontdo": Canceled, "wontfix": Canceled, "duplicate": Canceled, "removed": Canceled, "rejected": Canceled, "invalid": Canceled, "declined": Canceled, "notplanned": Canceled, "obsolete": Canceled,
}

// fold makes a word comparable: only letters and digits, in lower case.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r > 0x7f:
			return r
		}
		return -1
	}, s)
}

// Category returns the category of a status as people write it, "" when it is not known.
func Category(status string) string { return categoryWords[fold(status)] }

// priorityWords maps the priorities of trackers to ours.
var priorityWords = map[string]work.Priority{
	"highest": work.PriorityCritical, "critical": work.PriorityCritical, "blocker": work.PriorityCritical, "urgent": work.PriorityCritical, "p0": work.PriorityCritical,
	"high": work.PriorityHigh, "major": work.PriorityHigh, "p1": work.PriorityHigh,
	"medium": work.PriorityMedium, "normal": work.PriorityMedium, "p2": work.PriorityMedium, "moderate": work.PriorityMedium,
	"low": work.PriorityLow, "minor": work.PriorityLow, "lowest": work.PriorityLow, "trivial": work.PriorityLow, "p3": work.PriorityLow, "p4": work.PriorityLow,
	"none": work.PriorityNone, "nopriority": work.PriorityNone, "unset": work.PriorityNone,
}

// priorityOf parses a priority as trackers export it.
func priorityOf(given string) (work.Priority, bool) {
	if n, err := strconv.ParseFloat(given, 64); err == nil && n >= 0 && n <= 4 && n == float64(int(n)) {
		return work.Priority(int(n)), true
	}
	p, ok := priorityWords[fold(given)]
	return p, ok
}

// typeWords maps the type names of trackers to ours. Any other type is a ticket, with the tracker's own word beside it.
var typeWords = map[string]string{
	"ticket": TypeTicket, "issue": TypeTicket, "subtask": TypeSubtask, "epic": TypeEpic, "feature": TypeTicket, "milestone": TypeMilestone,
}
