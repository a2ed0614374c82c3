package memory

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agit-suite/agit/memoryd/internal/lexicon"
	"github.com/agit-suite/agit/shared/text/words"
)

// What is known of a conversation: who speaks, which turn answers which, and what it speaks of without saying it.

// Bounds of what is taken for a speaker: the title of several memories of a thread, or a name before a colon.
const (
	leastTurns   = 2
	longestNamed = 3  // words of a name
	longestName  = 40 // bytes of one
)

// How much a turn holds of what was said before it.
const (
	carries     = 0.5  // of a word of the turn before it; of those before that
	carriesStep = 0.7  // as much each
	pointsBack  = 0.15 // of the turn before it, when it begins by pointing back to that
)

// lent is what counts of a word in the turn that asks, the one before, and the one before that.
var (
	lent     = [3]float64{1, 0.7, 0.5}
	lentSame = [3]float64{1, 0.85, 0.7} // of a turn that asks the same: who, when, how many
)

// speakers says of each entry whether it is a turn of a conversation, and whether it is someone else's than is asked
// about, where the question names some of those who speak and not others: what someone did is told by themselves, more
// often than by those they talk to.
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

// speaker is who speaks in a turn: its short title, or a name before a colon.
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

// undated is what is said behind the time at which it was, as in "[9:05 on 8 May] Ann: …".
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

// lend lets a turn of a conversation that ends in a question lend its words to the
// next one, which answers it, and yield to that unless it says much itself. What the
// question is about stands often before it, so that these words are lent too, for
// less; for more where the turn asks what is wanted: after "To whom?" stands who it
// was, and what was said before it does not answer.
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

// hold lets an entry hold a share of what another one says.
func (e *entry) hold(from *entry, share float64) {
	e.held = slices.Clone(e.held) // it may be what was found
	for g, often := range from.found {
		e.held[g] = max(e.held[g], share*min(often, 1))
	}
}

// asks is what a turn ends with, where that is a question.
func (e *entry) asks() string {
	switch last, _ := utf8.DecodeLastRuneInString(e.says); last {
	case '?', '？', '؟':
		return e.says[max(0, len(e.says)-endLooked):]
	}
	return ""
}

// fitting says of each memory whether it lacks the kind of thing that is asked for. What answers a turn that asks for the
// same kind does not, and a turn that asks does.
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

// carried is the share of the question that a turn holds or that was said right before it.
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

// onlyNames reports whether a turn holds nothing of a question but the names of those who speak, and words that any
// question may have.
func (r *ranker) onlyNames(e *entry) bool {
	for g, often := range e.held {
		if often > 0 && !r.asked.groups[g].spoken && !r.asked.groups[g].filler {
			return false
		}
	}
	return true
}
