package memory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/text/words"
)

// corpus makes memories whose words have the frequencies of a natural language.
type corpus struct {
	random *rand.Rand
	zipf   *rand.Zipf
}

func newCorpus() *corpus {
	random := rand.New(rand.NewPCG(1, 2))
	return &corpus{random, rand.NewZipf(random, 1.1, 8, 30_000)}
}

// word returns one of 30,000 pronounceable words, always spelt the same for a number.
func (c *corpus) word() string {
	const consonants, vowels = "bcdfghklmnprstvz", "aeiou"
	n := c.zipf.Uint64() + 17
	var b strings.Builder
	for n > 0 {
		b.WriteByte(consonants[n%16])
		n /= 16
		b.WriteByte(vowels[n%5])
		n /= 5
	}
	return b.String()
}

func (c *corpus) text(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = c.word()
	}
	return strings.Join(list, " ")
}

func (c *corpus) memories(n int) []New {
	list := make([]New, n)
	for i := range list {
		list[i] = New{Key: fmt.Sprintf("k%d", i), Type: Types()[i%5], Title: c.text(4), Content: c.text(30), Importance: 1 + i%5,
			Tags: []string{fmt.Sprintf("tag%d", i%50)}, Thread: fmt.Sprintf("session %d", i/8)}
	}
	return list
}

// The approximate frequencies of the commonest English words, per hundred words of text.
var commonWords = strings.Fields(strings.Repeat("the ", 6) + strings.Repeat("and to of a ", 3) + strings.Repeat("in is it that I you was for ", 2) +
	"on with be have this are not we they at but from my so what had when all your can do me as just our there about it's will been out more like if")

// sentence returns n words, about half of them common ones.
func (c *corpus) sentence(n int) string {
	list := make([]string, n)
	for i := range list {
		if c.random.IntN(2) == 0 {
			list[i] = commonWords[c.random.IntN(len(commonWords))]
		} else {
			list[i] = c.word()
		}
	}
	return strings.Join(list, " ")
}

// turns returns turns of conversations between two of twenty people, twenty at a time.
func (c *corpus) turns(n int) []New {
	list := make([]New, n)
	for i := range list {
		talk := i / 20
		speaker := "speaker" + string(rune('a'+(talk/25+i%2*7)%20))
		list[i] = New{Key: fmt.Sprintf("t%d", i), Type: TypePattern, Title: speaker, Content: c.sentence(6 + c.random.IntN(30)),
			Thread: fmt.Sprintf("talk %d", talk), Context: fmt.Sprintf("%d:%02d on %d May %d", talk%24, talk%60, talk%30+1, 2020+talk%5)}
	}
	return list
}

// subjects returns commit subjects.
func (c *corpus) subjects(n int) []New {
	verbs := strings.Fields("add fix fix fix update remove make use move rename test document refactor bump revert")
	list := make([]New, n)
	for i := range list {
		content := verbs[c.random.IntN(len(verbs))] + " " + c.sentence(3+c.random.IntN(7))
		if i%3 == 0 {
			content = fmt.Sprintf("%s/%s_%s.go: %s", c.word(), c.word(), c.word(), content)
		}
		list[i] = New{Key: fmt.Sprintf("c%d", i), Type: TypeDecision, Content: content}
	}
	return list
}

// paragraphs returns paragraphs of documentation, with their headings.
func (c *corpus) paragraphs(n int) []New {
	list := make([]New, n)
	for i := range list {
		list[i] = New{Key: fmt.Sprintf("d%d", i), Type: TypeArchitecture, Title: c.text(3), Content: c.sentence(30 + c.random.IntN(90))}
	}
	return list
}

// question asks about one of some memories, and returns the question and its meaningful words.
func (c *corpus) question(list []New) (question string, carrying []string) {
	m := list[c.random.IntN(len(list))]
	var said []string
	for _, t := range words.Terms(m.Content) {
		if !t.Whole && !words.Weak(t.Raw) && !slices.Contains(said, t.Raw) {
			said = append(said, t.Raw)
		}
	}
	c.random.Shuffle(len(said), func(i, j int) { said[i], said[j] = said[j], said[i] })
	carrying = said[:min(len(said), 3+c.random.IntN(4))]
	if m.Title != "" && c.random.IntN(2) == 0 {
		carrying = append(slices.Clone(carrying), strings.Fields(m.Title)[0])
	}
	if len(carrying) == 0 {
		carrying = []string{c.word()}
	}
	return "why did we " + strings.Join(carrying, " the ") + "?", carrying
}
