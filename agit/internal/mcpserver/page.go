package mcpserver

import (
	"encoding/json"
	"slices"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/text"
)

// Results are read by models, which pay for every byte: lists come in pages, and
// long texts are cut there. The whole text is one task_id or file away.
const (
	tasksPage     = 20
	worktreesPage = 50
	conflictsPage = 20
	resourcePage  = 200 // a resource has no second page

	glancePage = 5 // conflicts in the answer about a whole repository

	// pageBytes ends a page before clients refuse to show it: 50 kB are about 12,000 tokens, half of what the strictest takes.
	pageBytes = 50_000

	listedText = 300 // bytes of a description or result in a list
	listedTask = 120 // bytes of a worktree's task
)

// fitting returns how many of a list fit in pageBytes, but at least one.
func fitting[T any](list []T) int {
	bytes := 0
	for i, one := range list {
		if bytes += size(one); bytes > pageBytes {
			return max(i, 1)
		}
	}
	return len(list)
}

func size(one any) int {
	encoded, _ := json.Marshal(one)
	return len(encoded)
}

// brief shortens the texts of a task.
func briefTask(t task.Task) task.Task {
	t.Description = cut(t.Description, listedText)
	t.Result = cut(t.Result, listedText)
	return t
}

func briefAll(tasks []task.Task) []task.Task {
	for i := range tasks {
		tasks[i] = briefTask(tasks[i])
	}
	return tasks
}

// briefTree shortens the task text that a worktree was spawned with.
func briefTree(w worktree.Worktree) worktree.Worktree {
	w.Task = cut(text.FirstLine(w.Task, listedTask+1), listedTask)
	return w
}

// briefLandings leaves out the parts of landings that `agit queue` shows.
func briefLandings(list []land.Landing) []land.Landing {
	short := []land.Landing{}
	for _, l := range list {
		l.TargetCommit, l.TestedTree, l.PID, l.StartedAt, l.GateAt = "", "", 0, nil, nil
		l.Task, l.Reason, l.Gate = cut(l.Task, listedTask), cut(l.Reason, listedText), slices.Clone(l.Gate)
		for i := range l.Gate {
			l.Gate[i] = cut(l.Gate[i], listedTask)
		}
		short = append(short, l)
	}
	return short
}

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return text.Cut(s, most) + "…"
}
