package brief

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// The most that one part of a brief takes at first, in bytes of a text or entries of a list. If the whole is still too large, Fit cuts
// more, the least useful first.
const (
	PulledText = 7000 // a forge's words on a pull request that came back, for which a brief gets room beyond its limit

	longText  = 1800 // the description
	midText   = 1200 // the words of a review
	lastText  = 400
	noteText  = 240
	titleText = 160
	fileText  = 120
	listed    = 12 // entries of a list
)

// Fit makes every text of the brief safe to print, and cuts it until it takes at most limit bytes, as text and as JSON. LeftOut counts what
// is left out. The purpose of the brief stays whatever the limit: the task, where to work, and how to finish.
func (b *Brief) Fit(limit int) {
	b.clean()
	for b.size() > limit && b.shrink() {
	}
}

// clean limits the size of each part, and removes terminal control sequences.
func (b *Brief) clean() {
	if b.Task != nil {
		b.Task.Agent = line(b.Task.Agent, titleText)
		b.Task.Name, b.Task.Epic = line(b.Task.Name, titleText), line(b.Task.Epic, titleText)
		b.Task.Description = block(b.Task.Description, longText)
	}
	if b.Worktree != nil {
		b.Worktree.Found = line(b.Worktree.Found, noteText)
	}
	if b.Review != nil {
		b.Review.clean()
	}
	b.Remembered.Last = block(b.Remembered.Last, lastText)
	first(b, "criteria", &b.Criteria, listed, func(c *Criterion) { c.Text = line(c.Text, noteText) })
	first(b, "comments", &b.Comments, lastComments, func(c *Comment) { c.Author, c.Text = line(c.Author, titleText), block(c.Text, lastText) })
	first(b, "gate", &b.Gate, listed, func(c *string) { *c = line(*c, noteText) })
	first(b, "trial", &b.Around.Trial, listed, func(l *string) { *l = line(*l, 2*noteText) })
	first(b, "waits_for", &b.Around.WaitsFor, listed, (*Item).clean)
	first(b, "unblocks", &b.Around.Unblocks, listed, (*Item).clean)
	first(b, "near", &b.Around.Near, listed, func(n *Neighbour) {
		n.Agent, n.Task = line(n.Agent, titleText), line(n.Task, titleText/2)
		n.Files, n.Conflict = lines(n.Files), lines(n.Conflict[:min(len(n.Conflict), listed)])
	})
	first(b, "announced_files", &b.Around.Announce, listed, func(a *Announcement) {
		a.Agent, a.Pattern, a.Why = line(a.Agent, titleText), line(a.Pattern, fileText), line(a.Why, titleText)
	})
	first(b, "memory", &b.Remembered.Memory, listed, func(m *Memory) { m.Title, m.Content = line(m.Title, titleText), line(m.Content, lastText) })
	first(b, "notes", &b.Notes, listed, func(n *string) { *n = line(*n, noteText) })
}

func (r *Review) clean() {
	most := midText
	if r.Pulled {
		most = PulledText
	}
	r.Why = block(r.Why, most)
}

func (i *Item) clean() { i.Name = line(i.Name, titleText/2) }

// shrink cuts the least useful thing that is left; it returns false when nothing is left to cut.
func (b *Brief) shrink() bool {
	for i := range slices.Backward(b.Remembered.Memory) {
		if b.Remembered.Memory[i].Content != "" {
			b.Remembered.Memory[i].Content = ""
			return true
		}
	}
	switch {
	case drop(b, "comments", &b.Comments, 1), drop(b, "memory", &b.Remembered.Memory, 4), drop(b, "announced_files", &b.Around.Announce, 4), drop(b, "near", &b.Around.Near, 4), drop(b, "unblocks", &b.Around.Unblocks, 4),
		shorten(&b.Remembered.Last, lastText/4), drop(b, "waits_for", &b.Around.WaitsFor, 4), drop(b, "criteria", &b.Criteria, 8):
		return true
	case b.Task != nil && shorten(&b.Task.Description, longText/2):
		return true
	case drop(b, "comments", &b.Comments, 0), drop(b, "memory", &b.Remembered.Memory, 0), drop(b, "announced_files", &b.Around.Announce, 0), drop(b, "near", &b.Around.Near, 0), drop(b, "unblocks", &b.Around.Unblocks, 0),
		shorten(&b.Remembered.Last, 0), drop(b, "notes", &b.Notes, 2), drop(b, "trial", &b.Around.Trial, 2), drop(b, "waits_for", &b.Around.WaitsFor, 0), drop(b, "criteria", &b.Criteria, 2):
		return true
	case b.Review != nil && shorten(&b.Review.Why, midText/4), b.Task != nil && shorten(&b.Task.Description, 0), drop(b, "trial", &b.Around.Trial, 0), drop(b, "gate", &b.Gate, 1):
		return true
	}
	return false
}

// first keeps the first entries of a list, each made short.
func first[T any](b *Brief, part string, list *[]T, most int, short func(*T)) {
	for len(*list) > most {
		drop(b, part, list, most)
	}
	*list = slices.Clone(*list)
	for i := range *list {
		short(&(*list)[i])
	}
}

// drop takes the last entry off a list that has more than least, and counts it.
func drop[T any](b *Brief, part string, list *[]T, least int) bool {
	if len(*list) <= least {
		return false
	}
	*list = (*list)[:len(*list)-1]
	if b.Around.LeftOut == nil {
		b.Around.LeftOut = map[string]int{}
	}
	b.Around.LeftOut[part]++
	return true
}

// shorten takes a third off a text that is longer than least.
func shorten(s *string, least int) bool {
	if len(*s) <= least || *s == "" {
		return false
	}
	const says = 20 // a shorter text is of no use
	most := max(least, len(*s)*2/3)
	if most < says {
		*s = ""
		return true
	}
	*s = cut(strings.TrimSuffix(*s, "…"), most)
	return true
}

// line makes a text safe for one line of at most most bytes, block for several lines.
func line(s string, most int) string {
	return cut(term.Escape(strings.Join(strings.Fields(text.Cut(s, 4*most)), " ")), most)
}

func block(s string, most int) string {
	return cut(term.EscapeText(strings.TrimSpace(strings.ReplaceAll(text.Cut(s, 4*most), "\r\n", "\n"))), most)
}

func lines(list []string) []string {
	return text.Each(list, func(s string) string { return line(s, fileText) })
}

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return text.Cut(s, most-len("…")) + "…"
}

// size returns the brief's size in bytes, in the larger of its two forms.
func (b *Brief) size() int {
	var count counter
	encoder := json.NewEncoder(&count)
	encoder.SetEscapeHTML(false) // as the command line and the MCP server both write it
	if encoder.Encode(b) != nil {
		return 0
	}
	return max(int(count), len(b.Text()))
}

// counter counts the bytes written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// rest returns a description without its first line, when that is the name.
func rest(name, description string) string {
	if after, ok := strings.CutPrefix(description, name); ok && (after == "" || after[0] == '\n') {
		return strings.TrimSpace(after)
	}
	return description
}
