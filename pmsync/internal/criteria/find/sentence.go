package find

import (
	"slices"
	"strings"
	"unicode"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// modals are the words that make a sentence a requirement.
var modals = set("must shall should mustn't shouldn't cannot muss müssen soll sollen sollte sollten darf dürfen doit doivent devra devront debe deben deberá deberán debería deve devem deverá deverão devono dovrà dovranno " +
	"moet moeten musi muszą powinien powinna powinno powinny должен должна должно должны повинен повинна повинно повинні måste skal skall ska skulle må")

// asianModals stand inside words.
var asianModals = []string{"なければならない", "必要がある", "すること", "べき", "必须", "必須", "应该", "應該", "应当", "不得", "해야", "되어야"}

// hasModal reports whether a sentence has a modal of a requirement.
func hasModal(s string) bool {
	return hasModalBut(s, func(string) bool { return false })
}

func hasModalBut(s string, not func(modal string) bool) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }) {
		if modals.has(word) && word != "cannot" && !not(word) {
			return true
		}
	}
	return slices.ContainsFunc(asianModals, func(m string) bool { return strings.Contains(s, m) && !not(m) })
}

// behaves reports a sentence of a criteria section that describes behaviour, and is not about the ticket, the list or the reader.
func behaves(s string) bool {
	return (hasModal(s) || hasWords(s, behaviour)) && !hasWords(s, about)
}

var (
	behaviour = set("will can cannot can't won't may")
	about     = set("story ticket issue criteria criterion bullets following below above list you your we i discuss tbd figma")
)

func hasWords(s string, words *wordSet) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		if words.has(word) {
			return true
		}
	}
	return false
}

// doubts are wordings with a modal that require nothing.
var doubts = []string{
	"i think", "i guess", "i believe", "i suppose", "i assume", "i wonder", "not sure", "maybe", "perhaps", "probably", "imo", "imho", "in theory", "i should", "i must", "you must", "you should", "should be easy", "should be simple", "should be trivial",
	"should be straightforward", "should be possible", "should be enough", "should be fine", "should be quick", "shouldn't be hard", "shouldn't be too", "should not be hard", "should not be too", "should have been", "should've", "must have been", "must be a bug", "must be because", "must be something",
	"must be due", "must be the", "must admit", "must say", "should discuss", "should consider", "should think", "should talk", "should decide", "should investigate", "should look into", "should explore", "should figure", "should i ", "should we", "we should probably", "should help", "should suffice",
	"should already", "should go without", "this should be done by", "should note", "should be noted", "must have missed", "if you", "let me know", "what should", "how should", "where should", "which should", "who should", "why should", "ideally", "one should", "should work but", "should work, but",
	"this story should", "this ticket should", "this issue should", "this task should", "this epic should", "this pr should", "this story must", "this ticket must", "this issue must",
	"should now", "as it should", "than it should", "ich denke", "ich glaube", "vielleicht", "je pense", "creo que", "acho que",
	// reports of what a person said, and gaps in the writer's knowledge
	"said the", "said that", "said it", "said we", "says we", "thinks", "suggested that", "suggested to", "mentioned that", "argued", "wondered", "no idea", "no clue", "meint", "meinte", "sagte", "findet, dass", "keine ahnung", "pense que", "a dit que", "aucune idée",
}

// requiresSomething reports whether a sentence is a requirement and not a doubt, a question or advice.
func requiresSomething(s string) bool {
	if !hasModal(withoutAsides(s)) || strings.HasSuffix(s, "?") || strings.HasSuffix(s, ":") || len(strings.Fields(s)) > 60 || len(s) < 12 {
		return false
	}
	lower := expects.Replace(" " + strings.ToLower(s))
	return !slices.ContainsFunc(doubts, func(d string) bool { return strings.Contains(lower, " "+d) })
}

