package redact

import (
	_ "embed"
	"strings"
	"sync"
)

func set(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			m[w] = true
		}
		return m
	})
}

// technical are words with a number in them that are not passwords.
//
//go:embed technical.txt
var technicalWords string

var technical = set(technicalWords)

// prose are words that join others, and words that occur in texts about passwords. A value made of them is not a passphrase, and a name
// made of them is a name.
//
//go:embed prose.txt
var proseWords string

var prose = set(proseWords)
