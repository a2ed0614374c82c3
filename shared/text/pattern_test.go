package text

import "testing"

// A pattern is compiled once, however often it is used.
func TestPattern(t *testing.T) {
	t.Parallel()
	p := &Pattern{Expr: `^a+$`}
	if first := p.Regexp(); first != p.Regexp() || !first.MatchString("aa") || first.MatchString("ab") {
		t.Error("the pattern is not its expression")
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression did not panic")
		}
	}()
	(&Pattern{Expr: `(`}).Regexp()
}
