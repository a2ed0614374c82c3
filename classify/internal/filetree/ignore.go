package filetree

import "github.com/agit-suite/agit/shared/git/ignore"

// rules are the lines of one .gitignore or .gitattributes.
type rules struct {
	base     string // its folder within the repository, "" or ending in a slash
	patterns []ignore.Pattern
	attrs    [][]string // of .gitattributes, one list for each pattern
}

// maxRules bounds one file's lines.
const maxRules = 5000

// maxSteps bounds the comparisons of paths with patterns in a whole walk, since hostile rules can require any number: half a second's
// worth, a hundred times the need of a large repository.
const maxSteps = 20_000_000

func parseIgnore(base string, text []byte) rules {
	patterns := ignore.ParseFile(string(text))
	return rules{base: base, patterns: patterns[:min(len(patterns), maxRules)]}
}
