package seen

import (
	"strconv"
	"time"

	"github.com/agit-suite/agit/shared/text"
)

// Words are the marks as lists show them, each a few words: "on no branch", "locked by process 4711".
func (m Marks) Words() (words []string) {
	if m.Prunable {
		words = append(words, "folder is gone")
	}
	if m.Detached {
		words = append(words, "on no branch")
	}
	switch {
	case m.LockHeld:
		words = append(words, "locked by process "+strconv.Itoa(m.LockedBy))
	case m.LockedBy != 0:
		words = append(words, "locked by a process that is gone")
	case m.Locked != "":
		words = append(words, "locked")
	}
	if m.MovedFrom != "" {
		words = append(words, "moved")
	}
	return words
}

// Sentence returns what the maker's clean-up will do to a worktree that holds work, as a clause: "claude-code removes it in 3 days".
func (w Sweep) Sentence(now time.Time) string {
	switch days := int(w.At.Sub(now).Hours() / 24); {
	case w.Keeps > 0:
		return string(w.By) + " keeps " + strconv.Itoa(w.Keeps) + " worktrees, and this is number " + strconv.Itoa(w.Place)
	case !w.At.After(now):
		return string(w.By) + " removes it when it starts next"
	case days == 0:
		return string(w.By) + " removes it within a day"
	default:
		return string(w.By) + " removes it in " + text.Count(days, "day", "days")
	}
}
