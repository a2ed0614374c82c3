package command

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/timestamp"
)

var taskColumns = []output.Column[task.Task]{
	{Title: "ID", Value: func(t task.Task) string { return t.ID }},
	{Title: "STATUS", Value: func(t task.Task) string { return t.Status }, Style: taskStyles.Of},
	{Title: "PRIORITY", Value: func(t task.Task) string { return t.Priority.String() }},
	{Title: "AGENT", Value: func(t task.Task) string { return t.Agent }},
	{Title: "NAME", Value: func(t task.Task) string { return t.Name }, Flex: true},
}

var taskStyles = term.Styles{
	task.Completed: term.Green, task.Failed: term.Red, task.Blocked: term.Red, task.Claimed: term.Yellow, task.InProgress: term.Yellow,
}

// printDocument prints what a command found or made, for people by a function, unless that failed.
func printDocument(ctx context.Context, env *cli.Env, document any, failed error, people func(*term.Streams) error) error {
	if failed != nil {
		return failed
	}
	return env.Printer().Document(ctx, document, people)
}

// exitWhen is err, if there is one, and otherwise the status of a command that did its work and found what that status reports.
func exitWhen(err error, found bool, status int) error {
	if err == nil && found {
		return cli.ExitStatus(status)
	}
	return err
}

// printList prints a list that a command found, and where it has no items the notice none, unless that failed.
func printList[T any](ctx context.Context, env *cli.Env, plural string, items []T, failed error, columns []output.Column[T], none string) error {
	switch {
	case failed != nil:
		return failed
	case none == "":
		return output.List(ctx, env.Printer(), plural, items, columns)
	}
	return output.ListOr(ctx, env.Printer(), plural, items, columns, none)
}

// printChange prints what a command changed, as a document or as one line of cells, unless the change failed.
func printChange(ctx context.Context, env *cli.Env, changed any, failed error, cells ...string) error {
	return printDocument(ctx, env, changed, failed, func(s *term.Streams) error { return s.Line(cells...) })
}

// printTask is printChange for one task.
func printTask(ctx context.Context, env *cli.Env, t task.Task, failed error) error {
	return printDocument(ctx, env, t, failed, func(s *term.Streams) error { return taskLine(s, t) })
}

// taskLine is a task that a command claimed, moved or changed, the same behind
// every command.
func taskLine(s *term.Streams, t task.Task) error {
	cells := []string{t.ID, t.Status, t.Name}
	if t.Agent != "" {
		cells = append(cells, t.Agent)
	}
	if err := s.Line(cells...); err != nil {
		return err
	}
	if t.ClaimToken != 0 {
		s.Notice("claim token %d: give it as --token with later reports to be sure the claim is still yours", t.ClaimToken)
	}
	return nil
}

// facts are lines of a name, as wide as the widest, and a value; those without a value are left out.
func facts(width int, rows [][]string) [][]string {
	rows = slices.DeleteFunc(rows, func(row []string) bool { return row[1] == "" })
	for _, row := range rows {
		row[0] = fmt.Sprintf("%-*s", width, row[0])
	}
	return rows
}

func when(t *timestamp.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.RFC3339)
}
