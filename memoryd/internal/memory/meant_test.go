package memory

import "testing"

// A question about a person's possession is not answered by memories about the person alone.
func TestWhoHasIt(t *testing.T) {
	w := newWorld(t)
	for _, turn := range [][2]string{{"Mia", "We are getting a parrot next week."}, {"Ole", "A parrot? They live for sixty years."}, {"Mia", "Then it will see the kids grow up."}, {"Ole", "And annoy the neighbours."}} {
		w.put(New{Type: TypePattern, Title: turn[0], Content: turn[1], Thread: "talk 1"})
	}
	if a := w.recall(Query{Text: "When is Mia getting a parrot?"}); a.Weak {
		t.Error("what is told is weak")
	}
	for _, question := range []string{"Where does Mia's grandmother keep a parrot?", "Which parrot did Wolfgang give to Mia?"} {
		if a := w.recall(Query{Text: question}); !a.Weak {
			t.Errorf("%q is answered by %v", question, keys(a))
		}
	}
}

// Words that a question writes apart are also looked up as one word, with its synonyms.
func TestPhrasesAreAskedForAsOneWord(t *testing.T) {
	w := newWorld(t)
	w.put(New{Key: "up", Type: TypePattern, Content: "Start the stack with `make stack`."})
	w.put(New{Key: "mr", Type: TypePattern, Content: "An MR needs two approvals."})
	w.put(New{Key: "other", Type: TypePattern, Content: "Logs are kept for a fortnight."})
	for question, want := range map[string]string{"how do I bring up the stack?": "up", "how many reviews does a pull request need?": "mr"} {
		if a := w.recall(Query{Text: question}); len(a.Memories) == 0 || a.Memories[0].Key != want {
			t.Errorf("%q: %v", question, keys(a))
		}
	}
}

// A memory about another month than the question's is not an answer.
func TestMonthsAreMeant(t *testing.T) {
	w := newWorld(t)
	w.put(New{Key: "march", Type: TypeWarning, Content: "The outage in March was caused by a full disk."})
	w.put(New{Key: "sunday", Type: TypeWarning, Content: "On weekends the rates of Friday are used."})
	for question, weak := range map[string]bool{"what caused the outage in april?": true, "what caused the outage in March?": false, "which rates are used on a Sunday?": false} {
		if a := w.recall(Query{Text: question}); a.Weak != weak {
			t.Errorf("%q: weak %t, %v", question, a.Weak, keys(a))
		}
	}
}
