package text

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled when it is first used, so that a program does not pay for patterns that a run does not
// need. It is a package variable and is safe for concurrent use. The first use of a wrong expression panics, as regexp.MustCompile does.
type Pattern struct {
	Expr string

	once     sync.Once
	compiled *regexp.Regexp
}

// Regexp returns the compiled expression.
func (p *Pattern) Regexp() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.Expr) })
	return p.compiled
}
