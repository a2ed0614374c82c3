// Package decay says how far a memory has faded: memoryd archives by it, and screens
// show it.
package decay

import "time"

// Score grows with the days since a memory was last used and shrinks with its
// importance, 1 to 5, and its uses: days × (6 − importance) / uses, where none counts as
// one. Days count in fractions; a use in the future counts as now.
func Score(unused time.Duration, importance, uses int) float64 {
	return max(unused.Hours()/24, 0) * float64(6-importance) / float64(max(uses, 1))
}