// expects removes the expectations of a user of the product: "When I pay, I should see a receipt" is not a doubt of the writer.
var expects = strings.NewReplacer(" i should be ", " ", " i should see ", " ", " i should receive ", " ", " i should get ", " ", " i should find ", " ",
	" i should not be ", " ", " i should not see ", " ")

// withoutAsides removes quotations, such as the text of a message, and text in brackets.
func withoutAsides(s string) string {
	for _, marks := range [][2]string{{"(", ")"}, {"\"", "\""}, {"“", "”"}, {"“", "\""}, {"«", "»"}, {"„", "“"}} {
		if before, rest, found := strings.Cut(s, marks[0]); found {
			if _, after, closed := strings.Cut(rest, marks[1]); closed {
				s = before + after
			}
		}
	}
	return s
}

// sentences collects sentences that must or should be met when no other tier found a criterion.
func sentences(c *collector, sections []*section) {
	bug := sections[0].bug
	for _, s := range sections {
		if m := s.effective(); m != unknown && m != prose || bug && !s.expects() {
			continue
		}
		c.reason = reason{why: "the sentence says what must be", unsure: true}
		if !s.expects() {
			c.takes = speaksOfProduct
		}
		for i := 0; i < len(s.blocks); i++ {
			if isForwarded(s.blocks[i]) { // and so is the rest
				break
			}
			if s.blocks[i].Kind == description.List && !bug && s.expects() {
				c.reason = reason{why: below(s.title), unsure: true, takes: saysState}
				c.list(s.blocks[i], place{section: cleanTitle(s.title), parent: -1})
				continue
			}
			if n := c.announced(s.blocks[i:], cleanTitle(s.title)); n > 0 {
				i += n
				continue
			}
			c.sentencesOf(s.blocks[i], cleanTitle(s.title))
		}
	}
	if len(c.found) == 1 && c.found[0].Form == FormSentence && !hasStrong(c.found[0].Text) {
		c.found = nil // of real tickets with a single such sentence, nine in ten describe a fault or how something works
	}
}

// wishful are the modals that just as often express a habit or a hope.
var wishful = set("should shouldn't sollte sollten debería deberían powinien powinna powinno powinny べき 应该 應該")

// hasStrong reports whether a sentence has a modal that is more than a wish.
func hasStrong(s string) bool { return hasModalBut(s, wishful.has) }

// expects reports a section about the expected behaviour.
func (s *section) expects() bool {
	for ; s != nil; s = s.parent {
		if key := labelKey(s.title); strings.HasPrefix(key, "expect") || strings.HasPrefix(key, "desired") || strings.Contains(key, "expect") || expectedElsewhere.has(strings.ReplaceAll(key, " ", "-")) {
			return true
		}
	}
	return false
}

var expectedElsewhere = set("what-should-happen erwartetes-verhalten comportement-attendu comportamiento-esperado comportamento-esperado ожидаемый-результат ожидаемое-поведение 期待する動作 期望行为 预期行为 기대-동작")

// isObservation reports a heading that occurs only in bug reports.
func isObservation(title string) bool {
	return startsWith(labelKey(title), "actual", "observed", "steps to reproduce", "step to reproduce", "to reproduce", "how to reproduce",
		"repro steps", "reproduction", "what happened", "what actually happen", "current behavio", "describe the bug", "bug description")
}

// speaksOfProduct reports a sentence that is not about what its writer or readers should do or would like to have.
func speaksOfProduct(s string) bool {
	lower := strings.ToLower(s)
	first, rest := cutWord(lower)
	if people.has(first) || first == "per" || strings.HasPrefix(lower, "according to") {
		return false
	}
	if word, _ := cutWord(rest); first == "there" && word != "" && hasWords(lower, wishes) {
		return false
	}
	for word := range people.words() {
		for modal := range strings.FieldsSeq("should must shouldn't need") {
			if strings.Contains(" "+lower, " "+word+" "+modal+" ") {
				return false
			}
		}
	}
	return true
}

