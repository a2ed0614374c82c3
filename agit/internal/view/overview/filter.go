package overview

import (
	"slices"
	"strings"
)

// Filter says which rows of a long list are wanted. Its zero value is all of them, in the list's own order.
type Filter struct {
	Words  string // each of them is in what names the row; case does not matter
	State  string // of tasks: one of TaskWords; of memories: as in Memory, "fading" or "archived"; "" for any
	Epic   string // of tasks and tickets: an id, NoEpic, "" for any
	Type   string // of memories, "" for any
	Sprint string // of tickets, and tasks made from them: its number, NoSprint, "" for any
	// Assignee is of tickets and tasks: a person or an agent, "" for any.
	Assignee string
	Span     string // of sessions: one of spans; else the last day
	Done     bool   // of the graph: finished tasks too, where there is room
	Order    string // of memories: "decay", "used" (the last first) or "importance"; else broken ones first
	Most     int    // rows of each list; mostRows when it is 0
}

// How many rows of a list are sent: what a person looks through, and what they may ask for.
const (
	mostRows = 200
	MostRows = 5000
	NoEpic   = "-" // the Epic of a Filter for tasks in none
	NoSprint = "0" // the Sprint of a Filter for tickets in none
)

// limit is how many rows of a list are wanted.
func (f Filter) limit() int { return f.limitOr(mostRows) }

// limitOr is limit of a list that usually has another number of rows.
func (f Filter) limitOr(usual int) int {
	if f.Most <= 0 {
		return usual
	}
	return min(f.Most, MostRows)
}

// finder returns what tells a row that has all the words.
func (f Filter) finder() func(texts ...string) bool {
	words := strings.Fields(strings.ToLower(f.Words))
	return func(texts ...string) bool {
		if len(words) == 0 {
			return true
		}
		text := strings.ToLower(strings.Join(texts, " "))
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
	}
}
