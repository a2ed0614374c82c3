package provider

import (
	"encoding/json"
	"hash/maphash"
)

// Pages stops a walk through pages that would never end: a tracker that returns new pages forever adds little or nothing with each.
type Pages struct {
	poor  int // consecutive pages with few new elements
	total int
	begun map[uint64]bool // fingerprints of the beginnings of earlier pages
}

// Limits of one walk. Trackers fill all pages but the last one; some leave out elements that the account may not read, so a few
// consecutive pages may be short.
const (
	fewOnPage = 5
	maxPoor   = 100
	maxPages  = 100_000
)

// More must be called before the next page is requested, with the number of new elements of the last one. It returns a Protocol error
// when the walk must stop.
func (p *Pages) More(tracker Name, op string, brought int) error {
	if p.total++; brought >= fewOnPage {
		p.poor = 0
	} else {
		p.poor++
	}
	if p.poor < maxPoor && p.total < maxPages {
		return nil
	}
	return Fail(Protocol, nil, "%s's answer to the request to %s does not end: %d pages brought next to nothing", tracker.Title(), op, p.poor)
}

// pageSeed is the seed of the fingerprints.
var pageSeed = maphash.MakeSeed()

// MoreOf is More for a whole page. A page with the beginning of an earlier one counts as empty: a tracker that loops shows the same
// elements on other pages.
func MoreOf[T any](p *Pages, tracker Name, op string, page []T) error {
	brought := len(page)
	if brought > 0 {
		first, err := json.Marshal(page[0])
		if err != nil {
			return err
		}
		print := maphash.Bytes(pageSeed, first)
		if p.begun == nil {
			p.begun = map[uint64]bool{}
		}
		if p.begun[print] {
			brought = 0
		}
		p.begun[print] = true
	}
	return p.More(tracker, op, brought)
}

// Walk calls yield for every element of a list, page by page. Read returns the page at a token, "" for the first one, and the token of the
// next page, "" for none.
func Walk[T any](tracker Name, op string, read func(token string) (page []T, next string, err error), yield func(T) error) error {
	var walk Pages
	for token := ""; ; {
		page, next, err := read(token)
		if err != nil {
			return err
		}
		for _, v := range page {
			if err := yield(v); err != nil {
				return err
			}
		}
		if next == "" {
			return nil
		}
		if err := MoreOf(&walk, tracker, op, page); err != nil {
			return err
		}
		token = next
	}
}
