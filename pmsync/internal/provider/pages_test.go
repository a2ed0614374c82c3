package provider

import "testing"

func TestPagesEnd(t *testing.T) {
	t.Parallel()
	var p Pages
	for i := range 3 * maxPoor { // a full one now and then is a walk that gets on
		brought := 0
		if i%(maxPoor-1) == 0 {
			brought = fewOnPage
		}
		if err := p.More(Jira, "search issues", brought); err != nil {
			t.Fatalf("page %d: %v", i, err)
		}
	}
	p = Pages{}
	for i := 1; ; i++ {
		err := p.More(Jira, "search issues", fewOnPage-1)
		if (err != nil) != (i == maxPoor) {
			t.Fatalf("page %d: %v", i, err)
		}
		if err != nil {
			if !Is(err, Protocol) {
				t.Errorf("%v", err)
			}
			return
		}
	}
}

// TestPagesInACircle: full pages that come again and again are not progress, and full ones
// that differ are.
func TestPagesInACircle(t *testing.T) {
	t.Parallel()
	page := func(first int) []int { return []int{first, 1, 2, 3, 4, 5, 6} }
	var p Pages
	for i := range 10 * maxPoor {
		if err := MoreOf(&p, Jira, "search issues", page(i)); err != nil {
			t.Fatalf("page %d: %v", i, err)
		}
	}
	p = Pages{}
	for i := 0; ; i++ {
		err := MoreOf(&p, Jira, "search issues", page(i%3))
		if (err != nil) != (i == maxPoor+2) { // the first round was new
			t.Fatalf("page %d: %v", i, err)
		}
		if err != nil {
			return
		}
	}
}
