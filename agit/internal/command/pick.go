package command

import (
	"context"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/term"
)

// errNonePicked ends a command when the person chose nothing; no error is printed.
var errNonePicked = cli.ExitStatus(1)

// pick lets a person choose one of the worktrees of a repository, "" for all, on a
// terminal: with fzf where that is installed, else by a number. first stands before them,
// where it has a key. It returns ok as false where no one can be asked or there is nothing
// to choose from.
func pick(ctx context.Context, env *cli.Env, s *stores.Stores, repo string, first sibling.Choice) (key string, ok bool, err error) {
	if !env.Streams.CanAsk() || env.Printer().Format() != output.Table {
		return "", false, nil
	}
	states, err := s.Overview.Statuses(ctx, repo, false)
	if err != nil {
		return "", false, err
	}
	choices := choicesOf(states, time.Now())
	if len(choices) == 0 {
		return "", false, nil
	}
	if first.Key != "" {
		choices = append([]sibling.Choice{first}, choices...)
	}
	if sibling.Picker() {
		key, err = sibling.Pick(ctx, env.Streams.Err, "worktree", "agit diff {1} --stat", choices)
	} else {
		lines := make([]string, len(choices))
		for i, c := range choices {
			lines[i] = c.Text
		}
		var n int
		if n, err = env.Streams.Choose(ctx, "Which worktree?", lines); n >= 0 {
			key = choices[n].Key
		}
	}
	if err == nil && key == "" {
		err = errNonePicked
	}
	return key, true, err
}

// choicesOf returns the worktrees that can be picked, in columns: each with who works there, what happens to it next, and its task.
func choicesOf(states []overview.RepoStatus, now time.Time) (choices []sibling.Choice) {
	var rows [][]string
	for _, r := range states {
		names := folderNames(r)
		for _, w := range r.Worktrees {
			if w.Missing || w.Marks.Main || w.Ref == "" {
				continue
			}
			name := names[w.Path]
			if len(states) > 1 {
				name = r.Name + "/" + name
			}
			rows = append(rows, []string{term.Truncate(name, nameCells), w.By(), shownState(w.State, now), nextOf(r, w), w.Task})
			choices = append(choices, sibling.Choice{Key: w.Ref})
		}
	}
	widths := make([]int, 5)
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], term.Width(cell))
		}
	}
	for n, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			if widths[i] > 0 {
				b.WriteString(cell + strings.Repeat(" ", widths[i]-term.Width(cell)+2))
			}
		}
		choices[n].Text = strings.TrimRight(strings.ReplaceAll(b.String(), "\t", " "), " ")
	}
	return choices
}
