package memory

import (
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/text/words"
)

func TestInterrogative(t *testing.T) {
	for question, want := range map[string]string{
		"To whom?": "who", "Whose idea was it": "who", "And when do we ship it?": "when", "Where would you keep it?": "where",
		"How could that happen?": "how", "How much does a berth cost?": "how much", "how": "how", "Which prize?": "which",
		"I wonder: why?": "why", "With the whole family?": "", "": "", "Warum?": "",
	} {
		if got := interrogative(question); got != want {
			t.Errorf("%q asks %q, want %q", question, got, want)
		}
	}
}

func TestOnlyAsks(t *testing.T) {
	for text, want := range map[string]bool{
		"To whom?": true, "Seriously? What made you decide that?": true, "That is terrible. How could that happen?": true, "": true,
		"I moved the whole family to a farm near the lake, and we keep forty goats there now. What about you?": false,
	} {
		if got := onlyAsks(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if got := lastSentence("That is terrible. How could that happen?"); got != " How could that happen" {
		t.Errorf("the last sentence is %q", got)
	}
}

func TestWanted(t *testing.T) {
	for question, want := range map[string]want{
		"Who helped Ines with the kitchen?": wantPerson, "At how many requests did it break?": wantAmount, "What does a berth cost?": wantAmount, "How long is it kept?": wantNumber,
		"Which colour did she paint it?": wantColour, "By when is it needed?": wantTime, "In which year was that?": wantTime, "Where is it?": wantPlace,
		"Why is it slow?": wantReason, "What is it called?": wantName, "What happened?": noKind, "Did it rain?": noKind, "": noKind,
	} {
		if got := wanted(question); got != want {
			t.Errorf("%q wants %d, want %d", question, got, want)
		}
	}
	asked := map[string]bool{"wales": true, "lena": true}
	for says, fit := range map[string]bool{
		"Lucky you. Lena booked a cottage in Wales for August.": false, "Only my two nephews and me.": true, "It was Rui's.": true, "Marguerite": true, "": false,
	} {
		if got := fits(wantPerson, says, asked); got != fit {
			t.Errorf("%q names someone who is not asked about: %v", says, got)
		}
	}
	for says, fit := range map[string]bool{"On the second of June.": true, "At 5.": true, "I will ask.": false} {
		if got := fits(wantTime, says, nil); got != fit {
			t.Errorf("%q tells a time: %v", says, got)
		}
	}
}

func TestBroad(t *testing.T) {
	for question, want := range map[string]bool{
		"What do we know about the boat?": true, "what happened to the queue on Monday?": true, "the boat": true, "Who owns the boat?": false,
		"What did Clara win?": false,
	} {
		if got := broad(question); got != want {
			t.Errorf("%q: %v", question, got)
		}
	}
}

// Lists are looked up by how a stem begins, which has to be as its word does. Kinds of a thing stand for it alone.
func TestListsAreFoundByStem(t *testing.T) {
	for line := range strings.Lines(synonymLines) {
		general, kinds, isKinds := strings.Cut(line, ":")
		for _, stem := range stemsOf(line) {
			others := stemsOf(line)
			if isKinds && !slices.Contains(stemsOf(general), stem) {
				others = stemsOf(general)
			}
			for _, other := range others {
				if other != stem && !slices.Contains(synonymsOf(stem), other) {
					t.Errorf("%s does not stand for %s", other, stem)
				}
			}
		}
		if isKinds && len(stemsOf(kinds)) == 0 {
			t.Errorf("%q has no kinds", line)
		}
	}
	if slices.Contains(synonymsOf("firefox"), "chrome") {
		t.Error("one kind of browser stands for another")
	}
	for _, word := range words.Terms(fillerWords) {
		if !filler(word) {
			t.Errorf("%s is not a filler", word.Raw)
		}
	}
}

func stemsOf(s string) (stems []string) {
	for _, t := range words.Terms(s) {
		stems = append(stems, t.Text)
	}
	return stems
}
