package mcpserver

import (
	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/shared/text"
)

// Results are read by models, which pay for every byte: lists come in pages and
// long texts are cut. The whole is one resource away.
const (
	memoriesPage  = 20
	citationsPage = 20 // of one memory in a list of them
	namesPage     = 20
	nodesPage     = 100
	shownText     = 200 // bytes of a snippet or line found
)

// brief shortens what was found of a memory.
func brief(m check.Memory, most int) check.Memory {
	m.Citations = nil
	if len(m.Stale) > most {
		m.Stale = m.Stale[:most]
	}
	for i := range m.Stale {
		c := &m.Stale[i]
		c.Snippet, c.FoundText = cut(c.Snippet), cut(c.FoundText)
		if len(c.Candidates) > 3 {
			c.Candidates = c.Candidates[:3]
		}
		for k := range c.Candidates {
			c.Candidates[k].Text = ""
		}
	}
	if len(m.Problems) > most {
		m.Problems = m.Problems[:most]
	}
	return m
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
