package command

import (
	"fmt"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/tries"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// triesSection shows the tries of one task side by side.
func triesSection(g tries.Group, called func(id string) string) section {
	t := term.NewTable(term.Column{Title: "TRY"}, term.Column{Title: "WORKTREE", Short: true}, term.Column{Title: "CLIENT", Short: true}, term.Column{Title: "GATE", Style: gateStyles.Of},
		term.Column{Title: "CHANGES", Right: true}, term.Column{Title: "TIME", Right: true}, term.Column{Title: "COST", Right: true}, term.Column{Title: "SHARES"}, term.Column{Title: "STATE", Flex: true})
	for _, r := range g.Tries {
		state := string(r.State)
		if r.State == tries.Failed || r.State == tries.Returned {
			state += ": " + text.FirstLine(r.Why, 200)
		}
		worktree := ""
		if r.Worktree != "" {
			worktree = called(r.Worktree)
		}
		t.Add(fmt.Sprint(r.Number), worktree, r.Client, r.Gate, fmt.Sprintf("%d +%d -%d", r.Files, r.Insertions, r.Deletions), (time.Duration(r.Seconds) * time.Second).String(), costOf(r), sharesOf(r), state)
	}
	return section{"Tries of " + named(g.TaskID, g.Task), fmt.Sprint(len(g.Tries)), t}
}

// costOf is what a try cost, else its tokens, as far as the client reports them.
func costOf(r tries.Row) string {
	switch {
	case r.Currency != "":
		return fmt.Sprintf("%.2f %s", float64(r.Micros)/1e6, r.Currency)
	case r.Tokens > 0:
		return fmt.Sprintf("%d tokens", r.Tokens)
	}
	return ""
}

// sharesOf returns what a try has in common with others: "3: 2 (1 same)" is two files that the third changes too, one of them to the same.
func sharesOf(r tries.Row) string {
	parts := make([]string, len(r.Shares))
	for i, s := range r.Shares {
		if parts[i] = fmt.Sprintf("%d: %d", s.With, s.Files); s.Same > 0 {
			parts[i] += fmt.Sprintf(" (%d same)", s.Same)
		}
	}
	return strings.Join(parts, ", ")
}
