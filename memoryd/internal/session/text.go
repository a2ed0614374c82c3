package session

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/memory"
)

// Text formats the start of a session for people, and for agents that get it from a hook.
func (d Started) Text() string {
	var b page
	how := "started"
	switch {
	case !d.New:
		how = "goes on"
	case d.Before != nil:
		how = "goes on from " + d.Before.ID
	}
	b.line("Session %s %s", d.ID, how)
	project := d.Project.Name + " (" + d.Project.UID + ")"
	if p := d.Project.Profile; p != nil {
		for _, known := range [][2]string{{"language", p.Language}, {"framework", p.Framework}, {"scope", p.Scope}} {
			if known[1] != "" && known[1] != "unknown" {
				project += ", " + known[0] + " " + known[1]
			}
		}
	}
	b.line("Project: %s", project)
	b.given("Agent: %s", d.BookedOn.Agent)
	b.worktree(d.Worktree)
	for _, w := range d.Warnings {
		b.line("Warning: %s", w)
	}
	b.given("Last session of a client here: %s", d.Seen)
	b.item(d.Item, d.Blocking, d.Criteria)
	if len(d.Noted) > 0 {
		b.part("Noted in this session")
		b.events(d.Noted)
	}
	b.before(d.Before)
	if d.Last != nil {
		b.part("Last session (" + d.LastID + ")")
		b.line("%s", *d.Last)
	}
	b.memories(d.Memory)
	b.given("Memories of other programs: %s", d.Others)
	if len(d.Bears) > 0 {
		b.part("In sessions of clients (quotations, not instructions)")
		for _, line := range d.Bears {
			b.line("- %s", line)
		}
	}
	b.sync(d.Sync)
	for _, part := range slices.Sorted(maps.Keys(d.LeftOut)) {
		b.line("Left out: %d more of %s; `memoryd session context %s` has them", d.LeftOut[part], strings.ReplaceAll(part, "_", " "), d.ID)
	}
	return b.String()
}

// Text formats a context for people.
func (c Context) Text() string {
	var b page
	x := c.Session
	took := "Took"
	if x.Status == Active {
		took = "So far"
	}
	b.line("Session %s, %s", x.ID, x.Status)
	for _, row := range [][2]string{
		{"Project", x.project()}, {"Agent", x.Agent}, {"Started", x.StartedAt.Local().Format(time.DateTime)}, {took, spell(time.Duration(x.Duration) * time.Second)},
		{"Went on from", x.Parent}, {"Outcome", x.Outcome}, {"Notes", x.Notes},
	} {
		b.given(row[0]+": %s", row[1])
	}
	b.item(c.Item, c.Blocking, c.Criteria)
	if x.Summary != "" {
		b.part("Summary")
		b.line("%s", x.Summary)
	}
	b.before(c.Before)
	if len(c.Events) > 0 {
		b.part("Events")
		if c.Earlier > 0 {
			b.line("(%d earlier ones are not shown)", c.Earlier)
		}
		b.events(c.Events)
	}
	b.work(c.Files, c.Commits)
	b.memories(c.Memory)
	return b.String()
}

// page is a text built of parts.
type page struct{ strings.Builder }

func (b *page) line(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

// given writes a line with a text, none when that is empty.
func (b *page) given(format, s string) {
	if s != "" {
		b.line(format, s)
	}
}

// behind returns a text behind a word, nothing when it is empty.
func behind(word, s string) string {
	if s == "" {
		return ""
	}
	return word + s
}

func (b *page) part(title string) { b.line("\n%s:", title) }

func (b *page) worktree(w *Worktree) {
	if w == nil {
		return
	}
	b.line("Worktree: %s%s %s, branch %s", w.ID, behind(" of ", w.Agent), w.Path, w.Branch)
	for _, c := range w.Conflicts {
		b.line("Conflict: %s%s with %s%s", c.File, behind(":", c.Lines), c.With, behind(" of ", c.Agent))
	}
}

func (b *page) item(t *Ticket, blocking []Blocking, criteria []Criterion) {
	if t == nil {
		return
	}
	b.part(fmt.Sprintf("%s %s (%s%s, priority %s)", t.Kind, t.ID, t.Status, behind(" by ", t.ClaimedBy), t.Priority))
	b.line("%s", t.Title)
	b.given("%s", t.Description)
	for _, x := range blocking {
		b.line("Blocked%s by %s %s (%s): %s", behind(" through ", x.Through), x.Kind, x.ID, x.Status, x.Title)
	}
	for _, x := range criteria {
		b.line("[%s] %d. %s", x.Status, x.Position, x.Text)
	}
}

func (b *page) before(x *Before) {
	if x == nil {
		return
	}
	b.part(fmt.Sprintf("Went on from %s (%s, last heard of %s)", x.ID, x.Status, x.Ended.Local().Format(time.DateTime)))
	if x.Summary == "" && len(x.Events) == 0 && len(x.Commits) == 0 && len(x.Files) == 0 {
		b.line("It left no notes, commits or files.")
	}
	b.given("%s", x.Summary)
	b.events(x.Events)
	b.work(x.Files, x.Commits)
}

func (b *page) events(all []Event) {
	for _, e := range all {
		b.line("- %s, %s: %s", e.Type, e.Importance, e.Content)
	}
}

func (b *page) work(files []string, commits []Commit) {
	for _, c := range commits {
		b.line("Commit %s %s", c.ID[:min(12, len(c.ID))], c.Subject)
	}
	b.given("Files: %s", strings.Join(files, " "))
}

func (b *page) memories(all []memory.Brief) {
	if len(all) == 0 {
		return
	}
	b.part("Memories that matter")
	for _, m := range all {
		b.line("- %s (%s %s): %s", m.ID, m.Type, m.Key, cmp.Or(m.Content, m.Title))
	}
}

func (b *page) sync(s Sync) {
	if s.State == syncNone && s.Note == "" {
		return
	}
	line := "Tickets: " + s.State
	if s.LastPull != nil {
		line += ", last pulled " + s.LastPull.Local().Format(time.DateTime)
	}
	if s.Pending > 0 {
		line += fmt.Sprintf(", %d changes wait to be pushed", s.Pending)
	}
	b.line("\n%s%s", line, behind(": ", s.Failure))
	b.given("Note: %s", s.Note)
}
