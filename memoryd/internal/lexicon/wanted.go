package lexicon

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/text/words"
)

// Kind is the kind of thing that a question asks for, if the words of an answer can reveal it. Only English is known; any text fits NoKind.
type Kind int

const (
	NoKind Kind = iota
	Number      // including years: how long, how old
	Amount      // how many, how large: a year does not fit
	Time
	Person
	Place
	Reason
	Colour
	Name
	Saying // what a person said about something
	Itself // a thing without telltale words, such as a password
)

// kindsAsked are the kinds of things that question words ask for by themselves.
var kindsAsked = map[string]Kind{"when": Time, "who": Person, "where": Place, "why": Reason, "how long": Number, "how old": Number, "how often": Number}

// Wanted returns the kind of thing that a question asks for.
func Wanted(question string) Kind {
	asked := Interrogative(question)
	if kind, ok := kindsAsked[asked]; ok {
		return kind
	}
	if asked == "what" || asked == "which" {
		if says(question) {
			return Saying
		}
		for _, noun := range subject(question, asked) {
			if kind := kindOfNoun(noun); kind != NoKind {
				return kind
			}
		}
	}
	if strings.HasPrefix(asked, "how ") {
		return Amount
	}
	return NoKind
}

// subject returns the nouns right after "what" or "which", whose value the question asks for: "phone number" of "what is the phone number
// of the depot", not "depot".
func subject(question, asked string) (nouns []string) {
	q := strings.ReplaceAll(strings.ToLower(strings.Join(strings.Fields(question), " ")), "’", "'")
	_, rest, _ := strings.Cut(" "+q, " "+asked)
	for word := range strings.FieldsSeq(strings.TrimPrefix(rest, "'s")) {
		plain := strings.Trim(word, ".,!?:;\"()")
		switch {
		case plain == "" || opens()[plain] && len(nouns) == 0:
			continue
		case opens()[plain] || closes()[plain]:
			return nouns
		}
		nouns = append(nouns, plain)
		if strings.ContainsAny(word[len(word)-1:], ".!?,;:") {
			break
		}
	}
	return nouns
}

// opens are words that may precede the nouns of subject, closes are words that end them.
var (
	opens = wordsOf(`is are was were do does did has have had can could should must may might will would shall be been the a an our your my
		their his her its we i you they he she it exactly currently kind sort type`)
	closes = wordsOf(`of for in on at to from with that by about after before when while if because so and or`)
)

// wordsOf returns a set of the words of a list, built on first use.
func wordsOf(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for word := range strings.FieldsSeq(list) {
			all[word] = true
		}
		return all
	})
}

// FitsNote is Fits for a note, which is terse: it begins with the person who acts, gives a time as a condition, a reason behind a colon,
// and a place as a path.
func (k Kind) FitsNote(says string, asked map[string]bool) bool {
	if k.Fits(says, asked) {
		return true
	}
	switch k {
	case Person:
		return begunByName(says, asked)
	case Time:
		return holdsAny(says, conditions())
	case Reason:
		return strings.ContainsAny(says, ";:—(") || holdsAny(says, conditions())
	case Place:
		return strings.ContainsAny(says, "/`~") || holdsAny(says, places())
	}
	return false
}

var (
	conditions = wordsOf(`when if once first on at then while during whenever only unless needs must cannot fails without not never no`)
	places     = wordsOf(`in at from to on under into through by via`)
	acts       = wordsOf(`owns reviews wants maintains said says prefers knows decided approves asked asks wrote writes leads runs manages handles does did has is
		takes looks keeps decides and signs built made uses holds pays answers`)
)

func holdsAny(says string, some map[string]bool) bool {
	for word := range letters(says) {
		if some[word] {
			return true
		}
	}
	return false
}

// begunByName reports whether a sentence begins with a name that the question does not contain, followed by a verb of acting.
func begunByName(says string, asked map[string]bool) bool {
	all := strings.Fields(says)
	begins := true
	for i, word := range all {
		first, _ := utf8.DecodeRuneInString(word)
		if begins && i+1 < len(all) && unicode.IsUpper(first) && acts()[all[i+1]] && !asked[strings.ToLower(word)] && !words.Weak(strings.ToLower(word)) {
			return true
		}
		begins = strings.ContainsAny(word[len(word)-1:], ".!?:;")
	}
	return false
}

// mostCounted bounds the words of the counted noun.
const mostCounted = 3

