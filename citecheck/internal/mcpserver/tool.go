package mcpserver

import (
	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/shared/text"
)

// Results are read by models, which pay for every byte: lists are paged and long texts are cut. The complete document is one resource away.
const (
	memoriesPage     = 20
	instructionsPage = 20 // findings of instruction files
	citationsPage    = 20 // of one memory in a list of them
	namesPage        = 20
	nodesPage        = 100
	shownText        = 200 // bytes of a snippet or line found
)

// brief shortens the results for a memory.
func brief(m check.Memory, most int) check.Memory {
	m.Citations = nil
	m.Stale, m.Unverifiable = first(m.Stale, most), first(m.Unverifiable, most)
	shorten(m.Stale)
	shorten(m.Unverifiable)
	m.Problems = first(m.Problems, most)
	return m
}

func shorten(citations []check.Citation) {
	for i := range citations {
		c := &citations[i]
		c.Snippet, c.FoundText = cut(c.Snippet), cut(c.FoundText)
		c.Candidates = first(c.Candidates, 3)
		for k := range c.Candidates {
			c.Candidates[k].Text = ""
		}
	}
}

func cut(s string) string {
	if len(s) <= shownText {
		return s
	}
	return text.Cut(s, shownText) + "…"
}

// first are the first names of a list.
func first[T any](list []T, most int) []T {
	return list[:min(len(list), most)]
}
