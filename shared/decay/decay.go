// Package decay scores how far a memory has faded. memoryd archives memories by this score, and screens show it.
package decay

import "time"

// Score returns days × (6 − importance) / uses. It grows with the days since a memory was last used and shrinks with its importance, 1 to
// 5, and its uses; 0 uses count as 1. Days count in fractions; a use in the future counts as now.
func Score(unused time.Duration, importance, uses int) float64 {
	return max(unused.Hours()/24, 0) * float64(6-importance) / float64(max(uses, 1))
}
