package lexicon

import "testing"

// Words right behind a possessive name are possessions.
func TestPossessions(t *testing.T) {
	for question, want := range map[string][]string{
		"What did Mia's sister say?": {"sister"}, "what is Mia’s address": {"address"}, "who has seen the cat's basket?": {}, "When did Mia's Uncle call?": {},
	} {
		got := Possessions(question)
		if len(got) != len(want) || len(want) > 0 && !got[want[0]] {
			t.Errorf("%q: %v", question, got)
		}
	}
}
