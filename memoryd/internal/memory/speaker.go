package memory

import (
	"github.com/agit-suite/agit/shared/text/words"
)

// Bounds of what is taken for a speaker: the title of several memories of a conversation.
const (
	leastTurns   = 2
	longestNamed = 3 // words of a name
)

// speakers says of each entry whether the one who speaks there is asked about, where the question names some of those
// who speak and not others: what someone did is told by themselves, more often than by those they talk to.
func (r *ranker) speakers(all []*entry) {
	turns := map[string]int{}
	for _, e := range r.entries {
		if e.thread != "" && e.title != "" {
			turns[e.title]++
		}
	}
	asked := map[string]bool{}
	for _, g := range r.asked.groups {
		asked[g.raw] = true
	}
	named, others := map[string]bool{}, 0
	for title, n := range turns {
		name := words.Terms(title)
		if n < leastTurns || len(name) == 0 || len(name) > longestNamed {
			continue
		}
		all := true
		for _, t := range name {
			all = all && asked[t.Raw]
		}
		if named[title] = all; !all {
			others++
		}
	}
	if others == 0 || others == len(named) {
		return
	}
	for _, e := range all {
		is, speaks := named[e.title]
		e.other = speaks && !is && e.thread != ""
	}
}
