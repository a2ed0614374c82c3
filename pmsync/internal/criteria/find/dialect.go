package find

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// step is the kind of keyword that a line of a scenario begins with.
type step uint8

const (
	noStep step = iota
	given
	when
	then
	and // And, But, *
)

// dialect holds Gherkin's keywords in one language, longer ones first. The keywords in weak and in and are also common words, or words of
// another language: they count only within a scenario that began in this language.
type dialect struct {
	given, when, then, and []string
	weak                   *wordSet
}

var english = &dialect{given: []string{"given"}, when: []string{"when", "if"}, then: []string{"then"}, and: []string{"and", "but"}, weak: set("if")}

var dialects = []*dialect{
	english,
	{given: []string{"angenommen", "gegeben seien", "gegeben sei", "gegeben sind", "gegeben ist", "gegeben"}, when: []string{"wenn"}, then: []string{"dann"}, and: []string{"und", "aber"}},
	{given: []string{"étant donné qu'", "étant donné que", "étant donnés", "étant donnée", "étant donné", "etant donné", "etant donne", "soit"}, when: []string{"lorsque", "lorsqu'", "quand"}, then: []string{"alors"}, and: []string{"et", "mais"}, weak: set("soit")},
	{given: []string{"dado que", "dada que", "dados", "dadas", "dado", "dada"}, when: []string{"cuando"}, then: []string{"entonces"}, and: []string{"y", "e", "pero"}},
	{given: []string{"dado que", "dada que", "dados", "dadas", "dado", "dada"}, when: []string{"quando"}, then: []string{"então", "entao"}, and: []string{"e", "mas"}},
	{given: []string{"dato che", "dato", "data", "dati", "date"}, when: []string{"quando"}, then: []string{"allora"}, and: []string{"e", "ma"}, weak: set("data dati date dato")},
	{given: []string{"gegeven"}, when: []string{"wanneer", "als"}, then: []string{"dan"}, and: []string{"en", "maar"}, weak: set("als dan")},
	{given: []string{"zakładając, że", "zakładając", "mając"}, when: []string{"gdy", "kiedy", "jeżeli", "jeśli"}, then: []string{"wtedy"}, and: []string{"oraz", "i", "ale"}},
	{given: []string{"givet att", "givet"}, when: []string{"när"}, then: []string{"så"}, and: []string{"och", "men"}},
	{given: []string{"gitt"}, when: []string{"når"}, then: []string{"så", "da"}, and: []string{"og", "men"}, weak: set("da")},
	{given: []string{"oletetaan"}, when: []string{"kun"}, then: []string{"niin"}, and: []string{"ja", "mutta"}, weak: set("kun")},
	{given: []string{"допустим", "дано", "пусть"}, when: []string{"когда", "если"}, then: []string{"тогда", "то"}, and: []string{"и", "но", "а"}},
	{given: []string{"припустимо", "дано"}, when: []string{"коли", "якщо"}, then: []string{"тоді", "то"}, and: []string{"і", "та", "але"}},
	{given: []string{"za předpokladu", "pokud"}, when: []string{"když"}, then: []string{"pak"}, and: []string{"a", "ale"}, weak: set("pokud")},
	{given: []string{"diyelim ki"}, when: []string{"eğer ki"}, then: []string{"o zaman"}, and: []string{"ve", "ama"}},
	{given: []string{"前提"}, when: []string{"もし"}, then: []string{"ならば"}, and: []string{"かつ", "しかし", "ただし"}},
	{given: []string{"假如", "假设", "假設", "假定"}, when: []string{"当", "當"}, then: []string{"那么", "那麼"}, and: []string{"并且", "而且", "但是", "並且"}},
	{given: []string{"먼저", "조건"}, when: []string{"만일", "만약"}, then: []string{"그러면"}, and: []string{"그리고", "하지만"}},
}

// stepSigns may stand before a keyword: the rest of a bullet or of bold text, or a sign typed by mistake.
const stepSigns = "*_ -•$>~:;.,"

// stepOf returns the keyword that a line begins with, and its language. It does not accept weak keywords, nor and outside English.
func stepOf(line string) (step, *dialect) {
	line = strings.TrimLeft(line, stepSigns)
	for _, d := range dialects {
		if s := d.step(line, false); s != noStep && (s != and || d == english) {
			return s, d
		}
	}
	return noStep, nil
}

// stepIn is stepOf inside a scenario of language d, whose weak keywords count too; d may be nil.
func stepIn(d *dialect, line string) (step, *dialect) {
	if d != nil {
		if s := d.step(strings.TrimLeft(line, stepSigns), true); s != noStep {
			return s, d
		}
	}
	return stepOf(line)
}

func (d *dialect) step(line string, inside bool) step {
	for i, words := range [...][]string{d.given, d.when, d.then, d.and} {
		for _, word := range words {
			if (inside || !d.weak.has(word)) && hasWord(line, word) {
				return given + step(i)
			}
		}
	}
	return noStep
}

// hasWord reports whether line begins with word as a whole word, ignoring case.
func hasWord(line, word string) bool {
	if len(line) < len(word) {
		return false
	}
	if !strings.EqualFold(line[:len(word)], word) {
		return false
	}
	if strings.HasSuffix(word, "'") || word[0] >= 0xE3 { // CJK
		return true
	}
	next, _ := utf8.DecodeRuneInString(line[len(word):])
	return len(line) > len(word) && !unicode.IsLetter(next) && !unicode.IsDigit(next) && next != '\'' && next != '’' && next != '-'
}

func isStep(line string) bool {
	s, _ := stepOf(line)
	return s != noStep
}

// complete reports a line that is a whole scenario: a condition and its outcome in one sentence.
func complete(line string) bool {
	s, d := stepOf(line)
	if s != given && s != when {
		return false
	}
	lower := strings.ToLower(line)
	for _, word := range d.then {
		before, _, found := strings.Cut(lower, " "+word+" ")
		if !found && word[0] >= 0xE3 {
			before, _, found = strings.Cut(lower, word)
		}
		if found && !strings.Contains(before+" ", ". ") {
			return true
		}
	}
	return false
}
