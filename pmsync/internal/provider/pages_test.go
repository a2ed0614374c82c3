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
