package language

import "fmt"

const (
	// LeastList is the size of a README, in bytes, from which it may be a list of links that is the repository's purpose.
	LeastList = 8 << 10
	// leastEntries is the least number of links in such a list.
	leastEntries = 60
)

// List reports whether a repository is a list of links that people collect: its README has many of them, and more bytes than the programs
// that maintain it. readme is the README's size in bytes, entries the number of links that begin a list item or a table row.
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

// Site returns the verdict for the content of a static site; false when it has more program files than documents, or few documents.
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
