package syntax_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"a.b[1..3] .5":           "a|.|b|[|1|..|3|]|.5",
		"<=>=<>=~->..+=":         "<=|>=|<>|=~|-|>|..|+=",
		"`a``b` $x $`y z`":       "a`b|x|y z",
		`'it\'s' "\u00e9\n"`:     "it's|é\n",
		"1e9 1.5E-3 0x1F 0o7 1.": "1e9|1.5E-3|0x1F|0o7|1|.",
		"/* a */ x // y\nz":      "x|z",
		"größe_1 MATCH":          "größe_1|MATCH",
	} {
		tokens, err := syntax.Tokens(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var got []string
		for _, token := range tokens[:len(tokens)-1] {
			got = append(got, token.Text)
		}
		if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestTokenPositions(t *testing.T) {
	tokens, err := syntax.Tokens("é\n  (x)")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, token := range tokens {
		got = append(got, fmt.Sprintf("%d:%d@%d", token.Pos.Line, token.Pos.Column, token.Pos.Offset))
	}
	want := []string{"1:1@0", "2:3@5", "2:4@6", "2:5@7", "2:6@8"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if tokens[1].Match != 3 {
		t.Errorf("the bracket is closed by token %d", tokens[1].Match)
	}
}

func TestTokenErrors(t *testing.T) {
	for text, detail := range map[string]string{
		"'a": "UnexpectedSyntax", "`a": "UnexpectedSyntax", "/* a": "UnexpectedSyntax", "$": "UnexpectedSyntax",
		`'\uH'`: "InvalidUnicodeLiteral", `'\UFFFFFFFF'`: "InvalidUnicodeLiteral", `'\q'`: "UnexpectedSyntax",
		"a — b": "InvalidUnicodeCharacter", "#": "UnexpectedSyntax",
	} {
		_, err := syntax.Tokens(text)
		var e *syntax.Error
		if !errors.As(err, &e) || e.Detail != detail {
			t.Errorf("%q: %v, want %s", text, err, detail)
		}
	}
}

// A number that is not one is named so, whatever letters it has.
func TestNumberErrors(t *testing.T) {
	for text, detail := range map[string]string{
		"RETURN 9223372036854775808": "IntegerOverflow", "RETURN 99999999999999999999": "IntegerOverflow", "RETURN 1e999": "FloatingPointOverflow",
		"RETURN 1x": "InvalidNumberLiteral", "RETURN 1range": "InvalidNumberLiteral", "RETURN 0xrange": "InvalidNumberLiteral", "RETURN 1_0": "InvalidNumberLiteral",
	} {
		_, err := syntax.Parse(text)
		var e *syntax.Error
		if !errors.As(err, &e) || e.Detail != detail {
			t.Errorf("%q: %v, want %s", text, err, detail)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("MATCH (a)-[r:T*1..2 {x: 1}]->(b) WHERE a.x IN [1] RETURN *")
	f.Fuzz(func(t *testing.T, text string) {
		if q, err := syntax.Parse(text); err == nil && len(q.Parts) == 0 {
			t.Fatalf("%q gives an empty query", text)
		}
	})
}
