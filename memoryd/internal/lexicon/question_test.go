package lexicon

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/text/words"
)

var kindNames = map[Kind]string{NoKind: "-", Number: "number", Amount: "amount", Time: "time", Person: "person", Place: "place", Reason: "reason", Colour: "colour",
	Name: "name", Saying: "saying", Itself: "itself"}

// read writes everything that the package knows about a question.
func read(question string) string {
	row := []string{Interrogative(question), kindNames[Wanted(question)]}
	if counted := Counted(question); len(counted) > 0 {
		row = append(row, "counts "+strings.Join(counted, " "))
	}
	for label, set := range map[string]map[string]bool{"named": Names(question), "owned": Possessions(question)} {
		if len(set) > 0 {
			row = append(row, label+" "+strings.Join(slices.Sorted(maps.Keys(set)), " "))
		}
	}
	slices.Sort(row[2:])
	for label, is := range map[string]bool{"broad": Broad(question), "proposes": Proposes(question), "points back": PointsBack(question), "tells more": !OnlyAsks(question)} {
		if is {
			row = append(row, label)
		}
	}
	slices.Sort(row[2:])
	return strings.Join(row, "; ")
}

func TestQuestionsAreRead(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"Who owns it?", "who; person"},
		{"To whom did Ines give the keys?", "who; person; named ines; points back"},
		{"How often is the cache cleared?", "how often; number"},
		{"How long has Rui's boat been there?", "how long; number; named rui; owned boat"},
		{"How old is it", "how old; number"},
		{"How far is it from Porto to Lisbon?", "how far; amount; named lisbon porto"},
		{"How do we deploy?", "how; -"},
		{"How?", "how; -"},
		{"How many?", "how many; amount"},
		{"How many of our services have moved?", "how many; amount; counts servic"},
		{"How many language server processes run in a folder?", "how many; amount; counts languag server process"},
		{"How many open red pull requests are there?", "how many; amount; counts open red pull"},
		{"How many other people know?", "how many; amount; counts other person know"},
		{"how  many are the days of\nthe week", "how many; amount; counts dai"},
		{"What did the auditors say about the ledger?", "what; saying; broad"},
		{"what does Clara reply to that", "what; saying; named clara"},
		{"What did Clara win?", "what; -; named clara"},
		{"What has Clara said?", "what; -; named clara"},
		{"What’s the timeout of the mailer?", "what; amount"},
		{"what, exactly, is the price?", "what; amount"},
		{"what is the phone: number or port?", "what; amount"},
		{"what is the queue, its size?", "what; -"},
		{"Which kind of port is it?", "which; -"},
		{"which of the ports is open?", "which; -"},
		{"Which year, and which colour?", "which; time"},
		{"what is the color of the door", "what; colour"},
		{"what was the town called?", "what; name"},
		{"which license do we use", "which; itself"},
		{"what are the rules of the house?", "what; -; broad"},
		{"Tell me everything.", "; -; broad"},
		{"Is it slow?", "; -; broad"},
		{"That is terrible. Why?", "why; reason; points back"},
		{"Then where is it?", "where; place; points back"},
		{"When? In May", "when; time; named may"},
		{"What about the second one?", "what; -; proposes"},
		{"I see. How about Lena’s goats?", "how; -; named lena; owned goats; proposes"},
		{"What about it? Tell me!", "what; -"},
		{"", "; -; broad; points back"},
		{"Mia. Rui! Lena? Ada: Ben, Tom", "; -; broad; named tom"},
		{"who has seen the cat's basket or the Smiths' car?", "who; person; named smiths; owned car"},
		{"One two three four five six seven eight nine ten eleven twelve. Who?", "who; person"},
		{"One two three four five six seven eight nine ten eleven twelve thirteen. Who?", "who; person; tells more"},
		{"Who? One two three four five six seven eight nine ten eleven twelve thirteen", "who; person; tells more"},
	} {
		if got := read(c.question); got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.question, got, c.want)
		}
	}
}

// fitting lists the kinds of things that a text contains, and after a bar those that only a note with it would.
func fitting(says string, asked map[string]bool) string {
	var turn, note []string
	for k := Number; k <= Itself; k++ {
		switch {
		case k.Fits(says, asked):
			turn = append(turn, kindNames[k])
		case k.FitsNote(says, asked):
			note = append(note, kindNames[k])
		}
	}
	if !NoKind.Fits(says, asked) || !NoKind.FitsNote(says, asked) {
		return "nothing fits"
	}
	if len(note) > 0 {
		return strings.Join(turn, " ") + "|" + strings.Join(note, " ")
	}
	return strings.Join(turn, " ")
}

