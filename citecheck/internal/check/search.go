package check

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// Match is a memory that a search found.
type Match struct {
	ID         string     `json:"memory_id"`
	File       string     `json:"file"`
	Title      string     `json:"title,omitempty"`
	Score      float64    `json:"score"`
	At         int        `json:"at,omitempty"` // line of the excerpt
	Excerpt    string     `json:"excerpt,omitempty"`
	State      string     `json:"state,omitempty"` // with verification
	Valid      *bool      `json:"citations_valid,omitempty"`
	Confidence *float64   `json:"confidence,omitempty"`
	Stale      []Citation `json:"stale_citations,omitempty"`

	words int
	entry library.Entry
}

// SearchOptions limit and verify a search.
type SearchOptions struct {
	Limit         int
	Verify        bool
	Prose         bool
	MinConfidence float64 // drops verified memories below it; unverified ones stay
}

// maxExcerpt bounds the line shown of a match, in bytes.
const maxExcerpt = 160

// Search finds memories by words. Memories with more of the words come first, then those with the higher score: how often and where the
// words occur. A word in the name or title counts five times.
func (s *Service) Search(ctx context.Context, query string, o SearchOptions) ([]Match, error) {
	words := splitWords(query)
	if len(words) == 0 {
		return nil, fault.Validation("query", "the search holds no word")
	}
	entries, err := s.Lib.Entries()
	if err != nil {
		return nil, err
	}
	found, err := library.Map(ctx, s.Lib, entries, 0, func(d library.Doc) *Match { return match(d, words) })
	if err != nil {
		return nil, err
	}
	matches := []Match{}
	for _, m := range found {
		if m != nil {
			m.File = s.Lib.File(m.entry)
			matches = append(matches, *m)
		}
	}
	slices.SortStableFunc(matches, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.Score, a.Score))
	})
	if o.Verify {
		return s.verifyMatches(ctx, matches, o)
	}
	return cut(matches, o.Limit), nil
}

func cut(matches []Match, limit int) []Match {
	if limit > 0 && len(matches) > limit {
		return matches[:limit]
	}
	return matches
}

// splitWords returns the words of a query in lower case.
func splitWords(query string) []string {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	slices.Sort(words)
	words = slices.Compact(words)
	return words[:min(len(words), 50)]
}

func match(d library.Doc, words []string) *Match {
	if d.Memory == nil {
		return nil
	}
	src := bytes.ToLower(d.Source())
	name := strings.ToLower(d.ID + " " + d.Title)
	m := &Match{ID: d.ID, Title: d.Title, entry: d.Entry}
	first := -1
	for _, w := range words {
		n := bytes.Count(src, []byte(w))
		if n > 0 && first < 0 {
			first = bytes.Index(src, []byte(w))
		}
		if strings.Contains(name, w) {
			n += 5
		}
		if n > 0 {
			m.words++
			m.Score += 1 + math.Log(float64(n))
		}
	}
	if m.words == 0 {
		return nil
	}
	m.Score = round(m.Score / (1 + math.Log(1+float64(len(src))/2000)))
	if first >= 0 && len(src) == len(d.Source()) {
		m.At, m.Excerpt = excerpt(d.Source(), first)
	}
	return m
}

// excerpt returns the line that contains a byte, cut around it.
func excerpt(src []byte, at int) (line int, shown string) {
	line = 1 + bytes.Count(src[:at], []byte{'\n'})
	start := bytes.LastIndexByte(src[:at], '\n') + 1
	end := len(src)
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		end = at + i
	}
	for at-start > maxExcerpt/2 {
		start++
	}
	for start < at && src[start]&0xc0 == 0x80 {
		start++
	}
	return line, text.Cut(strings.TrimSpace(string(src[start:end])), maxExcerpt)
}

// verifyMatches checks the memories found and drops those that cannot be trusted.
func (s *Service) verifyMatches(ctx context.Context, matches []Match, o SearchOptions) ([]Match, error) {
	entries := make([]library.Entry, len(matches))
	for i, m := range matches {
		entries[i] = m.entry
	}
	opts := Options{Prose: o.Prose, NoRecord: true}
	docs, err := s.Documents(ctx, entries, opts)
	if err != nil {
		return nil, err
	}
	sum, err := s.Verify(ctx, docs, opts)
	if err != nil {
		return nil, err
	}
	kept := []Match{}
	for i, m := range matches {
		found := sum.Memories[i]
		m.State, m.Confidence, m.Stale = found.State, found.Confidence, found.Stale
		if found.Confidence != nil {
			if *found.Confidence < o.MinConfidence {
				continue
			}
			m.Valid = &found.Valid
		}
		kept = append(kept, m)
	}
	return cut(kept, o.Limit), nil
}
