package provider

import "strings"

// categoryWords are common words in state names with their categories; the first match wins.
var categoryWords = []struct {
	category Category
	words    []string
}{
	{Canceled, []string{"canceled", "cancelled", "won't", "wont", "not planned", "rejected", "abandoned", "duplicate", "dropped"}},
	{Done, []string{"done", "complete", "completed", "closed", "shipped", "released", "finished", "resolved", "deployed"}},
	{InProgress, []string{"progress", "doing", "wip", "started", "active", "review", "reviewing", "testing", "qa", "building", "developing", "development"}},
}

// LikelyCategory returns the category of a state by the words in its name, or to do when none is known.
func LikelyCategory(name string) Category {
	name = " " + strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" -_/:()", r) }), " ") + " "
	for _, c := range categoryWords {
		for _, word := range c.words {
			if strings.Contains(name, " "+word+" ") {
				return c.category
			}
		}
	}
	return Todo
}
