package memory

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// want is the kind of thing that a question asks for and that can be told from the words of an answer. Only English is
// known; noKind is fitted by everything.
type want int

const (
	noKind     want = iota
	wantNumber      // of years, too: how long, how old
	wantAmount      // how many, how large: a year is not one
	wantTime
	wantPerson
	wantPlace
	wantReason
	wantColour
	wantName
)

// wanted is what a question asks for.
func wanted(question string) want {
	asked := interrogative(question)
	switch asked {
	case "when":
		return wantTime
	case "who":
		return wantPerson
	case "where":
		return wantPlace
	case "why":
		return wantReason
	case "what", "which":
		for word := range letters(question) {
			if kind := kindOfNoun(word); kind != noKind {
				return kind
			}
		}
	}
	switch asked {
	case "how long", "how old", "how often":
		return wantNumber
	case "how", "":
		return noKind
	}
	if strings.HasPrefix(asked, "how ") {
		return wantAmount
	}
	return noKind
}

// kindOfNoun is what is asked for beside "what" or "which".
func kindOfNoun(noun string) want {
	switch noun {
	case "colour", "color":
		return wantColour
	case "cost", "costs", "price", "rent", "fee", "salary", "percentage", "number", "amount":
		return wantAmount
	case "date", "day", "weekday", "month", "year", "deadline":
		return wantTime
	case "name", "called", "city", "country", "town":
		return wantName
	}
	return noKind
}

// broad reports whether a text asks for all that is known of something, rather than for one thing.
func broad(question string) bool {
	q := " " + strings.ToLower(strings.TrimRight(oneLine(question), " ?.!")) + " "
	return interrogative(question) == "" || slices.ContainsFunc([]string{
		" know about ", " known about ", " tell me about ", " tell about ", " told about ", " say about ", " said about ", " happened to ", " happened with ",
		" was decided ", " did we decide ", " what are the ", " what were the ", " which are ", " all the ", " everything ", " list ", " summary of ",
	}, func(phrase string) bool { return strings.Contains(q, phrase) })
}

// letters are the words of a text in lower case, as they are written.
func letters(s string) func(func(string) bool) {
	return strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
}

// tellTale are words of which an answer to a question of a kind holds one.
var tellTale = sync.OnceValue(func() map[want]map[string]bool {
	sets := map[want]map[string]bool{}
	for kind, list := range map[want]string{
		wantNumber: `one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
			twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen half once twice couple several both none free always never`,
		wantTime: `yesterday today tomorrow tonight last next ago week weeks weekend month months year years day days hour hours minutes morning afternoon
			evening night noon midnight monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
			sundays january february march april may june july august september october november december recently soon summer winter spring
			autumn easter christmas since until after before daily weekly nightly`,
		wantPerson: `i we mother father mom dad mum sister brother aunt uncle cousin friend friends family son daughter grandfather grandmother grandma grandpa
			neighbour neighbor neighbours team colleague colleagues boss husband wife doctor teacher nephew nephews niece nieces couple parents kids children
			everyone everybody nobody group company department judge lawyer customer user client partner manager owner someone staff security`,
		wantPlace:  `near under behind inside beside above here home outside upstairs downstairs abroad`,
		wantReason: `because since so for due reason cause caused thanks therefore otherwise although as to but too wanted need needs`,
		wantColour: `red green blue yellow white black brown grey gray pink purple violet orange beige turquoise gold silver colour color dark light`,
	} {
		sets[kind] = map[string]bool{}
		for word := range strings.FieldsSeq(list) {
			sets[kind][word] = true
		}
	}
	return sets
})

// fits reports whether a text holds what a question of a kind asks for, beside the words of the question itself.
func fits(kind want, says string, asked map[string]bool) bool {
	switch kind {
	case noKind:
		return true
	case wantNumber, wantTime:
		if strings.ContainsAny(says, "0123456789") {
			return true
		}
	case wantAmount:
		if amounts(says) {
			return true
		}
		kind = wantNumber // the same words tell
	case wantPerson, wantName:
		if named(says, asked) {
			return true
		}
	case wantPlace:
		if somewhere(says, asked) {
			return true
		}
	}
	for word := range letters(says) {
		if tellTale()[kind][word] && !asked[word] {
			return true
		}
	}
	return false
}

// named reports whether a name stands in a text that is not asked for: a word with a capital within a sentence, or in a
// text of one or two words, that is not a day or month.
func named(says string, asked map[string]bool) bool {
	all := strings.Fields(says)
	begins := len(all) > 2
	for _, word := range all {
		first, _ := utf8.DecodeRuneInString(word)
		name := strings.TrimSuffix(strings.ToLower(strings.Trim(word, ".,!?:;\"'()")), "'s")
		if unicode.IsUpper(first) && !begins && name != "i" && !strings.HasPrefix(name, "i'") && !asked[name] && !tellTale()[wantTime][name] {
			return true
		}
		begins = strings.ContainsAny(word[len(word)-1:], ".!?:")
	}
	return false
}

// somewhere reports whether a text says a place by its name: one that is not asked for, after a word such as "in". Those
// words alone say as little of a place as of a time.
func somewhere(says string, asked map[string]bool) bool {
	follows := false
	for word := range strings.FieldsSeq(says) {
		first, _ := utf8.DecodeRuneInString(word)
		plain := strings.ToLower(strings.Trim(word, ".,!?:;\"'()"))
		if follows && unicode.IsUpper(first) && !asked[plain] && !tellTale()[wantTime][plain] {
			return true
		}
		switch plain {
		case "in", "at", "to", "from", "on", "into", "by":
			follows = true
		case "the", "a", "my", "our", "your", "their":
		default:
			follows = false
		}
	}
	return false
}

// amounts reports whether a text has a number in digits that is not a year.
func amounts(says string) bool {
	for number := range strings.FieldsFuncSeq(says, func(r rune) bool { return r < '0' || r > '9' }) {
		if len(number) != 4 || number[:2] != "19" && number[:2] != "20" {
			return true
		}
	}
	return false
}
