package verify

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/textfile"
)

// withoutSecrets prepares for citations that quote a line with its secrets removed: they fit a file only when its secrets are removed as
// well. Then all citations of the run are compared so. The citations themselves stay as they are.
func (c *Checker) withoutSecrets(citations []Citation) []Citation {
	if !c.redacted.Load() && !slices.ContainsFunc(citations, func(one Citation) bool {
		return strings.Contains(one.Snippet+one.After+one.Before, redact.Mark)
	}) {
		return citations
	}
	c.redacted.Store(true)
	clean := slices.Clone(citations)
	for i := range clean {
		one := &clean[i]
		one.Snippet, one.After, one.Before = redact.Lines(one.Snippet), redact.Lines(one.After), redact.Lines(one.Before)
	}
	return clean
}

// parse reads a file for comparing; nil when it is not text.
func (c *Checker) parse(data []byte) *textfile.File {
	if c.redacted.Load() {
		data = []byte(redact.Lines(string(data)))
	}
	return textfile.Parse(data)
}
