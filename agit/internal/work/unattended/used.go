package unattended

import "math"

// used keeps with the attempt what its client used.
func (t *on) used(r *result) {
	u := r.outcome.Said.Used
	r.attempt.Used = Used{Input: u.Input, Output: u.Output, Cached: u.Cached, Model: u.Model, Turns: int64(u.Turns)}
	if u.Currency != "" && u.Cost >= 0 && u.Cost < 1e9 {
		r.attempt.Used.Micros, r.attempt.Used.Currency = int64(math.Round(u.Cost*1e6)), u.Currency
	}
}
