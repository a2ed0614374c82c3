package memory

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/text/words"
	"github.com/agit-suite/agit/shared/timestamp"
)

// longestNearest bounds the shown part of a weak hit, in bytes: most notes fit completely, of longer ones a sentence or two.
const longestNearest = 160

// farthestNearest bounds how much of a long memory is searched for that part, in bytes: as much as the ranking reads.
const farthestNearest = 2_000

// Short is a weak hit where space is scarce: enough to see whether it is worth reading.
type Short struct {
	ID        string         `json:"id"`
	Key       string         `json:"key"`
	Title     string         `json:"title,omitempty"`
	Content   string         `json:"content"` // the part closest to the question
	Cut       bool           `json:"truncated,omitempty"`
	Weak      bool           `json:"weak"`
	Source    string         `json:"source,omitempty"`
	UpdatedAt timestamp.Time `json:"updated_at"`
}

// Short returns the short form of a weak hit with a body; ok is false for others.
func (h Hit) Short() (s Short, ok bool) {
	if h.Nearest == "" {
		return s, false
	}
	s = Short{ID: h.ID, Key: h.Key, Title: h.Title, Content: h.Nearest, Weak: h.Weak, Source: h.Source, UpdatedAt: h.UpdatedAt}
	s.Cut = h.Nearest != strings.Join(strings.Fields(h.Content), " ")
	if strings.HasPrefix(s.Content, strings.TrimSuffix(s.Title, "…")) {
		s.Title = "" // it would be repeated
	}
	return s, true
}

// Keys returns the keys of the memories.
func (a Answer) Keys() []string { return mapped(a.Memories, func(h Hit) string { return h.Key }) }

// Next returns a sentence about what to do with the answer, with commands; "" when there is nothing to do.
func (a Answer) Next() string {
	cut := false
	for _, h := range a.Memories {
		s, _ := h.Short()
		cut = cut || s.Cut
	}
	const again = "ask once more in words that the note may have used (names of things, files, commands), several wordings with `--also`"
	const unlikely = "what is known probably does not answer this; "
	const whole = "`memoryd recall --key ID` reads one whole"
	switch {
	case a.Former != nil:
		return fmt.Sprintf("%s kept under what this folder was before its remote or this machine's name (AGIT_HOST) changed: name project %s (%q) to read them",
			text.Count(a.Former.Memories, "memory is", "memories are"), a.Former.Project, a.Former.Name)
	case a.Unkept:
		return "nothing is kept here yet: `memoryd remember TEXT` keeps what is worth knowing"
	case !a.Weak && !cut:
		return ""
	case !a.Weak:
		return "weak hits are told in short; " + whole
	case len(a.Memories) == 0:
		return again
	case !cut:
		return unlikely + again
	}
	return unlikely + again + "; " + whole
}

// nearest returns the sentence of a text with most of the question, extended by the following and then the preceding sentences up to limit
// bytes. Omissions are marked.
func (q question) nearest(says string, limit int) string {
	says = strings.Join(strings.Fields(says), " ")
	if len(says) <= limit {
		return says
	}
	all := sentences(text.Cut(says, farthestNearest))
	best, most := 0, 0.0
	for i, s := range all {
		if holds := q.holds(s); holds > most {
			best, most = i, holds
		}
	}
	from, to, size := best, best+1, len(all[best])
	for to < len(all) && size+1+len(all[to]) <= limit {
		size += 1 + len(all[to])
		to++
	}
	for from > 0 && size+1+len(all[from-1]) <= limit {
		from--
		size += 1 + len(all[from])
	}
	told := strings.Join(all[from:to], " ")
	before, after := from > 0, to < len(all) || len(says) > farthestNearest
	if len(told) > limit {
		begin := q.begin(told, limit)
		before = before || begin > 0
		rest := told[begin:]
		told = strings.TrimSpace(text.Cut(rest, limit))
		after = after || len(told) < len(rest)
	}
	if before {
		told = "… " + told
	}
	if after {
		told += " …"
	}
	return told
}

// holds returns how much of the question a text contains, by weight.
func (q question) holds(s string) (sum float64) {
	found := make([]float64, len(q.groups))
	for _, t := range words.Terms(s) {
		for _, u := range q.terms[number(t.Text)] {
			found[u.group] = max(found[u.group], u.weight)
		}
	}
	for g, weight := range found {
		sum += weight * q.groups[g].weight
	}
	return sum
}

// begin returns where, in a sentence of more than limit bytes, the part with most of the question begins, at a word.
func (q question) begin(s string, limit int) (best int) {
	most := q.holds(text.Cut(s, limit))
	for at := 0; at < len(s)-limit*3/4; {
		next := strings.IndexByte(s[min(at+limit/4, len(s)):], ' ')
		if next < 0 {
			break
		}
		at += limit/4 + next + 1
		if holds := q.holds(text.Cut(s[at:], limit)); holds > most {
			best, most = at, holds
		}
	}
	return best
}

// sentences splits a text in one line at the ends of sentences.
func sentences(s string) (all []string) {
	from := 0
	var last rune
	for i, c := range s {
		if c == ' ' && strings.ContainsRune(".!?;:", last) || strings.ContainsRune("。！？", last) && !unicode.IsSpace(c) {
			all = append(all, strings.TrimSpace(s[from:i]))
			from = i
		}
		last = c
	}
	return append(all, strings.TrimSpace(s[from:]))
}
