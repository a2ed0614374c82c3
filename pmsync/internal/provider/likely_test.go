package provider

import "testing"

// TestLikelyCategory: what states mean by the words of their names.
func TestLikelyCategory(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Category{
		"Todo": Todo, "Backlog": Todo, "Ready": Todo, "": Todo, "Undone things": Todo,
		"In Progress": InProgress, "🏗 In progress": InProgress, "In-review": InProgress, "QA": InProgress, "Ready for review": InProgress,
		"Done": Done, "✅ Done": Done, "Shipped (prod)": Done,
		"Canceled": Canceled, "Won't do": Canceled, "Not planned": Canceled, "Done / duplicate": Canceled,
	} {
		if got := LikelyCategory(name); got != want {
			t.Errorf("%q means %s, not %s", name, got, want)
		}
	}
}
