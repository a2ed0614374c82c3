package provider

import "strings"

// categoryWords are words of states that people made, by what they mean; the first that
// fits counts.
var categoryWords = []struct {
	category Category
	words    []string
}{
	{Canceled, []string{"canceled", "cancelled", "won't", "wont", "not planned", "rejected", "abandoned", "duplicate", "dropped"}},
	{Done, []string{"done", "complete", "completed", "closed", "shipped", "released", "finished", "resolved", "deployed"}},
	{InProgress, []string{"progress", "doing", "wip", "started", "active", "review", "reviewing", "testing", "qa", "building", "developing", "development"}},
}

// LikelyCategory is what the name of a state means by its words, to do when none of them
// is known.
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
