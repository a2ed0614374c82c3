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

// Site tells the content of a static site: more documents than files of programs.
func Site(counted, documents Weights) (Verdict, bool) {
	if len(documents) == 0 || documents[0].Files < collection {
		return Verdict{}, false
	}
	programs := 0
	for _, w := range counted {
		programs += w.Files
	}
	if programs > documents[0].Files {
		return Verdict{}, false
	}
	return Verdict{Language: documents[0].Language, Why: fmt.Sprintf("%d files of a static site's content", documents[0].Files), Confidence: Medium}, true
}
