package memory

import "github.com/agit-suite/agit/shared/text"

// How much of a conversation is shown beside a found turn: the question that it answers is right before it, and the answer to it one to
// three turns after it.
const (
	toldBefore  = 1
	toldAfter   = 3
	longestTold = 240 // bytes of a turn
)

// around loads the neighbours of those candidate turns that are not weak. Turns that were found only as neighbours do not have theirs yet.
func (r *ranker) around(ranked []candidate) error {
	var turns []*entry
	for _, c := range ranked {
		if c.turn && !c.weak {
			turns = append(turns, c.entry)
		}
	}
	return r.neighbours(turns)
}

// passage returns the turns right before and after a turn of a conversation, each with its speaker, in order. It is empty for other
// memories.
func (e *entry) passage() (before, after []string) {
	if !e.turn {
		return nil, nil
	}
	for n := e.near[0]; n != nil && len(before) < toldBefore; n = n.near[0] {
		before = append([]string{n.told()}, before...)
	}
	for n := e.near[reachBefore]; n != nil && len(after) < toldAfter; n = n.near[reachBefore] {
		after = append(after, n.told())
	}
	return before, after
}

// told returns a turn with its speaker.
func (e *entry) told() string {
	says := text.Cut(e.says, longestTold)
	if len(says) < len(e.says) {
		says += "…"
	}
	if e.title == "" {
		return says
	}
	return e.title + ": " + says
}
