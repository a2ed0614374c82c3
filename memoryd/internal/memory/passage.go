package memory

import "github.com/agit-suite/agit/shared/text"

// How much of a conversation is told beside a turn that is found: what it answers stands
// right before it, and its own answer one to three turns after it.
const (
	toldBefore  = 1
	toldAfter   = 3
	longestTold = 240 // bytes of a turn
)

// around reads what stands around the turns of some candidates that are not weak, since a
// turn that is itself only beside others was not looked around from.
func (r *ranker) around(ranked []candidate) error {
	var turns []*entry
	for _, c := range ranked {
		if c.turn && !c.weak {
			turns = append(turns, c.entry)
		}
	}
	return r.neighbours(turns)
}

// passage is what was said right before and after a turn of a conversation, each turn with
// who said it, in the order it was said. It is empty for other memories.
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

// told is a turn with who said it.
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