// The words of the question, here Lena, Lisbon, ledger, monday and password, are not an answer.
func TestTextsFitKinds(t *testing.T) {
	asked := map[string]bool{"lena": true, "lisbon": true, "ledger": true, "monday": true, "password": true, "red": true}
	for _, c := range []struct{ says, want string }{
		{"", ""},
		{"It rained.", ""},
		{"Marguerite", "person name"},
		{"Lena", ""},
		{"Lena's", ""},
		{"Lena, Rui", "person name"},
		{"Rui sold the boat", ""},
		{"I saw Rui's boat", "person name"},
		{"so I know, I'm sure", "person reason"},
		{"we use GraphQL", "person name"},
		{"they use GraphQL there", "name"},
		{"they went on Tuesday", "time|place reason"},
		{"they went on Monday", "|time place reason"},
		{"It fits. Lena knows! Really? Yes: Rui does", "saying|person reason"},
		{"Rui owns the gateway", "|person"},
		{"Lena owns the gateway", ""},
		{"The owner decided. Rui owns it", "person"},
		{"It broke; Rui fixed it", "person name|reason"},
		{"Rui", "person name"},
		{"once the index is there", "number amount|time reason"},
		{"rows (all of them)", "|reason"},
		{"see `make`", "|place"},
		{"kept in redis", "|place"},
		{"kept in the Harbour Inn", "person place name"},
		{"kept in old Harbour Inn", "person name|place"},
		{"went to Lisbon", "reason|place"},
		{"from 1999", "number time|place"},
		{"40 of them", "number amount time"},
		{"2048", "number time"},
		{"20480", "number amount time"},
		{"1812 and 300", "number amount time"},
		{"v3", "number amount time"},
		{"b2b", "number time"},
		{"B2B and 5", "number amount time|person"},
		{"a red door", ""},
		{"a green door", "colour"},
		{"the password is kept", "itself"},
		{"the birthday is kept", ""},
		{"write to ada@example.org", "reason itself|place"},
		{"they agreed", "saying"},
		{"because of it", "reason"},
		{"upstairs", "place"},
	} {
		if got := fitting(c.says, asked); got != c.want {
			t.Errorf("%q fits %q, want %q", c.says, got, c.want)
		}
	}
}

func TestCountsStandBesideTheirNoun(t *testing.T) {
	for says, want := range map[string]bool{
		"412 customers": true, "412 paying customers": true, "412 happy paying customers": true, "412 very happy paying customers": false,
		"412 rows for customers": false, "customers 412": true, "customers: 412": true, "customers now 412": false, "no number of customers": false,
		"nothing of the kind": true, "customers in 412 rows": false, "twelve customers": true, "(412) customers.": true, "customers, then 412 customers": true,
		"the customer of 1999": false, "412 rows, 7 Customers": true,
	} {
		if got := Counts(says, []string{words.Stem("customers")}); got != want {
			t.Errorf("%q counts customers: %t", says, got)
		}
	}
}

func TestNamesAreWrittenWithCapitals(t *testing.T) {
	for _, c := range []struct {
		says, word string
		want       bool
	}{
		{"I met Rui.", "rui", true}, {"I met Rui's aunt", "rui", true}, {"Rui met me", "rui", false}, {"I met rui", "rui", false}, {"It is late. Rui slept", "rui", false},
		{"I met Ru", "rui", false}, {"late; Rui slept", "rui", true}, {"I met Ana and Rui", "rui", true}, {"", "rui", false},
	} {
		if got := WritesName(c.says, c.word); got != c.want {
			t.Errorf("%q writes %s: %t", c.says, c.word, got)
		}
	}
	for word, want := range map[string]bool{"": true, "1999": true, "19a9": false, "a": false, "٣": true} {
		if IsNumber(word) != want {
			t.Errorf("%q is a number: %t", word, !want)
		}
	}
	for word, want := range map[string][2]bool{"may": {true, false}, "june": {true, true}, "yesterday": {true, false}, "boat": {false, false}} {
		if got := [2]bool{IsTime(word), IsMonth(word)}; got != want {
			t.Errorf("%q is a time, a month: %t", word, got)
		}
	}
	for word, want := range map[string]bool{"works": true, "handled": true, "boat": false, "": false} {
		if Aimless(word) != want {
			t.Errorf("%q is aimless: %t", word, !want)
		}
	}
}

// Words of the subject are not fillers, although they share a stem or a beginning with one.
func TestSubjectsAreNotFillers(t *testing.T) {
	for text, want := range map[string]string{
		"the managers manage completions completely": "manage completely", "who is afraid of a cat": "", "three ledgers thrive": "three", "zebra zip z": "",
	} {
		var fillers []string
		for _, term := range words.Terms(text) {
			if Filler(term) {
				fillers = append(fillers, term.Raw)
			}
		}
		if got := strings.Join(fillers, " "); got != want {
			t.Errorf("the fillers of %q are %q, want %q", text, got, want)
		}
	}
	if got := fmt.Sprint(Synonyms(words.Stem("zebra")), Synonyms("")); got != "[] []" {
		t.Errorf("words that stand for others without being in a list: %s", got)
	}
}