// Counted returns the stems of the noun that a question counts: the words behind "how many", up to a verb; none for other questions.
func Counted(question string) (stems []string) {
	_, rest, _ := strings.Cut(strings.ToLower(strings.Join(strings.Fields(question), " ")), "how many ")
	for word := range letters(rest) {
		if closes()[word] && word != "of" && word != "other" || opens()[word] && len(stems) > 0 || len(stems) == mostCounted {
			break
		}
		if !opens()[word] && word != "of" {
			stems = append(stems, words.Stem(word))
		}
	}
	return stems
}

// Counts reports whether a text has a number beside the noun with the given stems: right after it, or up to three words before it without a
// word between that begins another phrase. A text without the noun may still contain the number, so Counts returns true.
func Counts(says string, stems []string) bool {
	since, has, follows := farCount, false, false
	for word := range strings.FieldsSeq(strings.ToLower(says)) {
		plain := strings.Trim(word, ".,!?:;\"'()")
		isNoun := slices.Contains(stems, words.Stem(plain))
		switch {
		case isCount(plain) && follows, isNoun && since < nearCount:
			return true
		case isCount(plain):
			since = 0
		case isNoun:
			has = true
		case breaksCount()[plain]:
			since = farCount
		default:
			since++
		}
		follows = isNoun
	}
	return !has
}

const (
	nearCount = 3
	farCount  = 100
)

var breaksCount = wordsOf(`for per in at by to with and on`)

// isCount reports whether a word is a number.
func isCount(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsDigit(first) || tellTale()[Number][word]
}

// kindOfNoun returns the kind that a noun behind "what" or "which" asks for.
func kindOfNoun(noun string) Kind {
	switch noun {
	case "colour", "color":
		return Colour
	case "cost", "costs", "price", "rent", "fee", "salary", "percentage", "number", "amount", "phone", "port", "ports", "limit", "limits", "timeout", "quota",
		"budget", "threshold", "size", "temperature", "version", "versions":
		return Amount
	case "date", "day", "weekday", "month", "year", "deadline":
		return Time
	case "name", "called", "city", "country", "town":
		return Name
	}
	if itself()[noun] {
		return Itself
	}
	return NoKind
}

// IsTime reports whether a word, in lower case, names a time: a day, a month, "yesterday".
func IsTime(word string) bool { return tellTale()[Time][word] }

// IsMonth reports whether a word, in lower case, is the name of a month and no other English word.
func IsMonth(word string) bool { return months()[word] }

var months = wordsOf(`january february april june july august september october november december`)

// itself are nouns that a text with their value usually contains.
var itself = wordsOf(`password passphrase passcode nickname surname birthday motto slogan diagnosis licence license address`)

// says reports whether a question asks for a person's words: "what did the auditors say about it".
func says(question string) bool {
	q := " " + strings.ToLower(strings.TrimRight(strings.Join(strings.Fields(question), " "), " ?.!")) + " "
	if !strings.Contains(q, "what did ") && !strings.Contains(q, "what does ") {
		return false
	}
	return slices.ContainsFunc([]string{" say ", " answer ", " reply ", " respond "}, func(verb string) bool { return strings.Contains(q, verb) })
}

// Broad reports whether a text asks for everything known about a subject, not for one thing.
func Broad(question string) bool {
	q := " " + strings.ToLower(strings.TrimRight(strings.Join(strings.Fields(question), " "), " ?.!")) + " "
	return Interrogative(question) == "" || slices.ContainsFunc([]string{
		" know about ", " known about ", " tell me about ", " tell about ", " told about ", " say about ", " said about ", " happened to ", " happened with ",
		" was decided ", " did we decide ", " what are the ", " what were the ", " which are ", " all the ", " everything ", " list ", " summary of ",
	}, func(phrase string) bool { return strings.Contains(q, phrase) })
}

// letters returns the unstemmed words of a text in lower case.
func letters(s string) func(func(string) bool) {
	return strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
}

