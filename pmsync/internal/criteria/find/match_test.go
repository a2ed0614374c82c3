package find

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMatchKeepsWhatIsTheSameStatement(t *testing.T) {
	for name, test := range map[string]struct {
		old, current string
		want         Relation // Gone: the two do not match
	}{
		"case and signs":     {"The list is sorted by date.", "the list is sorted, by date", Equal},
		"markup":             {"`GET /x` answers 200", "GET /x answers 200", Equal},
		"article":            {"User can reset password", "The user can reset their password", Near},
		"plural":             {"Users see the invoices", "User sees the invoice", Near},
		"one word":           {"Logins", "The login", Near},
		"typo":               {"Uploads can be resumd after an error", "Uploads can be resumed after an error", Near},
		"some words more":    {"The export holds one row per booking", "The CSV export holds one row per booking", Near},
		"other word":         {"The page displays the total price of the basket items", "The page shows the total price of the basket items", Near},
		"order":              {"Name, phone and address are shown", "Address, phone and name are shown", Near},
		"number":             {"A session ends after 30 minutes", "A session ends after 60 minutes", Gone},
		"unit":               {"Uploads are limited to 5 MB", "Uploads are limited to 5MB files of 7 MB", Gone},
		"negation":           {"Guests can see prices", "Guests can not see prices", Gone},
		"contraction":        {"The form does keep the draft", "The form doesn't keep the draft", Gone},
		"opposite prefix":    {"An admin user can enable the export of all reports", "An admin user can disable the export of all reports", Gone},
		"opposite word":      {"The menu must show closed tickets to all members", "The menu must hide closed tickets to all members", Gone},
		"small opposite":     {"User can log in", "User can log out", Gone},
		"direction":          {"The notice is shown before the payment is confirmed", "The notice is shown after the payment is confirmed", Gone},
		"another statement":  {"The list can be sorted", "The list can be printed on one page", Gone},
		"comparison":         {"Orders < 50 € pay postage", "Orders > 50 € pay postage", Gone},
		"much added":         {"The page loads", "The page loads within the time that the contract with the customer says", Gone},
		"another script":     {"検索結果が更新日の順に並ぶ", "件数が表示される", Gone},
		"German negation":    {"Gäste sehen Preise", "Gäste sehen keine Preise", Gone},
		"user story wording": {"As an admin I can delete users", "As an admin I can delete a user", Near},
	} {
		t.Run(name, func(t *testing.T) {
			pairs := Match([]string{test.old}, []string{test.current})
			want := []Pair{{0, 0, test.want}}
			if test.want == Gone {
				want = []Pair{{-1, 0, New}, {0, -1, Gone}}
			}
			if diff := cmp.Diff(want, pairs); diff != "" {
				t.Errorf("%q and %q (-want +got):\n%s", test.old, test.current, diff)
			}
		})
	}
}

func TestMatchPairsEachOnce(t *testing.T) {
	old := []string{"The total is shown", "A receipt is sent", "A receipt is sent", "Prices have two digits"}
	current := []string{"A receipt is sent", "Prices always have two digits", "The totals are shown", "The shop has a name"}
	want := []Pair{{1, 0, Equal}, {3, 1, Near}, {0, 2, Near}, {-1, 3, New}, {2, -1, Gone}}
	if diff := cmp.Diff(want, Match(old, current)); diff != "" {
		t.Error(diff)
	}
}

func TestMatchTakesTheMostAlike(t *testing.T) {
	old := []string{"The report lists every open order of the week", "The report lists every open order"}
	current := []string{"The report lists every open order of a week", "The report lists all open orders of this month"}
	if pairs := Match(old, current); pairs[0] != (Pair{0, 0, Near}) {
		t.Errorf("got %v", pairs)
	}
}

// The comparison of two long readings is bounded: the last of many counts as new, although it is near to an old one.
func TestMatchIsBounded(t *testing.T) {
	for n, want := range map[int]Relation{100: Near, 600: New} {
		old, current := make([]string, n), make([]string, n)
		for i := range n {
			old[i], current[i] = fmt.Sprintf("Row %d", i), fmt.Sprintf("Line %d", n+i)
		}
		current[n-1] = "Rows 0"
		if got := Match(old, current)[n-1].Relation; got != want {
			t.Errorf("of %d texts, the last is %d, want %d", n, got, want)
		}
	}
}

// A word has as many partners as it occurs in the other text; a typo counts as one.
func TestRest(t *testing.T) {
	left, right := rest([]string{"retri", "retri", "upload", "cat"}, []string{"uplaod", "retri", "cut"})
	if diff := cmp.Diff([][]string{{"retri", "cat"}, {"cut"}}, [][]string{left, right}); diff != "" {
		t.Error(diff)
	}
}
