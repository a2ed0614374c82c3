package criteria

import (
	"fmt"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// sentence describes the state of a ticket's criteria.
func (c Check) sentence(ticket string, total, open int) string {
	switch {
	case total == 0 && len(c.Unsure) > 0:
		return fmt.Sprintf("%s of the text of %s may be criteria, and its author called none of them one; `pmsync ac verify` judges one, `pmsync ac update %s#N --status pending` confirms one", text.Count(len(c.Unsure), "line", "lines"), ticket, text.ShellWord(ticket))
	case total == 0:
		return fmt.Sprintf("no criteria of %s are known; `pmsync ac parse %s --force` looks for them in its text, `pmsync ac add` adds one", ticket, text.ShellWord(ticket))
	case c.ReadyToClose:
		return verified(ticket, total) + " and nothing blocks it: it can be closed"
	case c.AllVerified:
		return verified(ticket, total) + ", but it waits for " + strings.Join(c.WaitsFor, ", ")
	}
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{len(c.Pending), "pending"}, {len(c.Failed), "failed"}, {len(c.Blocked), "blocked"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	return fmt.Sprintf("%d of %d criteria of %s are verified; %s", total-open, total, ticket, strings.Join(parts, ", "))
}

// verified returns the sentence that all criteria of a ticket are verified.
func verified(ticket string, total int) string {
	if total == 1 {
		return "the one criterion of " + ticket + " is verified"
	}
	return fmt.Sprintf("all %d criteria of %s are verified", total, ticket)
}