// tellTale are the words by which an answer of each kind is recognised.
var tellTale = sync.OnceValue(func() map[Kind]map[string]bool {
	sets := map[Kind]map[string]bool{}
	for kind, list := range map[Kind]string{
		Number: `one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
			twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen half once twice couple several both none free always never`,
		Time: `yesterday today tomorrow tonight last next ago week weeks weekend month months year years day days hour hours minutes morning afternoon
			evening night noon midnight monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
			sundays january february march april may june july august september october november december recently soon summer winter spring
			autumn easter christmas since until after before daily weekly nightly`,
		Person: `i we mother father mom dad mum sister brother aunt uncle cousin friend friends family son daughter grandfather grandmother grandma grandpa
			neighbour neighbor neighbours team colleague colleagues boss husband wife doctor teacher nephew nephews niece nieces couple parents kids children
			everyone everybody nobody group company department judge lawyer customer user client partner manager owner someone staff security`,
		Place:  `near under behind inside beside above here home outside upstairs downstairs abroad`,
		Reason: `because since so for due reason cause caused thanks therefore otherwise although as to but too wanted need needs`,
		Saying: `say says said saying answer answers answered reply replies replied respond responds responded tell tells told think thinks thought want wants
			wanted agree agrees agreed refuse refuses refused confirm confirms confirmed promise promises promised ask asks asked insist insists insisted
			approve approves approved reject rejects rejected accept accepts accepted suggest suggests suggested advise advises advised recommend recommends
			recommended claim claims claimed warn warns warned complain complains complained love loves loved like likes liked hate hates hated report reports
			reported explain explains explained call called according yes no ok okay find finds found`,
		Colour: `red green blue yellow white black brown grey gray pink purple violet orange beige turquoise gold silver colour color dark light`,
	} {
		sets[kind] = map[string]bool{}
		for word := range strings.FieldsSeq(list) {
			sets[kind][word] = true
		}
	}
	return sets
})

// Fits reports whether a text contains a thing of this kind. Words of the question itself, given in lower case, do not count.
func (k Kind) Fits(says string, asked map[string]bool) bool {
	switch k {
	case NoKind:
		return true
	case Number, Time:
		if strings.ContainsAny(says, "0123456789") {
			return true
		}
	case Amount:
		if amounts(says) {
			return true
		}
		k = Number // the same words count
	case Person, Name:
		if named(says, asked, k == Person) {
			return true
		}
	case Place:
		if somewhere(says, asked) {
			return true
		}
	case Itself:
		for word := range letters(says) {
			if asked[word] && itself()[word] {
				return true
			}
		}
		return strings.Contains(says, "@")
	}
	for word := range letters(says) {
		if tellTale()[k][word] && !asked[word] {
			return true
		}
	}
	return false
}

// pronouns stand in a capital at the beginning of a sentence, and "I" everywhere, without being names.
var pronouns = wordsOf(`i it he she they we you there this that these those`)

// named reports whether a text contains a name that the question does not. A name is a capitalised word within a sentence, or in a text of
// one or two words, that is not a day or month.
func named(says string, asked map[string]bool, person bool) bool {
	all := strings.Fields(says)
	begins := len(all) > 2
	for _, word := range all {
		first, _ := utf8.DecodeRuneInString(word)
		name := strings.TrimSuffix(strings.ToLower(strings.Trim(word, ".,!?:;\"'()")), "'s")
		if unicode.IsUpper(first) && !begins && !pronouns()[name] && !strings.HasPrefix(name, "i'") && !asked[name] && !IsTime(name) &&
			(!person || !abbreviation(word)) {
			return true
		}
		begins = strings.ContainsAny(word[len(word)-1:], ".!?:")
	}
	return false
}

// abbreviation reports whether a word has capitals behind its first letter, as in REST and GraphQL but not in people's names.
func abbreviation(word string) bool {
	_, first := utf8.DecodeRuneInString(word)
	return strings.ContainsFunc(word[first:], unicode.IsUpper)
}

// somewhere reports whether a text names a place: a capitalised word, not in the question, after a word such as "in". Without a name, "in"
// may as well begin a time.
func somewhere(says string, asked map[string]bool) bool {
	follows := false
	for word := range strings.FieldsSeq(says) {
		first, _ := utf8.DecodeRuneInString(word)
		plain := strings.ToLower(strings.Trim(word, ".,!?:;\"'()"))
		if follows && unicode.IsUpper(first) && !asked[plain] && !IsTime(plain) {
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

// amounts reports whether a text has a number in digits that is not a year and not part of a name such as B2B.
func amounts(says string) bool {
	before := ' '
	for i := 0; i < len(says); {
		end := i + strings.IndexFunc(says[i:]+" ", func(r rune) bool { return r < '0' || r > '9' })
		number := says[i:end]
		if number != "" && (!unicode.IsLetter(before) || before == 'v') && (len(number) != 4 || number[:2] != "19" && number[:2] != "20") {
			return true
		}
		if end < len(says) {
			var size int
			before, size = utf8.DecodeRuneInString(says[end:])
			end += size
		}
		i = end
	}
	return false
}
