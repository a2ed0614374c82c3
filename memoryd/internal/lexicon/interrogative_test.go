package lexicon

import (
	"testing"
)

func TestInterrogative(t *testing.T) {
	for question, want := range map[string]string{
		"To whom?": "who", "Whose idea was it": "who", "And when do we ship it?": "when", "Where would you keep it?": "where",
		"How could that happen?": "how", "How much does a berth cost?": "how much", "how": "how", "Which prize?": "which",
		"I wonder: why?": "why", "With the whole family?": "", "": "", "Warum?": "",
	} {
		if got := Interrogative(question); got != want {
			t.Errorf("%q asks %q, want %q", question, got, want)
		}
	}
}

func TestOnlyAsks(t *testing.T) {
	for text, want := range map[string]bool{
		"To whom?": true, "Seriously? What made you decide that?": true, "That is terrible. How could that happen?": true, "": true,
		"I moved the whole family to a farm near the lake, and we keep forty goats there now. What about you?": false,
	} {
		if got := OnlyAsks(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if got := LastSentence("That is terrible. How could that happen?"); got != " How could that happen" {
		t.Errorf("the last sentence is %q", got)
	}
}
