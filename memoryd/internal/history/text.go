package history

import (
	"fmt"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/text"
)

// Text formats a session for people.
func Text(s index.Session) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  %s", s.ID, s.Client, s.Folder)
	if s.Branch != "" {
		fmt.Fprintf(&b, "  branch %s", s.Branch)
	}
	fmt.Fprintf(&b, "\n%s to %s, %s, %s edited\n", s.Started.Local().Format(time.DateTime), s.Ended.Local().Format(time.DateTime),
		text.Count(s.Failures, "error", "errors"), text.Count(len(s.Edited), "file", "files"))
	fmt.Fprintf(&b, "tokens: %d in, %d out, %d from cache, %d into cache\n", s.Tokens.Input, s.Tokens.Output, s.Tokens.CacheRead, s.Tokens.CacheWrite)
	if len(s.Copies) > 0 {
		fmt.Fprintf(&b, "with its copies: %s\n", strings.Join(s.Copies, ", "))
	}
	for _, file := range s.Files {
		fmt.Fprintf(&b, "in %s\n", file)
	}
	b.WriteString(Marked + "\n")
	if s.Left > 0 {
		fmt.Fprintf(&b, "\n(%s left out: --limit)\n", text.Count(s.Left, "earlier entry was", "earlier entries were"))
	}
	for _, e := range s.Entries {
		kind := e.Kind
		if e.Agent {
			kind += " (subagent)"
		}
		if e.Failed && e.Kind != "error" {
			kind += ", failed"
		}
		fmt.Fprintf(&b, "\n%s  %s\n%s\n", e.At.Local().Format(time.TimeOnly), kind, e.Text)
	}
	return b.String()
}

// Beneath formats the sessions that bear on an answer, to be printed below it, "" for none.
func Beneath(all []Seen) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n" + Marked + "\n")
	for _, s := range all {
		b.WriteString("- " + s.Line() + "\n")
	}
	return b.String()
}
