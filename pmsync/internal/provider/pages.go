package provider

import (
	"encoding/json"
	"hash/maphash"
)

// Pages ends a walk through pages that never comes to its end: a tracker that names new
// pages for ever brings little or nothing with each.
type Pages struct {
	poor  int // pages in a row that brought little
	total int
	begun map[uint64]bool // what earlier pages began with
}

// Limits of one walk. Trackers fill their pages but for the last one; some leave out
// what the account may not read, so that a few in a row may be poor.
const (
	fewOnPage = 5
	maxPoor   = 100
	maxPages  = 100_000
)

// More is asked before the next page, with how many new things the last one brought; the
// error is a Protocol error that names the tracker.
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

// pageSeed makes fingerprints of pages.
var pageSeed = maphash.MakeSeed()

// MoreOf is More for a page as it came. A page that begins as an earlier one did brought
// nothing: a tracker that goes in circles names other pages and shows the same.
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
