package command

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/shared/work"
)

func TestConflictCellsNameWorktrees(t *testing.T) {
	t.Parallel()
	called := func(id string) string {
		return map[string]string{"w-1": "login", "w-2": "a-name-that-is-longer-than-a-table-has-room-for"}[id] + map[bool]string{true: id}[id == "origin/copilot/a-branch-with-a-long-name"]
	}
	c := conflict.Conflict{File: "a.go", Depth: conflict.DepthMerge, DefaultBranch: "main", Worktrees: []conflict.Side{
		{ID: "w-1", Agent: "ann"}, {ID: "w-2", Maker: "claude-code"}, {ID: "origin/copilot/a-branch-with-a-long-name"},
	}}
	want := "main, login (ann), a-name-that-is-longer-than-… (claude-code), origin/copilot/a-branch-with-a-long-name"
	if got := conflictCells(c, called)[3]; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if c.Worktrees[0].ID != "w-1" {
		t.Error("the conflict itself was changed")
	}
}

func TestLogColumns(t *testing.T) {
	t.Parallel()
	row := func(terminal bool, l work.Logged) (cells string) {
		for _, c := range logColumns(terminal)[2:] {
			cells += c.Value(costed{Logged: l}) + "|"
		}
		return cells
	}
	made := work.Logged{Item: "t-1", Title: "Login", Event: work.Event{Field: "status", New: "pending", Why: "created"}}
	moved := work.Logged{Item: "t-1", Title: "Login", Event: work.Event{Field: "status", Old: "pending", New: "claimed", Actor: "a person"}}
	other := work.Logged{Item: "t-1", Title: "Login", Event: work.Event{Field: "priority", Old: "low", New: "high", Why: "it is late"}}
	for want, got := range map[string]string{
		"Login|status pending||created|":            row(false, made),
		"Login|pending|||":                          row(true, made),
		"Login|status pending → claimed|a person||": row(false, moved),
		"Login|pending → claimed|a person||":        row(true, moved),
		"Login|priority low → high||it is late|":    row(true, other),
	} {
		if got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
