package language

import "fmt"

const (
	// LeastList is the size, in bytes, from which a README may be a list of links that is what the repository is for.
	LeastList = 8 << 10
	// leastEntries is how many links such a list has.
	leastEntries = 60
)

// List tells a repository that is a list of links, as people collect them: its README has many of them, and more bytes than the
// programs that tend it. readme is the README's size in bytes, entries the number of links that begin an item of a list or a row.
func List(counted Weights, readme int64, entries int) (Verdict, bool) {
	if readme < LeastList || entries < leastEntries {
		return Verdict{}, false
	}
	var programs int64
	for _, w := range counted {
		programs += w.own
	}
	if programs > readme {
		return Verdict{}, false
	}
	return Verdict{Language: "markdown", Why: fmt.Sprintf("README.md lists %d links, and is larger than the programs beside it", entries), Confidence: Medium}, true
}
