package words

import (
	"strings"
	"sync"
)

// Stem reduces an English word to its stem, after M. F. Porter, "An algorithm
// for suffix stripping" (1980); irregular forms of common verbs and nouns come
// first. Words with other letters or digits stay as they are.
func Stem(word string) string {
	if len(word) < 3 {
		return word
	}
	for i := 0; i < len(word); i++ {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	if base, ok := irregular()[word]; ok {
		word = base
		if len(word) < 3 {
			return word
		}
	}
	s := stemmer{b: []byte(word)}
	s.plural()
	s.pastAndGerund()
	s.finalY()
	s.doubleSuffixes()
	s.suffixes()
	s.lastSuffixes()
	s.finalE()
	return string(s.b)
}

type stemmer struct{ b []byte }

// consonant reports whether the letter at i is a consonant; y is one unless it follows a consonant.
func (s *stemmer) consonant(i int) bool {
	switch s.b[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !s.consonant(i-1)
	}
	return true
}

// measure counts the vowel-consonant sequences in the first n letters.
func (s *stemmer) measure(n int) int {
	m, i := 0, 0
	for i < n && s.consonant(i) {
		i++
	}
	for i < n {
		for i < n && !s.consonant(i) {
			i++
		}
		if i == n {
			break
		}
		for i < n && s.consonant(i) {
			i++
		}
		m++
	}
	return m
}

func (s *stemmer) vowelIn(n int) bool {
	for i := range n {
		if !s.consonant(i) {
			return true
		}
	}
	return false
}

func (s *stemmer) doubled() bool {
	n := len(s.b)
	return n >= 2 && s.b[n-1] == s.b[n-2] && s.consonant(n-1)
}

// short reports whether the first n letters end consonant, vowel, consonant
// other than w, x, y: hop, but not snow.
func (s *stemmer) short(n int) bool {
	if n < 3 || !s.consonant(n-1) || s.consonant(n-2) || !s.consonant(n-3) {
		return false
	}
	c := s.b[n-1]
	return c != 'w' && c != 'x' && c != 'y'
}

// stemOf is the length without the suffix, or -1.
func (s *stemmer) stemOf(suffix string) int {
	if n := len(s.b) - len(suffix); n > 0 && string(s.b[n:]) == suffix {
		return n
	}
	return -1
}

func (s *stemmer) replace(n int, by string) { s.b = append(s.b[:n], by...) }

func (s *stemmer) plural() {
	switch {
	case s.stemOf("sses") >= 0, s.stemOf("ies") >= 0:
		s.b = s.b[:len(s.b)-2]
	case s.stemOf("ss") >= 0, s.stemOf("us") >= 0: // status is not a plural
	case s.stemOf("s") >= 0:
		s.b = s.b[:len(s.b)-1]
	}
}

func (s *stemmer) pastAndGerund() {
	if n := s.stemOf("eed"); n >= 0 {
		if s.measure(n) > 0 {
			s.b = s.b[:len(s.b)-1]
		}
		return
	}
	n := s.stemOf("ed")
	if n < 0 {
		n = s.stemOf("ing")
	}
	if n < 0 || !s.vowelIn(n) {
		return
	}
	s.b = s.b[:n]
	switch {
	case s.stemOf("at") >= 0, s.stemOf("bl") >= 0, s.stemOf("iz") >= 0:
		s.b = append(s.b, 'e')
	case s.doubled():
		if c := s.b[len(s.b)-1]; c != 'l' && c != 's' && c != 'z' {
			s.b = s.b[:len(s.b)-1]
		}
	case s.measure(len(s.b)) == 1 && s.short(len(s.b)):
		s.b = append(s.b, 'e')
	}
}

func (s *stemmer) finalY() {
	if n := s.stemOf("y"); n >= 0 && s.vowelIn(n) {
		s.b[n] = 'i'
	}
}

type rule struct{ suffix, by string }

// apply replaces the first suffix that fits when enough of a word stays.
func (s *stemmer) apply(rules []rule, least int) {
	for _, r := range rules {
		if n := s.stemOf(r.suffix); n >= 0 {
			if s.measure(n) > least {
				s.replace(n, r.by)
			}
			return
		}
	}
}

func (s *stemmer) doubleSuffixes() {
	s.apply([]rule{{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"bli", "ble"},
		{"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"},
		{"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"}, {"iviti", "ive"},
		{"biliti", "ble"}, {"logi", "log"}}, 0)
}

func (s *stemmer) suffixes() {
	s.apply([]rule{{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""}}, 0)
}

func (s *stemmer) lastSuffixes() {
	if n := s.stemOf("ion"); n > 0 {
		if c := s.b[n-1]; s.measure(n) > 1 && (c == 's' || c == 't') {
			s.b = s.b[:n]
		}
		return
	}
	s.apply([]rule{{"al", ""}, {"ance", ""}, {"ence", ""}, {"er", ""}, {"ic", ""}, {"able", ""}, {"ible", ""}, {"ant", ""},
		{"ement", ""}, {"ment", ""}, {"ent", ""}, {"ou", ""}, {"ism", ""}, {"ate", ""}, {"iti", ""}, {"ous", ""}, {"ive", ""}, {"ize", ""}}, 1)
}

func (s *stemmer) finalE() {
	if n := s.stemOf("e"); n >= 0 {
		if m := s.measure(n); m > 1 || m == 1 && !s.short(n) {
			s.b = s.b[:n]
		}
	}
	if n := len(s.b); n > 1 && s.b[n-1] == 'l' && s.doubled() && s.measure(n) > 1 {
		s.b = s.b[:n-1]
	}
}

// irregular maps forms that no suffix shows to their base.
var irregular = sync.OnceValue(func() map[string]string {
	const list = `went go;gone go;came come;ran run;began begin;begun begin;broke break;broken break;brought bring;built build;
		bought buy;caught catch;chose choose;chosen choose;dealt deal;drew draw;drawn draw;drove drive;driven drive;ate eat;eaten eat;
		fell fall;fallen fall;felt feel;fought fight;found find;flew fly;flown fly;forgot forget;forgotten forget;froze freeze;frozen freeze;
		gave give;given give;grew grow;grown grow;hung hang;heard hear;held hold;kept keep;knew know;known know;led lead;left leave;
		lent lend;lost lose;made make;meant mean;met meet;paid pay;rode ride;rang ring;rose rise;risen rise;sang sing;sung sing;
		saw see;seen see;sold sell;sent send;shook shake;shown show;slept sleep;spoke speak;spoken speak;spent spend;stood stand;
		stole steal;stolen steal;stuck stick;struck strike;swam swim;took take;taken take;taught teach;thought think;threw throw;thrown throw;
		told tell;understood understand;woke wake;wore wear;worn wear;won win;wrote write;written write;hid hide;hidden hide;
		rebuilt rebuild;overwrote overwrite;overwritten overwrite;rewrote rewrite;rewritten rewrite;
		children child;people person;men man;women woman;mice mouse;feet foot;teeth tooth;wives wife;lives life;indices index;
		indexes index;matrices matrix;vertices vertex;better good;best good;worse bad;worst bad;analyses analysis;crises crisis;said say`
	bases := map[string]string{}
	for pair := range strings.SplitSeq(list, ";") {
		form, base, _ := strings.Cut(strings.TrimSpace(pair), " ")
		bases[form] = base
	}
	return bases
})