var (
	people = set("we you let's lets please someone somebody developers maybe")
	wishes = set("option way possibility method support mechanism feature ability")
)

// announced collects the content below a line such as "The upload should:", a list or short paragraphs, and returns the number of its
// blocks.
func (c *collector) announced(blocks []description.Block, section string) int {
	if blocks[0].Kind != description.Paragraph || len(blocks) < 2 {
		return 0
	}
	lines := statements(blocks[0].Spans)
	lead := lines[len(lines)-1]
	if !announces(lead) {
		return 0
	}
	if blocks[1].Kind == description.List {
		c.list(blocks[1], place{section: section, parent: -1, form: FormSentence})
		return 1
	}
	n := 0
	for _, b := range blocks[1:] {
		if b.Kind != description.Paragraph || len(description.Lines(b.Spans)) > 1 || len(description.Text(b.Spans)) > 200 {
			break
		}
		n++
	}
	if n < 2 {
		return 0
	}
	for _, b := range blocks[1 : n+1] {
		c.add(Criterion{Text: oneLine(b.Spans), Parent: -1, Form: FormSentence, Section: section})
	}
	return n
}

// announces reports a line whose last sentence introduces requirements and ends in a colon.
func announces(line string) bool {
	text, found := strings.CutSuffix(strings.TrimSpace(line), ":")
	if !found || len(text) > 400 {
		return false
	}
	sentences := splitSentences(text)
	return len(sentences) > 0 && requiresSomething(sentences[len(sentences)-1]+" do all of this")
}

func (c *collector) sentencesOf(b description.Block, section string) {
	switch b.Kind {
	case description.Paragraph:
		for _, line := range statements(b.Spans) {
			if isMailHead(line) {
				return
			}
			for _, sentence := range splitSentences(line) {
				if requiresSomething(sentence) {
					c.add(Criterion{Text: sentence, Parent: -1, Form: FormSentence, Section: section})
				}
			}
		}
	case description.List:
		for _, item := range b.Children {
			text, rest := itemParts(item)
			if _, words := cutLabel(text); requiresSomething(words) && !isStruck(item) {
				c.add(Criterion{Text: words, Parent: -1, Form: FormSentence, Section: section, Done: item.Task == description.Done})
			}
			for _, inner := range rest {
				c.sentencesOf(inner, section)
			}
		}
	case description.Group:
		for _, inner := range b.Children {
			c.sentencesOf(inner, section)
		}
	}
}

// isMailHead reports the line above a quoted mail.
func isMailHead(line string) bool {
	return strings.HasSuffix(line, "wrote:") || strings.HasPrefix(line, "-----Original Message") || strings.HasPrefix(line, "From: ")
}

// isForwarded reports the head of a mail that was pasted whole.
func isForwarded(b description.Block) bool {
	text := description.Text(b.Spans)
	return b.Kind == description.Paragraph && (strings.HasPrefix(text, "-----Original Message") || strings.HasPrefix(text, "From: "))
}

// splitSentences cuts text at full stops that end a sentence.
func splitSentences(s string) []string {
	var out []string
	start := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '.' || c == '!' || c == '?':
			if i+1 == len(s) || s[i+1] != ' ' || isAbbreviation(s[start:i]) {
				continue
			}
		case strings.HasPrefix(s[i:], "。"):
			i += len("。") - 1
		default:
			continue
		}
		out = append(out, strings.TrimSpace(s[start:i+1]))
		start = i + 1
	}
	if rest := strings.TrimSpace(s[start:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

// isAbbreviation reports a full stop that does not end a sentence: "e.g.", "etc.", "z.B.".
func isAbbreviation(s string) bool {
	word := strings.ToLower(strings.TrimLeft(s[strings.LastIndexByte(s, ' ')+1:], "("))
	return len(word) == 1 || abbreviations.has(word)
}

var abbreviations = set("e.g i.e eg ie etc vs approx no fig resp incl z.b d.h bzw ca p.ex ex mr mrs dr")
