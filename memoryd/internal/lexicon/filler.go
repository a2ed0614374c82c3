package lexicon

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/text/words"
)

// Filler reports whether a word may be in a question about any subject, so that an answer need not contain it.
func Filler(t words.Term) bool {
	switch t.Raw {
	case "manager", "managers", "completion", "completions": // they share only a stem with a filler word
		return false
	}
	for line := range strings.Lines(fillerWords) {
		if mayStem(line, t.Text) && slices.ContainsFunc(strings.Fields(line), func(word string) bool { return mayStem(word, t.Text) && words.Stem(word) == t.Text }) {
			return true
		}
	}
	return false
}

// The words around the subject of a question: verbs, adverbs and nouns that fit every subject. Words that name a property (cost, colour,
// owner) are not among them, since an answer needs them.
const fillerWords = `
able accept according actual actually affect ago allow allowed almost already alright always anybody anyone anything anyway anywhere
apart apply appear approach approximately around arrange ask aspect assume attempt available aware away
back bad basically become behave behaviour behavior begin behind believe best better big bit bother bring briefly by
call came care careful case catch caveat caveats certain certainly chance change check clarify clear clearly come common commonly compare
complete completely concern concerning consider correct correctly correspond count course current currently curious
day deal dealt decide decided define defined definitely depend describe detail different difference dig directly discuss
easy effect either else end ensure enough especially etc even eventually ever every everybody everyone everything everywhere exact exactly
example exist expect expected explain explanation
fact fairly familiar far feel figure final finally find fine first fit follow following forget form found full further
general generally get give given glad gotcha gotchas go goes going gone good got great guess guy
hack hand handle handled handling happen hard hear heard hello help helpful hey hi hint hold hope hopefully
idea ideally imagine immediately include indeed inside instead intend intended interested involve involved 
keep kept kind know knowledge
last late lately later lead learn least leave left let like likely little long look lot
main mainly make manage manner matter maybe mean means meant mention mentioned mind minute mine moment morning
name namely necessary need needed never new next nice nobody none normal normally note nothing noticed notice now nowadays number
occur often ok okay old one ongoing onto opinion ordinary originally otherwise overview
part particular particularly pay people per perform perhaps person piece pitfall pitfalls possible possibly prefer presently pretty
previous previously probably problem proceed project proper properly provide purpose put
question quick quickly quite
rather read real really reason recall recently recommend recommended refer regard regarding relate related relevant rely remember
require required respect rest right roughly rule 
 see seem seen sense set several short shortly show side similar simple simply since situation so solve somebody somehow someone something
sometimes somewhere soon sorry sort special specific specifically start still stop story stuff such suggest summary suppose supposed sure
system take taken talk team tell term thank thanks thing think thought time today together told tomorrow tonight too took topic total toward treat treated
treatment true try trying turn two typical typically
understand understood usual usually use used useful using
various 
wait want watch way week welcome well went whatever whenever wherever whole wonder wondering word work working world worry worth wrong
year yesterday yet
three four five ten hundred large high low deep wide heavy tall huge tiny fast slow young strong weak
currently meanwhile nevertheless somewhat totally absolutely literally honestly apparently obviously
project codebase repo repository 
`

// Aimless reports whether a word, in lower case, is a verb of questions such as "how do releases work?", which does not describe their
// subject.
func Aimless(word string) bool { return aimless()[word] }

var aimless = wordsOf(`work works working happen happens handle handled manage managed behave behaves operate operates function functions go goes done`)
