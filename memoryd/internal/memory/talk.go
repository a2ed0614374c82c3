package memory

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agit-suite/agit/memoryd/internal/lexicon"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/text/words"
)

// This file works out the structure of a conversation: its speakers, which turn answers which, and the subjects that turns do not repeat.

// Bounds for recognising a speaker: the title of several memories of a thread, or a name before a colon.
const (
	leastTurns   = 2
	longestNamed = 3  // words of a name
	longestName  = 40 // bytes of one
)

// How much of the preceding turns counts for a turn.
const (
	carries     = 0.5  // share of a word in the turn before it
	carriesStep = 0.7  // the share falls by this factor for each turn further back
	pointsBack  = 0.15 // share of the turn before it, when it begins by referring to that
)

// lent is the weight of a word in the turn that asks, the one before, and the one before that.
var (
	lent     = [3]float64{1, 0.7, 0.5}
	lentSame = [3]float64{1, 0.85, 0.7} // for a turn that asks the same as the question: who, when, how many
)

// speakers marks the entries that are turns of a conversation. When the question names some of the speakers, it also marks the turns of the
// others, because people usually report their own acts themselves.
func (r *ranker) speakers() {
	turns := map[string]int{}
	for _, e := range r.entries {
		if e.thread == "" {
			continue
		}
		if e.speaker = speaker(e.title, e.says); e.speaker != "" {
			turns[e.speaker]++
		}
	}
	asked := r.asked.words()
	named, others := map[string]bool{}, 0
	for who, n := range turns {
		if n < leastTurns {
			continue
		}
		all := true
		for _, t := range words.Terms(who) {
			all = all && asked[t.Raw]
		}
		if named[who] = all; !all {
			others++
		}
	}
	r.asked.speak(named)
	some := others > 0 && others < len(named)
	for _, e := range r.entries {
		is, speaks := named[e.speaker]
		e.turn = speaks
		e.other = speaks && !is && some
	}
}

// speaker returns the speaker of a turn: its short title, or a name before a colon.
func speaker(title, says string) string {
	if title == "" {
		says = undated(says)
		name, _, colon := strings.Cut(says[:min(len(says), longestName)], ": ")
		name = strings.TrimSuffix(strings.TrimSuffix(name, " said"), " says")
		if first, _ := utf8.DecodeRuneInString(name); !colon || !unicode.IsUpper(first) && name != "user" && name != "assistant" {
			return ""
		}
		title = name
	}
	if len(title) > longestName || len(strings.Fields(title)) > longestNamed || len(words.Terms(title)) == 0 {
		return ""
	}
	return title
}

// undated returns a turn without a leading time, as in "[9:05 on 8 May] Ann: …".
func undated(says string) string {
	for open, shut := range map[string]string{"[": "]", "(": ")"} {
		if rest, opened := strings.CutPrefix(says, open); opened {
			if when, rest, shuts := strings.Cut(rest, shut); shuts && len(when) <= longestName {
				return strings.TrimLeft(rest, " ")
			}
		}
	}
	return says
}

// lend lets a turn that ends in a question lend its words to the next turn, which answers it, and marks it to yield to that turn unless it
// contains much else. The question's subject is often in the turns before it, so their words are lent too, with less weight. The weights
// are higher for a turn that asks the same as wanted: the turn after "To whom?" names the person, and the turn before it then yields too.
func lend(all []*entry, wanted string) {
	for _, e := range all {
		if before := e.near[0]; before != nil && before.asks() == "" && lexicon.PointsBack(e.says) {
			e.hold(before, pointsBack)
		}
	}
	for _, e := range all {
		next, asks := e.near[reachBefore], e.asks()
		if asks == "" || next == nil || !slices.Contains(all, next) {
			continue
		}
		e.yields = lexicon.OnlyAsks(asks) && !lexicon.Proposes(asks)
		share := lent
		if wanted != "" && lexicon.Interrogative(lexicon.LastSentence(asks)) == wanted {
			share = lentSame
			if before := e.near[0]; before != nil && wanted != "what" {
				before.yields = true
			}
		}
		for i, from := range [3]*entry{e, e.near[0], e.near[1]} {
			if from != nil {
				next.hold(from, share[i])
			}
		}
	}
}

// hold adds a share of the words of another entry.
func (e *entry) hold(from *entry, share float64) {
	e.held = slices.Clone(e.held) // held may share its array with found
	for g, often := range from.found {
		e.held[g] = max(e.held[g], share*min(often, 1))
	}
}

// asks returns the last sentences of a turn that ends in a question, else "".
func (e *entry) asks() string {
	switch last, _ := utf8.DecodeLastRuneInString(e.says); last {
	case '?', '？', '؟':
		return e.says[max(0, len(e.says)-endLooked):]
	}
	return ""
}

// fitting marks the memories that lack the kind of thing that the question asks for. A turn that answers another turn's question for the
// same kind fits; a turn that asks does not.
func (r *ranker) fitting(all []*entry, kind lexicon.Kind, count []string) {
	if kind == lexicon.NoKind {
		return
	}
	asked := r.asked.words()
	for _, e := range all {
		if !e.turn {
			e.unfit = !kind.FitsNote(e.says, asked) || len(count) > 0 && !lexicon.Counts(e.says, count)
			continue
		}
		before := e.near[0]
		answers := before != nil && before.yields && lexicon.Wanted(lexicon.LastSentence(before.asks())) == kind
		e.unfit = e.yields || !answers && !kind.Fits(e.says, asked)
	}
}

// carried returns the share of the question in a turn and the turns right before it.
func (r *ranker) carried(e *entry) float64 {
	if r.asked.certain == 0 {
		return 0
	}
	sum := 0.0
	for g := range r.asked.groups {
		most, share := min(e.held[g], 1), carries
		for _, n := range e.near[:reachBefore] {
			if n != nil {
				most = max(most, share*min(n.found[g], 1))
			}
			share *= carriesStep
		}
		sum += r.asked.groups[g].certain * most
	}
	return sum / r.asked.certain
}

// onlyNames reports whether a turn shares with a question only the names of speakers and filler words.
func (r *ranker) onlyNames(e *entry) bool {
	for g, often := range e.held {
		if often > 0 && !r.asked.groups[g].spoken && !r.asked.groups[g].filler {
			return false
		}
	}
	return true
}

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
